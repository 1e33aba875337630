"""SRCH: what a search searches: the text and the name of each file as they are now, and nothing else.

Must not know: which words match what (`search_words.py`).
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store.calls import UNSET, ListPaths, Read
from pytest_memory_store.cases import answer, has_metadata, listed_paths
from pytest_memory_store.matching import score
from pytest_memory_store.search_cases import is_lexical, matches_of, names_of, plant, seek
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example


# The prefix


@check("SRCH-12", calls=22)
async def the_prefix_is_not_matched(example: Example) -> None:
    """A word of the scope's path finds no file that does not hold it, and counts for none that does."""
    files = {"n1.md": "note one note note", "n2.md": "note lapwing two note"}
    await plant(example, files, below="shrike/")
    await plant(example, files, below="lapwing/note/")
    queries = ("lapwing", "note", "one", example.scope.rpartition("/")[2], "lapwing/note", "note/n1")
    there = [await _scores(example, query, "shrike/") for query in queries]
    here = [await _scores(example, query, "lapwing/note/") for query in queries]
    wanted, found = [sorted(each) for each in there], [sorted(each) for each in here]
    example.require("SRCH-12", found == wanted, "the prefix takes part in matching", expected=wanted, actual=found)
    counted = [
        {name: score(query, name, files[name]) for name in each} for query, each in zip(queries, there, strict=True)
    ]
    if is_lexical(example) and there == counted:  # a store that counts words counts the same words everywhere
        example.require("SRCH-12", here == there, "the prefix takes part in the score", expected=there, actual=here)


async def _scores(example: Example, query: str, below: str) -> dict[str, float]:
    prefix = f"{example.prefix}{below}"
    outcome = await seek(example, query, prefix=prefix)
    return {path.removeprefix(prefix): points for path, _, points in matches_of(outcome)}


@check("SRCH-12", calls=8)
async def the_prefix_is_not_paid_for(example: Example) -> None:
    """A long scope leaves as much room for names and snippets as a short one."""
    deep = f"{'d' * 60}/{'e' * 60}/"
    await plant(example, {"a.md": "note one", "b.md": "note two"}, below=deep)
    for most in (40, 60, 100):
        await seek(example, "note", prefix=f"{example.prefix}{deep}", max_chars=most)


# What is searched


@check("SRCH-21", calls=21)
async def searches_see_what_was_written_last(example: Example) -> None:
    """New text is found at once, and replaced or deleted text no longer."""
    await plant(example, {"other.md": "note"})
    await example.put("bird.md", "hoopoe one")
    await _look(example, "hoopoe", "bird")
    await example.put("bird.md", "lapwing two")
    await _look(example, "lapwing", "hoopoe", "bird")
    await example.remove("bird.md")
    await _look(example, "lapwing", "hoopoe", "bird", "note")
    await example.put("bird.md", "wagtail five")
    await _look(example, "wagtail", "lapwing", "hoopoe", "bird")


@check("SRCH-21", calls=11)
async def refused_text_is_not_found(example: Example) -> None:
    """A write that is refused for its version leaves the text that is found as it was."""
    first = await example.put("bird.md", "hoopoe one")
    await example.put("bird.md", "lapwing two")
    await example.settle()
    await _look(example, "lapwing")
    await example.write("bird.md", "shrike three", expected_version=first)
    await example.write("bird.md", "shrike three", expected_version=None)
    await example.settle()
    for query in ("shrike", "lapwing", "hoopoe"):
        await seek(example, query, blame="SRCH-21")


@check("SRCH-21", calls=15)
async def repeated_text_is_not_found_again(example: Example) -> None:
    """The repetition of a write that was replaced or deleted since brings no text back."""
    operation = example.operation()
    await example.put("bird.md", "hoopoe one", operation=operation)
    again = example.model.receipts[operation.id].call
    await example.put("bird.md", "lapwing two")
    await example.settle()
    await example.perform(again)
    await example.settle()
    await _look(example, "lapwing", "hoopoe")
    await example.remove("bird.md")
    await example.read("bird.md")
    await example.perform(again)
    await example.read("bird.md")
    await _look(example, "lapwing", "hoopoe", "bird")


async def _look(example: Example, *queries: str) -> None:
    for query in queries:
        await seek(example, query)


@check("SRCH-28", calls=20)
async def records_are_not_searched(example: Example) -> None:
    """Neither metadata nor the ids and fingerprints of operations match, and no snippet quotes them."""
    canaries = [f"canary{secrets.token_hex(6)}" for _ in range(5)]
    metadata = {canaries[0]: canaries[1]} if has_metadata(example) else UNSET
    operation = example.operation(canaries[3], id=f"kit-{canaries[2]}")
    await plant(example, {"a.md": "note one", "b.md": "note two"})
    await example.put("a.md", "note three", metadata=metadata, operation=operation)
    await example.put("c.md", "note four", operation=example.operation(canaries[4]))
    await example.remove("c.md")
    await seek(example, "note")
    for query in (*canaries, operation.id, "note"):
        outcome = await seek(example, query)
        told = [text for path, quoted, _ in matches_of(outcome) for text in canaries if text in f"{path}\n{quoted}"]
        example.require("SRCH-28", not told, "a record is quoted", expected=[], actual=told)


# The toolset's own scan


@check(
    "SRCH-27",
    examples=20,
    calls=14,
    texts=st.lists(st.text("xyz \n", max_size=10), min_size=1, max_size=6),
    words=st.lists(st.sampled_from(["x", "y", "zz", "xy", "lark1"]), min_size=1, max_size=3, unique=True),
    limit=st.integers(1, 7),
    max_files=st.integers(1, 7),
    max_file_chars=st.integers(4, 16),
)
async def a_search_is_a_scan(
    example: Example, texts: list[str], words: list[str], limit: int, max_files: int, max_file_chars: int
) -> None:
    """A search finds the same files with the same flag as listing the scope and reading each file."""
    await plant(example, {f"lark{number}.md": f"note {text}" for number, text in enumerate(texts)})
    await _require_scan(example, " ".join(words) or "x", limit, max_files, max_file_chars)


@check("SRCH-27", calls=50)
async def a_search_looks_at_every_file(example: Example) -> None:
    """A search finds what a scan finds also where the best match comes last and bounds are just reached."""
    texts = ("none", "x", "x x", "x x x y", "x x x x")
    await plant(example, {f"lark{number}.md": f"note {text}" for number, text in enumerate(texts)})
    for limit, max_files, max_file_chars in ((9, 9, 99), (1, 9, 99), (2, 5, 99), (9, 4, 99), (9, 9, 8), (4, 5, 12)):
        await _require_scan(example, "x y", limit, max_files, max_file_chars)


async def _require_scan(example: Example, query: str, limit: int, max_files: int, max_file_chars: int) -> None:
    wanted = await _scan(example, query, limit, max_files, max_file_chars)
    outcome = await seek(example, query, limit=limit, max_files=max_files, max_file_chars=max_file_chars)
    found = sorted(names_of(example, outcome)), getattr(answer(outcome), "truncated", None)
    message = "a search and a scan of the same files differ in their matches or in `truncated`"
    example.require("SRCH-27", found == wanted, message, expected=wanted, actual=found)


async def _scan(
    example: Example, query: str, limit: int, max_files: int, max_file_chars: int
) -> tuple[list[str], bool]:
    """What the toolset finds in a store without search: the names, and whether anything was left out."""
    paths = listed_paths(await example.perform(ListPaths(example.prefix, max_files + 1)))
    truncated = len(paths) > max_files
    points: dict[str, int] = {}
    for path in paths[:max_files]:
        file = answer(await example.perform(Read(path, max_file_chars)))
        truncated = truncated or file.truncated
        points[path.removeprefix(example.prefix)] = score(query, path.removeprefix(example.prefix), file.content)
    found = sorted((name for name in points if points[name]), key=lambda name: (-points[name], name))
    return sorted(found[:limit]), truncated or len(found) > limit
