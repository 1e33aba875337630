"""LIST: complete, sorted and bounded listings."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store.calls import UNSET, ListPaths, Misfit, Raised, Read, Returned
from pytest_memory_store.cases import answer, ask, is_writable, keep_own, listed_paths, neighbour, require_listed
from pytest_memory_store.example import ALL, Example
from pytest_memory_store.listing_checks import as_paths
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterable

NEIGHBOURS = (
    "a.md",
    "MEMORY.md",
    "a/b.md",
    "Zoo.md",
    "a-b.md",
    "ab.md",
    "a_b.md",
    "aC.md",
    "a.b.md",
    "n10.md",
    "n2.md",
    "n02.md",
    "zz/z.md",
    "zoo-1/a.md",
    "_x.md",
    "-x.md",
    "0.md",
    "9.md",
    "10.md",
    "a0/b.md",
    "a-/b.md",
)
"""Names that a locale, a natural sort or a walk puts in another order; no two differ in case alone."""

PAGES = (101, 257, 501, 1_001, 2_500)
"""Numbers of files just above the sizes of pages that back ends give."""

HUGE = (2**31, 2**32, 2**32 + 1, 2**53 + 1, sys.maxsize, 2**63, 2**64 + 1, 10**30)
"""Bounds that do not fit into one integer type or another."""


async def _put_all(example: Example, names: Iterable[str]) -> None:
    for name in names:
        await example.put(name, "x")


async def _listing(example: Example) -> list[str]:
    """The store's own listing of the scope, not compared; one that fails is made again and booked where it belongs."""
    outcome = await ask(example, ListPaths(example.prefix, ALL), example.own)
    if as_paths(answer(outcome)) is None:
        outcome = await example.list_paths()
    return listed_paths(outcome)


@check("LIST-01", calls=22)
async def every_depth_is_listed(example: Example) -> None:
    """List files at every depth, by their full paths, from every depth."""
    await _put_all(example, ("a.md", "sub/a.md", "z.md", "zz/z/z.md", "sub/deep/er/a.md", "_x/-y/0.md", "b.md"))
    await example.list_paths()
    for prefix in ("sub/", "sub/deep/", "sub/deep/er/", "zz/", "z", "sub/deep/er/a.md", "_x/-"):
        await example.list_paths(example.path(prefix))


@check("LIST-02", calls=44)
async def order_is_by_code_point(example: Example) -> None:
    """List neighbours of every kind in code-point order, whatever the order in which they were written."""
    await _put_all(example, NEIGHBOURS)
    await example.list_paths()
    await example.list_paths(example.path("a"))


@check("LIST-02", calls=8, names=st.lists(st.sampled_from(NEIGHBOURS), unique=True, max_size=6))
async def any_neighbours_are_in_order(example: Example, names: list[str]) -> None:
    """List a few neighbours in code-point order."""
    await _put_all(example, names)
    await example.list_paths()


@check("LIST-03", calls=25)
async def limits_around_the_number_of_files(example: Example) -> None:
    """List the first paths for every limit up to one more than there are, and for very large ones."""
    names = ("d.md", "b.md", "e.md", "a.md", "c.md")
    await _put_all(example, names)
    await example.list_paths()
    for limit in (*range(1, len(names) + 2), 100, 1_000, 1_001, 2**31 - 2, ALL):
        await example.list_paths(limit=limit)
    await example.put("0.md", "x")
    await example.list_paths(limit=1)


@check("LIST-03b", calls=14)
async def huge_limits_bound_nothing(example: Example) -> None:
    """List everything for a limit above 2**31-1; a wrong result is worse than a refusal."""
    await _put_all(example, ("b.md", "a.md", "c.md"))
    await example.list_paths()
    for limit in HUGE:
        outcome = await ask(example, ListPaths(example.prefix, limit), "LIST-03")
        accepted = isinstance(outcome, Returned)
        message = "a very large limit is refused"
        example.require("LIST-03b", accepted, message, expected="all paths", actual=answer(outcome))
        if accepted:
            due = sorted(example.model.files)
            message = "a very large limit gives another listing"
            example.require("LIST-03", answer(outcome) == due, message, expected=due, actual=answer(outcome))


@check("LIST-04", calls=10)
async def limits_below_one_are_refused(example: Example) -> None:
    """Refuse a limit of zero or less, whether there is something to list or not."""
    limits = (0, -1, -(2**31), -sys.maxsize)
    await example.list_paths(limit=1)
    for limit in limits:
        await example.list_paths(limit=limit)
    if is_writable(example):
        await example.put("a.md", "x")
        for limit in limits:
            await example.list_paths(limit=limit)


@check("LIST-05", calls=2 * PAGES[-1] + 20)
async def pages_have_no_holes(example: Example) -> None:
    """List every file where there are many; look after each number that a page may end at."""
    for number in range(PAGES[-1]):
        await example.put(f"n{number:04}.md", "x")
        if number == 2:
            await example.list_paths()
        if number + 1 in PAGES:
            await example.list_paths(limit=number + 2)
    for limit in (99, 100, 101, 999, 1_000, 1_001, 2_499, 2_500, 2_501, 5_000, ALL):
        await example.list_paths(limit=limit)
    await _neighbours_are_listed(example)


async def _neighbours_are_listed(example: Example) -> None:
    """See that a few files before and after the many are listed all the same (SCOPE-10)."""
    await example.put("m/a.md", "x")
    await example.put("o/a.md", "x")
    for prefix in ("m/", "o/"):
        await require_listed(example, "SCOPE-10", example.path(prefix), limit=5)


@check("LIST-06", calls=20)
async def each_path_is_listed_once(example: Example) -> None:
    """List a path once however often it was written, and not at all once it is deleted."""
    await _put_all(example, ("a.md", "b.md", "sub/a.md"))
    await example.list_paths()
    await _put_all(example, ("a.md", "a.md", "sub/a.md"))
    await example.list_paths()
    await example.remove("a.md")
    await example.list_paths()
    await example.put("a.md", "again")
    await example.list_paths()
    for name in ("a.md", "b.md", "sub/a.md"):
        await example.remove(name)
        await example.list_paths()


@check("LIST-07", calls=8)
async def the_whole_store_is_listed(example: Example) -> None:
    """List the files of every scope where no prefix is given, or an empty one."""
    await _put_all(example, ("a.md", "sub/deep/a.md"))
    await example.list_paths()
    for prefix in (UNSET, ""):
        outcome = await ask(example, ListPaths(prefix, ALL), "LIST-07")
        own = keep_own(example, [example.scope])
        if "bound" in example.setting.claims and (isinstance(outcome, Raised) or not own):
            example.require("LIST-07", True, "", expected="", actual="")
            continue
        due = sorted(example.model.files)
        message = "a listing of the whole store leaves out files"
        shown = own if isinstance(outcome, Returned) else answer(outcome)
        example.require("LIST-07", shown == due, message, expected=due, actual=shown)


@check("LIST-08", calls=30)
async def neighbours_are_left_out(example: Example) -> None:
    """List below a prefix with a slash what is below it, and nothing that merely begins like it."""
    names = ("u1/a.md", "u10/a.md", "u1-2/a.md", "u1.x/a.md", "u1_/a.md", "u1.md", "u1/u1/a.md")
    await _put_all(example, names)
    await example.list_paths()
    for prefix in ("u1/", "u10/", "u1-2/", "u1.x/", "u1/u1/", "u/"):
        await example.list_paths(example.path(prefix))
    for suffix in ("0", "-2", ".x", "_"):
        await neighbour(example, f"{example.scope}{suffix}").put("a.md", "x")
    await example.list_paths()


@check("LIST-09", calls=28)
async def changes_are_listed_at_once(example: Example) -> None:
    """List each file right after its creation, and no longer right after its deletion."""
    names = ("c.md", "a.md", "sub/b.md", "b.md")
    for name in names:
        await example.put(name, "x")
        await example.list_paths()
        await example.list_paths()
    for name in names:
        await example.remove(name)
        await example.list_paths()
        await example.list_paths()


@check("LIST-10", calls=14)
async def what_is_listed_can_be_read(example: Example) -> None:
    """Read every path that is listed."""
    await example.put("gone.md", "x")
    await example.read("gone.md")
    await example.list_paths()
    await _put_all(example, ("a.md", "sub/b.md", "sub/deep/c.md"))
    await example.put("a.md", "y", operation=example.operation())
    await example.remove("gone.md", operation=example.operation())
    for path in await _listing(example):
        if path.startswith(example.prefix):
            seen = answer(await ask(example, Read(path, ALL), "LIST-10"))
            message = "a listed path cannot be read"
            readable = seen is not None and not isinstance(seen, BaseException)
            example.require("LIST-10", readable, message, expected=f"the file {path!r}", actual=seen)


@check("LIST-12", calls=6)
async def a_listing_belongs_to_its_caller(example: Example) -> None:
    """Change a listing, and see that the next one does not show it."""
    await _put_all(example, ("a.md", "b.md"))
    await example.list_paths()
    first = await _listing(example)
    kept = list(first)
    example.transcript.steps[-1].outcome = Returned(kept)
    with suppress(Exception):  # a list that refuses changes is its caller's too
        first.append("changed by the caller")
        del first[0]
    second = await _listing(example)
    message = "a caller that changes its listing changes the next one"
    example.require("LIST-12", second is not first and second == kept, message, expected=kept, actual=second)


@check("LIST-13", calls=2)
async def limit_is_a_keyword(example: Example) -> None:
    """Take `limit` by keyword, as the memory tools give it."""
    outcome = await ask(example, ListPaths(example.prefix, 5), "LIST-13")
    if isinstance(outcome, Misfit) and outcome.clause != "TYPE-02":
        await example.list_paths(limit=5)  # the method itself is wrong: its own clause says so
        return
    message = "a listing with `limit=5` is refused"
    example.require("LIST-13", isinstance(outcome, Returned), message, expected="a list", actual=answer(outcome))


@check("LIST-14", calls=14)
async def listings_repeat(example: Example) -> None:
    """List the same again and again while nothing changes."""
    await _put_all(example, ("b.md", "a.md", "sub/c.md", "B/d.md"))
    first = await _listing(example)
    for _ in range(6):
        again = await _listing(example)
        same = type(again) is type(first) and again == first
        example.require("LIST-14", same, "the same listing differs from the one before", expected=first, actual=again)
