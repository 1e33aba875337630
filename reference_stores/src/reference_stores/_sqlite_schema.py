"""The layout of a memory database, and how a connection to one is opened.

What lives here: the tables, their version, and the settings of a connection. Runs on a connection's thread,
without asyncio.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Generator

APPLICATION_ID = 0x4D454D53
"""What SQLite's `application_id` says in a database of ours, "MEMS" in ASCII."""

SCHEMA_VERSION = 1
"""What `user_version` says of the layout below. A change of the layout takes the next number."""

_TABLES = (
    # `content` stands last: what comes before it is then read without the pages that a long one fills. What
    # callers give as id and fingerprint is kept as bytes, since some of their strings are no UTF-8.
    """
    CREATE TABLE files (
        path TEXT NOT NULL COLLATE BINARY,
        directory TEXT NOT NULL COLLATE BINARY,
        version TEXT NOT NULL,
        operation_id BLOB,
        metadata TEXT,
        chars INTEGER NOT NULL,
        content TEXT NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX files_by_path ON files (path)",
    "CREATE INDEX files_by_directory ON files (directory, path)",
    """
    CREATE TABLE receipts (
        id BLOB NOT NULL PRIMARY KEY,
        fingerprint BLOB NOT NULL,
        version TEXT,
        existed INTEGER NOT NULL,
        recorded_at INTEGER NOT NULL
    ) WITHOUT ROWID
    """,
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

_WAIT_S = 0.05
"""How long SQLite itself waits for a lock. Longer waits repeat this, so that a caller can be cancelled."""


def open_database(database: str, *, synchronous: str, busy_timeout_s: float) -> sqlite3.Connection:
    """Open the database at `database`, making it if there is none, while others may do the same.

    Raises:
        RuntimeError: it cannot be opened, is no memory database, or has a newer layout. It was not changed.
    """
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            return _open_once(database, synchronous)
        except sqlite3.Error as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise _unusable(database, str(error)) from error
            time.sleep(_WAIT_S / 10)


def is_busy(error: sqlite3.Error) -> bool:
    """Whether `error` says that another connection holds a lock, so that trying again makes sense."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, mode: Literal["IMMEDIATE", "DEFERRED"]) -> Generator[None, None, None]:
    """Make the block one transaction, undone if it raises.

    An `IMMEDIATE` one holds the write lock from its start. A `DEFERRED` one that only reads sees one state of
    the database and holds no lock that a writer waits for.
    """
    connection.execute(f"BEGIN {mode}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors make SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise


def _open_once(database: str, synchronous: str) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=_WAIT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        if not _is_ready(connection):
            with transaction(connection, "IMMEDIATE"):
                _make_ready(connection, database)
        # Last, and only in a database of ours: the mode is written into the file.
        _log_ahead(connection, database)
    except BaseException:
        connection.close()
        raise
    return connection


def _log_ahead(connection: sqlite3.Connection, database: str) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode not in ("wal", "memory"):
        raise _unusable(database, "write-ahead logging does not work there; use a local disk")


def _is_ready(connection: sqlite3.Connection) -> bool:
    return _identity(connection) == (APPLICATION_ID, SCHEMA_VERSION)


def _make_ready(connection: sqlite3.Connection, database: str) -> None:
    """Make the tables in an empty database, unless another connection was faster; refuse any other."""
    application, version = _identity(connection)
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, tables) == (0, 0, 0):
        for statement in _TABLES:
            connection.execute(statement)
    elif application != APPLICATION_ID:
        raise _unusable(database, "it belongs to another application; give the store a file of its own")
    elif version != SCHEMA_VERSION:
        raise _unusable(
            database,
            f"its layout is version {version}, this release knows {SCHEMA_VERSION}; use a newer release",
        )


def _identity(connection: sqlite3.Connection) -> tuple[int, int]:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return application, version


def _unusable(database: str, reason: str) -> RuntimeError:
    # The directory is left out: errors of a store end up where a model or a user can read them (PATH-17).
    return RuntimeError(f"cannot use memory database {Path(database).name!r}: {reason}")
