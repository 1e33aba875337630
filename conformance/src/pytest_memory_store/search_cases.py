"""What the search suites share: bounds that cut nothing, files to search, and words of query languages.

Must not know: which clauses there are, pytest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_memory_store.calls import Outcome, Returned
from pytest_memory_store.example import NotExercised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_memory_store.example import Example

WIDE: Mapping[str, int] = {"limit": 100, "max_files": 1_000, "max_chars": 100_000, "max_file_chars": 65_536}
"""Bounds that cut nothing in an example, and that no back end finds large."""

BOUNDS: tuple[str, ...] = tuple(WIDE)

HUGE = (2**31, 2**32, 2**63 - 1, 2**63, 2**64)
"""Bounds on both sides of what 32 and 64 bits hold; a store may refuse them."""

SPECIAL_CHARS = "%_*?\"'\\()[]{}.^$|-+:~!&<>=#/@;,`"
"""Characters that LIKE, GLOB, regular expressions, FTS5, tsquery, Lucene or SQL have a use for."""

SPECIAL_WORDS = (
    *("-xy", "+xy", "!xy", "xy*", "*xy", "%xy%", "x_y", "x?y", "x.y", "x%y", "x*y", "x+y", "x|y", "x&y", "x-y"),
    *('"xy', 'xy"', '"xy zw"', "'xy", "xy'", "''", "(xy", "xy)", "(xy zw)", "[xy]", "[x-z]", "{xy}", "xy{2}"),
    *("xy\\", "\\xy", "\\d", "\\\\", "xy~2", "xy^2", "k:xy", "xy:*", ":xy", "^xy", "xy$", "$1", ".*", "x.*y"),
    *("<->", "<b>", "xy--", "'; --", "/*xy*/", "%s", "{0}", "&amp;", "xy;", "@@", "#xy", "NEAR(xy", "-"),
)
"""Words that are orders, mistakes or patterns in some query language."""

OPERATORS = ("AND", "OR", "NOT", "NEAR")
"""Operators of full-text queries, each in the case in which they are operators."""


def decoy(query: str) -> str:
    """A text found by whatever drops or interprets the special characters of `query`, and by no literal search."""
    dropped = re.sub(r"[^A-Za-z0-9\s]", " ", query)
    joined = re.sub(r"[^A-Za-z0-9\s]", "", query)
    filled = re.sub(r"[^A-Za-z0-9\s]", "q", query)
    terms = query.lower().split()
    words = f"{dropped} {joined} {filled} xy5zw".split()
    return " ".join(word for word in words if not any(term in word.lower() for term in terms))


async def seek(
    example: Example, query: str, *, prefix: str | None = None, blame: str | None = None, **bounds: int
) -> Outcome:
    """Search with bounds that cut nothing, the given ones apart."""
    return await example.search(query, prefix=prefix, blame=blame, **{**WIDE, **bounds})


async def plant(example: Example, files: Mapping[str, str], query: str = "note", *, below: str = "") -> None:
    """Write files, and see by a search for a plain word that they are searched, before anything else is asked."""
    for name, content in files.items():
        await example.put(f"{below}{name}", content)
    await seek(example, query, prefix=f"{example.prefix}{below}")


def matches_of(outcome: Outcome) -> Iterator[tuple[str, str, Any]]:
    """The path, snippet and score of each match, in order; none where the search failed."""
    value = outcome.value if isinstance(outcome, Returned) else None
    for match in getattr(value, "matches", ()):
        yield match.path, match.snippet, match.score


def names_of(example: Example, outcome: Outcome, prefix: str | None = None) -> list[str]:
    """The names that a search found, in order."""
    return [path.removeprefix(example.prefix if prefix is None else prefix) for path, _, _ in matches_of(outcome)]


def need_matches(example: Example, outcome: Outcome) -> None:
    """Give up where a search by meaning found nothing, since then nothing can be said of its matches.

    Raises:
        NotExercised: it found nothing.
    """
    if not is_lexical(example) and not any(matches_of(outcome)):
        raise NotExercised("the search by meaning found none of the kit's notes")


def is_lexical(example: Example) -> bool:
    """Whether the store's search is by words."""
    return "semantic" not in example.setting.claims
