"""The rules of the contract as pure functions, so that every store decides alike.

They are public, so that no author of a store needs a private module. What lives here: which arguments are
valid, what a recorded operation decides, how metadata is kept; `lexical.py` has what matches a query. Nothing
here awaits, holds a lock or does I/O, and nothing here may know a store. Lengths are counted in characters
(code points).
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import cast

from reference_stores.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
)

MAX_METADATA_CHARS = 4_096
"""The longest metadata a reference store keeps, in characters of its JSON encoding (META-11)."""

_PATH = re.compile(r"[A-Za-z0-9_.-]{1,200}(?:/[A-Za-z0-9_.-]{1,200})*")
_ADDRESSABLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_logger = logging.getLogger(__name__)


def require_str(name: str, value: object) -> None:
    """Raise `TypeError` unless the argument called `name` is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is a {type(value).__name__}; it must be a str")


def require_int(name: str, value: object) -> None:
    """Raise `TypeError` unless the argument called `name` is an integer; a `bool` is not one here."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is a {type(value).__name__}; it must be an int")


def validate_path(path: str) -> None:
    """Raise `ValueError` unless `path` is a valid path (PATH-01 to PATH-04), `TypeError` if no string."""
    require_str("path", path)
    if not _is_path(path):
        raise ValueError(
            f"invalid memory path {shortened(path)}: join segments with '/', each 1 to 200 characters from "
            "A-Z a-z 0-9 _ . - and none of them '.' or with '..' in it"
        )


def validate_prefix(prefix: str) -> None:
    """Raise `ValueError` unless `prefix` is empty or a valid path with at most one `/` after it (PATH-06)."""
    require_str("prefix", prefix)
    if prefix and not _is_path(prefix.removesuffix("/")):
        raise ValueError(
            f"invalid memory prefix {shortened(prefix)}: give '' for the whole store, "
            "or a valid path that may end in one '/'"
        )


def validate_content(content: str) -> None:
    """Raise `ValueError` if `content` has a NUL character or a lone surrogate (TYPE-08).

    Backends lose or refuse them. The message gives the position only: what was to be remembered does not
    belong in a log (DEL-05).
    """
    require_str("content", content)
    _require_storable("content", content)


def validate_bound(name: str, value: int) -> None:
    """Raise `ValueError` if the bound called `name` is not positive, `TypeError` if it is no `int`.

    A `bool` is refused: `limit=True` is a slip, not a request for one path. Any positive integer is valid,
    however large (READ-06, LIST-04).
    """
    require_int(name, value)
    if value <= 0:
        raise ValueError(f"{name} is {value}; it must be positive")


def validate_expected_version(expected_version: str | None) -> None:
    """Raise `TypeError` unless `expected_version` is `None` or a string; any string is valid (CAS-12)."""
    if expected_version is not None:
        require_str("expected_version", expected_version)


def validate_operation(operation: MemoryOperation | None) -> None:
    """Raise `TypeError` if the id or the fingerprint is no string.

    Every string will do, the empty one, one with NUL and one with lone surrogates included (OP-14). A backend
    that cannot keep it as text keeps its bytes: UTF-8 with `surrogatepass` tells all strings apart.
    """
    if operation is not None:
        require_str("operation.id", operation.id)
        require_str("operation.fingerprint", operation.fingerprint)


def directory_of(path: str) -> str:
    """Return what stands before the last `/`, or `""` at the root: the scope a file belongs to.

    A file is directly below a prefix if it starts with the prefix and both have the same directory.
    """
    return path.rpartition("/")[0]


def is_direct_child(prefix: str, path: str) -> bool:
    """Whether `path` starts with `prefix` and has no further `/` after it (SRCH-01)."""
    return path.startswith(prefix) and directory_of(path) == directory_of(prefix)


def prefix_end(prefix: str) -> str:
    """Return a text that sorts after all paths that start with `prefix`, and before all other later ones.

    With `prefix` itself it bounds a range of sorted paths, since paths are ASCII.
    """
    return prefix + "\x7f"


def is_addressable(path: str) -> bool:
    """Whether the agent's tools can name this file in its directory; search skips the others (SRCH-24)."""
    return _ADDRESSABLE_NAME.fullmatch(path.rpartition("/")[2]) is not None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a store keeps of an applied operation, under its id. It never holds content (OP-22)."""

    fingerprint: str
    version: str | None
    existed: bool


def replay(operation: MemoryOperation | None, recorded: Receipt | None) -> MemoryMutation | None:
    """Decide what the receipt under the operation's id means: `None` to go ahead, or the mutation to return.

    Raises:
        MemoryOperationConflictError: the receipt has another fingerprint (OP-05, OP-24).
    """
    if operation is None or recorded is None:
        return None
    if recorded.fingerprint != operation.fingerprint:
        raise MemoryOperationConflictError(
            f"operation {shortened(operation.id)} was applied with another fingerprint; "
            "give every request an id of its own"
        )
    return MemoryMutation(version=recorded.version, replayed=True, existed=recorded.existed)


def require_version(path: str, *, current: str | None, expected: str | None) -> None:
    """Raise `MemoryConflictError` unless the versions are equal; `None` is no file (CAS-01 to CAS-06)."""
    if current == expected:
        return
    if current is None:
        found = "there is no such file"
    elif expected is None:
        found = "the file exists"
    else:
        found = "the file has another version"
    raise MemoryConflictError(f"memory path {path!r} is not as expected: {found}; read it again and redo the change")


def encode_metadata(metadata: Mapping[str, str] | None) -> str | None:
    """Return `metadata` as JSON, or `None` if it is `None` or empty, which is the same (META-06).

    Raises:
        TypeError: `metadata` is no mapping, or a key or value is no string (META-11).
        ValueError: a key or value has NUL or a lone surrogate, or the JSON is longer than
            `MAX_METADATA_CHARS` (META-11, META-12).
    """
    if metadata is None:
        return None
    if not isinstance(cast("object", metadata), Mapping):
        raise TypeError(f"metadata is a {type(metadata).__name__}; it must be a mapping of strings to strings, or None")
    entries = dict(metadata)
    for entry in entries.items():
        for text in entry:
            require_str("a key or value of metadata", text)
            _require_storable("a key or value of metadata", text)
    if not entries:
        return None
    encoded = json.dumps(entries, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    if len(encoded) > MAX_METADATA_CHARS:
        raise ValueError(f"metadata has {len(encoded)} characters as JSON; the limit is {MAX_METADATA_CHARS}")
    return encoded


def decode_metadata(encoded: str | None) -> dict[str, str] | None:
    """Return what `encode_metadata` kept, in a dictionary of the caller's own (META-13).

    Anything else was put there by something else. It reads as `None` and is logged, since a file must stay
    readable (META-16).
    """
    if encoded is None:
        return None
    try:
        decoded: object = json.loads(encoded)
    except (TypeError, ValueError, RecursionError):
        decoded = None
    if isinstance(decoded, dict):
        entries = cast("dict[str, object]", decoded)
        if all(isinstance(value, str) for value in entries.values()):
            return cast("dict[str, str]", entries) or None
    _logger.warning("stored metadata is not a JSON object of strings; it is read as none")
    return None


def _is_path(text: str) -> bool:
    return _PATH.fullmatch(text) is not None and ".." not in text and "/./" not in f"/{text}/"


def _require_storable(name: str, text: str) -> None:
    position = text.find("\0")
    if position >= 0:
        raise ValueError(f"{name} has a NUL character at position {position}; remove it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # Not chained: that error holds the whole text, and would take it into a log.
        raise ValueError(f"{name} has a lone surrogate at position {error.start}; remove it") from None
