"""The facts of a run add up from its records."""

from __future__ import annotations

from pytest_memory_store.claims import collect
from pytest_memory_store.report.facts import RunFacts
from pytest_memory_store.results import ItemRecord


def test_facts_add_up() -> None:
    """Calls and times are sums, the plan is that of the first item that had one."""
    records = [
        ItemRecord("smoke", "m:f", calls=3, seconds=1.0, seconds_in_store=0.5),
        ItemRecord("CAS-02", "m:f", calls=4, seconds=2.0, seconds_in_store=1.0, plan="x1", capabilities=["search"]),
    ]
    claims = collect({"durable": True, "max_path_chars": 300})
    facts = RunFacts.of(records, store="m:f", seed=7, claims=claims)
    assert facts == RunFacts(
        store="m:f",
        seed=7,
        plan="x1",
        claims={"durable": True, "max_path_chars": 300},
        capabilities=("search",),
        calls=7,
        seconds=3.0,
        seconds_in_store=1.5,
    )
    assert facts.claimed == "durable, max_path_chars=300"


def test_the_time_of_a_run_may_be_given() -> None:
    """Under xdist the items' times overlap."""
    facts = RunFacts.of([ItemRecord("smoke", "m:f", seconds=5.0)], store="m:f", seed=7, claims=collect(), seconds=2.5)
    assert facts.seconds == 2.5
