"""The directory of a `FileStore`, reached by descriptors only, so that no symbolic link is ever followed.

What lives here: names, descriptors, bytes and stamps. It knows no version, no journal and no SQL. Every call
starts at a descriptor of the root and opens one segment after another without following links: a link that
is put in place while a call runs is refused like one that was there before.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from reference_stores._file_marks import TEMPORARY, is_fine, stamp_of
from reference_stores.contract import MemoryPathEscapeError
from reference_stores.rules import directory_of

if TYPE_CHECKING:
    from collections.abc import Generator

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not to wait for the other end of a named pipe that lies where a file is expected.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Tree:
    """The files below one directory. Usable from any thread."""

    def __init__(self, directory: str | os.PathLike[str], *, syncs: bool) -> None:
        """Take note of the root; nothing is opened yet. `syncs` says whether to wait for the disk."""
        self._given = Path(directory)
        self._syncs = syncs
        self._opening = threading.Lock()
        self._root: int | None = None
        self._identity: tuple[int, int] | None = None
        self.path = self._given
        """The root without symbolic links, once it is open."""
        self.ignores_case = False
        """Whether names that differ in case alone are one file here."""

    def open(self) -> int:
        """Return a descriptor of the root, making the directory when first asked.

        Raises:
            MemoryPathEscapeError: another directory, or a link, has taken the place of the root.
            OSError: it cannot be made or opened.
        """
        with self._opening:
            if self._root is None:
                self._given.mkdir(parents=True, exist_ok=True)
                self.path = self._given.resolve()
                self._root = os.open(self.path, _DIRECTORY)
                self._identity = _identity(os.fstat(self._root))
        if not self._is_in_place():
            raise MemoryPathEscapeError("the directory of this FileStore was moved or replaced; open a new store")
        return self._root

    def close(self) -> None:
        """Close the descriptor of the root."""
        if self._root is not None:
            os.close(self._root)
            self._root = None

    @contextlib.contextmanager
    def directory(self, directory: str, *, make: bool = False) -> Generator[int, None, None]:
        """Give a descriptor of the directory at `directory`, made with all above it if `make`.

        Raises:
            FileNotFoundError: it does not exist, in this spelling.
            NotADirectoryError: a segment of it is a file.
            MemoryPathEscapeError: a segment of it is a symbolic link.
        """
        root = fd = self.open()
        try:
            for name in directory.split("/") if directory else ():
                inner = self._enter(fd, name, directory, make=make)
                if fd != root:
                    os.close(fd)
                fd = inner
            yield fd
        finally:
            if fd != root:
                os.close(fd)

    @contextlib.contextmanager
    def file(self, path: str) -> Generator[int | None, None, None]:
        """Give a descriptor to read the file at `path` from, `None` if there is none.

        Raises:
            MemoryPathEscapeError: `path`, or a directory above it, is a symbolic link.
            ValueError: what is there is no regular file.
        """
        fd = self._open_file(path)
        try:
            yield fd
        finally:
            if fd is not None:
                os.close(fd)

    def require_room(self, path: str) -> None:
        """Raise `ValueError` if there can be no file at `path`: another one is in the way, or a directory."""
        directory, name = _split(path)
        try:
            with self.directory(directory) as fd:
                self._require_spelling(fd, name, path)
                if _mode(fd, name) == stat.S_IFDIR:
                    raise ValueError(f"memory path {path!r} is a directory here; give the file another name")
        except FileNotFoundError:
            self._require_room_above(path)
        except NotADirectoryError:
            raise ValueError(
                f"memory path {path!r} is below a file; give the file or the directory another name"
            ) from None

    def stage(self, path: str, content: bytes) -> None:
        """Write `content`, to the disk, into the file that is to take the place of the one at `path`.

        It lies beside it, has its permissions, and a time of modification that no later change has: kernels
        take theirs from a clock that ticks a few hundred times in a second. One that is there already was
        left by a process that ended before it could tell of it, and is overwritten.
        """
        directory, name = _split(path)
        with self.directory(directory, make=True) as fd:
            _unlink(fd, TEMPORARY + name)
            staged = os.open(TEMPORARY + name, _CREATE, 0o666, dir_fd=fd)
            try:
                with open(staged, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                    file.write(content)
                    file.flush()
                    with contextlib.suppress(FileNotFoundError):
                        os.fchmod(staged, stat.S_IMODE(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode))
                    now = time.time_ns()
                    os.utime(staged, ns=(now, now))
                    self._sync(staged)
            except BaseException:
                _unlink(fd, TEMPORARY + name)
                raise

    def is_staged(self, path: str) -> bool:
        """Whether a file waits to take the place of the one at `path`."""
        directory, name = _split(path)
        try:
            with self.directory(directory) as fd:
                return _mode(fd, TEMPORARY + name) is not None
        except (FileNotFoundError, NotADirectoryError):
            return False

    def replace(self, path: str) -> str | None:
        """Put the staged file at `path`, at once and to the disk, and return its stamp.

        The stamp is `None` if it is not to be trusted: the file system counts in seconds, or somebody
        changed the file within this call.
        """
        directory, name = _split(path)
        with self.directory(directory) as fd:
            staged = os.stat(TEMPORARY + name, dir_fd=fd, follow_symlinks=False)
            os.replace(TEMPORARY + name, name, src_dir_fd=fd, dst_dir_fd=fd)
            self._sync(fd)
            placed = os.stat(name, dir_fd=fd, follow_symlinks=False)
        is_ours = (placed.st_ino, placed.st_size, placed.st_mtime_ns) == (
            staged.st_ino, staged.st_size, staged.st_mtime_ns,
        )  # fmt: skip
        return stamp_of(placed) if is_ours and is_fine(placed) else None

    def discard(self, path: str) -> None:
        """Remove the staged file, if there is one, and the directories above it that are then empty."""
        directory, name = _split(path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), self.directory(directory) as fd:
            _unlink(fd, TEMPORARY + name)
        self._prune(directory)

    def remove(self, path: str) -> None:
        """Remove the file at `path`, to the disk, and the directories above it that are then empty."""
        directory, name = _split(path)
        with self.directory(directory) as fd:
            _unlink(fd, TEMPORARY + name)
            os.unlink(name, dir_fd=fd)
            self._sync(fd)
        self._prune(directory)

    def _prune(self, directory: str) -> None:
        while directory:
            above, name = _split(directory)
            try:
                with self.directory(above) as fd:
                    os.rmdir(name, dir_fd=fd)
                    self._sync(fd)
            except (OSError, MemoryPathEscapeError):  # not empty, as a rule; it does no harm where it is
                return
            directory = above

    def _sync(self, fd: int) -> None:
        if self._syncs:
            os.fsync(fd)

    def _is_in_place(self) -> bool:
        try:
            return _identity(self.path.lstat()) == self._identity
        except FileNotFoundError:
            return False

    def _enter(self, fd: int, name: str, path: str, *, make: bool) -> int:
        """Open the directory `name` in the directory `fd`, on the way to `path`."""
        while True:
            if self.ignores_case and not _has(fd, name) and not make:
                raise FileNotFoundError(errno.ENOENT, "no such directory in this spelling", name)
            try:
                return os.open(name, _DIRECTORY, dir_fd=fd)
            except FileNotFoundError:
                if not make:
                    raise
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                    raise
                _refuse_link(fd, name, path)
                if _mode(fd, name) not in (None, stat.S_IFDIR):
                    raise
                continue  # what was in the way is gone: look again
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=fd)
                self._sync(fd)

    def _open_file(self, path: str) -> int | None:
        directory, name = _split(path)
        try:
            with self.directory(directory) as parent:
                if self.ignores_case and not _has(parent, name):
                    return None
                try:
                    fd = os.open(name, _READ, dir_fd=parent)
                except OSError as error:
                    if error.errno == errno.ELOOP:
                        _refuse_link(parent, name, path)
                    if error.errno == errno.ENXIO:  # a socket
                        raise _no_file(path) from None
                    raise
        except (FileNotFoundError, NotADirectoryError):
            return None
        mode = os.fstat(fd).st_mode
        if stat.S_ISREG(mode):
            return fd
        os.close(fd)
        if stat.S_ISDIR(mode):
            return None
        raise _no_file(path)

    def _require_room_above(self, path: str) -> None:
        """Raise `ValueError` if a directory above `path`, some of which are missing, exists in other letters."""
        if not self.ignores_case:
            return
        directory = directory_of(path)
        while directory:
            above, name = _split(directory)
            with contextlib.suppress(FileNotFoundError), self.directory(above) as fd:
                self._require_spelling(fd, name, path)
            directory = above

    def _require_spelling(self, fd: int, name: str, path: str) -> None:
        if self.ignores_case and any(other != name and other.casefold() == name.casefold() for other in os.listdir(fd)):
            raise ValueError(
                f"memory path {path!r} differs from an existing one in the case of letters alone, "
                "and this file system takes both for one; give the file another name"
            )


def _split(path: str) -> tuple[str, str]:
    directory, _, name = path.rpartition("/")
    return directory, name


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _has(fd: int, name: str) -> bool:
    """Whether a directory has an entry of exactly this spelling. Costs the directory."""
    return name in os.listdir(fd)


def _unlink(fd: int, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=fd)


def _mode(fd: int, name: str) -> int | None:
    """Return what kind of thing lies in a directory, as `stat.S_IFREG` and others; `None` if nothing does."""
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _refuse_link(fd: int, name: str, path: str) -> None:
    if _mode(fd, name) == stat.S_IFLNK:
        raise MemoryPathEscapeError(
            f"memory path {path!r} leads through a symbolic link at {name!r}; put a file or directory there"
        )


def _no_file(path: str) -> ValueError:
    return ValueError(f"memory path {path!r} is no regular file here; move what is there away")
