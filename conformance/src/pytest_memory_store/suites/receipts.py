"""OP: how receipts are kept: under which ids, how many, apart from one another, and with nothing else in them.

Must not know: what a receipt answers (`op.py`).
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store.calls import (
    ALL,
    UNSET,
    GetOperation,
    ListPaths,
    Mutation,
    Outcome,
    Raised,
    Write,
    error_names,
)
from pytest_memory_store.cases import answer, ask, listed_paths, next_case
from pytest_memory_store.disclosure import told
from pytest_memory_store.example import Example, NotExercised
from pytest_memory_store.model import Mutates
from pytest_memory_store.operations import deleting, look_up, writing
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_memory_store.calls import MemoryOperation

# How many are kept


RETENTION = 1_024
"""How many of the most recent receipts every store keeps."""
_MOST = 5_000
"""Where a store claims to keep more than this many, no more are tried."""


@check("OP-13", calls=RETENTION + 10)
async def the_newest_receipts_are_kept(example: Example) -> None:
    """The oldest of the 1,024 newest operations, or of as many as the store claims to keep, is still answered.

    A store may drop older ones, and others may record operations at the same time: a receipt that is gone counts
    when it is gone again, and the names of others tell of no traffic in between.
    """
    kept = min(max(RETENTION, example.setting.claims.number("receipt_retention", RETENTION)), _MOST)
    if not await _loses_oldest(example, kept):
        return
    others = await _names_of_others(example)
    again = await _loses_oldest(example, kept)
    if not again or await _names_of_others(example) != others:
        raise NotExercised("a receipt was dropped while others used the store: run this clause when it is quiet")
    message = f"the oldest of the {kept:,} newest receipts is gone"
    example.fail("OP-13", message, expected="the receipt", actual=None)


async def _loses_oldest(example: Example, kept: int) -> bool:
    """Record `kept` operations, by the cheapest call there is, and say whether the first of them is gone."""
    next_case(example)
    oldest = deleting(example, "absent.md")
    await example.perform(oldest)
    await look_up(example, oldest)
    await example.perform(oldest)
    for number in range(kept - 1):
        await example.perform(deleting(example, f"absent-{number}.md"))
    assert oldest.operation is not None
    if answer(await ask(example, GetOperation(oldest.operation), "OP-13")) is None:
        return True
    await look_up(example, oldest, blame="OP-13")
    await example.perform(oldest, blame="OP-13")
    return False


async def _names_of_others(example: Example) -> int:
    """A digest of all names but this example's; the names themselves are forgotten at once."""
    steps = len(example.transcript.steps)
    outcome = await ask(example, ListPaths(UNSET, ALL), "OP-13")
    del example.transcript.steps[steps:]
    return hash(frozenset(path for path in listed_paths(outcome) if not path.startswith(example.scope)))


# Under which ids


def _like_ids(token: str) -> Iterator[tuple[str, str]]:
    """Pairs of ids of 64 hexadecimal digits that are one to a store that cuts, hashes or takes them for numbers."""
    for number, place in enumerate((0, 16, 32, 40, 62)):
        digits = f"{token}{number}".rjust(63, "f")
        yield f"{digits[:place]}0{digits[place:]}", f"{digits[:place]}1{digits[place:]}"
    yield f"{token}a".rjust(64, "0"), f"{token}a".ljust(64, "0")


def _like_odd_ids(token: str) -> Iterator[tuple[str, str]]:
    """Pairs of ids that are one to a collation, a pattern, a path, a number, a trim or C; a store may refuse them."""
    yield f"{token}-call", f"{token}-CALL"
    yield f"{token}/one/call-1", f"{token}/other/call-1"
    yield f"{token}/a/b", f"{token}/a_b"
    yield f"{token}/a", f"{token}/a/"
    yield f"{token}:1:2", f"{token}:1:3"
    yield f"{token}", f"{token} "
    yield f"{token}-x", f" {token}-x"
    yield f"{token}-1", f"{token}-01"
    yield f"{token}-a%", f"{token}-ab"
    yield f"{token}-a_", f"{token}-ac"
    yield f"{token}-a%2F", f"{token}-a/"
    yield f"{token}-'", f"{token}-''"
    yield f'{token}-"', f"{token}-`"
    yield f"{token}-caf\u00e9", f"{token}-cafe\u0301"
    yield f"{token}-\U0001f600", f"{token}-\U0001f680"
    yield f"{token}-\u00e9", f"{token}-?"
    yield f"{token}{'x' * 150}1", f"{token}{'x' * 150}2"
    yield f"{token}-nul", f"{token}-nul\x00"


@check("OP-14", calls=260)
async def receipts_are_found_by_the_exact_id(example: Example) -> None:
    """Ids that resemble one another are ids of two operations; those of 64 hexadecimal digits are accepted."""
    await _two_ids(example, "plain", example.operation(), example.operation(), None)
    token = secrets.token_hex(8)
    for number, (one, other) in enumerate(_like_ids(token)):
        next_case(example)
        await _two_ids(example, f"hex-{number}", example.operation(id=one), example.operation(id=other), "OP-14")
    for number, (one, other) in enumerate(_like_odd_ids(token)):
        next_case(example)
        await _two_odd_ids(example, f"odd-{number}", example.operation(id=one), example.operation(id=other))


async def _two_ids(
    example: Example, case: str, one: MemoryOperation, other: MemoryOperation, blame: str | None
) -> None:
    """See two operations with the same fingerprint applied, each once, and found by their ids."""
    first = writing(example, f"{case}-1.md", "x", one)
    await example.perform(first, blame=blame)
    await example.get_operation(one, blame=blame)
    await example.get_operation(other, blame=blame)
    await example.perform(writing(example, f"{case}-2.md", "y", other), blame=blame)
    await example.get_operation(one, blame=blame)
    await example.get_operation(other, blame=blame)
    await example.perform(first, blame=blame)


async def _two_odd_ids(example: Example, case: str, one: MemoryOperation, other: MemoryOperation) -> None:
    """The same with ids that the store may refuse; one that it refuses is not tried further."""
    first = writing(example, f"{case}-1.md", "x", one)
    if not await _is_taken(example, first):
        return
    await example.get_operation(one, blame="OP-14")
    unknown = await ask(example, GetOperation(other), "OP-14")
    if _is_refused(unknown):
        return
    message = "a receipt is found by an id that merely resembles its own"
    example.require("OP-14", answer(unknown) is None, message, expected=None, actual=answer(unknown))
    if await _is_taken(example, writing(example, f"{case}-2.md", "y", other)):
        await example.get_operation(other, blame="OP-14")
    await example.get_operation(one, blame="OP-14")
    await example.perform(first, blame="OP-14")


async def _is_taken(example: Example, call: Write) -> bool:
    """Make a write with an operation of which the store may refuse the id, and say whether it was applied."""
    outcome = await ask(example, call, "OP-14")
    if _is_refused(outcome):
        return False
    value = answer(outcome)
    fresh = getattr(value, "replayed", None) is False
    message = "an operation is taken for another one, whose id it resembles"
    example.require("OP-14", fresh, message, expected="replayed=False", actual=value)
    example.model.learn(call, Mutates(None, "OP-14"), str(getattr(value, "version", None)))
    return True


def _is_refused(outcome: Outcome) -> bool:
    """Whether an id itself was refused, and not for being known with other arguments."""
    return isinstance(outcome, Raised) and "MemoryOperationConflictError" not in error_names(outcome.error)


def _any_ids(token: str) -> Iterator[str]:
    """Ids that a store may have to quote, encode or make room for; random, since receipts outlive a run."""
    yield f"run-1:call-{token}"
    for odd in ("a/b", "/", "..", "'", '"', "';--", "%", "%s{0}", "\\", " ", "\n", "\t", "#?&"):
        yield f"{token}{odd}"
    yield f" {token} "
    yield f"{token}\u00e9\u6f22\U0001f600"
    yield token.ljust(200, "x")
    yield token.ljust(200, "\U0001f600")
    yield chr(0x20000 + secrets.randbelow(0xA000))
    yield f"{token}\x00nul"
    yield f"{token}\ud800"


@check("OP-14b", calls=90)
async def any_text_is_an_id(example: Example) -> None:
    """Ids of 1 to 200 characters of any kind are accepted, found and answered."""
    await _two_ids(example, "plain", example.operation(), example.operation(), None)
    for number, key in enumerate(_any_ids(secrets.token_hex(8))):
        next_case(example)
        operation = example.operation(f"fp-{secrets.token_hex(8)}", id=key)
        if len(key) == 1 and not await _is_unused(example, operation):
            continue
        call = writing(example, f"{number}.md", "x", operation)
        await example.perform(call, blame="OP-14b")
        await example.get_operation(operation, blame="OP-14b")
        await example.perform(call, blame="OP-14b")


async def _is_unused(example: Example, operation: MemoryOperation) -> bool:
    """Whether an id so short that an earlier run may have drawn it is unknown to the store."""
    outcome = await ask(example, GetOperation(operation), "OP-14b")
    return answer(outcome) is None


# Apart from one another


@check("OP-28", calls=40)
async def receipts_of_one_file_are_kept_apart(example: Example) -> None:
    """Operations on the same file, one after another, are all remembered."""
    calls: list[Mutation] = []
    for number in range(3):
        await example.put("a.md", f"plain {number}")
        for known in calls:
            await look_up(example, known)
        calls.append(writing(example, "a.md", f"operation {number}"))
        await example.perform(calls[-1])
        await _are_known(example, calls)
    await example.remove("a.md")
    for known in calls:
        await look_up(example, known)
    await example.put("a.md", "created again")
    calls.append(deleting(example, "a.md"))
    await example.perform(calls[-1])
    await _are_known(example, calls)


async def _are_known(example: Example, calls: list[Mutation]) -> None:
    """See the last operation answered, and those before it still."""
    await look_up(example, calls[-1])
    await example.perform(calls[-1])
    for known in calls[:-1]:
        await look_up(example, known, blame="OP-28")
        await example.perform(known)


_steps = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("wwwdl")), max_size=12)
"""Which of six operations is next, and how: a write, a delete, or a lookup where it was sent before."""


@check("OP-28", calls=26, examples=30, steps=_steps)
async def receipts_are_kept_apart(example: Example, steps: list[tuple[int, str]]) -> None:
    """However operations are mixed, of ids that begin alike too, each is answered with its own receipt."""
    token = secrets.token_hex(16)
    ids = [f"kit-{token[:length]}" for length in (32, 28, 24, 20)] + [f"kit-{secrets.token_hex(16)}" for _ in range(2)]
    sent: dict[int, Mutation] = {}
    for index, kind in steps:
        if index in sent:
            await look_up(example, sent[index])
            if kind != "l":
                await example.perform(sent[index])
            continue
        operation = example.operation(f"fp-{index}", id=ids[index])
        await example.get_operation(operation)
        name = f"{index}.md"
        if kind == "d":
            sent[index] = deleting(example, name, operation)
        else:
            sent[index] = writing(example, name, "x", operation)
        await example.perform(sent[index])
        await look_up(example, sent[index])
    for call in sent.values():
        await look_up(example, call)
        await example.perform(call)


# What is in them


@check("OP-22", calls=16)
async def receipts_hold_no_content(example: Example) -> None:
    """Neither a lookup nor a replay tells the text that the operation wrote, replaced or deleted."""
    secret = f"hoopoe{secrets.token_hex(8)}"
    calls: list[Mutation] = []
    for content in (secret, f"{secret} again", None):
        calls.append(writing(example, "a.md", content) if content else deleting(example, "a.md"))
        await example.perform(calls[-1])
        for call in calls:
            assert call.operation is not None
            for outcome in (await example.get_operation(call.operation), await example.perform(call)):
                kept = secret not in told(outcome)
                message, due = "a receipt tells content", "no content"
                example.require("OP-22", kept, message, expected=due, actual=answer(outcome))
