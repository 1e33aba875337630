"""Faulty stores of the SCOPE group: what one tenant sees of another.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import MemoryConflictError
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.faulty.contract import MemoryFile, MemoryMutation, Operation


def _within(path: str) -> str:
    """Return a path without the tenant's segment."""
    return path.partition("/")[2] or path


@faulty(
    "SCOPE-01",
    also=("READ-07", "READ-12", "PATH-10", "LIST-09", "DEL-11"),
    cause="a delete whose WHERE names the file and not the tenant",
)
class SameNameDeleted(BaseStore):
    """Deletes the file of the same name of every other tenant too."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            for path in [path for path in self.files if _within(path) == _within(change.path)]:
                del self.files[path]
        return None


@faulty("SCOPE-01", also=("DEL-11", "PATH-10", "READ-02"), cause="shared blobs without a count of who uses them")
class SharedTextDeleted(BaseStore):
    """Keeps equal texts once, and empties all files that hold a text when one of them is deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.blobs: dict[str, str] = {}

    def encode(self, content: str) -> str:
        digest = hashlib.sha256(content.encode()).hexdigest()
        self.blobs[digest] = content
        return content

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            self.blobs.pop(hashlib.sha256(current.content.encode()).hexdigest(), None)
        return super().remove(change, current)

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        kept = self.blobs.get(hashlib.sha256(content.encode()).hexdigest(), "")
        return super().cut(kept, max_chars)


@faulty(
    "SCOPE-01",
    also=("SCOPE-11", "CAS-08", "READ-02", "READ-12", "PATH-10", "READ-07"),
    cause="a cache key without the tenant",
)
class CacheForgetsTenant(BaseStore):
    """Shows the cached file of another tenant, where one of the same name was read last."""

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, Stored] = {}

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        stored = self.find(path)
        if shown is None or stored is None:
            return shown
        return self.show(self.cache.setdefault(_within(path), stored), max_chars)

    def apply(self, change: Change, current: Stored | None) -> MemoryMutation:
        self.cache.pop(_within(change.path), None)
        return super().apply(change, current)


@faulty(
    "SCOPE-06",
    also=("OP-03", "OP-04", "OP-16", "OP-17", "OP-28", "SCOPE-01"),
    cause="receipts kept in the partition of a path",
)
class ReceiptNeedsPath(BaseStore):
    """Finds from `get_operation` only the receipts of the directory that was written last."""

    def __init__(self) -> None:
        super().__init__()
        self.place: dict[str, str] = {}
        self.last = ""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        super().record(change, operation, mutation)
        self.last = self.place[operation.id] = change.path.rpartition("/")[0]

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        return known if self.place.get(operation.id) == self.last else None


@faulty("SCOPE-06", also=("OP-05", "OP-14"), cause="a column for 60 characters that cuts what is longer")
class IdIsCutAt60(BaseStore):
    """Finds receipts by the first 60 characters of the id, four too few for a SHA-256 digest."""

    def receipt_key(self, operation_id: str) -> str:
        return operation_id[:60]


@faulty("SCOPE-07", claims={"bound": "tenant-a/"}, cause="a claim to be bound that no check keeps")
class BoundToNobody(BaseStore):
    """Claims to be bound to `tenant-a/`, and serves the paths of all."""


@faulty("SCOPE-08", also=("SCOPE-01", "PATH-17"), cause="an error message that says what happened last")
class ConflictNamesOthers(BaseStore):
    """Names in the error of a version conflict the path that was written last, whoever wrote it."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""

    def put(self, change: Change, current: Stored | None) -> str:
        self.last = change.path
        return super().put(change, current)

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        return MemoryConflictError(f"{change.path} has another version; {self.last} was written just now")


@faulty(
    "SCOPE-10", also=("LIST-03", "LIST-05", "SCOPE-01", "DEL-09"), cause="a page that is filtered after it was fetched"
)
class FilteredAfterPaging(BaseStore):
    """Looks for the prefix among the first 500 paths of the store only."""

    def listing(self, prefix: str) -> list[str]:
        page = self.order(stored.path for stored in self.files.values())[:500]
        return [path for path in page if self.has_prefix(path, prefix)]


@faulty(
    "SCOPE-11",
    also=("META-02", "META-05", "READ-10", "PATH-10", "OP-07", "OP-17", "SCOPE-01"),
    cause="a metadata table keyed by the file and not the tenant",
)
class MetadataByName(BaseStore):
    """Shows the metadata of the file of this name that was written last, by whatever tenant."""

    def __init__(self) -> None:
        super().__init__()
        self.table: dict[str, dict[str, str] | None] = {}

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        kept = self.table[_within(change.path)] = super().keep_metadata(change, current)
        return kept

    def show_metadata(self, stored: Stored) -> Mapping[str, str] | None:
        kept = self.table.get(_within(stored.path))
        return None if kept is None else dict(kept)
