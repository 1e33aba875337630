"""`InMemoryStore` keeps what it says for as long as it says, from any loop and thread."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.in_memory import RECEIPT_RETENTION, InMemoryStore, open_store


def test_initial_files() -> None:
    """The given files are copied, can be read, and have versions of their own."""

    async def test() -> None:
        files = {"t/b": "two", "t/a": "one"}
        store = InMemoryStore(files)
        files["t/c"] = "three"
        assert await store.list_paths(limit=9) == ["t/a", "t/b"]
        first, second = await store.read("t/a", max_chars=9), await store.read("t/b", max_chars=9)
        assert first
        assert second
        assert (first.content, second.content) == ("one", "two")
        assert first.version != second.version
        await store.write("t/a", "new", expected_version=first.version)

    asyncio.run(test())


@pytest.mark.parametrize("files", [{"../x": "text"}, {"a": "\0"}])
def test_initial_files_are_checked(files: dict[str, str]) -> None:
    """What `write` refuses cannot come in at the start."""
    with pytest.raises(ValueError, match=r"invalid memory path|NUL"):
        InMemoryStore(files)


def test_receipts_are_kept_for_each_tenant() -> None:
    """The declared number of receipts is kept in each directory, and no traffic elsewhere evicts one."""

    async def test() -> None:
        store = InMemoryStore()

        async def delete(path: str, number: int) -> None:
            await store.delete(path, expected_version=None, operation=MemoryOperation(f"{path}{number}", "f"))

        async def is_known(path: str, number: int) -> bool:
            return await store.get_operation(MemoryOperation(f"{path}{number}", "f")) is not None

        await delete("quiet/a", 0)
        for number in range(RECEIPT_RETENTION):
            await delete("loud/a", number)
        assert await is_known("loud/a", 0)
        await delete("loud/b", 0)
        assert not await is_known("loud/a", 0)
        assert await is_known("loud/a", 1)
        assert await is_known("quiet/a", 0)

    asyncio.run(test())


def test_versions_tell_nothing() -> None:
    """Versions are long and random: neither a count nor a function of path and content."""

    async def test() -> set[str | None]:
        store = InMemoryStore()
        return {(await store.write(f"t/{n}", "x", expected_version=None)).version for n in range(100)}

    versions = asyncio.run(test()) | asyncio.run(test())
    assert len(versions) == 200
    assert {len(version or "") for version in versions} == {32}


def test_search_lets_others_run() -> None:
    """Between two files of a search another task can write, and the search still sees one instant."""

    async def test() -> None:
        store = InMemoryStore({f"t/{number}": "tea" for number in range(9)})
        bounds = {"limit": 99, "max_files": 99, "max_chars": 999, "max_file_chars": 99}
        search = asyncio.create_task(store.search("t/", "tea", **bounds))
        await asyncio.sleep(0)
        for number in range(9):
            version = (await store.read(f"t/{number}", max_chars=1)).version  # type: ignore[union-attr]
            await store.delete(f"t/{number}", expected_version=version)
        assert not search.done()
        assert len((await search).matches) == 9

    asyncio.run(test())


def test_threads_and_loops_at_once() -> None:
    """Loops in several threads share one store, and each append of a compare-and-swap loop lands once."""
    store = InMemoryStore()
    failures: list[BaseException] = []

    async def append(name: str) -> None:
        for number in range(50):
            while True:
                read = await store.read("t/log", max_chars=10**6)
                text = f"{read.content if read else ''}{name}{number}\n"
                try:
                    await store.write("t/log", text, expected_version=read.version if read else None)
                    break
                except MemoryConflictError:
                    await asyncio.sleep(0)

    def work(name: str) -> None:
        try:
            asyncio.run(append(name))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    read = asyncio.run(store.read("t/log", max_chars=10**6))
    assert read
    assert sorted(read.content.split()) == sorted(f"{name}{number}" for name in "abcd" for number in range(50))


def test_all_but_search_never_suspend() -> None:
    """A call is one step, which no cancellation can split."""
    store = InMemoryStore()

    def step(call: Any) -> Any:
        with pytest.raises(StopIteration) as done:
            call.send(None)
        return done.value.value

    created = step(store.write("a", "x", expected_version=None, operation=MemoryOperation("i", "f")))
    assert isinstance(created, MemoryMutation)
    assert step(store.read("a", max_chars=1)).version == created.version
    assert step(store.list_paths(limit=1)) == ["a"]
    assert step(store.get_operation(MemoryOperation("i", "f"))).replayed
    assert step(store.delete("a", expected_version=created.version)).existed


def test_claims() -> None:
    """Factory and class carry the same claims, as plain data."""
    claims = vars(open_store)["memory_store_claims"]
    assert claims == InMemoryStore.memory_store_claims
    assert claims["receipt_retention"] == RECEIPT_RETENTION
    assert isinstance(open_store(), InMemoryStore)
