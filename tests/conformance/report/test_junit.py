"""Properties tell a CI server the clause behind a test, and the verdict behind a suite."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pytest_memory_store.claims import Claims
from pytest_memory_store.clauses.clause import Level
from pytest_memory_store.report.facts import RunFacts
from pytest_memory_store.report.junit import item_properties, suite_properties
from pytest_memory_store.report.verdict import judge_run
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.clauses.clause import Clause


def test_a_clause_is_told_with_its_evidence(catalogue: Mapping[str, Clause]) -> None:
    """What the clause says, and how often it was checked."""
    record = ItemRecord("CAS-02", "m:f", evidence={"CAS-02": 4, "READ-01": 1}, calls=9)
    assert item_properties(record, catalogue["CAS-02"]) == [
        ("memory_store.clause", "CAS-02"),
        ("memory_store.level", "MUST"),
        ("memory_store.sentence", "replaces a file only when its version equals `expected_version`"),
        ("memory_store.outcome", "held"),
        ("memory_store.evidence", "4"),
        ("memory_store.calls", "9"),
    ]
    assert ("memory_store.level", "SHOULD") in item_properties(record, catalogue["CAS-02"], Level.SHOULD)


def test_an_exploration_has_no_clause() -> None:
    """It tells what it broke, and all of its evidence."""
    broken = [ViolationRecord(clause, "", "", "", [], "", "programs", "") for clause in ("OP-02", "CAS-02", "OP-02")]
    record = ItemRecord("programs", "m:f", Outcome.BROKEN, evidence={"CAS-02": 4, "READ-01": 1}, violations=broken)
    assert item_properties(record) == [
        ("memory_store.outcome", "broken"),
        ("memory_store.evidence", "5"),
        ("memory_store.calls", "0"),
        ("memory_store.broken", "CAS-02 OP-02"),
    ]


def test_a_suite_has_the_verdict(catalogue: Mapping[str, Clause]) -> None:
    """Several stores of one session are told apart by name."""
    records = [ItemRecord("CAS-02", "m:f", evidence={"CAS-02": 4}, plan="x1")]
    result = judge_run(records, catalogue=catalogue, claims=Claims(), store="m:f", today=date(2026, 5, 1))
    facts = RunFacts("m:\x1bf", 7, "x1", {"durable": True}, ("search",))
    properties = dict(suite_properties(result, facts, name="[m-f]"))
    assert properties["memory_store.store[m-f]"] == r"m:\x1bf"
    assert properties["memory_store.verdict[m-f]"] == "incomplete"
    assert properties["memory_store.claims[m-f]"] == "durable"
    assert properties["memory_store.held[m-f]"] == "1"
    assert properties["memory_store.not_exercised[m-f]"] == "3"
    assert "memory_store.verdict" in dict(suite_properties(result, facts))
