"""`FileStore` ends what a crash interrupted once and for all, beside a person's edit too, and outlives its sidecar."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import signal
import sqlite3
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from reference_stores._file_index import read_file
from reference_stores._file_journal import Change, apply, recover
from reference_stores._file_sidecar import BusyError, Sidecar
from reference_stores._file_tree import Tree
from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.file import FileStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Iterator
    from types import FrameType

OPERATION = MemoryOperation("run:1", "f" * 64)
SIDECAR = ".memory.sqlite3"
BLOCKED = "externally modified memory path 't/a.md' blocks recovery"
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return where a store may be made."""
    return tmp_path / "memory"


def use(directory: Path, test: Callable[[FileStore], Awaitable[Any]]) -> Any:
    """Run a coroutine function on a fresh store, in a fresh event loop."""

    async def main() -> Any:
        async with FileStore(directory, synchronous="OFF") as store:
            return await test(store)

    return asyncio.run(main())


@contextlib.contextmanager
def sidecar(directory: Path) -> Generator[Sidecar, None, None]:
    """Give the connection of a store without its threads, which a forked process does not have."""
    tree = Tree(directory, syncs=False)  # a process that ends loses nothing of what the system has
    opened = Sidecar(tree, recover, durable=False, lock_timeout_s=30)
    yield opened
    opened.close()
    tree.close()


def crashes(directory: Path, change: Change, step: int) -> bool:
    """Apply a change in a process that ends at the given call of the system or the database, or comes to the end."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    calls = 0

    def profile(_: FrameType, event: str, function: Any) -> None:
        nonlocal calls
        if event == "c_call" and (function.__module__ == "posix" or function.__name__ in ("execute", "flush")):
            calls += 1
            if calls == step:
                os._exit(9)

    try:
        with sidecar(directory) as opened:
            opened.connection()
            sys.setprofile(profile)
            opened.attempt(partial(apply, change))
            sys.setprofile(None)
    finally:
        os._exit(0)


class Case(NamedTuple):
    """A mutation of `t/a.md`: what is there before it, and what it leaves."""

    before: str | None
    after: str | None


CASES = {
    "create": Case(None, "new\n"),
    "replace": Case("old\n", "old\nnew\n"),
    "rewrite": Case("old\n", "old\n"),
    "delete": Case("old\n", None),
}


async def prepare(case: Case, store: FileStore) -> str | None:
    """Make what is there before."""
    if case.before is None:
        return None
    return (await store.write("t/a.md", case.before, expected_version=None)).version


async def retry(case: Case, version: str | None, store: FileStore) -> MemoryMutation:
    """Make the same call that the crash interrupted."""
    if case.after is None:
        return await store.delete("t/a.md", expected_version=version, operation=OPERATION)
    return await store.write("t/a.md", case.after, expected_version=version, operation=OPERATION)


def change(case: Case, version: str | None) -> Change:
    """Return the call that the crash interrupts."""
    return Change("t/a.md", version, OPERATION, None if case.after is None else case.after.encode())


def text(directory: Path) -> str | None:
    """Return what a person sees in the file."""
    path = directory / "t/a.md"
    return path.read_text() if path.exists() else None


def crash_at_every_step(tmp_path: Path, case: Case) -> Iterator[tuple[Path, str | None]]:
    """Yield directories in which the change was interrupted, one step later each time, with the version before."""
    for step in range(1, 300):
        directory = tmp_path / str(step)
        version = use(directory, partial(prepare, case))
        if not crashes(directory, change(case, version), step):
            assert step > 20
            return
        yield directory, version
    pytest.fail("the change has no end")


def assert_nothing_is_left(directory: Path) -> None:
    """Check that no staged file and no pending entry is there."""
    assert [path.name for path in directory.rglob(".memory-tmp-*")] == []
    with contextlib.closing(sqlite3.connect(directory / SIDECAR)) as connection:
        assert connection.execute("SELECT count(*) FROM journal WHERE state = 'pending'").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM journal WHERE digest IS NOT NULL").fetchone() == (0,)


@pytest.mark.parametrize("name", CASES)
def test_a_crash_at_any_step(tmp_path: Path, name: str) -> None:
    """Whatever a crash interrupts has happened or has not, the receipt says which, and its retry ends it once."""
    case = CASES[name]
    replays: list[bool] = []
    for directory, version in crash_at_every_step(tmp_path, case):
        assert text(directory) in case

        async def test(store: FileStore, version: str | None = version) -> None:
            read = await store.read("t/a.md", max_chars=99)
            assert (read.content if read else None) in case
            receipt = await store.get_operation(OPERATION)
            result = await retry(case, version, store)
            assert result.replayed == (receipt is not None)
            assert result.existed == (case.before is not None)
            assert await retry(case, version, store) == MemoryMutation(result.version, True, result.existed)
            read = await store.read("t/a.md", max_chars=99)
            if case.after is None:
                assert read is None
            else:
                assert read
                assert (read.content, read.version, read.operation_id) == (case.after, result.version, OPERATION.id)
            assert await store.list_paths(limit=9) == ([] if case.after is None else ["t/a.md"])
            replays.append(result.replayed)

        use(directory, test)
        assert_nothing_is_left(directory)
    assert replays == sorted(replays)
    assert set(replays) == {False, True}


@pytest.mark.parametrize("name", CASES)
def test_a_crash_at_any_step_and_an_edit(tmp_path: Path, name: str) -> None:
    """A person's edit after a crash is never undone, and the retry ends in one way, however often it is made."""
    case = CASES[name]
    ways: set[tuple[bool, bool]] = set()
    for directory, version in crash_at_every_step(tmp_path, case):
        found = text(directory)
        edited = f"{found or ''}by hand\n"
        (directory / "t").mkdir(exist_ok=True)
        (directory / "t/a.md").write_text(edited)

        async def test(store: FileStore, version: str | None = version, edited: str = edited) -> None:
            await store.write("t/other.md", "x", expected_version=None)  # others are not held up
            ends: list[Any] = []
            for _ in range(4):
                try:
                    ends.append(await retry(case, version, store))
                except MemoryConflictError as error:
                    ends.append(str(error))
                read = await store.read("t/a.md", max_chars=99)
                assert read
                assert (read.content, read.operation_id) == (edited, None)
            assert ends[1] == ends[2] == ends[3]
            assert (ends[0] == ends[1]) != (BLOCKED in str(ends[0]))
            receipt = await store.get_operation(OPERATION)
            assert receipt == (ends[1] if isinstance(ends[1], MemoryMutation) else None)
            ways.add((BLOCKED in str(ends[0]), receipt is not None))
            assert await store.list_paths(limit=9) == ["t/a.md", "t/other.md"]

        use(directory, test)
        assert_nothing_is_left(directory)
    # Not begun; begun and not applied; applied and then edited, which a delete cannot tell from the one before.
    assert {(False, False), (True, False)} <= ways
    assert (True, True) in ways or case.after is None


def test_an_append_that_was_interrupted_lands_once(tmp_path: Path) -> None:
    """An agent's loop of reading and writing, repeated after a crash and an edit, adds its line exactly once."""
    case = CASES["replace"]
    for directory, version in crash_at_every_step(tmp_path, case):
        path = directory / "t/a.md"
        path.write_text(path.read_text() + "by hand\n")

        async def test(store: FileStore, version: str | None = version) -> None:
            base, expected = case.before, version
            for _ in range(3):
                try:
                    await store.write("t/a.md", f"{base}new\n", expected_version=expected, operation=OPERATION)
                except MemoryConflictError:
                    read = await store.read("t/a.md", max_chars=99)
                    assert read
                    base, expected = read.content, read.version
                else:
                    return
            pytest.fail("the write never succeeds")

        use(directory, test)
        assert sorted(path.read_text().split("\n")) == ["", "by hand", "new", "old"]


def test_a_file_in_the_way_of_recovery_holds_up_no_other(directory: Path, tmp_path: Path) -> None:
    """Where an interrupted change cannot be ended, other paths work, and it is ended once it can be."""
    case = CASES["replace"]
    version = use(directory, partial(prepare, case))
    step = 1
    while crashes(directory, change(case, version), step) and not list(directory.rglob(".memory-tmp-*")):
        step += 1
    while True:  # until the entry is there too
        with contextlib.closing(sqlite3.connect(directory / SIDECAR)) as connection:
            if connection.execute("SELECT count(*) FROM journal").fetchone() == (1,):
                break
        step += 1
        assert crashes(directory, change(case, version), step)
    (directory / "t").rename(tmp_path / "away")
    (directory / "t").symlink_to(tmp_path / "away")

    async def work(store: FileStore) -> None:
        await store.write("u/b.md", "x", expected_version=None)
        assert await store.list_paths(limit=9) == ["u/b.md"]
        with pytest.raises(ValueError, match="symbolic link"):
            await retry(case, version, store)

    use(directory, work)
    assert (tmp_path / "away/a.md").read_text() == "old\n"
    (directory / "t").unlink()
    (tmp_path / "away").rename(directory / "t")
    assert use(directory, partial(retry, case, version)).version
    assert text(directory) == "old\nnew\n"
    assert_nothing_is_left(directory)


def test_what_was_overtaken_is_forgotten(directory: Path) -> None:
    """An entry whose retry never comes is removed after a day."""

    async def write(store: FileStore) -> None:
        await store.write("t/a.md", "x", expected_version=None)

    use(directory, write)
    row = "INSERT INTO journal (path, state, begun_at) VALUES ('t/a.md', 'overtaken', ?)"
    with contextlib.closing(sqlite3.connect(directory / SIDECAR, isolation_level=None)) as connection:
        for age_s in (100_000, 80_000):
            connection.execute(row, (int(time.time()) - age_s,))

    async def delete(store: FileStore) -> None:
        await store.delete("t/b.md", expected_version=None)

    use(directory, delete)
    with contextlib.closing(sqlite3.connect(directory / SIDECAR)) as connection:
        assert connection.execute("SELECT count(*) FROM journal").fetchone() == (1,)


def write_until_killed(directory: Path, acknowledged: Path) -> None:
    """Append numbered lines, and note each that is acknowledged."""
    with sidecar(directory) as opened, acknowledged.open("a", buffering=1) as notes:
        number = 0
        while True:
            name = f"{os.getpid()}:{number}"
            with contextlib.suppress(BusyError, MemoryConflictError):
                read = opened.attempt(partial(read_file, "t/a.md", 10**6))
                content, version = (read.content, read.version) if read else ("", None)
                new = Change("t/a.md", version, MemoryOperation(name, "f"), f"{content}{name}\n".encode())
                opened.attempt(partial(apply, new))
                notes.write(f"{name}\n")
                number += 1


def forked(work: Callable[[], None]) -> int:
    """Run a function in a process of its own, and return its id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    return child


def test_killed_writers(directory: Path, tmp_path: Path) -> None:
    """Whenever writers are killed, each line that was acknowledged is there once, and no line is there twice."""
    use(directory, lambda store: store.list_paths(limit=1))
    chance = random.Random(7)  # noqa: S311 - the moments are arbitrary, not secret
    notes = tmp_path / "acknowledged"
    for _ in range(25):
        children = [forked(partial(write_until_killed, directory, notes)) for _ in range(2)]
        time.sleep(chance.uniform(0.005, 0.06))
        for child in children:
            os.kill(child, signal.SIGKILL)
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert ends == [-signal.SIGKILL] * 2

    async def check(store: FileStore) -> None:
        await store.delete("t/none", expected_version=None)
        read = await store.read("t/a.md", max_chars=10**6)
        assert read
        lines = read.content.split()
        assert len(lines) == len(set(lines))
        assert len(lines) > 20
        assert set(notes.read_text().split()) <= set(lines)
        for line in lines:
            assert await store.get_operation(MemoryOperation(line, "f"))
        assert read.operation_id == lines[-1]
        await store.list_paths(limit=9)

    use(directory, check)
    assert_nothing_is_left(directory)


async def fill(store: FileStore) -> None:
    """Write three files, one with metadata and a receipt."""
    await store.write_with_metadata("t/a.md", "one", expected_version=None, metadata={"by": "ui"}, operation=OPERATION)
    await store.write("t/b.md", "two", expected_version=None)
    await store.write("c.md", "three", expected_version=None)


async def contents(store: FileStore) -> dict[str, str]:
    """Return all files."""
    found: dict[str, str] = {}
    for path in await store.list_paths(limit=99):
        read = await store.read(path, max_chars=99)
        assert read
        found[path] = read.content
    return found


FILES = {"c.md": "three", "t/a.md": "one", "t/b.md": "two"}


def spoil_header(path: Path) -> None:
    """Make it no database."""
    path.write_bytes(b"spoiled!" * 2000)


def spoil_pages(path: Path) -> None:
    """Overwrite everything but the beginning."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(200)
        file.write(b"\xff" * (size - 200))


def cut(path: Path) -> None:
    """Cut it in the middle."""
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    """Leave nothing in it."""
    os.truncate(path, 0)


def other_application(path: Path) -> None:
    """Put somebody's database there."""
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


def missing_table(path: Path) -> None:
    """Drop one of the tables."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE entries")


def turned_into_directory(path: Path) -> None:
    """Put a directory there."""
    path.unlink()
    path.mkdir()


def turned_into_link(path: Path) -> None:
    """Move it away and link to it."""
    path.rename(path.parent.parent / "moved")
    path.symlink_to(path.parent.parent / "moved")


@pytest.mark.parametrize(
    "spoil",
    [spoil_header, spoil_pages, cut, other_application, missing_table, turned_into_directory, turned_into_link],
)
def test_a_damaged_sidecar(directory: Path, spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture) -> None:
    """A sidecar that cannot be used is kept under another name, with a warning, and no file is lost."""
    use(directory, fill)
    spoil(directory / SIDECAR)

    async def test(store: FileStore) -> None:
        with caplog.at_level(logging.WARNING):
            assert await contents(store) == FILES
        assert "the sidecar of a memory directory is damaged; it is kept as .memory.sqlite3.damaged-" in caplog.text
        read = await store.read("t/a.md", max_chars=9)
        assert read
        assert (read.operation_id, read.metadata) == (None, None)
        with pytest.raises(MemoryConflictError):
            await store.write("t/a.md", "x", expected_version=None, operation=OPERATION)
        await store.write("t/a.md", "x", expected_version=read.version, operation=OPERATION)
        assert (await store.search("t/", "two", limit=9, max_files=9, max_chars=99, max_file_chars=99)).matches

    use(directory, test)
    assert len(list(directory.glob(f"{SIDECAR}.damaged-????????"))) == 1
    assert use(directory, contents) == {**FILES, "t/a.md": "x"}


@pytest.mark.parametrize("spoil", [Path.unlink, empty])
def test_a_missing_sidecar(directory: Path, spoil: Callable[[Path], None]) -> None:
    """Without its sidecar a directory of files is a new store with these files."""
    use(directory, fill)
    spoil(directory / SIDECAR)
    assert use(directory, contents) == FILES


@pytest.mark.parametrize("spoil", [Path.unlink, spoil_header])
def test_a_sidecar_lost_while_stores_are_open(
    directory: Path, spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Stores whose sidecar is taken away under them agree on a new one."""

    async def test() -> None:
        async with FileStore(directory) as one, FileStore(directory) as two:
            await fill(one)
            assert await contents(two) == FILES
            for path in directory.glob(f"{SIDECAR}*"):
                spoil(path)
            version: str | None = None
            with caplog.at_level(logging.WARNING):
                for number in range(6):
                    writer, reader = (one, two) if number % 2 else (two, one)
                    version = (await writer.write("d.md", str(number), expected_version=version)).version
                    assert await contents(reader) == {**FILES, "d.md": str(number)}
            assert "the sidecar of a memory directory" in caplog.text
        assert not (directory / f"{SIDECAR}-wal").exists()

    asyncio.run(test())
    assert use(directory, contents) == {**FILES, "d.md": "5"}


def test_a_newer_sidecar_is_left_alone(directory: Path) -> None:
    """The sidecar of a newer release is refused and stays as it is."""
    use(directory, fill)
    with contextlib.closing(sqlite3.connect(directory / SIDECAR)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = (directory / SIDECAR).read_bytes()
    with pytest.raises(RuntimeError, match="has layout 99, this release knows 1; use a newer release"):
        use(directory, contents)
    assert (directory / SIDECAR).read_bytes() == before


def test_deleted_text_is_nowhere(directory: Path) -> None:
    """No byte of a deleted or replaced text, nor its metadata, is in any file once the stores are closed."""

    async def test(store: FileStore) -> None:
        first = await store.write_with_metadata(
            "t/a.md", "sentinel-1", expected_version=None, metadata={"k": "sentinel-2"}, operation=OPERATION
        )
        second = await store.write("t/a.md", "sentinel-3", expected_version=first.version)
        await store.delete("t/a.md", expected_version=second.version)

    use(directory, test)
    assert [path.name for path in directory.iterdir()] == [SIDECAR]
    assert b"sentinel" not in (directory / SIDECAR).read_bytes()
