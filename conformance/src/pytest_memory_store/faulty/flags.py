"""Faulty stores of the SRCH group: what `truncated` says.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Hit, Query, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemorySearchMatch


@dataclass(frozen=True)
class _Work:
    """What a search looked at and what it found."""

    query: Query
    candidates: list[Stored]
    hits: list[Hit]
    matches: list[MemorySearchMatch]

    @property
    def files_left(self) -> bool:
        return len(self.candidates) > self.query.max_files

    @property
    def file_cut(self) -> bool:
        seen = self.candidates[: self.query.max_files]
        return any(len(stored.content) > self.query.max_file_chars for stored in seen)

    @property
    def matches_left(self) -> bool:
        return len(self.hits) > len(self.matches)


class _Truncated(BaseStore):
    """Lets one rule of its own decide on `truncated`."""

    def is_incomplete(
        self, query: Query, candidates: list[Stored], hits: list[Hit], matches: list[MemorySearchMatch]
    ) -> bool:
        return self.says_truncated(_Work(query, candidates, hits, matches))

    def says_truncated(self, work: _Work) -> bool:
        return work.files_left or work.file_cut or work.matches_left


@faulty("SRCH-07", also=("SRCH-27",), cause="a flag that nobody sets")
class NeverTruncated(_Truncated):
    """Never sets `truncated`."""

    def says_truncated(self, work: _Work) -> bool:
        return False


@faulty("SRCH-07", also=("SRCH-27",), cause="a cut file that nobody thinks of")
class CutFileNotTruncated(_Truncated):
    """Leaves `truncated` false where only a file was cut by `max_file_chars`."""

    def says_truncated(self, work: _Work) -> bool:
        return work.files_left or work.matches_left


@faulty("SRCH-07", also=("SRCH-27",), cause="LIMIT in the query, and nobody looks for more rows")
class UnscannedNotTruncated(_Truncated):
    """Leaves `truncated` false where only files were left out by `max_files`."""

    def says_truncated(self, work: _Work) -> bool:
        return work.file_cut or work.matches_left


@faulty("SRCH-07", also=("SRCH-27",), cause="a limit that is not compared with the number found")
class LimitNotTruncated(_Truncated):
    """Leaves `truncated` false where only matches were left out by `limit`."""

    def says_truncated(self, work: _Work) -> bool:
        by_budget = len(work.matches) < min(len(work.hits), work.query.limit)
        return work.files_left or work.file_cut or by_budget


@faulty("SRCH-07", also=("SRCH-27",), cause="matches dropped for the budget after the flag was set")
class BudgetNotTruncated(_Truncated):
    """Leaves `truncated` false where only matches were left out by `max_chars`."""

    def says_truncated(self, work: _Work) -> bool:
        return work.files_left or work.file_cut or len(work.hits) > work.query.limit


@faulty("SRCH-08", also=("SRCH-27",), cause="a full page taken for a cut one")
class FullPageIsTruncated(_Truncated):
    """Sets `truncated` where there are exactly `limit` matches."""

    def says_truncated(self, work: _Work) -> bool:
        return super().says_truncated(work) or len(work.matches) == work.query.limit


@faulty("SRCH-08", also=("SRCH-27",), cause="an off-by-one in the comparison with `max_files`")
class AllScannedIsTruncated(_Truncated):
    """Sets `truncated` where there are exactly `max_files` files."""

    def says_truncated(self, work: _Work) -> bool:
        return super().says_truncated(work) or len(work.candidates) == work.query.max_files


@faulty("SRCH-08", also=("SRCH-27",), cause="an off-by-one in the comparison with `max_file_chars`")
class WholeFileIsTruncated(_Truncated):
    """Sets `truncated` where a file has exactly `max_file_chars` characters."""

    def says_truncated(self, work: _Work) -> bool:
        fits = any(len(stored.content) == work.query.max_file_chars for stored in work.candidates)
        return super().says_truncated(work) or fits


@faulty("SRCH-08", also=("SRCH-27",), cause="a flag set to be on the safe side")
class AlwaysTruncated(_Truncated):
    """Sets `truncated` in every search that found something."""

    def says_truncated(self, work: _Work) -> bool:
        return super().says_truncated(work) or bool(work.matches)
