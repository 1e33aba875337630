"""READ: what a read shows of a file, and that it changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store import text_corpus as corpus
from pytest_memory_store.calls import ALL
from pytest_memory_store.cases import can_search, has_metadata, is_writable, next_case
from pytest_memory_store.model import MAX_CONTENT_CHARS
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example

LARGEST = 200_000
"""The longest text that is offered: longer than any store has to keep, and still cheap to send."""

REPEATS = 3
"""How often a listing is made before a later one is blamed: replicas may take turns."""

# What is absent


@check("READ-01", calls=8, name=st.sampled_from(["MEMORY.md", "a", "a.md", "sub/a.md", "sub/deep/a.md"]))
async def an_absent_file_reads_as_none(example: Example, name: str) -> None:
    """A path that was never written reads as `None`, whatever the bound, and so does the scope itself."""
    for bound in (ALL, 1, 65_536):
        await example.read(name, bound)
    await example.read("")


@check("READ-01", calls=8)
async def a_directory_reads_as_none(example: Example) -> None:
    """A path that only leads to files, or beyond one, is no file."""
    if not is_writable(example):
        return
    await example.put("sub/a.md", "x")
    await example.read("sub/a.md")
    for name in ("sub", "", "sub/a.md/b.md", "sub/b.md", "a.md"):
        await example.read(name)


# The text


@check("READ-02", calls=540)
async def text_is_kept_as_it_is(example: Example) -> None:
    """Whatever stores like to change is returned as written: as a whole file, at both ends and in the middle."""
    for number, sample in enumerate(corpus.SAMPLES):
        next_case(example)
        name = f"text-{number}.md"
        for content in (sample, f"{sample}a{sample}b{sample}"):
            await example.put(name, content)
            await example.read(name)


@check("READ-02", calls=5, content=draw.unicode_texts)
async def any_text_is_kept(example: Example, content: str) -> None:
    """Any valid Unicode without NUL is returned as written."""
    await example.put("a.md", content)
    await example.read("a.md")


@check("READ-02", calls=8)
async def long_text_is_kept(example: Example) -> None:
    """A long text is returned as written, in one line and in many."""
    longest = min(MAX_CONTENT_CHARS, example.setting.claims.number("max_content_chars", MAX_CONTENT_CHARS))
    for content in ("x" * longest, ("word " * 12 + "\n") * (longest // 61), "x" * (longest - 1) + "\n"):
        await example.put("a.md", content)
        await example.read("a.md")


# The bound


@check("READ-03", calls=9, content=st.text("abc de\n", min_size=2, max_size=12))
async def a_read_is_bounded(example: Example, content: str) -> None:
    """At one character, just below, at and just above its length, a file is cut and marked as it should be."""
    await example.put("a.md", content)
    await example.read("a.md")
    for bound in _borders(len(content)):
        await example.read("a.md", bound)


@check("READ-03", calls=16)
async def a_long_file_is_bounded(example: Example) -> None:
    """A long file is cut where it should be, also at the sizes in which back ends read."""
    length = min(10_000, example.setting.claims.number("max_content_chars", 10_000))
    await example.put("a.md", ("0123456789 abc\n" * 700)[:length])
    await example.read("a.md")
    for bound in (*_borders(length), 1_023, 1_024, 4_095, 4_096, 4_097, 8_192, 65_536):
        await example.read("a.md", bound)


@check("READ-03", calls=7)
async def the_largest_bound_cuts_nothing(example: Example) -> None:
    """A bound of 2**31-1 shows all of a file, however long a file the store accepts."""
    await example.put("a.md", "short")
    await example.read("a.md")
    for length in (MAX_CONTENT_CHARS + 1, LARGEST):
        content = "0123456789" * (length // 10) + "x" * (length % 10)
        if example.must_keep(content) or await _accepts(example, "long.md", content):
            await example.read("long.md")
            await example.read("long.md", length - 1)


async def _accepts(example: Example, name: str, content: str) -> bool:
    """Write content that the store may refuse, and say whether it did."""
    before = example.version(name)
    await example.write(name, content, expected_version=before)
    return example.version(name) != before


HUGE = (2**31, 2**32, 2**32 + 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30)
"""Bounds above 2**31-1, among them those that overflow to something small or negative."""


@check("READ-03b", calls=10)
async def a_huge_bound_is_no_bound(example: Example) -> None:
    """A bound above 2**31-1 shows all of a file."""
    await _read_with_huge_bounds(example)


@check("READ-03", calls=10)
async def a_huge_bound_is_never_misread(example: Example) -> None:
    """A bound above 2**31-1 shows all of a file or is refused, but never shows a part of it."""
    await _read_with_huge_bounds(example)


async def _read_with_huge_bounds(example: Example) -> None:
    await example.put("a.md", "some text")
    await example.read("a.md")
    for bound in HUGE:
        await example.read("a.md", bound)


@check("READ-04", calls=28)
async def code_points_are_counted(example: Example) -> None:
    """At every length, a text of characters of all widths is cut at code points."""
    for content in ("plain text", corpus.MIXED):
        next_case(example)
        await example.put("a.md", content)
        await example.read("a.md")
        for bound in range(1, len(content) + 2):
            await example.read("a.md", bound)


@check("READ-04", calls=13, content=draw.wide_texts)
async def wide_text_is_bounded(example: Example, content: str) -> None:
    """Any text of wide characters is cut at code points, as plain text of that length is."""
    for text in ("x" * len(content), content):
        await example.put("a.md", text)
        await example.read("a.md")
        for bound in _borders(len(text)):
            await example.read("a.md", bound)


@check("READ-05", calls=14, content=st.text("abc de\n", min_size=2, max_size=12))
async def a_bounded_read_has_the_whole_files_version(example: Example, content: str) -> None:
    """Whatever the bound, a read reports one version, which changes with the file and serves for a delete."""
    for text in (content, f"{content}, longer"):
        await example.put("a.md", text)
        await example.read("a.md")
        for bound in _borders(len(text)):
            await example.read("a.md", bound)
    await example.remove("a.md")


def _borders(length: int) -> list[int]:
    """One, and the bounds just below, at and just above this length."""
    return sorted({1, length - 1, length, length + 1} - {0})


@check("READ-06", calls=8)
async def a_bound_of_nothing_is_refused(example: Example) -> None:
    """A bound of zero or less is refused, where a file is and where none is."""
    for bound in (0, -1, -(2**63)):
        await example.read("absent.md", bound)
    if is_writable(example):
        await example.put("a.md", "x")
        for bound in (0, -1, -(2**63)):
            await example.read("a.md", bound)


# The moment


@check("READ-07", calls=14, contents=st.lists(draw.plain, min_size=1, max_size=3))
async def a_write_is_seen_at_once(example: Example, contents: list[str]) -> None:
    """Each read shows what the last write or delete made of the file, also where reads came in between."""
    await example.read("a.md")
    for number, content in enumerate(contents):
        await example.put("a.md", f"{number} {content}")
        await example.read("a.md")
    await example.remove("a.md")
    await example.read("a.md")
    await example.put("a.md", "again")
    await example.read("a.md")
    await example.put("a.md", "unread")
    await example.put("a.md", "last")
    await example.read("a.md", 2)
    await example.read("a.md")


@check("READ-08", calls=28)
async def reading_changes_nothing(example: Example) -> None:
    """Reads, look-ups, listings and searches, repeated, leave versions, receipts and listings as they are."""
    known, unknown = example.operation(), example.operation()
    await example.put("a.md", "text", operation=known)
    await example.put("b.md", "more text")
    for _ in range(REPEATS):
        await example.list_paths()
    await example.get_operation(known)
    await example.get_operation(unknown)
    await example.read("absent.md")
    await example.read("a.md")
    for _ in range(REPEATS):
        await example.read("a.md", 1)
        await example.read("a.md")
        await example.read("absent.md", blame="READ-08")
        await example.get_operation(known, blame="READ-08")
        await example.get_operation(unknown, blame="READ-08")
        if can_search(example):
            await example.search("text")
        await example.list_paths(blame="READ-08")
    await example.put("a.md", "newer")


# The origin


@check("READ-09", calls=20, contents=st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=3))
async def the_operation_is_that_of_the_last_write(example: Example, contents: list[str]) -> None:
    """A file names the operation that wrote it last, also where a plain write or the same text came in between."""
    for content in contents:
        for operation in (example.operation(), None, example.operation()):
            await example.put("a.md", content, operation=operation)
            await example.read("a.md")
            await example.read("a.md", 1)
    await example.put("a.md", "two")
    await example.read("a.md")


@check("READ-09", calls=8)
async def a_replay_takes_no_credit(example: Example) -> None:
    """A file that moved on keeps its origin when an earlier operation is repeated."""
    early, late = example.operation(), example.operation()
    for last in (None, late):
        await example.write("a.md", "one", expected_version=example.version("a.md"), operation=early)
        await example.put("a.md", "two", operation=last)
        await example.write("a.md", "one", expected_version=None, operation=early)
        await example.read("a.md")


@check("READ-10", calls=12)
async def a_write_without_metadata_reads_without(example: Example) -> None:
    """A file whose last write recorded no metadata has none, with and without an operation."""
    for content in ("one", "two"):
        await example.put("a.md", content)
        await example.read("a.md")
        await example.put("a.md", content, operation=example.operation())
        await example.read("a.md")
    if has_metadata(example):
        await example.put("a.md", "three", metadata=None)
        await example.read("a.md")


# The empty file


@check("READ-12", calls=26)
async def an_empty_file_is_a_file(example: Example) -> None:
    """An empty file is read, listed, protected, replaced and deleted like any other."""
    await _live(example, "full.md", "x", None)
    for _ in range(REPEATS):
        await example.list_paths()
    next_case(example)
    await _live(example, "empty.md", "", "READ-12")


async def _live(example: Example, name: str, content: str, blame: str | None) -> None:
    """Take a file through its life; with `blame`, after the same life of another has shown that it can be."""
    await example.put(name, "before")
    await example.put(name, content, blame=blame)
    await example.read(name, blame=blame)
    await example.remove(name, blame=blame)
    await example.put(name, content, blame=blame)
    await example.read(name, blame=blame)
    await example.read(name, 1, blame=blame)
    await example.list_paths(blame=blame)
    await example.write(name, "unseen", expected_version=None, blame=blame)
    await example.delete(name, expected_version=None, blame=blame)
    await example.put(name, "after", blame=blame)
    await example.remove(name, blame=blame)
