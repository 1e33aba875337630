"""TYPE: what content a store accepts, and how it refuses: by its limits, by policy, or because it is read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pytest_memory_store import text_corpus as corpus
from pytest_memory_store.calls import (
    ALL,
    Call,
    Delete,
    GetOperation,
    ListPaths,
    MemoryOperation,
    Raised,
    Read,
    Returned,
    Search,
    Write,
    is_agents,
)
from pytest_memory_store.cases import answer, can_search, next_case
from pytest_memory_store.model import MAX_CONTENT_CHARS
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from pytest_memory_store.example import Example

WIDTHS = ("a", "\u00e9", "\u6f22", "\U0001f600")
"""A character of one, two, three and four bytes."""


@check("TYPE-09", calls=32)
async def long_content_of_any_width_is_accepted(example: Example) -> None:
    """65,536 characters are kept, or as many as the store claims, whether they take one byte each or four."""
    longest = min(MAX_CONTENT_CHARS, example.setting.claims.number("max_content_chars", MAX_CONTENT_CHARS))
    for number, char in enumerate(WIDTHS):
        next_case(example)
        name = f"a-{number}.md"
        for length in (9, 10):
            await example.put(name, char * length)
            await example.read(name)
        await example.put(name, char * longest, blame="TYPE-09")
        await example.read(name, blame="TYPE-09")
        await example.put(f"new-{name}", char * longest, blame="TYPE-09")


def _unsupported(example: Example) -> Iterator[str]:
    """Content that a store may refuse: by its characters, and by its length."""
    yield from corpus.UNSTORABLE
    claimed = example.setting.claims.number("max_content_chars", MAX_CONTENT_CHARS)
    for length in sorted({min(claimed, MAX_CONTENT_CHARS) + 1, 200_000}):
        yield "0123456789" * (length // 10) + "x" * (length % 10)


async def _offer(example: Example, number: int, content: str) -> None:
    """Offer content to a file that exists and to one that does not, and see what became of both."""
    next_case(example)
    name, absent = f"a-{number}.md", f"b-{number}.md"
    await example.put(name, "before")
    for _ in range(2):
        await example.read(name)
    await example.read(absent)
    operation = example.operation()
    await example.write(name, content, expected_version=example.version(name), operation=operation)
    await example.read(name)
    await example.get_operation(operation)
    outcome = await example.write(absent, content, expected_version=None)
    await example.read(absent, blame="TYPE-08" if isinstance(outcome, Raised) else None)


@check("TYPE-08", calls=80)
async def content_is_kept_or_refused(example: Example) -> None:
    """Content with NUL, with lone surrogates or of great length is read back as it is, or refused."""
    for number, content in enumerate(_unsupported(example)):
        await _offer(example, number, content)
        example.hold("TYPE-08")


@check("TYPE-08b", calls=80)
async def content_is_refused_as_a_bad_argument(example: Example) -> None:
    """Content that the store cannot keep is refused with `ValueError`, and leaves all as it was."""
    for number, content in enumerate(_unsupported(example)):
        await _offer(example, number, content)
        example.hold("TYPE-08b")


# Refusals by policy

Provocation = Callable[[str, str, MemoryOperation], Call]
"""A call that a store refuses, or may refuse by a quota or policy: from a path, its version and a new operation."""


def _provocations(example: Example) -> Iterator[Provocation]:
    for content in _unsupported(example):
        yield _replacing(content)
        yield _creating(content)
    yield lambda path, _, operation: Write(path, "late", None, operation)
    yield lambda path, _, operation: Delete(path, "no-such-version", operation)


def _replacing(content: str) -> Provocation:
    return lambda path, version, operation: Write(path, content, version, operation)


def _creating(content: str) -> Provocation:
    return lambda path, _, operation: Write(f"{path}.new", content, None, operation)


async def _provoke(example: Example) -> AsyncIterator[BaseException]:
    """The error of each refusal that could be provoked; after an agent's exception, a look at what it left behind.

    What other refusals leave behind is the matter of CAS-07 and TYPE-08b.
    """
    for number, provocation in enumerate(_provocations(example)):
        next_case(example)
        name, operation = f"a-{number}.md", example.operation()
        version = await example.put(name, "before")
        for _ in range(2):
            await example.read(name)
        await example.list_paths(example.path(name))
        outcome = await example.perform(provocation(example.path(name), version, operation))
        if not isinstance(outcome, Raised):
            continue
        if is_agents(outcome.error):
            await example.read(name, blame="TYPE-10")
            await example.list_paths(example.path(name), blame="TYPE-10")
            await example.get_operation(operation, blame="TYPE-10")
        yield outcome.error


@check("TYPE-10", calls=160)
async def a_refusal_by_policy_changes_nothing(example: Example) -> None:
    """Whatever was refused with an exception for an agent, files, listing and receipts are as they were."""
    async for _ in _provoke(example):
        example.hold("TYPE-10")


@check("TYPE-10b", calls=160)
async def a_refusal_speaks_to_the_caller(example: Example) -> None:
    """Nothing is refused with an exception for an agent."""
    async for error in _provoke(example):
        message = "a refusal is an exception for an agent's model"
        expected = "an error of the store"
        example.require("TYPE-10b", not is_agents(error), message, expected=expected, actual=error)


# A store that only shows notes


@check("TYPE-11", calls=9)
async def a_read_only_store_says_so(example: Example) -> None:
    """Writes and deletes raise, no operation is known, and read, listing and search answer."""
    path, operation = example.path("a.md"), example.operation()
    for call in (Write(path, "x", None, operation), Write(path, "x", None), Delete(path, None, operation)):
        outcome = await example.send(call)
        refused = isinstance(outcome, Raised)
        message = f"a {call.method} is accepted by a store that claims read_only"
        example.require("TYPE-11", refused, message, expected="an error", actual=answer(outcome))
    await _answers(example, GetOperation(operation), None)
    await _answers(example, Read(path, ALL), None)
    await _answers(example, ListPaths(example.prefix, ALL), [])
    if can_search(example):
        found = await example.send(Search(example.prefix, "x"))
        ok = isinstance(found, Returned) and not getattr(found.value, "matches", True)
        example.require("TYPE-11", ok, "a search does not work", expected="no matches", actual=answer(found))


async def _answers(example: Example, call: Call, expected: object) -> None:
    outcome = await example.send(call)
    ok = isinstance(outcome, Returned) and outcome.value == expected
    example.require("TYPE-11", ok, f"{call.method} shows something else", expected=expected, actual=answer(outcome))
