"""The summary tells a stranger what holds and what breaks, shortest where nothing breaks."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.claims import Claims
from pytest_memory_store.clauses import CATALOGUE, GROUPS, Level, Status
from pytest_memory_store.report.facts import RunFacts
from pytest_memory_store.report.ledger import Entry, Ledger
from pytest_memory_store.report.terminal import clause_list, summary, verdict_line
from pytest_memory_store.report.verdict import RunResult, judge_run
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_memory_store.clauses.clause import Clause

    Judge = Callable[..., RunResult]

CHECKED = ("READ-01", "CAS-02", "CAS-11", "OP-02", "SRCH-01")
FACTS = RunFacts(
    "m:f",
    7,
    plan="x1",
    claims={"durable": True},
    capabilities=("metadata", "search"),
    calls=1_200,
    seconds=4.0,
    seconds_in_store=3.0,
)


def record(item: str, outcome: Outcome = Outcome.HELD, **facts: Any) -> ItemRecord:
    """Make the record of an item; one that held has evidence."""
    evidence = {item: 3} if outcome is Outcome.HELD else {}
    defaults: dict[str, Any] = {"evidence": evidence, "plan": "x1", "capabilities": ["search"]}
    return ItemRecord(item, "m:f", outcome, **(defaults | facts))


def broken(item: str, clause: str = "", message: str = "it is wrong") -> ItemRecord:
    """Make the record of an item that broke a clause, its own by default."""
    found = ViolationRecord(clause or item, message, "this", "that", ["1. read()"], "", item, "pytest")
    return record(item, Outcome.BROKEN, violations=[found])


@pytest.fixture
def judge(catalogue: Mapping[str, Clause]) -> Judge:
    """Return a function that judges a run in which every clause held but those whose records are given."""

    def judge_all(*given: ItemRecord, leave_out: tuple[str, ...] = (), **facts: Any) -> RunResult:
        named = {*leave_out, *(entry.item for entry in given)}
        rest = [record(item) for item in CHECKED if item not in named]
        known: dict[str, Any] = {"claims": Claims(), "store": "m:f", "today": date(2026, 5, 1)}
        return judge_run([*rest, *given], catalogue=catalogue, **(known | facts))

    return judge_all


def test_a_conformant_run_is_short(judge: Judge) -> None:
    """Header, one row per group, verdict."""
    result = judge(record("programs", examples=150, planned_examples=150, calls=3_000))
    assert summary(result, FACTS) == [
        "memory-store: m:f",
        "claims durable; has metadata and search",
        "plan x1, seed 7; 1,200 calls in 4.0 s, 75% of it in the store",
        "",
        "READ    bounded reads                         1 held",
        "CAS     compare-and-swap                      2 held  2 planned",
        "OP      operations and receipts               1 held",
        "SRCH    search                                1 held",
        "programs: 150 examples, 3,000 calls",
        "",
        "verdict: conformant (5 clauses held; 2 more are planned for a later version)",
    ]


def test_everything_that_went_wrong_is_listed(judge: Judge) -> None:
    """Each section says what and why, and the verdict comes last."""
    result = judge(
        broken("programs", "OP-02", "the receipt\nis gone"),
        broken("CAS-11"),
        record("READ-01", Outcome.NOT_EXERCISED, reason="out of budget", leftovers=["kit1/a.md"]),
        record("SRCH-01", Outcome.ERROR, reason="a fault of the kit"),
        ledger=Ledger("k.toml", (Entry(1, "CAS-02", "x"),)),
    )
    assert summary(result, FACTS, scripts={"OP-02": "out/repro/OP-02.py"}, width=90)[4:] == [
        "READ    bounded reads                         1 not exercised",
        "CAS     compare-and-swap                      1 held  1 advisory  2 planned",
        "OP      operations and receipts               1 broken",
        "SRCH    search                                1 error",
        "",
        "broken",
        "  OP-02     A store keeps a receipt of each operation (also OP-12).",
        r"            the receipt\nis gone (found by programs)",
        "            python out/repro/OP-02.py",
        "",
        "advisories (a SHOULD is broken)",
        "  CAS-11    A store gives a rewrite a new version.",
        "            it is wrong",
        "",
        "not exercised",
        "  out of budget: READ-01",
        "",
        "errors of the kit",
        "  SRCH-01: a fault of the kit",
        "",
        "the ledger is out of date",
        "  k.toml: entry 1 (CAS-02): the clause holds now; remove the entry, or say `sometimes =",
        "    true` if it fails by chance",
        "",
        "left behind in the store, as it could not be deleted",
        "  kit1/a.md",
        "",
        "verdict: not conformant (1 MUST clause broken)",
    ]


def test_known_failures_are_listed_with_their_reason(judge: Judge) -> None:
    """They make the run incomplete, and the verdict says by what."""
    result = judge(broken("CAS-02"), ledger=Ledger("k.toml", (Entry(1, "CAS-02", "not yet"),)))
    assert summary(result, FACTS)[-4:] == [
        "known failures",
        "  not yet: CAS-02",
        "",
        "verdict: incomplete (1 MUST clause not shown to hold: in the ledger)",
    ]


def test_the_header_of_a_store_that_never_opened(judge: Judge) -> None:
    """It made no call and has no plan."""
    dead = [record(item, Outcome.NOT_EXERCISED, reason="no server", plan="", capabilities=[]) for item in CHECKED]
    lines = summary(judge(*dead), RunFacts("m:f", 7))
    assert lines[1:3] == [
        "claims nothing; has neither search nor metadata",
        "plan none, seed 7; 0 calls in 0.0 s",
    ]
    assert lines[-1] == "verdict: incomplete (4 MUST clauses not shown to hold: no server)"


def test_many_clauses_are_named_shortly() -> None:
    """Whole groups and runs of neighbours are one word each."""
    chosen = [c.id for c in CATALOGUE.values() if c.group in ("READ", "CAS") or c.id == "PATH-04"]
    records = [
        record(c.id, capabilities=["search", "metadata"])
        for c in CATALOGUE.values()
        if c.status is Status.CHECKED and c.same_as is None and c.id not in chosen
    ]
    result = judge_run(
        [entry for entry in records if entry.item not in ("OP-03", "OP-04", "OP-05", "LIST-01")],
        catalogue=CATALOGUE,
        claims=Claims(),
        store="m:f",
        today=date(2026, 5, 1),
        selected=[],
    )
    lines = summary(result, FACTS)
    at = lines.index("not exercised")
    assert lines[at + 1] == "  deselected: all of READ and CAS, PATH-04, OP-03 to OP-05, LIST-01"
    assert lines[-1].endswith(" MUST clauses not shown to hold: deselected)")


def test_colours_are_the_callers_business(judge: Judge) -> None:
    """What is marked is marked by what it means."""
    result = judge(broken("CAS-02"), broken("CAS-11"))
    marked = "\n".join(summary(result, FACTS, mark=lambda text, style: f"<{style}:{text}>" if style else text))
    for piece in (
        "<title:memory-store: m:f>",
        "<bad:1 broken>  <warn:1 advisory>  2 planned",
        "<bad:broken>",
        "<warn:advisories (a SHOULD is broken)>",
        "<bad:verdict: not conformant> (1 MUST clause broken)",
    ):
        assert piece in marked


def test_the_verdict_of_an_incomplete_run_counts_its_reasons(judge: Judge) -> None:
    """Own doing and the run's failure are told apart."""
    result = judge(
        record("READ-01", Outcome.NOT_EXERCISED, reason="out of budget"),
        record("SRCH-01", Outcome.ERROR, reason="x"),
        leave_out=("CAS-02", "OP-02"),
        selected=["READ-01", "SRCH-01"],
    )
    assert verdict_line(result) == (
        "verdict: incomplete (4 MUST clauses not shown to hold: 1 out of budget, 2 deselected,"
        " 1 because of an error of the kit; the run fails all the same: the kit itself failed)"
    )


def test_a_conformant_run_that_fails_says_why(judge: Judge) -> None:
    """A ledger, strictness or the kit may fail what the contract does not."""
    advised = judge(broken("CAS-11"))
    start = "verdict: conformant (4 clauses held, 1 advisory; 2 more are planned for a later version"
    assert verdict_line(advised) == f"{start})"
    assert verdict_line(advised, strict=True).endswith(
        "; the run fails all the same: advisories count by --memory-store-strict)"
    )
    overtaken = judge(ledger=Ledger("k.toml", (Entry(1, "CAS-02", "x"),)))
    assert verdict_line(overtaken).endswith("; the run fails all the same: the ledger is out of date)")
    faulty = judge(record("programs", Outcome.ERROR, reason="x"))
    assert verdict_line(faulty).endswith("; the run fails all the same: the kit itself failed)")


def test_no_line_of_a_summary_can_be_broken_by_a_store(judge: Judge) -> None:
    """Reasons, messages and leftovers come from the store."""
    nasty = "\x1b[2J\r\n\ud800" + "x" * 5_000
    result = judge(
        broken("CAS-02", message=nasty),
        record("READ-01", Outcome.NOT_EXERCISED, reason=nasty, leftovers=[nasty]),
        record("SRCH-01", Outcome.ERROR, reason=nasty),
    )
    lines = summary(result, FACTS)
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 700
    assert all(line.isprintable() for line in summary(judge(record("READ-01", Outcome.ERROR, reason=nasty)), FACTS))


def test_the_list_of_clauses_of_a_small_catalogue(catalogue: Mapping[str, Clause]) -> None:
    """Level, sentence, and what else there is to know."""
    lines = clause_list(catalogue, width=60)
    assert lines[:8] == [
        "READ: bounded reads",
        "  READ-01   MUST    returns `None` for an absent path",
        "",
        "CAS: compare-and-swap",
        "  CAS-02    MUST    replaces a file only when its version",
        "                    equals `expected_version`",
        "  CAS-11    SHOULD  gives a rewrite a new version",
        "  CAS-13    MUST    lets exactly one of several writers",
    ]
    assert "  OP-12     MUST    keeps a receipt (the same as OP-02)" in lines
    assert "  LIST-13b  MAY     takes `limit` by keyword alone" in lines


def test_the_list_of_clauses_is_complete() -> None:
    """Every clause and every group of the contract is in it."""
    lines = clause_list()
    assert [line.split()[0] for line in lines if line.split()[1:2] and line.split()[1] in set(Level)] == list(CATALOGUE)
    assert [line for line in lines if line and not line.startswith(" ")] == [f"{g}: {t}" for g, t in GROUPS.items()]


def test_many_leftovers_are_counted() -> None:
    """Only the first of many leftovers are named, and the rest counted."""
    left = [f"kit/{number:03}.md" for number in range(25)]
    result = judge_run(
        [record("CAS-02", leftovers=left)], catalogue=CATALOGUE, claims=Claims(), store="m:f", today=date(2026, 1, 1)
    )
    lines = summary(result, FACTS)
    assert "  kit/009.md" in lines
    assert "  kit/010.md" not in lines
    assert any("and 15 more" in line for line in lines)
