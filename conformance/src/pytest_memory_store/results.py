"""What an item of a run learnt, as plain data that survives a process boundary.

Must not know: pytest, stores. An item is a clause or an exploration; its record travels on the test report, so
that the process that prints the verdict has all of them, also under xdist.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How an item ended. Only `HELD` means that its clause was exercised and held."""

    HELD = "held"
    BROKEN = "broken"
    NOT_EXERCISED = "not exercised"
    NOT_APPLICABLE = "not applicable"
    ERROR = "error"
    """The kit itself failed, or a check gathered no evidence."""


@dataclass(slots=True)
class ViolationRecord:
    """A broken clause as it is reported.

    `steps` are the numbered calls with their results; `script` is a program that shows the same without the kit;
    `item` is the item that found it, `rerun` the command that finds it again.
    """

    clause: str
    message: str
    expected: str
    actual: str
    steps: list[str]
    script: str
    item: str
    rerun: str
    repeats: str = ""
    likely_cause: str = ""


@dataclass(slots=True)
class ItemRecord:
    """What one item learnt.

    `evidence` counts, per clause, how often it was checked and held; `seconds` is wall time, `calls` are calls of
    the store, `seconds_in_store` the part of the wall time spent in them; `leftovers` are paths that could not be
    removed again.
    """

    item: str
    store: str
    outcome: Outcome = Outcome.HELD
    reason: str = ""
    evidence: dict[str, int] = field(default_factory=dict[str, int])
    violations: list[ViolationRecord] = field(default_factory=list[ViolationRecord])
    examples: int = 0
    planned_examples: int = 0
    calls: int = 0
    seconds: float = 0.0
    seconds_in_store: float = 0.0
    leftovers: list[str] = field(default_factory=list[str])
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    capabilities: list[str] = field(default_factory=list[str])
    plan: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data: dicts, lists, strings and numbers."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ItemRecord:
        """The record that `as_dict` gave."""
        violations = [ViolationRecord(**violation) for violation in data["violations"]]
        read: dict[str, Any] = {**data, "violations": violations, "outcome": Outcome(data["outcome"])}
        return cls(**read)
