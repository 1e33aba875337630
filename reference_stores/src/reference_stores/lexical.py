"""Literal text search over files, as a reference store and the agent's own fallback do it.

What lives here: which files match a query, their scores, and the snippets that show a match. It is given
files and knows nothing of where they are kept; it neither awaits nor does I/O.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from reference_stores.contract import MemorySearchMatch, MemorySearchResult
from reference_stores.rules import require_int, require_str, validate_prefix

_MARKER = "..."


class LexicalSearch:
    """One search, fed one file at a time, so that a store can let other tasks run in between.

    Give it every file directly below the prefix, in any order and at most `max_files` of them, and ask for
    the result. A file's score is, over all terms, how often the term occurs in its content plus twice how
    often it occurs in its name, with the case of letters left aside (SRCH-13 to SRCH-16). Keeps the text of
    at most twice `limit` files.
    """

    def __init__(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> None:
        """Raise `ValueError` for a bad prefix (SRCH-11), `TypeError` for a query or bound of another type."""
        validate_prefix(prefix)
        require_str("query", query)
        bounds = {
            "limit": limit,
            "max_files": max_files,
            "max_chars": max_chars,
            "max_file_chars": max_file_chars,
        }
        for name, value in bounds.items():
            require_int(name, value)
        self._prefix = prefix
        self._terms = query.lower().split() if min(bounds.values()) > 0 else []
        self._limit = max(0, limit)
        self._max_chars = max_chars
        self._max_file_chars = max_file_chars
        self._best: list[tuple[float, str, str]] = []
        self._scanned = 0
        self._truncated = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing can match, so that no file need be looked at (SRCH-09, SRCH-10)."""
        return not self._terms

    def add(self, path: str, content: str, *, is_cut: bool = False) -> None:
        """Look into one file. `is_cut` says that `content` is only its first `max_file_chars` characters."""
        text = content[: self._max_file_chars]
        self._scanned += 1
        self._truncated |= is_cut or len(text) < len(content)
        score = lexical_score(path.removeprefix(self._prefix), text, self._terms)
        if score:
            self._best.append((-score, path, text))
            if len(self._best) >= 2 * self._limit:
                self._keep_best()

    def leave_out(self) -> None:
        """Note a file in scope not looked into: one too many, or one that vanished (SRCH-07, SRCH-20)."""
        self._truncated = True

    def result(self) -> MemorySearchResult:
        """Return the best matches, as many as `limit` and `max_chars` allow (SRCH-04, SRCH-05)."""
        self._keep_best()
        matches: list[MemorySearchMatch] = []
        remaining = self._max_chars
        for negative_score, path, text in self._best:
            remaining -= len(path) - len(self._prefix)
            if remaining <= 0:
                self._truncated = True
                break
            snippet = make_snippet(text, self._terms, remaining)
            remaining -= len(snippet)
            matches.append(MemorySearchMatch(path=path, snippet=snippet, score=-negative_score))
        return MemorySearchResult(matches=matches, scanned=self._scanned, truncated=self._truncated)

    def _keep_best(self) -> None:
        self._best.sort()
        self._truncated |= len(self._best) > self._limit
        del self._best[self._limit :]


def lexical_score(name: str, content: str, terms: list[str]) -> float:
    """Return how well a file matches lower-case `terms`: how often they occur, twice that in the name."""
    lower_name, lower_content = name.lower(), content.lower()
    score = 0
    for term in terms:
        score += lower_content.count(term) + 2 * lower_name.count(term)
    return float(score)


def make_snippet(content: str, terms: list[str], max_chars: int) -> str:
    """Return at most `max_chars` characters of `content` around the first of the lower-case `terms` in it.

    If there is none, the snippet is the beginning. The occurrence is inside the snippet, whole if it fits.
    `...` takes the place of text at a cut end where there is room for it.
    """
    if len(content) <= max_chars:
        return content
    start, end = _first_occurrence(content, terms)
    spare = max(0, max_chars - (end - start))
    left = max(0, min(start - spare // 3, len(content) - max_chars))
    right = left + max_chars
    head = _MARKER if left and start - left >= len(_MARKER) else ""
    tail = _MARKER if right < len(content) and right - end >= len(_MARKER) else ""
    return f"{head}{content[left + len(head) : right - len(tail)]}{tail}"


def _first_occurrence(content: str, terms: list[str]) -> tuple[int, int]:
    """Return where the first occurrence of any term starts and ends in `content`, or `(0, 0)`."""
    lower = content.lower()
    found = [(start, start + len(term)) for term in terms if (start := lower.find(term)) >= 0]
    start, end = min(found, default=(0, 0))
    if len(lower) == len(content) or end == 0:
        return start, end
    # Some characters become several in lower case ("İ"), so positions in `lower` run ahead.
    ends = list(accumulate(len(character.lower()) for character in content))
    return bisect_right(ends, start), bisect_left(ends, end) + 1
