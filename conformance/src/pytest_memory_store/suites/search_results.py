"""SRCH: the shape of results, searches for nothing, refused prefixes, names that are left out, and snippets.

Must not know: which words match what (`search_words.py`).
"""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_memory_store import path_corpus as corpus
from pytest_memory_store.calls import Search
from pytest_memory_store.cases import is_writable, next_case, offer
from pytest_memory_store.search_cases import BOUNDS, need_matches, plant, seek
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example


# Searches for nothing


BLANK = ("", " ", "   ", "\n", "\t", " \t\r\n ", string.whitespace, " " * 1_000)


@check("SRCH-09", calls=14)
async def a_blank_query_finds_nothing(example: Example) -> None:
    """A query of no words is answered with no matches, no files and no flag, whatever there is to find."""
    if is_writable(example):
        await plant(example, {"a.md": "note with spaces\tand\nlines", "b.md": ""})
    for query in BLANK:
        await seek(example, query)
    await seek(example, " ", limit=1, max_files=1, max_chars=1, max_file_chars=1)


@check("SRCH-10", calls=25)
async def a_used_up_bound_finds_nothing(example: Example) -> None:
    """Each bound of zero or less, alone or with others, is answered like a blank query."""
    if is_writable(example):
        await plant(example, {"a.md": "note one", "b.md": "note two"})
    for name in BOUNDS:
        for most in (0, -1, -2, -(2**31)):
            bound: dict[str, Any] = {name: most}
            await seek(example, "note", **bound)
    await seek(example, "note", limit=0, max_files=0, max_chars=0, max_file_chars=0)


# Prefixes


@check("SRCH-11", calls=30)
async def an_invalid_prefix_is_refused(example: Example) -> None:
    """Every kind of invalid prefix is refused."""
    for prefix in (example.prefix, example.path("a-b_c.d/"), example.scope):
        await _search_in(example, prefix)
    for pattern in corpus.INVALID_PREFIXES:
        next_case(example)
        await _search_in(example, pattern.replace("{}", example.scope))


@check("SRCH-11b", calls=40)
async def an_invalid_prefix_is_refused_first(example: Example) -> None:
    """An invalid prefix is refused also where nothing is asked for."""
    for pattern in corpus.INVALID_PREFIXES[::3]:
        next_case(example)
        prefix = pattern.replace("{}", example.scope)
        await _search_in(example, prefix)
        await _search_in(example, prefix, "")
        await _search_in(example, prefix, " \n")
        await _search_in(example, prefix, limit=0)


async def _search_in(example: Example, prefix: str, query: str | None = None, limit: int = 1) -> None:
    """Search for what nobody wrote, with a budget that has no room for anything."""
    wanted = f"q{secrets.token_hex(8)}" if query is None else query
    await example.perform(Search(prefix, wanted, limit, 1, 1, 1))


# Results


@check("SRCH-23", calls=12)
async def results_are_the_protocols(example: Example) -> None:
    """Every search returns a result with a list of matches, an integer and a boolean."""
    await seek(example, "note")
    if is_writable(example):
        await plant(example, {"a.md": "note one", "b.md": "note two"})
        await seek(example, "one")
        await seek(example, "note", limit=1)
    await seek(example, "absent")
    await seek(example, "")
    await seek(example, "note", limit=0)
    await seek(example, "note", prefix=example.scope)


UNSAYABLE = ("_n.md", ".h.md", "-n.md", f"{'n' * 90}.md")
"""Names that a store keeps and the tools cannot say."""


@check("SRCH-24", calls=16)
async def unsayable_names_are_left_out(example: Example) -> None:
    """Files whose names the tools cannot address are not found, and the others are found beside them."""
    await plant(example, {"a.md": "note one", "b.md": "note two"})
    for name in UNSAYABLE:
        if name not in example.setting.claims.reserved_names:
            await offer(example, name, "note note", "SRCH-24")
    await seek(example, "note")
    await seek(example, "one")
    await seek(example, "note", limit=2)
    await seek(example, "note", max_files=2)


@check("SRCH-19", calls=8)
async def a_file_is_found_once(example: Example) -> None:
    """A file that holds several words of the query, many times and in its name, is one match."""
    await plant(example, {"note-hoopoe.md": "note hoopoe note hoopoe\n" * 5, "b.md": "hoopoe\n\nnote\n\nhoopoe"})
    need_matches(example, await seek(example, "note hoopoe"))
    await seek(example, "hoopoe hoopoe HOOPOE")
    await seek(example, "note hoopoe", max_chars=40)


@check("SRCH-17", calls=19)
async def a_snippet_is_of_its_own_file(example: Example) -> None:
    """Each match quotes its own file, whole or cut, also where others hold the same words."""
    await plant(
        example,
        {
            "a.md": "The note of Ada:\n\n- hoopoe & lapwing\n",
            "b.md": "a note of bob " + "and so on " * 30 + "with a hoopoe in the midst " + "and so forth " * 30,
            "c.md": 'note: \t<b>hoopoe</b>  "quoted" ... and more',
            "hoopoe.md": "a note",
        },
    )
    need_matches(example, await seek(example, "hoopoe"))
    await seek(example, "note midst")
    for most in (20, 60, 150, 400):
        await seek(example, "hoopoe", max_chars=most)
        await seek(example, "note midst", max_chars=most)


@check(
    "SRCH-17",
    calls=6,
    one=st.text("no te.\n", max_size=30),
    other=st.text("no te.\n", max_size=30),
    most=st.integers(5, 90),
)
async def any_snippet_is_text_of_its_file(example: Example, one: str, other: str, most: int) -> None:
    """Each match quotes its own file, wherever the word is and wherever the budget ends."""
    await plant(example, {"one.md": f"common {one}note{other}x", "two.md": f"common {other}note{one}y"}, "common")
    need_matches(example, await seek(example, "note"))
    await seek(example, "note", max_chars=most)
