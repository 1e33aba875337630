"""What a `SqliteMemoryStore` asks of its database: each function is one visit to a connection's thread.

What lives here: the statements. Arguments were validated before; asyncio is not known here.
"""

from __future__ import annotations

import time
from contextlib import closing
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
"""More characters than a text and more rows than a table has. SQLite has no integers beyond 2**63."""

_BYTES_PER_CHAR: Final = 4
"""The most that a character takes in UTF-8; what is cut off within one is ignored."""

_BATCH_CHARS: Final = 1_000_000
"""After how many characters one visit of a search ends."""

# A text that is longer than asked for is not touched here: see `_beginning`.
_READ = """
    SELECT rowid, CASE WHEN chars <= ? THEN content END, chars, version, operation_id, metadata
    FROM files WHERE path = ?
"""
# One row for all paths, which have no line feed: to hand over a row takes longer than to find it.
_LIST = """
    SELECT group_concat(path, char(10))
    FROM (SELECT path FROM files WHERE path >= ? AND path < ? ORDER BY path LIMIT ?)
"""
_CHILDREN = """
    SELECT path, rowid, CASE WHEN chars <= ? THEN content END, chars
    FROM files INDEXED BY files_by_directory
    WHERE directory = ? AND path >= ? AND path < ? ORDER BY path
"""
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


class Child(NamedTuple):
    """A file that a search looks into: its path, the text to look into, and the length of all its text."""

    path: str
    content: str
    chars: int


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
    with transaction(connection, "DEFERRED"):  # `_beginning` may be a second look
        row = connection.execute(_READ, (min(max_chars, _MOST), path)).fetchone()
        if row is None:
            return None
        rowid, content, chars, version, operation_id, metadata = row
        if content is None:
            content = _beginning(rowid, max_chars, connection)
    return MemoryFile(
        content=content,
        version=version,
        operation_id=None if operation_id is None else _decoded(operation_id),
        truncated=chars > max_chars,
        metadata=decode_metadata(metadata),
    )


def look_up_operation(operation: MemoryOperation, connection: sqlite3.Connection) -> MemoryMutation | None:
    """Return what the operation did, if it is recorded with the same fingerprint."""
    row = connection.execute(_RECEIPT, (_encoded(operation.id),)).fetchone()
    if row is None:
        return None
    fingerprint, version, existed = row
    return replay(operation, Receipt(_decoded(fingerprint), version, bool(existed)))


def apply(mutation: Mutation, connection: sqlite3.Connection) -> MemoryMutation:
    """Apply one write or delete, with its receipt, in one transaction; or find that it was applied before."""
    with transaction(connection, "IMMEDIATE"):
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
    row = (
        mutation.path,
        directory_of(mutation.path),
        mutation.version,
        None if mutation.operation is None else _encoded(mutation.operation.id),
        mutation.metadata,
        len(mutation.content),
        mutation.content,
    )
    connection.execute(_PUT, row)


def _record(operation: MemoryOperation, result: MemoryMutation, connection: sqlite3.Connection) -> None:
    identity, fingerprint = _encoded(operation.id), _encoded(operation.fingerprint)
    row = (identity, fingerprint, result.version, result.existed, int(time.time()))
    connection.execute(_RECORD, row)


def list_files(prefix: str, limit: int, connection: sqlite3.Connection) -> list[str]:
    """Return the first `limit` paths that start with `prefix`."""
    (joined,) = connection.execute(_LIST, (prefix, prefix_end(prefix), min(limit, _MOST))).fetchone()
    # SQLite does not promise that an aggregate keeps the order of its rows.
    return [] if joined is None else sorted(joined.split("\n"))


def read_children(
    prefix: str, start: str, count: int, max_chars: int, connection: sqlite3.Connection
) -> tuple[list[Child], str | None]:
    """Return files directly below `prefix`, from `start` on in path order, and where the next ones start.

    There are at most `count` of them, only ones that a tool can address, each with its first `max_chars`
    characters. The list ends early after `_BATCH_CHARS`, so that a search neither holds all that it
    searches nor keeps the connection to itself. The next start is `None` if there are no more.
    """
    children: list[Child] = []
    chars = 0
    bounds = (min(max_chars, _MOST), directory_of(prefix), start, prefix_end(prefix))
    with closing(connection.execute(_CHILDREN, bounds)) as rows:
        for path, rowid, content, length in rows:
            if not is_addressable(path):
                continue
            text = _beginning(rowid, max_chars, connection) if content is None else content
            children.append(Child(path, text, length))
            chars += len(text)
            if len(children) == count or chars >= _BATCH_CHARS:
                return children, path + " "  # sorts before every path that goes on from this one
    return children, None


def _encoded(text: str) -> bytes:
    """Return bytes that no other string has, lone surrogates or not."""
    return text.encode("utf-8", "surrogatepass")


def _decoded(encoded: bytes) -> str:
    return encoded.decode("utf-8", "surrogatepass")


def _beginning(rowid: int, max_chars: int, connection: sqlite3.Connection) -> str:
    """Return the first characters of a content that is longer, without reading the rest of it (READ-11)."""
    with connection.blobopen("files", "content", rowid, readonly=True) as blob:
        return blob.read(_BYTES_PER_CHAR * max_chars).decode("utf-8", "ignore")[:max_chars]
