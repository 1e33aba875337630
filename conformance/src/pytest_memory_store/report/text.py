"""Text from a store made safe to show: nothing here knows what a clause or a report is.

A store decides what its errors say. Such text may hold control characters that move a terminal's cursor,
lone surrogates that no encoding takes, or a megabyte.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

ELLIPSIS = "..."

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return `text` on one line, with escapes such as `\n` for control characters and lone surrogates."""
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)


def shorten(text: str, most: int) -> str:
    """Return `text`, its middle left out where it is longer than `most` characters."""
    if len(text) <= most:
        return text
    kept = max(most - len(ELLIPSIS), 2)
    return f"{text[: kept - kept // 2]}{ELLIPSIS}{text[len(text) - kept // 2 :]}"


def around_difference(expected: str, actual: str, most: int) -> tuple[str, str]:
    """Return both texts, cut to `most` characters around the place where they begin to differ."""
    if max(len(expected), len(actual)) <= most:
        return expected, actual
    shorter = min(len(expected), len(actual))
    differs = next((at for at in range(shorter) if expected[at] != actual[at]), shorter)
    start = max(0, differs - most // 2)
    return _window(expected, start, most), _window(actual, start, most)


def _window(text: str, start: int, most: int) -> str:
    before = ELLIPSIS if start else ""
    after = ELLIPSIS if start + most < len(text) else ""
    return f"{before}{text[start : start + most]}{after}"


def count(number: int, noun: str) -> str:
    """Return the number with its noun: `1 clause`, `1,024 clauses`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


Mark = Callable[[str, str], str]
"""Gives a text a style: `title`, `good`, `bad`, `warn`, or none where it is empty."""


def plain(text: str, _style: str) -> str:
    """Return the text as it is, for output without colours."""
    return text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Breaks text into lines of at most `width` characters, but never within a word."""

    width: int

    def hanging(self, head: str, text: str, *, indent: int | None = None) -> list[str]:
        """Return `text` after `head`, further lines indented by the length of the head or as asked."""
        further = " " * (len(head) if indent is None else indent)
        return textwrap.wrap(
            text,
            max(self.width, len(further) + 20),
            initial_indent=head,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
