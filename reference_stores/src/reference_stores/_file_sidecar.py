"""The database beside the files of a `FileStore`: what it holds, its lock, and what happens if it is damaged.

What lives here: a connection and its transactions. It knows no version and no content. The files
are the memory; a sidecar that is lost costs versions, metadata and receipts, and never a file.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import secrets
import sqlite3
import stat
import time
from typing import TYPE_CHECKING, TypeVar

from reference_stores._file_marks import SIDECAR
from reference_stores._file_schema import DamagedError, is_ready, make_ready
from reference_stores.contract import MemoryConflictError, MemoryOperationConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from reference_stores._file_tree import Tree

T = TypeVar("T")

_WAIT_S = 0.05
"""How long a job waits for the lock on its thread. Longer waits repeat the job, so that it can be cancelled."""

_POLL_S = 0.0005

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SYSTEM_ERRORS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
}

_logger = logging.getLogger(__name__)


def timed_out(seconds: float) -> TimeoutError:
    """Return the error of a call that waited `seconds` for the lock in vain."""
    return TimeoutError(f"another user of this memory directory held its lock for {seconds} seconds; try again")


class BusyError(Exception):
    """Another connection holds the lock. Nothing was done, and the job may be repeated."""


class Sidecar:
    """One connection to the sidecar, for one thread."""

    def __init__(
        self,
        tree: Tree,
        recover: Callable[[Sidecar, sqlite3.Connection], None],
        *,
        durable: bool,
        lock_timeout_s: float,
    ) -> None:
        """Take note of where the sidecar is; nothing is opened yet.

        `recover` ends what was interrupted, in a transaction that has just begun.
        """
        self.tree = tree
        self._recover = recover
        self._durable = durable
        self._lock_timeout_s = lock_timeout_s
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None

    def attempt(self, job: Callable[[Sidecar], T]) -> T:
        """Run `job`; if the sidecar turns out to be damaged, set it aside and run `job` again with a new one.

        Raises:
            BusyError: the lock was not to be had within a short wait.
            OSError: the sidecar cannot be read or written.
        """
        try:
            try:
                return job(self)
            except DamagedError:
                self._set_aside()
            except sqlite3.DatabaseError as error:
                if _code(error) not in _DAMAGE:
                    raise
                self._set_aside()
            return job(self)
        except sqlite3.Error as error:
            raise _translated(error) from error

    def connection(self) -> sqlite3.Connection:
        """Return the connection, opened when first asked for, and again if the sidecar was taken away."""
        root = self.tree.open()
        if self._connection is not None:
            if _inode(root) == self._inode:
                return self._connection
            _logger.warning("the sidecar of a memory directory was removed or replaced; it is made anew")
            self.close()
        self._connection = self._connect_patiently(root)
        return self._connection

    @contextlib.contextmanager
    def lock(self, *, durable: bool = False, resumes: bool = False) -> Generator[sqlite3.Connection, None, None]:
        """Make the block one transaction, which no other store on the directory has meanwhile.

        It begins with ending what was interrupted. `durable` waits for the disk when it is over. One that
        `resumes` goes on with what its caller began, so it ends nothing else, and waits as long as the store
        does at all; the others give their caller an occasion to be cancelled. What was found out before a
        refusal is kept.

        Raises:
            BusyError: another one has the lock.
            TimeoutError: it `resumes`, and another one still has it.
        """
        connection = self.connection()
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable and self._durable else self._relaxed}")
        self._begin(connection, patient=resumes)
        try:
            if not resumes:
                self._recover(self, connection)
            yield connection
        except (MemoryConflictError, MemoryOperationConflictError, ValueError):
            connection.execute("COMMIT")
            raise
        except BaseException:
            if connection.in_transaction:  # some errors make SQLite roll back by itself
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _relaxed(self) -> str:
        # Under write-ahead logging NORMAL keeps the order of commits, and may lose the last ones with the power.
        return "NORMAL" if self._durable else "OFF"

    def _begin(self, connection: sqlite3.Connection, *, patient: bool) -> None:
        deadline = time.monotonic() + (self._lock_timeout_s if patient else _WAIT_S)
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY:
                    raise
            else:
                return
            if time.monotonic() >= deadline:
                if patient:
                    raise timed_out(self._lock_timeout_s)
                raise BusyError
            time.sleep(_POLL_S)

    def _connect_patiently(self, root: int) -> sqlite3.Connection:
        """Connect, also while another connection makes the sidecar or is the last to close it."""
        deadline = time.monotonic() + self._lock_timeout_s
        while True:
            try:
                return self._connect(root)
            except (BusyError, sqlite3.OperationalError) as error:
                if time.monotonic() >= deadline or (isinstance(error, sqlite3.Error) and _code(error) not in _BUSY):
                    raise
            time.sleep(_POLL_S)

    def _connect(self, root: int) -> sqlite3.Connection:
        self._require_file(root)
        self._inode = _inode(root)
        if self._inode is None:
            raise DamagedError
        connection = sqlite3.connect(self.tree.path / SIDECAR, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA synchronous = {self._relaxed}")
            if not is_ready(connection):
                self._begin(connection, patient=True)
                make_ready(connection)
                connection.execute("COMMIT")
            _log_ahead(connection)
        except BaseException:
            connection.close()
            raise
        if _inode(root) != self._inode:  # replaced in between: which one was opened is not known
            connection.close()
            raise BusyError
        self.tree.ignores_case = _inode(root, SIDECAR.upper()) == self._inode
        return connection

    def _require_file(self, root: int) -> None:
        """Make the sidecar if it is missing, so that the system itself says why it cannot.

        One that is there is never opened here: to close it would drop the locks of this process's connections.
        """
        with contextlib.suppress(FileExistsError):
            os.close(os.open(SIDECAR, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=root))

    def _set_aside(self) -> None:
        """Rename the damaged sidecar, unless another process was faster, which a lock on the directory tells."""
        damaged = self._inode
        self.close()
        root = os.open(self.tree.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(root, fcntl.LOCK_EX)
            if _inode(root) != damaged:
                return
            aside = f"{SIDECAR}.damaged-{secrets.token_hex(4)}"
            for suffix in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    os.rename(SIDECAR + suffix, aside + suffix, src_dir_fd=root, dst_dir_fd=root)
        finally:
            os.close(root)
        _logger.warning(
            "the sidecar of a memory directory is damaged; it is kept as %s and made anew from the files, "
            "without versions, metadata and receipts of the past",
            aside,
        )


def _inode(root: int, name: str = SIDECAR) -> int | None:
    """Return which file the sidecar is, or `None` if there is no regular file of that name."""
    try:
        status = os.stat(name, dir_fd=root, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_ino if stat.S_ISREG(status.st_mode) else None


def _log_ahead(connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise OSError(errno.ENOTSUP, "write-ahead logging does not work here; use a local disk", SIDECAR)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _translated(error: sqlite3.Error) -> Exception:
    """Return what an error of the database means to a caller who does not know that there is one."""
    code = _code(error)
    if code in _BUSY:
        return BusyError()
    if code in _SYSTEM_ERRORS:
        number = _SYSTEM_ERRORS[code]
        return OSError(number, f"{os.strerror(number)} ({error})", SIDECAR)
    return error
