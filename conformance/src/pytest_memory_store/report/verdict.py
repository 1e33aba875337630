"""The verdict: what the records of a run say about each clause, and about the store.

Pure: records, catalogue, claims and ledger in, a `RunResult` out, which every writer of this package reads.
Must not know: pytest, files, how anything is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pytest_memory_store import claims as claiming
from pytest_memory_store.clauses.clause import Clause, Level, Status
from pytest_memory_store.report.ledger import Entry, Ledger
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import date

    from pytest_memory_store.claims import Claims


class State(StrEnum):
    """What a run says about one clause."""

    HELD = "held"
    """Exercised, and never broken."""
    BROKEN = "broken"
    """A MUST that the store breaks."""
    ADVISORY = "advisory"
    """A SHOULD that the store breaks."""
    KNOWN_FAILURE = "known failure"
    """Broken, and excused by the ledger."""
    NOT_EXERCISED = "not exercised"
    """It applies, and was not put to the test."""
    ERROR = "error"
    """The kit failed, so that nothing can be said."""
    NOT_APPLICABLE = "not applicable"
    """The store has no such capability, or a claim waives the clause."""
    PLANNED = "planned"
    """This version of the kit does not judge it yet."""
    INFORMATIONAL = "informational"
    """A permitted variation, never judged."""


class Verdict(StrEnum):
    """What a run says about the store."""

    CONFORMANT = "conformant"
    """Every MUST that applies was exercised and held."""
    NOT_CONFORMANT = "not conformant"
    """A MUST is broken."""
    INCOMPLETE = "incomplete"
    """No MUST is seen broken, and at least one that applies was not exercised."""


DESELECTED = "deselected"
"""The reason why a clause that the user did not choose was not exercised."""


@dataclass(frozen=True, slots=True)
class ClauseResult:
    """What a run says about one clause.

    `level` is the level in force under the claimed protocol release; `reason` says why the clause is in a
    state that is neither held nor broken; `evidence` counts how often it was checked and held. `violations`
    come with the shortest first; `entry` is the ledger's where it excuses them. A clause that is the same
    as another has that one's result under its own name.
    """

    clause: Clause
    state: State
    level: Level
    reason: str = ""
    evidence: int = 0
    violations: tuple[ViolationRecord, ...] = ()
    entry: Entry | None = None

    @property
    def by_own_doing(self) -> bool:
        """Whether the user, not the store or the run, is why the clause was not found to hold."""
        return self.state is State.KNOWN_FAILURE or (self.state is State.NOT_EXERCISED and self.reason == DESELECTED)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run says about a store. `clauses` are in the contract's order, by id.

    `explorations` are the records of items that are no clauses; `errors` pairs each item in which the kit
    itself failed with what it said; `ledger_complaints` are the ledger's entries that the run has
    overtaken, a line each; `leftovers` are paths that could not be removed again; `interrupted` says what
    broke the run off.
    """

    verdict: Verdict
    clauses: Mapping[str, ClauseResult]
    explorations: tuple[ItemRecord, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    ledger_complaints: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    interrupted: str = ""

    def in_state(self, *states: State) -> list[ClauseResult]:
        """Return the clauses in one of these states, each promise once."""
        return [c for c in self.clauses.values() if c.state in states and c.clause.same_as is None]

    @property
    def unproven(self) -> list[ClauseResult]:
        """The MUST clauses because of which a run without a broken one is incomplete."""
        return [
            result
            for result in self.in_state(State.NOT_EXERCISED, State.KNOWN_FAILURE, State.ERROR)
            if result.level is Level.MUST
        ]

    @property
    def by_own_doing(self) -> bool:
        """Whether the run is incomplete by nothing but the user's own selection or ledger."""
        return self.verdict is Verdict.INCOMPLETE and all(result.by_own_doing for result in self.unproven)


def level_in_force(clause: Clause, claims: Claims) -> Level:
    """Return the level of a clause under the protocol release that the store claims."""
    if clause.since and clause.level_before and claims.protocol < claiming.release(clause.since):
        return clause.level_before
    return clause.level


def why_not_applicable(clause: Clause, claims: Claims, capabilities: Collection[str]) -> str:
    """Return why a store with these claims and capabilities is not judged by a clause; empty where it is."""
    has = claims.flags.union(capabilities)
    if "search" in has and "semantic" not in has:
        has = has | {"lexical"}
    if missing := clause.needs - has:
        return f"the store has no {' and no '.join(sorted(missing))}"
    if waivers := clause.waived_by & claims.flags:
        return f"waived by the claim {' and '.join(sorted(waivers))}"
    return ""


def judge_run(
    records: Iterable[ItemRecord],
    *,
    catalogue: Mapping[str, Clause],
    claims: Claims,
    store: str,
    today: date,
    ledger: Ledger | None = None,
    selected: Collection[str] | None = None,
    interrupted: str = "",
) -> RunResult:
    """Return what the records of one store's items say.

    `store` is the store spec, by which the ledger knows the store, and `today` the day against which its
    entries expire. `selected` are the items that were to run, `None` for all of them; `interrupted` says
    what broke the run off, and is empty where nothing did.
    """
    run = _Run(tuple(records), claims, store, today, ledger or Ledger(), selected, interrupted)
    own = {clause.id: run.judge(clause) for clause in catalogue.values() if clause.same_as is None}
    clauses = {clause.id: own.get(clause.id) or run.share(clause, own) for clause in catalogue.values()}
    errors = tuple((r.item, r.reason) for r in run.records if r.outcome is Outcome.ERROR)
    return RunResult(
        verdict=_verdict(own.values()),
        clauses=clauses,
        explorations=tuple(r for r in run.records if r.item not in catalogue and r.planned_examples),
        errors=errors,
        ledger_complaints=run.complaints(own.values()),
        leftovers=tuple(sorted({path for r in run.records for path in r.leftovers})),
        interrupted=interrupted,
    )


def exit_code(result: RunResult, *, strict: bool = False, require_conformant: bool = False) -> int:
    """Return the exit code of a run: 0, 1 (the store fails) or 3 (the kit failed).

    `strict` makes advisories fail, `require_conformant` a run that is incomplete by the user's own doing.
    """
    advisories = strict and bool(result.in_state(State.ADVISORY))
    if result.verdict is Verdict.NOT_CONFORMANT or result.ledger_complaints or advisories:
        return 1
    if result.errors:
        return 3
    if result.verdict is Verdict.INCOMPLETE and (require_conformant or not result.by_own_doing):
        return 1
    return 0


@dataclass(frozen=True, slots=True)
class _Run:
    """The facts of one run, and how a clause is judged by them."""

    records: tuple[ItemRecord, ...]
    claims: Claims
    store: str
    today: date
    ledger: Ledger
    selected: Collection[str] | None
    interrupted: str
    capabilities: frozenset[str] = field(init=False)
    opened: bool = field(init=False)

    def __post_init__(self) -> None:
        found = frozenset(name for record in self.records for name in record.capabilities)
        object.__setattr__(self, "capabilities", found)
        object.__setattr__(self, "opened", any(record.plan for record in self.records))

    def judge(self, clause: Clause) -> ClauseResult:
        """Judge a clause that has a check of its own, or none yet."""
        level = level_in_force(clause, self.claims)
        evidence = sum(record.evidence.get(clause.id, 0) for record in self.records)
        violations = sorted(self._violations(clause.id), key=_size)
        if violations:
            entry = self.ledger.excuse(clause.id, store=self.store, today=self.today)
            broken = State.BROKEN if level is Level.MUST else State.ADVISORY
            state, reason = (State.KNOWN_FAILURE, entry.reason) if entry else (broken, "")
            return ClauseResult(clause, state, level, reason, evidence, tuple(violations), entry)
        state, reason = self._unbroken(clause)
        return ClauseResult(clause, state, level, reason, evidence)

    def share(self, clause: Clause, own: Mapping[str, ClauseResult]) -> ClauseResult:
        """Give a clause that is the same as another that one's result, where it applies at all."""
        target = own[clause.same_as or clause.id]
        if self.opened and (reason := why_not_applicable(clause, self.claims, self.capabilities)):
            return ClauseResult(clause, State.NOT_APPLICABLE, target.level, reason)
        return replace(target, clause=clause)

    def complaints(self, results: Iterable[ClauseResult]) -> tuple[str, ...]:
        """Return the ledger's entries that this run has overtaken, a line each."""
        known = list(results)
        return self.ledger.complaints(
            store=self.store,
            held=[r.clause.id for r in known if r.state is State.HELD],
            not_judged={r.clause.id: r.reason for r in known if r.state is State.NOT_APPLICABLE},
            today=self.today,
        )

    def _violations(self, clause_id: str) -> Iterator[ViolationRecord]:
        return (v for record in self.records for v in record.violations if v.clause == clause_id)

    def _unbroken(self, clause: Clause) -> tuple[State, str]:
        """Return the state of a clause that nothing broke, and the reason for it."""
        if self.opened and (reason := why_not_applicable(clause, self.claims, self.capabilities)):
            return State.NOT_APPLICABLE, reason
        if clause.status is not Status.CHECKED:
            return State.PLANNED if clause.status is Status.PLANNED else State.INFORMATIONAL, ""
        records = [record for record in self.records if record.item == clause.id]
        if not records:
            return State.NOT_EXERCISED, self._why_no_record(clause.id)
        return _state_by(min(records, key=lambda record: _SEVERITY.index(record.outcome)))

    def _why_no_record(self, item: str) -> str:
        if self.selected is not None and item not in self.selected:
            return DESELECTED
        return f"not reached: {self.interrupted}" if self.interrupted else "not reached: the run ended before it"


_SEVERITY = (Outcome.ERROR, Outcome.NOT_EXERCISED, Outcome.BROKEN, Outcome.HELD, Outcome.NOT_APPLICABLE)
"""Of several outcomes of one item the first of these counts: what was not exercised everywhere is not proven.

An item has several where a fixture of the store is parametrized.
"""


def _state_by(record: ItemRecord) -> tuple[State, str]:
    if record.outcome is Outcome.ERROR:
        return State.ERROR, record.reason
    if record.outcome is Outcome.NOT_APPLICABLE:
        return State.NOT_APPLICABLE, record.reason
    if record.outcome is Outcome.NOT_EXERCISED:
        return State.NOT_EXERCISED, record.reason or "its check did not say why"
    if record.evidence.get(record.item):
        return State.HELD, ""
    others = sorted({violation.clause for violation in record.violations})
    blocked = f"blocked by {', '.join(others)}, which is broken" if others else "its check gathered no evidence"
    return State.NOT_EXERCISED, blocked


def _size(violation: ViolationRecord) -> tuple[int, int]:
    return len(violation.steps), sum(map(len, violation.steps))


def _verdict(results: Iterable[ClauseResult]) -> Verdict:
    states = {result.state for result in results if result.level is Level.MUST}
    if State.BROKEN in states:
        return Verdict.NOT_CONFORMANT
    if states & {State.NOT_EXERCISED, State.KNOWN_FAILURE, State.ERROR}:
        return Verdict.INCOMPLETE
    return Verdict.CONFORMANT
