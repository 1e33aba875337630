"""One store's run in one process: its rig, its claims and plan, and which clause an item's finds are booked on.

Must not know: pytest. The plugin gives it handles and item names, and gets an `ItemRecord` for each.
"""

from __future__ import annotations

import time
import traceback
import typing
import warnings
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath
from typing import Any, cast

from pytest_memory_store import claims as claims_module
from pytest_memory_store import plan as planning
from pytest_memory_store import smoke
from pytest_memory_store.calls import MemoryOperation
from pytest_memory_store.clauses import CATALOGUE
from pytest_memory_store.clauses.clause import Clause, Level, Status
from pytest_memory_store.example import NotExercised, Setting, Violation
from pytest_memory_store.judging import Budget, Finds, run_check
from pytest_memory_store.report.failure import failure_report
from pytest_memory_store.report.files import script_path, shown
from pytest_memory_store.report.ledger import Ledger
from pytest_memory_store.report.script import render_script
from pytest_memory_store.report.verdict import level_in_force, why_not_applicable
from pytest_memory_store.results import ItemRecord, Outcome, ViolationRecord
from pytest_memory_store.rig import Handle, Rig, StoreHungError, StoreOpenError
from pytest_memory_store.suites import CHECKS, EXPLORATIONS, Check

if typing.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_memory_store.claims import Claims
    from pytest_memory_store.store_spec import StoreSpec

SMOKE = "smoke"
SHRINK_SHARE = 0.05
"""The part of a run's time that shrinking one failure may take."""
MOST_CAUSES = 3
"""How many likely causes are named."""
PUNCTUAL = 0.95
"""The part of a given time after which nothing more is begun."""
LENIENT = 1.2
"""The part of a named budget's time after which what is drawn is cut short."""
ROOM = 3.0
"""How many times its share a check may take while the time is only an aim."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose for a run. `timeout` is the deadline of one call in seconds.

    Without `shrink` the first violation of a clause is kept as it was found, which saves most of the time on a store
    that breaks much.
    """

    budget: planning.BudgetChoice
    seed: int
    timeout: float
    claims: Mapping[str, Any]
    strict: bool = False
    shrink: bool = True


@dataclass(slots=True)
class Kit:
    """Judges one store. `pending` are the items still to come in this process, in order."""

    spec: StoreSpec
    options: Options
    rig: Rig
    ledger: Ledger = field(default_factory=Ledger)
    root: str = "memory-store"
    report: Path | None = None
    pending: list[str] = field(default_factory=list[str])
    claims: Claims = field(init=False)
    capabilities: frozenset[str] = frozenset()
    plan: planning.Plan | None = None
    dead: str = ""
    started: float = field(default_factory=time.monotonic)
    _reported: set[str] = field(default_factory=set[str])
    _held_back: dict[str, Violation] = field(default_factory=dict[str, Violation])
    _found_by: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.claims = claims_module.collect(self.spec.claims, self.options.claims)

    # Which clauses are judged

    def applies(self, clause_id: str) -> str | None:
        """The clause on which `clause_id` is booked for this store, `None` where it is not judged."""
        clause = CATALOGUE.get(clause_id)
        if clause is not None and clause.same_as is not None:
            clause = CATALOGUE[clause.same_as]
        if clause is None or clause.status is not Status.CHECKED or self.why_not(clause):
            return None
        return clause.id

    def why_not(self, clause: Clause) -> str:
        """Why a clause does not apply to this store, empty where it does."""
        return why_not_applicable(clause, self.claims, self.capabilities)

    def level(self, clause_id: str) -> Level:
        """The level in force for a clause under the claimed protocol release."""
        return level_in_force(CATALOGUE[clause_id], self.claims)

    def is_fatal(self, clause_id: str) -> bool:
        """Whether a broken clause ends the example."""
        return self.level(clause_id) is Level.MUST

    # Running an item

    def run_item(self, item: str, handle: Handle, parameters: Mapping[str, Any]) -> ItemRecord:
        """Run everything that belongs to `item`, a clause or an exploration, and say what came of it."""
        self.pending = [name for name in self.pending if name != item]
        record = ItemRecord(item, self.spec.text)
        begun, calls, inside = time.monotonic(), self.rig.calls, self.rig.seconds_in_store
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a warning of the store's must not become its error
                self._judge(record, handle, parameters)
        finally:
            record.seconds = time.monotonic() - begun
            record.calls = self.rig.calls - calls
            record.seconds_in_store = self.rig.seconds_in_store - inside
            record.claims, record.capabilities = self.claims.as_dict(), sorted(self.capabilities)
            record.plan = self.plan.text if self.plan else ""
        return record

    def _judge(self, record: ItemRecord, handle: Handle, parameters: Mapping[str, Any]) -> None:
        if reason := self.dead or self._open(handle):
            self.dead = self.dead or reason
            record.outcome, record.reason = Outcome.NOT_EXERCISED, reason
            if record.item in self._held_back:
                self._book(record, Finds(), parameters)
            return
        clause = CATALOGUE.get(record.item)
        if clause is not None and (reason := self.why_not(clause)):
            record.outcome, record.reason = Outcome.NOT_APPLICABLE, reason
            return
        if record.item == SMOKE:
            return
        self._run_checks(record, self._setting(handle), handle, parameters)

    def _open(self, handle: Handle) -> str:
        """Open the store and, the first time, smoke-check it; give why nothing can be judged, or nothing."""
        try:
            if not handle.is_open:
                handle.open()
        except (StoreOpenError, StoreHungError) as error:
            return f"the store could not be opened: {error}"
        if self.plan is not None:
            return ""
        self.capabilities = claims_module.present(handle.store)
        seen = smoke.check(self._setting(handle))
        if seen.violation is not None:
            self._hold_back(seen.violation.clause, seen.violation)
        if not seen.fatal:
            self.plan = planning.make(self.options.budget, self._applicable_checks(), seen.latency)
        return seen.fatal

    def _applicable_checks(self) -> list[Check]:
        known = {name: made for name, made in CHECKS.items() if name in EXPLORATIONS or self.applies(name) == name}
        return [check for made in known.values() for check in made]

    def _setting(self, handle: Handle) -> Setting:
        return Setting(
            self.rig,
            handle.store,
            self.claims,
            self.capabilities,
            self.applies,
            self.is_fatal,
            operation_type(handle.store),
        )

    def _run_checks(self, record: ItemRecord, setting: Setting, handle: Handle, parameters: Mapping[str, Any]) -> None:
        assert self.plan is not None
        everything = Finds()

        def reopen() -> None:
            handle.open()
            setting.store = handle.store

        has = self.capabilities | self.claims.flags
        for check in CHECKS.get(record.item, ()):
            if not check.needs <= has:
                continue
            record.planned_examples += self.plan.examples(check)
            try:
                finds = run_check(setting, check, self._budget(check), self.options.seed, reopen)
            except NotExercised as reason:
                record.reason = str(reason)
                continue
            except Exception as error:  # noqa: BLE001 - a fault of the kit must not look like the store's, nor end the run
                if not isinstance(error, StoreOpenError):
                    record.outcome, record.reason = Outcome.ERROR, _fault(check, error)
                    break
                self.dead = f"the store could not be opened again after a hang: {error}"
                break
            _merge(everything, finds)
        record.evidence = dict(sorted(everything.evidence.items()))
        record.examples, record.leftovers = everything.examples, everything.leftovers
        self._book(record, everything, parameters)

    def _budget(self, check: Check) -> Budget:
        """What a check may spend: its share of the time that is left, with room where the time is only an aim."""
        assert self.plan is not None
        plan, left = self.plan, self._seconds_left()
        waiting = [other for item in self.pending for other in CHECKS.get(item, ())]
        share = planning.share(check, [check, *waiting], plan)
        if not plan.hard:
            shrinking = max(2.0, min(left, 100.0) * SHRINK_SHARE) if self.options.shrink else 0.0
            return Budget(plan.examples(check), max(0.5, left * share * ROOM), shrinking)
        if left <= 0 or (not check.strategies and planning.example_cost(check, plan.latency) > left):
            raise NotExercised(f"out of budget; every clause needs about {plan.smallest:.0f} s on this store")
        return Budget(plan.examples(check), max(0.02, left * share), max(0.5, left * SHRINK_SHARE))

    def _seconds_left(self) -> float:
        """Seconds until the time of the budget is over; a time that was given is kept, another one nearly."""
        assert self.plan is not None
        allowed = self.plan.seconds * (PUNCTUAL if self.plan.hard else LENIENT)
        return self.started + allowed - time.monotonic()

    # Booking what an item found

    def _book(self, record: ItemRecord, finds: Finds, parameters: Mapping[str, Any]) -> None:
        held_back = self._held_back.pop(record.item, None)
        if held_back is not None:
            finds.keep(held_back)
        blocking: list[str] = []
        for clause, violation in sorted(finds.violations.items()):
            self._found_by.setdefault(clause, record.item)
            if clause != record.item and (clause in self._reported or clause in self.pending):
                if self.level(clause) is Level.MUST:
                    blocking.append(clause)
                if clause in self.pending:
                    self._hold_back(clause, violation)
                continue
            self._reported.add(clause)
            record.violations.append(self._violation(record.item, violation, parameters))
        self._conclude(record, finds, blocking)

    def _hold_back(self, clause: str, violation: Violation) -> None:
        known = self._held_back.get(clause)
        if known is None or violation.size < known.size:
            self._held_back[clause] = violation

    def _conclude(self, record: ItemRecord, finds: Finds, blocking: Sequence[str]) -> None:
        if record.outcome is Outcome.ERROR:
            return
        if record.violations:
            record.outcome = Outcome.BROKEN
        elif record.item in EXPLORATIONS or finds.evidence[record.item]:
            record.outcome = Outcome.HELD
        elif blocking:
            record.outcome = Outcome.NOT_EXERCISED
            record.reason = f"blocked by {', '.join(blocking)}, which is broken"
        elif record.reason or self.dead:
            record.outcome, record.reason = Outcome.NOT_EXERCISED, record.reason or self.dead
        else:
            record.outcome = Outcome.ERROR
            record.reason = "the check made no call that puts this clause to the test; this is a fault of the kit"

    def _violation(self, item: str, violation: Violation, parameters: Mapping[str, Any]) -> ViolationRecord:
        finding = violation.finding
        return ViolationRecord(
            clause=finding.clause,
            message=finding.message,
            expected=violation.transcript.plain(finding.expected),
            actual=violation.transcript.plain(finding.actual),
            steps=violation.transcript.render(),
            script=render_script(
                violation.transcript,
                self.spec.text,
                parameters,
                self.claims.as_dict(),
                finding.clause,
                finding.message,
                finding.expected,
                finding.actual,
            ),
            item=self._found_by.get(finding.clause, item),
            rerun=self.rerun(self._found_by.get(finding.clause, item)),
            likely_cause=likely_cause(finding.clause),
        )

    def excuse(self, clause_id: str) -> str | None:
        """Why the ledger excuses a break of this clause, `None` where it does not."""
        entry = self.ledger.excuse(clause_id, store=self.spec.text, today=date.today())
        return entry.reason if entry else None

    def describe(self, violation: ViolationRecord) -> str:
        """A violation as a report that a person reads."""
        clause = CATALOGUE[violation.clause]
        script = shown(script_path(self.report, violation.clause)) if self.report else ""
        return "\n".join(failure_report(violation, clause, level=self.level(violation.clause), script=script))

    def rerun(self, item: str) -> str:
        """The command that runs this item again, with the same examples."""
        plan = self.plan.text if self.plan else self.options.budget.text
        given = ",".join(name if value is True else f"{name}={value}" for name, value in self.options.claims.items())
        claimed = f" --memory-store-claims={given}" if given else ""
        return (
            f"pytest --memory-store={self.spec.text}{claimed} '{self.root}::{item}' "
            f"--memory-store-seed={self.options.seed} --memory-store-budget={plan}"
        )


def _fault(check: Check, error: Exception) -> str:
    """What went wrong in the kit itself, and where."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error}"
    place = f"{PurePath(frame.filename).name}:{frame.lineno}"
    return f"{said} in the check {check.name} ({place}); this is a fault of the kit"


def _merge(into: Finds, finds: Finds) -> None:
    into.evidence.update(finds.evidence)
    into.leftovers += finds.leftovers
    into.examples += finds.examples
    into.cut = into.cut or finds.cut
    for violation in finds.violations.values():
        into.keep(violation)


def likely_cause(clause_id: str) -> str:
    """What broke this clause in the faulty stores, which are modelled on real ones."""
    from pytest_memory_store.faulty import FAULTY

    causes = [store.likely_cause for store in FAULTY.values() if clause_id in store.clauses]
    return "; or ".join(dict.fromkeys(causes[:MOST_CAUSES]))


def operation_type(store: Any) -> type:
    """The class that the store's own signature names for an operation, where it has the protocol's two fields."""
    try:
        kind = cast("Any", type(store))
        hint = typing.get_type_hints(kind.write).get("operation")
    except Exception:  # noqa: BLE001 - any annotation may be unresolvable; the kit's own class has the right shape
        return MemoryOperation
    for candidate in typing.get_args(hint) or (hint,):
        fields = getattr(candidate, "__dataclass_fields__", {})
        if isinstance(candidate, type) and {"id", "fingerprint"} <= set(fields):
            return candidate
    return MemoryOperation
