"""Conforming stores that answer in unusual but allowed ways: a kit that finds fault with one is wrong.

Must not know: the kit. How stores are opened and called is in `odd_kinds.py`, what they may refuse in
`odd_limits.py`.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import hashlib
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

from pytest_memory_store.faulty.base import BaseStore, Change, Hit, Query, SearchStore, Stored
from pytest_memory_store.faulty.contract import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperationConflictError,
    MemorySearchMatch,
    MemorySearchResult,
    Operation,
)
from pytest_memory_store.faulty.plain import PlainStore
from pytest_memory_store.faulty.registry import odd


@odd()
class EmojiVersions(BaseStore):
    """Gives out versions of emoji."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return "".join(chr(0x1F600 + byte % 64) for byte in secrets.token_bytes(16))


@odd()
class LongVersions(BaseStore):
    """Gives out versions of 5,000 characters."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return secrets.token_hex(2_500)


@odd()
class JsonVersions(BaseStore):
    """Gives out versions that are JSON, with quotes, braces and line ends."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return json.dumps({"etag": secrets.token_hex(8), "weak": False}, indent=1)


@odd()
class CountedVersions(BaseStore):
    """Counts the versions of each path from 1, and goes on counting after a delete."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}

    def new_version(self, change: Change, current: Stored | None) -> str:
        number = self.numbers[change.path] = self.numbers.get(change.path, 0) + 1
        return str(number)


@odd()
class ClockVersions(BaseStore):
    """Gives out the time as version, in nanoseconds, so that versions tell when and not how much was written."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 0

    def new_version(self, change: Change, current: Stored | None) -> str:
        self.last = max(self.last + 1, time.time_ns())
        return str(self.last)


@odd({"content_versions": True})
class HashedVersions(BaseStore):
    """Derives the version from the content, and claims `content_versions`."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return hashlib.sha256((change.content or "").encode()).hexdigest()


class Text(str):
    """Text as a driver may return it."""

    __slots__ = ()


class Rows(list[str]):
    """Rows as a driver may return them."""


@dataclass(frozen=True)
class RichFile(MemoryFile):
    """A file with a field more than the protocol has."""

    size: int = 0


@dataclass
class PlainMutation:
    """A result that inherits from nothing and can be changed."""

    existed: bool
    version: str | None
    replayed: bool
    took_s: float = 0.0


@odd()
class OwnResults(BaseStore):
    """Returns dataclasses of its own with more fields, and subclasses of `str` and `list`."""

    def show(self, stored: Stored, max_chars: int) -> MemoryFile:
        content, truncated = self.cut(stored.content, max_chars)
        operation_id = stored.operation_id and Text(stored.operation_id)
        metadata = self.show_metadata(stored)
        return RichFile(Text(content), Text(stored.version), operation_id, truncated, metadata, len(stored.content))

    def mutate(self, change: Change) -> Any:
        mutation = super().mutate(change)
        version = mutation.version and Text(mutation.version)
        return PlainMutation(existed=mutation.existed, version=version, replayed=mutation.replayed)

    def page(self, paths: list[str], limit: int) -> list[str]:
        return Rows(Text(path) for path in paths[:limit])


class StorageError(Exception):
    """Base class of a store's own errors."""


class StaleError(StorageError, MemoryConflictError):
    """A conflict that is also an error of the storage."""


class StaleNoteError(StaleError):
    """A conflict on one note, made with arguments of its own."""

    def __init__(self, *, note: str, expected: str | None) -> None:
        super().__init__()
        self.note = note
        self.expected = expected


class ReusedIdError(MemoryOperationConflictError, StorageError):
    """An id that was used for something else, with a text of its own."""

    def __str__(self) -> str:
        return "this id was used before"


class BadNameError(StorageError, ValueError):
    """A name that cannot be used."""


@odd()
class OwnErrors(BaseStore):
    """Raises deeper subclasses of the protocol's errors and of `ValueError`, made in their own way."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        return StaleNoteError(note=change.path, expected=change.expected_version)

    def replay(self, operation: Operation) -> MemoryMutation | None:
        try:
            return super().replay(operation)
        except MemoryOperationConflictError:
            raise ReusedIdError from None

    def check_path(self, path: str) -> None:
        try:
            super().check_path(path)
        except ValueError:
            raise BadNameError from None


@odd({"semantic": True})
class SemanticSearch(BaseStore):
    """Ranks files by how many letters they share with the query, and claims `semantic`."""

    def score(self, name: str, text: str, terms: list[str]) -> float:
        wanted = set("".join(terms))
        return len(wanted & set(self.fold(f"{name} {text}"))) / (1 + len(wanted))


@odd()
class RecentFirst(BaseStore):
    """Gives the newest match the highest score, and orders by that; SRCH-15 is a SHOULD."""

    def rank(self, hits: list[Hit]) -> list[Hit]:
        age = {path: number for number, path in enumerate(self.files, 1)}
        scored = [Hit(hit.stored, hit.text, float(age[hit.stored.path])) for hit in hits]
        return super().rank(scored)

    def put(self, change: Change, current: Stored | None) -> str:
        self.files.pop(change.path, None)
        return super().put(change, current)


@odd()
class ShortSnippets(BaseStore):
    """Quotes twenty characters at most, however much room there is, and scores with integers."""

    def match(self, hit: Hit, query: Query, room: int) -> MemorySearchMatch:
        return MemorySearchMatch(hit.stored.path, self.snippet(hit, query.terms, min(room, 20)), int(hit.score))


@odd()
class NoSnippets(BaseStore):
    """Quotes nothing: every snippet is empty."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        return ""


@odd()
class DeepSearchWithoutSlash(BaseStore):
    """Searches deeper scopes too where the prefix does not end in a slash, which SRCH-01 leaves open."""

    def scan(self, query: Query) -> MemorySearchResult:
        self.deep = not query.prefix.endswith("/")
        return super().scan(query)

    def is_child(self, name: str) -> bool:
        return super().is_child(name.rpartition("/")[2] if self.deep else name)


@odd()
class NoMetadata(SearchStore):
    """Has search and keeps no metadata, and so has no `write_with_metadata`."""


@odd()
class FiveMethods(PlainStore):
    """Has neither search nor metadata."""
