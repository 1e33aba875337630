"""`FileStore` beside people: edits, links, odd files and names, which it did not make itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from reference_stores import _file_marks
from reference_stores.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryPathEscapeError,
)
from reference_stores.file import FileStore

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    Use = Callable[[Callable[[FileStore], Awaitable[Any]]], Any]

OPERATION = MemoryOperation("run:1", "f" * 64)
WIDE: dict[str, int] = {"limit": 10**6, "max_files": 10**6, "max_chars": 10**6, "max_file_chars": 10**6}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return the directory of the store, which is there already."""
    directory = tmp_path / "memory"
    (directory / "t").mkdir(parents=True)
    return directory


@pytest.fixture
def use(directory: Path) -> Use:
    """Run a coroutine function on a store in the directory, in a fresh event loop."""

    async def main(test: Callable[[FileStore], Awaitable[Any]]) -> Any:
        async with FileStore(directory, synchronous="OFF") as store:
            return await test(store)

    return lambda test: asyncio.run(main(test))


async def content(store: FileStore, path: str) -> str | None:
    """Return what is read at a path."""
    read = await store.read(path, max_chars=10**6)
    return None if read is None else read.content


async def found(store: FileStore, prefix: str, query: str) -> tuple[list[str], int, bool]:
    """Return the paths that a search finds, and what it says of itself."""
    result = await store.search(prefix, query, **WIDE)
    return [match.path for match in result.matches], result.scanned, result.truncated


def in_place(path: Path, text: str) -> None:
    """Save like an editor that writes into the file."""
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    """Save like an editor that makes a new file and renames it."""
    new = path.with_name(path.name + "~")
    new.write_text(text)
    new.rename(path)


def in_place_with_the_same_times(path: Path, text: str) -> None:
    """Save and put the times back, as some tools that copy do."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("save", [in_place, by_rename, in_place_with_the_same_times])
@pytest.mark.parametrize("is_seen", [False, True])
def test_an_edit_is_a_new_version(
    use: Use, directory: Path, save: Callable[[Path, str], None], *, is_seen: bool
) -> None:
    """An edit of the same length, at once after a write, is read, and drops what belonged to the old version."""

    async def test(store: FileStore) -> None:
        for number in range(20):
            path, operation = f"t/{number}.md", MemoryOperation(str(number), "f")
            first = await store.write_with_metadata(
                path, "one", expected_version=None, metadata={"by": "ui"}, operation=operation
            )
            save(directory / path, "two")
            if is_seen:
                read = await store.read(path, max_chars=9)
                assert read
                assert (read.content, read.operation_id, read.metadata) == ("two", None, None)
                assert read.version != first.version
                assert await store.read(path, max_chars=9) == read
            for refused in (
                store.write(path, "three", expected_version=first.version),
                store.delete(path, expected_version=first.version),
            ):
                with pytest.raises(MemoryConflictError, match=rf"'{path}' changed before it could be (written|del)"):
                    await refused
            with pytest.raises(MemoryConflictError):
                await store.write(path, "three", expected_version=None)
            assert (directory / path).read_text() == "two"
            read = await store.read(path, max_chars=9)
            assert read
            await store.write(path, "three", expected_version=read.version)
            assert (await store.get_operation(operation)) == MemoryMutation(first.version, True, existed=False)

    use(test)


def change_permissions(path: Path) -> None:
    """Close the file to others."""
    path.chmod(0o600)


def change_times(path: Path) -> None:
    """Make the file look old."""
    os.utime(path, (1, 1))


def put_a_copy_there(path: Path) -> None:
    """Replace the file by a copy."""
    by_rename(path, path.read_text())


def test_what_leaves_the_text_alone_is_no_edit(use: Use, directory: Path) -> None:
    """Permissions, times, a copy moved into place: the version and what belongs to it stay."""

    async def test(store: FileStore) -> None:
        await store.write_with_metadata("t/a", "x", expected_version=None, metadata={"k": "v"}, operation=OPERATION)
        before = await store.read("t/a", max_chars=9)
        for touch in (change_permissions, change_times, put_a_copy_there):
            touch(directory / "t/a")
            assert await store.read("t/a", max_chars=9) == before

    use(test)


def test_a_write_keeps_the_permissions(use: Use, directory: Path) -> None:
    """A file that a person has closed to others stays closed."""

    async def test(store: FileStore) -> None:
        first = await store.write("t/a", "x", expected_version=None)
        (directory / "t/a").chmod(0o600)
        await store.write("t/a", "y", expected_version=first.version)
        assert (directory / "t/a").stat().st_mode & 0o777 == 0o600

    use(test)


def test_files_come_and_go(use: Use, directory: Path) -> None:
    """Files and directories that are added, moved and removed outside are listed, searched and read as they are."""

    async def test(store: FileStore) -> None:
        await store.write("t/a.md", "tea", expected_version=None)
        assert await store.list_paths(limit=9) == ["t/a.md"]
        (directory / "t/b.md").write_text("tea")
        (directory / "u/v").mkdir(parents=True)
        (directory / "u/v/c.md").write_text("tea")
        assert await store.list_paths(limit=9) == ["t/a.md", "t/b.md", "u/v/c.md"]
        assert await found(store, "t/", "tea") == (["t/a.md", "t/b.md"], 2, False)
        assert await content(store, "u/v/c.md") == "tea"
        (directory / "u").rename(directory / "w")
        (directory / "t/a.md").unlink()
        assert await content(store, "t/a.md") is None
        assert await store.list_paths(limit=9) == ["t/b.md", "w/v/c.md"]
        assert await store.list_paths("u/", limit=9) == []
        assert await found(store, "t/", "tea") == (["t/b.md"], 1, False)
        assert await store.delete("t/a.md", expected_version=None) == MemoryMutation(None, False, False)
        shutil.rmtree(directory / "w")
        (directory / "t/b.md").rename(directory / "w")
        assert await store.list_paths(limit=9) == ["w"]
        assert await content(store, "w") == "tea"

    use(test)


def test_changes_within_one_tick_of_the_clock_are_found(use: Use, directory: Path) -> None:
    """Files that are added right after a listing are in the next one, however fast it comes."""

    async def test(store: FileStore) -> None:
        for number in range(100):
            (directory / f"t/{number:03}").touch()
            assert len(await store.list_paths("t/", limit=999)) == number + 1

    use(test)


def test_a_removed_file_takes_its_version_along(use: Use, directory: Path) -> None:
    """A file that was seen to be gone comes back with another version, be it the same text."""

    async def test(store: FileStore) -> None:
        first = await store.write("t/a", "x", expected_version=None)
        (directory / "t/a").unlink()
        with pytest.raises(MemoryConflictError):
            await store.write("t/a", "y", expected_version=first.version)
        (directory / "t/a").write_text("x")
        with pytest.raises(MemoryConflictError):
            await store.write("t/a", "y", expected_version=first.version)

    use(test)


@pytest.mark.parametrize("target", ["outside", "memory/other"])
def test_links_are_not_followed(use: Use, directory: Path, tmp_path: Path, target: str) -> None:
    """Through a link, outside or into another scope, nothing is read, written, deleted, listed or found."""
    inside = tmp_path / target
    inside.mkdir()
    (inside / "a.md").write_text("tea")
    (directory / "t/file.md").symlink_to(inside / "a.md")
    (directory / "t/dangling.md").symlink_to(tmp_path / "nowhere")
    (directory / "scope").symlink_to(inside)
    (directory / "t/deep").symlink_to(inside)

    async def test(store: FileStore) -> None:
        for path in ("t/file.md", "t/dangling.md", "scope/a.md", "scope/new.md", "t/deep/a.md"):
            for call in (
                store.read(path, max_chars=9),
                store.write(path, "x", expected_version=None),
                store.delete(path, expected_version=None),
            ):
                with pytest.raises(MemoryPathEscapeError, match=r"leads through a symbolic link") as error:
                    await call
                assert str(tmp_path) not in str(error.value)
        others = ["other/a.md"] if target == "memory/other" else []
        assert await store.list_paths(limit=9) == others
        for prefix in ("scope/", "scope/a", "t/deep/", "t/file.md/"):
            assert await store.list_paths(prefix, limit=9) == []
            assert await found(store, prefix, "tea") == ([], 0, False)
        assert await found(store, "t/", "tea") == ([], 0, False)

    use(test)
    assert [(path.name, path.read_text()) for path in inside.iterdir()] == [("a.md", "tea")]
    assert not (tmp_path / "nowhere").exists()


def test_links_that_are_swapped_in_during_calls(use: Use, directory: Path, tmp_path: Path) -> None:
    """While directory and link take turns, no call gets outside: it works inside, finds nothing or is refused."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text("secret")
    (directory / "t/a.md").write_text("tea")
    link = directory / "link"
    link.symlink_to(outside)
    ended = threading.Event()

    def move(source: Path, target: Path) -> None:
        while True:
            try:
                source.rename(target)
            except OSError:  # a write has made the directory anew
                shutil.rmtree(target, ignore_errors=True)
            else:
                return

    def swap() -> None:
        while not ended.is_set():
            move(directory / "t", directory / "aside")
            move(link, directory / "t")
            move(directory / "t", link)
            move(directory / "aside", directory / "t")

    async def test(store: FileStore) -> None:
        refused = 0
        for number in range(150):
            try:
                read = await store.read("t/a.md", max_chars=99)
                assert read is None or read.content != "secret"
                await store.write("t/a.md", f"tea {number}", expected_version=read.version if read else None)
            except (MemoryPathEscapeError, MemoryConflictError, OSError):
                refused += 1
            assert await found(store, "t/", "secret") in (([], 0, False), ([], 1, False), ([], 0, True), ([], 1, True))
        assert refused

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        use(test)
    finally:
        ended.set()
        thread.join()
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("a.md", "secret")]


def test_the_directory_is_replaced(use: Use, directory: Path, tmp_path: Path) -> None:
    """Once another directory or a link has taken the place of the store's own, every call is refused."""

    async def test(store: FileStore) -> None:
        await store.write("t/a", "x", expected_version=None)
        directory.rename(tmp_path / "away")
        (tmp_path / "other").mkdir()
        (tmp_path / "other/a").write_text("x")
        for is_link in (False, True):
            if is_link:
                directory.symlink_to(tmp_path / "other")
            for call in (
                store.read("a", max_chars=9),
                store.write("a", "x", expected_version=None),
                store.list_paths(limit=9),
                store.search("", "x", **WIDE),
                store.get_operation(OPERATION),
            ):
                with pytest.raises(MemoryPathEscapeError, match="was moved or replaced; open a new store"):
                    await call

    use(test)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["a"]


def test_a_directory_reached_through_a_link(directory: Path, tmp_path: Path) -> None:
    """A link to the store's directory is resolved when it is opened: it was the caller's own choice."""
    (tmp_path / "link").symlink_to(directory)

    async def test() -> None:
        async with FileStore(tmp_path / "link") as store:
            await store.write("t/a", "x", expected_version=None)
        async with FileStore(directory) as store:
            assert await content(store, "t/a") == "x"

    asyncio.run(test())


def test_a_file_that_is_not_utf8(use: Use, directory: Path) -> None:
    """It raises where it is read, without its content, and nowhere else; and it can be deleted."""
    (directory / "t/bad.md").write_bytes(b"tea \xff\xfe sentinel")
    (directory / "t/good.md").write_text("tea")

    async def test(store: FileStore) -> None:
        with pytest.raises(ValueError, match=r"'t/bad\.md' is not UTF-8 from byte 4 on; save it as UTF-8") as error:
            await store.read("t/bad.md", max_chars=99)
        assert "sentinel" not in repr(error.value)
        assert error.value.__cause__ is None
        assert await content(store, "t/good.md") == "tea"
        assert await store.list_paths(limit=9) == ["t/bad.md", "t/good.md"]
        assert await found(store, "t/", "tea") == (["t/good.md"], 1, True)
        with pytest.raises(MemoryConflictError):
            await store.write("t/bad.md", "x", expected_version=None)
        read = await store.read("t/bad.md", max_chars=1)  # what a delete needs: the version
        assert read
        await store.delete("t/bad.md", expected_version=read.version)
        assert await found(store, "t/", "tea") == (["t/good.md"], 1, False)

    use(test)


def test_special_files(use: Use, directory: Path) -> None:
    """A pipe or socket hangs no call: it is not listed, and to read or write it is a `ValueError`."""
    os.mkfifo(directory / "t/pipe")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as bound:
        here = os.open(directory / "t", os.O_RDONLY)
        previous = os.open(".", os.O_RDONLY)
        os.fchdir(here)  # the name of a socket must be short
        bound.bind("socket")
        os.fchdir(previous)
        os.close(here)
        os.close(previous)

    async def test(store: FileStore) -> None:
        for path in ("t/pipe", "t/socket"):
            for call in (
                store.read(path, max_chars=9),
                store.write(path, "x", expected_version=None),
                store.delete(path, expected_version=None),
            ):
                with pytest.raises(ValueError, match="is no regular file here; move what is there away"):
                    await call
        assert await store.list_paths(limit=9) == []
        assert await found(store, "t/", "x") == ([], 0, False)

    use(test)


def test_names_that_no_path_can_have(use: Use, directory: Path) -> None:
    """Files whose names no call can give are not listed, and do no harm."""
    for name in ("my note.md", "é.md", "a..b", "x" * 201, "~", "#a#", "back\\slash"):
        (directory / "t" / name).write_text("tea")
    (directory / "my dir").mkdir()
    (directory / "my dir/a.md").write_text("tea")

    async def test(store: FileStore) -> None:
        assert await store.list_paths(limit=9) == []
        assert await found(store, "t/", "tea") == ([], 0, False)

    use(test)


@pytest.mark.parametrize(
    "name",
    [
        ".memory.sqlite3", ".memory.sqlite3-wal", ".memory.sqlite3-shm", ".memory.sqlite3-journal",
        ".memory.sqlite3.damaged-0", ".MEMORY.SQLITE3", ".memory-tmp-", ".memory-tmp-a.md",
        ".memory-tmp-dir", ".Memory-Tmp-x",
    ],
)  # fmt: skip
def test_reserved_names(use: Use, directory: Path, name: str) -> None:
    """The store's own names are refused as files and as directories, anywhere, and never listed."""
    (directory / "t/.memory.sqlite3").write_text("tea")
    (directory / "t/.memory-tmp-dir").mkdir()
    (directory / "t/.memory-tmp-dir/a").write_text("tea")

    async def test(store: FileStore) -> None:
        await store.list_paths(limit=1)
        for path in (name, f"t/{name}", f"{name}/a", f"t/{name}/a"):
            for call in (
                store.read(path, max_chars=9),
                store.write(path, "x", expected_version=None),
                store.delete(path, expected_version=None),
            ):
                with pytest.raises(ValueError, match="the store keeps for itself; give it another one"):
                    await call
        assert await store.list_paths(limit=9) == []
        for prefix in (name, f"t/{name}", f"{name}/", f"t/{name}/"):
            assert await store.list_paths(prefix, limit=9) == []
            assert await found(store, prefix, "tea") == ([], 0, False)

    use(test)


def test_names_like_reserved_ones(use: Use) -> None:
    """What only resembles the store's own names is an ordinary name."""

    async def test(store: FileStore) -> None:
        names = sorted([".memory", ".memory.sqlite", ".memory-tmp", "memory.sqlite3", "a.memory.sqlite3"])
        for name in names:
            await store.write(name, "x", expected_version=None)
        assert await store.list_paths(limit=9) == names

    use(test)


def test_a_file_and_a_directory_of_one_name(use: Use, directory: Path) -> None:
    """The second of `a` and `a/b` is refused before any effect, and is possible once the first is gone."""

    async def test(store: FileStore) -> None:
        below = await store.write("t/a/b", "below", expected_version=None)
        with pytest.raises(ValueError, match=r"'t/a' is a directory here; give the file another name"):
            await store.write("t/a", "x", expected_version=None, operation=OPERATION)
        assert await store.read("t/a", max_chars=9) is None
        assert await store.delete("t/a", expected_version=None) == MemoryMutation(None, False, False)
        await store.delete("t/a/b", expected_version=below.version)
        above = await store.write("t/a", "above", expected_version=None, operation=OPERATION)
        for path in ("t/a/b", "t/a/b/c"):
            with pytest.raises(ValueError, match=r"is below a file; give the file or the directory another name"):
                await store.write(path, "x", expected_version=None)
            assert await store.read(path, max_chars=9) is None
            assert await store.delete(path, expected_version=None) == MemoryMutation(None, False, False)
        assert await store.list_paths(limit=9) == ["t/a"]
        assert await store.list_paths("t/a/", limit=9) == []
        await store.delete("t/a", expected_version=above.version)
        assert not (directory / "t").exists()

    use(test)


def test_a_file_system_that_ignores_case(use: Use, directory: Path) -> None:
    """Where the sidecar is found in capitals too, a path that differs from another in case alone is refused."""
    (directory / ".memory.sqlite3").touch()
    (directory / ".MEMORY.SQLITE3").hardlink_to(directory / ".memory.sqlite3")

    async def test(store: FileStore) -> None:
        await store.write("Scope/Note.md", "x", expected_version=None)
        for path in ("Scope/note.md", "scope/other.md", "scope/Note.md", "SCOPE", "scope/deep/a.md", "Scope/NOTE.MD/a"):
            with pytest.raises(ValueError, match=r"differs from an existing one in the case of letters alone"):
                await store.write(path, "y", expected_version=None)
            assert await store.read(path, max_chars=9) is None
        read = await store.read("Scope/Note.md", max_chars=9)
        assert read
        await store.write("Scope/Note.md", "z", expected_version=read.version)
        assert await store.list_paths(limit=9) == ["Scope/Note.md"]

    use(test)
    assert sorted(path.name for path in directory.rglob("*") if not path.name.startswith(".")) == [
        "Note.md", "Scope", "t",
    ]  # fmt: skip


def test_a_file_system_that_counts_in_seconds(use: Use, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where times are too coarse to tell changes apart, the digest does."""
    monkeypatch.setattr(_file_marks, "_SECOND_NS", 1)  # every time is then a whole number of them

    async def test(store: FileStore) -> None:
        first = await store.write("t/a", "one", expected_version=None)
        read = await store.read("t/a", max_chars=9)
        assert read
        assert read.version == first.version
        status = (directory / "t/a").stat()
        in_place(directory / "t/a", "two")
        os.utime(directory / "t/a", ns=(status.st_atime_ns, status.st_mtime_ns))
        assert await content(store, "t/a") == "two"
        with pytest.raises(MemoryConflictError):
            await store.write("t/a", "x", expected_version=first.version)

    use(test)


def test_large_files_are_read_in_part(use: Use, directory: Path) -> None:
    """The beginning of a long file is read right at every cut, whatever the width of its characters."""
    text = "aé中😀" * 300_000
    (directory / "t/a").write_text(text)

    async def test(store: FileStore) -> None:
        for max_chars in (1, 2, 3, 4, 5, 1_048_577, len(text) - 1, len(text)):
            read = await store.read("t/a", max_chars=max_chars)
            assert read
            assert (read.content, read.truncated) == (text[:max_chars], max_chars < len(text))

    use(test)


def test_a_listing_stops_at_its_limit(use: Use, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Directories behind the last path that is returned are not looked into."""
    for number in range(50):
        (directory / f"u{number:02}").mkdir()
        (directory / f"u{number:02}/a.md").touch()
    opened: list[Any] = []
    original = os.open

    def counted(path: Any, *arguments: Any, **keywords: Any) -> int:
        opened.append(path)
        return original(path, *arguments, **keywords)

    async def test(store: FileStore) -> None:
        assert len(await store.list_paths(limit=99)) == 50
        monkeypatch.setattr(os, "open", counted)
        assert await store.list_paths(limit=2) == ["u00/a.md", "u01/a.md"]
        assert {path for path in opened if path != ".memory.sqlite3"} <= {"t", "u00", "u01"}

    use(test)
