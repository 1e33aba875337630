"""Faulty stores of the CAS group: which changes a version check lets through, and how it refuses the others.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import (
    MemoryConflictError,
    MemoryMutation,
    MemoryOperationConflictError,
)
from pytest_memory_store.faulty.registry import faulty
from pytest_memory_store.faulty.versions import Remembering


@faulty("CAS-01", also=("CAS-07",), cause="an upsert without a condition")
class CreateOverwrites(BaseStore):
    """Overwrites an existing file on `expected_version=None`."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        blind = change.content is not None and change.expected_version is None
        return blind or super().is_expected(change, current)


@faulty("CAS-02", also=("CAS-12", "CAS-18", "META-19"), cause="an UPDATE whose WHERE names the path alone")
class StaleVersionAccepted(BaseStore):
    """Replaces a file whatever version is expected, as long as one is."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        known = change.content is not None and change.expected_version is not None and current is not None
        return known or super().is_expected(change, current)


@faulty("CAS-02", also=("META-19",), cause="a check against a copy that lags one write behind")
class PreviousVersionAccepted(Remembering):
    """Replaces a file also where the version before the current one is expected."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if change.content is not None and current is not None:
            return change.expected_version in self.history[change.path][-2:]
        return super().is_expected(change, current)


@faulty("CAS-03", also=("CAS-12", "CAS-18"), cause="an upsert that checks the version only of an existing row")
class DeletedNoteResurrected(BaseStore):
    """Creates an absent file although a version is expected."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        return (change.content is not None and current is None) or super().is_expected(change, current)


@faulty("CAS-04", cause="None taken for `do not check`")
class BlindDelete(BaseStore):
    """Deletes an existing file on `expected_version=None`."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        blind = change.content is None and change.expected_version is None
        return blind or super().is_expected(change, current)


@faulty("CAS-05", also=("OP-16",), cause="a DELETE that affected no row taken for a conflict")
class DeleteOfAbsentConflicts(BaseStore):
    """Raises a conflict for a delete of an absent path that expects no file."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        return (change.content is not None or current is not None) and super().is_expected(change, current)


@faulty("CAS-06", also=("CAS-12", "CAS-18"), cause="a DELETE whose WHERE names the path alone")
class StaleDelete(BaseStore):
    """Deletes a file whatever version is expected, as long as one is."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        known = change.content is None and change.expected_version is not None and current is not None
        return known or super().is_expected(change, current)


@faulty("CAS-06", also=("CAS-12",), cause="a delete that is idempotent by itself")
class DeleteOfAbsentIgnoresVersion(BaseStore):
    """Answers a delete of an absent path as done although a version is expected."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        return (change.content is None and current is None) or super().is_expected(change, current)


@faulty(
    "CAS-07",
    also=("READ-07", "READ-12", "READ-02", "READ-03", "SRCH-17", "CAS-02", "OP-09"),
    cause="a check after the write, without a transaction to roll back",
)
class ConflictKeepsContent(BaseStore):
    """Keeps the new content of a write that it refuses with a conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if current is not None and change.content is not None:
            current.content = change.content
        return super().conflict(change, current)


@faulty("CAS-07", also=("DEL-02", "CAS-02", "CAS-08"), cause="a version column that a trigger moves on any attempt")
class ConflictMovesVersion(BaseStore):
    """Gives a file a new version when it refuses a write with a conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if current is not None and change.content is not None:
            current.version = self.new_version(change, current)
        return super().conflict(change, current)


@faulty(
    "CAS-07",
    also=("META-02", "META-10", "READ-10"),
    cause="metadata deleted in a statement of its own, before the check",
)
class ConflictDropsMetadata(BaseStore):
    """Drops the metadata of a file when it refuses a write with a conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if current is not None:
            current.metadata = None
        return super().conflict(change, current)


@faulty("CAS-16", also=("TYPE-05",), cause="a result that says what happened, in place of an error")
class ConflictIsReturned(BaseStore):
    """Answers a conflict with a result without a version, in place of `MemoryConflictError`."""

    def mutate(self, change: Change) -> MemoryMutation:
        try:
            return super().mutate(change)
        except MemoryConflictError:
            return MemoryMutation(version=None, replayed=False, existed=True)


@faulty("CAS-16", also=("CAS-12", "TYPE-05"), cause="two errors with names that are easily mixed up")
class ConflictIsOperationConflict(BaseStore):
    """Raises `MemoryOperationConflictError` for a version conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        return MemoryOperationConflictError(str(super().conflict(change, current)))


class UniqueViolationError(RuntimeError):
    """Stands for the integrity error of a driver."""


@faulty("CAS-16", also=("CAS-01", "TYPE-05"), cause="an integrity error of the driver that nobody translated")
class CreateConflictIsServerError(BaseStore):
    """Raises an error of the driver where a create meets an existing file."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        if change.content is not None and change.expected_version is None:
            return UniqueViolationError("duplicate key value violates unique constraint")
        return super().conflict(change, current)


@faulty("CAS-17", also=("SCOPE-01", "CAS-02"), cause="a version check on the directory, document or partition")
class NeighboursConflict(BaseStore):
    """Refuses an update where another file of the directory was written after this one."""

    def __init__(self) -> None:
        super().__init__()
        self.newest: dict[str, str] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        version = super().put(change, current)
        self.newest[self.files[change.path].directory] = version
        return version

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        fresh = current is None or change.content is None or current.version == self.newest[current.directory]
        return fresh and super().is_expected(change, current)


@faulty("CAS-21", cause="an upsert that cannot tell an insert from an update")
class ExistedAlways(BaseStore):
    """Says that a file existed also where the write created it."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        return MemoryMutation(
            version=version, replayed=False, existed=change.content is not None or current is not None
        )


@faulty("CAS-21", also=("DEL-02",), cause="an existence check after the delete")
class ExistedAfterDelete(BaseStore):
    """Says that a deleted file did not exist."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        return super().answer(change, current if change.content is not None else None, version)


@faulty("CAS-21", also=("DEL-04", "SCOPE-01"), cause="soft deletes: the row is still there")
class ExistedOnceDeleted(BaseStore):
    """Says that a file existed where it was deleted before."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: set[str] = set()

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            self.deleted.add(change.path)
        return super().remove(change, current)

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        existed = current is not None or (change.content is not None and change.path in self.deleted)
        return MemoryMutation(version=version, replayed=False, existed=existed)
