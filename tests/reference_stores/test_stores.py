"""What every reference store does, whatever it keeps its files in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from reference_stores import (
    InMemoryStore,
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemorySearchResult,
    MemoryStore,
    MetadataMemoryStore,
    SearchableMemoryStore,
    SqliteMemoryStore,
)

if TYPE_CHECKING:
    from pathlib import Path

Store = Any  # the union of both classes; the protocols are intersections that cannot be written down
Use = Callable[[Callable[[Store], Awaitable[None]]], None]
WIDE: dict[str, int] = {"limit": 10**6, "max_files": 10**6, "max_chars": 10**6, "max_file_chars": 10**6}
HUGE = [2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64]
OPERATION = MemoryOperation("run:1", "f" * 64)


@pytest.fixture(params=["in-memory", "sqlite", "sqlite-in-memory"])
def use(request: pytest.FixtureRequest, tmp_path: Path) -> Use:
    """Run a coroutine function on a fresh store, in a fresh event loop."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        if request.param == "in-memory":
            yield InMemoryStore()
        else:
            database = tmp_path / "memory.sqlite3" if request.param == "sqlite" else ":memory:"
            async with SqliteMemoryStore(database, synchronous="OFF") as store:
                yield store

    async def main(test: Callable[[Store], Awaitable[None]]) -> None:
        async with opened() as store:
            await test(store)

    return lambda test: asyncio.run(main(test))


async def snapshot(store: Store, *paths: str) -> list[Any]:
    """Return all that can be seen of a store."""
    return [await store.list_paths(limit=100), *[await store.read(path, max_chars=100) for path in paths]]


def test_they_are_whole_stores(use: Use) -> None:
    """A reference store has the protocol and both of its extensions."""

    async def test(store: Store) -> None:
        for protocol in (MemoryStore, SearchableMemoryStore, MetadataMemoryStore):
            assert isinstance(store, protocol)

    use(test)


def test_a_life_of_a_file(use: Use) -> None:
    """Create, read, replace and delete report what happened, with a new version each time."""

    async def test(store: Store) -> None:
        assert await store.read("t/a.md", max_chars=9) is None
        created = await store.write("t/a.md", "one", expected_version=None)
        replaced = await store.write("t/a.md", "one", expected_version=created.version)
        read = await store.read("t/a.md", max_chars=9)
        assert (created.replayed, created.existed, replaced.replayed, replaced.existed) == (
            False,
            False,
            False,
            True,
        )
        assert (read.content, read.version, read.operation_id, read.truncated, read.metadata) == (
            "one", replaced.version, None, False, None,
        )  # fmt: skip
        deleted = await store.delete("t/a.md", expected_version=replaced.version)
        assert deleted == MemoryMutation(version=None, replayed=False, existed=True)
        assert await snapshot(store, "t/a.md") == [[], None]
        recreated = await store.write("t/a.md", "one", expected_version=None)
        assert len({created.version, replaced.version, recreated.version}) == 3

    use(test)


@pytest.mark.parametrize("content", ["", "x", "a\r\nb\rc\n", "\ufeffx", "é", "e\u0301", "😀中\u2028\x85", "</memory>"])
def test_reads_are_exact_and_count_code_points(use: Use, content: str) -> None:
    """Every prefix of every text comes back as it was written, with the version of the whole."""

    async def test(store: Store) -> None:
        written = await store.write("a", content, expected_version=None)
        for max_chars in range(1, len(content) + 2):
            read = await store.read("a", max_chars=max_chars)
            assert (read.content, read.truncated) == (content[:max_chars], len(content) > max_chars)
            assert read.version == written.version

    use(test)


@pytest.mark.parametrize("bound", HUGE)
def test_huge_bounds(use: Use, bound: int) -> None:
    """A bound that no machine integer holds is honoured like any other."""

    async def test(store: Store) -> None:
        await store.write("t/a", "text", expected_version=None)
        assert (await store.read("t/a", max_chars=bound)).content == "text"
        assert await store.list_paths("t/", limit=bound) == ["t/a"]
        found = await store.search("t/", "ex", **dict.fromkeys(WIDE, bound))
        assert ([match.snippet for match in found.matches], found.truncated) == (["text"], False)

    use(test)


@pytest.mark.parametrize("version", ["", "0", " 1", "1e9", "x" * 10_000, "😀", "\0", "\ud800", "'; --"])
def test_unknown_versions_conflict(use: Use, version: str) -> None:
    """Any string that the store never gave is a conflict, whether there is a file or not."""

    async def test(store: Store) -> None:
        await store.write("t/a", "text", expected_version=None)
        before = await snapshot(store, "t/a", "t/b")
        for path in ("t/a", "t/b"):
            with pytest.raises(MemoryConflictError):
                await store.write(path, "new", expected_version=version, operation=OPERATION)
            with pytest.raises(MemoryConflictError):
                await store.delete(path, expected_version=version, operation=OPERATION)
        assert await snapshot(store, "t/a", "t/b") == before
        assert await store.get_operation(OPERATION) is None

    use(test)


def test_expecting_no_file(use: Use) -> None:
    """`None` expects absence: a conflict with a file, a recorded success for deleting nothing."""

    async def test(store: Store) -> None:
        nothing = await store.delete("t/b", expected_version=None, operation=OPERATION)
        assert nothing == MemoryMutation(version=None, replayed=False, existed=False)
        assert await store.get_operation(OPERATION) == MemoryMutation(version=None, replayed=True, existed=False)
        await store.write("t/a", "text", expected_version=None)
        with pytest.raises(MemoryConflictError):
            await store.write("t/a", "new", expected_version=None)
        with pytest.raises(MemoryConflictError):
            await store.delete("t/a", expected_version=None)

    use(test)


def test_a_repeated_operation_is_applied_once(use: Use) -> None:
    """The receipt is the answer, whatever has become of the file, for each kind of call."""

    async def test(store: Store) -> None:
        first = await store.write("t/a", "text", expected_version=None, operation=OPERATION)
        await store.delete("t/a", expected_version=first.version)
        replay = MemoryMutation(version=first.version, replayed=True, existed=False)
        assert await store.get_operation(OPERATION) == replay
        assert await store.write("t/a", "other", expected_version="stale", operation=OPERATION) == replay
        assert await store.delete("t/b", expected_version="stale", operation=OPERATION) == replay
        assert await snapshot(store, "t/a") == [[], None]

    use(test)


def test_another_fingerprint_conflicts(use: Use) -> None:
    """A known id with another fingerprint is refused before the version is looked at, and changes nothing."""

    async def test(store: Store) -> None:
        await store.write("t/a", "text", expected_version=None, operation=OPERATION)
        before = await snapshot(store, "t/a")
        other = MemoryOperation(OPERATION.id, OPERATION.fingerprint.upper())
        for call in (
            store.get_operation(other),
            store.write("t/a", "new", expected_version="stale", operation=other),
            store.delete("t/a", expected_version="stale", operation=other),
        ):
            with pytest.raises(MemoryOperationConflictError):
                await call
        assert await snapshot(store, "t/a") == before

    use(test)


def test_the_operation_of_the_last_mutation_is_read(use: Use) -> None:
    """A file names the operation that wrote its present version, or none."""

    async def test(store: Store) -> None:
        first = await store.write("a", "x", expected_version=None, operation=OPERATION)
        assert (await store.read("a", max_chars=1)).operation_id == OPERATION.id
        await store.write("a", "x", expected_version=first.version)
        assert (await store.read("a", max_chars=1)).operation_id is None

    use(test)


@pytest.mark.parametrize(
    "identity", ["", "a/b", "../x", "'", "%", "id\0", "ID", "é" * 200, "0" * 64, "\ud800", "\ud83d\ude00"]
)
def test_operation_ids_are_exact(use: Use, identity: str) -> None:
    """An id is any text, and one that differs in its last character or its case is another."""

    async def test(store: Store) -> None:
        operation = MemoryOperation(identity, "f\0\ud800")
        await store.write("a", "x", expected_version=None, operation=operation)
        assert await store.get_operation(operation) is not None
        assert (await store.read("a", max_chars=1)).operation_id == identity
        for other in (identity + "x", identity.swapcase() + ".", identity[:-1] + "\x01", "😀"):
            assert await store.get_operation(MemoryOperation(other, "f\0\ud800")) is None
        with pytest.raises(MemoryOperationConflictError):
            await store.get_operation(MemoryOperation(identity, "f\0\ud801"))

    use(test)


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "../x"},
        {"content": "keep\0"},
        {"content": "\ud800"},
        {"metadata": {"k": "\0"}},
        {"metadata": {"k": "\ud800"}},
        {"metadata": {"k": "v" * 5000}},
    ],
    ids=str,
)
def test_bad_arguments_come_first(use: Use, arguments: dict[str, Any]) -> None:
    """A refused argument is a `ValueError` before receipt and version are looked at, and changes nothing."""

    async def test(store: Store) -> None:
        await store.write("t/a", "text", expected_version=None, operation=OPERATION)
        before = await snapshot(store, "t/a")
        call = {"path": "t/a", "content": "new", "operation": OPERATION, "metadata": None, **arguments}
        with pytest.raises(ValueError, match=r"invalid memory path|; remove it|the limit is"):
            await store.write_with_metadata(expected_version="stale", **call)
        assert await snapshot(store, "t/a") == before

    use(test)


def test_bad_arguments_of_the_other_calls(use: Use) -> None:
    """Bad paths, prefixes, operations and bounds are a `ValueError`, types a `TypeError`, everywhere."""

    async def test(store: Store) -> None:
        refused: list[Awaitable[Any]] = [
            store.read("..", max_chars=1),
            store.read("a", max_chars=0),
            store.delete("a//b", expected_version=None),
            store.list_paths("a//", limit=1),
            store.list_paths(limit=-1),
            store.search("..", "", **WIDE),
        ]
        for call in refused:
            with pytest.raises(ValueError, match=r"invalid memory|must be positive|; remove it"):
                await call
        for call in (
            store.read("a", max_chars=True),
            store.read("a", max_chars=1.0),
            store.list_paths(limit=True),
            store.search("", "x", **{**WIDE, "limit": True}),
            store.write("a", None, expected_version=None),
            store.write("a", "x", expected_version=1),
            store.write_with_metadata("a", "x", expected_version=None, metadata=[]),
        ):
            with pytest.raises(TypeError, match=r"it must be a"):
                await call
        assert await snapshot(store) == [[]]

    use(test)


def test_metadata(use: Use) -> None:
    """Metadata belongs to one write: kept with it, replaced or dropped by the next, untouched by a replay."""

    async def test(store: Store) -> None:
        given = {"by": "ui", "ключ": "\n😀"}
        first = await store.write_with_metadata("a", "x", expected_version=None, metadata=given, operation=OPERATION)
        given["by"] = "changed"
        read = await store.read("a", max_chars=1)
        assert read.metadata == {"by": "ui", "ключ": "\n😀"}
        read.metadata["by"] = "changed"
        await store.write_with_metadata("a", "x", expected_version=None, metadata={"by": "replay"}, operation=OPERATION)
        assert (await store.read("a", max_chars=1)).metadata == {"by": "ui", "ключ": "\n😀"}
        second = await store.write_with_metadata("a", "x", expected_version=first.version, metadata={"n": "2"})
        assert (await store.read("a", max_chars=1)).metadata == {"n": "2"}
        third = await store.write_with_metadata("a", "x", expected_version=second.version, metadata={})
        assert (await store.read("a", max_chars=1)).metadata is None
        fourth = await store.write_with_metadata("a", "x", expected_version=third.version, metadata={"n": "4"})
        await store.delete("a", expected_version=fourth.version)
        await store.write("a", "x", expected_version=None)
        assert (await store.read("a", max_chars=1)).metadata is None

    use(test)


def test_listing(use: Use) -> None:
    """Paths come in code-point order, at any depth, by a literal and case-sensitive prefix."""

    async def test(store: Store) -> None:
        stored = [
            "MEMORY.md",
            "a",
            "a.md",
            "a/b",
            "a/b/c",
            "a_b/x",
            "axb/x",
            "a-b/x",
            "A_b/x",
            "u1/x",
            "u10/x",
            "u1.md",
        ]
        for path in stored:
            await store.write(path, "", expected_version=None)
        assert await store.list_paths(limit=100) == sorted(stored)
        assert await store.list_paths(limit=3) == sorted(stored)[:3]
        for prefix in ("a", "a/", "a_b", "a_b/", "u1", "u1/", "A", "none", "a/b"):
            matching = sorted(path for path in stored if path.startswith(prefix))
            assert await store.list_paths(prefix, limit=100) == matching
            assert await store.list_paths(prefix, limit=1) == matching[:1]

    use(test)


def test_a_file_beside_a_directory_of_its_name(use: Use) -> None:
    """`a` and `a/b` are two files, and deleting one leaves the other."""

    async def test(store: Store) -> None:
        await store.write("t/a/b", "below", expected_version=None)
        above = await store.write("t/a", "above", expected_version=None)
        assert (await store.read("t/a", max_chars=9)).content == "above"
        await store.delete("t/a", expected_version=above.version)
        assert (await store.read("t/a/b", max_chars=9)).content == "below"

    use(test)


def test_search_stays_in_its_scope(use: Use) -> None:
    """Only files directly below the prefix are searched, and of those only the ones that a tool can name."""

    async def test(store: Store) -> None:
        inside = ["t/a.md", "t/b.md", "t/z.md"]
        outside = [f"t/n{number:02}/x" for number in range(40)] + [
            "t/a.md/deep",
            "t",
            "t0/a",
            "t.md",
            "T/a",
            "u",
        ]
        unnamed = ["t/_n.md", "t/.h.md", "t/" + "n" * 81]
        for path in inside + outside + unnamed:
            await store.write(path, "tea", expected_version=None)
        found = await store.search("t/", "tea", **WIDE)
        assert [match.path for match in found.matches] == inside
        assert (found.scanned, found.truncated) == (3, False)
        roots = await store.search("", "tea", **WIDE)
        assert [match.path for match in roots.matches] == ["t", "t.md", "u"]
        started = await store.search("t/a", "tea", **WIDE)
        assert [match.path for match in started.matches] == ["t/a.md"]

    use(test)


def test_search_bounds(use: Use) -> None:
    """What `max_files` and `max_file_chars` leave out is not found, and is said."""

    async def test(store: Store) -> None:
        for number in range(40):
            await store.write(f"t/{number:02}", "x" * number + "end", expected_version=None)
        found = await store.search("t/", "end", **{**WIDE, "max_files": 39})
        assert (len(found.matches), found.scanned, found.truncated) == (39, 39, True)
        found = await store.search("t/", "end", **{**WIDE, "max_files": 40})
        assert (len(found.matches), found.scanned, found.truncated) == (40, 40, False)
        found = await store.search("t/", "end", **{**WIDE, "max_file_chars": 42})
        assert (len(found.matches), found.scanned, found.truncated) == (40, 40, False)
        found = await store.search("t/", "end", **{**WIDE, "max_file_chars": 41})
        assert (len(found.matches), found.scanned, found.truncated) == (39, 40, True)
        assert await store.search("t/", " ", **WIDE) == MemorySearchResult([], 0, truncated=False)
        assert await store.search("t/", "end", **{**WIDE, "limit": 0}) == MemorySearchResult([], 0, truncated=False)

    use(test)


def test_one_of_many_writers_wins(use: Use) -> None:
    """Of writers that expect the same version one succeeds, and the others conflict."""

    async def test(store: Store) -> None:
        for expected in (None, (await store.write("b", "x", expected_version=None)).version):
            path = "a" if expected is None else "b"
            results = await asyncio.gather(
                *[store.write(path, str(number), expected_version=expected) for number in range(20)],
                return_exceptions=True,
            )
            winners = [number for number, result in enumerate(results) if isinstance(result, MemoryMutation)]
            assert len(winners) == 1
            assert all(isinstance(r, MemoryConflictError) for r in results if not isinstance(r, MemoryMutation))
            assert (await store.read(path, max_chars=9)).content == str(winners[0])

    use(test)


def test_one_of_many_retries_applies(use: Use) -> None:
    """Of calls with the same operation one applies, and the others return its receipt."""

    async def test(store: Store) -> None:
        results = await asyncio.gather(
            *[store.write("a", "x", expected_version=None, operation=OPERATION) for _ in range(20)]
        )
        assert sorted(result.replayed for result in results) == [False] + [True] * 19
        assert len({result.version for result in results}) == 1

    use(test)


def test_nothing_of_a_file_is_logged_or_said(use: Use, caplog: pytest.LogCaptureFixture) -> None:
    """Content appears in no error and in no record, not even at the level for debugging."""

    async def test(store: Store) -> None:
        await store.write("a", "sentinel", expected_version=None)
        with pytest.raises(MemoryConflictError) as conflict:
            await store.write("a", "sentinel", expected_version=None)
        with pytest.raises(ValueError, match="NUL") as refused:
            await store.write("a", "sentinel\0", expected_version=None)
        await store.delete("a", expected_version=(await store.read("a", max_chars=1)).version)
        assert "sentinel" not in str(conflict.value) + str(refused.value) + caplog.text

    with caplog.at_level(logging.DEBUG):
        use(test)
