"""`PostgresMemoryStore` on a real server: reopening, rivals, isolation levels, event loops, processes, limits."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import multiprocessing
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from reference_stores import postgres as module
from reference_stores.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
)
from reference_stores.postgres import MAX_PATH_CHARS, PostgresMemoryStore, open_store

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator

    from pytest_memory_store.fixtures.postgres import PostgresServer

asyncpg: Any = importlib.import_module("asyncpg")  # it has no types

pytest_plugins = ["pytest_memory_store.fixtures.postgres"]

OPERATION = MemoryOperation("run:1", "f" * 64)
WIDE: dict[str, int] = {"limit": 10**6, "max_files": 10**6, "max_chars": 10**6, "max_file_chars": 10**6}


def in_threads(count: int, main: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine function in several threads at once, each with a loop of its own."""
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            asyncio.run(main(number))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)


async def append(store: PostgresMemoryStore, line: str) -> None:
    """Append a line in a compare-and-swap loop."""
    while True:
        read = await store.read("t/log", max_chars=10**6)
        with contextlib.suppress(MemoryConflictError):
            await store.write(
                "t/log",
                f"{read.content if read else ''}{line}\n",
                expected_version=read.version if read else None,
                operation=MemoryOperation(line, "f"),
            )
            return


async def lines(store: PostgresMemoryStore) -> list[str]:
    """Return the lines that were appended, sorted."""
    read = await store.read("t/log", max_chars=10**6)
    return sorted(read.content.split()) if read else []


async def execute(dsn: str, *statements: str) -> None:
    """Run statements on a connection of their own."""
    connection = await asyncpg.connect(dsn)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


async def sessions(dsn: str) -> int:
    """Count the other sessions that the database has, once those that are about to end have ended."""
    connection = await asyncpg.connect(dsn)
    query = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    """
    count: int = await connection.fetchval(query)
    for _ in range(200):
        if count == 0:
            break
        await asyncio.sleep(0.01)
        count = await connection.fetchval(query)
    await connection.close()
    return count


@contextlib.contextmanager
def default_isolation(server: PostgresServer, level: str) -> Generator[str, None, None]:
    """Give a database whose transactions are by default of another isolation level."""
    dsn = server.create_database()
    asyncio.run(execute(dsn, f"ALTER DATABASE {dsn.rpartition('/')[2]} SET default_transaction_isolation = '{level}'"))
    yield dsn
    server.drop_database(dsn)


def test_everything_survives_a_reopen(postgres_dsn: str) -> None:
    """Content, version, operation, metadata and all receipts are there after a restart."""

    async def before() -> Any:
        async with PostgresMemoryStore(postgres_dsn) as store:
            await store.write_with_metadata(
                "t/a", "text", expected_version=None, metadata={"k": "é"}, operation=OPERATION
            )
            gone = await store.write("t/b", "gone", expected_version=None, operation=MemoryOperation("2", "f"))
            await store.delete("t/b", expected_version=gone.version, operation=MemoryOperation("3", "f"))
            await store.delete("t/c", expected_version=None, operation=MemoryOperation("4", "f"))
            return await store.read("t/a", max_chars=9), gone

    async def after(read: Any, gone: MemoryMutation) -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            assert (await store.read("t/a", max_chars=9), read.metadata) == (read, {"k": "é"})
            assert await store.list_paths(limit=9) == ["t/a"]
            for identity, version, existed in (("2", gone.version, False), ("3", None, True), ("4", None, False)):
                receipt = MemoryMutation(version=version, replayed=True, existed=existed)
                assert await store.get_operation(MemoryOperation(identity, "f")) == receipt
            assert (await store.write("t/b", "gone", expected_version=None)).version != gone.version

    asyncio.run(after(*asyncio.run(before())))


def test_two_stores_see_each_other(postgres_dsn: str) -> None:
    """What one store has done the next call on another sees, and only one of two rivals wins."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as one, PostgresMemoryStore(postgres_dsn) as two:
            version: str | None = None
            for number in range(30):
                writer, reader = (one, two) if number % 2 else (two, one)
                version = (await writer.write("t/a", str(number), expected_version=version)).version
                read = await reader.read("t/a", max_chars=9)
                assert read
                assert (read.content, read.version) == (str(number), version)
            for path, expected in (("t/a", version), ("t/new", None)):
                results = await asyncio.gather(
                    *[store.write(path, "x", expected_version=expected) for store in (one, two) * 5],
                    return_exceptions=True,
                )
                assert sum(isinstance(result, MemoryMutation) for result in results) == 1
                assert sum(isinstance(result, MemoryConflictError) for result in results) == 9

    asyncio.run(test())


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_writers_under_every_isolation_level(postgres_server: PostgresServer, level: str) -> None:
    """32 writers append to one file, and none is lost, doubled or told of a transaction that failed."""

    async def test() -> None:
        async with PostgresMemoryStore(dsn) as one, PostgresMemoryStore(dsn) as two:
            await asyncio.gather(*[append(one if number % 2 else two, f"{number}") for number in range(32)])
            assert await lines(one) == sorted(map(str, range(32)))

    with default_isolation(postgres_server, level) as dsn:
        asyncio.run(test())


@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable"])
def test_duplicates_in_flight_under_every_isolation_level(postgres_server: PostgresServer, level: str) -> None:
    """Of many calls with one operation one is applied and the rest are its replays, on whatever paths they are."""

    async def race(name: str, *calls: Awaitable[MemoryMutation]) -> None:
        results = await asyncio.gather(*calls)
        assert sorted(result.replayed for result in results) == [False, *[True] * (len(calls) - 1)], name
        assert len({(result.version, result.existed) for result in results}) == 1, name

    async def test() -> None:
        async with PostgresMemoryStore(dsn) as one, PostgresMemoryStore(dsn) as two:
            stores = (one, two) * 8

            def operation(name: str) -> MemoryOperation:
                return MemoryOperation(name, "f")

            await race("create", *[
                store.write("t/a", "x", expected_version=None, operation=operation("create")) for store in stores
            ])  # fmt: skip
            read = await one.read("t/a", max_chars=9)
            assert read
            await race("replace", *[
                store.write("t/a", "y", expected_version=read.version, operation=operation("replace"))
                for store in stores
            ])  # fmt: skip
            read = await one.read("t/a", max_chars=9)
            assert read
            await race("delete", *[
                store.delete("t/a", expected_version=read.version, operation=operation("delete")) for store in stores
            ])  # fmt: skip
            await race("delete nothing", *[
                store.delete("t/a", expected_version=None, operation=operation("nothing")) for store in stores
            ])  # fmt: skip
            await race("other paths", *[
                store.write(f"p/{number}", "x", expected_version=None, operation=operation("paths"))
                for number, store in enumerate(stores)
            ])  # fmt: skip
            assert len(await one.list_paths(limit=99)) == 1

    with default_isolation(postgres_server, level) as dsn:
        asyncio.run(test())


def test_an_operation_conflict_in_flight(postgres_dsn: str) -> None:
    """Of two requests under one id that race, one is applied and the other told that the id is taken."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            for number in range(20):
                results = await asyncio.gather(
                    *[
                        store.write(
                            f"t/{number}-{other}",
                            "x",
                            expected_version=None,
                            operation=MemoryOperation(f"{number}", str(other)),
                        )
                        for other in range(2)
                    ],
                    return_exceptions=True,
                )
                kinds = {type(result) for result in results}
                assert kinds == {MemoryMutation, MemoryOperationConflictError}
            assert len(await store.list_paths(limit=99)) == 20

    asyncio.run(test())


def test_mixed_load_does_not_deadlock(postgres_dsn: str) -> None:
    """Writers, deleters and readers of few paths through a small pool all come to an end, and agree at the end."""

    async def work(store: PostgresMemoryStore, number: int) -> None:
        for repeat in range(15):
            path = f"t/{(number + repeat) % 3}"
            read = await store.read(path, max_chars=9)
            version = read.version if read else None
            operation = MemoryOperation(f"{number}:{repeat}", "f")
            with contextlib.suppress(MemoryConflictError):
                if repeat % 3:
                    await store.write(path, "x", expected_version=version, operation=operation)
                else:
                    await store.delete(path, expected_version=version, operation=operation)
            await store.search("t/", "x", **WIDE)

    async def test() -> None:
        async with (
            PostgresMemoryStore(postgres_dsn, max_connections=3) as one,
            PostgresMemoryStore(postgres_dsn, max_connections=3) as two,
        ):
            await asyncio.wait_for(
                asyncio.gather(*[work(one if number % 2 else two, number) for number in range(12)]), timeout=30
            )
            assert await one.list_paths(limit=9) == await two.list_paths(limit=9)

    asyncio.run(test())


def test_loops_and_threads_at_once(postgres_dsn: str) -> None:
    """Loops in several threads share one store, and every append lands once."""
    store = PostgresMemoryStore(postgres_dsn)

    async def work(number: int) -> None:
        for repeat in range(5):
            await append(store, f"{number}:{repeat}")

    in_threads(4, work)
    assert asyncio.run(lines(store)) == sorted(f"{number}:{repeat}" for number in range(4) for repeat in range(5))
    assert asyncio.run(sessions(postgres_dsn)) == 0
    asyncio.run(store.aclose())


def test_loops_one_after_another(postgres_dsn: str) -> None:
    """A store that is never closed works in loop after loop, and each takes its connections along when it ends."""
    store = PostgresMemoryStore(postgres_dsn)
    for number in range(3):
        asyncio.run(append(store, str(number)))
        assert asyncio.run(sessions(postgres_dsn)) == 0
    assert asyncio.run(lines(store)) == ["0", "1", "2"]


def test_closing_from_another_loop(postgres_dsn: str) -> None:
    """A store is closed from another thread, after the calls that run, and their connections are gone."""
    store = PostgresMemoryStore(postgres_dsn)
    ready, closed = threading.Event(), threading.Event()

    async def use() -> None:
        await store.list_paths(limit=1)
        writes = [asyncio.create_task(store.write(f"t/{n}", "x", expected_version=None)) for n in range(30)]
        await asyncio.sleep(0)
        ready.set()
        assert [(await write).existed for write in writes] == [False] * 30
        await asyncio.to_thread(closed.wait, 20)
        with pytest.raises(RuntimeError, match="closed"):
            await store.list_paths(limit=1)
        assert await sessions(postgres_dsn) == 0

    async def close() -> None:
        await asyncio.to_thread(ready.wait, 20)
        await store.aclose()
        closed.set()

    in_threads(2, lambda number: close() if number else use())


def test_a_closed_store_says_so(postgres_dsn: str) -> None:
    """Every call after `aclose` is an error that says why, and closing again is none."""

    async def test() -> None:
        unused = PostgresMemoryStore(postgres_dsn)
        await unused.aclose()
        store = PostgresMemoryStore(postgres_dsn)
        await store.write("a", "x", expected_version=None)
        await asyncio.gather(store.aclose(), store.aclose())
        await store.aclose()
        for closed in (unused, store):
            for call in (
                closed.read("a", max_chars=1),
                closed.write("a", "x", expected_version=None),
                closed.delete("a", expected_version=None),
                closed.list_paths(limit=1),
                closed.get_operation(OPERATION),
                closed.search("", "x", limit=1, max_files=1, max_chars=1, max_file_chars=1),
            ):
                with pytest.raises(RuntimeError, match="this PostgresMemoryStore is closed; open a new one"):
                    await call

    asyncio.run(test())


def test_a_pool_that_is_lent(postgres_dsn: str) -> None:
    """A pool of the caller's is used, by two stores at once, and stays open and as it was when they close."""

    async def test() -> None:
        async with asyncpg.create_pool(postgres_dsn, min_size=0, max_size=2) as pool:
            async with PostgresMemoryStore(pool) as one, PostgresMemoryStore(pool) as two:
                await asyncio.gather(*[append(one if number % 2 else two, str(number)) for number in range(8)])
                async with pool.acquire() as connection, connection.transaction():
                    await connection.execute("CREATE TEMPORARY TABLE mine (id int)")
                    assert len(await lines(one)) == 8
                    assert await connection.fetchval("SELECT count(*) FROM mine") == 0
            assert await pool.fetchval("SELECT count(*) FROM memory_files") == 1

    asyncio.run(test())


def test_a_lent_pool_belongs_to_one_loop(postgres_dsn: str) -> None:
    """A store with a pool of one loop is an error on another, which says what to do."""

    async def elsewhere(store: PostgresMemoryStore) -> None:
        with pytest.raises(RuntimeError, match="in use on another event loop; give a DSN instead"):
            await store.list_paths(limit=1)

    async def test() -> None:
        async with asyncpg.create_pool(postgres_dsn, min_size=0) as pool:
            store = PostgresMemoryStore(pool)
            await store.list_paths(limit=1)
            await asyncio.to_thread(lambda: asyncio.run(elsewhere(store)))
            await store.aclose()

    asyncio.run(test())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_connections_of_its_own(postgres_dsn: str) -> None:
    """A store in use goes on in a forked process and in its parent, and neither disturbs the other."""

    async def in_child(store: PostgresMemoryStore) -> None:
        await append(store, "child")
        await store.aclose()

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            await append(store, "before")
            process = multiprocessing.get_context("fork").Process(
                target=lambda: threading_run(in_child(store)), daemon=True
            )
            process.start()
            await asyncio.to_thread(process.join, 20)
            assert process.exitcode == 0
            await append(store, "after")
            assert await lines(store) == ["after", "before", "child"]

    def threading_run(coroutine: Coroutine[Any, Any, None]) -> None:
        in_threads(1, lambda _: coroutine)  # the forked thread still counts as running the parent's loop

    asyncio.run(test())


def test_processes_at_once(postgres_dsn: str) -> None:
    """Processes that all make the same tables and append to one file lose and repeat nothing."""
    program = (
        "import asyncio, sys\n"
        "from reference_stores import MemoryOperation, MemoryConflictError\n"
        "from reference_stores.postgres import PostgresMemoryStore\n"
        "async def main(name):\n"
        "    async with PostgresMemoryStore(sys.argv[1]) as store:\n"
        "        for number in range(10):\n"
        "            while True:\n"
        "                read = await store.read('t/log', max_chars=10**6)\n"
        "                text = (read.content if read else '') + f'{name}:{number}\\n'\n"
        "                try:\n"
        "                    version = read.version if read else None\n"
        "                    await store.write('t/log', text, expected_version=version,\n"
        "                                      operation=MemoryOperation(f'{name}:{number}', 'f'))\n"
        "                    break\n"
        "                except MemoryConflictError: pass\n"
        "asyncio.run(main(sys.argv[2]))\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, postgres_dsn, name], stderr=subprocess.PIPE) for name in "abc"
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            assert await lines(store) == sorted(f"{name}:{number}" for name in "abc" for number in range(10))

    asyncio.run(test())


def test_limits(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest path works everywhere, and one character more, of path or content, is refused by its number."""
    monkeypatch.setattr(module, "MAX_CONTENT_CHARS", 5)
    path = "/".join(["d" * 200] * 5)
    path += "/" + "f" * (MAX_PATH_CHARS - len(path) - 1)

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            created = await store.write(path, "12345", expected_version=None, operation=OPERATION)
            assert await store.list_paths(path, limit=9) == [path]
            assert len((await store.search(path, "1234", **WIDE)).matches) == 1
            with pytest.raises(ValueError, match="content has 6 characters; the limit is 5"):
                await store.write("b", "123456", expected_version=None)
            for call in (
                store.read(path + "x", max_chars=1),
                store.write(path + "x", "", expected_version=None),
                store.delete(path + "x", expected_version=None),
            ):
                with pytest.raises(ValueError, match="memory path has 1025 characters; the limit is 1024"):
                    await call
            assert await store.list_paths(path + "x", limit=9) == []
            await store.delete(path, expected_version=created.version)
            assert await store.list_paths(limit=9) == []

    asyncio.run(test())


def test_odd_versions(postgres_dsn: str) -> None:
    """A version that no database could be sent is a conflict like any other, with a file and without one."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            await store.write("t/a", "x", expected_version=None)
            for version in ("", "\0", "\ud800", "0" * 32, "x" * 10_000, "'; --"):
                for path in ("t/a", "t/b"):
                    with pytest.raises(MemoryConflictError):
                        await store.write(path, "new", expected_version=version, operation=OPERATION)
                    with pytest.raises(MemoryConflictError):
                        await store.delete(path, expected_version=version, operation=OPERATION)
            assert await store.get_operation(OPERATION) is None

    asyncio.run(test())


def test_odd_operations(postgres_dsn: str) -> None:
    """An operation may have any strings, of any length; they come back as they were given."""

    async def test(store: PostgresMemoryStore, path: str, identity: str) -> None:
        operation = MemoryOperation(identity, identity)
        await store.write(path, "x", expected_version=None, operation=operation)
        read = await store.read(path, max_chars=1)
        assert read
        assert read.operation_id == identity
        assert (await store.write(path, "x", expected_version=None, operation=operation)).replayed
        with pytest.raises(MemoryOperationConflictError):
            await store.get_operation(MemoryOperation(identity, identity + " "))
        assert await store.get_operation(MemoryOperation(identity + " ", identity)) is None

    async def each() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            for number, identity in enumerate(["", "\0", "\ud800", "a" * 10_000, "'; --", "e\u0301"]):
                await test(store, f"t/{number}", identity)

    asyncio.run(each())


@pytest.mark.parametrize("line", ["reference_stores.PostgresMemoryStore", "import reference_stores.postgres"])
def test_without_asyncpg(line: str) -> None:
    """The package asks for asyncpg only when it is needed, and then says which extra to install."""
    program = (
        "import sys, reference_stores\n"
        "assert 'asyncpg' not in sys.modules\n"
        "sys.modules['asyncpg'] = None\n"
        f"try: {line}\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "PostgresMemoryStore needs asyncpg: pip install 'pytest-memory-store[postgres]'\n"


def test_the_factory(postgres_dsn: str) -> None:
    """The factory opens the same database again, closes it, and carries its claims as plain data."""

    async def test() -> None:
        async with open_store(postgres_dsn) as store:
            await store.write("a", "x", expected_version=None)
        async with open_store(postgres_dsn) as store, open_store(postgres_dsn) as other:
            assert await store.list_paths(limit=9) == await other.list_paths(limit=9) == ["a"]
        assert await sessions(postgres_dsn) == 0

    asyncio.run(test())
    claims = vars(open_store)["memory_store_claims"]
    assert {name for name, value in claims.items() if value is True} == {"search", "metadata", "durable", "shared"}
