"""Faulty stores of the META group: what becomes of the metadata of a write.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import MemoryMutation, MemoryOperationConflictError
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import Operation

Metadata = Mapping[str, str]


@faulty(
    "META-01",
    also=("PATH-01", "READ-02", "READ-12", "CAS-02", "TYPE-02", "META-02", "META-04", "META-11", "META-19"),
    cause="a parameter with a name of its own",
)
class MetadataHasOtherName(BaseStore):
    """Calls the parameter `metadata` of its write `meta`."""

    async def write_with_metadata(  # type: ignore[override]
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        meta: Metadata | None,
        operation: Operation | None = None,
    ) -> MemoryMutation:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.mutate(Change(path, content, expected_version, operation, meta))


@faulty("META-02", also=("META-04", "META-18", "META-08", "META-10", "META-13"), cause="a column that nobody reads")
class MetadataNotShown(BaseStore):
    """Accepts metadata, and never shows it."""

    def show_metadata(self, stored: Stored) -> Metadata | None:
        return None


@faulty("META-02", also=("META-04", "META-18", "META-13", "TYPE-03"), cause="a JSON column that nobody decodes")
class MetadataIsText(BaseStore):
    """Shows metadata as JSON text."""

    def show_metadata(self, stored: Stored) -> Any:
        return stored.metadata and json.dumps(stored.metadata)


@faulty("META-04", also=("META-02",), cause="a JSON patch, or dict.update")
class MetadataMerged(BaseStore):
    """Adds the metadata of a write to what was there."""

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        if not change.metadata:
            return None
        return {**((current.metadata if current else None) or {}), **change.metadata}


@faulty("META-05", also=("READ-10",), cause="an UPDATE that leaves the metadata column as it was")
class PlainWriteKeepsMetadata(BaseStore):
    """Keeps the metadata of an earlier write when a plain write replaces the content."""

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: Operation | None = None
    ) -> MemoryMutation:
        current = self.files.get(path)
        metadata = current.metadata if current else None
        return self.mutate(Change(path, content, expected_version, operation, metadata))


@faulty("META-06", also=("META-05", "READ-10"), cause="a JSON column that tells {} from NULL")
class EmptyMetadataKept(BaseStore):
    """Shows `{}` where an empty mapping was written."""

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        return None if change.metadata is None else dict(change.metadata)


@faulty("META-06", also=("META-04", "READ-10"), cause="None taken for `leave as it is`")
class NoneKeepsMetadata(BaseStore):
    """Keeps the earlier metadata where `write_with_metadata` brings `None`."""

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Metadata | None,
        operation: Operation | None = None,
    ) -> MemoryMutation:
        current = self.files.get(path)
        kept = current.metadata if current and metadata is None else metadata
        return self.mutate(Change(path, content, expected_version, operation, kept))


@faulty("META-07", also=("DEL-04", "META-05", "READ-10"), cause="a metadata table that deletes do not reach")
class MetadataSurvivesDelete(BaseStore):
    """Shows the metadata of a deleted file for one created again by a plain write."""

    def __init__(self) -> None:
        super().__init__()
        self.left: dict[str, dict[str, str] | None] = {}

    def remove(self, change: Change, current: Stored | None) -> str | None:
        self.left[change.path] = current.metadata if current else None
        return super().remove(change, current)

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        left = self.left.pop(change.path, None)
        return super().keep_metadata(change, current) or left


@faulty("META-08", also=("OP-03",), cause="metadata written in a statement of its own, before the receipt is looked up")
class ReplayReplacesMetadata(BaseStore):
    """Records the metadata of a write that is only replayed."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        stored = self.find(change.path)
        if mutation.replayed and change.metadata and stored is not None:
            stored.metadata = dict(change.metadata)
        return mutation


@faulty("META-09", also=("META-08", "OP-03"), cause="a digest over all arguments, computed by the store")
class MetadataIsIdentity(BaseStore):
    """Refuses a repeated operation whose metadata differs from the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, dict[str, str]] = {}

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        if change.operation is not None and change.content is not None:
            given = dict(change.metadata or {})
            if self.first.setdefault(change.operation.id, given) != given and mutation.replayed:
                raise MemoryOperationConflictError("the operation was applied with other metadata")
        return mutation


@faulty(
    "META-10",
    also=("CAS-07", "META-05", "READ-10"),
    cause="metadata written in a statement of its own, without a transaction",
)
class ConflictReplacesMetadata(BaseStore):
    """Records the metadata of a write that it refuses with a conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if current is not None and change.metadata:
            current.metadata = dict(change.metadata)
        return super().conflict(change, current)


@faulty("META-13", cause="the caller's mapping kept as it is")
class PassedMappingKept(BaseStore):
    """Keeps the mapping that was passed, so that the caller can change it later."""

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        return cast("dict[str, str]", change.metadata) or None


@faulty("META-13", cause="the stored mapping handed out as it is")
class StoredMappingReturned(BaseStore):
    """Returns the mapping that is stored, so that a reader can change it."""

    def show_metadata(self, stored: Stored) -> Metadata | None:
        return stored.metadata


@dataclass(frozen=True)
class MetadataMutation(MemoryMutation):
    """A result that tells more than it may."""

    metadata: dict[str, str] | None = None


@faulty("META-17", cause="the whole row returned from a write")
class MutationTellsMetadata(BaseStore):
    """Returns the metadata with the result of the write, and keeps it in the receipt."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        told = dict(change.metadata) if change.metadata else None
        return MetadataMutation(version, replayed=False, existed=current is not None, metadata=told)


@faulty(
    "META-19",
    also=("CAS-01", "CAS-02", "CAS-03", "CAS-12", "META-10"),
    cause="an upsert written apart from the write path",
)
class MetadataWriteIgnoresVersion(BaseStore):
    """Does not check the version in `write_with_metadata`."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        return bool(change.metadata) or super().is_expected(change, current)


@faulty(
    "META-19",
    also=("OP-04", "OP-05", "OP-06", "OP-07", "OP-17", "OP-25", "META-08", "META-09", "OP-03", "READ-09"),
    cause="a parameter that is accepted and ignored",
)
class MetadataWriteIgnoresOperation(BaseStore):
    """Ignores the operation in `write_with_metadata`."""

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Metadata | None,
        operation: Operation | None = None,
    ) -> MemoryMutation:
        return self.mutate(Change(path, content, expected_version, None, metadata))
