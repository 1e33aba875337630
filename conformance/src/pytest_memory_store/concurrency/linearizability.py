"""Whether a history can be explained by calls that took effect one after another, each within its own interval.

Must not know: stores, schedules, receipts beyond what `attempts.settle` makes of them.

Each path is judged alone (`history.by_path`): by its versions (`chain.py`), and by a search (`wgl.py`) where those
leave it open. The search has a budget, and a history whose search ended early is *unknown*, which is never a pass.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pytest_memory_store.concurrency.attempts import settle
from pytest_memory_store.concurrency.chain import Decision, decide
from pytest_memory_store.concurrency.history import by_path
from pytest_memory_store.concurrency.refutation import Objection, Refutation
from pytest_memory_store.concurrency.versions import collect
from pytest_memory_store.concurrency.wgl import search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_memory_store.concurrency.history import Operation

BUDGET = 2_000_000
"""Steps of search for one path: a few seconds."""


class Linearizable(Enum):
    """What a check says of a history."""

    YES = "linearizable"
    NO = "violation"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check found: the refutation of each path that has one, and how many paths were decided how.

    `searched` paths were decided by search, `undecided` ones not at all, as the budget ended first.
    """

    refutations: tuple[Refutation, ...]
    chained: int
    searched: int
    undecided: int

    @property
    def result(self) -> Linearizable:
        """A violation on any path, whatever else is unknown; otherwise unknown if any path is."""
        if self.refutations:
            return Linearizable.NO
        return Linearizable.UNKNOWN if self.undecided else Linearizable.YES


def check(history: Sequence[Operation], *, budget: int = BUDGET) -> Verdict:
    """Judge a history, whose operations may be in any order; every path starts without a file.

    `budget` is the number of steps that the search may take on each path. Raises `ValueError` where two writes with
    unknown outcomes carry one content and are not attempts of one operation.
    """
    settled = settle(history)
    ways: Counter[str] = Counter()
    refutations: list[Refutation] = []
    for operations in by_path(settled.operations).values():
        way, decision = check_path(operations, budget)
        ways[way] += 1
        if decision.linearizable is False and decision.refutation is not None:
            refutations.append(settled.original(decision.refutation))
    return Verdict(tuple(refutations), ways["chained"], ways["searched"], ways["undecided"])


def check_path(operations: Sequence[Operation], budget: int) -> tuple[str, Decision]:
    """Judge the operations of one path, sorted by invocation; also say how it was decided."""
    try:
        versions = collect(operations)
    except Objection as objection:
        return "chained", Decision(False, objection.refutation)
    decision = decide(versions, operations)
    if decision.linearizable is not None:
        return "chained", decision
    found = search(operations, versions, budget)
    if found.linearizable is None:
        return "undecided", decision
    return "searched", Decision(found.linearizable, decision.refutation or found.refutation)
