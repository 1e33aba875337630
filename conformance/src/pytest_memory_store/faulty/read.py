"""Faulty stores of the READ group: what a read says of a file, and when.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryFile, MemoryMutation, Operation


@faulty("READ-01", also=("DEL-01", "PATH-10"), cause="a lookup whose missing key is an error")
class AbsentRaises(BaseStore):
    """Raises `KeyError` for a read of an absent path."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        if shown is None:
            raise KeyError(path)
        return shown


@faulty("READ-01", also=("PATH-10", "DEL-01"), cause="a default value for a missing row")
class AbsentReadsEmpty(BaseStore):
    """Shows an absent path as an empty file."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        return shown or self.show(Stored(path, "", "0"), max_chars)


@faulty("READ-05", also=("READ-08", "DEL-09"), cause="an ETag made of the part that is returned")
class VersionOfPart(BaseStore):
    """Reports another version where the content is cut."""

    def show(self, stored: Stored, max_chars: int) -> MemoryFile:
        shown = super().show(stored, max_chars)
        return replace(shown, version=f"{shown.version}-{max_chars}") if shown.truncated else shown


@faulty("READ-06", cause="a bound below one taken for no bound")
class ZeroIsUnbounded(BaseStore):
    """Takes a `max_chars` of zero or less for no bound."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        return await super().read(path, max_chars=max_chars if max_chars > 0 else 2**31)


@faulty("READ-06", cause="a bound checked only once there is a file to cut")
class BoundCheckedLate(BaseStore):
    """Checks `max_chars` only where the file exists."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        self.check_path(path)
        if self.find(path) is None:
            return None
        return await super().read(path, max_chars=max_chars)


@faulty(
    "READ-07",
    also=("READ-02", "CAS-08", "READ-09", "DEL-01", "META-02"),
    cause="a read from a replica that lags behind",
)
class LaggingReplica(BaseStore):
    """Shows a replaced file once more as it was, on the first read after the write."""

    def __init__(self) -> None:
        super().__init__()
        self.stale: dict[str, Stored] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        if current is not None:
            self.stale[change.path] = current
        return super().put(change, current)

    def show(self, stored: Stored, max_chars: int) -> MemoryFile:
        return super().show(self.stale.pop(stored.path, stored), max_chars)


@faulty("READ-07", also=("PATH-10",), cause="a cache of absent keys that a write does not clear")
class AbsenceCached(BaseStore):
    """Still answers with `None` on the next read of a path that was read as absent before it was created."""

    def __init__(self) -> None:
        super().__init__()
        self.absent: set[str] = set()

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        if shown is None:
            self.absent.add(path)
        elif path in self.absent:
            self.absent.discard(path)
            return None
        return shown


@faulty(
    "READ-08",
    also=("OP-25", "CAS-07", "OP-03", "OP-17", "PATH-10", "READ-05", "CAS-02", "CAS-08", "TYPE-08b"),
    cause="an access time or counter within the versioned row",
)
class ReadChangesVersion(BaseStore):
    """Gives a file a new version when it is read twice in a row."""

    def __init__(self) -> None:
        super().__init__()
        self.last_shown: str | None = None

    def show(self, stored: Stored, max_chars: int) -> MemoryFile:
        if self.last_shown == stored.version:
            stored.version = self.new_version(Change(stored.path, stored.content, None), stored)
        self.last_shown = stored.version
        return super().show(stored, max_chars)


@faulty(
    "READ-08", also=("PATH-13", "LIST-06", "LIST-09", "LIST-10", "PATH-14"), cause="a defaultdict, or an upsert on read"
)
class ReadMakesEntry(BaseStore):
    """Lists a path as soon as it was read, although nobody wrote it."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[str] = set()

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        self.touched.add(path)
        return shown

    def listing(self, prefix: str) -> list[str]:
        return self.order({*super().listing(prefix), *(p for p in self.touched if self.has_prefix(p, prefix))})


@faulty("READ-09", cause="an UPDATE that leaves the column of the operation id as it was")
class OperationIdKept(BaseStore):
    """Keeps the id of an earlier operation when a write without one replaces the file."""

    def origin(self, change: Change, current: Stored | None) -> str | None:
        return super().origin(change, current) or (current.operation_id if current else None)


@faulty("READ-09", cause="an operation id that is kept with the receipt alone")
class OperationIdLost(BaseStore):
    """Never reports an operation id."""

    def origin(self, change: Change, current: Stored | None) -> str | None:  # noqa: ARG002 - that is the fault
        return None


@faulty("READ-09", also=("OP-03", "OP-17"), cause="an operation id that is written before the receipt is looked up")
class ReplaySetsOperationId(BaseStore):
    """Marks the current version as made by an operation that was only replayed."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        stored = self.find(change.path)
        if mutation.replayed and stored is not None and change.operation is not None:
            stored.operation_id = change.operation.id
        return mutation


@faulty("READ-10", also=("META-05", "META-06", "META-07", "DEL-04"), cause="a JSON column with the default {}")
class NoMetadataReadsEmpty(BaseStore):
    """Reports `{}` where no metadata was recorded."""

    def show_metadata(self, stored: Stored) -> Any:
        return super().show_metadata(stored) or {}


@faulty("READ-12", also=("READ-07",), cause="Oracle, which takes an empty string for NULL")
class EmptyReadsAbsent(BaseStore):
    """Shows an empty file as absent."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        return shown if shown is None or shown.content else None


@faulty("READ-12", cause="a required field, or `if not content`")
class EmptyRefused(BaseStore):
    """Refuses to write empty content."""

    def check_content(self, content: str) -> None:
        super().check_content(content)
        if not content:
            raise ValueError("the content is empty")


@faulty("READ-12", also=("CAS-01", "CAS-02", "CAS-21"), cause="an existence check by the truth of the content")
class EmptyIsOverwritten(BaseStore):
    """Takes an empty file for absent when it checks the version."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if current is not None and not current.content and change.expected_version is None:
            return True
        return super().is_expected(change, current)


@faulty("READ-08", also=("OP-01", "OP-09"), cause="a lookup that inserts a placeholder row")
class LookupMakesReceipt(BaseStore):
    """Takes an operation for applied once `get_operation` was asked for it twice."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    async def get_operation(self, operation: Operation) -> MemoryMutation | None:
        known = await super().get_operation(operation)
        if known is None and operation.id in self.asked:
            return self.answer(Change("", None, None), None, None)
        self.asked.add(operation.id)
        return known
