"""Faulty stores of the SRCH group: what the index of a search holds that it should not, or not yet.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Hit, Query, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryMutation


@faulty("SRCH-12", also=("SRCH-13", "SRCH-15", "SRCH-27"), cause="an index on the full path")
class PrefixIsMatched(BaseStore):
    """Looks for the query in the prefix too, so that a tenant's name finds all its files."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        full = Query("", *astuple(query)[1:])
        return super().hits(seen, full)


@faulty("SRCH-12", also=("SRCH-15", "SRCH-27"), cause="a rank computed over the key")
class PrefixIsScored(BaseStore):
    """Counts the words of the query in the prefix too, in files that match."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        found = super().hits(seen, query)
        return [Hit(hit.stored, hit.text, self.score(hit.stored.path, hit.text, query.terms)) for hit in found]


@faulty(
    "SRCH-21", also=("DEL-01", "SRCH-03", "SRCH-08", "SRCH-17", "SRCH-22"), cause="an index that deletes do not reach"
)
class DeletedStillFound(BaseStore):
    """Goes on finding the text of a deleted file."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: dict[str, Stored] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        self.deleted.pop(change.path, None)
        return super().put(change, current)

    def remove(self, change: Change, current: Stored | None) -> str | None:
        if current is not None:
            self.deleted[change.path] = current
        return super().remove(change, current)

    def candidates(self, query: Query) -> list[Stored]:
        kept, self.files = self.files, {**self.files, **self.deleted}
        try:
            return super().candidates(query)
        finally:
            self.files = kept


@faulty("SRCH-21", also=("SRCH-14", "SRCH-17", "SRCH-27"), cause="an index that is filled once, at the first write")
class FirstTextStaysIndexed(BaseStore):
    """Searches the text with which a file was created, whatever it holds by now."""

    def __init__(self) -> None:
        super().__init__()
        self.indexed: dict[str, str] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        if current is None:
            self.indexed[change.path] = change.content or ""
        return super().put(change, current)

    def text(self, stored: Stored, query: Query) -> str:
        return self.indexed.get(stored.path, "")[: query.max_file_chars]


@faulty(
    "SRCH-21",
    also=("PATH-13", "SRCH-03", "SRCH-07", "SRCH-13", "SRCH-14", "SRCH-16", "SRCH-27"),
    cause="an index that is refreshed a moment later",
)
class NewTextFoundLate(BaseStore):
    """Finds a written file only from the second search on that should see it."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: set[str] = set()

    def put(self, change: Change, current: Stored | None) -> str:
        self.fresh.add(change.path)
        return super().put(change, current)

    def candidates(self, query: Query) -> list[Stored]:
        found = super().candidates(query)
        shown = [stored for stored in found if stored.path not in self.fresh]
        self.fresh.difference_update(stored.path for stored in found)
        return shown


class _Indexed(BaseStore):
    """Searches the text that `indexed` holds of a file, until the file is written again."""

    def __init__(self) -> None:
        super().__init__()
        self.indexed: dict[str, str] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        self.indexed.pop(change.path, None)
        return super().put(change, current)

    def text(self, stored: Stored, query: Query) -> str:
        return self.indexed.get(stored.path, stored.content)[: query.max_file_chars]


@faulty(
    "SRCH-21",
    also=("SRCH-13", "SRCH-14", "SRCH-17", "SRCH-27"),
    cause="an index that is written before the version is compared",
)
class RefusedTextIndexed(_Indexed):
    """Searches the text of a write that was refused."""

    def conflict(self, change: Change, current: Stored | None) -> Exception:
        self.indexed[change.path] = change.content or ""
        return super().conflict(change, current)


@faulty(
    "SRCH-21",
    also=("SRCH-13", "SRCH-14", "SRCH-17", "SRCH-27"),
    cause="an index that is written before receipts are looked at",
)
class ReplayedTextIndexed(_Indexed):
    """Searches the text of a write that was only repeated."""

    def mutate(self, change: Change) -> MemoryMutation:
        mutation = super().mutate(change)
        if mutation.replayed and change.content is not None:
            self.indexed[change.path] = change.content
        return mutation
