"""What the sidecar knows of the files of a `FileStore`, and how it is kept true while people edit them.

What lives here: the versions of files, and the names in directories. A change made outside is noticed by the
stamp of a file or directory; what it was is found out by reading the one file, or scanning the one directory.
Nothing here writes a file; a scan removes staged ones that no entry of the journal speaks of. Functions that
change the index are called with the sidecar's lock held.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import secrets
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from reference_stores._file_marks import (
    TEMPORARY,
    Names,
    digest_of,
    is_reserved,
    is_settled,
    read_bytes,
    scan,
    stamp_of,
)
from reference_stores.contract import MemoryFile, MemoryPathEscapeError
from reference_stores.rules import decode_metadata, directory_of, is_addressable, prefix_end

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from reference_stores._file_sidecar import Sidecar
    from reference_stores._file_tree import Tree
    from reference_stores.lexical import LexicalSearch

_BYTES_PER_CHAR: Final = 4
"""The most that a character takes in UTF-8."""

_PAGES: Final = (25, 100, 400, 1600)
"""How many names are fetched at once: few at first, since few may be asked for, and as the last from then on."""

_BATCH_CHARS: Final = 1_000_000
_BATCH_FILES: Final = 100
"""After how much one visit of a search ends."""

_FIND = "SELECT version, operation_id, metadata, digest, stamp FROM entries WHERE directory = ? AND name = ?"
_PUT = """
    INSERT INTO entries (directory, name, version, operation_id, metadata, digest, stamp)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (directory, name) DO UPDATE SET
        version = excluded.version, operation_id = excluded.operation_id, metadata = excluded.metadata,
        digest = excluded.digest, stamp = excluded.stamp
"""
_REMOVE = "DELETE FROM entries WHERE directory = ? AND name = ?"
_REMOVE_BELOW = "DELETE FROM entries WHERE directory = ? OR (directory >= ? AND directory < ?)"
_NAMES = "SELECT name FROM entries WHERE directory = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?"
_ALL_NAMES = "SELECT name FROM entries WHERE directory = ?"
_STAMP = "SELECT stamp FROM entries WHERE directory = ? AND name = ?"
_PENDING = "SELECT path FROM journal WHERE state = 'pending'"
_ADD = "INSERT OR IGNORE INTO entries (directory, name) VALUES (?, ?)"


class Known(NamedTuple):
    """What the sidecar says of a file. Without a stamp, only the digest tells whether it still holds."""

    version: str
    operation_id: bytes | None
    metadata: str | None
    digest: bytes
    stamp: str | None


def read_file(path: str, max_chars: int, sidecar: Sidecar) -> MemoryFile | None:
    """Return the beginning of one file, with its version as the file is now."""
    while True:
        known = _find(path, sidecar.connection())
        with sidecar.tree.file(path) as fd:
            if fd is None and known is None:
                return None
            if fd is not None and known is not None:
                content = _read_chars(fd, max_chars)
                if _is_current(known, fd):
                    return _file(path, content, max_chars, known)
        with sidecar.lock() as connection:
            observe(path, sidecar.tree, connection)


def observe(path: str, tree: Tree, connection: sqlite3.Connection) -> Known | None:
    """Return what is known of a file, after giving it a new version if somebody changed it."""
    known = _find(path, connection)
    with tree.file(path) as fd:
        if fd is None:
            if known is not None:
                forget(path, connection)
            return None
        status = os.fstat(fd)
        stamp: str | None = stamp_of(status)
        if known is not None and known.stamp == stamp:
            return known
        digest = digest_of(fd)
        if not is_settled(status) or stamp_of(os.fstat(fd)) != stamp:
            stamp = None
    if known is None or known.digest != digest:
        known = Known(secrets.token_hex(16), None, None, digest, stamp)
    else:
        known = known._replace(stamp=stamp)
    put(path, known, connection)
    return known


def put(path: str, known: Known, connection: sqlite3.Connection) -> None:
    """Record what a file is."""
    connection.execute(_PUT, (*_key(path), *known))


def forget(path: str, connection: sqlite3.Connection) -> None:
    """Record that there is no such file."""
    connection.execute(_REMOVE, _key(path))


def list_files(prefix: str, limit: int, sidecar: Sidecar) -> list[str]:
    """Return the first `limit` paths that start with `prefix`, passing no directory beyond the last of them."""
    found: list[str] = []
    stack = [_entries(prefix, prefix, sidecar)]
    while stack and len(found) < limit:
        path = next(stack[-1], None)
        if path is None:
            stack.pop()
        elif path.endswith("/"):
            stack.append(_entries(path, path, sidecar))
        else:
            found.append(path)
    return found


def search_files(
    found: LexicalSearch, prefix: str, start: str, max_files: int, max_file_chars: int, sidecar: Sidecar
) -> tuple[int, str | None]:
    """Look into files directly below `prefix`, from `start` on in path order, for one visit.

    Returns how many of the `max_files` are left, and where the next visit starts, `None` if there is none.
    """
    chars = visited = 0
    for path in _entries(prefix, start, sidecar):
        if path.endswith("/") or not is_addressable(path):
            continue
        if max_files == 0:
            found.leave_out()
            break
        if chars >= _BATCH_CHARS or visited >= _BATCH_FILES:
            return max_files, path
        visited += 1
        try:
            content, is_cut = _beginning(path, max_file_chars, sidecar.tree)
        except (OSError, ValueError):  # gone, or unreadable: the others are searched all the same
            found.leave_out()
            continue
        found.add(path, content, is_cut=is_cut)
        max_files -= 1
        chars += len(content)
    return max_files, None


def _entries(prefix: str, start: str, sidecar: Sidecar) -> Iterator[str]:
    """Yield what lies beside or directly below `prefix`, directories with a `/`, from `start` on in path order."""
    connection = sidecar.connection()
    directory = directory_of(prefix)
    above = len(directory) + 1 if directory else 0
    name, end = start[above:], prefix_end(prefix[above:])
    if start == prefix and not _refresh(directory, sidecar):
        return
    for size in chain(_PAGES, repeat(_PAGES[-1])):
        page = connection.execute(_NAMES, (directory, name, end, size)).fetchall()
        for (name,) in page:
            yield directory + "/" + name if directory else name
        if len(page) < size:
            return
        name += " "  # sorts before every name that goes on from this one


def _refresh(directory: str, sidecar: Sidecar) -> bool:
    """Make the names known in a directory true, and return whether it is one. Costs nothing if it is unchanged."""
    if any(is_reserved(name) for name in directory.split("/")):
        return False
    tree, connection = sidecar.tree, sidecar.connection()
    try:
        with tree.directory(directory) as fd:
            status = os.fstat(fd)
            if _stamp(directory, connection) == stamp_of(status):
                return True
            # So soon after a change there may be another, unseen by the stamp: it is not worth recording.
            if not is_settled(status) and scan(fd) == Names(_names(directory, connection), set()):
                return True
        with sidecar.lock() as connection, tree.directory(directory) as fd:
            _rescan(directory, fd, connection)
    except (FileNotFoundError, NotADirectoryError, MemoryPathEscapeError):
        return False
    return True


def _rescan(directory: str, fd: int, connection: sqlite3.Connection) -> None:
    status = os.fstat(fd)
    found, known = scan(fd), _names(directory, connection)
    for name in known - found.entries:
        connection.execute(_REMOVE, (directory, name))
        if name.endswith("/"):
            inner = f"{directory}/{name}" if directory else name
            connection.execute(_REMOVE_BELOW, (inner[:-1], inner, prefix_end(inner)))
    connection.executemany(_ADD, [(directory, name) for name in found.entries - known])
    pending = {path for (path,) in connection.execute(_PENDING)}
    for name in found.staged:
        path = name.removeprefix(TEMPORARY)
        if (f"{directory}/{path}" if directory else path) in pending:
            continue
        # A process ended before it could tell of it.
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=fd)
    if is_settled(status):
        connection.execute(_PUT, (*_key(f"{directory}/"), None, None, None, None, stamp_of(status)))


def _find(path: str, connection: sqlite3.Connection) -> Known | None:
    row = connection.execute(_FIND, _key(path)).fetchone()
    return None if row is None or row[0] is None else Known(*row)


def _stamp(directory: str, connection: sqlite3.Connection) -> str | None:
    (stamp,) = connection.execute(_STAMP, _key(f"{directory}/")).fetchone() or (None,)
    return stamp


def _names(directory: str, connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute(_ALL_NAMES, (directory,))}


def _key(path: str) -> tuple[str, str]:
    """Return the directory and the name of an entry. The root, as `/`, is filed where no path can be."""
    above, _, name = path.removesuffix("/").rpartition("/")
    if path == "/":
        return "/", "/"
    return above, name + path[len(path.removesuffix("/")) :]


def _is_current(known: Known, fd: int) -> bool:
    """Whether a file is still what is known of it."""
    status = os.fstat(fd)
    if known.stamp is None:
        return not is_settled(status) and digest_of(fd) == known.digest
    return known.stamp == stamp_of(status)


def _beginning(path: str, max_chars: int, tree: Tree) -> tuple[str, bool]:
    """Return the first characters of a file, and whether there are more.

    Raises:
        FileNotFoundError: there is none.
        ValueError: as much of it as was asked for is not UTF-8.
    """
    with tree.file(path) as fd:
        if fd is None:
            raise FileNotFoundError(errno.ENOENT, "no such file", path)
        content = _read_chars(fd, max_chars)
    return _cut(path, content, max_chars)


def _read_chars(fd: int, max_chars: int) -> bytes:
    """Return bytes that hold one character more than `max_chars`, or the whole file."""
    return read_bytes(fd, _BYTES_PER_CHAR * (max_chars + 1))


def _cut(path: str, content: bytes, max_chars: int) -> tuple[str, bool]:
    is_whole = len(content) < _BYTES_PER_CHAR * (max_chars + 1)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(content, final=is_whole)
    except UnicodeDecodeError as error:
        text = content[: error.start].decode()
        if len(text) >= max_chars:  # what is asked for is there, and it takes a read to delete such a file
            return text[:max_chars], True
        # Not chained: that error holds the whole content, and would take it into a log.
        raise ValueError(f"memory path {path!r} is not UTF-8 from byte {error.start} on; save it as UTF-8") from None
    return text[:max_chars], len(text) > max_chars


def _file(path: str, content: bytes, max_chars: int, known: Known) -> MemoryFile:
    text, truncated = _cut(path, content, max_chars)
    return MemoryFile(
        content=text,
        version=known.version,
        operation_id=None if known.operation_id is None else known.operation_id.decode("utf-8", "surrogatepass"),
        truncated=truncated,
        metadata=decode_metadata(known.metadata),
    )
