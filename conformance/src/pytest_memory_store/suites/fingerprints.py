"""OP: that an id stands for one set of arguments, and what is looked at before its receipt.

Must not know: how an operation is answered that comes again (`op.py`).
"""

from __future__ import annotations

from dataclasses import replace

from pytest_memory_store.calls import Outcome, Raised, Write, error_names
from pytest_memory_store.cases import answer, ask, has_metadata, next_case
from pytest_memory_store.example import Example, NotExercised
from pytest_memory_store.operations import deleting, look_up, with_fingerprint, writing
from pytest_memory_store.suites.registry import check

# The same id with another fingerprint


@check("OP-05", calls=30)
async def another_fingerprint_is_refused(example: Example) -> None:
    """A known id with another fingerprint is refused by lookup, write and delete, and nothing changes."""
    await _clash(example, stale=False)


@check("OP-07", calls=30)
async def a_stale_version_does_not_hide_another_fingerprint(example: Example) -> None:
    """A known id with another fingerprint is refused as such, also where the version would conflict."""
    await _clash(example, stale=True)


async def _clash(example: Example, *, stale: bool) -> None:
    """Send known ids of a write and of a delete with another fingerprint."""
    for number in range(2):
        next_case(example)
        name, unused = f"{number}.md", f"unused-{number}.md"
        old = await example.put(name, "x")
        call = writing(example, name, "y") if number else deleting(example, name)
        await example.perform(call)
        await look_up(example, call)
        await example.put(name, "now")
        for each in (name, name, unused):
            await example.read(each)
        other = with_fingerprint(example, call, "other")
        await example.get_operation(other)
        current = old if stale else example.version(name)
        absent = old if stale else None
        await example.write(name, "other", expected_version=current, operation=other)
        await example.read(name)
        await example.delete(name, expected_version=current, operation=other)
        await example.read(name)
        await example.write(unused, "other", expected_version=absent, operation=other)
        await example.delete(unused, expected_version=absent, operation=other)
        await example.read(unused, blame=example.own)
        await look_up(example, call)


_LIKE_FINGERPRINTS = (
    ("fp-abcdef", "fp-abcdeF"),
    ("fp-abcdef", "fp-abcdef "),
    ("fp-abcdef", " fp-abcdef"),
    ("fp-abcdef", "fp-abcdef\n"),
    ("fp-a b", "fp-a  b"),
    ("fp-1", "fp-01"),
    ("fp-caf\u00e9", "fp-cafe\u0301"),
    ("fp-caf\u00e9", "fp-cafe"),
    ("0" * 64, "0" * 63 + "1"),
    ("a" * 64, "A" * 64),
    ("1" * 200, "1" * 199 + "2"),
)
"""Fingerprints that are one to a collation, a padded column, a number or a column that is too short (OP-24)."""


@check("OP-24", calls=80)
async def fingerprints_are_compared_exactly(example: Example) -> None:
    """Fingerprints that differ in case, spaces, Unicode form or the last character are different."""
    await _two_fingerprints(example, "plain.md", "one", "another", None)
    for number, (one, other) in enumerate(_LIKE_FINGERPRINTS):
        next_case(example)
        await _two_fingerprints(example, f"{number}.md", one, other, "OP-24")


async def _two_fingerprints(example: Example, name: str, one: str, other: str, blame: str | None) -> None:
    first = example.operation(one)
    second = example.operation(other, id=first.id)
    await example.write(name, "x", expected_version=None, operation=first, blame=blame)
    await example.get_operation(first, blame=blame)
    await example.get_operation(second, blame=blame)
    await example.write(name, "y", expected_version=example.version(name), operation=second, blame=blame)
    await example.read(name, blame=blame)


# What is looked at first


_BAD_NAMES = ("two words.md", "sub//a.md", "ends/", "a..b.md", "a:b.md", "line.md\n")


@check("OP-08", calls=70)
async def a_bad_path_is_refused_before_the_receipt(example: Example) -> None:
    """An invalid path is refused with the id of an applied operation as it is without one."""
    for number, name in enumerate(_BAD_NAMES):
        next_case(example)
        operation = example.operation()
        other = example.operation("other", id=operation.id)
        await example.put(f"{number}.md", "x", operation=operation)
        await example.get_operation(operation)
        await example.get_operation(other)
        await example.read(name)
        await example.write(name, "x", expected_version=None)
        await example.delete(name, expected_version=None)
        for known in (operation, other):
            await example.write(name, "x", expected_version=None, operation=known, blame="OP-08")
            await example.delete(name, expected_version=None, operation=known, blame="OP-08")
        await example.get_operation(operation)


@check("OP-08b", calls=20)
async def bad_arguments_are_refused_before_the_receipt(example: Example) -> None:
    """Content or metadata that the store refuses is refused with the id of an applied operation too."""
    tried = False
    for number, call in enumerate(_bad_calls(example)):
        next_case(example)
        operation = example.operation()
        await example.put(f"{number}.md", "x", operation=operation)
        await example.get_operation(operation)
        if not _is_refused(await ask(example, call, "OP-08b")):
            continue
        tried = True
        outcome = await ask(example, replace(call, operation=operation), "OP-08b")
        message = "a bad argument goes unnoticed in a repeated operation"
        example.require("OP-08b", _is_refused(outcome), message, expected="an error", actual=answer(outcome))
    if not tried:
        raise NotExercised("the store refuses no content and keeps no metadata")


def _is_refused(outcome: Outcome) -> bool:
    """Whether a call failed by its arguments, not by its version."""
    return isinstance(outcome, Raised) and "MemoryConflictError" not in error_names(outcome.error)


def _bad_calls(example: Example) -> list[Write]:
    """Writes that a store may or must refuse by their arguments alone; none is let through by its version."""
    path = example.path("never.md")
    calls = [Write(path, content, "no-version") for content in ("nul \x00", "surrogate \ud800")]
    limit = example.setting.claims.number("max_content_chars", 0)
    if 0 < limit <= 10**6:
        calls.append(Write(path, "x" * (limit + 1), "no-version"))
    if has_metadata(example):
        too_long = {"k": "x" * example.model.max_metadata_chars}
        calls += [Write(path, "x", "no-version", None, metadata) for metadata in ({"k": "nul \x00"}, too_long)]
    return calls
