"""Makes the transcript of a violation shorter, by replaying it without calls that it does not need.

A check that goes through a corpus shows a fault by more calls than a person wants to read. Its calls are made
again on a fresh scope, fewer and fewer of them, while the model still finds the same clause broken. What only the
check itself can see is not found that way, and keeps the transcript that it has. Must not know: pytest,
Hypothesis.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pytest_memory_store.calls import (
    Call,
    Delete,
    GetOperation,
    ListPaths,
    MemoryOperation,
    Read,
    Returned,
    Search,
    Write,
)
from pytest_memory_store.example import Example, Violation
from pytest_memory_store.transcript import Step

_RANDOM = re.compile(r"[0-9a-f]{16,}")
SHORT = 3
"""A transcript of so many calls is short enough."""

Play = Callable[[Sequence[Step]], Violation | None]
"""Makes the calls of these steps on a fresh scope, and gives the violation they show."""


def shorten(violation: Violation, play: Play) -> Violation:
    """The same violation by as few of its calls as still show it; `play` gives `None` when its time is over.

    Runs of calls are left out, half of them at first and one at a time at last; what is shown must be said in the
    same words.
    """
    steps, best = list(violation.transcript.steps), violation
    length = len(steps) // 2
    while len(steps) > SHORT and length:
        start = len(steps) - length
        while start >= 0:
            fewer = [*steps[:start], *steps[start + length :]]
            shown = play(fewer)
            if shown is not None and _same(shown, violation):
                steps, best = fewer, min(best, shown, key=lambda found: found.size)
            start -= length
        length //= 2
    return best


def _same(shown: Violation, violation: Violation) -> bool:
    return (shown.clause, shown.finding.message) == (violation.clause, violation.finding.message)


@dataclass(slots=True)
class Recast:
    """Makes the calls of an old scope into calls of the example's own.

    Versions become those that the same steps answer now; random parts of operation ids are drawn anew, so that no
    receipt of an earlier replay is met.
    """

    old_scope: str
    example: Example
    versions: dict[str, str] = field(default_factory=dict[str, str])
    tokens: dict[str, str] = field(default_factory=dict[str, str])

    async def play(self, steps: Sequence[Step]) -> None:
        """Make the calls, each compared with the model.

        Raises:
            Violation: a clause broke.
        """
        for step in steps:
            outcome = await self.example.perform(self.call(step.call), blame=step.blame)
            self._learn(step, outcome)

    def _learn(self, step: Step, outcome: object) -> None:
        if isinstance(step.outcome, Returned) and isinstance(outcome, Returned):
            old, new = (getattr(o.value, "version", None) for o in (step.outcome, outcome))
            if isinstance(old, str) and isinstance(new, str):
                self.versions.setdefault(old, new)

    def call(self, call: Call) -> Call:
        """The call, with everything that was random replaced."""
        match call:
            case Read():
                return replace(call, path=self._text(call.path))
            case Write() | Delete():
                version = call.expected_version
                known = version if version is None else self.versions.get(version, version)
                operation = self._operation(call.operation) if call.operation else None
                return replace(call, path=self._text(call.path), expected_version=known, operation=operation)
            case GetOperation():
                return replace(call, operation=self._operation(call.operation))
            case ListPaths():
                prefix = self._text(call.prefix) if isinstance(call.prefix, str) else call.prefix
                return replace(call, prefix=prefix)
            case Search():
                return replace(call, prefix=self._text(call.prefix), query=self._text(call.query))

    def _text(self, text: str) -> str:
        return text.replace(self.old_scope, self.example.scope)

    def _operation(self, operation: MemoryOperation) -> MemoryOperation:
        return replace(operation, id=self._renewed(operation.id))

    def _renewed(self, text: str) -> str:
        """The text with each run of random hex digits replaced, the same run always by the same."""
        return _RANDOM.sub(lambda run: self.tokens.setdefault(run[0], _digits(len(run[0]))), text)


def _digits(count: int) -> str:
    return secrets.token_hex(count)[:count]
