"""PATH: which paths and prefixes a store accepts.

Must not know: whether two paths are one file (`identity.py`). The cases of a corpus do not depend on each other,
so each begins a transcript of its own.
"""

from __future__ import annotations

import secrets

from hypothesis import strategies as st

from pytest_memory_store import path_corpus as corpus
from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import Delete, Read, Returned, Write
from pytest_memory_store.cases import (
    answer,
    can_search,
    case_counts,
    is_writable,
    neighbour,
    next_case,
    offer,
    require_error,
    require_listed,
)
from pytest_memory_store.example import ALL, Example
from pytest_memory_store.suites.registry import check

# Which paths are accepted


@check("PATH-01", calls=104)
async def uncommon_names_are_accepted(example: Example) -> None:
    """Every valid path can be written, read and deleted, whatever a back end makes of its segments."""
    await _round_trip(example, "plain.md", None)
    for name in corpus.UNCOMMON:
        await _round_trip(example, name, "PATH-01")


@check("PATH-01", calls=8, name=draw.paths)
async def any_valid_path_is_accepted(example: Example, name: str) -> None:
    """A path drawn from the grammar can be written, read and deleted."""
    await _round_trip(example, "plain.md", None)
    await _round_trip(example, name, "PATH-01")


async def _round_trip(example: Example, name: str, blame: str | None) -> None:
    """Write, read and delete one file; with `blame`, after a plain one has shown that those work."""
    if example.setting.claims.reserved_names.intersection(name.split("/")):
        return
    next_case(example)
    await example.write(name, "x", expected_version=None, blame=blame)
    await example.read(name, blame=blame)
    await example.remove(name, blame=blame)


@check("PATH-02", calls=275)
async def invalid_names_are_refused(example: Example) -> None:
    """Every kind of invalid path is refused by read, write and delete, and leaves nothing behind."""
    await example.list_paths()
    for name in corpus.INVALID:
        await _refused(example, f"{example.prefix}{name}")
    for path in ("", "/", *corpus.outside(example.scope, secrets.token_hex(8))):
        await _refused(example, path)


@check("PATH-02", calls=6, char=corpus.invalid_chars, before=st.sampled_from(["a", "", "a/b"]))
async def no_other_character_is_accepted(example: Example, char: str, before: str) -> None:
    """A path with any character outside the grammar is refused."""
    await example.list_paths()
    await _refused(example, f"{example.prefix}{before}{char}c.md")


@check("PATH-03", calls=107)
async def dots_are_refused(example: Example) -> None:
    """A `.` segment and `..` anywhere are refused, also where the path would lead to a file that exists."""
    await example.list_paths()
    for name in corpus.DOTTED:
        await _refused(example, f"{example.prefix}{name}")
    for path in corpus.traversals(example.scope, secrets.token_hex(8)):
        await _refused(example, path)
    if is_writable(example):
        await example.put("a/b.md", "x")
        await example.read("a/b.md")
        for name in ("a/./b.md", "./a/b.md", "a/../a/b.md"):
            await example.read(name)


@check("PATH-04", calls=198)
async def nothing_is_stripped(example: Example) -> None:
    """A valid path with a control character after it is refused, also where the path without it exists."""
    await example.list_paths()
    for char in corpus.CONTROL_CHARS:
        await _refused(example, f"{example.prefix}a.md{char}")
    if not is_writable(example):
        return
    version = await example.put("a.md", "x")
    await example.read("a.md")
    await example.read("a.md")
    for char in corpus.STRIPPED:
        await example.read(f"a.md{char}")
        await example.write(f"a.md{char}", "y", expected_version=version)
        await example.delete(f"a.md{char}", expected_version=version)
    await example.read("a.md", blame="PATH-04")


async def _refused(example: Example, path: str) -> None:
    """See an invalid path refused; a read comes first, so that nothing is written where a store takes the path."""
    next_case(example)
    await example.perform(Read(path, ALL))
    if is_writable(example):
        await example.perform(Write(path, "x", None))
        await example.perform(Delete(path, None))
        await example.list_paths(blame=example.own)


# Lengths


@check("PATH-12", calls=32)
async def long_paths_are_accepted_or_refused(example: Example) -> None:
    """Paths of 286 characters are accepted; a longer one is a file like any other, or is refused as invalid."""
    await _round_trip(example, "plain.md", None)
    for length in sorted({255, 256, 286, example.setting.claims.number("max_path_chars", 286)}):
        await _round_trip(example, corpus.name_of_length(example.scope, length), "PATH-12")
    for length in (287, 512, 1_024, 5_000):
        await _round_trip_or_refusal(example, corpus.name_of_length(example.scope, length))


@check("PATH-12b", calls=7)
async def paths_of_1024_are_accepted(example: Example) -> None:
    """A path of 1,024 characters is a file like any other."""
    await _round_trip(example, "plain.md", None)
    name = corpus.name_of_length(example.scope, 1_024)
    outcome = await offer(example, name, "x", example.own)
    accepted = isinstance(outcome, Returned)
    example.require("PATH-12b", accepted, "the path is refused", expected="a result", actual=answer(outcome))
    if accepted:
        await example.read(name, blame="PATH-12b")


async def _round_trip_or_refusal(example: Example, name: str) -> None:
    next_case(example)
    outcome = await offer(example, name, "x", example.own)
    if isinstance(outcome, Returned):
        await example.read(name, blame="PATH-12")
        await example.remove(name, blame="PATH-12")
        return
    require_error(example, "PATH-12", "ValueError", "a long path is refused with another error", outcome)
    await require_listed(example, "PATH-12", example.prefix)


# Prefixes


@check("PATH-06", calls=31)
async def prefixes_are_validated(example: Example) -> None:
    """A valid path with or without a slash is a prefix, and everything else is refused."""
    for prefix in (example.prefix, f"{example.prefix}a-b_c.d/", example.scope, f"{example.prefix}a"):
        await example.list_paths(prefix)
    for pattern in corpus.INVALID_PREFIXES:
        next_case(example)
        await example.list_paths(pattern.replace("{}", example.scope), limit=3)


@check("PATH-07", calls=29)
async def a_prefix_is_the_beginning_of_the_path(example: Example) -> None:
    """A prefix without a slash finds files and scopes whose names go on from it, wherever it stops."""
    for name in ("u10/a.md", "u1.md", "u1/a.md", "u1-2/a.md", "v1/a.md", "u1/sub/a.md"):
        await example.put(name, "x")
    await example.list_paths()
    for rest in ("u1", "u", "u1.", "u1-", "u1.md", "u1/a", "u1/sub", "u1/s", "u10/a.md", "w"):
        await example.list_paths(example.path(rest))
    beside = neighbour(example, f"{example.scope}0")
    await beside.put("a.md", "x")
    await beside.list_paths()
    for prefix in (example.scope, example.scope[:-1], f"{example.scope}0"):
        await example.list_paths(prefix)


@check("PATH-07", calls=6, name=draw.names, others=st.lists(draw.names, max_size=3), cut=st.integers(1, 9))
async def a_prefix_may_stop_anywhere(example: Example, name: str, others: list[str], cut: int) -> None:
    """Any beginning of a path finds exactly the paths that begin so."""
    if not case_counts(example):
        name, others = name.lower(), [each.lower() for each in others]
    for written in {each.lower(): each for each in (*others, name)}.values():
        await example.put(written, "x")
    await example.list_paths()
    await example.list_paths(example.path(name[:cut]))


@check("PATH-08", calls=48)
async def a_prefix_is_no_pattern(example: Example) -> None:
    """A character of a prefix matches itself alone, in listings and in search."""
    names = [n for n in corpus.LIKE_PATTERNS if n != "aXb" or case_counts(example)]
    for name in names:
        await example.put(f"{name}/x.md", "note")
    await example.list_paths()
    for name in names:
        await example.list_paths(f"{example.prefix}{name}/")
        if can_search(example):
            await example.search("note", prefix=f"{example.prefix}{name}/")
    for name in ("a_", "a.", "a-"):
        await example.list_paths(f"{example.prefix}{name}")
