"""The conforming store that the faulty ones are built on: `PlainStore` with a lexical search and metadata.

Must not know: the kit, the reference stores. The seams of a search follow in the order in which it meets
them: arguments, candidates, match, score, order, budget, flags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.contract import MemorySearchMatch, MemorySearchResult
from pytest_memory_store.faulty.plain import Change, PlainStore, Receipt, Stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.faulty.contract import MemoryMutation, Operation

__all__ = ["BaseStore", "Change", "Hit", "Query", "Receipt", "SearchStore", "Stored"]

_TOOL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
_MARK = "..."


@dataclass(slots=True)
class Query:
    """A search: its prefix, its words in lower case and its bounds, all above zero."""

    prefix: str
    terms: list[str]
    limit: int
    max_files: int
    max_chars: int
    max_file_chars: int

    def name(self, stored: Stored) -> str:
        """Return the file's name within the prefix."""
        return stored.path.removeprefix(self.prefix)


@dataclass(slots=True)
class Hit:
    """A file that a search found; `text` is the part of it that was looked at."""

    stored: Stored
    text: str
    score: float


class SearchStore(PlainStore):
    """A conforming store with search."""

    async def search(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """Search the files directly below `prefix` for any word of `query`, in either case."""
        self.check_search_prefix(prefix)
        wanted = Query(prefix, self.terms(query), limit, max_files, max_chars, max_file_chars)
        return self.nothing() if self.is_idle(wanted) else self.scan(wanted)

    def check_search_prefix(self, prefix: str) -> None:
        """Refuse an invalid prefix of a search."""
        self.check_prefix(prefix)

    def nothing(self) -> MemorySearchResult:
        """Return the result of a search for nothing."""
        return MemorySearchResult(matches=[], scanned=0, truncated=False)

    def is_idle(self, query: Query) -> bool:
        """Whether a search asks for nothing, or for no more than nothing."""
        bounds = (query.limit, query.max_files, query.max_chars, query.max_file_chars)
        return not query.terms or min(bounds) <= 0

    def terms(self, query: str) -> list[str]:
        """Return the words of a query."""
        return query.lower().split()

    def scan(self, query: Query) -> MemorySearchResult:
        """Look for the query's words in the files that it may look at."""
        candidates = self.candidates(query)
        seen = self.seen(candidates, query)
        hits = self.hits(seen, query)
        matches = self.fit(self.rank(hits)[: query.limit], query)
        cut = self.is_incomplete(query, candidates, hits, matches)
        return MemorySearchResult(matches=matches, scanned=len(seen), truncated=cut)

    def candidates(self, query: Query) -> list[Stored]:
        """Return the files of the scope in order, without those that the agent's tools cannot address."""
        below = (stored for stored in self.files.values() if self.has_prefix(stored.path, query.prefix))
        children = (stored for stored in below if self.is_child(query.name(stored)))
        return sorted(children, key=lambda stored: stored.path)

    def is_child(self, name: str) -> bool:
        """Whether a name within the prefix is one that the agent's tools can address."""
        return _TOOL_NAME.fullmatch(name) is not None and ".." not in name

    def seen(self, candidates: list[Stored], query: Query) -> list[Stored]:
        """Return the files that the search looks at."""
        return candidates[: query.max_files]

    def text(self, stored: Stored, query: Query) -> str:
        """Return the part of the content that the search looks at."""
        return stored.content[: query.max_file_chars]

    def hits(self, seen: list[Stored], query: Query) -> list[Hit]:
        """Return the files that hold a word of the query in name or text."""
        found: list[Hit] = []
        for stored in seen:
            text = self.text(stored, query)
            score = self.score(query.name(stored), text, query.terms)
            if score:
                found.append(Hit(stored, text, score))
        return found

    def score(self, name: str, text: str, terms: list[str]) -> float:
        """Count the words in the text, and twice in the name."""
        name, text = self.fold(name), self.fold(text)
        return float(sum(text.count(term) + 2 * name.count(term) for term in terms))

    def fold(self, text: str) -> str:
        """Return the text in the case in which words are compared."""
        return text.lower()

    def rank(self, hits: list[Hit]) -> list[Hit]:
        """Return the hits, best first."""
        return sorted(hits, key=lambda hit: (-hit.score, hit.stored.path))

    def fit(self, hits: list[Hit], query: Query) -> list[MemorySearchMatch]:
        """Return as many matches as `max_chars` has room for."""
        matches: list[MemorySearchMatch] = []
        remaining = query.max_chars
        for hit in hits:
            room = self.room(remaining, hit, query)
            if room <= 0:
                break
            match = self.match(hit, query, room)
            matches.append(match)
            remaining = room - len(match.snippet)
        return matches

    def room(self, remaining: int, hit: Hit, query: Query) -> int:
        """Return how many characters are left for the snippet."""
        return remaining - len(query.name(hit.stored))

    def match(self, hit: Hit, query: Query, room: int) -> MemorySearchMatch:
        """Return one match."""
        return MemorySearchMatch(hit.stored.path, self.snippet(hit, query.terms, room), hit.score)

    def snippet(self, hit: Hit, terms: list[str], room: int) -> str:
        """Return at most `room` characters of the text, around the first word that occurs."""
        text = hit.text
        if len(text) <= room:
            return text
        width = max(room - 2 * len(_MARK), 1)
        found = re.search("|".join(map(re.escape, terms)), text, re.IGNORECASE)
        start = max(0, min((found.start() if found else 0) - width // 3, len(text) - width))
        window = text[start : start + width]
        before, after = _MARK if start else "", _MARK if start + width < len(text) else ""
        return f"{before}{window}{after}" if room > 2 * len(_MARK) else window

    def is_incomplete(
        self, query: Query, candidates: list[Stored], hits: list[Hit], matches: list[MemorySearchMatch]
    ) -> bool:
        """Whether the search left out a file, a part of one or a match."""
        seen = candidates[: query.max_files]
        cut = any(len(stored.content) > query.max_file_chars for stored in seen)
        return cut or len(candidates) > len(seen) or len(hits) > len(matches)


class BaseStore(SearchStore):
    """A conforming store with search and metadata."""

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: Operation | None = None,
    ) -> MemoryMutation:
        """Write, and record `metadata` in the same step."""
        return self.mutate(Change(path, content, expected_version, operation, metadata))
