"""How a `FileStore` changes a file, its version and its receipt as if they were one thing.

What lives here: the journal in the sidecar. A mutation is three steps:

1. The new text is staged in a file beside the old one, and an entry says what is about to happen. Both are
   on the disk when the transaction is over.
2. The staged file takes the place of the old one. This is the instant at which the mutation happens, and
   that the staged file is gone shows for ever that it did.
3. The version and the receipt are recorded, and the entry goes.

Whoever has the lock and finds an entry takes the last two steps, its own or another's alike. If a person has
edited the file since the first step, the entry is overtaken: the edit stays, and the next call with that
operation gets a conflict. After that the retry is answered by the receipt if the second step was taken, and
is a mutation like any other if it was not.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import time
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from reference_stores._file_index import Known, forget, observe, put
from reference_stores._file_marks import digest, digest_of
from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.rules import Receipt, replay, require_version

if TYPE_CHECKING:
    from reference_stores._file_sidecar import Sidecar
    from reference_stores._file_tree import Tree

_KEPT_S: Final = 24 * 60 * 60
"""How long an overtaken entry waits for its retry. It holds no text."""

_RECEIPT = "SELECT fingerprint, version, existed FROM receipts WHERE id = ?"
_RECORD = "INSERT INTO receipts (id, fingerprint, version, existed, recorded_at) VALUES (?, ?, ?, ?, ?)"
_BEGIN = """
    INSERT INTO journal
        (path, expected_version, version, digest, metadata, operation_id, fingerprint, state, begun_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?)
"""
_ENTRIES = """
    SELECT number, path, expected_version, version, digest, metadata, operation_id, fingerprint, state, begun_at
    FROM journal ORDER BY number
"""
_ENTRY = """
    SELECT number, path, expected_version, version, digest, metadata, operation_id, fingerprint, state, begun_at
    FROM journal WHERE number = ?
"""
_IS_PENDING = "SELECT 1 FROM journal WHERE state = 'pending' AND operation_id = ?"
_OVERTAKEN = "SELECT number, path FROM journal WHERE state = 'overtaken' AND operation_id = ? AND fingerprint = ?"
_OVERTAKE = "UPDATE journal SET state = 'overtaken', digest = NULL, metadata = NULL WHERE number = ?"
_TELL = "UPDATE journal SET state = 'told' WHERE number = ?"
_END = "DELETE FROM journal WHERE number = ?"


class Change(NamedTuple):
    """One write or delete. A delete has no content."""

    path: str
    expected_version: str | None
    operation: MemoryOperation | None
    content: bytes | None = None
    metadata: str | None = None


class _Entry(NamedTuple):
    """A row of the journal. `number` orders them; a delete has neither version nor digest."""

    number: int
    path: str
    expected_version: str | None
    version: str | None
    digest: bytes | None
    metadata: str | None
    operation_id: bytes | None
    fingerprint: bytes | None
    state: str
    begun_at: int


class _End(Enum):
    APPLIED = "applied"
    LANDED = "applied, and the file was edited after that"
    OVERTAKEN = "not applied, since the file had been edited"


def apply(change: Change, sidecar: Sidecar) -> MemoryMutation:
    """Apply one write or delete, with its receipt; or find that it was applied before."""
    try:
        with sidecar.lock(durable=True) as connection:
            begun = _begin(change, sidecar.tree, connection)
    except (OSError, sqlite3.Error):
        _clean_up(change.path, sidecar.tree)
        raise
    if isinstance(begun, MemoryMutation):
        return begun
    number, version = begun
    with sidecar.lock(resumes=True) as connection:
        error = _finish(number, sidecar.tree, connection)
    if error is not None:
        raise error
    return MemoryMutation(version=version, replayed=False, existed=change.expected_version is not None)


def recover(sidecar: Sidecar, connection: sqlite3.Connection) -> None:
    """End what was interrupted, in a transaction that has just begun. One path's trouble is not another's."""
    for row in connection.execute(_ENTRIES).fetchall():
        entry = _Entry(*row)
        if entry.state != "pending":
            if entry.begun_at < time.time() - _KEPT_S:
                connection.execute(_END, (entry.number,))
            continue
        with contextlib.suppress(OSError, ValueError):
            _settle(entry, sidecar.tree, connection)


def look_up_operation(operation: MemoryOperation, sidecar: Sidecar) -> MemoryMutation | None:
    """Return what the operation did, if it is recorded with the same fingerprint."""
    connection = sidecar.connection()
    found = _receipt(operation, connection)
    if found is None and connection.execute(_IS_PENDING, (_encoded(operation.id),)).fetchone():
        with sidecar.lock() as connection:
            found = _receipt(operation, connection)
    return found


def _begin(change: Change, tree: Tree, connection: sqlite3.Connection) -> MemoryMutation | tuple[int, str | None]:
    """Take the first step, and return the entry's number with the new version; or the result if that is all."""
    path, expected, operation, content, metadata = change
    if operation is not None:
        _tell_if_overtaken(operation, connection)
        replayed = _receipt(operation, connection)
        if replayed is not None:
            return replayed
    _require_ended(path, tree, connection)
    known = observe(path, tree, connection)
    _require_version(change, None if known is None else known.version)
    identity = None if operation is None else _encoded(operation.id)
    fingerprint = None if operation is None else _encoded(operation.fingerprint)
    if content is None:
        if known is None:
            _record(identity, fingerprint, None, existed=False, connection=connection)
            return MemoryMutation(version=None, replayed=False, existed=False)
        version = mark = None
    else:
        tree.require_room(path)
        tree.stage(path, content)
        version, mark = secrets.token_hex(16), digest(content)
    row = (path, expected, version, mark, metadata, identity, fingerprint, int(time.time()))
    number = connection.execute(_BEGIN, row).lastrowid
    assert number is not None  # noqa: S101 - an insert has one
    return number, version


def _finish(number: int, tree: Tree, connection: sqlite3.Connection) -> Exception | None:
    """Take the other steps. An error is returned, so that what was undone because of it is committed."""
    row = connection.execute(_ENTRY, (number,)).fetchone()
    if row is None:
        return None  # somebody else had the lock in between, and took them
    entry = _Entry(*row)
    try:
        end = _settle(entry, tree, connection) if entry.state == "pending" else _End.OVERTAKEN
    except (OSError, ValueError) as error:
        if not _has_landed(entry, tree):
            _clean_up(entry.path, tree)
            connection.execute(_END, (number,))
        return error
    if end is _End.APPLIED:
        return None
    connection.execute(_END, (number,))
    return _changed(entry.path, is_delete=entry.version is None)


def _settle(entry: _Entry, tree: Tree, connection: sqlite3.Connection) -> _End:
    """Take the last two steps of a pending entry, as far as they are still to be taken."""
    end = _take_place(entry, tree, connection)
    if end is not _End.OVERTAKEN:
        existed = entry.expected_version is not None
        _record(entry.operation_id, entry.fingerprint, entry.version, existed=existed, connection=connection)
    connection.execute(_END if end is _End.APPLIED else _OVERTAKE, (entry.number,))
    return end


def _take_place(entry: _Entry, tree: Tree, connection: sqlite3.Connection) -> _End:
    path = entry.path
    if entry.version is None or entry.digest is None:
        known = observe(path, tree, connection)
        if known is not None:
            if known.version != entry.expected_version:
                return _End.OVERTAKEN
            tree.remove(path)
            forget(path, connection)
        return _End.APPLIED
    written = Known(entry.version, entry.operation_id, entry.metadata, entry.digest, None)
    if not tree.is_staged(path):
        return _look_again(entry, written, tree, connection)
    known = observe(path, tree, connection)
    if (None if known is None else known.version) != entry.expected_version:
        tree.discard(path)
        return _End.OVERTAKEN
    put(path, written._replace(stamp=tree.replace(path)), connection)
    return _End.APPLIED


def _look_again(entry: _Entry, written: Known, tree: Tree, connection: sqlite3.Connection) -> _End:
    """Find out what became of a file whose staged text is gone: it took its place, before a crash."""
    with tree.file(entry.path) as fd:
        found = None if fd is None else digest_of(fd)
    if found == entry.digest:
        put(entry.path, written, connection)
        return _End.APPLIED
    known = observe(entry.path, tree, connection)
    if known is not None and known.version == entry.expected_version:
        return _End.OVERTAKEN  # the old text is there: somebody took the staged one away
    return _End.LANDED


def _has_landed(entry: _Entry, tree: Tree) -> bool:
    """Whether the second step was taken. Where that cannot be told, it is for the next user to find out."""
    try:
        if entry.version is not None:
            return not tree.is_staged(entry.path)
        with tree.file(entry.path) as fd:
            return fd is None
    except (OSError, ValueError):
        return True


def _clean_up(path: str, tree: Tree) -> None:
    """Remove a staged file that no entry speaks of. If that fails too, the next scan of the directory does it."""
    with contextlib.suppress(OSError, ValueError):
        tree.discard(path)


def _tell_if_overtaken(operation: MemoryOperation, connection: sqlite3.Connection) -> None:
    row = connection.execute(_OVERTAKEN, (_encoded(operation.id), _encoded(operation.fingerprint))).fetchone()
    if row is not None:
        number, path = row
        connection.execute(_TELL, (number,))
        raise MemoryConflictError(
            f"externally modified memory path {path!r} blocks recovery of an interrupted change; "
            "read it again and redo the change if it is not there"
        )


def _require_ended(path: str, tree: Tree, connection: sqlite3.Connection) -> None:
    """Raise what keeps an earlier change of the path from being ended, if there still is one."""
    for row in connection.execute(_ENTRIES).fetchall():
        entry = _Entry(*row)
        if entry.path == path and entry.state == "pending":
            _settle(entry, tree, connection)


def _require_version(change: Change, current: str | None) -> None:
    if change.expected_version is not None and current != change.expected_version:
        raise _changed(change.path, is_delete=change.content is None)
    require_version(change.path, current=current, expected=change.expected_version)


def _changed(path: str, *, is_delete: bool) -> MemoryConflictError:
    verb = "deleted" if is_delete else "written"
    return MemoryConflictError(
        f"memory path {path!r} changed before it could be {verb}; read it again and redo the change"
    )


def _receipt(operation: MemoryOperation, connection: sqlite3.Connection) -> MemoryMutation | None:
    row = connection.execute(_RECEIPT, (_encoded(operation.id),)).fetchone()
    if row is None:
        return None
    fingerprint, version, existed = row
    return replay(operation, Receipt(fingerprint.decode("utf-8", "surrogatepass"), version, bool(existed)))


def _record(
    identity: bytes | None, fingerprint: bytes | None, version: str | None, *,
    existed: bool, connection: sqlite3.Connection,
) -> None:  # fmt: skip
    if identity is not None:
        connection.execute(_RECORD, (identity, fingerprint, version, existed, int(time.time())))


def _encoded(text: str) -> bytes:
    """Return bytes that no other string has, lone surrogates or not."""
    return text.encode("utf-8", "surrogatepass")
