"""The verdict counts evidence: what was not exercised is never passed, and its cause decides the exit."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.claims import Claims, collect
from pytest_memory_store.report.ledger import Entry, Ledger
from pytest_memory_store.report.verdict import (
    RunResult,
    State,
    Verdict,
    exit_code,
    judge_run,
    level_in_force,
    why_not_applicable,
)
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_memory_store.clauses.clause import Clause

    Judge = Callable[..., RunResult]

CHECKED = ("READ-01", "CAS-02", "CAS-11", "OP-02", "SRCH-01")


def record(item: str, outcome: Outcome = Outcome.HELD, **facts: Any) -> ItemRecord:
    """Make the record of an item; one that held has evidence."""
    evidence = {item: 3} if outcome is Outcome.HELD and item in CHECKED else {}
    defaults: dict[str, Any] = {"evidence": evidence, "plan": "x1", "capabilities": ["search"]}
    return ItemRecord(item, "m:f", outcome, **(defaults | facts))


def violation(clause: str, *, item: str = "", steps: int = 2) -> ViolationRecord:
    """Make a violation of a clause, by as many calls as asked."""
    return ViolationRecord(clause, "wrong", "this", "that", ["1. read()"] * steps, "", item or clause, "pytest")


def broken(item: str, *clauses: str, **facts: Any) -> ItemRecord:
    """Make the record of an item that broke clauses, its own by default."""
    found = [violation(clause, item=item) for clause in clauses or (item,)]
    return record(item, Outcome.BROKEN, violations=found, **facts)


@pytest.fixture
def judge(catalogue: Mapping[str, Clause]) -> Judge:
    """Return a function that judges a run in which every clause held but those whose records are given."""

    def judge_all(*given: ItemRecord, leave_out: tuple[str, ...] = (), **facts: Any) -> RunResult:
        named = {entry.item for entry in given}
        rest = [record(item) for item in CHECKED if item not in named and item not in leave_out]
        known: dict[str, Any] = {"claims": Claims(), "store": "m:f", "today": date(2026, 5, 1)}
        return judge_run([*rest, *given], catalogue=catalogue, **(known | facts))

    return judge_all


def test_a_store_that_holds_everything_is_conformant(judge: Judge) -> None:
    """Every MUST was exercised and held, planned and informational clauses take no part."""
    result = judge()
    assert result.verdict is Verdict.CONFORMANT
    assert {name: r.state for name, r in result.clauses.items()} == {
        "READ-01": State.HELD,
        "CAS-02": State.HELD,
        "CAS-11": State.HELD,
        "CAS-13": State.PLANNED,
        "CAS-15": State.PLANNED,
        "OP-12": State.HELD,
        "OP-02": State.HELD,
        "SRCH-01": State.HELD,
        "LIST-13b": State.INFORMATIONAL,
    }
    assert exit_code(result) == exit_code(result, strict=True, require_conformant=True) == 0


def test_evidence_is_counted_over_all_items(judge: Judge) -> None:
    """What explorations saw of a clause adds to what its own check saw."""
    result = judge(record("programs", evidence={"CAS-02": 40, "READ-01": 1}, planned_examples=150))
    assert result.clauses["CAS-02"].evidence == 43
    assert [found.item for found in result.explorations] == ["programs"]


def test_a_broken_must_is_not_conformant(judge: Judge) -> None:
    """One broken MUST decides, whatever else is missing."""
    result = judge(broken("CAS-02"), leave_out=("OP-02",), selected=[])
    assert result.verdict is Verdict.NOT_CONFORMANT
    assert [r.clause.id for r in result.in_state(State.BROKEN)] == ["CAS-02"]
    assert exit_code(result) == 1


def test_a_violation_counts_against_the_clause_it_breaks(judge: Judge) -> None:
    """A clause that held in its own item is broken by what another item found."""
    result = judge(broken("programs", "READ-01", planned_examples=10))
    assert result.clauses["READ-01"].state is State.BROKEN
    assert result.clauses["READ-01"].evidence == 3


def test_the_shortest_violation_comes_first(judge: Judge) -> None:
    """Several items may find the same clause broken."""
    long = record("programs", Outcome.BROKEN, violations=[violation("CAS-02", item="programs", steps=9)])
    result = judge(long, broken("CAS-02"))
    assert [len(v.steps) for v in result.clauses["CAS-02"].violations] == [2, 9]


def test_a_broken_should_is_an_advisory(judge: Judge) -> None:
    """It is listed and leaves the verdict; a strict run fails all the same."""
    result = judge(broken("CAS-11"))
    assert result.verdict is Verdict.CONFORMANT
    assert result.clauses["CAS-11"].state is State.ADVISORY
    assert (exit_code(result), exit_code(result, strict=True)) == (0, 1)


def test_a_clause_that_is_the_same_as_another_shares_its_state(judge: Judge) -> None:
    """It is broken with the other, and listed only once."""
    result = judge(broken("OP-02"))
    assert result.clauses["OP-12"].state is State.BROKEN
    assert result.clauses["OP-12"].clause.id == "OP-12"
    assert [r.clause.id for r in result.in_state(State.BROKEN)] == ["OP-02"]


def test_a_clause_without_evidence_is_not_exercised(judge: Judge) -> None:
    """An item that claims to have held without evidence proves nothing."""
    result = judge(record("CAS-02", evidence={"READ-01": 4}))
    assert result.clauses["CAS-02"].state is State.NOT_EXERCISED
    assert result.clauses["CAS-02"].reason == "its check gathered no evidence"
    assert result.verdict is Verdict.INCOMPLETE
    assert exit_code(result) == 1


def test_evidence_of_other_items_does_not_stand_for_the_clause(judge: Judge) -> None:
    """Only a clause's own check aims at it; what others see in passing is no proof."""
    seen = record("programs", evidence={"CAS-02": 40}, planned_examples=1)
    result = judge(seen, leave_out=("CAS-02",), selected=["programs"])
    assert result.clauses["CAS-02"].state is State.NOT_EXERCISED
    assert result.clauses["CAS-02"].evidence == 40


def test_an_item_that_only_broke_another_clause_is_blocked(judge: Judge) -> None:
    """What stopped the check is named as the reason."""
    result = judge(broken("CAS-02", "READ-01"))
    assert result.clauses["CAS-02"].reason == "blocked by READ-01, which is broken"


def test_an_item_that_broke_another_clause_may_hold_its_own(judge: Judge) -> None:
    """Evidence of its own is enough."""
    result = judge(broken("CAS-02", "CAS-11", evidence={"CAS-02": 2}))
    assert result.clauses["CAS-02"].state is State.HELD


def test_a_deselected_clause_is_incomplete_by_own_doing(judge: Judge) -> None:
    """The run exits with 0 unless a conformant one is required."""
    result = judge(leave_out=("OP-02",), selected=["READ-01", "CAS-02", "CAS-11", "SRCH-01"])
    assert result.verdict is Verdict.INCOMPLETE
    assert result.clauses["OP-02"].reason == "deselected"
    assert result.by_own_doing
    assert (exit_code(result), exit_code(result, require_conformant=True)) == (0, 1)


def test_a_deselected_should_leaves_the_verdict(judge: Judge) -> None:
    """Only MUST clauses have to be exercised."""
    assert judge(leave_out=("CAS-11",), selected=[]).verdict is Verdict.CONFORMANT


@pytest.mark.parametrize("reason", ["out of budget", "the store names no hook `files`", "3 calls did not return"])
def test_what_the_run_could_not_do_is_not_own_doing(judge: Judge, reason: str) -> None:
    """The reason is the item's, and the run fails."""
    result = judge(record("OP-02", Outcome.NOT_EXERCISED, reason=reason))
    assert result.verdict is Verdict.INCOMPLETE
    assert result.clauses["OP-02"].reason == result.clauses["OP-12"].reason == reason
    assert not result.by_own_doing
    assert exit_code(result) == 1


def test_one_foreign_reason_outweighs_own_doing(judge: Judge) -> None:
    """A run that is incomplete for two reasons fails by the one that is not the user's."""
    late = record("READ-01", Outcome.NOT_EXERCISED, reason="out of budget")
    result = judge(late, leave_out=("OP-02",), selected=["READ-01"])
    assert exit_code(result) == 1


def test_an_interrupted_run_is_incomplete(judge: Judge) -> None:
    """What was chosen and not reached says so."""
    result = judge(leave_out=("OP-02",), interrupted="interrupted by Ctrl-C")
    assert result.clauses["OP-02"].reason == "not reached: interrupted by Ctrl-C"
    assert exit_code(result) == 1


def test_a_run_that_ended_early_says_so(judge: Judge) -> None:
    """Also where nobody knows why, as under `-x`."""
    assert judge(leave_out=("OP-02",)).clauses["OP-02"].reason == "not reached: the run ended before it"


def test_an_error_of_the_kit_has_an_exit_code_of_its_own(judge: Judge) -> None:
    """It proves nothing about the store, and a broken MUST is certain all the same."""
    fault = record("OP-02", Outcome.ERROR, reason="a fault of the kit")
    result = judge(fault)
    assert result.clauses["OP-02"].state is State.ERROR
    assert result.errors == (("OP-02", "a fault of the kit"),)
    assert (result.verdict, exit_code(result)) == (Verdict.INCOMPLETE, 3)
    assert exit_code(judge(fault, broken("CAS-02"))) == 1


def test_an_error_in_an_exploration_is_an_error(judge: Judge) -> None:
    """No clause depends on it, and the exit code still tells."""
    result = judge(record("programs", Outcome.ERROR, reason="a fault of the kit"))
    assert (result.verdict, exit_code(result)) == (Verdict.CONFORMANT, 3)


def test_a_capability_that_is_absent_does_not_apply(judge: Judge) -> None:
    """Neither claimed nor found: its clauses are out of the verdict, whether they ran or not."""
    plain = [record(item, capabilities=[]) for item in CHECKED if item != "SRCH-01"]
    by_item = record("SRCH-01", Outcome.NOT_APPLICABLE, reason="the store has no search", capabilities=[])
    for records in (plain, [*plain, by_item]):
        result = judge(*records, leave_out=("SRCH-01",))
        assert result.clauses["SRCH-01"].state is State.NOT_APPLICABLE
        assert result.clauses["SRCH-01"].reason == "the store has no search"
        assert result.verdict is Verdict.CONFORMANT


def test_a_store_that_never_opened_is_judged_by_nothing(judge: Judge) -> None:
    """Its capabilities are unknown, so no clause is said not to apply."""
    dead = [
        record(item, Outcome.NOT_EXERCISED, reason="could not be opened", plan="", capabilities=[]) for item in CHECKED
    ]
    result = judge(*dead)
    assert {r.clause.id for r in result.in_state(State.NOT_EXERCISED)} == set(CHECKED)
    assert (result.verdict, exit_code(result)) == (Verdict.INCOMPLETE, 1)


def test_claims_waive_clauses(judge: Judge) -> None:
    """A clause that a claim waives does not apply."""
    result = judge(leave_out=("CAS-11",), claims=collect({"content_versions": True}))
    assert result.clauses["CAS-11"].reason == "waived by the claim content_versions"


def test_the_worst_of_several_records_of_an_item_counts(judge: Judge) -> None:
    """A store under a parametrized fixture is proven only where every variant was exercised."""
    result = judge(record("CAS-02"), record("CAS-02", Outcome.NOT_EXERCISED, reason="no server"))
    assert (result.clauses["CAS-02"].state, result.clauses["CAS-02"].reason) == (
        State.NOT_EXERCISED,
        "no server",
    )
    assert judge(record("CAS-02"), record("CAS-02", Outcome.NOT_APPLICABLE)).clauses["CAS-02"].state is State.HELD


@pytest.mark.parametrize(("protocol", "verdict"), [("0.61", Verdict.CONFORMANT), ("0.62", Verdict.NOT_CONFORMANT)])
def test_the_claimed_release_decides_the_level(judge: Judge, protocol: str, verdict: Verdict) -> None:
    """A clause that is MUST since a release is an advisory for stores of an earlier one."""
    assert judge(broken("SRCH-01"), claims=collect({"protocol": protocol})).verdict is verdict


def test_level_in_force_without_a_history(catalogue: Mapping[str, Clause]) -> None:
    """A clause that was always there has one level."""
    old = collect({"protocol": "0.1"})
    assert level_in_force(catalogue["CAS-02"], old) is catalogue["CAS-02"].level


@pytest.mark.parametrize(
    ("flags", "capabilities", "reason"),
    [
        ({}, [], "the store has no search"),
        ({}, ["search"], ""),
        ({"search": True}, [], ""),
    ],
)
def test_a_capability_counts_where_claimed_or_found(
    catalogue: Mapping[str, Clause], flags: dict[str, bool], capabilities: list[str], reason: str
) -> None:
    """Either is enough for the clause to apply."""
    assert why_not_applicable(catalogue["SRCH-01"], collect(flags), capabilities) == reason


def test_a_searchable_store_is_lexical_unless_it_says_semantic(catalogue: Mapping[str, Clause]) -> None:
    """The claim `semantic` takes literal matching out of the verdict."""
    clause = replace(catalogue["SRCH-01"], needs=frozenset({"search", "lexical"}))
    assert why_not_applicable(clause, Claims(), ["search"]) == ""
    assert why_not_applicable(clause, collect({"semantic": True}), ["search"]) == "the store has no lexical"


def ledger(**facts: Any) -> Ledger:
    """Make a ledger of one entry."""
    return Ledger("k.toml", (Entry(1, reason="not yet", **facts),))


def test_a_known_failure_is_incomplete_by_own_doing(judge: Judge) -> None:
    """The ledger excuses the failure, not the verdict."""
    result = judge(broken("CAS-02"), ledger=ledger(clause="CAS-02"))
    found = result.clauses["CAS-02"]
    assert (found.state, found.reason) == (State.KNOWN_FAILURE, "not yet")
    assert found.violations
    assert (result.verdict, result.by_own_doing) == (Verdict.INCOMPLETE, True)
    assert (exit_code(result), exit_code(result, require_conformant=True)) == (0, 1)


def test_a_known_advisory_leaves_the_verdict(judge: Judge) -> None:
    """Also where advisories fail."""
    result = judge(broken("CAS-11"), ledger=ledger(clause="CAS-11"))
    assert (result.verdict, exit_code(result, strict=True)) == (Verdict.CONFORMANT, 0)


def test_an_unexpected_pass_fails_the_run(judge: Judge) -> None:
    """A ledger that lags behind is no list of known failures; chance-dependent entries may."""
    result = judge(ledger=ledger(clause="CAS-02"))
    assert len(result.ledger_complaints) == 1
    assert (result.verdict, exit_code(result)) == (Verdict.CONFORMANT, 1)
    assert exit_code(judge(ledger=ledger(clause="CAS-02", sometimes=True))) == 0


def test_an_expired_entry_excuses_nothing(judge: Judge) -> None:
    """The clause is broken again, and the entry is named."""
    result = judge(broken("CAS-02"), ledger=ledger(clause="CAS-02", expires=date(2026, 5, 1)))
    assert result.verdict is Verdict.NOT_CONFORMANT
    assert "expired on 2026-05-01" in result.ledger_complaints[0]


def test_an_entry_for_a_clause_that_was_not_exercised_stays(judge: Judge) -> None:
    """A run of some clauses says nothing about the others' entries."""
    result = judge(leave_out=("OP-02",), selected=["CAS-02"], ledger=ledger(clause="OP-02"))
    assert result.ledger_complaints == ()


def test_leftovers_are_named_once(judge: Judge) -> None:
    """Two items may have left the same path."""
    result = judge(
        record("CAS-02", leftovers=["s/b", "s/a"], evidence={"CAS-02": 1}), record("smoke", leftovers=["s/a"])
    )
    assert result.leftovers == ("s/a", "s/b")


def test_a_twin_that_does_not_apply_shares_nothing(catalogue: Mapping[str, Clause]) -> None:
    """A clause may be the same as another and still need a capability of its own."""
    twin = replace(catalogue["OP-12"], needs=frozenset({"search"}))
    result = judge_run(
        [record("OP-02", capabilities=[])],
        catalogue={**catalogue, "OP-12": twin},
        claims=Claims(),
        store="m:f",
        today=date(2026, 5, 1),
    )
    assert result.clauses["OP-12"].state is State.NOT_APPLICABLE
    assert result.clauses["OP-02"].state is State.HELD
