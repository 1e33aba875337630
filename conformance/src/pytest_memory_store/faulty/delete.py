"""Faulty stores of the DEL group: what a delete leaves behind, takes along or gives away.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import MemoryConflictError, MemoryMutation
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryFile

_logger = logging.getLogger(__name__)


class _Remembering(BaseStore):
    """Remembers deleted files until they are created again."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: dict[str, Stored] = {}

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            self.deleted[change.path] = current
        return super().remove(change, current)


@faulty("DEL-01", also=("PATH-10", "READ-07", "SCOPE-01"), cause="soft deletes that the read does not filter")
class DeletedStillRead(_Remembering):
    """Goes on showing a deleted file to reads."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        gone = self.deleted.get(path)
        return self.show(gone, max_chars) if shown is None and gone is not None else shown


@faulty("DEL-01", also=("PATH-10", "READ-07", "READ-08"), cause="a read cache that a delete does not clear")
class DeletedReadOnceMore(_Remembering):
    """Shows a deleted file to one more read."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        shown = await super().read(path, max_chars=max_chars)
        gone = self.deleted.pop(path, None)
        return self.show(gone, max_chars) if shown is None and gone is not None else shown


@faulty("DEL-02", also=("TYPE-04", "OP-03", "OP-16"), cause="the deleted row returned by the database")
class DeleteReturnsVersion(BaseStore):
    """Answers a delete with the version that was deleted."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        super().remove(change, current)
        return current.version if current is not None else None


@faulty("DEL-02", also=("OP-26", "CAS-05"), cause="a delete that is done already taken for a replay")
class EmptyDeleteIsReplay(BaseStore):
    """Says `replayed=True` for a delete, without operation, of an absent path."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        replayed = change.content is None and current is None and change.operation is None
        return MemoryMutation(version=version, replayed=replayed, existed=current is not None)


@faulty("DEL-03", also=("PATH-10", "CAS-01", "CAS-22"), cause="a tombstone that still holds the key")
class DeletedIsGoneForEver(_Remembering):
    """Refuses to create a path again that was deleted."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        taken = change.content is not None and current is None and change.path in self.deleted
        return not taken and super().is_expected(change, current)


@faulty("DEL-04", also=("READ-09",), cause="a soft-deleted row that is brought back to life")
class OperationIdSurvives(_Remembering):
    """Reports the operation of the deleted file for one created again by a plain write."""

    def origin(self, change: Change, current: Stored | None) -> str | None:
        gone = self.deleted.pop(change.path, None)
        return super().origin(change, current) or (gone.operation_id if gone else None)


@faulty("DEL-05", also=("SCOPE-08",), cause="an error message that shows both sides of a conflict")
class ConflictQuotesContent(BaseStore):
    """Quotes the current content in the error of a version conflict."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        return MemoryConflictError(f"{change.path} holds {current.content if current else None!r} by now")


@dataclass(frozen=True)
class DeletedMutation(MemoryMutation):
    """A result that tells more than it may."""

    deleted: str | None = None


@faulty("DEL-05", also=("OP-22", "DEL-06", "TYPE-03"), cause="the deleted row returned by the database")
class DeleteReturnsContent(BaseStore):
    """Returns the deleted content with the result of a delete."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        if change.content is not None:
            return super().answer(change, current, version)
        deleted = current.content if current is not None else None
        return DeletedMutation(version, replayed=False, existed=current is not None, deleted=deleted)


@faulty("DEL-05", cause="a log line for each call, with its arguments")
class ContentIsLogged(BaseStore):
    """Logs the content of each write at level INFO."""

    def put(self, change: Change, current: Stored | None) -> str:
        _logger.info("writing %s: %s", change.path, change.content)
        return super().put(change, current)


@faulty("DEL-05", cause="a log line that explains a conflict")
class ConflictIsLogged(BaseStore):
    """Logs the current content at level WARNING when a version conflicts."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        _logger.warning("conflict on %s: %r", change.path, current.content if current else None)
        return super().conflict(change, current)


@faulty("DEL-05", cause="the refused value quoted in the error")
class RefusalQuotesContent(BaseStore):
    """Quotes the refused content in the error for content that it cannot keep."""

    def check_content(self, content: str) -> None:
        try:
            super().check_content(content)
        except ValueError:
            raise ValueError(f"cannot keep {content!r}") from None


@faulty("DEL-09", also=("DEL-01", "LIST-06"), cause="deletes sent in batches of 100, whose last one is lost")
class HundredthDeleteLost(BaseStore):
    """Answers the hundredth delete in a directory with success, and never deletes that file."""

    def __init__(self) -> None:
        super().__init__()
        self.deletes: dict[str, int] = {}
        self.stuck: set[str] = set()

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            count = self.deletes[current.directory] = self.deletes.get(current.directory, 0) + 1
            if count == 100:
                self.stuck.add(change.path)
        return None if change.path in self.stuck else super().remove(change, current)


@faulty("DEL-11", also=("PATH-10",), cause="a recursive delete, as of a directory")
class DirectoryDeleted(BaseStore):
    """Deletes `a/b` with `a`."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        below = f"{change.path}/"
        for path in [path for path in self.files if path.startswith(below)]:
            del self.files[path]
        return super().remove(change, current)


@faulty("DEL-11", also=("PATH-10",), cause="a delete by LIKE 'path%', or of all keys with a prefix")
class PrefixDeleted(BaseStore):
    """Deletes every path that begins with the deleted one, such as `a.md.old` with `a.md`."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        for path in [path for path in self.files if path.startswith(change.path)]:
            del self.files[path]
        return None
