"""The base of the faulty stores obeys the contract, and each faulty store departs from it in one small way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store import claims, faulty
from pytest_memory_store.clauses import CATALOGUE, Level, Status
from pytest_memory_store.faulty import FAULTY, ODD, FaultyStore, OddStore
from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.faulty.contract import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemorySearchMatch,
    MemorySearchResult,
)
from pytest_memory_store.faulty.plain import PlainStore
from pytest_memory_store.faulty.registry import CLAIMS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

ALL = 2**31 - 1
MOST_OVERRIDES = 3
"""How many attributes a faulty store may set beside its constructor before it is wrong in more than one way."""


def run(call: Coroutine[Any, Any, Any]) -> Any:
    """Run one call to its end."""
    return asyncio.run(call)


class Client:
    """Calls a store one call at a time, with the shortest spelling of each call."""

    def __init__(self, store: BaseStore) -> None:
        self.store = store

    def read(self, path: str, max_chars: int = ALL) -> MemoryFile | None:
        """Read a file."""
        result: MemoryFile | None = run(self.store.read(path, max_chars=max_chars))
        return result

    def shown(self, path: str) -> MemoryFile:
        """Read a file that has to be there."""
        shown = self.read(path)
        assert shown is not None
        return shown

    def write(
        self, path: str, content: str, version: str | None = None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Write a file."""
        result: MemoryMutation = run(self.store.write(path, content, expected_version=version, operation=operation))
        return result

    def describe(
        self,
        path: str,
        content: str,
        metadata: Any,
        version: str | None = None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Write a file with metadata."""
        result: MemoryMutation = run(
            self.store.write_with_metadata(
                path, content, expected_version=version, metadata=metadata, operation=operation
            )
        )
        return result

    def delete(self, path: str, version: str | None = None, operation: MemoryOperation | None = None) -> MemoryMutation:
        """Delete a file."""
        result: MemoryMutation = run(self.store.delete(path, expected_version=version, operation=operation))
        return result

    def operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Look up an operation."""
        result: MemoryMutation | None = run(self.store.get_operation(operation))
        return result

    def paths(self, prefix: str = "", limit: int = ALL) -> list[str]:
        """List paths."""
        result: list[str] = run(self.store.list_paths(prefix, limit=limit))
        return result

    def search(self, query: str, prefix: str = "u/", **bounds: int) -> MemorySearchResult:
        """Search with bounds that cut nothing, where no other is given."""
        wide = {"limit": ALL, "max_files": ALL, "max_chars": ALL, "max_file_chars": ALL}
        result: MemorySearchResult = run(self.store.search(prefix, query, **(wide | bounds)))
        return result

    def found(self, query: str, prefix: str = "u/", **bounds: int) -> list[str]:
        """Return the paths that a search finds, in its order."""
        return [match.path for match in self.search(query, prefix, **bounds).matches]


@pytest.fixture
def client() -> Client:
    """Return a client of a fresh base store."""
    return Client(BaseStore())


# Paths and prefixes.


@pytest.mark.parametrize("path", ["a", "A-1/_x/.hidden", "9", "s" * 200, "/".join(["d" * 40] * 25), "a."])
def test_valid_paths_round_trip(client: Client, path: str) -> None:
    """Every path of the grammar can be written, read, listed and deleted."""
    version = client.write(path, "text").version
    assert client.shown(path).content == "text"
    assert client.paths() == [path]
    assert client.delete(path, version).existed


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "/a", "a/", "a//b", ".", "a/./b", "..", "a..b", "...", "a b", "a\\b"),
        *("a%2fb", "é", "a\n", "a\x00", "a:b", "s" * 201),
    ],
)
def test_invalid_paths_are_refused_everywhere(client: Client, path: str) -> None:
    """A path outside the grammar is a `ValueError` in read, write and delete."""
    calls: tuple[Callable[[str], object], ...] = (client.read, client.delete, lambda p: client.write(p, "text"))
    for call in calls:
        with pytest.raises(ValueError, match="invalid path"):
            call(path)
    assert client.paths() == []


@pytest.mark.parametrize("prefix", ["/", "u1//", ".", "..", "a b/", "u%"])
def test_invalid_prefixes_are_refused(client: Client, prefix: str) -> None:
    """An invalid prefix is a `ValueError` in listings and search, also where the query is empty."""
    calls: tuple[Callable[[str], object], ...] = (client.paths, lambda p: client.search("", p))
    for call in calls:
        with pytest.raises(ValueError, match="invalid path"):
            call(prefix)


def test_a_prefix_is_the_plain_beginning_of_a_path(client: Client) -> None:
    """A prefix matches its characters literally, and only a trailing slash ends a segment."""
    for path in ("u_1/a", "u_1.md", "u_10/a", "ux1/a", "U_1/a"):
        client.write(path, "")
    assert client.paths("u_1") == ["u_1.md", "u_1/a", "u_10/a"]
    assert client.paths("u_1/") == ["u_1/a"]


# Reads.


def test_a_read_counts_code_points(client: Client) -> None:
    """A read is cut after so many code points, and says so exactly where there are more."""
    client.write("a", "é\U0001f600x")
    cuts = [(shown.content, shown.truncated) for n in (1, 2, 3, 4) if (shown := client.read("a", n))]
    assert cuts == [("é", True), ("é\U0001f600", True), ("é\U0001f600x", False), ("é\U0001f600x", False)]


def test_an_absent_file_is_none_and_an_empty_one_is_not(client: Client) -> None:
    """An absent path reads as `None`, an empty file as an empty text with a version."""
    assert client.read("a") is None
    version = client.write("a", "").version
    assert client.read("a", 1) == MemoryFile("", str(version), None, truncated=False)


@pytest.mark.parametrize("bound", [0, -1])
def test_bounds_below_one_are_refused(client: Client, bound: int) -> None:
    """Reads and listings raise `ValueError` for a bound that is not above zero, found or not."""
    calls: tuple[Callable[[int], object], ...] = (
        lambda n: client.read("a", n),
        lambda n: client.paths(limit=n),
    )
    for call in calls:
        with pytest.raises(ValueError, match="above zero"):
            call(bound)


@pytest.mark.parametrize("content", ["a\x00b", "\ud800"])
def test_content_that_cannot_be_kept_is_refused(client: Client, content: str) -> None:
    """Content with NUL or a lone surrogate is a `ValueError`, and nothing is kept of it."""
    with pytest.raises(ValueError, match="NUL or a lone surrogate"):
        client.write("a", content)
    assert client.read("a") is None


# Versions.


def test_versions_protect_writes_and_deletes(client: Client) -> None:
    """Only the current version, or none where there is no file, lets a change through."""
    first = client.write("a", "1")
    second = client.write("a", "1", first.version)
    assert (first.existed, second.existed) == (False, True)
    assert first.version != second.version
    for version in (None, first.version, "", "nope"):
        with pytest.raises(MemoryConflictError):
            client.write("a", "2", version)
        with pytest.raises(MemoryConflictError):
            client.delete("a", version)
    assert client.shown("a") == MemoryFile("1", str(second.version), None, truncated=False)


def test_an_absent_path_conflicts_with_any_version(client: Client) -> None:
    """A version on an absent path is a conflict, and no version deletes nothing."""
    with pytest.raises(MemoryConflictError):
        client.write("a", "1", "v")
    with pytest.raises(MemoryConflictError):
        client.delete("a", "v")
    assert client.delete("a") == MemoryMutation(version=None, replayed=False, existed=False)


# Operations.


def test_a_repeated_operation_is_answered_by_its_receipt(client: Client) -> None:
    """A replay returns the first answer, whatever its version, content and the file's fate, and changes nothing."""
    operation = MemoryOperation("op", "fp")
    first = client.write("a", "1", operation=operation)
    client.delete("a", first.version)
    replay = MemoryMutation(version=first.version, replayed=True, existed=False)
    assert client.write("a", "other", "stale", operation) == replay
    assert client.operation(operation) == replay
    assert client.read("a") is None


def test_another_fingerprint_is_an_operation_conflict(client: Client) -> None:
    """A known id with another fingerprint raises before the version is looked at."""
    client.delete("a", operation=MemoryOperation("op", "fp"))
    other = MemoryOperation("op", "FP")
    calls: tuple[Callable[[], object], ...] = (
        lambda: client.write("a", "1", "stale", other),
        lambda: client.delete("a", "stale", other),
        lambda: client.operation(other),
    )
    for call in calls:
        with pytest.raises(MemoryOperationConflictError):
            call()


def test_arguments_are_checked_before_receipts(client: Client) -> None:
    """A known operation with an invalid path or content is a `ValueError`, not a replay."""
    operation = MemoryOperation("op", "fp")
    client.write("a", "1", operation=operation)
    with pytest.raises(ValueError, match="invalid path"):
        client.write("../a", "1", None, operation)
    with pytest.raises(ValueError, match="NUL"):
        client.write("a", "\x00", None, operation)


def test_a_refused_operation_leaves_no_receipt(client: Client) -> None:
    """An operation that conflicted can be tried again, with other content, and is applied once."""
    operation = MemoryOperation("op", "fp")
    version = client.write("a", "1").version
    with pytest.raises(MemoryConflictError):
        client.write("a", "2", "stale", operation)
    assert client.operation(operation) is None
    assert not client.write("a", "3", version, operation).replayed
    assert client.shown("a").operation_id == "op"


def test_the_operation_id_is_that_of_the_current_version(client: Client) -> None:
    """A plain write takes the operation id away."""
    version = client.write("a", "1", operation=MemoryOperation("op", "fp")).version
    client.write("a", "1", version)
    assert client.shown("a").operation_id is None


# Listings.


def test_listings_are_in_code_point_order_and_cut(client: Client) -> None:
    """A listing is the first `limit` paths by code point, in a new list."""
    for path in ("b", "a/b", "a-b", "B", "a.md", "a10", "a9"):
        client.write(path, "")
    everything = ["B", "a-b", "a.md", "a/b", "a10", "a9", "b"]
    assert client.paths() == everything
    assert client.paths(limit=3) == everything[:3]
    client.paths().clear()
    assert client.paths() == everything


# Search.


@pytest.fixture
def library(client: Client) -> Client:
    """Return a client of a store with a few files to search."""
    for path, content in {
        "u/apple.md": "a fruit",
        "u/fruit.md": "Apple, apple; 100% [tasty]",
        "u/deep/apple.md": "apple apple apple",
        "u1/apple.md": "apple",
        "u/_n.md": "apple",
    }.items():
        client.write(path, content)
    return client


def test_search_finds_direct_children_by_name_and_text(library: Client) -> None:
    """A search finds names and text in either case, in the scope alone, and leaves out names no tool can say."""
    result = library.search("APPLE")
    assert [(m.path, m.score) for m in result.matches] == [("u/apple.md", 2.0), ("u/fruit.md", 2.0)]
    assert (result.scanned, result.truncated) == (2, False)


@pytest.mark.parametrize(("query", "found"), [("0%", 1), ("[tas", 1), ("a_p", 0), ("AND", 0), ("zz FRUIT", 2)])
def test_search_takes_the_query_literally(library: Client, query: str, found: int) -> None:
    """Any word matches, also within a longer one, and no character is special."""
    assert len(library.found(query)) == found


@pytest.mark.parametrize(
    ("bounds", "scanned", "matches", "truncated"),
    [
        ({"limit": 1}, 2, 1, True),
        ({"limit": 2}, 2, 2, False),
        ({"max_files": 1}, 1, 1, True),
        ({"max_files": 2}, 2, 2, False),
        ({"max_chars": 8}, 2, 0, True),
        ({"max_chars": 20}, 2, 1, True),
        ({"max_file_chars": 5}, 2, 2, True),
        ({"max_file_chars": 26}, 2, 2, False),
    ],
)
def test_search_says_what_it_left_out(
    library: Client,
    bounds: dict[str, Any],
    scanned: int,
    matches: int,
    truncated: bool,
) -> None:
    """`truncated` is set exactly where a file, a part of one or a match was left out."""
    result = library.search("apple", **bounds)
    assert (result.scanned, len(result.matches), result.truncated) == (scanned, matches, truncated)


@pytest.mark.parametrize("name", ["limit", "max_files", "max_chars", "max_file_chars"])
def test_search_for_nothing_is_empty(library: Client, name: str) -> None:
    """A blank query or a bound of zero gives the empty result."""
    none: dict[str, Any] = {name: 0}
    assert library.search("apple", **none) == MemorySearchResult([], 0, truncated=False)
    assert library.search(" \n") == MemorySearchResult([], 0, truncated=False)


@pytest.mark.parametrize("room", range(6, 60))
def test_snippets_fit_and_quote_the_file(client: Client, room: int) -> None:
    """Name and snippet stay within `max_chars`, and the snippet is text of the file with marks at its ends."""
    content = "x" * 40 + "needle" + "y" * 40
    client.write("u/n.md", content)
    (match,) = client.search("needle", max_chars=room).matches
    assert len("n.md") + len(match.snippet) <= room
    assert match.snippet.removeprefix("...").removesuffix("...") in content


def test_text_beyond_the_bound_is_not_searched(client: Client) -> None:
    """A word after the first `max_file_chars` characters is not found."""
    client.write("u/a.md", "12345needle")
    assert client.found("needle", max_file_chars=10) == []
    assert client.found("needle", max_file_chars=11) == ["u/a.md"]


# Metadata.


def test_metadata_goes_with_its_write(client: Client) -> None:
    """Metadata is replaced by each write, dropped by a plain one, by `{}` and by a delete."""
    version = client.describe("a", "1", {"by": "ui", "n": "1"}).version
    assert client.shown("a").metadata == {"by": "ui", "n": "1"}
    version = client.describe("a", "1", {"by": "é"}, version).version
    assert client.shown("a").metadata == {"by": "é"}
    version = client.describe("a", "1", {}, version).version
    assert client.shown("a").metadata is None
    version = client.describe("a", "1", {"by": "ui"}, version).version
    version = client.write("a", "2", version).version
    assert client.shown("a").metadata is None


def test_metadata_is_copied(client: Client) -> None:
    """Neither the mapping that was passed nor the one that was returned is the one that is kept."""
    passed = {"by": "ui"}
    client.describe("a", "1", passed)
    passed["by"] = "x"
    returned: Any = client.shown("a").metadata
    returned["by"] = "y"
    assert client.shown("a").metadata == {"by": "ui"}


def test_metadata_is_no_part_of_an_operation(client: Client) -> None:
    """A replay with other metadata is a replay, and records nothing."""
    operation = MemoryOperation("op", "fp")
    client.describe("a", "1", {"by": "ui"}, None, operation)
    assert client.describe("a", "1", {"by": "x"}, None, operation).replayed
    assert client.shown("a").metadata == {"by": "ui"}


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"n": 1}, TypeError),
        ({1: "n"}, TypeError),
        ({"n": "\x00"}, ValueError),
        ({"\ud800": "n"}, ValueError),
        ({"n": "é" * 4_089}, ValueError),
    ],
)
def test_bad_metadata_is_refused_before_any_effect(client: Client, metadata: Any, error: type[Exception]) -> None:
    """Metadata of the wrong type or size is refused, and the file is not written."""
    with pytest.raises(error):
        client.describe("a", "1", metadata)
    assert client.read("a") is None


def test_metadata_of_the_limit_is_kept(client: Client) -> None:
    """Metadata of 4,096 characters of JSON is kept."""
    client.describe("a", "1", {"n": "é" * 4_088})
    assert client.shown("a").metadata == {"n": "é" * 4_088}


def test_results_have_the_fields_of_the_protocol() -> None:
    """The result classes have the protocol's fields, in its order."""
    names = {kind.__name__: [field.name for field in fields(kind)] for kind in (MemoryFile, MemoryMutation)}
    assert names["MemoryFile"] == ["content", "version", "operation_id", "truncated", "metadata"]
    assert names["MemoryMutation"] == ["version", "replayed", "existed"]
    assert [field.name for field in fields(MemorySearchMatch)] == ["path", "snippet", "score"]
    assert [field.name for field in fields(MemorySearchResult)] == ["matches", "scanned", "truncated"]


# The faulty stores.


def _own_attributes(entry: FaultyStore) -> set[str]:
    """Return the attributes that a faulty store, or a private helper above it, sets beside its constructor."""
    classes = [kind for kind in entry.factory.__mro__ if kind.__module__ == entry.factory.__module__]
    names = {name for kind in classes for name in vars(kind) if not name.startswith("__") or name == "__repr__"}
    return names - {CLAIMS}


@pytest.mark.parametrize("entry", FAULTY.values(), ids=lambda entry: entry.name)
def test_each_faulty_store_is_a_small_departure(entry: FaultyStore) -> None:
    """A faulty store can be made, says what is wrong and why, and overrides little."""
    assert isinstance(entry.factory(), PlainStore)
    assert entry.fault.endswith(".")
    assert entry.likely_cause
    assert not entry.likely_cause.endswith(".")
    assert len(_own_attributes(entry)) <= MOST_OVERRIDES


@pytest.mark.parametrize("entry", FAULTY.values(), ids=lambda entry: entry.name)
def test_each_faulty_store_names_clauses_that_are_checked(entry: FaultyStore) -> None:
    """The declared clauses are checked ones, none stands for another, and the further ones exist."""
    assert entry.clauses
    for clause_id in entry.clauses:
        assert CATALOGUE[clause_id].status is Status.CHECKED
        assert CATALOGUE[clause_id].same_as is None
    assert set(entry.also) <= set(CATALOGUE)
    assert not set(entry.also) & set(entry.clauses)


def test_each_must_has_a_faulty_store() -> None:
    """No MUST clause that is checked goes without a store that breaks it."""
    musts = {c.id for c in CATALOGUE.values() if c.level is Level.MUST and c.status is Status.CHECKED}
    declared = {clause_id for entry in FAULTY.values() for clause_id in entry.clauses}
    assert {clause_id for clause_id in musts if CATALOGUE[clause_id].same_as is None} <= declared


@pytest.mark.parametrize("entry", [*FAULTY.values(), *ODD.values()], ids=lambda entry: entry.name)
def test_each_store_is_reached_by_its_spec(entry: FaultyStore | OddStore) -> None:
    """The spec of a store names its factory, which carries its claims, all from the closed list."""
    module, _, attribute = entry.spec.partition(":")
    assert module == faulty.__name__
    assert getattr(faulty, attribute) is entry.factory
    assert getattr(entry.factory, CLAIMS, {}) == entry.claims
    assert claims.collect(entry.claims).as_dict() == entry.claims


def test_an_unknown_store_is_an_attribute_error() -> None:
    """A name that no store has is an `AttributeError` that says where to look."""
    with pytest.raises(AttributeError, match="no store 'Nonsense'"):
        _ = faulty.Nonsense


def test_the_modules_are_imported_on_demand_and_need_nothing_foreign() -> None:
    """The package alone imports no group module, and all of it neither the reference stores nor the harness."""
    script = (
        "import sys, pytest_memory_store.faulty as faulty\n"
        "assert 'pytest_memory_store.faulty.cas' not in sys.modules\n"
        "assert faulty.FAULTY and faulty.ODD\n"
        "assert 'pytest_memory_store.faulty.cas' in sys.modules\n"
        "foreign = {'reference_stores', 'pydantic_ai_harness', 'pytest', 'hypothesis'} & set(sys.modules)\n"
        "assert not foreign, foreign\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
