"""CAS: compare-and-swap, as one client sees it."""

from __future__ import annotations

from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import Returned
from pytest_memory_store.example import Example
from pytest_memory_store.suites.registry import check


@check("CAS-01", content=draw.plain)
async def create_only_where_none_is(example: Example, content: str) -> None:
    """A second create of the same path is refused, also after a replace."""
    await example.write("a.md", content, expected_version=None)
    await example.write("a.md", "other", expected_version=None)
    await example.put("a.md", "newer")
    await example.write("a.md", "other", expected_version=None)


@check("CAS-02", contents=draw.st.lists(draw.plain, min_size=2, max_size=4))
async def only_the_current_version_replaces(example: Example, contents: list[str]) -> None:
    """Every earlier version of the file is refused."""
    versions = [await example.put("a.md", f"{number} {content}") for number, content in enumerate(contents)]
    for stale in versions[:-1]:
        await example.write("a.md", "late", expected_version=stale)
    await example.put("a.md", "in time")


@check("CAS-03")
async def a_version_of_an_absent_path_conflicts(example: Example) -> None:
    """A write with a version does not bring back what was deleted, nor create what never was."""
    version = await example.put("a.md", "x")
    await example.remove("a.md")
    await example.write("a.md", "y", expected_version=version)
    await example.write("b.md", "y", expected_version=version)


@check("CAS-12", version=draw.unknown_versions)
async def an_unknown_version_conflicts(example: Example, version: str) -> None:
    """Any string that is not the current version is a conflict, never a backend's own error."""
    if await example.put("a.md", "x") == version:
        return
    await example.write("a.md", "y", expected_version=version)
    await example.delete("a.md", expected_version=version)
    await example.write("b.md", "y", expected_version=version)


@check("CAS-23")
async def versions_tell_nothing_of_other_tenants(example: Example) -> None:
    """The distance between two versions does not grow with what others write in between."""
    first = await example.put("a.md", "x")
    outcome = await example.read("a.md")
    assert isinstance(outcome, Returned)
    for number in range(5):
        await example.put(f"other-{number}.md", "x")
    second = await example.put("a.md", "y")
    counted = first.isdecimal() and second.isdecimal() and int(second) - int(first) > 1
    example.require("CAS-23", not counted, "versions count the writes of others", expected="unrelated versions", actual=(first, second))
