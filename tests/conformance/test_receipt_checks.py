"""Receipts: which promise a wrong answer to a repeated, refused or unknown operation breaks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.calls import (
    UNSET,
    Call,
    Delete,
    GetOperation,
    MemoryOperation,
    Mutation,
    Outcome,
    Raised,
    Read,
    Returned,
    Write,
)
from pytest_memory_store.checks import judge
from pytest_memory_store.model import Model

if TYPE_CHECKING:
    from pytest_memory_store.judgement import Judgement

OPERATION = MemoryOperation("kit-1", "fp")
WRITE = Write("s/a.md", "x", None, OPERATION)


@dataclass(frozen=True)
class MemoryMutation:
    """An answer as a store gives it."""

    version: str | None
    replayed: bool
    existed: bool


@dataclass(frozen=True)
class MemoryFile:
    """A file as a store gives it."""

    content: str
    version: str
    operation_id: str | None
    truncated: bool = False
    metadata: Any = None


class MemoryConflictError(Exception):
    """A version conflict."""


class MemoryOperationConflictError(Exception):
    """A known id with other arguments."""


CONFLICT = Raised(MemoryConflictError())
CLASH = Raised(MemoryOperationConflictError())
UNKNOWN = Returned(None)
REPLAY = Returned(MemoryMutation("1", replayed=True, existed=False))
AGAIN = Returned(MemoryMutation("2", replayed=False, existed=False))


def see(model: Model, call: Call, outcome: Outcome) -> Judgement:
    """Judge an outcome and take it in."""
    expectation = model.expect(call)
    verdict = judge(model, call, expectation, outcome)
    version = getattr(outcome.value, "version", None) if isinstance(outcome, Returned) else None
    model.learn(call, expectation, version)
    return verdict


def broken(model: Model, call: Call, outcome: Outcome) -> str:
    """The clause that an outcome breaks first."""
    return judge(model, call, model.expect(call), outcome).findings[0].clause


def applied(call: Mutation = WRITE, version: str | None = "1") -> Model:
    """A model after one operation."""
    model = Model()
    assert not see(model, call, Returned(MemoryMutation(version, replayed=False, existed=False))).findings
    return model


def test_a_right_replay_holds_every_clause_that_it_shows() -> None:
    """A stale repetition with other metadata is evidence for three clauses."""
    held = see(applied(), replace(WRITE, metadata={"by": "x"}), REPLAY).held
    assert {"OP-03", "OP-06", "META-09"} <= set(held)


def test_a_wrong_replay_is_booked_by_what_the_operation_did() -> None:
    """An operation applied again breaks OP-03, or OP-16 for a delete, or OP-17 where the file moved on."""
    assert broken(applied(), WRITE, AGAIN) == "OP-03"
    delete = Delete("s/a.md", None, OPERATION)
    assert (
        broken(applied(delete, None), delete, Returned(MemoryMutation(None, replayed=False, existed=False))) == "OP-16"
    )
    model = applied()
    see(model, Write("s/a.md", "y", "1"), Returned(MemoryMutation("2", replayed=False, existed=True)))
    assert broken(model, WRITE, AGAIN) == "OP-17"


def test_a_conflict_in_place_of_a_replay_is_the_order_of_checks() -> None:
    """A store that knows the operation and refuses its version looks at the version first."""
    assert broken(applied(), WRITE, CONFLICT) == "OP-06"
    delete = Delete("s/a.md", "0", OPERATION)
    model = Model()
    see(model, Write("s/a.md", "x", None), Returned(MemoryMutation("0", replayed=False, existed=False)))
    see(model, delete, Returned(MemoryMutation(None, replayed=False, existed=True)))
    assert broken(model, delete, CONFLICT) == "OP-16"
    see(model, GetOperation(OPERATION), Returned(MemoryMutation(None, replayed=True, existed=True)))
    assert broken(model, delete, CONFLICT) == "OP-06"


@pytest.mark.parametrize(("path", "version", "clause"), [("s/a.md", "1", "OP-17"), ("s/b.md", None, "OP-28")])
def test_a_receipt_that_was_seen_is_dropped_by_what_happened_since(path: str, version: str | None, clause: str) -> None:
    """A receipt that is gone after a write to its own file breaks OP-17, after one to another OP-28."""
    model = applied()
    assert broken(model, GetOperation(OPERATION), UNKNOWN) == "OP-04"
    see(model, GetOperation(OPERATION), REPLAY)
    see(model, Write(path, "y", version), Returned(MemoryMutation("2", replayed=False, existed=version is not None)))
    assert broken(model, GetOperation(OPERATION), UNKNOWN) == clause


def test_another_fingerprint_is_booked_by_the_error() -> None:
    """A version conflict breaks OP-07 where the version is stale, and OP-05 where it is not; an answer breaks OP-05."""
    other = replace(OPERATION, fingerprint="other")
    stale, current = replace(WRITE, operation=other), replace(WRITE, operation=other, expected_version="1")
    assert broken(applied(), stale, CONFLICT) == "OP-07"
    assert broken(applied(), current, CONFLICT) == "OP-05"
    assert broken(applied(), stale, REPLAY) == "OP-05"
    assert broken(applied(), GetOperation(other), REPLAY) == "OP-05"
    assert see(applied(), stale, CLASH).held == ["OP-07"]


def test_metadata_is_no_part_of_an_operation() -> None:
    """A clash for an operation whose metadata alone differs breaks META-09."""
    model = applied(replace(WRITE, metadata={"by": "one"}))
    assert broken(model, replace(WRITE, metadata={"by": "other"}), CLASH) == "META-09"
    assert broken(model, replace(WRITE, metadata=UNSET), CLASH) == "META-09"
    assert broken(model, replace(WRITE, metadata={"by": "one"}), CLASH) == "OP-03"


def test_a_first_application_that_says_replay_is_told_from_a_receipt_of_a_refusal() -> None:
    """A new version is a wrong flag (OP-26); an old one is the receipt of the refused attempt (OP-09)."""
    model = Model()
    see(model, Write("s/a.md", "x", None), Returned(MemoryMutation("1", replayed=False, existed=False)))
    see(model, WRITE, CONFLICT)
    retry = replace(WRITE, expected_version="1")
    assert broken(model, retry, Returned(MemoryMutation("2", replayed=True, existed=True))) == "OP-26"
    assert broken(model, retry, Returned(MemoryMutation("1", replayed=True, existed=True))) == "OP-09"
    assert broken(model, retry, CLASH) == "OP-09"
    assert broken(model, replace(WRITE, path="s/b.md"), CLASH) == "OP-09"
    assert broken(model, WRITE, Raised(RuntimeError())) == "OP-09"


def test_a_call_without_an_operation_is_no_replay() -> None:
    """A plain write that says so breaks OP-15, a plain delete DEL-02."""
    replay = MemoryMutation("1", replayed=True, existed=False)
    assert broken(Model(), Write("s/a.md", "x", None), Returned(replay)) == "OP-15"
    assert broken(Model(), Delete("s/a.md", None), Returned(replace(replay, version=None))) == "DEL-02"


@pytest.mark.parametrize("like", ["KIT-1", "kit-1 "])
def test_an_id_that_resembles_a_known_one_is_another(like: str) -> None:
    """A lookup, an answer or a clash for such an id breaks OP-14."""
    operation = MemoryOperation(like, "fp")
    assert broken(applied(), GetOperation(operation), REPLAY) == "OP-14"
    assert broken(applied(), GetOperation(operation), CLASH) == "OP-14"
    assert broken(applied(), Write("s/b.md", "x", None, operation), REPLAY) == "OP-14"
    assert broken(applied(), Write("s/b.md", "x", None, operation), CLASH) == "OP-14"


def test_an_unknown_operation_is_told_from_a_refused_one() -> None:
    """A lookup that fails for a refused operation breaks OP-01, unless the store knows how to answer `None`."""
    model = applied()
    refused = MemoryOperation("kit-2", "fp")
    see(model, Write("s/a.md", "late", None, refused), CONFLICT)
    assert broken(model, GetOperation(refused), REPLAY) == "OP-09"
    assert broken(model, GetOperation(refused), Raised(KeyError())) == "OP-01"
    assert broken(model, GetOperation(replace(refused, fingerprint="other")), CLASH) == "OP-09"
    see(model, GetOperation(MemoryOperation("kit-3", "fp")), UNKNOWN)
    assert broken(model, GetOperation(refused), Raised(KeyError())) == "OP-09"


def test_a_replay_that_moves_the_version_is_told_from_one_that_changes_the_file() -> None:
    """The version alone breaks OP-25, the operation id READ-09, the content OP-03."""
    model = applied()
    file = MemoryFile("x", "1", "kit-1")
    read = Read("s/a.md", 2**31 - 1)
    see(model, read, Returned(file))
    see(model, WRITE, REPLAY)
    assert broken(model, read, Returned(replace(file, version="2"))) == "OP-25"
    assert broken(model, read, Returned(replace(file, operation_id=None))) == "READ-09"
    assert broken(model, read, Returned(replace(file, content="xx"))) == "OP-03"
    assert "OP-25" in see(model, read, Returned(file)).held
