"""Whether the receipts of a history are right: one effect for each operation, and the same answer to each attempt.

Must not know: stores, schedules, linearizability, which is blind to receipts. Where the outcome of the first attempt is
unknown, every answer may be a replay; where all are unknown, nothing is asked but that one took effect at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.concurrency.attempts import Attempts, Sights, by_operation, content, sights
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation, Refused
from pytest_memory_store.concurrency.refutation import Refutation, named, refutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


def check_receipts(history: Sequence[Operation]) -> tuple[Refutation, ...]:
    """What is wrong with the receipts of a history, whose operations may be in any order; empty if nothing is."""
    read = sights(history)
    found: list[Refutation] = []
    for fingerprints in by_operation(history).values():
        found += _one_fingerprint(fingerprints, read)
        for attempts in fingerprints.values():
            for rule in RULES:
                found += rule(attempts, read)
    return tuple(found)


def _identical_answers(attempts: Attempts, read: Sights) -> Iterator[Refutation]:
    """Every attempt that returns gives the version and `existed` of the first (OP-03)."""
    del read
    answers = attempts.answered
    for attempt, done in answers[1:]:
        original, first = answers[0]
        if (done.version, done.existed) != (first.version, first.existed):
            yield refutation(
                "different-answers", "two attempts of one operation were answered differently", original, attempt
            )
            return


def _one_first(attempts: Attempts, read: Sights) -> Iterator[Refutation]:
    """One answer is not a replay, unless that of the attempt which took effect was lost (OP-11, OP-26)."""
    del read
    first, answered = attempts.first, [a for a, _ in attempts.answered]
    if len(first) > 1:
        yield refutation("applied-twice", "two attempts of one operation both say that they were the first", *first[:2])
    elif answered:
        earliest = min(answered, key=lambda a: a.returned)
        if not attempts.candidates:
            yield refutation(
                "unfounded-replay", "a call was answered as a replay although nothing had been applied", earliest
            )
        elif first and earliest.returned < first[0].invoke:
            sentence = "a call was answered as a replay before the first attempt began"
            yield refutation("unfounded-replay", sentence, earliest, *first)


def _one_effect(attempts: Attempts, read: Sights) -> Iterator[Refutation]:
    """One attempt took effect, under the version that the receipt gives (OP-03, OP-07, OP-10)."""
    seen = attempts.seen(read)
    if len(seen) > 1:
        yield refutation("applied-twice", "two attempts of one operation both took effect", *(a for a, _ in seen[:2]))
        return
    for attempt, readers in seen:
        alike = [a for a in attempts.all if content(a) == content(attempt)]
        if all(isinstance(a.outcome, Refused) for a in alike):
            yield refutation("refused-but-applied", "an attempt was refused and took effect", attempt, readers[0])
        elif not any(content(a) == content(attempt) for a in attempts.candidates):
            sentence = "an attempt took effect beside the one that its receipt names"
            yield refutation("applied-twice", sentence, attempt, *attempts.first, readers[0])
        else:
            yield from _one_version(attempts, attempt, readers)


def _one_version(attempts: Attempts, attempt: Operation, readers: Sequence[Operation]) -> Iterator[Refutation]:
    answers = attempts.answered
    expected = answers[0] if answers else (readers[0], readers[0].outcome)
    assert isinstance(expected[1], Done)
    for reader in readers:
        assert isinstance(reader.outcome, Done)
        if reader.outcome.version != expected[1].version:
            sentence = (
                f"an operation was applied as {named(expected[1].version)} and read as {named(reader.outcome.version)}"
            )
            yield refutation("applied-twice", sentence, attempt, expected[0], reader)
            return


def _no_conflict_of_its_own(attempts: Attempts, read: Sights) -> Iterator[Refutation]:
    """Once an operation has been applied, a retry is never refused for the version it replaced itself (OP-06)."""
    known, witness = _known_since(attempts, read)
    for attempt in attempts.all:
        if attempt.outcome is CONFLICT and attempt.invoke > known:
            sentence = "a retry was refused with a conflict although its operation had been applied"
            yield refutation("refused-retry", sentence, witness, attempt)
            return


def _known_since(attempts: Attempts, read: Sights) -> tuple[float, Operation]:
    """By when the operation had surely been applied, and the call that shows it."""
    shown = [a for a, _ in attempts.answered] + [r for _, readers in attempts.seen(read) for r in readers]
    if not shown:
        return NEVER, attempts.all[0]
    witness = min(shown, key=lambda o: o.returned)
    return witness.returned, witness


RULES: tuple[Callable[[Attempts, Sights], Iterator[Refutation]], ...] = (
    _identical_answers,
    _one_first,
    _one_effect,
    _no_conflict_of_its_own,
)


def _one_fingerprint(fingerprints: Mapping[str, Attempts], read: Sights) -> Iterator[Refutation]:
    """An id belongs to the fingerprint applied under it first; every other is refused, and only then (OP-05, OP-07)."""
    applied = [(f, *_known_since(a, read)) for f, a in fingerprints.items()]
    applied = sorted((a for a in applied if a[1] < NEVER), key=lambda a: a[1])
    if len(applied) > 1:
        sentence = "calls with one operation id and different fingerprints both took effect"
        yield refutation("operation-reused", sentence, applied[0][2], applied[1][2])
    for fingerprint, attempts in fingerprints.items():
        others = [o for f, a in fingerprints.items() if f != fingerprint for o in a.all]
        for attempt in attempts.all:
            if attempt.outcome is Refused.OPERATION and not any(_may_apply(o, attempt.returned) for o in others):
                sentence = "a call was refused as another operation although its id had not been used by one"
                yield refutation("unfounded-operation-conflict", sentence, attempt)
            elif (
                attempt.outcome is CONFLICT
                and applied
                and applied[0][0] != fingerprint
                and attempt.invoke > applied[0][1]
            ):
                sentence = "a call used the id of another operation and was told of a version conflict"
                yield refutation("wrong-refusal", sentence, applied[0][2], attempt)


def _may_apply(operation: Operation, before: float) -> bool:
    """Whether an operation may have been applied before this tick."""
    applied = operation.outcome is UNKNOWN or isinstance(operation.outcome, Done)
    return applied and operation.invoke <= before
