"""The corpora of paths: each name is what its corpus says it is, by the model's own grammar."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given

from pytest_memory_store import path_corpus as corpus
from pytest_memory_store.model import path_fault, prefix_is_valid

SCOPE = "kit0123456789ab"


@pytest.mark.parametrize("name", [*corpus.UNCOMMON, *corpus.BOOKKEEPING, *corpus.LIKE_PATTERNS])
def test_valid_names_are_valid_paths(name: str) -> None:
    """Every name that a store must take, or may reserve, is a valid path of at most 286 characters."""
    path = f"{SCOPE}/{name}"
    assert path_fault(path) is None
    assert len(path) <= 286


@pytest.mark.parametrize("name", corpus.INVALID)
def test_invalid_names_belong_to_path_02(name: str) -> None:
    """Every invalid name makes a path that PATH-02 forbids, and no other clause."""
    assert path_fault(f"{SCOPE}/{name}") == "PATH-02"


@pytest.mark.parametrize("path", corpus.outside(SCOPE, "token"))
def test_paths_outside_are_invalid(path: str) -> None:
    """A path that might lead out of the scope is invalid."""
    assert path_fault(path) is not None


@pytest.mark.parametrize("path", [*(f"{SCOPE}/{name}" for name in corpus.DOTTED), *corpus.traversals(SCOPE, "token")])
def test_dotted_paths_belong_to_path_03(path: str) -> None:
    """Every path with dots where none may be belongs to PATH-03."""
    assert path_fault(path) == "PATH-03"


@pytest.mark.parametrize("char", corpus.CONTROL_CHARS)
def test_control_characters_belong_to_path_04(char: str) -> None:
    """A control character after a valid path belongs to PATH-04."""
    assert path_fault(f"{SCOPE}/a.md{char}") == "PATH-04"


@pytest.mark.parametrize("pattern", corpus.INVALID_PREFIXES)
def test_invalid_prefixes_are_invalid(pattern: str) -> None:
    """Every prefix of the corpus is one that PATH-06 forbids."""
    assert not prefix_is_valid(pattern.replace("{}", SCOPE))


@pytest.mark.parametrize(("one", "other"), [*corpus.LIKE_NORMAL, *corpus.LIKE_IN_SHAPE])
def test_pairs_are_two_valid_paths_in_any_case(one: str, other: str) -> None:
    """The two names of a pair are valid, and differ by more than case."""
    assert path_fault(one) is None
    assert path_fault(other) is None
    assert one.lower() != other.lower()


@pytest.mark.parametrize(("one", "other"), corpus.LIKE_IN_CASE)
def test_pairs_in_case_differ_in_case_alone(one: str, other: str) -> None:
    """The two names of a pair for PATH-09 are the same but for case."""
    assert one != other
    assert one.lower() == other.lower()


def test_patterns_differ_by_more_than_case_but_for_one() -> None:
    """Only `aXb` is left out for a store that takes case variants for one."""
    twins = [(a, b) for a, b in combinations(corpus.LIKE_PATTERNS, 2) if a.lower() == b.lower()]
    assert twins == [("axb", "aXb")]


@pytest.mark.parametrize("length", [65, 115, 116, 117, 256, 286, 1_024, 5_000])
def test_name_of_length_gives_a_valid_path_of_that_length(length: int) -> None:
    """The whole path has the length asked for, and is valid."""
    path = f"{SCOPE}/{corpus.name_of_length(SCOPE, length, 'b')}"
    assert len(path) == length
    assert path.endswith("b")
    assert path_fault(path) is None


@given(pair=corpus.alike)
def test_alike_paths_are_valid_and_differ(pair: tuple[str, str]) -> None:
    """A drawn pair is two valid paths that differ by one character."""
    one, other = pair
    assert path_fault(one) is None
    assert path_fault(other) is None
    assert len(other) == len(one) + 1


@given(char=corpus.invalid_chars)
def test_invalid_chars_make_a_path_invalid(char: str) -> None:
    """No path may hold a character drawn as invalid."""
    assert path_fault(f"a{char}b") is not None
