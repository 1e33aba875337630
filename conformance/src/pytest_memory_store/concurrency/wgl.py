"""The search for an order of the calls on one path, for histories that their versions leave open.

Must not know: stores, receipts, how the chain of versions is followed.

Wing and Gong ("Testing and verifying concurrent objects", 1993) try the calls that nothing still open precedes, one
after the other, and go back where none fits. Lowe ("Testing for linearizability", 2017) remembers the pairs of calls
placed and state reached, from which the rest need not be tried twice. Two prunings use what a register with unique
contents is like:

- A call that changes nothing and fits now is placed now, and is no choice: in any order that places it later it can be
  moved here, since nothing it says of the state depends on the calls between.
- A content never comes back, so a state is not left while a read that saw it is still to be placed.

Unknown calls are optional, and only the first invoked of those alike is tried: it can do whatever the others can.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_memory_store.calls import Read
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation
from pytest_memory_store.concurrency.refutation import Refutation
from pytest_memory_store.concurrency.register import IMPOSSIBLE, State, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_memory_store.concurrency.versions import Versions


Sight: TypeAlias = tuple[str, str | None]
"""A content and its version."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found: `linearizable` is `None` where the budget ended first. A step looks at one call."""

    linearizable: bool | None
    steps: int
    refutation: Refutation | None = None


def search(operations: Sequence[Operation], versions: Versions, budget: int) -> Found:
    """Search for an order of the operations of one path, sorted by invocation; give up after `budget` steps."""
    return _Search(operations, versions).run(budget)


@dataclass(slots=True)
class _Branch:
    """A point at which the search chose: what may still be placed next, and how many calls had been placed."""

    choices: list[tuple[int, State]]
    placed: int


class _Search:
    """The known calls still to be placed, in a list linked both ways, and the optional ones by what they expect."""

    def __init__(self, operations: Sequence[Operation], versions: Versions) -> None:
        self.machine = register(versions, operations)
        known = [o for o in operations if _is_known(o, versions)]
        self.operations = [*known, *versions.alternatives, *versions.unread, *versions.deletes]
        self.end = len(known)
        self.after = [*range(1, self.end + 1), 0]
        self.before = [self.end, *range(self.end)]
        self.optional = self._by_expected()
        self.unseen = Counter(_sight(o) for o in known)
        self.readers: defaultdict[Sight, list[int]] = defaultdict(list)
        for index, operation in enumerate(known):
            self.readers[_sight(operation)].append(index)
        self.trail: list[int] = []
        self.mask = 0
        self.steps = 0
        self.deepest = -1
        self.stuck: list[Operation] = []

    def _by_expected(self) -> dict[str | None, list[int]]:
        """The indices of the optional calls by what they expect, in the order of their invocations."""
        groups: dict[str | None, list[int]] = {}
        for index in sorted(range(self.end, len(self.operations)), key=lambda i: self.operations[i].invoke):
            call = self.operations[index].call
            assert not isinstance(call, Read)
            groups.setdefault(call.expected_version, []).append(index)
        return groups

    def run(self, budget: int) -> Found:
        """Search until an order is found, none is left, or the budget is used up."""
        state: State = None
        branches: list[_Branch] = []
        failed: set[tuple[int, int, int, State]] = set()
        while self.steps <= budget:
            choices = self._advance(state)
            first = self.after[self.end]
            if first == self.end:
                return Found(True, self.steps)
            placed = self.mask & ((1 << self.end) - 1)
            key = (first, placed >> first, self.mask >> self.end, state)
            branches.append(_Branch([] if key in failed else choices, len(self.trail)))
            failed.add(key)
            while branches and not branches[-1].choices:
                branches.pop()
            if not branches:
                return Found(False, self.steps, self._refutation())
            self._take_back(branches[-1].placed)
            index, state = branches[-1].choices.pop()
            self._place(index)
        return Found(None, self.steps)

    def _advance(self, state: State) -> list[tuple[int, State]]:
        """Place every call that fits and changes nothing; give those that change the state, the first to try last."""
        choices: list[tuple[int, State]] = []
        waiting: list[Operation] = []
        bound = NEVER
        index = self.after[self.end]
        while index != self.end and self.operations[index].invoke <= bound:
            operation = self.operations[index]
            self.steps += 1
            following = self.machine.step(state, operation)
            if following is state:
                self._place(index)
            else:
                bound = min(bound, operation.latest)
                waiting.append(operation)
                if following is not IMPOSSIBLE:
                    choices.append((index, following))
            index = self.after[index]
        if state is not None and self.unseen[state.content, state.version]:
            choices.clear()
            waiting += [
                self.operations[i] for i in self.readers[state.content, state.version] if not self.mask >> i & 1
            ]
        else:
            choices += self._options(state, bound)
        if not choices and len(self.trail) > self.deepest:
            self.deepest, self.stuck = len(self.trail), waiting
        return choices[::-1]

    def _options(self, state: State, bound: float) -> list[tuple[int, State]]:
        """The optional calls that may take effect in this state: of those alike, the first one not used yet."""
        if state is None:
            groups = [self.optional.get(None, [])]
        elif state.version is not None:
            groups = [self.optional.get(state.version, [])]
        else:
            groups = list(self.optional.values())
        choices: list[tuple[int, State]] = []
        for group in groups:
            alike: set[tuple[type, str | None]] = set()
            for index in group:
                operation = self.operations[index]
                kind = (type(operation.call), self.machine.learned.get(operation))
                if self.mask >> index & 1 or kind in alike or operation.invoke > bound:
                    continue
                alike.add(kind)
                self.steps += 1
                following = self.machine.step(state, operation)
                if following is not IMPOSSIBLE:
                    choices.append((index, following))
        return choices

    def _place(self, index: int) -> None:
        self.trail.append(index)
        self.mask |= 1 << index
        if index < self.end:
            self.after[self.before[index]] = self.after[index]
            self.before[self.after[index]] = self.before[index]
            self.unseen[_sight(self.operations[index])] -= 1

    def _take_back(self, length: int) -> None:
        """Take back all but the first `length` calls placed, in reverse, so that the links fit again."""
        while len(self.trail) > length:
            index = self.trail.pop()
            self.mask &= ~(1 << index)
            if index < self.end:
                self.after[self.before[index]] = index
                self.before[self.after[index]] = index
                self.unseen[_sight(self.operations[index])] += 1

    def _refutation(self) -> Refutation:
        """The calls that no order gets past, those that returned first at the head."""
        stuck = sorted(self.stuck, key=lambda operation: operation.latest)[:3]
        return Refutation("no-order", "no order of these overlapping calls explains what each was told", tuple(stuck))


def _is_known(operation: Operation, versions: Versions) -> bool:
    """Whether a call must be placed: it has an answer, which says something of the file, or its content was read."""
    if operation.outcome is UNKNOWN:
        return operation in versions.learned and operation not in versions.alternatives
    return isinstance(operation.outcome, Done) or (operation.outcome is CONFLICT)


def _sight(operation: Operation) -> Sight:
    """The content and version that a read saw; for any other call, those of no file."""
    outcome = operation.outcome
    if isinstance(operation.call, Read) and isinstance(outcome, Done) and outcome.content is not None:
        return outcome.content, outcome.version
    return "", None
