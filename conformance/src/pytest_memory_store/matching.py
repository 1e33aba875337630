"""What a word search finds and what a snippet may quote, as pure functions of texts.

Must not know: calls, the model, stores. Texts are compared in three strengths: ASCII letters in either case, which
every store must do; other letters too, which it should; and whatever Unicode takes for one letter, which it may.
Queries are split at ASCII white space, which every store takes for white space.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import TypeAlias

Fold: TypeAlias = Callable[[str], str]
"""A function that makes equal what is compared as equal."""

_TOOL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_MARK = re.compile(r"\s*(?:\.\.\.|…)\s*")
_CUT_MARK = re.compile(r"\A\.{1,2}(?!\.)|(?<!\.)\.{1,2}\Z")
_OPERATORS = frozenset({"AND", "OR", "NOT", "NEAR"})

MARKS = 6
"""Characters that the marks at both ends of a snippet may take."""


def addressable(name: str) -> bool:
    """Whether the memory tools accept this file name (SRCH-24)."""
    return _TOOL_NAME.fullmatch(name) is not None and ".." not in name


def exact(text: str) -> str:
    """The fold that leaves every character as it is."""
    return text


def ascii_lower(text: str) -> str:
    """The fold that every store must apply: ASCII letters alone lose their case."""
    return text.translate(_LOWER)


def widest(text: str) -> str:
    """The fold with the most matches that a store may report."""
    return text.lower().casefold()


def terms(query: str) -> list[str]:
    """The words of a query."""
    return [term for term in re.split(f"[{string.whitespace}]+", query) if term]


def is_plain(query: str) -> bool:
    """Whether no query language has another use for this text: ASCII letters and digits, and no operator."""
    return all(term.isascii() and term.isalnum() and term not in _OPERATORS for term in terms(query))


def occurs(query: str, text: str, fold: Fold = ascii_lower) -> bool:
    """Whether any word of the query occurs in the text (SRCH-13, SRCH-14)."""
    folded = fold(text)
    return any(fold(term) in folded for term in terms(query))


def score(query: str, name: str, text: str) -> int:
    """How often the words occur in the text, and twice how often in the name (SRCH-15)."""
    name, text = name.lower(), text.lower()
    return sum(text.count(term) + 2 * name.count(term) for term in terms(query.lower()))


def quotes(snippet: str, text: str) -> bool:
    """Whether the snippet is text of `text`, marks of what was left out set aside (SRCH-17).

    Marks may stand at the ends and between two quotations, with white space around them; the budget may cut the one
    at an end, and leave nothing but marks.
    """
    if not snippet.strip(".… "):
        return True
    return snippet in text or any(
        all(part in text for part in _MARK.split(whole)) for whole in (snippet, _CUT_MARK.sub("", snippet))
    )


def is_stand_alone(term: str, text: str) -> bool:
    """Whether any index of words finds the term in the text: it stands alone there, and is no short or stop word."""
    return len(term) >= 4 and re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text) is not None
