"""The order in which the mutations of a path took effect, read off their versions.

Must not know: what reads and refusals require; those are held against the order by `chain.py`.

A life of the file is a chain: a create, the write that expected its version, and so on, to a delete or to the end of
the history. Within a life the versions leave no choice. Nor do they between lives, as long as clients only name
versions they were told: whoever deleted an earlier life was at it before anybody could learn of the later one, so
sorting lives by their last invocation gives their order. `Order.forced` tells whether real time allows any other, which
matters only where this one does not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.history import NEVER, Done, Operation
from pytest_memory_store.concurrency.refutation import Objection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_memory_store.concurrency.versions import Versions


@dataclass(slots=True)
class Life:
    """One life of the file: its mutations in order, and the version that it ended with, `None` if it was deleted.

    `ending` is the unknown delete that can have ended a life which no known delete ended. It is never seen to return,
    so assuming it costs nothing: its effect may lie after everything.
    """

    steps: list[Operation]
    version: str | None
    ending: Operation | None

    @property
    def is_last(self) -> bool:
        """Whether nothing can have ended this life."""
        return self.version is not None and self.ending is None

    @property
    def last_invoke(self) -> float:
        """When the last call that belongs to this life was invoked."""
        if self.is_last:
            return NEVER
        return max(step.invoke for step in (*self.steps, *([self.ending] if self.ending else [])))


@dataclass(slots=True)
class Order:
    """Mutations in the order of their effects. Gap `k` is the time between effect `k` and effect `k + 1`, from 1.

    `gap` has the gap in which each version is the file's; `absent` those in which there is no file, ascending: 0, and
    one for each delete.
    """

    lives: list[Life]
    steps: list[Operation]
    gap: dict[str, int]
    absent: list[int]

    def forced(self, operations: Iterable[Operation]) -> bool:
        """Whether real time allows the lives no other order.

        It does not if each life has a call that returned before one of the next life was invoked: their zones, in the
        words of Gibbons and Korach (1997), lie apart.
        """
        if len(self.lives) < 2:
            return True
        life_of = {step: number for number, life in enumerate(self.lives) for step in life.steps}
        first_return, last_invoke = [NEVER] * len(self.lives), [-NEVER] * len(self.lives)
        for operation in operations:
            number = life_of.get(self._witnessed(operation))
            if number is not None:
                first_return[number] = min(first_return[number], operation.latest)
                last_invoke[number] = max(last_invoke[number], operation.invoke)
        if self.lives[-1].is_last:
            last_invoke[-1] = NEVER
        return all(returned < invoked for returned, invoked in zip(first_return[:-1], last_invoke[1:], strict=True))

    def _witnessed(self, operation: Operation) -> Operation:
        """The mutation that a read saw the result of; of any other operation, itself."""
        outcome = operation.outcome
        if isinstance(operation.call, Read) and isinstance(outcome, Done) and outcome.version in self.gap:
            return self.steps[self.gap[outcome.version] - 1]
        return operation


def orders(versions: Versions) -> list[Order]:
    """The orders to try, of which one fits if any does; several only where an unknown call may have been the last.

    An unknown call is tried at the very end only: what it leaves has a version that no client knows, so nothing
    follows it. Of several alike, the one invoked first can do whatever the others can.
    """
    lives = sorted(_lives(versions), key=lambda life: life.last_invoke)
    _object_to_two_last(lives, versions)
    create = _first(versions.unread, None)
    if not lives or lives[-1].version is None:
        return [_order(lives, versions, create)]
    last = lives[-1]
    endings = [[last.ending, *create]] if last.ending else []
    if write := _first(versions.unread, last.version):
        endings.append(write)
    return [_order(lives, versions, ending) for ending in endings or [[]]]


def _first(candidates: Sequence[Operation], expected: str | None) -> list[Operation]:
    """The candidate that expects this version and was invoked first, if there is one."""
    fitting = (c for c in candidates if not isinstance(c.call, Read) and c.call.expected_version == expected)
    return sorted(fitting, key=lambda c: c.invoke)[:1]


def _lives(versions: Versions) -> list[Life]:
    endings: dict[str | None, Operation] = {}
    for delete in versions.deletes:
        assert isinstance(delete.call, Delete)
        endings.setdefault(delete.call.expected_version, delete)
    lives: list[Life] = []
    for create in versions.creates:
        steps = [create]
        version: str | None = versions.made_by(create)
        while version is not None and (step := versions.successor.get(version)) is not None:
            steps.append(step)
            version = versions.made_by(step) if type(step.call) is Write else None
        lives.append(Life(steps, version, None if version is None else endings.get(version)))
    if sum(len(life.steps) for life in lives) < len(versions.creates) + len(versions.successor):
        reached = {step for life in lives for step in life.steps}
        loop = [step for step in versions.successor.values() if step not in reached]
        raise Objection("circle", "versions were each made from the next", *loop[:3], certain=versions.certain)
    return lives


def _object_to_two_last(lives: list[Life], versions: Versions) -> None:
    last = [life for life in lives if life.is_last]
    if len(last) > 1:
        creates = [life.steps[0] for life in last[:2]]
        sentence = "two creates both succeeded, and nothing deleted the file in between"
        raise Objection("lost-update", sentence, *creates, certain=versions.certain)


def _order(lives: list[Life], versions: Versions, end: list[Operation]) -> Order:
    """The lives one after the other, each but the last with its ending, and then `end`."""
    order = Order(lives, [], {}, [0])
    for number, life in enumerate(lives, 1):
        for step in life.steps:
            order.steps.append(step)
            if type(step.call) is Write:
                order.gap[versions.made_by(step)] = len(order.steps)
            else:
                order.absent.append(len(order.steps))
        if life.ending is not None and number < len(lives):
            order.steps.append(life.ending)
            order.absent.append(len(order.steps))
    for step in end:
        order.steps.append(step)
        if type(step.call) is Delete:
            order.absent.append(len(order.steps))
    return order
