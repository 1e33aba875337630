"""The report for machines follows the committed schema, whatever the store says."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from pytest_memory_store.claims import Claims
from pytest_memory_store.report.facts import RunFacts
from pytest_memory_store.report.files import ReportError
from pytest_memory_store.report.json_report import Report, report_of, schema, write
from pytest_memory_store.report.ledger import Entry, Ledger
from pytest_memory_store.report.verdict import judge_run
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.clauses.clause import Clause

PAGE = Path(__file__).parents[3] / "docs" / "report.schema.json"
NASTY = "\ud800\x00\x1b\n\U0001f600"


@pytest.fixture
def report(catalogue: Mapping[str, Clause]) -> Report:
    """Return the report of a run in which everything happened."""

    def broken(clause: str, item: str, script: str) -> ViolationRecord:
        return ViolationRecord(clause, NASTY, NASTY, NASTY, [f"1. {item}", NASTY], script, item, "pytest", "2 of 3")

    records = [
        ItemRecord(
            "READ-01", "m:f", evidence={"READ-01": 4}, plan="x1", capabilities=["search"], calls=9, seconds=1.23456
        ),
        ItemRecord("CAS-02", "m:f", Outcome.BROKEN, violations=[broken("CAS-02", "CAS-02", "print()")]),
        ItemRecord("CAS-11", "m:f", Outcome.BROKEN, violations=[broken("CAS-11", "CAS-11", "")]),
        ItemRecord("OP-02", "m:f", Outcome.ERROR, NASTY, leftovers=[NASTY]),
        ItemRecord(
            "programs",
            "m:f",
            Outcome.BROKEN,
            NASTY,
            violations=[broken("CAS-02", "programs", "print()")],
            examples=7,
            planned_examples=9,
        ),
    ]
    entry = Entry(1, "CAS-11", "not yet", "#7", date(2027, 1, 1))
    result = judge_run(
        records,
        catalogue=catalogue,
        claims=Claims(),
        store="m:f",
        today=date(2026, 5, 1),
        ledger=Ledger("k.toml", (entry, Entry(2, "READ-01", "x"))),
        interrupted=NASTY,
    )
    claims: dict[str, Any] = {"durable": True, "max_path_chars": 300, "max_staleness_s": 0.5, "reserved_names": NASTY}
    return report_of(result, RunFacts("m:f", 7, "x1", claims, ("search",), 9, 1.23456, 0.5))


def test_the_committed_schema_is_the_models() -> None:
    """After a change: `python -m pytest_memory_store.report.json_report > docs/report.schema.json`."""
    assert json.loads(PAGE.read_text(encoding="utf-8")) == json.loads(schema())


def test_a_report_follows_the_schema(report: Report, tmp_path: Path) -> None:
    """What is written is what other programs may rely on."""
    written = json.loads(write(report, tmp_path).read_text(encoding="utf-8"))
    validator: Any = jsonschema.Draft202012Validator
    validator.check_schema(json.loads(schema()))
    validator(json.loads(schema())).validate(written)
    with pytest.raises(jsonschema.ValidationError):
        validator(json.loads(schema())).validate(written | {"schema_version": 2})
    assert Report.model_validate(written) == report


def test_a_report_says_what_the_run_said(report: Report) -> None:
    """Verdict, counts, and each clause with its evidence or its violations."""
    clauses = {clause.id: clause for clause in report.clauses}
    assert (report.schema_version, report.verdict, report.by_own_doing) == (1, "not conformant", False)
    assert report.counts == {
        "held": 1,
        "broken": 1,
        "advisory": 0,
        "known failure": 1,
        "not exercised": 1,
        "error": 1,
        "not applicable": 0,
        "planned": 2,
        "informational": 1,
    }
    assert (report.calls, report.seconds, report.seconds_in_store, report.plan, report.seed) == (9, 1.235, 0.5, "x1", 7)
    assert (clauses["READ-01"].state, clauses["READ-01"].evidence) == ("held", 4)
    assert (clauses["OP-12"].state, clauses["OP-12"].same_as) == ("error", "OP-02")
    assert [violation.found_by for violation in clauses["CAS-02"].violations] == ["CAS-02", "programs"]
    assert [violation.script for violation in clauses["CAS-02"].violations] == ["repro/CAS-02.py", None]
    assert clauses["CAS-11"].violations[0].script is None
    known = clauses["CAS-11"].known_failure
    assert known is not None
    assert (known.reason, known.issue, known.expires) == ("not yet", "#7", "2027-01-01")
    assert clauses["CAS-11"].by_own_doing
    assert [(found.item, found.examples, found.planned_examples) for found in report.explorations] == [
        ("programs", 7, 9)
    ]
    assert [error.item for error in report.errors] == ["OP-02"]
    assert len(report.ledger_complaints) == len(report.leftovers) == 1
    assert {"python", "pytest", "hypothesis"} <= set(report.versions)


def test_text_from_a_store_is_shown_by_escapes(report: Report) -> None:
    """A lone surrogate is no JSON text, and a control character no terminal's friend."""
    assert report.leftovers == ["\\ud800\\x00\\x1b\\n\U0001f600"]
    assert report.claims["reserved_names"] == report.leftovers[0]


def test_a_report_that_cannot_be_written_is_one_clear_error(report: Report, tmp_path: Path) -> None:
    """The folder is named, and nothing is left half-written."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReportError, match="file: "):
        write(report, tmp_path / "file")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
