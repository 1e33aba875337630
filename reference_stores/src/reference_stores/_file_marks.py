"""What tells files apart: their names, and the marks by which a change made outside is noticed.

What lives here: the store's own names, the names in a directory, bytes, stamps and digests. Directories and
files are open descriptors here; how one is reached is not known, and nothing is written.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import Final, NamedTuple

from reference_stores.rules import validate_path

if not {os.open, os.stat, os.mkdir, os.unlink, os.rename, os.rmdir} <= os.supports_dir_fd:
    raise ImportError("FileStore needs a POSIX system, where files are opened relative to a directory")

SIDECAR: Final = ".memory.sqlite3"
"""The name of the database beside the files. It and every name that begins with it are reserved."""

TEMPORARY: Final = ".memory-tmp-"
"""What stands before the name of a file whose staged text is to take its place; reserved as a beginning too."""

_RESERVED = (SIDECAR, TEMPORARY)
_CHUNK_BYTES = 1 << 20
_SECOND_NS = 1_000_000_000
_COARSE_SETTLE_NS = 2 * _SECOND_NS
_FINE_SETTLE_NS = _SECOND_NS // 10


class Names(NamedTuple):
    """What a directory holds that a path can name: files as `name`, directories as `name/`; and staged files."""

    entries: set[str]
    staged: set[str]


def is_reserved(name: str) -> bool:
    """Whether a file or directory may not be called so, in whatever case: the store's own names begin so."""
    return name.lower().startswith(_RESERVED)


def scan(fd: int) -> Names:
    """Return what lies in a directory. Links, special files and names that no path can have are passed over."""
    names = Names(set(), set())
    with os.scandir(fd) as entries:
        for entry in entries:
            if is_reserved(entry.name):
                if entry.name.startswith(TEMPORARY):
                    names.staged.add(entry.name)
            elif not _can_be_named(entry.name):
                continue
            elif entry.is_file(follow_symlinks=False):
                names.entries.add(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                names.entries.add(entry.name + "/")
    return names


def stamp_of(status: os.stat_result) -> str:
    """Return a text that changes when the file or directory does, except within one tick of the clock."""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def is_settled(status: os.stat_result) -> bool:
    """Whether the last change is so long ago that any later one has another stamp."""
    age = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
    return age > (_FINE_SETTLE_NS if is_fine(status) else _COARSE_SETTLE_NS)


def digest(content: bytes) -> bytes:
    """Return the digest by which changed content is noticed."""
    return hashlib.blake2b(content, digest_size=16).digest()


def digest_of(fd: int) -> bytes:
    """Return the digest of a file from its beginning, in bounded memory."""
    hashed = hashlib.blake2b(digest_size=16)
    offset = 0
    while chunk := os.pread(fd, _CHUNK_BYTES, offset):
        hashed.update(chunk)
        offset += len(chunk)
    return hashed.digest()


def read_bytes(fd: int, count: int) -> bytes:
    """Return the first `count` bytes of a file, fewer only if it ends there."""
    chunks: list[bytes] = []
    offset = 0
    while offset < count and (chunk := os.pread(fd, min(_CHUNK_BYTES, count - offset), offset)):
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


def is_fine(status: os.stat_result) -> bool:
    """Whether the file system keeps times finer than seconds, as far as one file can tell."""
    return status.st_mtime_ns % _SECOND_NS != 0


def _can_be_named(name: str) -> bool:
    try:
        validate_path(name)
    except ValueError:
        return False
    return True
