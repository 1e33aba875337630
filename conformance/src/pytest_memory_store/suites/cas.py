"""CAS: compare-and-swap, as one client sees it: what a version check lets through, and what it leaves behind.

Must not know: which versions a store gives out (`versions.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import UNSET, Call, Delete, MemoryOperation, Unset, Write
from pytest_memory_store.cases import has_metadata, next_case
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example

# What is let through


@check("CAS-01", calls=7, content=draw.plain)
async def only_an_absent_file_is_created(example: Example, content: str) -> None:
    """A second create of a path is refused, with the same text and with other text, also after a replace."""
    await example.write("a.md", f"note {content}", expected_version=None)
    await example.read("a.md")
    await example.write("a.md", f"note {content}", expected_version=None)
    await example.write("a.md", "other", expected_version=None)
    await example.put("a.md", "newer")
    await example.write("a.md", "other", expected_version=None)
    await example.settle()


@check("CAS-02", calls=10, contents=st.lists(draw.plain, min_size=2, max_size=4))
async def only_the_current_version_replaces(example: Example, contents: list[str]) -> None:
    """Every earlier version of a file is refused, for other text and for the text that is there already."""
    versions: list[str] = []
    for number, content in enumerate(contents):
        versions.append(await example.put("a.md", f"{number} {content}"))
        await example.read("a.md")
    for stale in versions[:-1]:
        await example.write("a.md", "late", expected_version=stale)
        await example.write("a.md", f"{len(contents) - 1} {contents[-1]}", expected_version=stale)
    await example.put("a.md", "in time")
    await example.settle()


@check("CAS-02", calls=7)
async def the_version_of_another_file_replaces_nothing(example: Example) -> None:
    """A version that only another file has is refused."""
    other = await example.put("b.md", "one text")
    await example.put("a.md", "another text")
    await example.settle()
    await example.write("a.md", "late", expected_version=other)
    await example.settle()


@check("CAS-03", calls=9)
async def a_version_brings_nothing_back(example: Example) -> None:
    """A write with a version neither brings back what was deleted nor creates what never was."""
    version = await example.put("a.md", "x")
    await example.read("a.md")
    await example.write("b.md", "y", expected_version=version)
    await example.read("b.md")
    await example.remove("a.md")
    await example.write("a.md", "x", expected_version=version)
    await example.write("a.md", "y", expected_version=version)
    await example.read("a.md")


@check("CAS-04", calls=7, content=draw.plain)
async def nothing_is_deleted_unseen(example: Example, content: str) -> None:
    """A delete that expects no file is refused where there is one, also after a replace."""
    await example.put("a.md", f"note {content}")
    await example.read("a.md")
    await example.delete("a.md", expected_version=None)
    await example.put("a.md", "newer")
    await example.delete("a.md", expected_version=None)
    await example.settle()


@check("CAS-05", calls=9)
async def a_delete_of_nothing_is_done(example: Example) -> None:
    """A delete that expects no file is answered where there is none: never was, or is no longer."""
    await example.delete("a.md", expected_version=None)
    await example.delete("a.md", expected_version=None)
    await example.put("a.md", "x")
    await example.remove("a.md")
    await example.delete("a.md", expected_version=None)
    await example.delete("a.md", expected_version=None, operation=example.operation())
    await example.delete("sub/b.md", expected_version=None)


@check("CAS-06", calls=11, contents=st.lists(draw.plain, min_size=2, max_size=4))
async def only_the_current_version_deletes(example: Example, contents: list[str]) -> None:
    """A delete is refused with every earlier version, and with any version once the file is gone."""
    versions: list[str] = []
    for number, content in enumerate(contents):
        versions.append(await example.put("a.md", f"{number} {content}"))
        await example.read("a.md")
    for stale in versions[:-1]:
        await example.delete("a.md", expected_version=stale)
    await example.settle()
    await example.remove("a.md")
    for gone in versions:
        await example.delete("a.md", expected_version=gone)
        await example.delete("b.md", expected_version=gone)


@check("CAS-17", calls=40)
async def neighbours_cause_no_conflict(example: Example) -> None:
    """A version stays good while other files are created, replaced and deleted, near by and far away."""
    await example.put("a.md", "0")
    await example.read("a.md")
    await example.put("a.md", "1")
    neighbours = [example.path(name) for name in ("b.md", "a.md.bak", "sub/a.md")]
    for path in (*neighbours, f"{example.scope}0/a.md"):
        await example.perform(Write(path, "theirs", None))
        await example.read("a.md")
        await example.put("a.md", f"beside a new {len(path)}")
        await example.perform(Write(path, "theirs, newer", example.model.files[path].version))
        await example.put("a.md", f"beside a newer {len(path)}")
        await example.perform(Delete(path, example.model.files[path].version))
        await example.put("a.md", f"after {len(path)}")
    await example.put("b.md", "theirs")
    await example.remove("a.md")


@check("CAS-21", calls=12)
async def existed_tells_what_was_there(example: Example) -> None:
    """`existed` is false for a create, true for a replace and a delete, and false for a create after it."""
    for operation in (None, example.operation()):
        await example.put("a.md", "one", operation=operation)
        await example.put("a.md", "two")
        await example.put("a.md", "two")
        await example.put("a.md", "three", operation=operation and example.operation())
        await example.remove("a.md", operation=operation and example.operation())


# What a conflict leaves behind


@dataclass(frozen=True, slots=True)
class Stage:
    """What a refused call meets: a file with a past, one that was deleted, and one that never was.

    `stale` is a version that `live` had before, `old` one that `gone` had; `receipt` is the operation that wrote
    `live` last.
    """

    live: str
    gone: str
    never: str
    stale: str
    old: str
    receipt: MemoryOperation


Late = Callable[[Stage, MemoryOperation], Call]
"""A call that comes too late, given the stage and a new operation to send with it."""

REFUSALS: tuple[Late, ...] = (
    lambda at, operation: Write(at.live, "late", None, operation),
    lambda at, operation: Write(at.live, "late", at.stale, operation),
    lambda at, _: Write(at.live, "newer", at.stale),
    lambda at, operation: Write(at.live, "late", "no-such-version", operation),
    lambda at, operation: Write(at.gone, "late", at.old, operation),
    lambda at, _: Write(at.never, "late", at.stale),
    lambda at, operation: Delete(at.live, None, operation),
    lambda at, operation: Delete(at.live, at.stale, operation),
    lambda at, _: Delete(at.live, at.stale),
    lambda at, operation: Delete(at.gone, at.old, operation),
    lambda at, _: Delete(at.never, at.stale),
)
REFUSALS_WITH_METADATA: tuple[Late, ...] = (
    lambda at, operation: Write(at.live, "late", None, operation, {"by": "late"}),
    lambda at, operation: Write(at.live, "late", at.stale, operation, {"by": "late"}),
    lambda at, operation: Write(at.gone, "late", at.old, operation, {"by": "late"}),
)


def _refusals(example: Example) -> tuple[Late, ...]:
    return REFUSALS + REFUSALS_WITH_METADATA if has_metadata(example) else REFUSALS


async def _set_up(example: Example, number: int) -> Stage:
    live, gone, receipt = f"live-{number}.md", f"gone-{number}.md", example.operation()
    metadata: dict[str, str] | Unset = {"by": "kit"} if has_metadata(example) else UNSET
    stale = await example.put(live, "first")
    await example.put(live, "newer", operation=receipt, metadata=metadata)
    old = await example.put(gone, "gone")
    await example.remove(gone)
    paths = [example.path(name) for name in (live, gone, f"never-{number}.md")]
    return Stage(paths[0], paths[1], paths[2], stale, old, receipt)


async def _look(example: Example, at: Stage, blame: str | None) -> None:
    """See all that a refused call could have changed; with `blame`, after the same calls have shown it right."""
    name = at.live.removeprefix(example.prefix)
    for _ in range(2):  # a store that changes by being read shows it now
        await example.read(name)
    for path in (at.gone, at.never):
        await example.read(path.removeprefix(example.prefix), blame=blame)
    await example.list_paths(blame=blame)
    await example.get_operation(at.receipt, blame=blame)


@check("CAS-07", calls=310)
async def a_conflict_changes_nothing(example: Example) -> None:
    """After a conflict of any kind, files, listing and receipts are as they were, and the version still serves."""
    for name in ("listed-1.md", "listed-2.md"):
        await example.put(name, "x")
    for _ in range(3):  # replicas may take turns
        await example.list_paths()
    for number, late in enumerate(_refusals(example)):
        next_case(example)
        at, operation = await _set_up(example, number), example.operation()
        await _look(example, at, None)
        await example.perform(late(at, operation))
        await _look(example, at, "CAS-07")
        await example.get_operation(operation)
        await example.put(f"live-{number}.md", "in time")


@check("CAS-16", calls=90)
async def a_conflict_is_one_kind_of_error(example: Example) -> None:
    """Every conflict is a `MemoryConflictError`, whichever call meets it."""
    for number, late in enumerate(_refusals(example)):
        next_case(example)
        at = await _set_up(example, number)
        await example.perform(late(at, example.operation()))
