"""Linearizability of one path, decided by its versions in one pass; the search is only for what they leave open.

Must not know: stores, receipts, how a history was made.

Checking a register is NP-complete in general, and easy once it is known which write each read saw (Gibbons and Korach,
"Testing Shared Memories", 1997). Every successful write of this protocol answers with a version and names the one it
replaces, so here even the order of the writes is known (`order.py`). What is left is to place their effects in time.

**The schedule.** `at[k]` is the earliest tick for effect `k` that the calls looked at so far allow. A call that must
come before effect `k` raises `at[k]` to its own invocation, and with it all later effects. A call that must come after
effect `k` needs `at[k]` to be no later than its return. Reads of a version and the mutations themselves say so
directly. The others may choose between gaps: a refusal that expected a version needs *any* other one (its point lies
before the write that made the version took effect, or after the one that replaced it), an absent file any gap without
one, a refused create any gap with one. Such a call takes the last gap `g` that it can still reach, `at[g] <= returned`:
any other choice would raise `at` from an earlier effect on, so if some schedule fits, this one does.

**One pass.** Calls are taken from the last invocation to the first. A call raises effects to its own invocation, no
further. A call taken before it was invoked no earlier, so that tick is within its return and changes none of its
choices; and an effect once raised is never raised again, as later raises are lower. Hence no call is looked at twice
and the whole is linear, but for a bisection for each call that saw no file or was refused as a create.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.explain import nobody_wrote, refused_create, too_late
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, Done
from pytest_memory_store.concurrency.order import orders
from pytest_memory_store.concurrency.refutation import Objection, Refutation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_memory_store.concurrency.history import Operation
    from pytest_memory_store.concurrency.order import Order
    from pytest_memory_store.concurrency.versions import Versions


@dataclass(frozen=True, slots=True)
class Decision:
    """What the versions say of one path.

    `linearizable` is `None` where they leave it open; `refutation` then holds what did not fit at first sight, which
    is the reason if the search finds no order either.
    """

    linearizable: bool | None
    refutation: Refutation | None = None


def decide(versions: Versions, operations: Sequence[Operation]) -> Decision:
    """Judge the operations of one path, sorted by invocation, by the versions collected from them."""
    if versions.alternatives:
        return Decision(None)
    try:
        versions.object()
        tried = orders(versions)
    except Objection as objection:
        return Decision(False if objection.certain else None, objection.refutation)
    left = _objection(tried, operations)
    if left is None:
        return Decision(True)
    certain = left.certain or (versions.certain and tried[-1].forced(operations))
    return Decision(False if certain else None, left.refutation)


def _objection(tried: Sequence[Order], operations: Sequence[Operation]) -> Objection | None:
    """What speaks against the last of these orders, or nothing if one of them fits."""
    objection = None
    for order in tried:
        try:
            fit(order, operations)
        except Objection as raised:
            objection = raised
        else:
            return None
    return objection


def fit(order: Order, operations: Sequence[Operation]) -> None:
    """Place every call in time so that the mutations take effect in this order, or raise an `Objection`."""
    schedule = Schedule(order, operations)
    at, gap_of, contents = schedule.at, order.gap.get, schedule.contents
    for operation in reversed(operations):
        call, outcome = operation.call, operation.outcome
        if isinstance(call, Read):
            if not isinstance(outcome, Done):
                continue
            gap = gap_of(outcome.version, 0) if outcome.version is not None else 0
            fits = at[gap] <= operation.returned and operation.invoke <= at[gap + 1]
            if not fits or contents[gap] != outcome.content:
                schedule.place_read(operation, outcome.version, gap)
        elif outcome is CONFLICT:
            if call.expected_version is None:
                schedule.place_refused_create(operation)
            elif (gap := gap_of(call.expected_version, 0)) and at[gap] <= operation.returned < at[gap + 1]:
                schedule.put_before(gap, operation, gap + 1)
        elif isinstance(call, Delete) and call.expected_version is None and isinstance(outcome, Done):
            schedule.place_missing(operation)
    schedule.finish()


class Schedule:
    """The earliest tick of each effect, and which call is the reason for it."""

    def __init__(self, order: Order, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.absent = order.absent
        self.steps = order.steps
        self.at: list[float] = [-NEVER]
        self.cause: list[Operation | None] = [None]
        self.contents: list[str | None] = [None]
        self.leaning: dict[Operation, Operation] = {}
        for step in order.steps:
            later = step.invoke > self.at[-1]
            self.at.append(step.invoke if later else self.at[-1])
            self.cause.append(step if later else self.cause[-1])
            self.contents.append(step.call.content if type(step.call) is Write else None)
        self.at.append(NEVER)
        self.cause.append(None)

    def put_before(self, effect: int, operation: Operation, blocked: int | None = None) -> None:
        """Let `operation` come before an effect; effect `blocked` came too late for it to come after that one."""
        at, cause, invoke = self.at, self.cause, operation.invoke
        reason = None if blocked is None else cause[blocked]
        if reason is not None:
            self.leaning[operation] = reason
        while at[effect] < invoke:
            at[effect] = invoke
            cause[effect] = operation
            effect += 1

    def _last_gap(self, operation: Operation) -> int:
        """The last gap that begins before `operation` had returned."""
        return bisect_right(self.at, operation.returned, 0, len(self.at) - 1) - 1

    def place_read(self, operation: Operation, version: str | None, gap: int) -> None:
        """Place a read: in the gap of its version, the only one it can be in, or where there is no file."""
        if version is None:
            self.place_missing(operation)
            return
        assert isinstance(operation.outcome, Done)
        if gap == 0 or self.contents[gap] != operation.outcome.content:
            raise nobody_wrote(operation, self.operations)
        if self.at[gap] > operation.returned:
            raise self.too_late(operation, gap)
        self.put_before(gap + 1, operation)

    def place_missing(self, operation: Operation) -> None:
        """Place a call that found no file: before the create that ends the last gap without one."""
        number = bisect_right(self.absent, self._last_gap(operation))
        blocked = self.absent[number] if number < len(self.absent) else None
        self.put_before(self.absent[number - 1] + 1, operation, blocked)

    def place_refused_create(self, operation: Operation) -> None:
        """Place a create that found a file: before the delete, where the last gap in reach has none."""
        gap = self._last_gap(operation)
        if self.absent[bisect_right(self.absent, gap) - 1] < gap:
            return
        if gap == 0:
            raise refused_create(operation, self.cause[1])
        self.put_before(gap, operation, gap + 1)

    def too_late(self, operation: Operation, effect: int) -> Objection:
        """Why `operation`, which comes after this effect, cannot."""
        cause = self.cause[effect]
        assert cause is not None
        return too_late(operation, cause, self.leaning)

    def finish(self) -> None:
        """Hold the ticks of the effects against the returns of the mutations themselves."""
        for effect, step in enumerate(self.steps, 1):
            if self.at[effect] > step.latest:
                raise self.too_late(step, effect)
