"""Runs the checks of one item and says what came of them.

Here Hypothesis meets the rig: examples are drawn, run on a fresh scope each, and shrunk. Must not know: pytest.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Flaky

from pytest_memory_store.checks import Finding, accepted_under
from pytest_memory_store.example import Example, NotExercised, Setting, Violation, violation_of
from pytest_memory_store.rig import MAX_HANGS, StoreHungError
from pytest_memory_store.shortening import Recast, shorten

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pytest_memory_store.suites.registry import Check
    from pytest_memory_store.transcript import Step


class _EnoughError(BaseException):
    """Ends a Hypothesis run at once: its share of the time is spent."""


@dataclass(slots=True)
class Budget:
    """What one check may spend: `examples` to draw, seconds to draw them in, seconds to shrink in."""

    examples: int
    seconds: float
    shrink_seconds: float


@dataclass(slots=True)
class Finds:
    """What running a check showed. `violations` holds the smallest per clause."""

    evidence: Counter[str] = field(default_factory=Counter[str])
    violations: dict[str, Violation] = field(default_factory=dict[str, Violation])
    leftovers: list[str] = field(default_factory=list[str])
    examples: int = 0
    cut: bool = False

    def keep(self, violation: Violation) -> bool:
        """Keep a violation if it is the first of its clause or smaller than the one at hand; say whether it was."""
        known = self.violations.get(violation.clause)
        if known is not None and violation.size >= known.size:
            return False
        self.violations[violation.clause] = violation
        return True


def run_check(setting: Setting, check: Check, budget: Budget, run_seed: int, reopen: Callable[[], None]) -> Finds:
    """Run one check on its examples.

    `reopen` opens the store again after a hang took its loop away.

    Raises:
        NotExercised: the check found no way to put its clause to the test, or too many calls hung.
    """
    finds = Finds()
    body = _Body(setting, check, finds, budget, reopen)
    if not check.strategies:
        with suppress(Violation):
            body()
        _replay_fewer(body)
        return finds
    with suppress(Violation, _EnoughError, Flaky):  # what breaks now and then is a violation all the same, and kept
        _drawing(check, budget, run_seed)(given(**check.strategies)(_with_keywords(body)))()
    _drop_elements(body)
    _replay_fewer(body)
    return finds


def _replay_fewer(body: _Body) -> None:
    """Shorten the transcripts of what was found, as long as the time for that lasts."""
    body.until = time.monotonic() + body.shrink_seconds
    for clause, violation in list(body.finds.violations.items()):
        if body.setting.fatal(clause) or clause == body.check.clause:
            body.finds.keep(shorten(violation, partial(body.replay, violation)))


def _drop_elements(body: _Body) -> None:
    """Leave out elements of drawn lists while the same clause still breaks.

    Hypothesis shrinks better, but on a slow store its time is over before a long program is short.
    """
    body.until = time.monotonic() + body.shrink_seconds
    for clause in list(body.finds.violations):
        drawn = dict(body.drawn_for.get(clause, {}))
        for name, value in drawn.items():
            index = len(value) - 1 if hasattr(value, "append") else -1
            while index >= 0:
                shorter = {**drawn, name: [*drawn[name][:index], *drawn[name][index + 1 :]]}
                if body.still_breaks(clause, shorter):
                    drawn = shorter
                index -= 1


def _with_keywords(body: _Body) -> Callable[..., None]:
    def example(**drawn: Any) -> None:
        body(**drawn)

    return example


def _drawing(check: Check, budget: Budget, run_seed: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def decorate(test: Callable[[], None]) -> Callable[[], None]:
        phases = (Phase.generate, Phase.shrink) if budget.shrink_seconds > 0 else (Phase.generate,)
        configured = settings(
            max_examples=max(1, budget.examples),
            database=None,
            deadline=None,
            phases=phases,
            verbosity=Verbosity.quiet,
            print_blob=False,
            report_multiple_bugs=False,
            suppress_health_check=cast("list[HealthCheck]", list(HealthCheck)),
        )
        return configured(seed(zlib.crc32(f"{run_seed}:{check.clause}:{check.name}".encode()))(test))

    return decorate


class _Body:
    """The body of one check's examples: sets up an example, runs it, cleans up, and keeps what it showed."""

    def __init__(
        self, setting: Setting, check: Check, finds: Finds, budget: Budget, reopen: Callable[[], None]
    ) -> None:
        self.setting, self.check, self.finds, self.reopen = setting, check, finds, reopen
        self.shrink_seconds = budget.shrink_seconds
        self.until = time.monotonic() + budget.seconds
        self.drawn_for: dict[str, dict[str, Any]] = {}

    def still_breaks(self, clause: str, drawn: dict[str, Any]) -> bool:
        """Whether this example breaks the clause too; no more are tried once the time is over."""
        try:
            self(**drawn)
        except Violation as violation:
            return violation.clause == clause
        except (_EnoughError, NotExercised, Exception):  # noqa: BLE001 - a check may rely on what its strategy promised
            return False
        return False

    def __call__(self, **drawn: Any) -> None:
        if time.monotonic() > self.until and self.finds.examples:
            self.finds.cut = not self.finds.violations
            raise _EnoughError
        rig = self.setting.rig
        if rig.hangs >= MAX_HANGS:
            raise NotExercised(f"{MAX_HANGS} calls did not return, so nothing more was asked of the store")
        self.finds.examples += 1
        rig.restore_random()
        example = Example(self.setting, own=self.check.clause)
        try:
            self._run(example, drawn)
        except Violation as violation:
            self._keep(violation, drawn)
            raise
        finally:
            rig.keep_random()
            self.finds.evidence.update(example.evidence)
            for advisory in example.advisories:
                self.finds.keep(advisory)

    def replay(self, violation: Violation, steps: Sequence[Step]) -> Violation | None:
        """Make the calls of these steps again on a fresh scope, and give the violation they show, if they do."""
        if time.monotonic() > self.until or self.setting.rig.hangs:
            return None
        example = Example(self.setting, own=self.check.clause)
        recast = Recast(violation.transcript.scope, example)
        try:
            self.setting.rig.run(self._cleanly(example, recast.play(steps)))
        except Violation as shown:
            return shown
        return None

    def _keep(self, violation: Violation, drawn: dict[str, Any]) -> None:
        if not self.finds.violations:
            self.until = time.monotonic() + self.shrink_seconds
        if self.finds.keep(violation):
            self.drawn_for[violation.clause] = drawn

    def _run(self, example: Example, drawn: dict[str, Any]) -> None:
        rig = self.setting.rig
        try:
            rig.run(self._cleanly(example, self.check.function(example, **drawn)))
        except StoreHungError as hang:
            self.reopen()
            raise _hang_violation(example, hang) from None

    async def _cleanly(self, example: Example, playing: Awaitable[None]) -> None:
        try:
            await playing
        finally:
            self.finds.leftovers += await example.clean_up()


def _hang_violation(example: Example, hang: StoreHungError) -> Violation:
    """The violation that a call is which neither returned nor could be cancelled."""
    call = example.transcript.steps[-1].call
    clause = accepted_under(example.model, call, example.model.expect(call))
    booked = example.setting.applies(clause) or clause
    finding = Finding(
        booked,
        "the call did not return and ignored its cancellation",
        f"an answer within {hang.seconds:g} s",
        "none",
    )
    return violation_of(booked)(finding, example.transcript)
