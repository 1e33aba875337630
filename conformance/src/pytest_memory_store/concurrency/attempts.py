"""The attempts of each operation id, and the one call that they come to for whoever judges the files.

Must not know: what receipts have to answer (`receipts.py`), linearizability.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pytest_memory_store.calls import Read, Write
from pytest_memory_store.concurrency.history import NEVER, UNKNOWN, Done, Operation, operation_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_memory_store.concurrency.refutation import Refutation

Sights: TypeAlias = dict[tuple[str, str], list[Operation]]
"""The reads that found a content, by path and content."""


def content(attempt: Operation) -> str | None:
    """What an attempt wrote, `None` for a delete. Attempts of one operation may differ in it."""
    return attempt.call.content if isinstance(attempt.call, Write) else None


@dataclass(slots=True)
class Attempts:
    """The attempts of one operation, that is of one id and fingerprint, in the order of their invocations."""

    all: list[Operation] = field(default_factory=list[Operation])

    @property
    def answered(self) -> list[tuple[Operation, Done]]:
        """The attempts that returned, with what they returned."""
        return [(a, a.outcome) for a in self.all if isinstance(a.outcome, Done)]

    @property
    def first(self) -> list[Operation]:
        """The attempts that say they took effect; one at most, in a correct store."""
        return [a for a, done in self.answered if not done.replayed]

    @property
    def candidates(self) -> list[Operation]:
        """The attempts that may have taken effect: the first, or unknown ones invoked before any answer."""
        until = min((a.returned for a, _ in self.answered), default=NEVER)
        return self.first or [a for a in self.all if a.outcome is UNKNOWN and a.invoke <= until]

    def seen(self, sights: Sights) -> list[tuple[Operation, list[Operation]]]:
        """The writes among the attempts whose content was read, each with its readers; alike ones once."""
        writes = {text: a for a in reversed(self.all) if (text := content(a)) is not None}
        found = [(a, sights.get((a.call.path, text), [])) for text, a in reversed(writes.items())]
        return [(a, readers) for a, readers in found if readers]


def by_operation(history: Iterable[Operation]) -> dict[str, dict[str, Attempts]]:
    """The attempts of every operation, by id and by fingerprint."""
    found: dict[str, dict[str, Attempts]] = {}
    for attempt in sorted(history, key=lambda o: o.invoke):
        if not isinstance(attempt.call, Read) and (operation := attempt.call.operation) is not None:
            found.setdefault(operation.id, defaultdict(Attempts))[operation.fingerprint].all.append(attempt)
    return found


def sights(history: Iterable[Operation]) -> Sights:
    """What was read where."""
    found: Sights = {}
    for operation in history:
        outcome = operation.outcome
        if isinstance(operation.call, Read) and isinstance(outcome, Done) and outcome.content is not None:
            found.setdefault((operation.call.path, outcome.content), []).append(operation)
    return found


@dataclass(frozen=True, slots=True)
class Settled:
    """A history in which every operation took effect once at most, and which attempts each call of it stands for."""

    operations: Sequence[Operation]
    origins: dict[Operation, Operation]

    def original(self, refutation: Refutation) -> Refutation:
        """The same refutation, naming calls of the history as it was given."""
        return replace(refutation, operations=tuple(self.origins.get(o, o) for o in refutation.operations))


def settle(history: Sequence[Operation]) -> Settled:
    """The history with the attempts of each operation made one call as far as their receipts tell.

    A replayed answer is no call on the file: it says that the effect lay before its return. Where the first answer is
    lost, the receipt gives the outcome of the one attempt that can have taken effect. Refused attempts stay as they
    are, each with its own interval: a conflict is no receipt.
    """
    unclear = [o for o in history if (it := o.outcome) is UNKNOWN or (isinstance(it, Done) and it.replayed)]
    again = {operation_id(o) for o in unclear} - {None}
    if not again:
        return Settled(history, {})
    repeated = [o for o in history if operation_id(o) in again]
    read = sights(history)
    origins: dict[Operation, Operation] = {}
    kept: list[Operation] = []
    for fingerprints in by_operation(repeated).values():
        for attempts in fingerprints.values():
            kept += [a for a in attempts.all if a.outcome is not UNKNOWN and not isinstance(a.outcome, Done)]
            for merged, origin in _effects(attempts, read):
                origins[merged] = origin
                kept.append(merged)
    gone = set(repeated)
    return Settled([o for o in history if o not in gone] + kept, origins)


def _effects(attempts: Attempts, read: Sights) -> list[tuple[Operation, Operation]]:
    """What may have taken effect, each with the attempt that it stands for."""
    answered = attempts.answered
    if attempts.first:
        known = [content(a) for a in attempts.first]
        stray = [a for a, _ in attempts.seen(read) if a.outcome is UNKNOWN and content(a) not in known]
        return [(_tightened(a, answered), a) for a in attempts.first] + [(replace(a), a) for a in stray]
    candidates = _different(attempts.candidates)
    seen = [content(a) for a, _ in attempts.seen(read)]
    chosen = candidates if len(candidates) == 1 else [a for a in candidates if content(a) in seen]
    if answered and len(chosen) == 1:
        outcome = replace(answered[0][1], replayed=False)
        returned = min(a.returned for a, _ in answered)
        return [(replace(a, outcome=outcome, returned=returned), a) for a in chosen]
    return [(replace(a), a) for a in candidates]


def _tightened(first: Operation, answered: Sequence[tuple[Operation, Done]]) -> Operation:
    """The first attempt, whose effect lay before every replayed answer too."""
    return replace(first, returned=min(a.returned for a, _ in answered if a.returned >= first.invoke))


def _different(candidates: Sequence[Operation]) -> list[Operation]:
    """The candidates that differ in what they asked for: of those alike the first, which can do what the others can."""
    kept: dict[tuple[str, str | None, str | None], Operation] = {}
    for attempt in candidates:
        assert not isinstance(attempt.call, Read)
        kept.setdefault((attempt.call.path, content(attempt), attempt.call.expected_version), attempt)
    return list(kept.values())
