"""Faulty stores of the SRCH group: how matches are ordered, scored and quoted, and in which shape.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import math
import re
from typing import Any

from pytest_memory_store.faulty.base import BaseStore, Hit, Query, Stored
from pytest_memory_store.faulty.contract import MemorySearchMatch, MemorySearchResult
from pytest_memory_store.faulty.registry import faulty


@faulty("SRCH-15", also=("SRCH-27",), cause="ORDER BY path")
class RankedByPath(BaseStore):
    """Orders matches by path, whatever their score."""

    def rank(self, hits: list[Hit]) -> list[Hit]:
        return sorted(hits, key=lambda hit: hit.stored.path)


@faulty("SRCH-15", also=("SRCH-27",), cause="one index over name and content")
class NamesCountOnce(BaseStore):
    """Counts a word in the name no more than one in the content."""

    def score(self, name: str, text: str, terms: list[str]) -> float:
        return super().score("", f"{name}\n{text}", terms)


@faulty("SRCH-15", also=("SRCH-27",), cause="a distance sorted like a score")
class WorstFirst(BaseStore):
    """Orders matches by score, lowest first."""

    def rank(self, hits: list[Hit]) -> list[Hit]:
        return sorted(hits, key=lambda hit: (hit.score, hit.stored.path))


@faulty("SRCH-17", cause="a snippet taken from the index, which is in lower case")
class SnippetIsLowered(BaseStore):
    """Quotes the text in lower case."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        return super().snippet(hit, terms, room).lower()[:room]


@faulty("SRCH-17", cause="a highlighter")
class SnippetIsMarkedUp(BaseStore):
    """Puts the words that were found between `<b>` and `</b>`."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        plain = super().snippet(hit, terms, room)
        marked = re.sub("|".join(map(re.escape, terms)), r"<b>\g<0></b>", plain, flags=re.IGNORECASE)
        return marked if len(marked) <= room else plain


@faulty("SRCH-17", also=("SCOPE-01",), cause="a buffer that is not cleared between two rows")
class SnippetOfOtherFile(BaseStore):
    """Quotes the best match of the search in every match."""

    def fit(self, hits: list[Hit], query: Query) -> list[MemorySearchMatch]:
        return super().fit([Hit(hit.stored, hits[0].text, hit.score) for hit in hits], query)


@faulty("SRCH-17", cause="a template for what is shown")
class SnippetNamesFile(BaseStore):
    """Begins a snippet with the name of its file, which the content does not hold."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        name = hit.stored.path.rpartition("/")[2]
        plain = super().snippet(hit, terms, room)
        return f"{name}: {plain}" if len(name) + 2 + len(plain) <= room else plain


class _Scored(BaseStore):
    """Turns the score into another number after the order is found."""

    def match(self, hit: Hit, query: Query, room: int) -> MemorySearchMatch:
        found = super().match(hit, query, room)
        return MemorySearchMatch(found.path, found.snippet, self.told(found.score))

    def told(self, score: float) -> float:
        return score


@faulty("SRCH-18", also=("SRCH-15",), cause="bm25 of SQLite, which is better the lower it is")
class ScoreIsNegative(_Scored):
    """Gives negative scores."""

    def told(self, score: float) -> float:
        return -1.0 / score


@faulty("SRCH-18", also=("SRCH-15",), cause="a rank rounded or logged to zero")
class ScoreIsZero(_Scored):
    """Gives a match that occurs once the score 0."""

    def told(self, score: float) -> float:
        return math.log(score)


@faulty("SRCH-18", also=("SRCH-15",), cause="a division by a length or count of zero")
class ScoreIsNotANumber(_Scored):
    """Gives NaN as score where the file has a single occurrence."""

    def told(self, score: float) -> float:
        return math.nan if score == 1 else score


@faulty(
    "SRCH-19",
    also=("SRCH-08", "SRCH-03", "SRCH-05", "SRCH-04", "SRCH-07"),
    cause="one row for each word or chunk that matches",
)
class OneMatchPerWord(BaseStore):
    """Returns a file once for each word of the query that it holds."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        found = super().hits(seen, query)
        words = {hit.stored.path: self.fold(f"{query.name(hit.stored)} {hit.text}") for hit in found}
        return [hit for hit in found for term in query.terms if term in words[hit.stored.path]]


@faulty(
    "PATH-14",
    also=("SRCH-02", "SRCH-03", "SRCH-08", "SRCH-22", "SRCH-28"),
    cause="receipts kept in the table that is searched",
)
class ReceiptsSearched(BaseStore):
    """Finds the id of an operation as if it were a file of the scope."""

    def candidates(self, query: Query) -> list[Stored]:
        files = super().candidates(query)
        ids = [stored.operation_id for stored in files if stored.operation_id]
        return [*files, *(Stored(f"{query.prefix}receipt", operation_id, "") for operation_id in ids)]


@faulty("SRCH-28", also=("META-17", "SRCH-13", "SRCH-17", "SRCH-27"), cause="one index over all columns")
class MetadataSearched(BaseStore):
    """Looks for the words in the metadata too."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        found = super().hits(seen, query)
        known = {hit.stored.path for hit in found}
        extra = [s for s in seen if s.path not in known and self._tells(s, query.terms)]
        return [*found, *(Hit(stored, self.text(stored, query), 1.0) for stored in extra)]

    def _tells(self, stored: Stored, terms: list[str]) -> bool:
        told = self.fold(" ".join(f"{key} {value}" for key, value in (stored.metadata or {}).items()))
        return any(term in told for term in terms)


@faulty("SRCH-28", also=("SRCH-13", "SRCH-27", "SRCH-22"), cause="one index over all columns")
class OperationIdSearched(BaseStore):
    """Finds a file by the id of the operation that wrote it."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        found = super().hits(seen, query)
        known = {hit.stored.path for hit in found}
        extra = [s for s in seen if s.path not in known and (s.operation_id or "").lower() in query.terms]
        return [*found, *(Hit(stored, self.text(stored, query), 1.0) for stored in extra)]


@faulty("SRCH-23", also=("TYPE-03",), cause="matches returned without the counts")
class MatchesAlone(BaseStore):
    """Returns the list of matches in place of a result."""

    async def search(self, prefix: str, query: str, **bounds: Any) -> Any:
        return (await super().search(prefix, query, **bounds)).matches


@faulty("SRCH-23", also=("TYPE-03",), cause="a generator or tuple where the protocol says list")
class MatchesAreTuple(BaseStore):
    """Returns the matches as a tuple."""

    def fit(self, hits: list[Hit], query: Query) -> Any:
        return tuple(super().fit(hits, query))


@faulty("SRCH-23", also=("TYPE-03", "SRCH-03"), cause="a count that a driver returns as text")
class ScannedIsText(BaseStore):
    """Returns `scanned` as text."""

    def scan(self, query: Query) -> MemorySearchResult:
        result = super().scan(query)
        scanned: Any = str(result.scanned)
        return MemorySearchResult(matches=result.matches, scanned=scanned, truncated=result.truncated)


@faulty("SRCH-23", also=("TYPE-03", "SRCH-08", "SRCH-07"), cause="a database without booleans")
class TruncatedIsNumber(BaseStore):
    """Returns `truncated` as 0 or 1."""

    def is_incomplete(
        self, query: Query, candidates: list[Stored], hits: list[Hit], matches: list[MemorySearchMatch]
    ) -> Any:
        return int(super().is_incomplete(query, candidates, hits, matches))


@faulty("SRCH-23", also=("TYPE-03", "SRCH-18"), cause="a decimal column, which drivers return as text")
class ScoreIsText(_Scored):
    """Returns the score as text."""

    def told(self, score: float) -> Any:
        return str(score)
