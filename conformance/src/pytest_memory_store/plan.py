"""How much a run does: from a budget and the store's latency to a number of examples per check.

Pure. The plan is fixed after the smoke check and printed, so that the same plan and seed give the same programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_memory_store.suites.registry import Check

KIT_SECONDS_PER_CALL = 40e-6
KIT_SECONDS_PER_EXAMPLE = 2e-3
"""What the kit itself spends, measured by `nox -s bench`; only the plan's estimate depends on it."""


class BudgetError(ValueError):
    """A budget that is none of the names and no time."""


@dataclass(frozen=True, slots=True)
class BudgetChoice:
    """A budget as chosen: the factor on the standard number of examples, and the seconds the run should fit in.

    `hard` says that the seconds are a promise (a time was given) and not only the aim of a named budget.
    """

    text: str
    factor: float
    seconds: float
    hard: bool = False


NAMED = {
    "quick": BudgetChoice("quick", 0.2, 25),
    "standard": BudgetChoice("standard", 1.0, 100),
    "deep": BudgetChoice("deep", 20.0, float("inf")),
}
MAX_FACTOR = 60.0
SMALLEST_FACTOR = 0.02
HEADROOM = 0.8
"""The part of a budget's time that is planned for; the rest is for shrinking and for estimates that are wrong."""


def choose(text: str) -> BudgetChoice:
    """A budget from `quick`, `standard`, `deep`, a time such as `90s` or `5m`, or a plan such as `x0.4`.

    Raises:
        BudgetError: anything else, or a time of no length.
    """
    if text in NAMED:
        return NAMED[text]
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|min)?", text):
        seconds = float(match[1]) * (60 if (match[2] or "s") != "s" else 1)
        if seconds > 0:
            return BudgetChoice(text, MAX_FACTOR, seconds, hard=True)
    if (match := re.fullmatch(r"x(\d+(?:\.\d+)?)", text)) and float(match[1]) > 0:
        return BudgetChoice(text, float(match[1]), float("inf"))
    raise BudgetError(f"budget {text!r}: expected quick, standard, deep, a time such as 90s, or a plan such as x0.4")


@dataclass(frozen=True, slots=True)
class Plan:
    """The factor in force, and the time the run was planned for in seconds.

    `latency` is the store's time per call and `smallest` the time in which every check can run its fewest examples,
    both in seconds; `hard` says that `seconds` is a promise.
    """

    factor: float
    seconds: float
    latency: float
    smallest: float
    hard: bool

    @property
    def text(self) -> str:
        """The plan as a budget that gives it again: `x0.40`."""
        return f"x{self.factor:.2g}" if self.factor < 10 else f"x{self.factor:.0f}"

    def examples(self, check: Check) -> int:
        """How many examples of this check are run."""
        if not check.strategies:
            return 1
        return max(min(2, check.examples), round(check.examples * self.factor))


def make(budget: BudgetChoice, checks: Iterable[Check], latency: float) -> Plan:
    """The plan for these checks on a store whose calls take `latency` seconds."""
    known = list(checks)
    fewest = Plan(1e-9, budget.seconds, latency, 0.0, budget.hard)
    smallest = cost(known, fewest)
    plan = Plan(budget.factor, budget.seconds, latency, smallest, budget.hard)
    while plan.factor > SMALLEST_FACTOR and cost(known, plan) > budget.seconds * HEADROOM:
        plan = replace(plan, factor=float(f"{plan.factor * 0.9:.2g}"))
    return plan


def cost(checks: Iterable[Check], plan: Plan) -> float:
    """Seconds that a run of these checks takes by estimate."""
    return sum(example_cost(check, plan.latency) * plan.examples(check) for check in checks)


def share(check: Check, waiting: Iterable[Check], plan: Plan) -> float:
    """The part of the time left that this check may take, of those that wait, itself among them."""
    return cost([check], plan) / max(cost(waiting, plan), 1e-9)


def example_cost(check: Check, latency: float) -> float:
    """Seconds that one example of this check takes by estimate."""
    return check.calls * (latency + KIT_SECONDS_PER_CALL) + KIT_SECONDS_PER_EXAMPLE
