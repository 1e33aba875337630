"""`SqliteMemoryStore` survives what a database lives through: restarts, rivals, cancellations, bad files."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from reference_stores import _sqlite_statements, sqlite
from reference_stores._sqlite_schema import APPLICATION_ID, SCHEMA_VERSION
from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.sqlite import SqliteMemoryStore, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

OPERATION = MemoryOperation("run:1", "f" * 64)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return where a database may be made."""
    return tmp_path / "memory.sqlite3"


@contextlib.contextmanager
def locked(database: Path) -> Iterator[None]:
    """Hold the write lock of a database, as a mutation of another process would."""
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")
        yield
        rival.execute("ROLLBACK")


def worker_threads() -> list[threading.Thread]:
    """Return the threads beside the main one, once those that are about to end have ended."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if threading.active_count() == 1:
            break
        time.sleep(0.01)
    return [thread for thread in threading.enumerate() if thread is not threading.main_thread()]


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


async def append(store: SqliteMemoryStore, line: str) -> None:
    """Append a line in a compare-and-swap loop."""
    while True:
        read = await store.read("t/log", max_chars=10**6)
        try:
            await store.write(
                "t/log",
                f"{read.content if read else ''}{line}\n",
                expected_version=read.version if read else None,
                operation=MemoryOperation(line, "f"),
            )
        except MemoryConflictError:
            continue
        return


async def lines(store: SqliteMemoryStore) -> list[str]:
    """Return the lines that were appended, sorted."""
    read = await store.read("t/log", max_chars=10**6)
    return sorted(read.content.split()) if read else []


def test_everything_survives_a_reopen(database: Path) -> None:
    """Content, version, operation, metadata and all receipts are there after a restart."""

    async def before() -> Any:
        async with SqliteMemoryStore(database) as store:
            await store.write_with_metadata(
                "t/a", "text", expected_version=None, metadata={"k": "é"}, operation=OPERATION
            )
            gone = await store.write("t/b", "gone", expected_version=None, operation=MemoryOperation("2", "f"))
            await store.delete("t/b", expected_version=gone.version, operation=MemoryOperation("3", "f"))
            return await store.read("t/a", max_chars=9), gone

    async def after(read: Any, gone: MemoryMutation) -> None:
        async with SqliteMemoryStore(database) as store:
            assert await store.read("t/a", max_chars=9) == read
            assert await store.read("t/b", max_chars=9) is None
            replay = MemoryMutation(version=gone.version, replayed=True, existed=False)
            assert await store.get_operation(MemoryOperation("2", "f")) == replay
            assert await store.get_operation(MemoryOperation("3", "f")) == MemoryMutation(
                version=None, replayed=True, existed=True
            )
            assert (await store.write("t/b", "gone", expected_version=None)).version != gone.version

    asyncio.run(after(*asyncio.run(before())))


def test_two_stores_see_each_other(database: Path) -> None:
    """What one store has done the next call on another sees, and only one of two rivals wins."""

    async def test() -> None:
        async with SqliteMemoryStore(database) as one, SqliteMemoryStore(database) as two:
            version: str | None = None
            for number in range(30):
                writer, reader = (one, two) if number % 2 else (two, one)
                version = (await writer.write("t/a", str(number), expected_version=version)).version
                read = await reader.read("t/a", max_chars=9)
                assert read
                assert (read.content, read.version) == (str(number), version)
            results = await asyncio.gather(
                *[store.write("t/a", "x", expected_version=version) for store in (one, two) * 5],
                return_exceptions=True,
            )
            assert sum(isinstance(result, MemoryMutation) for result in results) == 1
            assert sum(isinstance(result, MemoryConflictError) for result in results) == 9

    asyncio.run(test())


@pytest.mark.parametrize("name", ["memory.sqlite3", ":memory:"])
def test_loops_and_threads_at_once(tmp_path: Path, name: str) -> None:
    """Loops in several threads share one store, in a file and in memory, and every append lands once."""
    store = SqliteMemoryStore(name if name == ":memory:" else tmp_path / name, synchronous="OFF")

    async def work(number: int) -> None:
        for repeat in range(10):
            await append(store, f"{number}:{repeat}")

    in_threads(4, work)
    assert asyncio.run(lines(store)) == sorted(f"{number}:{repeat}" for number in range(4) for repeat in range(10))
    asyncio.run(store.aclose())
    assert worker_threads() == []


def test_loops_one_after_another(database: Path) -> None:
    """A store goes on in a new loop after the last one closed, also with a call left in the air."""
    store = SqliteMemoryStore(database, synchronous="OFF")
    for number in range(5):
        asyncio.run(append(store, f"run{number}"))
        loop = asyncio.new_event_loop()
        task = loop.create_task(append(store, f"abandoned{number}"))
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        loop.call_soon(loop.stop)
        loop.run_forever()
        loop.close()
    assert [line for line in asyncio.run(lines(store)) if line.startswith("run")] == [f"run{n}" for n in range(5)]
    asyncio.run(store.aclose())
    assert worker_threads() == []


def test_in_memory_databases_are_apart() -> None:
    """Two stores in memory share nothing, and what one held is gone when it is closed."""

    async def test() -> None:
        async with SqliteMemoryStore(":memory:") as one, SqliteMemoryStore(":memory:") as two:
            await one.write("a", "x", expected_version=None)
            assert await one.list_paths(limit=9) == ["a"]
            assert await two.list_paths(limit=9) == []

    asyncio.run(test())
    assert not os.path.exists(":memory:")  # noqa: PTH110 - the name of no path


def test_a_closed_store_says_so(database: Path) -> None:
    """Every call after `aclose` is an error that says why, and closing again is none."""

    async def test() -> None:
        unused = SqliteMemoryStore(database)
        await unused.aclose()
        store = SqliteMemoryStore(database)
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
                with pytest.raises(RuntimeError, match="this SqliteMemoryStore is closed; open a new one"):
                    await call

    asyncio.run(test())
    assert worker_threads() == []


def test_an_unused_store_makes_no_file(database: Path) -> None:
    """Nothing is opened before the first call."""

    async def test() -> None:
        async with SqliteMemoryStore(database):
            pass

    asyncio.run(test())
    assert not database.exists()


def test_closing_finishes_what_was_begun(database: Path) -> None:
    """Calls that were made before `aclose` are answered, and none is left without an answer."""

    async def test() -> None:
        store = SqliteMemoryStore(database)
        await store.list_paths(limit=1)
        writes = [asyncio.create_task(store.write(f"t/{n}", "x", expected_version=None)) for n in range(20)]
        await asyncio.sleep(0)
        await store.aclose()
        assert [(await write).existed for write in writes] == [False] * 20
        first_use = SqliteMemoryStore(database)
        listing = asyncio.create_task(first_use.list_paths(limit=99))
        await asyncio.sleep(0)
        await first_use.aclose()
        with contextlib.suppress(RuntimeError):  # closed before it was open, or just after
            assert len(await listing) == 20

    asyncio.run(test())


def test_calls_while_another_thread_closes(database: Path) -> None:
    """A call that races with `aclose` is answered or refused: it never hangs."""
    for _ in range(20):
        store = SqliteMemoryStore(database, synchronous="OFF")

        async def work(number: int, store: SqliteMemoryStore = store) -> None:
            with contextlib.suppress(RuntimeError):
                for repeat in range(50):
                    await store.read("t/a", max_chars=1)
                    if number == 0 and repeat == 3:
                        await store.aclose()

        in_threads(3, work)
    assert worker_threads() == []


@pytest.mark.parametrize("calls", [0, 1, 200])
def test_an_open_store_does_not_keep_the_process_alive(database: Path, calls: int) -> None:
    """A program that never closes its store ends, also with calls in the air."""
    program = (
        "import asyncio, sys\n"
        "from reference_stores import SqliteMemoryStore\n"
        "store = SqliteMemoryStore(sys.argv[1])\n"
        "async def main():\n"
        "    await store.write('a', 'x', expected_version=None)\n"
        f"    calls = [asyncio.ensure_future(store.read('a', max_chars=1)) for _ in range({calls})]\n"
        "    await asyncio.sleep(0)\n"
        "    print('done')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(database)],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_forgotten_store_is_closed_with_a_warning(database: Path) -> None:
    """A store that is dropped while open warns like a file would, and its threads end."""

    async def use() -> None:
        await SqliteMemoryStore(database).write("a", "x", expected_version=None)

    def forget() -> None:
        asyncio.run(use())
        gc.collect()

    with pytest.warns(ResourceWarning, match="a SqliteMemoryStore was not closed; use `async with`"):
        forget()
    assert worker_threads() == []
    assert not database.with_name(database.name + "-wal").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_is_refused(database: Path) -> None:
    """In a forked process, which has none of the threads, a store is an error and does not hang."""
    store = SqliteMemoryStore(database)
    asyncio.run(append(store, "x"))
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()

    def child() -> None:
        try:
            asyncio.run(lines(store))
        except RuntimeError as error:
            queue.put(str(error))

    process = context.Process(target=child)
    process.start()
    process.join(timeout=20)
    assert process.exitcode == 0
    assert "opened before the process forked; open one in each process" in queue.get()
    asyncio.run(store.aclose())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_store_may_be_made_before_a_fork(database: Path) -> None:
    """A store that nothing was asked of yet works in a forked process, as servers that fork workers need."""
    store = SqliteMemoryStore(database)

    async def use() -> None:
        async with store:
            await append(store, "x")

    process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(use()))
    process.start()
    process.join(timeout=20)
    assert process.exitcode == 0
    assert asyncio.run(lines(store)) == ["x"]
    asyncio.run(store.aclose())


def test_a_cancelled_call_has_happened_or_will_not(database: Path) -> None:
    """Cancelled at any moment, a write is all there or not at all, and its retry applies once."""

    async def attempt(store: SqliteMemoryStore, number: int, delay: float, rival: AbstractContextManager[None]) -> bool:
        path, operation = f"t/{number}", MemoryOperation(f"cancel:{number}", "f")
        with rival, contextlib.suppress(asyncio.CancelledError):
            task = asyncio.create_task(store.write(path, "x", expected_version=None, operation=operation))
            await asyncio.sleep(delay)
            task.cancel()
            await task
        receipt, read = await store.get_operation(operation), await store.read(path, max_chars=9)
        assert (receipt is None) == (read is None)
        retry = await store.write(path, "x", expected_version=None, operation=operation)
        assert retry.replayed == (receipt is not None)
        return retry.replayed

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            await store.list_paths(limit=1)
            # The write lock of another makes sure of one that is not applied, however fast the disk is.
            applied = [await attempt(store, 0, 0.01, locked(database))]
            while applied[-5:] != [True] * 5:  # until a write is as good as over when it is cancelled
                applied.append(await attempt(store, len(applied), len(applied) * 2e-5, contextlib.nullcontext()))
            assert not applied[0]
            assert len(await store.list_paths(limit=10**6)) == len(applied)

    asyncio.run(test())


def test_calls_cancelled_before_they_begin_are_withdrawn(database: Path) -> None:
    """Of calls that queue behind a slow one, the cancelled ones never happen, and end at once."""

    async def test() -> None:
        async with SqliteMemoryStore(database, busy_timeout=20) as store:
            await store.list_paths(limit=1)
            with locked(database):
                tasks = [asyncio.create_task(store.write(f"t/{n}", "x", expected_version=None)) for n in range(20)]
                await asyncio.sleep(0.1)
                started = time.monotonic()
                for task in tasks[5:]:
                    task.cancel()
                await asyncio.wait(tasks[5:])
                assert time.monotonic() - started < 2
            assert len(await asyncio.gather(*tasks[:5])) == 5
            assert len(await store.list_paths(limit=99)) == 5

    asyncio.run(test())


def test_cancelling_the_first_call_does_not_spoil_the_store(database: Path) -> None:
    """A store whose very first call is cancelled while it opens can be used."""

    async def test() -> None:
        for turns in range(8):
            async with SqliteMemoryStore(database, synchronous="OFF") as store:
                task = asyncio.create_task(store.list_paths(limit=1))
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                assert await store.list_paths(limit=1) == []

    asyncio.run(test())


def test_readers_do_not_wait_for_a_writer(database: Path) -> None:
    """While another process holds the write lock every reading call works."""

    async def test() -> None:
        async with SqliteMemoryStore(database, busy_timeout=0.2) as store:
            await store.write("t/a", "tea", expected_version=None, operation=OPERATION)
            with locked(database):
                assert await store.read("t/a", max_chars=9)
                assert await store.list_paths(limit=9) == ["t/a"]
                assert await store.get_operation(OPERATION)
                found = await store.search("t/", "tea", limit=9, max_files=9, max_chars=99, max_file_chars=9)
                assert len(found.matches) == 1
                with pytest.raises(sqlite3.OperationalError, match="locked") as error:
                    await store.write("t/b", "x", expected_version=None)
                assert "another connection held the lock for 0.2 seconds" in error.value.__notes__
            await store.write("t/b", "x", expected_version=None)

    asyncio.run(test())


def test_a_failing_backend_raises_and_recovers(database: Path) -> None:
    """An error of SQLite amid a mutation reaches the caller, undoes it and leaves the store usable."""

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            await store.list_paths(limit=1)
            with contextlib.closing(sqlite3.connect(database)) as other:
                other.execute("CREATE TRIGGER full BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'full'); END")
            with pytest.raises(sqlite3.IntegrityError, match="full"):
                await store.write("a", "x", expected_version=None, operation=OPERATION)
            assert await store.list_paths(limit=1) == []
            await store.write("a", "x", expected_version=None)

    asyncio.run(test())


def test_processes_at_once(database: Path) -> None:
    """Processes that all make the same database and append to one file lose and repeat nothing."""
    program = (
        "import asyncio, sys\n"
        "from reference_stores import SqliteMemoryStore, MemoryOperation, MemoryConflictError\n"
        "async def main(name):\n"
        "    async with SqliteMemoryStore(sys.argv[1], synchronous='OFF') as store:\n"
        "        for number in range(15):\n"
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
        subprocess.Popen([sys.executable, "-c", program, str(database), name], stderr=subprocess.PIPE)
        for name in "abcd"
    ]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            assert await lines(store) == sorted(f"{name}:{number}" for name in "abcd" for number in range(15))

    asyncio.run(test())


def test_stores_that_make_one_database_at_once(database: Path) -> None:
    """Many first calls on a database that is not there yet all succeed."""

    async def work(number: int) -> None:
        async with SqliteMemoryStore(database, synchronous="OFF") as store:
            await store.write(f"t/{number}", "x", expected_version=None)

    in_threads(8, work)
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM files").fetchone() == (8,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def make_newer(database: Path) -> None:
    """Make a database whose layout a later release wrote."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def make_foreign(database: Path) -> None:
    """Make a database of another application."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE files (path)")


def make_damaged(database: Path) -> None:
    """Make a file that is no database."""
    database.write_bytes(b"notes, not a database" * 100)


def make_directory(database: Path) -> None:
    """Make a directory where the file should be."""
    database.mkdir()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (
            make_newer,
            rf"its layout is version {SCHEMA_VERSION + 1}, this release knows {SCHEMA_VERSION}; use a newer",
        ),
        (make_foreign, "it belongs to another application; give the store a file of its own"),
        (make_damaged, "file is not a database"),
        (make_directory, "unable to open database file"),
    ],
)
def test_databases_that_cannot_be_used(database: Path, make: Callable[[Path], None], reason: str) -> None:
    """A database that is not ours, newer or damaged is an error at the first call, and is left as it was."""
    make(database)
    before = database.read_bytes() if database.is_file() else b""

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            for _ in range(2):
                with pytest.raises(RuntimeError, match=rf"^cannot use memory database 'memory\.sqlite3': {reason}"):
                    await store.list_paths(limit=1)

    asyncio.run(test())
    assert (database.read_bytes() if database.is_file() else b"") == before
    assert worker_threads() == []


def test_a_store_recovers_when_its_place_is_made(tmp_path: Path) -> None:
    """A failed opening is tried again by the next call."""

    async def test() -> None:
        async with SqliteMemoryStore(tmp_path / "later" / "memory.sqlite3") as store:
            with pytest.raises(RuntimeError, match="unable to open database file") as error:
                await store.list_paths(limit=1)
            assert str(tmp_path) not in str(error.value)
            (tmp_path / "later").mkdir()
            assert await store.list_paths(limit=1) == []

    asyncio.run(test())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"database": ""}, "database is empty"),
        ({"synchronous": "full"}, "synchronous is 'full'; use one of OFF, NORMAL, FULL, EXTRA"),
        ({"busy_timeout": -1}, "busy_timeout is -1; give seconds"),
        ({"busy_timeout": float("nan")}, "busy_timeout is nan"),
        ({"busy_timeout": float("inf")}, "busy_timeout is inf"),
    ],
)
def test_settings_are_checked(arguments: dict[str, Any], message: str) -> None:
    """A setting that cannot work is refused when the store is made, not when it is used."""
    given: dict[str, Any] = {"database": "x", **arguments}
    with pytest.raises(ValueError, match=message):
        SqliteMemoryStore(**given)


@pytest.mark.parametrize(("setting", "level"), [("OFF", 0), ("NORMAL", 1), ("FULL", 2), ("EXTRA", 3)])
def test_settings_reach_sqlite(database: Path, setting: Any, level: int) -> None:
    """Every connection has the durability asked for, overwrites what it deletes, and logs ahead."""

    def settings(connection: sqlite3.Connection) -> list[Any]:
        names = ("synchronous", "secure_delete", "journal_mode")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    async def test() -> None:
        async with SqliteMemoryStore(database, synchronous=setting) as store:
            assert await store._connections.read(settings) == [level, 1, "wal"]
            assert await store._connections.write(settings) == [level, 1, "wal"]

    asyncio.run(test())


def test_too_long_content(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content beyond what SQLite takes is refused before any effect, with both numbers."""
    monkeypatch.setattr(sqlite, "MAX_CONTENT_CHARS", 5)

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            await store.write("a", "12345", expected_version=None)
            with pytest.raises(ValueError, match="content has 6 characters; the limit is 5"):
                await store.write("b", "123456", expected_version=None)
            assert await store.list_paths(limit=9) == ["a"]

    asyncio.run(test())


@pytest.mark.parametrize("max_files", [1, 7, 19, 20, 21])
def test_search_in_several_visits(database: Path, monkeypatch: pytest.MonkeyPatch, max_files: int) -> None:
    """A search that fetches its files in parts finds the same as in one."""
    monkeypatch.setattr(_sqlite_statements, "_BATCH_CHARS", 10)

    async def test() -> None:
        async with SqliteMemoryStore(database, synchronous="OFF") as store:
            for number in range(20):
                await store.write(f"t/{number:02}", "tea" * (number % 4), expected_version=None)
                await store.write(f"t/_{number}", "tea", expected_version=None)
            found = await store.search("t/", "tea", limit=99, max_files=max_files, max_chars=9999, max_file_chars=99)
            matching = sorted(f"t/{n:02}" for n in range(min(20, max_files)) if n % 4)
            assert sorted(match.path for match in found.matches) == matching
            assert (found.scanned, found.truncated) == (min(20, max_files), max_files < 20)

    asyncio.run(test())


def test_deleted_text_is_not_left_in_the_files(database: Path) -> None:
    """Once the store is closed no file holds a deleted text, while one that was kept is found."""

    async def test() -> None:
        async with SqliteMemoryStore(database) as store:
            await store.write("t/kept", "kept-sentinel" * 900, expected_version=None)
            gone = await store.write("t/gone", "gone-sentinel" * 900, expected_version=None)
            await store.delete("t/gone", expected_version=gone.version)

    asyncio.run(test())
    on_disk = b"".join(path.read_bytes() for path in database.parent.iterdir())
    assert b"kept-sentinel" in on_disk
    assert b"gone-sentinel" not in on_disk


def test_the_factory(tmp_path: Path) -> None:
    """The factory opens the same database again, closes it, and carries its claims as plain data."""

    async def test() -> None:
        async with open_store(tmp_path) as store:
            await store.write("a", "x", expected_version=None)
        async with open_store(tmp_path) as store, open_store(tmp_path) as other:
            assert await store.list_paths(limit=9) == await other.list_paths(limit=9) == ["a"]

    asyncio.run(test())
    claims = vars(open_store)["memory_store_claims"]
    assert {name for name, value in claims.items() if value is True} == {
        "search",
        "metadata",
        "durable",
        "shared",
    }


@pytest.mark.parametrize("character", ["x", "é", "中", "😀"])
def test_the_beginning_of_a_long_text(database: Path, character: str) -> None:
    """A beginning is cut between characters of any width, by `read` and by `search`."""

    async def test() -> None:
        async with SqliteMemoryStore(database, synchronous="OFF") as store:
            content = character * 20_000 + "end"
            await store.write("t/a", content, expected_version=None)
            for max_chars in (1, 2, 3, 4095, 20_000, 20_002, 20_003):
                read = await store.read("t/a", max_chars=max_chars)
                assert read
                assert (read.content, read.truncated) == (content[:max_chars], max_chars < 20_003)
            for max_file_chars, matches in ((20_002, 0), (20_003, 1)):
                found = await store.search(
                    "t/", "end", limit=9, max_files=9, max_chars=99, max_file_chars=max_file_chars
                )
                assert (len(found.matches), found.truncated) == (matches, not matches)

    asyncio.run(test())


def test_a_short_read_of_a_long_text_is_short_work(database: Path) -> None:
    """Reading ten characters of a text touches a few pages of the database, not all of them."""

    async def test() -> None:
        async with SqliteMemoryStore(database, synchronous="OFF") as store:
            await store.write("t/long", "x" * 20_000_000, expected_version=None)

            async def fastest(max_chars: int) -> float:
                times: list[float] = []
                for _ in range(5):
                    started = time.perf_counter()
                    await store.read("t/long", max_chars=max_chars)
                    times.append(time.perf_counter() - started)
                return min(times)

            assert await fastest(10) < await fastest(20_000_000) / 5

    asyncio.run(test())
