"""The layout of the database beside the files of a `FileStore`.

What lives here: the tables and their version. How a connection is opened is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reference_stores._file_marks import SIDECAR

if TYPE_CHECKING:
    import sqlite3

APPLICATION_ID: Final = 0x4D454D46
"""What SQLite's `application_id` says in a sidecar, "MEMF" in ASCII."""

SCHEMA_VERSION: Final = 1
"""What `user_version` says of the layout below. A change of the layout takes the next number."""

_TABLES: Final = (
    # A subdirectory is an entry too, its name ending in "/": names then sort as whole paths do. Its stamp is
    # the one at its last scan. A file without a version was found by a scan, and nobody has read it yet.
    """
    CREATE TABLE entries (
        directory TEXT NOT NULL COLLATE BINARY,
        name TEXT NOT NULL COLLATE BINARY,
        version TEXT,
        operation_id BLOB,
        metadata TEXT,
        digest BLOB,
        stamp TEXT,
        PRIMARY KEY (directory, name)
    ) WITHOUT ROWID
    """,
    # The number only grows: it is the generation of the store.
    """
    CREATE TABLE journal (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL,
        expected_version TEXT,
        version TEXT,
        digest BLOB,
        metadata TEXT,
        operation_id BLOB,
        fingerprint BLOB,
        state TEXT NOT NULL,
        begun_at INTEGER NOT NULL
    )
    """,
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

_TABLE_NAMES: Final = {"entries", "journal", "receipts"}


class DamagedError(Exception):
    """The sidecar is no database of ours, as far as it can be read."""


def is_ready(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there, in the layout of this release."""
    return _layout(connection) == (APPLICATION_ID, SCHEMA_VERSION, _TABLE_NAMES)


def make_ready(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database, unless another connection was faster.

    Raises:
        DamagedError: it is not empty, and no sidecar.
        RuntimeError: it is the sidecar of a newer release.
    """
    application, version, tables = _layout(connection)
    if (application, version, tables) == (0, 0, set()):
        for statement in _TABLES:
            connection.execute(statement)
    elif application == APPLICATION_ID and version > SCHEMA_VERSION:
        raise RuntimeError(
            f"the sidecar {SIDECAR!r} has layout {version}, this release knows {SCHEMA_VERSION}; use a newer release"
        )
    elif not is_ready(connection):
        raise DamagedError


def _layout(connection: sqlite3.Connection) -> tuple[int, int, set[str]]:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return application, version, {name for (name,) in names}
