"""In which order concurrent tasks take their steps, as plain data.

Pure: no loop, no store. A schedule is drawn, shrinks and prints like any other data; a draw per step would not
shrink. Three kinds find different faults: asyncio's own order, a random walk (shallow races), and task priorities
with a few demotions (PCT: Burckhardt and others, "A Randomized Scheduler with Probabilistic Guarantees of Finding
Bugs", ASPLOS 2010), which starve one task while another runs.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TASKS = 6
MAX_STEPS = 80
"""Demotions are drawn up to this decision: longer than the calls of three clients take."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Which task goes on when several can.

    With `walk`, each decision is drawn from a generator of that seed. Otherwise the task of the highest priority
    goes on, `priorities` in the order in which the tasks first become ready (0 for those beyond its end), the
    earlier one where two are equal: so the empty schedule is asyncio's own order. At each decision numbered in
    `demotions`, counted from 1, the task that would go on is put below all others first.
    """

    priorities: tuple[int, ...] = ()
    demotions: tuple[int, ...] = ()
    walk: int | None = None


_prioritised = st.builds(
    Schedule,
    priorities=st.lists(st.integers(0, 3), max_size=MAX_TASKS).map(tuple),
    demotions=st.lists(st.integers(1, MAX_STEPS), max_size=3).map(tuple),
)
_walks = st.builds(Schedule, walk=st.integers(0, 2**16))
schedules = st.one_of(_prioritised, _walks)
"""Priorities and demotions, or a random walk; the simplest is asyncio's own order."""


@dataclass(slots=True)
class Chooser:
    """Makes the decisions of one run by a schedule; `trace` keeps them, so that the run can be replayed."""

    schedule: Schedule
    trace: list[int] = field(default_factory=list[int])
    _ranks: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    _random: random.Random | None = field(init=False)

    def __post_init__(self) -> None:
        walk = self.schedule.walk
        self._random = None if walk is None else random.Random(walk)  # noqa: S311 - a schedule, no secret

    def choose(self, tasks: Sequence[Hashable]) -> int:
        """The index of the task that goes on, of those that can, in the order in which they became ready."""
        choice = self._random.randrange(len(tasks)) if self._random else self._by_rank(tasks)
        self.trace.append(choice)
        return choice

    def _by_rank(self, tasks: Sequence[Hashable]) -> int:
        priorities = self.schedule.priorities
        for task in tasks:
            if task not in self._ranks:
                number = len(self._ranks)
                self._ranks[task] = priorities[number] if number < len(priorities) else 0
        best = self._highest(tasks)
        decision = len(self.trace) + 1
        if decision in self.schedule.demotions:
            self._ranks[tasks[best]] = min(self._ranks.values()) - 1
            best = self._highest(tasks)
        return best

    def _highest(self, tasks: Sequence[Hashable]) -> int:
        return max(range(len(tasks)), key=lambda index: (self._ranks[tasks[index]], -index))


@dataclass(slots=True)
class Replay:
    """Makes the decisions that a trace holds, and asyncio's own after its end."""

    decisions: Sequence[int]
    trace: list[int] = field(default_factory=list[int])

    def choose(self, tasks: Sequence[Hashable]) -> int:
        """The recorded decision; the last task where fewer can go on than were there."""
        number = len(self.trace)
        wanted = self.decisions[number] if number < len(self.decisions) else 0
        choice = min(wanted, len(tasks) - 1)
        self.trace.append(choice)
        return choice
