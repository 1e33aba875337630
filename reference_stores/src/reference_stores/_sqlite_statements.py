"""What a `SqliteMemoryStore` asks of its database: each function is one visit to a connection's thread.

What lives here: the statements. Arguments were validated before; asyncio is not known here.
"""

from __future__ import annotations

import time
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from reference_stores._sqlite_schema import transaction
from reference_stores.contract import MemoryFile, MemoryMutation, MemoryOperation
from reference_stores.rules import (
    Receipt,
    decode_metadata,
    directory_of,
    is_addressable,
    prefix_end,
    replay,
    require_version,
)

if TYPE_CHECKING:
    import sqlite3

_MOST: Final = 2**31 - 1
"""More characters or rows than SQLite has. Its `substr` gives an empty text for a length near 2**63."""

_READ = "SELECT substr(content, 1, ?), chars, version, operation_id, metadata FROM files WHERE path = ?"
_LIST = "SELECT path FROM files WHERE path >= ? AND path < ? ORDER BY path LIMIT ?"
_CHILDREN = (
    "SELECT path FROM files INDEXED BY files_by_directory "
    "WHERE directory = ? AND path >= ? AND path < ? ORDER BY path"
)
_EXCERPT = "SELECT substr(content, 1, ?), chars FROM files WHERE path = ?"
_VERSION = "SELECT version FROM files WHERE path = ?"
_RECEIPT = "SELECT fingerprint, version, existed FROM receipts WHERE id = ?"
_PUT = """
    INSERT INTO files (path, directory, version, operation_id, metadata, chars, content)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (path) DO UPDATE SET
        version = excluded.version, operation_id = excluded.operation_id, metadata = excluded.metadata,
        chars = excluded.chars, content = excluded.content
"""
_REMOVE = "DELETE FROM files WHERE path = ?"
_RECORD = "INSERT INTO receipts (id, fingerprint, version, existed, recorded_at) VALUES (?, ?, ?, ?, ?)"


class Mutation(NamedTuple):
    """One write or delete, as it goes to the connection's thread. A delete has no content and no version."""

    path: str
    expected_version: str | None
    operation: MemoryOperation | None
    content: str | None = None
    version: str | None = None
    metadata: str | None = None


def read_file(path: str, max_chars: int, connection: sqlite3.Connection) -> MemoryFile | None:
    """Return the first `max_chars` characters of one file."""
    row = connection.execute(_READ, (min(max_chars, _MOST), path)).fetchone()
    if row is None:
        return None
    content, chars, version, operation_id, metadata = row
    return MemoryFile(content, version, operation_id, chars > max_chars, decode_metadata(metadata))


def look_up_operation(operation: MemoryOperation, connection: sqlite3.Connection) -> MemoryMutation | None:
    """Return what the operation did, if it is recorded with the same fingerprint."""
    row = connection.execute(_RECEIPT, (operation.id,)).fetchone()
    if row is None:
        return None
    fingerprint, version, existed = row
    return replay(operation, Receipt(fingerprint, version, bool(existed)))


def apply(mutation: Mutation, connection: sqlite3.Connection) -> MemoryMutation:
    """Apply one write or delete, with its receipt, in one transaction; or find that it was applied before."""
    with transaction(connection):
        if mutation.operation is not None:
            replayed = look_up_operation(mutation.operation, connection)
            if replayed is not None:
                return replayed
        (current,) = connection.execute(_VERSION, (mutation.path,)).fetchone() or (None,)
        require_version(mutation.path, current=current, expected=mutation.expected_version)
        _put_or_remove(mutation, connection)
        result = MemoryMutation(mutation.version, replayed=False, existed=current is not None)
        if mutation.operation is not None:
            _record(mutation.operation, result, connection)
        return result


def _put_or_remove(mutation: Mutation, connection: sqlite3.Connection) -> None:
    if mutation.content is None:
        connection.execute(_REMOVE, (mutation.path,))
        return
    operation_id = None if mutation.operation is None else mutation.operation.id
    row = (
        mutation.path,
        directory_of(mutation.path),
        mutation.version,
        operation_id,
        mutation.metadata,
        len(mutation.content),
        mutation.content,
    )
    connection.execute(_PUT, row)


def _record(operation: MemoryOperation, result: MemoryMutation, connection: sqlite3.Connection) -> None:
    row = (operation.id, operation.fingerprint, result.version, result.existed, int(time.time()))
    connection.execute(_RECORD, row)


def list_files(prefix: str, limit: int, connection: sqlite3.Connection) -> list[str]:
    """Return the first `limit` paths that start with `prefix`."""
    rows = connection.execute(_LIST, (prefix, prefix_end(prefix), min(limit, _MOST)))
    return [path for (path,) in rows]


def list_children(prefix: str, count: int, connection: sqlite3.Connection) -> list[str]:
    """Return the first `count` paths directly below `prefix` that a tool can address."""
    with closing(connection.execute(_CHILDREN, (directory_of(prefix), prefix, prefix_end(prefix)))) as rows:
        return list(islice((path for (path,) in rows if is_addressable(path)), min(count, _MOST)))


def read_excerpts(
    paths: list[str], max_chars: int, connection: sqlite3.Connection
) -> list[tuple[str, int] | None]:
    """Return, for each path, its first `max_chars` characters and its length, or `None` if it is gone."""
    length = min(max_chars, _MOST)
    return [connection.execute(_EXCERPT, (length, path)).fetchone() for path in paths]
