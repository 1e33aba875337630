"""CAS: the versions that a store gives out, and the texts that it must not take for one.

Must not know: what else a version check guards (`cas.py`).
"""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import Write
from pytest_memory_store.cases import has_metadata, next_case
from pytest_memory_store.example import Example, NotExercised
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator

# Which versions are given out


@check("CAS-08", calls=12, content=draw.plain)
async def a_write_returns_what_a_read_reports(example: Example, content: str) -> None:
    """The version that a write returns is the one that the next read reports, and serves for the next write."""
    await example.put("a.md", f"one {content}")
    await example.read("a.md")
    await example.put("a.md", f"two {content}")
    await example.read("a.md")
    await example.put("a.md", "three", operation=example.operation())
    await example.read("a.md")
    for number in range(3):
        await example.put("a.md", f"unread {number}")
    await example.read("a.md")
    if has_metadata(example):
        await example.put("a.md", "four", metadata={"by": "kit"})
        await example.read("a.md")


ALIKE = (
    ("one", "two"),
    ("text", "Text"),
    ("text", "text "),
    ("text", "text\n"),
    ("a b", "a  b"),
    ("a b", "b a"),
    ("x" * 5_000 + "a", "x" * 5_000 + "b"),
    ("x" * 5_000, "x" * 5_001),
)
"""Pairs of texts that a sloppy digest takes for one: of one size, or with the same words, beginning or letters."""


@check("CAS-09", calls=50)
async def any_change_changes_the_version(example: Example) -> None:
    """New content gets a new version, however little it differs."""
    for number, (before, after) in enumerate(ALIKE):
        next_case(example)
        name = f"a-{number}.md"
        for content in (before, after):
            await example.put(name, content)
            await example.read(name)


@check("CAS-10", calls=10, contents=st.lists(st.sampled_from(["A", "B"]), min_size=1, max_size=4))
async def no_version_comes_back_with_its_text(example: Example, contents: list[str]) -> None:
    """Where a file returns to an earlier text, the earlier version stays refused."""
    first = await example.put("a.md", "A")
    await example.read("a.md")
    for content in ("B", *contents, "A"):
        await example.put("a.md", content)
    await example.read("a.md")
    if example.version("a.md") != first:
        await example.write("a.md", "late", expected_version=first)


@check("CAS-10", calls=45)
async def no_version_comes_back_after_many_writes(example: Example) -> None:
    """Forty writes of one file, some by operations, get forty versions."""
    for number in range(40):
        operation = example.operation() if number % 4 == 3 else None
        await example.put("a.md", f"text {number}", operation=operation)
    await example.read("a.md")


@check("CAS-11", calls=8)
async def the_same_text_again_is_a_new_version(example: Example) -> None:
    """A rewrite with identical content changes the version, by whoever it is made."""
    await example.put("a.md", "same")
    await example.read("a.md")
    await example.put("a.md", "same")
    await example.put("a.md", "same", operation=example.operation())
    await example.put("a.md", "same", operation=example.operation())
    await example.read("a.md")


@check("CAS-18", calls=9)
async def a_version_is_good_for_its_own_file(example: Example) -> None:
    """The version of another file with the same text is refused by write and delete."""
    first = await example.put("a.md", "before")
    await example.put("b.md", "before")
    await example.put("a.md", "same text")
    other = await example.put("b.md", "same text")
    await example.settle()
    await example.write("a.md", "late", expected_version=first)
    differ = other != example.version("a.md")
    message = "two files with the same text have the same version, so that each is taken for the other's"
    example.require("CAS-18", differ, message, expected="two versions", actual=other)
    await example.write("a.md", "mixed up", expected_version=other, blame="CAS-18")
    await example.settle()
    await example.delete("a.md", expected_version=other, blame="CAS-18")


@check("CAS-22", calls=22)
async def a_new_life_has_new_versions(example: Example) -> None:
    """A file that is created after a delete gets versions that its path never had, whatever its text."""
    for contents in (("one", "two"), ("one", "two"), ("three",), ("four", "five", "six")):
        for content in contents:
            await example.put("a.md", content)
        await example.read("a.md")
        await example.remove("a.md")


# Which texts are no version

UNKNOWN = (
    *("", " ", "0", "1", "-1", " 1", "1 ", "01", "1.0", "1e9", "0x1", "1_0", "NaN", "9" * 40, "9223372036854775808"),
    *("abc", "None", "null", "true", "*", "%", "_", "'", '"', "';--", "\\", "{}", "[]", 'W/"1"', "\n", "\t", "\x7f"),
    *("\u0661", "\u00e9", "e\u0301", "\U0001f600", "\u202e", "x" * 10_000),
)
"""Texts that no store gave out, which a back end may take for a number, a pattern, a header or nothing at all."""

UNENCODABLE = ("\x00", "a\x00b", "\ud800", "a\udfff", "\udc80")
"""Texts that many back ends cannot encode (CAS-12b)."""


@check("CAS-12", calls=260)
async def an_unknown_version_is_a_conflict(example: Example) -> None:
    """Whatever a version looks like, one that the store never gave out is a conflict in write and delete."""
    await example.put("a.md", "x")
    for version in UNKNOWN:
        await _refused(example, "a.md", version)


@check("CAS-12", calls=8, version=draw.unknown_versions)
async def any_unknown_version_is_a_conflict(example: Example, version: str) -> None:
    """Any text that is not the current version is a conflict in write and delete."""
    await _refused(example, "a.md", version)


@check("CAS-12", calls=140)
async def a_version_is_compared_as_it_is(example: Example) -> None:
    """What is nearly the current version is refused: trimmed, padded, quoted, in another case or notation."""
    current = await example.put("a.md", "x")
    for version in dict.fromkeys(_nearly(current)):
        await _refused(example, "a.md", version)


@check("CAS-12b", calls=45)
async def a_damaged_version_is_a_conflict(example: Example) -> None:
    """A version with NUL or a lone surrogate is a conflict like any other."""
    current = await example.put("a.md", "x")
    await _refused(example, "a.md", "no such version")
    for version in (*UNENCODABLE, f"{current}\x00", f"{current}\x00x", f"{current}\ud800"):
        await _refused(example, "a.md", version)


def _nearly(version: str) -> Iterator[str]:
    yield from (f"{version} ", f" {version}", f"{version}\n", f"{version}\t", f"0{version}", f"+{version}")
    yield from (f'"{version}"', f"'{version}'", f'W/"{version}"', f"{version}.0", f"{version}e0", f"{version}%")
    yield from (version.upper(), version.lower(), version.swapcase(), version[:-1], version[1:], version * 2)
    yield version.translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)})


async def _refused(example: Example, name: str, version: str) -> None:
    """Offer a version that was never given out to a write, a delete and a write to an absent path."""
    next_case(example)
    if name not in {path.removeprefix(example.prefix) for path in example.model.files}:
        await example.put(name, "x")
    await example.read(name)
    if example.model.has_seen(version):
        return
    await example.write(name, "late", expected_version=version)
    await example.delete(name, expected_version=version)
    await example.write("absent.md", "late", expected_version=version)
    await example.delete("absent.md", expected_version=version)


# What versions give away

FOREIGN_WRITES = (0, 2, 0, 5, 1, 9)
"""How many writes others make between two of our own."""


@check("CAS-23", calls=30)
async def versions_do_not_count_others_writes(example: Example) -> None:
    """The step from one version of a tenant to its next does not tell how much other tenants wrote in between.

    A step in proportion to what others wrote, six times over, is a counter that all share. A clock shows in the
    control: time passes while nobody writes, and a counter stands still.
    """
    if "bound" in example.setting.claims:
        raise NotExercised("the store serves one tenant only")
    versions = [await example.put("a.md", "0")]
    written = 0
    for number, foreign in enumerate(FOREIGN_WRITES):
        for _ in range(foreign):
            await _write_elsewhere(example, written)
            written += 1
        versions.append(await example.put("a.md", f"after {number}"))
    await asyncio.sleep(0.02)
    versions.append(await example.put("a.md", "after a pause"))
    leaks = is_shared_counter(versions, (*FOREIGN_WRITES, 0))
    expected = "steps that do not depend on what others write"
    example.require("CAS-23", not leaks, "versions count the writes of others", expected=expected, actual=versions)


async def _write_elsewhere(example: Example, number: int) -> None:
    path = f"{example.scope}0/a.md"
    known = example.model.files.get(path)
    await example.perform(Write(path, f"theirs {number}", known.version if known else None))


def is_shared_counter(versions: list[str], between: tuple[int, ...]) -> bool:
    """Whether some number in these versions grows by the same step for each write, our own and the foreign ones.

    `between` says how many foreign writes were made between each two versions.
    """
    return any(_grows(numbers, between) for numbers in _readings(versions))


def _readings(versions: list[str]) -> Iterator[list[int]]:
    """The ways to read a number from each version: each run of digits where all have as many, or all of it as hex."""
    runs = [[int(run) for run in re.findall(r"[0-9]+", version)] for version in versions]
    if len({len(found) for found in runs}) == 1:
        yield from ([*numbers] for numbers in zip(*runs, strict=True))
    yield [found[0] for found in runs if found]
    yield [found[-1] for found in runs if found]
    if all(re.fullmatch(r"[0-9a-fA-F]+", version) for version in versions):
        yield [int(version, 16) for version in versions]


def _grows(numbers: list[int], between: tuple[int, ...]) -> bool:
    if len(numbers) != len(between) + 1:
        return False
    steps = [after - before for before, after in pairwise(numbers)]
    return steps[0] > 0 and steps == [steps[0] * (foreign + 1) for foreign in between]
