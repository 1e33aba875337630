"""`FileStore` survives what a directory of files lives through: restarts, rivals, cancellations, a full disk."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.file import FileStore, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

OPERATION = MemoryOperation("run:1", "f" * 64)
WIDE: dict[str, int] = {"limit": 10**6, "max_files": 10**6, "max_chars": 10**6, "max_file_chars": 10**6}
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return where a store may be made."""
    return tmp_path / "memory"


@contextlib.contextmanager
def locked(directory: Path) -> Generator[None, None, None]:
    """Hold the lock of a store, as a mutation of another process would."""
    with contextlib.closing(sqlite3.connect(directory / ".memory.sqlite3", isolation_level=None)) as rival:
        rival.execute("BEGIN IMMEDIATE")
        yield
        rival.execute("ROLLBACK")


def threads_left() -> list[threading.Thread]:
    """Return the threads of stores, once those that are about to end have ended."""
    deadline = time.monotonic() + 5
    left: list[threading.Thread] = []
    while time.monotonic() < deadline:
        left = [thread for thread in threading.enumerate() if thread.name.startswith("FileStore")]
        if not left:
            return []
        time.sleep(0.01)
    return left


async def append(store: FileStore, line: str) -> None:
    """Append a line in a compare-and-swap loop."""
    while True:
        read = await store.read("t/log.md", max_chars=10**6)
        try:
            await store.write(
                "t/log.md",
                f"{read.content if read else ''}{line}\n",
                expected_version=read.version if read else None,
                operation=MemoryOperation(line, "f"),
            )
        except MemoryConflictError:
            continue
        return


async def lines(store: FileStore) -> list[str]:
    """Return the lines that were appended, sorted."""
    read = await store.read("t/log.md", max_chars=10**6)
    return sorted(read.content.split()) if read else []


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


def test_files_are_plain(directory: Path) -> None:
    """A path is a file of that name with exactly the text, and an emptied directory goes with its last file."""

    async def test() -> None:
        async with FileStore(directory) as store:
            written = await store.write("u1/main/MEMORY.md", "# é\r\n", expected_version=None)
            assert (directory / "u1/main/MEMORY.md").read_bytes() == "# é\r\n".encode()
            await store.delete("u1/main/MEMORY.md", expected_version=written.version)
            assert not (directory / "u1").exists()
        assert [path.name for path in directory.iterdir()] == [".memory.sqlite3"]

    asyncio.run(test())


def test_everything_survives_a_reopen(directory: Path) -> None:
    """Content, version, operation, metadata and all receipts are there after a restart."""

    async def before() -> Any:
        async with FileStore(directory) as store:
            await store.write_with_metadata(
                "t/a", "text", expected_version=None, metadata={"k": "é"}, operation=OPERATION
            )
            gone = await store.write("t/b", "gone", expected_version=None, operation=MemoryOperation("2", "f"))
            await store.delete("t/b", expected_version=gone.version, operation=MemoryOperation("3", "f"))
            return await store.read("t/a", max_chars=9), gone

    async def after(read: Any, gone: MemoryMutation) -> None:
        async with FileStore(directory) as store:
            assert await store.read("t/a", max_chars=9) == read
            assert read.metadata == {"k": "é"}
            assert await store.read("t/b", max_chars=9) is None
            replay = MemoryMutation(version=gone.version, replayed=True, existed=False)
            assert await store.get_operation(MemoryOperation("2", "f")) == replay
            assert await store.get_operation(MemoryOperation("3", "f")) == MemoryMutation(
                version=None, replayed=True, existed=True
            )
            assert (await store.write("t/b", "gone", expected_version=None)).version != gone.version

    asyncio.run(after(*asyncio.run(before())))


def test_two_stores_see_each_other(directory: Path) -> None:
    """What one store has done the next call on another sees, and only one of two rivals wins."""

    async def test() -> None:
        async with FileStore(directory) as one, FileStore(directory) as two:
            version: str | None = None
            for number in range(30):
                writer, reader = (one, two) if number % 2 else (two, one)
                version = (await writer.write("t/a", str(number), expected_version=version)).version
                read = await reader.read("t/a", max_chars=9)
                assert read
                assert (read.content, read.version) == (str(number), version)
                assert await reader.list_paths("t/", limit=9) == ["t/a"]
            results = await asyncio.gather(
                *[store.write("t/a", "x", expected_version=version) for store in (one, two) * 5],
                return_exceptions=True,
            )
            assert sum(isinstance(result, MemoryMutation) for result in results) == 1
            assert sum(isinstance(result, MemoryConflictError) for result in results) == 9

    asyncio.run(test())


def test_several_processes(directory: Path) -> None:
    """Every append of several processes lands once, also where they make the directory at the same time."""
    context = multiprocessing.get_context("fork")

    def work(number: int) -> None:
        async def main() -> None:
            async with FileStore(directory, synchronous="OFF") as store:
                for repeat in range(15):
                    await append(store, f"{number}:{repeat}")

        asyncio.run(main())

    processes = [context.Process(target=work, args=(number,)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=30)
    assert [process.exitcode for process in processes] == [0, 0, 0]

    async def check() -> None:
        async with FileStore(directory) as store:
            assert await lines(store) == sorted(f"{number}:{repeat}" for number in range(3) for repeat in range(15))

    asyncio.run(check())


def test_loops_and_threads_at_once(directory: Path) -> None:
    """Loops in several threads share one store, and every append lands once."""
    store = FileStore(directory, synchronous="OFF")

    async def work(number: int) -> None:
        for repeat in range(8):
            await append(store, f"{number}:{repeat}")

    in_threads(3, work)
    assert asyncio.run(lines(store)) == sorted(f"{number}:{repeat}" for number in range(3) for repeat in range(8))
    asyncio.run(store.aclose())
    assert threads_left() == []


def test_loops_one_after_another(directory: Path) -> None:
    """A store goes on in a new loop after the last one closed, also with a call left in the air."""
    store = FileStore(directory, synchronous="OFF")
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
    assert threads_left() == []


def test_a_closed_store_says_so(directory: Path) -> None:
    """Every call after `aclose` is an error that says why, and closing again is none."""

    async def test() -> None:
        unused = FileStore(directory)
        await unused.aclose()
        assert not directory.exists()
        store = FileStore(directory)
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
                closed.search("", "x", **WIDE),
            ):
                with pytest.raises(RuntimeError, match="this FileStore is closed; open a new one"):
                    await call

    asyncio.run(test())
    assert threads_left() == []


def test_closing_finishes_what_was_begun(directory: Path) -> None:
    """Calls that were made before `aclose` are answered, and no descriptor is left open."""

    async def test() -> None:
        before = len(os.listdir("/dev/fd"))
        store = FileStore(directory)
        await store.list_paths(limit=1)
        writes = [asyncio.create_task(store.write(f"t/{n}", "x", expected_version=None)) for n in range(9)]
        await asyncio.sleep(0)
        await store.aclose()
        assert [(await write).existed for write in writes] == [False] * 9
        assert len(os.listdir("/dev/fd")) == before

    asyncio.run(test())


@pytest.mark.parametrize("calls", [0, 100])
def test_an_open_store_does_not_keep_the_process_alive(directory: Path, calls: int) -> None:
    """A program that never closes its store ends, also with calls in the air."""
    program = (
        "import asyncio, sys\n"
        "from reference_stores import FileStore\n"
        "store = FileStore(sys.argv[1])\n"
        "async def main():\n"
        "    await store.write('a', 'x', expected_version=None)\n"
        f"    calls = [asyncio.ensure_future(store.read('a', max_chars=1)) for _ in range({calls})]\n"
        "    await asyncio.sleep(0)\n"
        "    print('done')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(directory)], capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_forgotten_store_is_closed_with_a_warning(directory: Path) -> None:
    """A store that is dropped while open warns like a file would, and its threads end."""

    async def use() -> None:
        await FileStore(directory).write("a", "x", expected_version=None)

    def forget() -> None:
        asyncio.run(use())
        gc.collect()

    with pytest.warns(ResourceWarning, match="a FileStore was not closed; use `async with`"):
        forget()
    assert threads_left() == []
    assert not (directory / ".memory.sqlite3-wal").exists()


def test_a_fork_is_refused(directory: Path) -> None:
    """In a forked process, which has none of the threads, a store is an error and does not hang."""
    store = FileStore(directory)
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


def test_a_cancelled_call_has_happened_or_will_not(directory: Path) -> None:
    """Cancelled at any moment, a write is all there or not at all, and its retry applies once."""

    async def attempt(store: FileStore, number: int, delay: float) -> bool:
        path, operation = f"t/{number}", MemoryOperation(f"cancel:{number}", "f")
        task = asyncio.create_task(store.write(path, "x", expected_version=None, operation=operation))
        await asyncio.sleep(delay)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        receipt, read = await store.get_operation(operation), await store.read(path, max_chars=9)
        assert (receipt is None) == (read is None)
        retry = await store.write(path, "x", expected_version=None, operation=operation)
        assert retry.replayed == (receipt is not None)
        return retry.replayed

    async def test() -> None:
        async with FileStore(directory, synchronous="OFF") as store:
            await store.list_paths(limit=1)
            with locked(directory):  # makes sure of one that is not applied, however fast the disk is
                task = asyncio.create_task(store.write("t/0", "x", expected_version=None, operation=OPERATION))
                await asyncio.sleep(0.02)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert await store.get_operation(OPERATION) is None
            applied = [False]
            while applied[-5:] != [True] * 5:  # until a write is as good as over when it is cancelled
                applied.append(await attempt(store, len(applied), len(applied) * 5e-5))
            assert len(await store.list_paths(limit=10**6)) == len(applied) - 1

    asyncio.run(test())


def test_calls_cancelled_before_they_begin_are_withdrawn(directory: Path) -> None:
    """Of calls that queue behind a slow one, the cancelled ones never happen."""

    async def test() -> None:
        async with FileStore(directory, synchronous="OFF") as store:
            await store.list_paths(limit=1)
            with locked(directory):
                tasks = [asyncio.create_task(store.write(f"t/{n}", "x", expected_version=None)) for n in range(20)]
                await asyncio.sleep(0.02)
                for task in tasks[5:]:
                    task.cancel()
                await asyncio.wait(tasks[5:])
            await asyncio.gather(*tasks[:5])
            assert len(await store.list_paths(limit=99)) == 5

    asyncio.run(test())


def test_readers_do_not_wait_for_a_writer(directory: Path) -> None:
    """While another process holds the lock, calls that have nothing new to record work, and a write times out."""

    async def test() -> None:
        async with FileStore(directory, lock_timeout=0.2) as store:
            await store.write("t/a.md", "tea", expected_version=None, operation=OPERATION)
            with locked(directory):
                assert await store.read("t/a.md", max_chars=9)
                assert await store.get_operation(OPERATION)
                with pytest.raises(TimeoutError, match=r"held its lock for 0\.2 seconds; try again"):
                    await store.write("t/b.md", "x", expected_version=None)
            await store.write("t/b.md", "x", expected_version=None)

    asyncio.run(test())


def test_an_unchanged_directory_is_not_scanned(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing and searching scan a directory once after it has changed, and no other."""
    scanned: list[int] = []
    scandir = os.scandir

    def scan(fd: int) -> Any:
        scanned.append(fd)
        return scandir(fd)

    monkeypatch.setattr(os, "scandir", scan)

    async def test() -> None:
        async with FileStore(directory, synchronous="OFF") as store:
            for number in range(30):
                await store.write(f"u{number % 3}/{number:02}.md", "tea", expected_version=None)
            await asyncio.sleep(0.15)  # until no further change can hide behind the same time
            assert len(await store.list_paths(limit=99)) == 30
            assert len(scanned) == 4
            for _ in range(3):
                assert len(await store.list_paths(limit=99)) == 30
                assert (await store.search("u1/", "tea", **WIDE)).scanned == 10
            assert len(scanned) == 4
            (directory / "u1/new.md").write_text("tea")
            assert (await store.search("u1/", "tea", **WIDE)).scanned == 11
            assert await store.list_paths("u2/", limit=1) == ["u2/02.md"]
            assert len(scanned) <= 6

    asyncio.run(test())


def test_a_search_gives_way(directory: Path) -> None:
    """A search of many files ends its visits, so that other calls are answered in between, and finds them all."""

    async def test() -> None:
        directory.mkdir()
        for number in range(450):
            (directory / f"{number:03}.md").write_text("tea")
        async with FileStore(directory, synchronous="OFF") as store:
            search = asyncio.create_task(store.search("", "tea", **WIDE))
            answered = 0
            while not search.done():
                await store.read("000.md", max_chars=1)
                answered += 1
            assert ((await search).scanned, len((await search).matches)) == (450, 450)
            assert answered >= 4

    asyncio.run(test())


def test_names_are_listed_over_several_pages(directory: Path) -> None:
    """A directory of more names than are fetched at once is listed in order, once each."""

    async def test() -> None:
        names = sorted([f"{n:04}" for n in range(1200)] + [f"{n:04}-x" for n in range(0, 1200, 7)])
        for name in names:
            path = directory / name
            path.parent.mkdir(exist_ok=True)
            path.touch()
        async with FileStore(directory, synchronous="OFF") as store:
            assert await store.list_paths(limit=10**6) == names
            assert await store.list_paths("05", limit=10**6) == [name for name in names if name.startswith("05")]

    asyncio.run(test())


def test_a_full_disk(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses is raised as it says, nothing is changed, and the next call works."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def test() -> None:
        async with FileStore(directory) as store:
            first = await store.write("t/a", "old", expected_version=None)
            for name in ("utime", "replace", "fsync", "mkdir"):
                with monkeypatch.context() as patch:
                    patch.setattr(os, name, full)
                    path = "new/a" if name == "mkdir" else "t/a"
                    expected = None if name == "mkdir" else first.version
                    with pytest.raises(OSError, match="No space left on device"):
                        await store.write(path, "new", expected_version=expected, operation=OPERATION)
                assert await store.get_operation(OPERATION) is None
                read = await store.read("t/a", max_chars=9)
                assert read
                assert (read.content, read.version) == ("old", first.version)
                assert await store.list_paths(limit=9) == ["t/a"]
            assert sorted(path.name for path in directory.rglob("*") if not path.name.startswith(".memory.sq")) == [
                "a", "t",
            ]  # fmt: skip
            await store.write("t/a", "new", expected_version=first.version, operation=OPERATION)

    asyncio.run(test())


@pytest.mark.parametrize(("step", "applied"), [("unlink", False), ("fsync", True)])
def test_a_delete_that_fails(directory: Path, monkeypatch: pytest.MonkeyPatch, step: str, applied: bool) -> None:
    """A delete that fails half-way has happened or has not, and its receipt says which."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    async def test() -> None:
        async with FileStore(directory) as store:
            first = await store.write("t/a", "old", expected_version=None)
            with monkeypatch.context() as patch:
                patch.setattr(os, step, fail)
                with pytest.raises(OSError, match="Input/output error"):
                    await store.delete("t/a", expected_version=first.version, operation=OPERATION)
            assert (await store.get_operation(OPERATION) is not None) == applied
            assert (await store.read("t/a", max_chars=9) is None) == applied
            retry = await store.delete("t/a", expected_version=first.version, operation=OPERATION)
            assert retry == MemoryMutation(version=None, replayed=applied, existed=True)

    asyncio.run(test())


def test_a_directory_that_may_not_be_written() -> None:
    """Without the permission to write, a mutation and the making of a sidecar are `PermissionError`s."""
    with tempfile.TemporaryDirectory() as temporary:  # pytest's own is closed to any other user
        answers = answers_without_permission(Path(temporary))
        assert answers[0].startswith("[Errno 13] Permission denied: '.memory.sqlite3'")
        assert answers[1] == "written"
        assert answers[2].startswith("[Errno 13] Permission denied: '.memory-tmp-b'")
        assert temporary not in "".join(answers)
        assert [path.name for path in (Path(temporary) / "t").iterdir()] == ["a"]


def answers_without_permission(directory: Path) -> list[str]:
    """Return what a user who is not root is told: in a closed directory, in an open one, in one closed again."""
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()

    async def write(path: str) -> None:
        async with FileStore(directory) as store:
            await store.write(path, "x", expected_version=None)

    def child() -> None:
        if os.geteuid() == 0:  # root may do anything
            os.chown(directory, 65534, 65534)
            os.setuid(65534)
        for mode in (0o555, 0o755):
            directory.chmod(mode)
            try:
                asyncio.run(write("t/a"))
            except PermissionError as error:
                queue.put(str(error))
            else:
                queue.put("written")
        (directory / "t").chmod(0o555)
        try:
            asyncio.run(write("t/b"))
        except PermissionError as error:
            queue.put(str(error))

    process = context.Process(target=child)
    process.start()
    answers = [queue.get() for _ in range(3)]
    process.join(timeout=20)
    return answers


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"directory": ""}, "directory is empty"),
        ({"synchronous": "NORMAL"}, "synchronous is 'NORMAL'; use one of OFF, FULL"),
        ({"lock_timeout": -1.0}, r"lock_timeout is -1\.0; give seconds"),
        ({"lock_timeout": float("nan")}, "lock_timeout is nan; give seconds"),
    ],
)
def test_bad_options(directory: Path, arguments: dict[str, Any], message: str) -> None:
    """An option that makes no sense is refused at once."""
    given: dict[str, Any] = {"directory": directory, **arguments}
    with pytest.raises(ValueError, match=message):
        FileStore(**given)


def test_the_factory(tmp_path: Path) -> None:
    """`open_store` opens one store in a folder, and says what it claims."""
    assert vars(open_store)["memory_store_claims"]["fs"] is True

    async def test() -> None:
        async with open_store(tmp_path) as store:
            await store.write("a", "x", expected_version=None)
        async with open_store(tmp_path) as store:
            assert await store.list_paths(limit=9) == ["a"]
            assert store.directory == tmp_path / "memory"

    asyncio.run(test())


def test_other_systems_are_told() -> None:
    """Where files cannot be opened relative to a directory, the import says so, and the package works."""
    program = (
        "import os\n"
        "os.supports_dir_fd = set()\n"
        "import reference_stores\n"
        "try: reference_stores.FileStore\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("FileStore needs a POSIX system")
