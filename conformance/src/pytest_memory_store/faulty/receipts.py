"""Faulty stores of the OP group: what is kept of an operation, for how long and under which key.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Receipt, Stored
from pytest_memory_store.faulty.contract import MemoryMutation
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import Operation


class _Evicting(BaseStore):
    """Keeps the newest receipts only."""

    retention: int

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        super().record(change, operation, mutation)
        while len(self.receipts) > self.retention:
            del self.receipts[next(iter(self.receipts))]


@faulty("OP-13", also=("OP-27",), cause="a cache of 1,000 entries")
class ReceiptsEvictedAt1000(_Evicting):
    """Keeps the 1,000 newest receipts, 24 too few."""

    retention = 1_000


@faulty("OP-13", also=("OP-27",), cause="an off-by-one in the eviction")
class ReceiptsEvictedAt1023(_Evicting):
    """Keeps the 1,023 newest receipts, one too few."""

    retention = 1_023


@faulty(
    "OP-13", also=("OP-27",), claims={"receipt_retention": 2_000}, cause="a claim that the configuration does not keep"
)
class FewerReceiptsThanClaimed(_Evicting):
    """Claims to keep 2,000 receipts, and keeps 1,100."""

    retention = 1_100


@faulty("OP-13", also=("OP-27", "SCOPE-01"), cause="an expiry counted in calls or seconds")
class ReceiptsExpire(BaseStore):
    """Forgets a receipt after 600 calls of any kind."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.born: dict[str, int] = {}

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        super().record(change, operation, mutation)
        self.born[operation.id] = self.calls

    def check_path(self, path: str) -> None:
        self.calls += 1
        super().check_path(path)

    def replay(self, operation: Operation) -> MemoryMutation | None:
        self.calls += 1
        known = super().replay(operation)
        return known if self.calls - self.born.get(operation.id, self.calls) < 600 else None


@faulty("OP-14", also=("OP-05", "OP-28", "SCOPE-06"), cause="a column for 32 characters that cuts what is longer")
class IdIsCut(BaseStore):
    """Finds receipts by the first 32 characters of the id."""

    def receipt_key(self, operation_id: str) -> str:
        return operation_id[:32]


@faulty("OP-14", also=("OP-05", "SCOPE-06"), cause="a case-insensitive collation on the id")
class IdIgnoresCase(BaseStore):
    """Finds receipts by the id in either case."""

    def receipt_key(self, operation_id: str) -> str:
        return operation_id.lower()


@faulty("OP-14", also=("OP-05", "OP-28", "SCOPE-06"), cause="an id parsed as a path")
class IdIsPath(BaseStore):
    """Finds receipts by what follows the last slash of the id."""

    def receipt_key(self, operation_id: str) -> str:
        return operation_id.rpartition("/")[2]


@faulty("OP-14", also=("OP-14b",), cause="a column for a UUID, which 64 digits do not fit")
class LongIdRefused(BaseStore):
    """Refuses an id of more than 36 characters."""

    def receipt_key(self, operation_id: str) -> str:
        if len(operation_id) > 36:
            raise ValueError("the id is longer than 36 characters")
        return operation_id


@faulty("OP-14b", cause="a name rule for ids that only hash digests pass")
class QuotedIdFails(BaseStore):
    """Raises an error of the back end for an id with a quote."""

    def receipt_key(self, operation_id: str) -> str:
        if "'" in operation_id or '"' in operation_id:
            raise RuntimeError("unterminated quoted string")
        return operation_id


@faulty("OP-14b", cause="a column for 128 characters")
class IdOver128Refused(BaseStore):
    """Refuses an id of more than 128 characters."""

    def receipt_key(self, operation_id: str) -> str:
        if len(operation_id) > 128:
            raise ValueError("the id is longer than 128 characters")
        return operation_id


@faulty("OP-14b", cause="a driver that refuses NUL, and text that cannot be encoded")
class UnencodableIdFails(BaseStore):
    """Raises an error of the back end for an id with NUL or a lone surrogate."""

    def receipt_key(self, operation_id: str) -> str:
        if "\x00" in operation_id.encode().decode():
            raise RuntimeError("invalid byte sequence for encoding UTF8: 0x00")
        return operation_id


@faulty("OP-15", also=("CAS-01", "CAS-02", "CAS-03", "CAS-07"), cause="an id made of the arguments where none is given")
class PlainWriteIsRemembered(BaseStore):
    """Answers a plain write that repeats the path's last one, version included, as a replay of it."""

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[str, tuple[Change, MemoryMutation]] = {}

    def mutate(self, change: Change) -> MemoryMutation:
        known, mutation = self.last.get(change.path, (None, None))
        if mutation is not None and change == known:
            return self.replayed(mutation)
        answered = super().mutate(change)
        self.last.pop(change.path, None)
        if change.operation is None and change.content is not None:
            self.last[change.path] = (change, answered)
        return answered


@faulty("OP-15", also=("OP-01",), cause="str() of an operation that is not there")
class PlainWriteLeavesReceipt(BaseStore):
    """Records a plain write under the id `None`, and one under the empty id."""

    def apply(self, change: Change, current: Stored | None) -> MemoryMutation:
        mutation = super().apply(change, current)
        if change.operation is None:
            for operation_id in ("None", ""):
                self.receipts[operation_id] = Receipt(operation_id, mutation)
        return mutation


@faulty("OP-16", also=("OP-03", "OP-04", "OP-06"), cause="receipts kept in the row of the file")
class DeletesLeaveNoReceipt(BaseStore):
    """Records no receipt for a delete."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        if change.content is not None:
            super().record(change, operation, mutation)


@faulty("OP-16", also=("OP-04",), cause="an early return where there is nothing to delete")
class EmptyDeleteLeavesNoReceipt(BaseStore):
    """Records no receipt for a delete of an absent path."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        if change.content is not None or mutation.existed:
            super().record(change, operation, mutation)


@faulty("OP-17", also=("OP-04",), cause="a cascade from the file to its receipts")
class ReceiptsGoWithFile(BaseStore):
    """Drops the receipts of a file that is deleted."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None and current.operation_id is not None:
            self.receipts.pop(current.operation_id, None)
        return super().remove(change, current)


@faulty(
    "OP-17", also=("OP-05", "OP-07", "OP-03", "OP-04", "OP-06"), cause="an operation looked up in the row of the file"
)
class ReceiptsGoWithVersion(BaseStore):
    """Drops the receipt of a version that is replaced."""

    def put(self, change: Change, current: Stored | None) -> str:
        if current is not None and current.operation_id is not None:
            self.receipts.pop(current.operation_id, None)
        return super().put(change, current)


@faulty("OP-17", also=("OP-03", "OP-06", "DEL-01", "CAS-03"), cause="a replay that makes sure its effect is there")
class ReplayRestoresDeleted(BaseStore):
    """Creates a deleted file again when the write that made it is replayed."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        if mutation.replayed and change.content is not None and self.find(change.path) is None:
            self.put(change, None)
        return mutation


@faulty("OP-17", also=("OP-03", "OP-06"), cause="a receipt that points to the row of the file")
class ReplayReturnsCurrentVersion(BaseStore):
    """Answers a replayed write with the version that the file has by now."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        stored = self.find(change.path)
        if mutation.replayed and change.content is not None and stored is not None:
            return MemoryMutation(version=stored.version, replayed=True, existed=mutation.existed)
        return mutation


@faulty("OP-28", also=("OP-14", "OP-04"), cause="old receipts dropped by LIKE 'id%'")
class PrefixReceiptsDropped(BaseStore):
    """Drops every receipt whose id begins with the id that it records."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        for known in [known for known in self.receipts if known.startswith(operation.id)]:
            del self.receipts[known]
        super().record(change, operation, mutation)


@faulty("OP-28", also=("OP-05", "OP-07", "OP-04", "OP-17"), cause="receipts kept in one row for each file")
class OneReceiptPerFile(BaseStore):
    """Keeps the newest receipt of each path only."""

    def __init__(self) -> None:
        super().__init__()
        self.newest: dict[str, str] = {}

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        self.receipts.pop(self.newest.get(change.path, ""), None)
        self.newest[change.path] = operation.id
        super().record(change, operation, mutation)


@faulty("OP-24", also=("OP-05",), cause="a case-insensitive collation on the fingerprint")
class FingerprintIgnoresCase(BaseStore):
    """Takes fingerprints that differ in case for the same."""

    def is_same_fingerprint(self, known: str, given: str) -> bool:
        return known.lower() == given.lower()


@faulty("OP-24", also=("OP-05",), cause="a padded CHAR column, or a strip() on the way in")
class FingerprintIsStripped(BaseStore):
    """Takes fingerprints that differ in white space around them for the same."""

    def is_same_fingerprint(self, known: str, given: str) -> bool:
        return known.strip() == given.strip()


@faulty("OP-24", also=("OP-05",), cause="a Unicode collation on the fingerprint")
class FingerprintIsComposed(BaseStore):
    """Takes fingerprints that differ in their Unicode form for the same."""

    def is_same_fingerprint(self, known: str, given: str) -> bool:
        return unicodedata.normalize("NFC", known) == unicodedata.normalize("NFC", given)


@faulty("OP-24", also=("OP-05",), cause="a column for 32 characters that cuts what is longer")
class FingerprintIsCut(BaseStore):
    """Compares the first 32 characters of fingerprints."""

    def is_same_fingerprint(self, known: str, given: str) -> bool:
        return known[:32] == given[:32]


@dataclass(frozen=True)
class ContentMutation(MemoryMutation):
    """A result that tells more than it may."""

    content: str | None


@faulty("OP-22", also=("OP-04", "DEL-05", "DEL-06"), cause="the whole request kept with the receipt")
class ReceiptKeepsContent(BaseStore):
    """Keeps the written content in the receipt, and shows it in every replay."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        told = ContentMutation(mutation.version, mutation.replayed, mutation.existed, change.content)
        self.receipts[operation.id] = Receipt(operation.fingerprint, told)

    def replayed(self, mutation: MemoryMutation) -> MemoryMutation:
        content = mutation.content if isinstance(mutation, ContentMutation) else None
        return ContentMutation(mutation.version, replayed=True, existed=mutation.existed, content=content)
