"""Hand-written attempts of operations, right and wrong, for each rule of the receipts' oracle."""

from __future__ import annotations

import pytest

from pytest_memory_store.calls import Delete, MemoryOperation, Read, Write
from pytest_memory_store.concurrency.attempts import settle
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation, Outcome, Refused
from pytest_memory_store.concurrency.linearizability import Linearizable, check
from pytest_memory_store.concurrency.receipts import check_receipts

REPLAY = Done("1", replayed=True)


def attempt(
    content: str, outcome: str | Outcome, invoke: int, returned: float, expected: str | None = None, *, of: str = "op f"
) -> Operation:
    """A write as an attempt of operation id and fingerprint `of`; a text stands for a first answer of that version."""
    answer = Done(outcome, existed=expected is not None) if isinstance(outcome, str) else outcome
    call = Write("a.md", content, expected, MemoryOperation(*of.split()))
    return Operation(invoke, call, invoke, returned, answer)


def read(version: str | None, content: str | None, invoke: int, returned: float) -> Operation:
    """A read that saw this."""
    return Operation(invoke, Read("a.md", 1_000), invoke, returned, Done(version, content))


def other_write(invoke: int) -> Operation:
    """A write by another client, of no operation."""
    return Operation(invoke, Write("a.md", "other", "1"), invoke, invoke + 1, Done("2", existed=True))


FIRST = attempt("a", "1", 1, 2)
LOST = attempt("a", UNKNOWN, 1, 2)

RIGHT: dict[str, list[Operation]] = {
    "one attempt": [FIRST, read("1", "a", 3, 4)],
    "a replay": [FIRST, attempt("a", REPLAY, 3, 4), attempt("b", REPLAY, 5, 6)],
    "a replay after another write": [FIRST, other_write(3), attempt("a", REPLAY, 5, 6), read("2", "other", 7, 8)],
    "duplicates in flight": [attempt("a", REPLAY, 1, 6), attempt("b", "1", 2, 5), read("1", "b", 3, 4)],
    "a lost answer, then the receipt": [LOST, attempt("a", REPLAY, 3, 4), read("1", "a", 5, 6)],
    "a lost answer, then a replay with another content": [LOST, attempt("b", REPLAY, 3, 4), read("1", "a", 5, 6)],
    "a lost answer and no effect": [LOST, read(None, None, 3, 4), attempt("a", "1", 5, 6)],
    "only lost answers": [LOST, attempt("a", UNKNOWN, 3, 4), read("1", "a", 5, 6)],
    "a lost answer after another write": [LOST, other_write(3), attempt("a", REPLAY, 5, 6), read("2", "other", 7, 8)],
    "two lost answers, of which one is read": [
        *[LOST, attempt("b", UNKNOWN, 3, 4), attempt("c", REPLAY, 5, 6), read("1", "b", 7, 8)],
    ],
    "two lost answers with one content, which is read": [
        *[LOST, attempt("b", "2", 3, 4, of="other f"), attempt("a", UNKNOWN, 5, 6, "2"), read("3", "a", 7, 8)],
    ],
    "two lost answers, and the receipt": [LOST, attempt("b", UNKNOWN, 3, 4), attempt("c", REPLAY, 5, 6)],
    "a conflict, then a retry with another version": [
        *[FIRST, attempt("b", CONFLICT, 3, 4, of="other f"), attempt("c", "2", 5, 6, "1", of="other f")],
    ],
    "a conflict beside the first attempt": [attempt("a", "1", 1, 4), attempt("b", CONFLICT, 2, 3, "9")],
    "another fingerprint": [FIRST, attempt("b", Refused.OPERATION, 3, 4, "1", of="op g"), read("1", "a", 5, 6)],
    "another fingerprint, in flight": [LOST, attempt("b", Refused.OPERATION, 3, 4, "1", of="op g")],
    "a delete": [
        FIRST,
        Operation(3, Delete("a.md", "1", MemoryOperation("d", "f")), 3, NEVER, UNKNOWN),
        Operation(5, Delete("a.md", "1", MemoryOperation("d", "f")), 5, 6, Done(existed=True, replayed=True)),
        read(None, None, 7, 8),
    ],
}


@pytest.mark.parametrize("history", RIGHT.values(), ids=RIGHT)
def test_right_receipts_pass(history: list[Operation]) -> None:
    """Neither the receipts nor the versions object to what a correct store can answer."""
    assert check_receipts(history[::-1]) == ()
    assert check(history).result is Linearizable.YES


WRONG: dict[str, tuple[list[Operation], str, tuple[int, ...]]] = {
    "a replay with another version": (
        [FIRST, attempt("a", Done("2", replayed=True), 3, 4)],
        "different-answers",
        (0, 1),
    ),
    "a replay with another existed": (
        [FIRST, attempt("a", Done("1", existed=True, replayed=True), 3, 4)],
        "different-answers",
        (0, 1),
    ),
    "two first answers": ([FIRST, attempt("a", "1", 3, 4)], "applied-twice", (0, 1)),
    "a replay of nothing": ([attempt("a", REPLAY, 1, 2)], "unfounded-replay", (0,)),
    "a replay of a conflict": ([attempt("a", CONFLICT, 1, 2), attempt("a", REPLAY, 3, 4)], "unfounded-replay", (1,)),
    "a replay before the first attempt": (
        [attempt("a", REPLAY, 1, 2), attempt("b", "1", 3, 4)],
        "unfounded-replay",
        (0, 1),
    ),
    "two attempts took effect": (
        [FIRST, attempt("b", UNKNOWN, 3, 4, "1"), read("1", "a", 5, 6), read("2", "b", 7, 8)],
        "applied-twice",
        (0, 1),
    ),
    "an attempt took effect beside the first": (
        [FIRST, attempt("b", REPLAY, 3, 4, "1"), read("2", "b", 5, 6)],
        "applied-twice",
        (0, 1, 2),
    ),
    "one attempt took effect twice": (
        [LOST, attempt("a", UNKNOWN, 3, 4), read("1", "a", 5, 6), read("2", "a", 7, 8)],
        "applied-twice",
        (0, 2, 3),
    ),
    "the receipt names another version": (
        [LOST, attempt("a", REPLAY, 3, 4), read("2", "a", 5, 6)],
        "applied-twice",
        (0, 1, 2),
    ),
    "a refused attempt took effect": (
        [FIRST, attempt("b", CONFLICT, 3, 4, of="other f"), read("2", "b", 5, 6)],
        "refused-but-applied",
        (1, 2),
    ),
    "a retry refused by its own effect": ([FIRST, attempt("a", CONFLICT, 3, 4)], "refused-retry", (0, 1)),
    "a retry refused after the effect was seen": (
        [LOST, read("1", "a", 3, 4), attempt("a", CONFLICT, 5, 6)],
        "refused-retry",
        (1, 2),
    ),
    "an id answered for two fingerprints": (
        [FIRST, attempt("b", "2", 3, 4, "1", of="op g")],
        "operation-reused",
        (0, 1),
    ),
    "another fingerprint took effect": (
        [FIRST, attempt("b", UNKNOWN, 3, 4, "1", of="op g"), read("2", "b", 5, 6)],
        "operation-reused",
        (0, 2),
    ),
    "refused as another operation for no reason": (
        [attempt("a", CONFLICT, 1, 2, "9"), attempt("b", Refused.OPERATION, 3, 4, of="op g")],
        "unfounded-operation-conflict",
        (1,),
    ),
    "a version conflict for another operation": (
        [FIRST, attempt("b", CONFLICT, 3, 4, "9", of="op g")],
        "wrong-refusal",
        (0, 1),
    ),
}


@pytest.mark.parametrize(("history", "rule", "proof"), WRONG.values(), ids=WRONG)
def test_wrong_receipts_are_refuted_by_the_attempts_that_prove_it(
    history: list[Operation], rule: str, proof: tuple[int, ...]
) -> None:
    """Each fault has one refutation, by the attempts and reads that prove it."""
    (refutation,) = check_receipts(history)
    assert (refutation.rule, list(refutation.operations)) == (rule, [history[number] for number in proof])


def test_a_receipt_bounds_the_effect_of_a_lost_answer() -> None:
    """Once a replay was answered, a read of no file is stale; the refutation names the call that was really made."""
    history = [LOST, attempt("a", REPLAY, 3, 4), read(None, None, 5, 6)]
    (refutation,) = check(history).refutations
    assert (refutation.rule, refutation.operations) == ("missing-file", (LOST, history[2]))


def test_a_replay_bounds_the_effect_of_the_first_attempt() -> None:
    """The effect of a first attempt lies before the return of every replay, even while it is in flight itself."""
    first, replay, missing = attempt("a", "1", 1, 9), attempt("b", REPLAY, 3, 4), read(None, None, 5, 6)
    assert check([first, missing]).result is Linearizable.YES
    (refutation,) = check([first, replay, missing]).refutations
    assert refutation.operations == (first, missing)


def test_a_stray_effect_is_kept_for_the_versions_to_refute() -> None:
    """An unknown attempt whose content was read is judged as a write beside the first, not taken for the same."""
    settled = settle([FIRST, attempt("b", UNKNOWN, 3, 4, "1"), read("2", "b", 5, 6), LOST])
    assert len(settled.operations) == 3


def test_a_history_without_retries_is_settled_as_it_is() -> None:
    """Nothing is copied where every operation was answered once."""
    history = [FIRST, read("1", "a", 3, 4)]
    assert settle(history).operations is history
