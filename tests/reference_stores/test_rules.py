"""The rules decide as the contract says, for every input that Hypothesis thinks of."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference_stores import rules
from reference_stores.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
)

SEGMENTS = st.from_regex(r"[A-Za-z0-9_.-]{1,12}", fullmatch=True).filter(lambda s: s != "." and ".." not in s)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=6).map("/".join)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SURROGATES = st.characters(categories=["Cs"])
NOT_PATHS = [
    "", " ", ".", "..", "/", "/a", "a/", "a//b", "a/./b", "./a", "a/.", "a..b", "...", "../a", "a b", "a\\b",
    "a%2fb", "é", "a\n", "a\0", "a:b", "u*", "a" * 201, "a/" + "b" * 201, "\udc80", "\uff10",
]  # fmt: skip
NOT_PREFIXES = ["/", "u1//", ".", "./", "..", "a b/", "u%", "/u1", "u1/./", "a\n", "a/\n"]


@given(PATHS)
def test_valid_paths(path: str) -> None:
    """A path of valid segments is accepted, as a path and as a prefix with or without its slash."""
    rules.validate_path(path)
    rules.validate_prefix(path)
    rules.validate_prefix(path + "/")


@pytest.mark.parametrize("path", ["a" * 200, ".hidden", "-", "_", "0", "a.b", "/".join("abcdefgh"), "a/.b/c."])
def test_unusual_valid_paths(path: str) -> None:
    """Any leading character, the longest segment and deep nesting are valid."""
    rules.validate_path(path)


@pytest.mark.parametrize("path", NOT_PATHS)
def test_invalid_paths(path: str) -> None:
    """Whatever could escape, alias or hide is refused with a message that shows it."""
    with pytest.raises(ValueError, match=r"^invalid memory path '.*join segments"):
        rules.validate_path(path)


@given(st.text())
def test_path_and_prefix_agree(text: str) -> None:
    """A prefix is valid exactly if it is empty, a valid path, or one with a slash after it."""

    def accepts(validate: Any, argument: str) -> bool:
        try:
            validate(argument)
        except ValueError:
            return False
        return True

    expected = text == "" or accepts(rules.validate_path, text.removesuffix("/"))
    assert accepts(rules.validate_prefix, text) == expected


@pytest.mark.parametrize("prefix", NOT_PREFIXES)
def test_invalid_prefixes(prefix: str) -> None:
    """A slip in a prefix is refused instead of listing nothing or everything."""
    with pytest.raises(ValueError, match=r"^invalid memory prefix '"):
        rules.validate_prefix(prefix)


@given(TEXT)
def test_storable_content(content: str) -> None:
    """Every text without NUL and lone surrogates is accepted."""
    rules.validate_content(content)


@given(TEXT, st.one_of(st.just("\0"), SURROGATES), TEXT)
def test_unstorable_content(before: str, bad: str, after: str) -> None:
    """NUL or a lone surrogate anywhere is refused, with its position and without any of the text."""
    with pytest.raises(ValueError, match=rf"^content has a .* at position {len(before)}; remove it$"):
        rules.validate_content(before + bad + after)


@given(st.integers(min_value=1))
@example(2**63)
def test_valid_bounds(value: int) -> None:
    """Every positive integer is a bound, however large."""
    rules.validate_bound("limit", value)


@given(st.integers(max_value=0))
def test_bounds_that_are_not_positive(value: int) -> None:
    """Zero and less is refused by the name of the bound."""
    with pytest.raises(ValueError, match=rf"^limit is {value}; it must be positive$"):
        rules.validate_bound("limit", value)


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None])
def test_bounds_of_another_type(value: Any) -> None:
    """A bool or another type is no bound."""
    with pytest.raises(TypeError, match=r"^limit is a .*; it must be an int$"):
        rules.validate_bound("limit", value)


@pytest.mark.parametrize(
    ("validate", "argument"),
    [
        (rules.validate_path, b"a"),
        (rules.validate_prefix, None),
        (rules.validate_content, b"text"),
        (rules.validate_expected_version, 1),
        (rules.validate_operation, MemoryOperation(1, "f")),  # type: ignore[arg-type]
        (rules.validate_operation, MemoryOperation("id", None)),  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_type(validate: Any, argument: Any) -> None:
    """What must be a string and is not is a `TypeError` that says so."""
    with pytest.raises(TypeError, match=r" is a (bytes|NoneType|int); it must be a str$"):
        validate(argument)


@given(st.text())
def test_any_string_is_an_expected_version(version: str) -> None:
    """Versions are opaque, so that no string is refused before it is compared."""
    rules.validate_expected_version(version)


@given(st.text(), st.text())
@example("", "")
@example("id\0", "f\ud800")
def test_operations(identity: str, fingerprint: str) -> None:
    """Any string names an operation, the empty one and those that no encoding takes included."""
    rules.validate_operation(MemoryOperation(identity, fingerprint))
    rules.validate_operation(None)


@given(PATHS, SEGMENTS, SEGMENTS)
def test_direct_children(directory: str, name: str, other: str) -> None:
    """A child is one segment below its directory, and nothing deeper or beside it is."""
    assert rules.directory_of(f"{directory}/{name}") == directory
    assert rules.is_direct_child(f"{directory}/", f"{directory}/{name}")
    assert not rules.is_direct_child(f"{directory}/", f"{directory}/{other}/{name}")
    assert not rules.is_direct_child(f"{directory}/", directory + name)
    assert rules.is_direct_child("", name)
    assert not rules.is_direct_child("", f"{directory}/{name}")


def test_direct_children_of_a_prefix_inside_a_segment() -> None:
    """A prefix that ends inside a segment has the files that complete it, in the same directory."""
    assert rules.is_direct_child("t/u1", "t/u1.md")
    assert not rules.is_direct_child("t/u1", "t/u1/a.md")
    assert not rules.is_direct_child("t/u1", "t/v1.md")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("t/a.md", True),
        ("MEMORY.md", True),
        ("t/" + "n" * 80, True),
        ("t/" + "n" * 81, False),
        ("t/_n.md", False),
        ("t/.h.md", False),
        ("t/-n", False),
    ],
)
def test_addressable(path: str, expected: bool) -> None:
    """Only names of at most 80 characters that start with a letter or digit can be given to a tool."""
    assert rules.is_addressable(path) is expected


def test_replay() -> None:
    """No receipt means go ahead, and a receipt with the same fingerprint is the answer."""
    operation = MemoryOperation("id", "f")
    assert rules.replay(operation, None) is None
    assert rules.replay(None, rules.Receipt("f", "v1", existed=False)) is None
    replayed = rules.replay(operation, rules.Receipt("f", "v1", existed=True))
    assert replayed == MemoryMutation(version="v1", replayed=True, existed=True)


@given(st.text(), st.text())
def test_fingerprints_are_compared_exactly(given_one: str, recorded: str) -> None:
    """Any difference of fingerprints, be it of case or Unicode form, is a conflict of operations."""
    receipt = rules.Receipt(recorded, "v1", existed=True)
    operation = MemoryOperation("id", given_one)
    if given_one == recorded:
        assert rules.replay(operation, receipt)
    else:
        with pytest.raises(MemoryOperationConflictError, match="operation 'id' was applied"):
            rules.replay(operation, receipt)


@given(st.none() | st.text(), st.none() | st.text())
@example("", None)
def test_versions_are_compared_exactly(current: str | None, expected: str | None) -> None:
    """Equal versions pass, and any others are a conflict that names the path."""
    if current == expected:
        rules.require_version("t/a.md", current=current, expected=expected)
    else:
        with pytest.raises(MemoryConflictError, match=r"^memory path 't/a\.md' is not as expected: .*read it again"):
            rules.require_version("t/a.md", current=current, expected=expected)


@given(st.dictionaries(TEXT, TEXT, max_size=8))
def test_metadata_round_trip(metadata: dict[str, str]) -> None:
    """What was encoded is decoded, and an empty mapping is no metadata."""
    assert rules.decode_metadata(rules.encode_metadata(metadata)) == (metadata or None)


def test_metadata_limit() -> None:
    """4,096 characters of JSON are kept, and one more is refused."""
    overhead = len('{"k":""}')
    longest = {"k": "é" * (rules.MAX_METADATA_CHARS - overhead)}
    assert rules.decode_metadata(rules.encode_metadata(longest)) == longest
    with pytest.raises(ValueError, match="metadata has 4097 characters as JSON; the limit is 4096"):
        rules.encode_metadata({"k": longest["k"] + "é"})


@pytest.mark.parametrize("metadata", [[], [("k", "v")], "kv", 1, False, {1: "v"}, {"k": None}, {"k": 1}])
def test_metadata_of_another_type(metadata: Any) -> None:
    """What is no mapping of strings to strings is a `TypeError`, also if it is empty."""
    with pytest.raises(TypeError, match=re.escape("metadata is a ")):
        rules.encode_metadata(metadata)


@pytest.mark.parametrize("metadata", [{"k": "v\0"}, {"k\0": "v"}, {"k": "\ud800"}, {"\udfff": "v"}])
def test_metadata_that_cannot_be_kept(metadata: dict[str, str]) -> None:
    """NUL and lone surrogates are refused in keys and in values."""
    with pytest.raises(ValueError, match=r"^a key or value of metadata has a .*; remove it$"):
        rules.encode_metadata(metadata)


@pytest.mark.parametrize("encoded", ["", "{", "[]", '{"k":1}', '"text"', "[" * 100_000, b"\xff", 7])
def test_metadata_from_elsewhere(encoded: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Text that we never encoded reads as none, with a warning that shows nothing of it."""
    with caplog.at_level(logging.WARNING):
        assert rules.decode_metadata(encoded) is None
    assert [record.getMessage() for record in caplog.records] == [
        "stored metadata is not a JSON object of strings; it is read as none"
    ]
