"""One example: a fresh scope on the store, the model of it, and the transcript of every call.

A check gets an `Example` and makes calls through it. Each call is recorded, made under the deadline, compared with
the model and booked: as evidence where a clause held, as a `Violation` where one broke. Must not know: pytest,
Hypothesis, reports.
"""

from __future__ import annotations

import functools
import secrets
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from pytest_memory_store.calls import (
    ALL,
    UNSET,
    Call,
    Delete,
    GetOperation,
    Hung,
    ListPaths,
    MemoryOperation,
    Misfit,
    Outcome,
    Raised,
    Read,
    Returned,
    Search,
    Unset,
    Write,
    error_names,
    is_agents,
)
from pytest_memory_store.checks import Finding, Judgement, judge, second_look, stands
from pytest_memory_store.model import (
    MAX_CONTENT_CHARS,
    MAX_METADATA_CHARS,
    Expectation,
    Fails,
    Finds,
    Model,
    Mutates,
    is_storable,
)
from pytest_memory_store.search_checks import answered_under, judge_search
from pytest_memory_store.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_memory_store.claims import Claims
    from pytest_memory_store.rig import Rig


class Violation(Exception):  # noqa: N818 - the contract's word, and no error of the kit
    """A clause broken, with the transcript that shows it."""

    def __init__(self, finding: Finding, transcript: Transcript) -> None:
        super().__init__(f"{finding.clause}: {finding.message}")
        self.finding = finding
        self.transcript = transcript

    @property
    def clause(self) -> str:
        """The id of the broken clause."""
        return self.finding.clause

    @property
    def size(self) -> tuple[int, int]:
        """How much a person has to read: calls, then characters. The smaller of two shows the fault better."""
        return len(self.transcript.steps), sum(len(line) for line in self.transcript.render())


class NotExercised(BaseException):
    """The clause could not be put to the test; the message says why, for the report.

    A `BaseException`, so that Hypothesis lets it through at once.
    """


@functools.cache
def violation_of(clause: str) -> type[Violation]:
    """A class per clause: Hypothesis tells failures apart by their class, and shrinks each to its own example."""
    return type(f"Violation of {clause}", (Violation,), {})


@dataclass(slots=True)
class Setting:
    """What the examples of one run share: the rig, the store under test, and what is judged.

    `applies` maps a clause id to the clause it is booked on, or to `None` where it is not judged for this store;
    `fatal` says whether a broken clause ends the example (a MUST does, an advisory does not).
    """

    rig: Rig
    store: Any
    claims: Claims
    capabilities: frozenset[str]
    applies: Callable[[str], str | None]
    fatal: Callable[[str], bool]
    operation_type: type = MemoryOperation


@dataclass(slots=True)
class Example:
    """A notebook under a fresh scope. Names are relative to the scope; every bound counts code points."""

    setting: Setting
    own: str = ""
    scope: str = ""
    model: Model = field(default_factory=Model)
    evidence: Counter[str] = field(default_factory=Counter[str])
    advisories: list[Violation] = field(default_factory=list[Violation])
    transcript: Transcript = field(init=False)
    attempted: set[str] = field(default_factory=set[str])
    foreign: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.scope = self.scope or new_scope(self.setting.claims)
        self.transcript = Transcript(self.scope)
        self.model.max_metadata_chars = self.setting.claims.number("max_metadata_chars", MAX_METADATA_CHARS)

    # What a check says

    def path(self, name: str) -> str:
        """The full path of a name of this scope."""
        return f"{self.scope}/{name}" if name else self.scope

    @property
    def prefix(self) -> str:
        """The scope as a prefix for listings and searches."""
        return f"{self.scope}/"

    def operation(self, fingerprint: str = "fp", *, id: str | None = None) -> MemoryOperation:  # noqa: A002 - the protocol's word
        """A new operation with a random id, or with the given one."""
        made: MemoryOperation = self.setting.operation_type(
            id=id or f"kit-{secrets.token_hex(16)}", fingerprint=fingerprint
        )
        return made

    def version(self, name: str) -> str | None:
        """The current version of a file as the model has it, `None` for an absent one."""
        file = self.model.files.get(self.path(name))
        return file.version if file else None

    async def put(self, name: str, content: str, **keywords: Any) -> str:
        """Create or replace a file with its current version, and give the new version.

        Raises:
            NotExercised: the store refused, and no clause that is judged says that it must not.
        """
        outcome = await self.write(name, content, expected_version=self.version(name), **keywords)
        if not isinstance(outcome, Returned):
            raise NotExercised(f"the store refused to write {name!r}")
        return str(outcome.value.version)

    async def write(
        self,
        name: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
        metadata: Mapping[str, str] | Unset | None = UNSET,
        blame: str | None = None,
    ) -> Outcome:
        """Write a file."""
        return await self.perform(Write(self.path(name), content, expected_version, operation, metadata), blame=blame)

    async def read(self, name: str, max_chars: int = ALL, *, blame: str | None = None) -> Outcome:
        """Read a file."""
        return await self.perform(Read(self.path(name), max_chars), blame=blame)

    async def delete(
        self,
        name: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
        blame: str | None = None,
    ) -> Outcome:
        """Delete a file."""
        return await self.perform(Delete(self.path(name), expected_version, operation), blame=blame)

    async def remove(self, name: str, **keywords: Any) -> Outcome:
        """Delete a file with its current version."""
        return await self.delete(name, expected_version=self.version(name), **keywords)

    async def get_operation(self, operation: MemoryOperation, *, blame: str | None = None) -> Outcome:
        """Ask for the receipt of an operation."""
        return await self.perform(GetOperation(operation), blame=blame)

    async def list_paths(self, prefix: str | None = None, *, limit: int = ALL, blame: str | None = None) -> Outcome:
        """List the paths below a full prefix, by default the scope's."""
        return await self.perform(ListPaths(self.prefix if prefix is None else prefix, limit), blame=blame)

    async def search(
        self, query: str, *, prefix: str | None = None, blame: str | None = None, **bounds: int
    ) -> Outcome:
        """Search the files of a full prefix, by default the scope's."""
        return await self.perform(Search(self.prefix if prefix is None else prefix, query, **bounds), blame=blame)

    async def settle(self, names: Iterable[str] | None = None) -> None:
        """Read every live file in full, so that whatever changed one of them is seen now."""
        paths = [self.path(n) for n in names] if names is not None else sorted(self.model.files)
        for path in paths:
            await self.perform(Read(path, ALL))

    def require(self, clause: str, ok: bool, message: str, *, expected: object, actual: object) -> None:  # noqa: FBT001 - the condition is the point
        """Book a clause that the model does not know: as held, or as broken by what the last calls showed."""
        verdict = Judgement(self.transcript.steps[-1].call if self.transcript.steps else ListPaths("", 1))
        verdict.check(clause, ok, message, expected, actual)
        self._book(verdict)

    def hold(self, clause: str) -> None:
        """Book a clause as held, by what the last calls showed."""
        self.require(clause, True, "", expected="", actual="")

    def fail(self, clause: str, message: str, *, expected: object, actual: object) -> None:
        """Book a clause as broken."""
        self.require(clause, False, message, expected=expected, actual=actual)

    # How a call is made

    async def perform(self, call: Call, *, blame: str | None = None) -> Outcome:
        """Make a call, compare what came of it with the model, book it, and give the outcome.

        Raises:
            Violation: a clause that must hold is broken; the example ends here.
        """
        expectation = self.model.expect(call)
        outcome = await self.send(call)
        self.transcript.steps[-1].blame = blame
        outcome = self._without_foreign(call, outcome)
        self.transcript.steps[-1].outcome = outcome
        verdict = self._judge(call, expectation, outcome, blame)
        if verdict.findings and verdict.unsure and (look := second_look(self.model, call, outcome)):
            verdict = self._judge(call, expectation, outcome, blame, await self.send(look))
        self._book(verdict)
        self._learn(call, expectation, outcome, verdict)
        return outcome

    def _learn(self, call: Call, expectation: Expectation, outcome: Outcome, verdict: Judgement) -> None:
        """Take the outcome into the model; where it differs from the expectation, by an advisory, as it really was."""
        if isinstance(call, Write | Delete) and isinstance(expectation, Fails) and stands(verdict, self.model, outcome):
            expectation = Mutates(self.model.files.get(call.path), expectation.clause)
        if isinstance(expectation, Mutates) and not isinstance(outcome, Returned):
            clause = verdict.findings[0].clause if verdict.findings else expectation.clause
            expectation = Fails("ValueError", self._refused_under(call, outcome, clause))
        if isinstance(call, Read | GetOperation) and verdict.findings:
            return  # it confirms nothing
        version = getattr(outcome.value, "version", None) if isinstance(outcome, Returned) else None
        self.model.learn(call, expectation, version)

    def _refused_under(self, call: Call, outcome: Outcome, clause: str) -> str:
        """The clause by which a refusal that need not be must leave everything as it was."""
        if isinstance(outcome, Raised) and is_agents(outcome.error):
            return "TYPE-10"
        return "TYPE-08b" if isinstance(call, Write) and not self.must_keep(call.content) else clause

    async def send(self, call: Call) -> Outcome:
        """Make a call without comparing: for checks that compare by themselves."""
        step = self.transcript.begin(call)
        if isinstance(call, Write):
            self.attempted.add(call.path)
        step.outcome = await self.setting.rig.call(self.setting.store, call)
        return step.outcome

    def must_keep(self, content: str) -> bool:
        """Whether the store has to accept this content: neither NUL nor lone surrogates, and not too long."""
        longest = self.setting.claims.number("max_content_chars", MAX_CONTENT_CHARS)
        return is_storable(content) and len(content) <= min(longest, MAX_CONTENT_CHARS)

    def _may_refuse(self, call: Write, outcome: Outcome) -> bool:
        refused = isinstance(outcome, Raised) and not isinstance(outcome, Misfit)
        return refused and not self.must_keep(call.content)

    def _judge(
        self, call: Call, expectation: Expectation, outcome: Outcome, blame: str | None, look: Outcome | None = None
    ) -> Judgement:
        if isinstance(call, Write) and isinstance(expectation, Mutates) and self._may_refuse(call, outcome):
            return _refused_content(call, outcome, blame)
        if isinstance(call, Search) and isinstance(expectation, Finds):
            lexical = "semantic" not in self.setting.claims
            if isinstance(outcome, Returned):
                verdict = Judgement(call, blame)
                judge_search(verdict, self.model, call, expectation.files, outcome, lexical=lexical)
                return verdict
            blame = blame or answered_under(call, lexical=lexical)
        return judge(self.model, call, expectation, outcome, blame, look)

    def _without_foreign(self, call: Call, outcome: Outcome) -> Outcome:
        """Drop other people's names from a listing of the whole store; nothing else is kept of them."""
        whole = isinstance(call, ListPaths) and call.prefix in ("", UNSET)
        value: Any = outcome.value if isinstance(outcome, Returned) else None
        if not whole or not isinstance(value, list):
            return outcome
        listed = cast("list[object]", value)
        return Returned([path for path in listed if isinstance(path, str) and path.startswith(self.scope)])

    def _book(self, verdict: Judgement) -> None:
        applies = self.setting.applies
        for clause in verdict.held:
            if booked := applies(clause):
                self.evidence[booked] += 1
        for finding in verdict.findings:
            booked = self._booked(finding)
            if booked is None:
                continue
            violation = violation_of(booked)(replace(finding, clause=booked), self.transcript.copy())
            if self.setting.fatal(booked) or booked == self.own:
                raise violation
            self.advisories.append(violation)

    def _booked(self, finding: Finding) -> str | None:
        """The clause a finding is booked on. Blame makes no violation of what is waived or only advised."""
        booked, plain = self.setting.applies(finding.clause), self.setting.applies(finding.under or finding.clause)
        if booked is None or plain is None:
            return None
        return plain if self.setting.fatal(booked) and not self.setting.fatal(plain) else booked

    # How an example ends

    async def clean_up(self) -> list[str]:
        """Delete whatever this example wrote; give the paths that are still there."""
        hung = any(isinstance(step.outcome, Hung) for step in self.transcript.steps)
        left = [path for path in sorted(self.attempted) if hung or not await self._erase(path)]
        self.attempted.clear()
        return left

    async def _erase(self, path: str) -> bool:
        known = self.model.files.get(path)
        version = known.version if known else self._unexpected(path)
        rig, store = self.setting.rig, self.setting.store
        if version is not None and _deleted(await rig.call(store, Delete(path, version))):
            return True
        for _ in range(3):
            current = await rig.call(store, Read(path, 1))
            if isinstance(current, Hung):
                return False
            if isinstance(current, Raised):
                return version is None  # what was made is still there, although no read shows it
            if current.value is None:
                return True
            await rig.call(store, Delete(path, getattr(current.value, "version", None)))
        return False

    def _unexpected(self, path: str) -> str | None:
        """The version of a file that should never have been accepted, `None` where the model knows the path."""
        calls = () if path in self.model.lives else reversed(self.transcript.steps)
        made = (s.outcome.value for s in calls if _writes(s.call, path) and isinstance(s.outcome, Returned))
        return next((str(getattr(value, "version", None)) for value in made), None)


def _writes(call: Call, path: str) -> bool:
    return isinstance(call, Write) and call.path == path


def _deleted(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and getattr(outcome.value, "existed", False) is True


def _refused_content(call: Write, outcome: Outcome, blame: str | None) -> Judgement:
    """Judge the refusal of content that no store has to keep."""
    verdict = Judgement(call, blame)
    error = outcome.error if isinstance(outcome, Raised) else None
    ok = error is not None and "ValueError" in error_names(error)
    verdict.check("TYPE-08b", ok, "content that cannot be kept is refused with another error", "ValueError", error)
    return verdict


def new_scope(claims: Claims) -> str:
    """A scope that nobody else uses: 12 random hex digits, below the tenant that a bound store serves."""
    tenant = claims.values.get("bound")
    base = f"kit{secrets.token_hex(6)}"
    return f"{tenant.strip('/')}/{base}" if isinstance(tenant, str) else base


__all__ = ["ALL", "Example", "NotExercised", "Setting", "Violation", "new_scope", "violation_of"]
