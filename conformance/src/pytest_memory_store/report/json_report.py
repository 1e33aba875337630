"""The report for machines: `report.json`, by a versioned schema.

To bring the schema's page up to date: `python -m pytest_memory_store.report.json_report > docs/report.schema.json`.
Must not know: pytest, how anything is shown.
"""

from __future__ import annotations

import json
import platform
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from pytest_memory_store.clauses.clause import Level  # noqa: TC001 - pydantic reads it
from pytest_memory_store.report.files import SCRIPTS, write_text
from pytest_memory_store.report.text import visible
from pytest_memory_store.report.verdict import ClauseResult, RunResult, State, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_memory_store.report.facts import RunFacts
    from pytest_memory_store.results import ItemRecord, ViolationRecord

SCHEMA_VERSION = 1
"""Raised when a reader of an earlier schema would be misled; a field that is only new does not raise it."""
FILE = "report.json"
_PACKAGES = ("pytest-memory-store", "pytest", "hypothesis")

Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Violation(_Model):
    """One way in which the store broke a clause."""

    message: str
    expected: str
    actual: str
    steps: list[str] = Field(description="Two lines per call: the call, and what it answered.")
    found_by: str = Field(description="The item that found it: a clause, or an exploration.")
    rerun: str = Field(description="The command that finds it again.")
    repeats: str
    likely_cause: str
    script: str | None = Field(description="The reproduction script, relative to this report.")


class KnownFailure(_Model):
    """The ledger's entry that excuses a broken clause."""

    reason: str
    issue: str
    expires: str | None = Field(description="The day from which it excuses nothing, as YYYY-MM-DD.")


class Clause(_Model):
    """What the run says about one clause; `level` is the one in force under the claimed protocol release."""

    id: str
    group: str
    level: Level
    sentence: str = Field(description="What a conforming store does: 'returns ...'.")
    state: State
    reason: str = Field(description="Why the state is neither held nor broken.")
    by_own_doing: bool = Field(description="Whether the user's selection or ledger is the reason.")
    evidence: Count = Field(description="How often it was checked and held.")
    same_as: str | None = Field(description="The clause whose result this one shares.")
    violations: list[Violation] = Field(description="The shortest first.")
    known_failure: KnownFailure | None


class Exploration(_Model):
    """An item that is no clause: what it finds is booked on the clause it breaks."""

    item: str
    outcome: str
    reason: str
    examples: Count
    planned_examples: Count
    calls: Count
    seconds: Seconds


class KitError(_Model):
    """An item in which the kit itself failed."""

    item: str
    reason: str


class Report(_Model):
    """What one run says about one store."""

    schema_version: Annotated[int, Field(ge=SCHEMA_VERSION, le=SCHEMA_VERSION)]
    store: str = Field(description="The store spec.")
    verdict: Verdict
    by_own_doing: bool = Field(description="Whether an incomplete run is so by the user's selection or ledger alone.")
    interrupted: str = Field(description="What broke the run off; empty where nothing did.")
    claims: dict[str, bool | int | float | str]
    capabilities: list[str] = Field(description="The optional parts of the protocol that the store has.")
    plan: str
    seed: int
    calls: Count
    seconds: Seconds
    seconds_in_store: Seconds
    versions: dict[str, str] = Field(description="Of Python and of the packages that judged.")
    platform: str
    counts: dict[str, Count] = Field(description="How many clauses are in each state, shared ones counted once.")
    clauses: list[Clause] = Field(description="In the contract's order.")
    explorations: list[Exploration]
    errors: list[KitError]
    ledger_complaints: list[str]
    leftovers: list[str] = Field(description="Paths that could not be deleted again.")


def report_of(result: RunResult, facts: RunFacts) -> Report:
    """Return the report of a run."""
    counted = Counter(r.state for r in result.clauses.values() if r.clause.same_as is None)
    return Report(
        schema_version=SCHEMA_VERSION,
        store=visible(facts.store),
        verdict=result.verdict,
        by_own_doing=result.by_own_doing,
        interrupted=visible(result.interrupted),
        claims={name: visible(value) if isinstance(value, str) else value for name, value in facts.claims.items()},
        capabilities=list(facts.capabilities),
        plan=facts.plan,
        seed=facts.seed,
        calls=facts.calls,
        seconds=round(facts.seconds, 3),
        seconds_in_store=round(facts.seconds_in_store, 3),
        versions=_versions(),
        platform=platform.platform(),
        counts={state.value: counted[state] for state in State},
        clauses=[_clause(found) for found in result.clauses.values()],
        explorations=[_exploration(record) for record in result.explorations],
        errors=[KitError(item=item, reason=visible(reason)) for item, reason in result.errors],
        ledger_complaints=[visible(line) for line in result.ledger_complaints],
        leftovers=[visible(path) for path in result.leftovers],
    )


def write(report: Report, folder: Path) -> Path:
    """Write `report.json` into the folder, and return its path.

    Raises:
        ReportError: the folder cannot be made or written; what was there before is untouched.
    """
    path = folder / FILE
    write_text(path, report.model_dump_json(indent=2) + "\n")
    return path


def schema() -> str:
    """Return the JSON Schema of a report, as text that ends in a newline."""
    return json.dumps(Report.model_json_schema(), indent=2, sort_keys=True) + "\n"


def _clause(found: ClauseResult) -> Clause:
    clause, entry = found.clause, found.entry
    expires = entry.expires.isoformat() if entry and entry.expires else None
    return Clause(
        id=clause.id,
        group=clause.group,
        level=found.level,
        sentence=clause.sentence,
        state=found.state,
        reason=visible(found.reason),
        by_own_doing=found.by_own_doing,
        evidence=found.evidence,
        same_as=clause.same_as,
        violations=[_violation(violation, number) for number, violation in enumerate(found.violations)],
        known_failure=KnownFailure(reason=entry.reason, issue=entry.issue, expires=expires) if entry else None,
    )


def _violation(violation: ViolationRecord, number: int) -> Violation:
    """Return a violation; only the first of a clause has its script written."""
    written = number == 0 and bool(violation.script)
    return Violation(
        message=visible(violation.message),
        expected=visible(violation.expected),
        actual=visible(violation.actual),
        steps=[visible(line) for line in violation.steps],
        found_by=violation.item,
        rerun=visible(violation.rerun),
        repeats=violation.repeats,
        likely_cause=visible(violation.likely_cause),
        script=f"{SCRIPTS}/{violation.clause}.py" if written else None,
    )


def _exploration(record: ItemRecord) -> Exploration:
    return Exploration(
        item=record.item,
        outcome=record.outcome,
        reason=visible(record.reason),
        examples=record.examples,
        planned_examples=record.planned_examples,
        calls=record.calls,
        seconds=round(record.seconds, 3),
    )


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that is not installed
            continue
    return found


if __name__ == "__main__":
    print(schema(), end="")
