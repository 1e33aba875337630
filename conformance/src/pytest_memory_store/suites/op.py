"""OP: how an operation is recognised, and how it is answered when it comes again.

Must not know: how receipts are kept (`receipts.py`) and told apart (`fingerprints.py`). Every check sees a receipt
answered before it disturbs it, so that a store which has none, or asks for the version first, is told apart from one
that loses them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store.calls import Delete, GetOperation, Mutation, Outcome, Raised, Write, error_names
from pytest_memory_store.cases import answer, ask, is_writable, next_case
from pytest_memory_store.operations import deleting, look_up, with_fingerprint, writing
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example

# The first time


@check("OP-01", calls=6)
async def an_unknown_operation_has_no_receipt(example: Example) -> None:
    """An operation that nobody sent is unknown, before and after others are applied."""
    await example.get_operation(example.operation())
    if not is_writable(example):
        return
    await example.put("a.md", "x", operation=example.operation())
    await example.get_operation(example.operation())
    await example.remove("a.md", operation=example.operation())
    await example.get_operation(example.operation())


@check("OP-26", calls=9)
async def a_first_application_is_no_replay(example: Example) -> None:
    """Every kind of mutation says that it was applied now, and not before."""
    await example.put("a.md", "x", operation=example.operation())
    await example.put("a.md", "y", operation=example.operation())
    await example.put("a.md", "y", operation=example.operation())
    await example.remove("a.md", operation=example.operation())
    await example.remove("a.md", operation=example.operation())
    await example.put("a.md", "x", operation=example.operation())
    for name in ("b.md", "sub/a.md"):
        await example.put(name, "x", operation=example.operation())


@check("OP-15", calls=20)
async def calls_without_an_operation_are_not_remembered(example: Example) -> None:
    """Equal calls without an operation are calls of their own, and no lookup finds one."""
    await example.get_operation(example.operation())
    await example.put("a.md", "x")
    await example.read("a.md")
    await example.write("a.md", "other", expected_version=None)
    await example.write("a.md", "x", expected_version=None, blame="OP-15")
    stale = example.version("a.md")
    await example.put("a.md", "y")
    await example.write("a.md", "other", expected_version=stale)
    await example.write("a.md", "y", expected_version=stale, blame="OP-15")
    await example.remove("a.md")
    await example.delete("a.md", expected_version=None)
    await example.delete("a.md", expected_version=None)
    await example.put("a.md", "x")
    await example.read("a.md")
    for key in ("None", example.path("a.md"), str(stale), f"{example.path('a.md')}:{stale}"):
        outcome = await ask(example, GetOperation(example.setting.operation_type(id=key, fingerprint="fp")), "OP-15")
        message = "a call without an operation left a receipt"
        example.require("OP-15", _is_unknown(outcome), message, expected=None, actual=answer(outcome))


def _is_unknown(outcome: Outcome) -> bool:
    """Whether a lookup found nothing, or refused the id."""
    if isinstance(outcome, Raised):
        return "MemoryOperationConflictError" not in error_names(outcome.error)
    return answer(outcome) is None


# The same operation again


@check("OP-03", calls=16, contents=st.lists(draw.plain, min_size=1, max_size=3))
async def a_repeated_write_changes_nothing(example: Example, contents: list[str]) -> None:
    """A write sent again, with the current version or with its own, gives the first answer and changes nothing."""
    for number, content in enumerate(contents):
        call = writing(example, "a.md", f"{number} {content}")
        await example.perform(call)
        await example.read("a.md")
        await example.perform(replace(call, expected_version=example.version("a.md")))
        await example.read("a.md")
        await example.perform(call)
        await example.read("a.md")


@check("OP-04", calls=26)
async def the_lookup_answers_like_the_repeated_call(example: Example) -> None:
    """`get_operation` tells of a create, a replace, a delete and a delete of nothing what the repeated call tells."""
    for content in ("x", "y", "y", None, None, "z"):
        operation = example.operation()
        await example.get_operation(operation)
        call = writing(example, "a.md", content, operation) if content else deleting(example, "a.md", operation)
        await example.perform(call)
        await example.get_operation(operation)
        await example.perform(call)
        await example.get_operation(operation)


@check("OP-06", calls=34)
async def a_stale_version_does_not_hide_the_receipt(example: Example) -> None:
    """An operation sent again with whatever version is answered by its receipt."""
    for name, content in (("0.md", "create"), ("1.md", "replace"), ("2.md", None)):
        next_case(example)
        older = None if content == "create" else await example.put(name, "older")
        call = writing(example, name, content) if content else deleting(example, name)
        await example.perform(call)
        await example.read(name)
        await look_up(example, call)
        for version in dict.fromkeys((older, "no-such-version", None)):
            await example.perform(replace(call, expected_version=version))
            await example.read(name)
        await look_up(example, call)


@check("OP-25", calls=14)
async def a_replay_keeps_the_version(example: Example) -> None:
    """After a replay the file has the version that it had, and that version still replaces and deletes."""
    for content in ("x", "y"):
        call = writing(example, "a.md", content)
        await example.perform(call)
        await example.read("a.md")
        await example.perform(call)
        await example.read("a.md")
        await look_up(example, call)
        await example.read("a.md")
    await example.put("a.md", "z")
    await example.remove("a.md")


@check("OP-16", calls=30)
async def deletes_have_receipts_too(example: Example) -> None:
    """A delete sent again, also one of nothing, gives its first answer and leaves what was written since."""
    for number, content in enumerate(("x", None)):
        next_case(example)
        name = f"{number}.md"
        if content:
            await example.put(name, content)
        call = deleting(example, name)
        await example.perform(call)
        await example.read(name)
        await look_up(example, call)
        await example.perform(replace(call, expected_version=None))
        await example.perform(call)
        await example.put(name, "written since")
        await example.read(name)
        await example.perform(call)
        await example.read(name)
        await example.perform(replace(call, expected_version=example.version(name)))
        await example.read(name, blame="OP-16")
        await look_up(example, call)


@check("OP-17", calls=24)
async def a_late_replay_restores_nothing(example: Example) -> None:
    """After others replaced, deleted and created the file, a replay gives its first answer and leaves it so."""
    first = writing(example, "a.md", "first")
    await example.perform(first)
    await example.read("a.md")
    await look_up(example, first)
    await example.perform(first)
    await example.put("a.md", "newer")
    await _look_unchanged(example, first)
    await example.remove("a.md")
    await _look_unchanged(example, first)
    await example.put("a.md", "created again")
    await _look_unchanged(example, first)
    await example.perform(replace(first, expected_version=example.version("a.md")))
    await example.read("a.md")


async def _look_unchanged(example: Example, call: Mutation) -> None:
    await example.read("a.md")
    await example.perform(call)
    await example.read("a.md", blame="OP-17")
    await look_up(example, call)


# Operations that met a refusal


Late = Callable[[str, str, str], Mutation]
"""A call that is refused, given the path of a file, a path without one, and a version that the file had before."""

_REFUSED: tuple[Late, ...] = (
    lambda live, _gone, _stale: Write(live, "late", None),
    lambda live, _gone, stale: Write(live, "late", stale),
    lambda _live, gone, stale: Write(gone, "late", stale),
    lambda live, _gone, _stale: Delete(live, None),
    lambda live, _gone, stale: Delete(live, stale),
    lambda _live, gone, stale: Delete(gone, stale),
    lambda live, _gone, _stale: Write(f"{live} b", "late", None),
)


@check("OP-09", calls=140)
async def a_refused_call_leaves_no_receipt(example: Example) -> None:
    """After a refusal of any kind the operation is unknown, and its id takes the same or other arguments."""
    for number, late in enumerate(_REFUSED):
        for fingerprint in ("fp", "other"):
            next_case(example)
            name = f"{number}-{fingerprint}.md"
            stale = await example.put(name, "x", operation=example.operation())
            await example.put(name, "y")
            await example.read(name)
            await example.get_operation(example.operation())
            refused = late(example.path(name), example.path(f"gone-{name}"), stale)
            call = replace(refused, operation=example.operation())
            await example.perform(call)
            await look_up(example, call)
            retry = with_fingerprint(example, call, fingerprint)
            await example.put(f"new-{name}", "in time", operation=retry)
            await example.get_operation(retry)


@check("OP-10", calls=26, conflicts=st.integers(1, 6), content=draw.plain)
async def an_operation_outlasts_conflicts(example: Example, conflicts: int, content: str) -> None:
    """One operation, sent with new content and version after each conflict, is applied once: the last time."""
    await example.put("a.md", "0", operation=example.operation())
    await example.read("a.md")
    await example.put("a.md", "1")
    await example.read("a.md")
    await example.write("a.md", "late", expected_version=None)
    await example.settle()
    operation = example.operation()
    for number in range(conflicts):
        seen = example.version("a.md")
        await example.put("a.md", f"theirs {number}")
        blame = "OP-10" if number else None
        await example.write("a.md", f"mine {content} {number}", expected_version=seen, operation=operation, blame=blame)
    final = Write(example.path("a.md"), f"mine {content} at last", example.version("a.md"), operation)
    await example.perform(final, blame="OP-10")
    await example.read("a.md", blame="OP-10")
    await example.perform(final)
    await example.read("a.md")
    await example.get_operation(operation)
