"""A small conforming store, in memory, with one seam for each decision that a store can get wrong.

Must not know: the kit, the reference stores. Each faulty store overrides one seam, or little more, so that it
is wrong in one way. The protocol's methods come first, then the seams in the order in which a call meets
them: arguments, receipt, version, effect. Nothing here awaits, so every call is one atomic step.
"""

# ruff: noqa: ARG002 - a seam is given all that a wrong decision might look at

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.contract import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperationConflictError,
    Operation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_METADATA_CHARS = 4_096
"""The longest metadata kept, in characters of its JSON encoding."""

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,200}", re.ASCII)


@dataclass(slots=True)
class Stored:
    """A file as it is kept."""

    path: str
    content: str
    version: str
    operation_id: str | None = None
    metadata: dict[str, str] | None = None

    @property
    def directory(self) -> str:
        """The path up to and with its last `/`, empty at the top."""
        return self.path[: self.path.rfind("/") + 1]


@dataclass(slots=True)
class Change:
    """A write or delete as it was asked for; a delete has no `content`."""

    path: str
    content: str | None
    expected_version: str | None
    operation: Operation | None = None
    metadata: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.metadata, Mapping | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("metadata must be a mapping, or None")


@dataclass(slots=True)
class Receipt:
    """What is remembered of an applied operation."""

    fingerprint: str
    mutation: MemoryMutation


class PlainStore:
    """A conforming store with the five methods alone. It keeps every receipt; its versions are random."""

    def __init__(self) -> None:
        self.files: dict[str, Stored] = {}
        self.receipts: dict[str, Receipt] = {}

    # The protocol.

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return the file, its content cut to `max_chars` characters, or `None` where there is none."""
        self.check_path(path)
        self.check_bound("max_chars", max_chars)
        stored = self.find(path)
        return None if stored is None else self.show(stored, max_chars)

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        """Return the receipt of `operation`, or `None` where it was never applied."""
        return self.replay(operation)

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: Operation | None = None
    ) -> MemoryMutation:
        """Create or replace the file where its version is the expected one."""
        return self.mutate(Change(path, content, expected_version, operation))

    async def delete(
        self, path: str, *, expected_version: str | None, operation: Operation | None = None
    ) -> MemoryMutation:
        """Delete the file where its version is the expected one."""
        return self.mutate(Change(path, None, expected_version, operation))

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Return the first `limit` paths that begin with `prefix`, in code-point order."""
        self.check_prefix(prefix)
        self.check_bound("limit", limit)
        return self.page(self.listing(prefix), limit)

    # Arguments.

    def check_path(self, path: str) -> None:
        """Refuse an invalid path."""
        if not all(self.is_segment(segment) for segment in path.split("/")):
            raise ValueError(f"invalid path {path!r}: join segments of A-Z a-z 0-9 _ . - by single slashes")

    def is_segment(self, segment: str) -> bool:
        """Whether a path may hold this segment."""
        return _SEGMENT.fullmatch(segment) is not None and ".." not in segment and segment != "."

    def check_prefix(self, prefix: str) -> None:
        """Refuse an invalid prefix."""
        if prefix:
            self.check_path(prefix.removesuffix("/"))

    def check_bound(self, name: str, value: int) -> None:
        """Refuse a bound that is not above zero."""
        if value <= 0:
            raise ValueError(f"{name} is {value}: give a number above zero")

    def check_change(self, change: Change) -> None:
        """Refuse a mutation by its arguments alone."""
        self.check_path(change.path)
        if change.content is not None:
            self.check_content(change.content)
        if change.metadata:
            self.check_metadata(change.metadata)

    def check_content(self, content: str) -> None:
        """Refuse content that cannot be kept."""
        if "\x00" in content or not is_encodable(content):
            raise ValueError("the content holds NUL or a lone surrogate: remove it")

    def check_metadata(self, metadata: Mapping[str, str]) -> None:
        """Refuse metadata that cannot be kept."""
        texts = [text for pair in metadata.items() for text in pair]
        if not all(isinstance(text, str) for text in texts):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("metadata keys and values must be text")
        if not all("\x00" not in text and is_encodable(text) for text in texts):
            raise ValueError("the metadata holds NUL or a lone surrogate: remove it")
        size = self.metadata_size(metadata)
        if size > MAX_METADATA_CHARS:
            raise ValueError(f"the metadata is {size} characters as JSON: the limit is {MAX_METADATA_CHARS}")

    def metadata_size(self, metadata: Mapping[str, str]) -> int:
        """Return the length of the metadata's JSON encoding in characters."""
        return len(json.dumps(dict(metadata), ensure_ascii=False, separators=(",", ":")))

    # Mutations: receipt, version, effect.

    def mutate(self, change: Change) -> MemoryMutation:
        """Apply a mutation, or answer it by its receipt, or refuse it."""
        self.check_change(change)
        if change.operation is not None:
            replay = self.replay(change.operation)
            if replay is not None:
                return replay
        current = self.find(change.path)
        self.check_version(change, current)
        return self.apply(change, current)

    def replay(self, operation: Operation) -> MemoryMutation | None:
        """Return the answer that a repetition of `operation` gets, or `None` where it was never applied."""
        receipt = self.receipts.get(self.receipt_key(operation.id))
        if receipt is None:
            return None
        if not self.is_same_fingerprint(receipt.fingerprint, operation.fingerprint):
            raise MemoryOperationConflictError("the operation was applied with other arguments: use a new id")
        return self.replayed(receipt.mutation)

    def receipt_key(self, operation_id: str) -> str:
        """Return the key of a receipt."""
        return operation_id

    def is_same_fingerprint(self, known: str, given: str) -> bool:
        """Whether two fingerprints are of the same arguments."""
        return known == given

    def replayed(self, mutation: MemoryMutation) -> MemoryMutation:
        """Return the answer to a repetition of the operation that was first answered with `mutation`."""
        return MemoryMutation(version=mutation.version, replayed=True, existed=mutation.existed)

    def check_version(self, change: Change, current: Stored | None) -> None:
        """Refuse a mutation whose expected version is not the current one."""
        if not self.is_expected(change, current):
            raise self.conflict(change, current)

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        """Whether the expected version is the current one."""
        return change.expected_version == (current.version if current else None)

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        """Return the error that refuses a mutation by its version."""
        return MemoryConflictError(f"{change.path} has another version: read it again")

    def apply(self, change: Change, current: Stored | None) -> MemoryMutation:
        """Do what was asked for, and record it."""
        version = self.put(change, current) if change.content is not None else self.remove(change, current)
        mutation = self.answer(change, current, version)
        if change.operation is not None:
            self.record(change, change.operation, mutation)
        return mutation

    def put(self, change: Change, current: Stored | None) -> str:
        """Keep the content, and return its version."""
        stored = Stored(change.path, self.encode(change.content or ""), self.new_version(change, current))
        stored.operation_id = self.origin(change, current)
        stored.metadata = self.keep_metadata(change, current)
        self.files[self.key(change.path)] = stored
        return stored.version

    def remove(self, change: Change, current: Stored | None) -> str | None:
        """Drop the file."""
        self.files.pop(self.key(change.path), None)
        return None

    def new_version(self, change: Change, current: Stored | None) -> str:
        """Return a version that was never given out."""
        return secrets.token_hex(8)

    def encode(self, content: str) -> str:
        """Return the content as it is kept."""
        return content

    def origin(self, change: Change, current: Stored | None) -> str | None:
        """Return the id of the operation that makes this change."""
        return change.operation.id if change.operation else None

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        """Return the metadata as it is kept."""
        return dict(change.metadata) if change.metadata else None

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        """Return the answer to a mutation that was applied."""
        return MemoryMutation(version=version, replayed=False, existed=current is not None)

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        """Remember an applied operation."""
        self.receipts[self.receipt_key(operation.id)] = Receipt(operation.fingerprint, mutation)

    # Reads.

    def key(self, path: str) -> str:
        """Return the key under which a path is kept."""
        return path

    def find(self, path: str) -> Stored | None:
        """Return the file at `path`."""
        return self.files.get(self.key(path))

    def show(self, stored: Stored, max_chars: int) -> MemoryFile:
        """Return a file as a reader sees it."""
        content, truncated = self.cut(stored.content, max_chars)
        return MemoryFile(content, stored.version, stored.operation_id, truncated, self.show_metadata(stored))

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        """Return the first `max_chars` characters, and whether there are more."""
        return content[:max_chars], len(content) > max_chars

    def show_metadata(self, stored: Stored) -> Mapping[str, str] | None:
        """Return a file's metadata as a reader sees it."""
        return None if stored.metadata is None else dict(stored.metadata)

    # Listings.

    def listing(self, prefix: str) -> list[str]:
        """Return every path that begins with `prefix`, in code-point order."""
        paths = (stored.path for stored in self.files.values())
        return self.order(path for path in paths if self.has_prefix(path, prefix))

    def has_prefix(self, path: str, prefix: str) -> bool:
        """Whether a path is below a prefix."""
        return path.startswith(prefix)

    def order(self, paths: Iterable[str]) -> list[str]:
        """Return the paths sorted."""
        return sorted(paths)

    def page(self, paths: list[str], limit: int) -> list[str]:
        """Return the first `limit` paths."""
        return paths[:limit]


def is_encodable(text: str) -> bool:
    """Whether the text holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
