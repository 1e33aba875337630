"""PATH: that each path is a file of its own, apart from other files and from what the store keeps for itself.

Must not know: which paths are accepted (`path.py`). The cases of a corpus do not depend on each other, so each
begins a transcript of its own.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_memory_store import path_corpus as corpus
from pytest_memory_store.calls import (
    UNSET,
    Call,
    Delete,
    ListPaths,
    Outcome,
    Raised,
    Read,
    Returned,
    Search,
    Write,
)
from pytest_memory_store.cases import (
    answer,
    ask,
    can_search,
    found_paths,
    in_other_case,
    is_writable,
    keep_own,
    neighbour,
    next_case,
    offer,
    require_error,
    require_listed,
)
from pytest_memory_store.example import ALL, Example
from pytest_memory_store.leaks import names_in, places_in
from pytest_memory_store.search_checks import addressable
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator


@check("PATH-05", calls=214)
async def names_are_not_normalized(example: Example) -> None:
    """Names that are one to whatever trims, counts, shortens or unescapes are two files."""
    await _apart(example, "one.md", "two/other.txt", None)
    for one, other in corpus.LIKE_NORMAL:
        await _apart(example, one, other, "PATH-05")


@check("PATH-09", calls=89)
async def case_counts(example: Example) -> None:
    """Names that differ in case are two files."""
    await _apart(example, "one.md", "two/other.txt", None)
    for one, other in corpus.LIKE_IN_CASE:
        await _apart(example, one, other, "PATH-09")
    await _apart(example, "a.md", "a.md", None, neighbour(example, f"{example.scope}-two"))
    await _apart(example, "a.md", "a.md", "PATH-09", neighbour(example, in_other_case(example)))


@check("PATH-09b", calls=25)
async def case_counts_on_every_medium(example: Example) -> None:
    """Names that differ in case are two files, whatever the store claims."""
    await _apart(example, "one.md", "two/other.txt", None)
    await _apart(example, "A.md", "a.md", "PATH-09b")


@check("PATH-10", calls=325)
async def alike_paths_are_two_files(example: Example) -> None:
    """Paths that are one to whatever replaces separators, joins, cuts or keeps base names are two files."""
    await _apart(example, "one.md", "two/other.txt", None)
    for one, other in corpus.LIKE_IN_SHAPE:
        await _apart(example, one, other, "PATH-10")
    for joint in ("0", "_", "-", "."):
        await _apart(example, "a/a.md", "a.md", "PATH-10", neighbour(example, f"{example.scope}{joint}a"))
        await _apart(example, "a.md", "a.md", "PATH-10", neighbour(example, f"{example.scope}{joint}"))
    for length in (65, 129, 192, 256, 286):
        if length > len(example.scope) + 2:
            one, other = (corpus.name_of_length(example.scope, length, end) for end in "ab")
            await _apart(example, one, other, "PATH-10")


@check("PATH-10", calls=13, examples=20, pair=corpus.alike)
async def one_character_makes_another_file(example: Example, pair: tuple[str, str]) -> None:
    """Paths that differ by one character are two files."""
    await _apart(example, *pair, "PATH-10")


async def _apart(example: Example, one: str, other: str, blame: str | None, beside: Example | None = None) -> None:
    """See that two names are two files: each works alone, and neither shows what was done to the other.

    `other` is a name of the scope `beside`, where one is given.
    """
    next_case(example)
    beside = beside or example
    await beside.put(other, "alone")
    await beside.remove(other)
    await example.put(one, "the one")
    await example.read(one)
    await beside.read(other, blame=blame)
    clause = blame or "PATH-10"
    outcome = await offer(beside, other, "the other", clause)
    message = "a name is refused beside another one, and not without it"
    example.require(clause, isinstance(outcome, Returned), message, expected="a result", actual=answer(outcome))
    if isinstance(outcome, Returned):
        await example.read(one, blame=blame)
        await beside.read(other, blame=blame)
        await beside.remove(other)
        await example.read(one, blame=blame)
    await example.remove(one)


# Files and directories of one name


@check("PATH-11", calls=27)
async def a_file_beside_its_directory_is_kept_or_refused(example: Example) -> None:
    """Where `a` is written beside `a/b`, or the other way round, success means that both are there."""
    for first, second in (("t/a", "t/a/b"), ("u/a/b", "u/a"), ("v/a/b/c", "v/a")):
        next_case(example)
        await example.put(first, "first")
        await example.read(first)
        await example.list_paths(example.path(first[:2]))
        if isinstance(await offer(example, second, "second", "PATH-11"), Returned):
            await example.read(second, blame="PATH-11")
        else:
            await _require_absent(example, second)
        await example.read(first, blame="PATH-11")
        await require_listed(example, "PATH-11", example.path(first[:2]))


async def _require_absent(example: Example, name: str) -> None:
    seen = await ask(example, Read(example.path(name), ALL), "PATH-11")
    absent = isinstance(seen, Raised) or (isinstance(seen, Returned) and seen.value is None)
    example.require("PATH-11", absent, "a refused file can be read", expected="nothing", actual=answer(seen))


@check("PATH-11b", calls=8)
async def a_file_and_its_directory_coexist(example: Example) -> None:
    """`a` and `a/b` are two files, whichever comes first."""
    for first, second in (("t/a", "t/a/b"), ("u/a/b", "u/a")):
        next_case(example)
        await example.put(first, "first")
        outcome = await offer(example, second, "second", "PATH-11b")
        accepted = isinstance(outcome, Returned)
        message = "one of the two is refused"
        example.require("PATH-11b", accepted, message, expected="a result", actual=answer(outcome))


# The store's own records


@check("PATH-13", calls=178)
async def a_name_is_refused_or_shown(example: Example) -> None:
    """A name that looks like a store's own record is refused by every call, or is a file like any other."""
    await example.put("plain.md", "plain")
    await example.read("plain.md")
    await example.list_paths()
    if can_search(example):
        await example.search("plain")
    await example.remove("plain.md")
    for name in (*corpus.BOOKKEEPING, *sorted(example.setting.claims.reserved_names)):
        next_case(example)
        outcome = await offer(example, name, "hoopoe", "PATH-13")
        if isinstance(outcome, Returned):
            await _require_shown(example, name)
        else:
            await _require_refused(example, name, outcome)


async def _require_shown(example: Example, name: str) -> None:
    await example.read(name, blame="PATH-13")
    await require_listed(example, "PATH-13", example.prefix)
    if addressable(name) and can_search(example) and "semantic" not in example.setting.claims:
        paths = found_paths(await ask(example, Search(example.prefix, "hoopoe"), "PATH-13"))
        shown = example.path(name) in paths
        example.require("PATH-13", shown, "a written file is hidden from search", expected=name, actual=paths)
    await example.remove(name, blame="PATH-13")


async def _require_refused(example: Example, name: str, refused: Outcome) -> None:
    path = example.path(name)
    reads = await ask(example, Read(path, ALL), "PATH-13")
    deletes = await ask(example, Delete(path, None), "PATH-13")
    for outcome in (refused, reads, deletes):
        require_error(example, "PATH-13", "ValueError", "a reserved name is not refused as invalid", outcome)


@check("PATH-14", calls=27)
async def records_are_not_listed(example: Example) -> None:
    """After operations, replays, replaces and deletes, listings and search show the files and nothing else."""
    await example.put("a.md", "x")
    await example.list_paths()
    operations = [example.operation(f"fp-{number}") for number in range(4)]
    await example.put("a.md", "y", operation=operations[0])
    await example.put("sub/b.md", "z", operation=operations[1])
    await example.put("sub/b.md", "zz")
    await example.remove("a.md", operation=operations[2])
    await example.get_operation(operations[2])
    await example.put("c.md", "x")
    await example.remove("c.md")
    await example.put("kept.md", "x", operation=operations[3])
    traces = (example.scope, *(operation.id for operation in operations))
    await _require_no_record(example, traces)
    await example.list_paths()
    await example.list_paths(example.path("sub/"))
    if can_search(example):
        for query in (*(operation.id for operation in operations), "fp-0"):
            await _require_no_find(example, query)


async def _require_no_record(example: Example, traces: tuple[str, ...]) -> None:
    """Look through the whole store for names of this example that are no file of it."""
    await ask(example, ListPaths(UNSET, ALL), "PATH-14")
    strangers = [path for path in keep_own(example, traces) if path not in example.model.lives]
    message = "a record of the store's own is listed"
    example.require("PATH-14", not strangers, message, expected=sorted(example.model.files), actual=strangers)


async def _require_no_find(example: Example, query: str) -> None:
    for prefix in (example.prefix, example.path("sub/")):
        found = found_paths(await ask(example, Search(prefix, query), "PATH-14"))
        strangers = [path for path in found if path not in example.model.lives]
        example.require("PATH-14", not strangers, "a record of the store's own is found", expected=[], actual=strangers)


# What errors say


@check("PATH-17", calls=23)
async def errors_name_the_requested_path_only(example: Example) -> None:
    """No error names another path, its content, a place on the host or the address of a server."""
    tokens = [f"other{secrets.token_hex(6)}" for _ in range(2)]
    if is_writable(example):
        await example.put(f"{tokens[0]}/a.md", tokens[1])
        await example.put("near/a.md", tokens[1])
        tokens.append("near/a.md")
    for call in _refused_calls(example):
        next_case(example)
        outcome = await ask(example, call, "PATH-17")
        requested = str(call.prefix if isinstance(call, ListPaths) else getattr(call, "path", ""))
        error = outcome.error if isinstance(outcome, Raised) else None
        named = [*names_in(error, requested, tokens), *places_in(error, requested)] if error else []
        message = "an error names what was not asked for"
        example.require("PATH-17", not named, message, expected="the requested path at most", actual=named)


def _refused_calls(example: Example) -> Iterator[Call]:
    """Calls that a store refuses for all kinds of reasons."""
    for name in ("near/a.md\n", "near//a.md", "near/../a.md", "nearby a.md", "s" * 201):
        yield Read(example.path(name), ALL)
        yield ListPaths(example.path(name), 5)
    yield Read(example.path("nea.md"), 0)
    yield ListPaths(example.path("nea/"), 0)
    if is_writable(example):
        yield Write(example.path("near/../a.md"), "x", None)
        yield Write(example.path("nea.md"), "x", "no-version")
        yield Write(example.path("nea.md"), "x\x00", None)
        yield Delete(example.path("nea.md"), "no-version")
        yield Delete(example.path("near//a.md"), None)
