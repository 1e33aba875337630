"""Faulty stores of the OP group: how an operation is recognised and answered.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperationConflictError,
)
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import Operation


@faulty("OP-01", also=("OP-09",), cause="a lookup whose missing key is an error")
class UnknownOperationRaises(BaseStore):
    """Raises `KeyError` from `get_operation` for an unknown operation."""

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        if known is None:
            raise KeyError(operation.id)
        return known


@faulty("OP-01", also=("OP-09",), cause="an empty record in place of none")
class UnknownOperationIsEmpty(BaseStore):
    """Answers `get_operation` for an unknown operation with an empty result."""

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        return known or MemoryMutation(version=None, replayed=False, existed=False)


@faulty("OP-03", also=("OP-06", "OP-16", "OP-17", "OP-25", "CAS-21"), cause="receipts that write and delete never read")
class ReceiptsOnlyShown(BaseStore):
    """Applies a repeated operation again, or refuses it by its version."""

    def mutate(self, change: Change) -> MemoryMutation:
        self.check_change(change)
        if change.operation is not None:
            self.replay(change.operation)
        current = self.find(change.path)
        self.check_version(change, current)
        return self.apply(change, current)


@faulty("OP-03", also=("OP-06", "OP-16", "OP-17"), cause="a receipt returned as it was stored")
class ReplayNotMarked(BaseStore):
    """Answers a repeated write or delete with `replayed=False`."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        return MemoryMutation(version=mutation.version, replayed=False, existed=mutation.existed)


@faulty("OP-03", also=("OP-06", "OP-17"), cause="`existed` worked out at the time of the replay")
class ReplaySaysExisted(BaseStore):
    """Says in a replay of a write that the file existed, because by then it does."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        if mutation.replayed and change.content is not None:
            return MemoryMutation(version=mutation.version, replayed=True, existed=True)
        return mutation


@faulty("OP-04", cause="a receipt returned as it was stored")
class LookupNotMarked(BaseStore):
    """Answers `get_operation` with `replayed=False`."""

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        return known and MemoryMutation(version=known.version, replayed=False, existed=known.existed)


@faulty("OP-04", cause="a column that the lookup does not select")
class LookupForgetsExisted(BaseStore):
    """Answers `get_operation` with `existed=False` whatever the receipt says."""

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        return known and MemoryMutation(version=known.version, replayed=True, existed=False)


@faulty("OP-05", also=("OP-07", "OP-24"), cause="a lookup by the id alone")
class LookupIgnoresFingerprint(BaseStore):
    """Answers `get_operation` for a known id with another fingerprint."""

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        receipt = self.receipts.get(self.receipt_key(operation.id))
        return self.replayed(receipt.mutation) if receipt else None


@faulty("OP-05", also=("OP-07", "OP-24"), cause="a unique key on the id, and nobody compares the rest")
class WriteIgnoresFingerprint(BaseStore):
    """Replays a write of a known id whose fingerprint is another one, so that a new edit is lost."""

    def mutate(self, change: Change) -> MemoryMutation:
        try:
            return super().mutate(change)
        except MemoryOperationConflictError:
            if change.operation is None or change.content is None:
                raise
            return self.replayed(self.receipts[self.receipt_key(change.operation.id)].mutation)


@faulty("OP-05", also=("OP-07", "OP-24"), cause="a delete path written apart from the write path")
class DeleteIgnoresFingerprint(BaseStore):
    """Replays a delete of a known id whose fingerprint is another one."""

    def mutate(self, change: Change) -> MemoryMutation:
        try:
            return super().mutate(change)
        except MemoryOperationConflictError:
            if change.operation is None or change.content is not None:
                raise
            return self.replayed(self.receipts[self.receipt_key(change.operation.id)].mutation)


@faulty("OP-05", also=("OP-07", "OP-24", "TYPE-05"), cause="one error for both kinds of conflict")
class OperationConflictIsConflict(BaseStore):
    """Raises `MemoryConflictError` for a known id with another fingerprint."""

    def replay(self, operation: Operation) -> MemoryMutation | None:
        try:
            return super().replay(operation)
        except MemoryOperationConflictError as error:
            raise MemoryConflictError(str(error)) from None


@faulty(
    "OP-06",
    also=("OP-03", "OP-07", "OP-08", "OP-16", "OP-17"),
    cause="the version checked before the receipt is looked up",
)
class VersionBeforeReceipt(BaseStore):
    """Refuses a repeated operation whose version is stale by now, although it was applied."""

    def mutate(self, change: Change) -> MemoryMutation:
        self.check_change(change)
        self.check_version(change, self.find(change.path))
        return super().mutate(change)


@faulty("OP-06", also=("OP-17",), cause="a receipt that is trusted only while its version is current")
class ReplayNeedsFirstVersion(BaseStore):
    """Refuses a repeated operation that comes with another expected version than the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.expected: dict[str, str | None] = {}

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        if change.operation is not None:
            first = self.expected.setdefault(change.operation.id, change.expected_version)
            if first != change.expected_version:
                raise self.conflict(change, self.find(change.path))
        return mutation


@faulty("OP-07", cause="the version checked before the fingerprint")
class StaleHidesOtherFingerprint(BaseStore):
    """Reports a known id with another fingerprint as a version conflict where the version is stale too."""

    def mutate(self, change: Change) -> MemoryMutation:
        try:
            return super().mutate(change)
        except MemoryOperationConflictError:
            self.check_version(change, self.find(change.path))
            raise


@faulty("OP-08", cause="the receipt looked up before the arguments are checked")
class ReceiptBeforePath(BaseStore):
    """Replays a known operation whose path is invalid."""

    def check_change(self, change: Change) -> None:
        if change.operation is None or self.replay(change.operation) is None:
            self.check_path(change.path)
        if change.content is not None:
            self.check_content(change.content)
        if change.metadata:
            self.check_metadata(change.metadata)


@faulty("OP-08b", cause="content and metadata checked where they are stored")
class ReceiptBeforeContent(BaseStore):
    """Replays a known operation whose content or metadata is invalid."""

    def check_change(self, change: Change) -> None:
        self.check_path(change.path)
        if change.operation is None or self.replay(change.operation) is None:
            super().check_change(change)


@faulty("OP-09", also=("CAS-12", "CAS-07", "OP-10"), cause="a receipt written before the version is checked")
class ConflictLeavesReceipt(BaseStore):
    """Records a receipt for an operation that it refuses with a version conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if change.operation is not None:
            self.record(change, change.operation, self.answer(change, current, current.version if current else None))
        return super().conflict(change, current)


@faulty(
    "OP-09", also=("CAS-12", "CAS-16", "OP-05", "OP-10"), cause="an id reserved with its fingerprint before the attempt"
)
class RefusedIdIsReserved(BaseStore):
    """Keeps the fingerprint of an operation that was refused, so that its id takes no other."""

    def __init__(self) -> None:
        super().__init__()
        self.reserved: dict[str, str] = {}

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if change.operation is not None:
            self.reserved[change.operation.id] = change.operation.fingerprint
        return super().conflict(change, current)

    def replay(self, operation: Operation) -> MemoryMutation | None:
        if self.reserved.get(operation.id, operation.fingerprint) != operation.fingerprint:
            raise MemoryOperationConflictError("the id is reserved")
        return super().replay(operation)


@faulty("OP-10", also=("OP-09",), cause="a retry counter that never forgives")
class GivesUpAfterConflicts(BaseStore):
    """Refuses an operation for good after its second conflict."""

    def __init__(self) -> None:
        super().__init__()
        self.conflicts: dict[str, int] = {}

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if change.operation is not None:
            self.conflicts[change.operation.id] = self.conflicts.get(change.operation.id, 0) + 1
        return super().conflict(change, current)

    def check_version(self, change: Change, current: Stored | None) -> None:
        if change.operation is not None and self.conflicts.get(change.operation.id, 0) >= 2:
            raise RuntimeError("the operation was tried too often")
        super().check_version(change, current)


@faulty("OP-10", also=("OP-09",), cause="the arguments of the first attempt kept for all others")
class FirstContentKept(BaseStore):
    """Writes the content of the first attempt where an operation succeeds after a conflict."""

    def __init__(self) -> None:
        super().__init__()
        self.attempts: dict[str, str] = {}

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if change.operation is not None and change.content is not None:
            self.attempts.setdefault(change.operation.id, change.content)
        return super().conflict(change, current)

    def put(self, change: Change, current: Stored | None) -> str:
        version = super().put(change, current)
        if change.operation is not None:
            stored = self.files[change.path]
            stored.content = self.attempts.get(change.operation.id, stored.content)
        return version


@faulty(
    "OP-25", also=("OP-03", "OP-06", "OP-17", "CAS-02", "CAS-08"), cause="a version column that any write path moves"
)
class ReplayMovesVersion(BaseStore):
    """Gives the file a new version when a write is replayed."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        stored = self.find(change.path)
        if mutation.replayed and stored is not None and change.content is not None:
            stored.version = self.new_version(change, stored)
        return mutation


@faulty("OP-26", cause="`replayed` set wherever there is an operation")
class FirstTimeIsReplay(BaseStore):
    """Says `replayed=True` when it applies an operation for the first time."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        return MemoryMutation(version=version, replayed=change.operation is not None, existed=current is not None)
