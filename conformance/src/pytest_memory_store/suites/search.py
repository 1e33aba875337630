"""SRCH: which files a search looks at, and its bounds and flags.

Must not know: which words match what (`search_words.py`). A check confirms its files by a plain search before it
asks what it is about, so that a store which finds nothing at all is not taken for one that cuts wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from pytest_memory_store.calls import ALL
from pytest_memory_store.cases import in_other_case, neighbour, next_case
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
    scopes = [f"{example.scope}{suffix}" for suffix in ("0", "_x", "-x", ".x")]
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


@check("SRCH-03", calls=25)
async def no_more_files_are_looked_at(example: Example) -> None:
    """Whatever `max_files` is, `scanned` is no more than that and no more than the files of the scope."""
    await plant(example, FIVE)
    await example.put("sub/n9.md", "note")
    await neighbour(example, f"{example.scope}0").put("n9.md", "note")
    await seek(example, "note")
    for most in (1, 2, 4, 5, 6, 7, 100):
        await seek(example, "note", max_files=most)
    await seek(example, "absent")
    await seek(example, "absent", max_files=3)


@check("SRCH-04", calls=16)
async def no_more_matches_are_returned(example: Example) -> None:
    """Whatever `limit` is, there are no more matches."""
    await plant(example, FIVE)
    for most in (1, 2, 4, 5, 6):
        await seek(example, "note", limit=most)


QUOTED = {
    "a.md": "note of eighteen c",
    "topic-1.md": "first some words, then a note, and more words after it to be cut",
    "wide.md": "漢字 \U0001f600 é note 漢字 \U0001f600 é",
}
WHOLE = sum(len(name) + len(content) for name, content in QUOTED.items())


@check("SRCH-05", calls=22)
async def results_fit_the_budget(example: Example) -> None:
    """Names and snippets together stay within `max_chars`, from less than one name to more than everything."""
    await plant(example, QUOTED)
    for most in (1, 2, 3, 4, 5, 6, 7, 10, 12, 21, 22, 23, WHOLE - 1, WHOLE, WHOLE + 1):
        await seek(example, "note", max_chars=most)


@check(
    "SRCH-05", calls=6, most=st.integers(1, WHOLE + 10), query=st.sampled_from(["note", "words", "topic", "note cut"])
)
async def results_fit_any_budget(example: Example, most: int, query: str) -> None:
    """Names and snippets together stay within any budget."""
    await plant(example, QUOTED)
    await seek(example, query)
    await seek(example, query, max_chars=most)


@check("SRCH-06", calls=27)
async def text_beyond_the_bound_is_not_searched(example: Example) -> None:
    """Only the first `max_file_chars` characters of a file are matched and quoted."""
    await plant(example, {"a.md": "note hoopoe", "b.md": "note and a long way to the hoopoe at the end"})
    await seek(example, "hoopoe")
    for most in (1, 4, 5, 10, 11, 12, 37, 38):
        await seek(example, "hoopoe", max_file_chars=most)
        await seek(example, "note", max_file_chars=most, max_chars=30)
    wide = "漢字 \U0001f600 é and a lapwing"
    await plant(example, {"c.md": wide}, "lapwing")
    for most in (len(wide), len(wide) - 1):
        await seek(example, "lapwing", max_file_chars=most)


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
    await seek(example, "hoopoe")
    await seek(example, "hoopoe", max_file_chars=most)
    await seek(example, "note", max_file_chars=most)


# Bounds that no back end finds small


@check("SRCH-03", calls=24)
async def huge_max_files_leaves_nothing_out(example: Example) -> None:
    """The largest `max_files` is no bound, and a larger one is none or is refused."""
    await _search_with_huge(example, "max_files")


@check("SRCH-04", calls=24)
async def huge_limit_leaves_nothing_out(example: Example) -> None:
    """The largest `limit` is no bound, and a larger one is none or is refused."""
    await _search_with_huge(example, "limit")


@check("SRCH-05", calls=24)
async def huge_max_chars_leaves_nothing_out(example: Example) -> None:
    """The largest `max_chars` is no bound, and a larger one is none or is refused."""
    await _search_with_huge(example, "max_chars")


@check("SRCH-06", calls=24)
async def huge_max_file_chars_leaves_nothing_out(example: Example) -> None:
    """The largest `max_file_chars` is no bound, and a larger one is none or is refused."""
    await _search_with_huge(example, "max_file_chars")


@check("SRCH-04b", calls=96)
async def huge_bounds_are_accepted(example: Example) -> None:
    """A bound that no back end can hold is as good as none."""
    for name in BOUNDS:
        await _search_with_huge(example, name)


async def _search_with_huge(example: Example, name: str) -> None:
    for most in (ALL, *HUGE):
        next_case(example)
        below = f"{name}-{most}/"
        await plant(example, {"a.md": "note"}, below=below)
        bound: dict[str, Any] = {name: most}
        blame = example.own if most == ALL else None
        await seek(example, "note", prefix=f"{example.prefix}{below}", blame=blame, **bound)


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
_names = st.sampled_from(["lark.md", "wren.md", "wren-2.md", "crow.txt", "gull", "LARK-3.md"])
_queries = st.lists(st.sampled_from(["x", "y", "xy", "yz", "zz", "lark", "wren"]), min_size=1, max_size=3).map(" ".join)
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
    calls=14,
    files=st.dictionaries(_names, _texts, max_size=8),
    query=_queries,
    bounds=_cuts,
)
async def any_search_is_within_its_bounds(
    example: Example, files: dict[str, str], query: str, bounds: dict[str, Any]
) -> None:
    """Whatever the files, the words and the bounds are, matches, counts and flags are right."""
    await plant(example, {"first.md": "note", **files})
    for word in query.split():
        await seek(example, word)
    await seek(example, query)
    await seek(example, query, **bounds)
    await seek(example, "note", max_files=max(1, len(files)))


@check("SRCH-08", calls=20)
async def a_complete_search_says_so(example: Example) -> None:
    """Bounds that are just reached leave nothing out."""
    files = {"a.md": "note hoopoe", "b.md": "note", "c.md": "note with a longer text"}
    await plant(example, files)
    await example.put("sub/d.md", "note in another scope, which is longer than the others")
    await seek(example, "note")
    await seek(example, "note", limit=3)
    await seek(example, "note", max_files=3)
    await seek(example, "note", max_file_chars=max(map(len, files.values())))
    await seek(example, "note", max_chars=sum(len(name) + len(content) for name, content in files.items()))
    await seek(example, "hoopoe", limit=1)
    await seek(example, "absent", limit=1, max_chars=1)
    await example.remove("c.md")
    await seek(example, "note")
    await seek(example, "note", limit=2, max_files=2, max_file_chars=11)
    await seek(example, "note", prefix=example.path("nothing/"), limit=1, max_files=1, max_chars=1, max_file_chars=1)
