"""Faulty stores of the SRCH group: which files a search looks at, and its bounds.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import Any

from pytest_memory_store.faulty.base import BaseStore, Hit, Query, Stored
from pytest_memory_store.faulty.contract import MemorySearchResult
from pytest_memory_store.faulty.registry import faulty


@faulty(
    "SRCH-01", also=("SRCH-03", "SRCH-05", "SRCH-08", "SRCH-27", "SCOPE-05"), cause="a prefix query without a delimiter"
)
class NestedScopesSearched(BaseStore):
    """Searches the files of deeper scopes too."""

    def is_child(self, name: str) -> bool:
        return super().is_child(name.rpartition("/")[2])


@faulty("SRCH-01", also=("SRCH-07", "SRCH-08", "SRCH-27"), cause="a LIMIT in the query and a filter after it")
class DeeperFilesTakePlaces(BaseStore):
    """Counts the files of deeper scopes in `max_files`, and then does not search them."""

    def candidates(self, query: Query) -> list[Stored]:
        found = (stored for stored in self.files.values() if self.has_prefix(stored.path, query.prefix))
        return sorted(found, key=lambda stored: stored.path)

    def seen(self, candidates: list[Stored], query: Query) -> list[Stored]:
        return [stored for stored in super().seen(candidates, query) if self.is_child(query.name(stored))]


@faulty(
    "SCOPE-01",
    also=("PATH-08", "SRCH-02", "SRCH-03", "SRCH-05", "SRCH-08", "SRCH-24", "SRCH-27"),
    cause="an index that covers the first characters of a key",
)
class NearScopesSearched(BaseStore):
    """Searches every scope of the same depth whose path begins with the same eight characters."""

    def candidates(self, query: Query) -> list[Stored]:
        near, depth = query.prefix[:8], query.prefix.count("/")
        found = (s for s in self.files.values() if s.path.startswith(near) and s.path.count("/") == depth)
        return sorted(found, key=lambda stored: stored.path)


@faulty(
    "LIST-08",
    also=("SCOPE-10", "SCOPE-01", "SCOPE-02", "SRCH-01", "SRCH-02", "SRCH-03", "SRCH-05"),
    cause="a strip('/') on every prefix",
)
class SlashOfEveryPrefixDropped(BaseStore):
    """Ignores the slash at the end of a prefix, in listings and in search."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return path.startswith(prefix.removesuffix("/"))


@faulty("SRCH-03", also=("SRCH-07", "SRCH-27"), cause="a bound that the back end never gets")
class MaxFilesIgnored(BaseStore):
    """Looks at every file of the scope whatever `max_files` is."""

    def scan(self, query: Query) -> MemorySearchResult:
        query.max_files = len(self.files)
        return super().scan(query)


@faulty("SRCH-03", also=("SRCH-27",), cause="a count of rows found, in place of rows looked at")
class ScannedCountsMatches(BaseStore):
    """Reports in `scanned` how many files of the whole store there are, up to `max_files`."""

    def scan(self, query: Query) -> MemorySearchResult:
        result = super().scan(query)
        scanned = min(query.max_files, len(self.files))
        return MemorySearchResult(matches=result.matches, scanned=scanned, truncated=result.truncated)


@faulty("SRCH-03", also=("SRCH-27",), cause="two passes that count into one number")
class ScannedCountsTwice(BaseStore):
    """Counts a file that matches twice in `scanned`."""

    def scan(self, query: Query) -> MemorySearchResult:
        result = super().scan(query)
        scanned = result.scanned + len(result.matches)
        return MemorySearchResult(matches=result.matches, scanned=scanned, truncated=result.truncated)


@faulty("SRCH-03", also=("SRCH-27",), cause="a field that nobody fills in")
class ScannedIsZero(BaseStore):
    """Reports no files in `scanned`, whatever it found."""

    def scan(self, query: Query) -> MemorySearchResult:
        result = super().scan(query)
        return MemorySearchResult(matches=result.matches, scanned=0, truncated=result.truncated)


@faulty("SRCH-04", also=("SRCH-07", "SRCH-05", "SRCH-27"), cause="a bound that the back end never gets")
class SearchLimitIgnored(BaseStore):
    """Returns every match whatever `limit` is."""

    def scan(self, query: Query) -> MemorySearchResult:
        query.limit = len(self.files)
        return super().scan(query)


@faulty("SRCH-04b", cause="a 32-bit parameter in the driver")
class HugeSearchBoundOverflows(BaseStore):
    """Raises `OverflowError` for a bound above 2**31-1."""

    def scan(self, query: Query) -> MemorySearchResult:
        if max(query.limit, query.max_files, query.max_chars, query.max_file_chars) >= 2**31:
            raise OverflowError("value out of int32 range")
        return super().scan(query)


@faulty("SRCH-08", also=("SRCH-03", "SRCH-07"), cause="a 32-bit integer that wraps around")
class HugeSearchBoundWraps(BaseStore):
    """Keeps 32 bits of a bound, so that 2**32 is zero."""

    def scan(self, query: Query) -> MemorySearchResult:
        query.limit, query.max_files = query.limit % 2**32, query.max_files % 2**32
        query.max_chars, query.max_file_chars = query.max_chars % 2**32, query.max_file_chars % 2**32
        return super().scan(query)


@faulty(
    "SRCH-04",
    also=("SRCH-05", "SRCH-07", "SRCH-27"),
    cause="one row more, fetched to see whether there is more, and never dropped",
)
class OneMatchTooMany(BaseStore):
    """Returns one match more than `limit`."""

    def scan(self, query: Query) -> MemorySearchResult:
        query.limit += 1
        return super().scan(query)


@faulty("SRCH-05", cause="a budget for the snippets alone")
class NamesAreFree(BaseStore):
    """Leaves the names out of the `max_chars` budget."""

    def room(self, remaining: int, hit: Hit, query: Query) -> int:
        return remaining


@faulty("SRCH-05", cause="a budget for each match, in place of all")
class BudgetPerMatch(BaseStore):
    """Takes `max_chars` for the bound of each match."""

    def room(self, remaining: int, hit: Hit, query: Query) -> int:
        return super().room(query.max_chars, hit, query)


@faulty("SRCH-05", cause="marks that are added after the cut")
class MarksExceedBudget(BaseStore):
    """Adds `...` to a cut snippet that fills the budget already."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        return hit.text if len(hit.text) <= room else super().snippet(hit, terms, room + 6)


@faulty("SRCH-06", also=("SRCH-07", "SRCH-27"), cause="an index over whole files")
class WholeFilesSearched(BaseStore):
    """Matches and quotes text beyond `max_file_chars`."""

    def text(self, stored: Stored, query: Query) -> str:
        return stored.content


@faulty("SRCH-06", also=("SRCH-13", "SRCH-14", "SRCH-27"), cause="octet_length, or a read of so many bytes")
class FileBoundCountsBytes(BaseStore):
    """Takes `max_file_chars` for a number of bytes."""

    def text(self, stored: Stored, query: Query) -> str:
        return stored.content.encode()[: query.max_file_chars].decode(errors="ignore")


@faulty("SRCH-06", also=("SRCH-17",), cause="a highlighter that reads the file again, in full")
class SnippetFromWholeFile(BaseStore):
    """Matches within `max_file_chars`, and quotes the end of the file, which may lie beyond."""

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        return (
            hit.stored.content[-room:] if len(hit.stored.content) > len(hit.text) else super().snippet(hit, terms, room)
        )


@faulty("SRCH-09", also=("SRCH-11b",), cause="a query language that has no empty query")
class EmptyQueryRaises(BaseStore):
    """Raises `ValueError` for an empty or blank query."""

    def terms(self, query: str) -> list[str]:
        if not query.strip():
            raise ValueError("the query is empty")
        return super().terms(query)


@faulty("SRCH-09", cause="LIKE '%%', which matches everything")
class BlankQueryFindsAll(BaseStore):
    """Finds every file that holds a space for a query of spaces."""

    def terms(self, query: str) -> list[str]:
        return super().terms(query) or ([" "] if query else [])


@faulty("SRCH-09", also=("SRCH-10",), cause="files counted before the query is looked at")
class EmptySearchCountsFiles(BaseStore):
    """Reports files in `scanned` for a search for nothing."""

    def nothing(self) -> MemorySearchResult:
        return MemorySearchResult(matches=[], scanned=len(self.files), truncated=False)


@faulty("SRCH-10", cause="bounds checked as in a read or listing")
class ZeroBoundRaises(BaseStore):
    """Raises `ValueError` for a bound of zero or less."""

    def is_idle(self, query: Query) -> bool:
        for name in ("limit", "max_files", "max_chars", "max_file_chars"):
            self.check_bound(name, getattr(query, name))
        return super().is_idle(query)


@faulty("SRCH-10", cause="a negative index, which Python counts from the end")
class NegativeBoundCountsFromEnd(BaseStore):
    """Takes a negative `limit` or `max_files` for all but so many."""

    def is_idle(self, query: Query) -> bool:
        return not query.terms or 0 in (query.limit, query.max_files) or min(query.max_chars, query.max_file_chars) <= 0


@faulty("SRCH-10", cause="zero taken for no bound")
class ZeroFileCharsUnbounded(BaseStore):
    """Takes a `max_file_chars` of zero or less for no bound."""

    def is_idle(self, query: Query) -> bool:
        if query.max_file_chars <= 0:
            query.max_file_chars = 2**31
        return super().is_idle(query)


@faulty("SRCH-11", also=("SRCH-11b",), cause="a prefix that goes into the query as it is")
class SearchPrefixUnchecked(BaseStore):
    """Finds nothing for an invalid prefix, in place of an error."""

    def check_search_prefix(self, prefix: str) -> None:
        pass


@faulty("SRCH-11b", cause="an early return before the arguments are checked")
class EmptySearchUnchecked(BaseStore):
    """Answers an empty query with nothing although the prefix is invalid."""

    async def search(self, prefix: str, query: str, **bounds: Any) -> MemorySearchResult:
        if not query.strip() or min(bounds.values()) <= 0:
            return self.nothing()
        return await super().search(prefix, query, **bounds)


@faulty("SRCH-12", also=("SRCH-27",), cause="a budget for full paths")
class PrefixIsPaidFor(BaseStore):
    """Counts the full path in the `max_chars` budget, so that a long tenant id leaves room for nothing."""

    def room(self, remaining: int, hit: Hit, query: Query) -> int:
        return remaining - len(hit.stored.path)


@faulty("SRCH-24", also=("SRCH-27", "SRCH-03"), cause="names that the store can hold and the tools cannot say")
class UnsayableNamesFound(BaseStore):
    """Returns files whose names the agent's tools cannot address, such as `_n.md`."""

    def is_child(self, name: str) -> bool:
        return bool(name) and "/" not in name


@faulty("SRCH-27", also=("SRCH-15",), cause="a scan that ends once it has enough")
class StopsAtLimit(BaseStore):
    """Looks no further once it has one match more than `limit`, and so misses better ones."""

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        return super().hits(seen, query)[: query.limit + 1]
