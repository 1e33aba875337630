"""The plan: from a budget and a latency to a number of examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memory_store import plan
from pytest_memory_store.suites.registry import Check


async def _nothing(example: object) -> None:
    """A check that is planned and never run."""


DRAWN = Check("CAS-01", _nothing, {"text": st.text()}, examples=20, calls=10)
ONCE = Check("LIST-05", _nothing, {}, examples=1, calls=5_000)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("2m", 120), ("0.5min", 30), ("45", 45)])
def test_a_time_is_a_promise(text: str, seconds: float) -> None:
    """A time is understood in seconds and minutes, and is hard."""
    chosen = plan.choose(text)
    assert (chosen.seconds, chosen.hard) == (seconds, True)


@pytest.mark.parametrize("text", ["", "soon", "0s", "-3s", "x0", "1h", "nan"])
def test_other_budgets_are_refused(text: str) -> None:
    """Anything else names what would work."""
    with pytest.raises(plan.BudgetError, match="expected quick, standard, deep"):
        plan.choose(text)


def test_deep_is_twenty_times_standard() -> None:
    """Deep runs at least 20 times the examples of standard."""
    standard = plan.make(plan.choose("standard"), [DRAWN], 1e-5)
    deep = plan.make(plan.choose("deep"), [DRAWN], 1e-5)
    assert deep.examples(DRAWN) >= 20 * standard.examples(DRAWN)


def test_a_slow_store_gets_fewer_examples() -> None:
    """Standard fits in its time on a store whose calls take long."""
    checks = [DRAWN] * 200
    made = plan.make(plan.choose("standard"), checks, 0.01)
    assert made.examples(DRAWN) < 20
    assert plan.cost(checks, made) <= made.seconds


def test_what_draws_nothing_runs_once() -> None:
    """A check without strategies runs once in every budget."""
    assert {plan.make(plan.choose(b), [ONCE], 1e-5).examples(ONCE) for b in ("quick", "standard", "deep")} == {1}


@given(st.floats(0.001, 50), st.floats(1e-6, 0.05))
def test_a_plan_gives_itself_again(factor: float, latency: float) -> None:
    """The text of a plan is a budget that plans the same examples, on any store."""
    text = plan.Plan(float(f"{factor:.2g}"), 1, latency, 1, hard=False).text
    again = plan.make(plan.choose(text), [DRAWN], latency)
    assert again.examples(DRAWN) == plan.Plan(float(f"{factor:.2g}"), 1, latency, 1, hard=False).examples(DRAWN)
