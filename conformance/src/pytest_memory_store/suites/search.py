"""SRCH: which files a search looks at, and its bounds and flags.

Must not know: which words match what (`search_words.py`). A check confirms its files by a plain search before it
asks what it is about, so that a store which finds nothing at all is not taken for one that cuts wrongly.
"""

from __future__ import annotations

import secrets
import string
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_memory_store import path_corpus as corpus
from pytest_memory_store.calls import ALL, Search
from pytest_memory_store.cases import in_other_case, is_writable, neighbour, next_case, offer
from pytest_memory_store.search_cases import BOUNDS, HUGE, plant, seek
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example

FIVE = {f"n{number}.md": f"note {number}" for number in range(5)}

# Which files


@check("SRCH-01", calls=20)
async def deeper_files_are_not_searched(example: Example) -> None:
    """Files of deeper scopes are not found, however well they match, and take no place from others."""
    await _plant_two(example)
    for name in ("a0/x.md", "a0/note.md", "b/note/note.md", "z/y/x/note.md"):
        await example.put(name, "note note note note")
    await seek(example, "note")
    await seek(example, "note", limit=1)
    await _require_room_for_two(example, blame="SRCH-01")
    await seek(example, "note", prefix=example.path("a0/"))
    await seek(example, "note", prefix=example.path("z/y/"))
    await seek(example, "note", prefix=example.path("nothing/"))


@check("SCOPE-01", calls=40, needs="search")
async def neighbours_are_not_searched(example: Example) -> None:
    """Files of scopes whose names are near are not found, however well they match, and take no place from others."""
    await _plant_two(example)
    scopes = [f"{example.scope}{suffix}" for suffix in ("0", "_x", "-x", ".x", "/sub")]
    if "case_insensitive" not in example.setting.claims:
        scopes.append(in_other_case(example))
    for scope in scopes:
        await neighbour(example, scope).put("a.md", "note note note")
    await seek(example, "note")
    await _require_room_for_two(example, blame="SCOPE-01")
    for name in ("a_b", "axb", "a.b", "a-b", "ab"):
        await example.put(f"{name}/c.md", "note")
    for name in ("a_b", "a.b", "a-b", "ab"):
        await seek(example, "note", prefix=example.path(f"{name}/"))


async def _plant_two(example: Example) -> None:
    """Write two files, and see that bounds of two have room for them as long as they are alone."""
    await plant(example, {"b.md": "one note", "c.md": "a note"})
    await _require_room_for_two(example)


async def _require_room_for_two(example: Example, blame: str | None = None) -> None:
    await seek(example, "note", limit=2, blame=blame)
    await seek(example, "note", max_files=2, blame=blame)


# Bounds


@check("SRCH-03", calls=30)
async def no_more_files_are_looked_at(example: Example) -> None:
    """Whatever `max_files` is, `scanned` is no more than that and no more than the files of the scope."""
    await plant(example, FIVE)
    await example.put("sub/n9.md", "note")
    await neighbour(example, f"{example.scope}0").put("n9.md", "note")
    for most in (1, 2, 4, 5, 6, 7, 100):
        await seek(example, "note", max_files=most)
    await seek(example, "absent")
    await seek(example, "absent", max_files=3)
    await seek(example, "note", max_files=ALL, blame="SRCH-03")
    for most in HUGE:
        await seek(example, "note", max_files=most)


@check("SRCH-04", calls=20)
async def no_more_matches_are_returned(example: Example) -> None:
    """Whatever `limit` is, there are no more matches."""
    await plant(example, FIVE)
    for most in (1, 2, 4, 5, 6):
        await seek(example, "note", limit=most)
    await seek(example, "note", limit=ALL, blame="SRCH-04")
    for most in HUGE:
        await seek(example, "note", limit=most)


@check("SRCH-04b", calls=25)
async def huge_bounds_are_no_bounds(example: Example) -> None:
    """A bound that no back end can hold is as good as none."""
    await plant(example, {"a.md": "note one", "b.md": "note two"})
    for name in BOUNDS:
        for most in HUGE:
            bound: dict[str, Any] = {name: most}
            await seek(example, "note", **bound)


QUOTED = {
    "a.md": "note of eighteen c",
    "topic-1.md": "first some words, then a note, and more words after it to be cut",
    "wide.md": "漢字 \U0001f600 é note 漢字 \U0001f600 é",
}
WHOLE = sum(len(name) + len(content) for name, content in QUOTED.items())


@check("SRCH-05", calls=35)
async def results_fit_the_budget(example: Example) -> None:
    """Names and snippets together stay within `max_chars`, from less than one name to more than everything."""
    await plant(example, QUOTED)
    for most in (1, 2, 3, 4, 5, 6, 7, 10, 12, 21, 22, 23, WHOLE - 1, WHOLE, WHOLE + 1):
        await seek(example, "note", max_chars=most)
    await seek(example, "note", max_chars=ALL, blame="SRCH-05")
    for most in HUGE:
        await seek(example, "note", max_chars=most)


@check("SRCH-05", calls=6, most=st.integers(1, WHOLE + 10), query=st.sampled_from(["note", "words", "md", "note cut"]))
async def results_fit_any_budget(example: Example, most: int, query: str) -> None:
    """Names and snippets together stay within any budget."""
    await plant(example, QUOTED)
    await seek(example, query, max_chars=most)


@check("SRCH-06", calls=20)
async def text_beyond_the_bound_is_not_searched(example: Example) -> None:
    """Only the first `max_file_chars` characters of a file are matched and quoted."""
    await plant(example, {"a.md": "note hoopoe", "b.md": "note and a long way to the hoopoe at the end"})
    await seek(example, "hoopoe")
    for most in (1, 4, 5, 10, 11, 12, 37, 38):
        await seek(example, "hoopoe", max_file_chars=most)
        await seek(example, "note", max_file_chars=most, max_chars=30)
    await seek(example, "hoopoe", max_file_chars=ALL, blame="SRCH-06")
    for most in HUGE:
        await seek(example, "hoopoe", max_file_chars=most)


@check(
    "SRCH-06",
    calls=6,
    before=st.text("xy é漢\U0001f600\n", max_size=12),
    after=st.text("xy é漢\n", max_size=12),
    most=st.integers(1, 40),
)
async def the_bound_counts_characters(example: Example, before: str, after: str, most: int) -> None:
    """The bound falls before, in or after a word, beside characters of any width."""
    await plant(example, {"n1.md": f"note {before}hoopoe{after}", "n2.md": "note"})
    await seek(example, "hoopoe", max_file_chars=most)
    await seek(example, "note", max_file_chars=most)


# Flags


@check("SRCH-07", calls=16)
async def whatever_is_left_out_is_told(example: Example) -> None:
    """Files not looked at, matches left out by limit or budget, and cut files set `truncated`, each alone."""
    await plant(example, {"a.md": "note hoopoe", "b.md": "note", "c.md": "note with a longer text"})
    await seek(example, "hoopoe", max_files=2)
    await seek(example, "absent", max_files=1)
    await seek(example, "note", limit=2)
    await seek(example, "note", limit=1)
    await seek(example, "note", max_chars=5)
    await seek(example, "note", max_chars=3)
    await seek(example, "note", max_file_chars=22)
    await seek(example, "hoopoe", max_file_chars=22)
    await seek(example, "absent", max_file_chars=22)


_texts = st.text("xyz \n", max_size=12)
_names = st.sampled_from(["n0.md", "n1.md", "n2.txt", "xy.md", "z.md", "y-z.md", "n3", "N4.md"])
_queries = st.lists(st.sampled_from(["x", "y", "xy", "yz", "zz", "md", "n1"]), min_size=1, max_size=3).map(" ".join)
_cuts = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(1, 9),
        "max_files": st.integers(1, 9),
        "max_chars": st.integers(1, 120),
        "max_file_chars": st.integers(1, 14),
    },
)


@check(
    "SRCH-07",
    examples=30,
    calls=10,
    files=st.dictionaries(_names, _texts, max_size=8),
    query=_queries,
    bounds=_cuts,
)
async def any_search_is_within_its_bounds(
    example: Example, files: dict[str, str], query: str, bounds: dict[str, Any]
) -> None:
    """Whatever the files, the words and the bounds are, matches, counts and flags are right."""
    await plant(example, {"first.md": "note", **files})
    await seek(example, query)
    await seek(example, query, **bounds)
    await seek(example, "note", max_files=max(1, len(files)))


@check("SRCH-08", calls=20)
async def a_complete_search_says_so(example: Example) -> None:
    """Bounds that are just reached leave nothing out."""
    files = {"a.md": "note hoopoe", "b.md": "note", "c.md": "note with a longer text"}
    await plant(example, files)
    await example.put("sub/d.md", "note in another scope, which is longer than the others")
    await seek(example, "note", limit=3)
    await seek(example, "note", max_files=3)
    await seek(example, "note", max_file_chars=max(map(len, files.values())))
    await seek(example, "note", max_chars=sum(len(name) + len(content) for name, content in files.items()))
    await seek(example, "hoopoe", limit=1)
    await seek(example, "absent", limit=1, max_chars=1)
    await example.remove("c.md")
    await seek(example, "note", limit=2, max_files=2, max_file_chars=11)
    await seek(example, "note", prefix=example.path("nothing/"), limit=1, max_files=1, max_chars=1, max_file_chars=1)


# Searches for nothing


BLANK = ("", " ", "   ", "\n", "\t", " \t\r\n ", string.whitespace, " " * 1_000)


@check("SRCH-09", calls=20)
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


@check("SRCH-11", calls=35)
async def an_invalid_prefix_is_refused(example: Example) -> None:
    """Every kind of invalid prefix is refused."""
    await _refuse_prefixes(example, f"q{secrets.token_hex(8)}", corpus.INVALID_PREFIXES, max_files=1)


@check("SRCH-11b", calls=35)
async def an_invalid_prefix_is_refused_first(example: Example) -> None:
    """An invalid prefix is refused also where nothing is asked for."""
    few = corpus.INVALID_PREFIXES[::3]
    await _refuse_prefixes(example, "", few, max_files=1)
    await _refuse_prefixes(example, " ", few, max_files=1)
    await _refuse_prefixes(example, "note", few, max_files=0)


async def _refuse_prefixes(example: Example, query: str, patterns: tuple[str, ...], *, max_files: int) -> None:
    """See valid prefixes taken and these refused; the budget has no room for anything that others wrote."""
    for prefix in (example.prefix, example.scope, example.path("a-b_c.d/")):
        await example.perform(Search(prefix, query, 1, max_files, 1, 1))
    for pattern in patterns:
        next_case(example)
        await example.perform(Search(pattern.replace("{}", example.scope), query, 1, max_files, 1, 1))


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
    await seek(example, "note hoopoe md")
    await seek(example, "hoopoe hoopoe HOOPOE")
    await seek(example, "note hoopoe", max_chars=40)


@check("SRCH-17", calls=12)
async def a_snippet_is_of_its_own_file(example: Example) -> None:
    """Each match quotes its own file, whole or cut, also where others hold the same words."""
    await plant(
        example,
        {
            "a.md": "The NOTE of ada:\n\n- hoopoe & lapwing\n",
            "b.md": "a note of bob " + "and so on " * 30 + "with a hoopoe in the midst " + "and so forth " * 30,
            "c.md": 'note: \t<b>hoopoe</b>  "quoted" ... and more',
            "hoopoe.md": "a note",
        },
    )
    await seek(example, "hoopoe")
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
    await plant(example, {"one.md": f"x{one}note{other}x", "two.md": f"y{other}note{one}y"})
    await seek(example, "note", max_chars=most)
