"""What one call showed, and whether a result has the protocol's shape.

Pure. Must not know: the model, what any call should return.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.calls import Call, Outcome

Kind: TypeAlias = type | tuple[type, ...]

FILE_FIELDS: Mapping[str, Kind] = {
    "content": str,
    "version": str,
    "operation_id": (str, type(None)),
    "truncated": bool,
}
MUTATION_FIELDS: Mapping[str, Kind] = {"version": object, "replayed": bool, "existed": bool}
"""The version of a mutation is a matter of its own (TYPE-04)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One clause seen broken by one call.

    `under` is the clause that the call alone speaks of, where the caller knew a better one.
    """

    clause: str
    message: str
    expected: str
    actual: str
    under: str = ""


@dataclass(slots=True)
class Judgement:
    """What one call showed: the clauses that held, and the findings, the first one first.

    `look` is what a read of the whole file showed right after the call. Where a finding has two possible causes
    that such a read tells apart, and there was none, the judgement is `unsure`.
    """

    call: Call
    blame: str | None = None
    look: Outcome | None = None
    unsure: bool = False
    held: list[str] = field(default_factory=list[str])
    findings: list[Finding] = field(default_factory=list[Finding])

    def check(self, clause: str, ok: bool, message: str, expected: object, actual: object) -> bool:  # noqa: FBT001 - the condition is the point
        """Book `clause` as held, or as broken with this message; say which."""
        booked = self.blame or clause
        if ok:
            self.held.append(booked)
        else:
            self.findings.append(Finding(booked, message, _expected(expected, actual), _text(actual), clause))
        return ok

    def hold(self, *clauses: str) -> None:
        """Book clauses as held."""
        self.held += [self.blame or clause for clause in clauses]


def shape(verdict: Judgement, value: Any, fields: Mapping[str, Kind], name: str) -> bool:
    """Check that `value` is a dataclass instance with these fields and types (TYPE-03)."""
    ok = dataclasses.is_dataclass(value) and not isinstance(value, type)
    message = f"the result is no dataclass instance with the fields of `{name}`"
    if not verdict.check("TYPE-03", ok, message, name, value):
        return False
    for attribute, kind in fields.items():
        if not hasattr(value, attribute):
            return verdict.check("TYPE-03", False, f"the result has no field `{attribute}`", name, value)
        actual = getattr(value, attribute)
        fits = isinstance(actual, kind) and not (isinstance(actual, bool) and not _wants_bool(kind))
        if not verdict.check("TYPE-03", fits, f"the field `{attribute}` has the wrong type", _kind(kind), actual):
            return False
    return True


def _wants_bool(kind: Kind) -> bool:
    return kind is bool or (isinstance(kind, tuple) and bool in kind)


def _kind(kind: Kind) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join("None" if k is type(None) else k.__name__ for k in kinds)


def is_finite_number(value: object) -> bool:
    """Whether `value` is an int or float, no bool, and finite (contract, rulings)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _expected(expected: object, actual: object) -> str:
    """What was expected: beside an answer that is no text, a text only describes it, and is not quoted."""
    return expected if isinstance(expected, str) and not isinstance(actual, str) else _text(expected)


def _text(value: object) -> str:
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return repr(value)
