"""DEL: what a delete removes, what it leaves alone, and that nothing tells the text of a file."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import ALL, UNSET, Call, Delete, GetOperation, ListPaths, Read, Returned, Search, Write
from pytest_memory_store.cases import answer, ask, can_search, found_paths, has_metadata, listed_paths, next_case, offer
from pytest_memory_store.disclosure import Eavesdropper, told
from pytest_memory_store.operations import with_fingerprint, writing
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_memory_store.calls import MemoryOperation
    from pytest_memory_store.example import Example

# What is gone


@check("DEL-01", calls=18, content=draw.plain)
async def a_deleted_file_is_gone_at_once(example: Example, content: str) -> None:
    """When delete returns, no read, listing or search shows the file, by any of its names or words."""
    for name, operation in (("a.md", None), ("b.md", example.operation())):
        await example.put(name, f"hoopoe {content}")
        await example.put("kept.md", "hoopoe")
        await example.settle()
        await example.read("never.md")
        await example.list_paths()
        await example.remove(name, operation=operation)
        await _require_hidden(example, name)
        await example.read(name)
        await example.read(name)


async def _require_hidden(example: Example, name: str) -> None:
    """See that neither a listing nor a search shows a deleted file."""
    path = example.path(name)
    listed = listed_paths(await ask(example, ListPaths(example.prefix, ALL), "DEL-01"))
    example.require("DEL-01", path not in listed, "a deleted file is listed", expected="no such path", actual=listed)
    if can_search(example):
        for query in ("hoopoe", name):
            found = found_paths(await ask(example, Search(example.prefix, query), "DEL-01"))
            message = "a deleted file is found"
            example.require("DEL-01", path not in found, message, expected="no such path", actual=found)


@check("DEL-02", calls=12)
async def a_delete_says_what_it_did(example: Example) -> None:
    """A delete answers without a version, says whether there was a file, and is no replay."""
    for operation in (None, example.operation()):
        await example.put("a.md", "x")
        await example.put("a.md", "y")
        await example.remove("a.md", operation=operation)
        await example.delete("a.md", expected_version=None)
        await example.delete("never.md", expected_version=None)


@check("DEL-03", calls=14, contents=st.lists(draw.plain, min_size=1, max_size=4))
async def a_deleted_path_is_free_again(example: Example, contents: list[str]) -> None:
    """A path can be created again after each delete, with other text or the same."""
    for number, content in enumerate((*contents, *contents[-1:])):
        await example.write("a.md", content, expected_version=None)
        await example.read("a.md")
        await example.remove("a.md", operation=example.operation() if number % 2 else None)


@check("DEL-04", calls=24)
async def a_file_created_again_starts_clean(example: Example) -> None:
    """A file created again by a plain write has neither the operation nor the metadata of the deleted one."""
    metadata = {"by": "first"} if has_metadata(example) else UNSET
    await example.put("other.md", "x", operation=example.operation(), metadata=metadata)
    await example.read("other.md")
    await example.put("other.md", "y")
    await example.read("other.md")
    for number, operation in enumerate((None, example.operation())):
        next_case(example)
        name = f"{number}.md"
        await example.put(name, "x", operation=example.operation(), metadata=metadata)
        await example.read(name)
        await example.remove(name, operation=operation)
        await example.put(name, "x")
        await example.read(name, blame="DEL-04")


@check("DEL-09", calls=510)
async def an_erase_loop_ends(example: Example) -> None:
    """Listing, reading and deleting page by page ends with nothing left, for a few files and for many."""
    for name in ("a.md", "sub/b.md", "c.md"):
        await example.put(name, "x")
    await example.list_paths()
    await _erase(example, 2, None)
    for number in range(_MANY):
        await example.put(f"n{number:03}.md", "x")
    await example.list_paths()
    await _erase(example, 50, "DEL-09")
    for number in (0, _MANY // 2, _MANY - 1):
        await example.put(f"n{number:03}.md", "y")


_MANY = 120
"""More files than a back end commonly takes in one batch (25, 100)."""


async def _erase(example: Example, page: int, blame: str | None) -> None:
    """Delete what the store lists until it lists nothing; the model knows when that has to be."""
    left = len(example.model.files)
    while True:
        listed = listed_paths(await example.list_paths(limit=page, blame=blame))
        for path in listed:
            seen = answer(await example.perform(Read(path, 1), blame=blame))
            await example.perform(Delete(path, getattr(seen, "version", None)), blame=blame)
        if not listed or left <= 0:
            break
        left -= page
    ended = not listed and not example.model.files
    message = "the loop does not end, or leaves files behind"
    example.require("DEL-09", ended, message, expected=[], actual=listed or sorted(example.model.files))


# What is left alone


@check("DEL-11", calls=26)
async def files_of_like_names_stay(example: Example) -> None:
    """A delete leaves every file whose name begins with the deleted one's, or ends with it."""
    names = ("a.md", "a.md.old", "a.mdx", "a.md-1", "a.md_1", "ba.md", "sub/a.md")
    for name in names:
        await example.put(name, f"text of {name}")
    await example.settle()
    for operation in (None, example.operation()):
        await example.settle()
        await example.remove("a.md", operation=operation)
        await example.settle()
        await example.put("a.md", "again")


@check("DEL-11", calls=14)
async def files_below_stay(example: Example) -> None:
    """Where `a` can be kept beside `a/b`, deleting one leaves the other."""
    for case, (deleted, kept) in (("t", ("a", "a/b")), ("u", ("a/b", "a")), ("v", ("a", "a/b/c/d"))):
        next_case(example)
        await example.put(f"{case}/{kept}", "kept")
        for _ in range(2):
            await example.read(f"{case}/{kept}")
        if isinstance(await offer(example, f"{case}/{deleted}", "deleted", "PATH-11"), Returned):
            for name in (kept, deleted):
                await example.read(f"{case}/{name}", blame="PATH-11")
            await example.remove(f"{case}/{deleted}")
            await example.read(f"{case}/{kept}")


# What is told


@check("DEL-05", calls=40)
async def nothing_tells_the_text(example: Example) -> None:
    """Neither answers to mutations, nor errors, nor log records of level INFO and above hold content."""
    secret = f"hoopoe{secrets.token_hex(8)}"
    with Eavesdropper() as eavesdropper:
        first = writing(example, "a.md", secret)
        await _require_untold(example, secret, first)
        newer = writing(example, "a.md", f"{secret} newer")
        await _require_untold(example, secret, newer)
        assert newer.operation is not None
        for call in _telling_calls(example, secret, first, with_fingerprint(example, newer, "other")):
            await _require_untold(example, secret, call)
        for operation in (example.operation(), None):
            await _require_untold(example, secret, Delete(first.path, example.version("a.md"), operation))
            await _require_untold(example, secret, Write(first.path, secret, None))
        await _require_untold(example, secret, newer)
    _require_unlogged(example, secret, eavesdropper)


@check("DEL-05", calls=6)
async def no_refusal_tells_the_text(example: Example) -> None:
    """The refusal of a text that the store cannot keep does not quote it, where it holds what is stored already."""
    secret = f"hoopoe{secrets.token_hex(8)}"
    with Eavesdropper() as eavesdropper:
        for name, odd in (("nul.md", "\x00"), ("surrogate.md", "\ud800")):
            await example.put(name, secret)
            late = Write(example.path(name), f"{secret} odd{odd}", example.version(name))
            await _require_untold(example, secret, late)
    _require_unlogged(example, secret, eavesdropper)


def _telling_calls(example: Example, secret: str, first: Write, clash: MemoryOperation) -> Iterator[Call]:
    """Calls on a file with the secret text that are replays, or fail for all kinds of reasons."""
    path = first.path
    yield first
    yield GetOperation(clash)
    yield Write(path, f"{secret} late", None)
    yield Write(path, f"{secret} late", first.expected_version, example.operation())
    yield Write(path, f"{secret} late", "no-version")
    yield Write(path, secret, example.version("a.md"), clash)
    yield Delete(path, None)
    yield Delete(path, "no-version", example.operation())
    yield Delete(path, example.version("a.md"), clash)
    yield Write(f"{path} b", secret, None)
    yield Read(path, 0)
    if has_metadata(example):
        yield Write(path, secret, example.version("a.md"), None, {"by": "nul \x00"})


async def _require_untold(example: Example, secret: str, call: Call) -> None:
    """Make a call and see that what came of it does not hold the secret; a read before shows what calls changed."""
    await example.settle()
    outcome = await example.perform(call)
    untold = secret not in told(outcome)
    message, due = "an answer or error holds content", "no content"
    example.require("DEL-05", untold, message, expected=due, actual=answer(outcome))


def _require_unlogged(example: Example, secret: str, eavesdropper: Eavesdropper) -> None:
    logged = [text for text in eavesdropper.heard if secret in text]
    example.require("DEL-05", not logged, "a log record holds content", expected="no content", actual=logged[:1])
