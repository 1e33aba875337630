"""What the answer to a write or delete shows, and which clause a wrong one is booked on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_memory_store.calls import Delete, Mutation, Outcome, Raised, Returned, Write
from pytest_memory_store.checks import judge, second_look
from pytest_memory_store.model import Event, Model, Mutates

if TYPE_CHECKING:
    from pytest_memory_store.judgement import Judgement

PATH = "scope/a.md"


@dataclass
class Answer:
    """A mutation as a store answers it."""

    version: object
    replayed: bool = False
    existed: bool = True


@dataclass
class Shown:
    """What a look at the file shows."""

    version: str
    content: str = "text"
    operation_id: str | None = None


class MemoryConflictError(Exception):
    """A conflict by its name."""


def model_of(*events: Event) -> Model:
    """A model of one file of version `v1`, and what happened since."""
    model = Model()
    model.learn(Write(PATH, "text", None), Mutates(None, "CAS-01"), "v1")
    model.events += events
    return model


def mutate(model: Model, call: Mutation, outcome: Outcome, look: object = ...) -> Judgement:
    """Judge a mutation that came to this outcome, with a look at the file where one is given."""
    return judge(model, call, model.expect(call), outcome, look=None if look is ... else Returned(look))


UPDATE = Write(PATH, "newer", "v1")
REWRITE = Write(PATH, "text", "v1")
REMOVE = Delete(PATH, "v1")
ABSENT = Delete("scope/b.md", None)
STALE = Write(PATH, "late", "v0")


@pytest.mark.parametrize(
    ("call", "answer", "look", "clause"),
    [
        (UPDATE, Answer("v1"), Shown("v1"), "CAS-09"),
        (UPDATE, Answer("v1"), Shown("v2"), "CAS-08"),
        (REWRITE, Answer("v1"), Shown("v1"), "CAS-11"),
        (REWRITE, Answer("v1"), Shown("v2"), "CAS-08"),
        (UPDATE, Answer(None), ..., "TYPE-04"),
        (UPDATE, Answer(""), ..., "TYPE-04"),
        (UPDATE, Answer(2), ..., "TYPE-04"),
        (UPDATE, Answer("v2", existed=False), ..., "CAS-21"),
        (REMOVE, Answer(""), ..., "TYPE-04"),
        (REMOVE, Answer("v1"), ..., "DEL-02"),
        (REMOVE, Answer(None, existed=False), ..., "CAS-21"),
        (ABSENT, Answer(None), ..., "CAS-05"),
        (ABSENT, Answer("v1", existed=False), ..., "CAS-05"),
        (UPDATE, None, ..., "TYPE-03"),
    ],
)
def test_a_wrong_answer_is_booked_on_its_clause(call: Mutation, answer: object, look: object, clause: str) -> None:
    """Each field of an answer has a clause, and an old version two, which a look tells apart."""
    assert [finding.clause for finding in mutate(model_of(), call, Returned(answer), look).findings] == [clause]


@pytest.mark.parametrize(
    ("call", "answer", "look", "clause"),
    [
        (STALE, Answer("v9"), Shown("v9", "late"), "CAS-12"),
        (STALE, Answer(None), Shown("v1"), "CAS-16"),
        (Delete(PATH, None), Answer(None), None, "CAS-04"),
        (Delete(PATH, None), Answer(None), Shown("v1"), "CAS-16"),
        (Delete("scope/b.md", "v1"), Answer(None, existed=False), None, "CAS-06"),
        (Delete("scope/b.md", "v1"), Answer(None), None, "CAS-16"),
        (Write("scope/b.md", "x", "v1"), Answer("v9", existed=False), Shown("v9", "x"), "CAS-03"),
        (Write("scope/b.md", "x", "a\x00"), Answer("v9", existed=False), Shown("v9", "x"), "CAS-12b"),
    ],
)
def test_an_answer_in_place_of_a_conflict(call: Mutation, answer: Answer, look: object, clause: str) -> None:
    """A mutation that was let through is told from a conflict that is reported by a result."""
    assert [finding.clause for finding in mutate(model_of(), call, Returned(answer), look).findings] == [clause]


@pytest.mark.parametrize(
    ("call", "events", "look", "clause"),
    [
        (UPDATE, (), Shown("v1"), "CAS-02"),
        (UPDATE, (), Shown("v2"), "CAS-08"),
        (UPDATE, (), None, "READ-07"),
        (UPDATE, (Event("write", "scope/b.md"),), Shown("v1"), "CAS-17"),
        (REMOVE, (Event("delete", "scope/b.md"),), Shown("v1"), "CAS-17"),
        (REMOVE, (), Shown("v1"), "DEL-02"),
        (ABSENT, (), None, "CAS-05"),
    ],
)
def test_an_undue_conflict(call: Mutation, events: tuple[Event, ...], look: object, clause: str) -> None:
    """A refused current version is booked by what the file shows and by who else wrote."""
    verdict = mutate(model_of(*events), call, Raised(MemoryConflictError()), look)
    assert [finding.clause for finding in verdict.findings] == [clause]


@pytest.mark.parametrize(
    ("content", "clause"),
    [("", "READ-12"), ("x" * 20_000, "TYPE-09"), ("\x1a", "READ-02"), ("\u00e9", "READ-02"), ("plain", "CAS-02")],
)
def test_refused_content_is_booked_by_its_kind(content: str, clause: str) -> None:
    """A store that refuses content refuses it for being empty, long or unusual, or refuses the call."""
    verdict = mutate(model_of(), Write(PATH, content, "v1"), Raised(OSError()))
    assert [finding.clause for finding in verdict.findings] == [clause]


def test_a_wrong_error_for_a_conflict_is_booked_on_its_kind() -> None:
    """Any other error than `MemoryConflictError` is CAS-16, unless the version was never given out."""
    assert mutate(model_of(), Write(PATH, "late", None), Raised(OSError())).findings[0].clause == "CAS-16"
    assert mutate(model_of(), Write(PATH, "late", "?"), Raised(OSError())).findings[0].clause == "CAS-12"


def test_a_due_conflict_is_evidence() -> None:
    """A conflict counts for the clause that asks for it and for the one that names its class."""
    assert mutate(model_of(), Write(PATH, "late", None), Raised(MemoryConflictError())).held == ["CAS-16", "CAS-01"]


def test_only_an_unsure_judgement_has_a_second_look() -> None:
    """A look is asked for where the version is old or an answer came for a conflict, and not for other findings."""
    assert mutate(model_of(), UPDATE, Returned(Answer("v1"))).unsure
    assert mutate(model_of(), STALE, Returned(Answer("v9"))).unsure
    assert not mutate(model_of(), UPDATE, Returned(Answer("v2", existed=False))).unsure
    look = second_look(model_of(), UPDATE, Returned(Answer("v1")))
    assert look is not None
    assert look.path == PATH


@pytest.mark.parametrize(
    ("earlier", "version", "clause"),
    [([["v1"]], "v1", "CAS-22"), ([["v1", "v2"], ["v3"]], "v2", "CAS-22")],
)
def test_a_version_of_an_earlier_life(earlier: list[list[str]], version: str, clause: str) -> None:
    """A version that comes back after a delete is advised against, in whichever life it was."""
    model = Model(lives={PATH: earlier})
    verdict = mutate(model, Write(PATH, "x", None), Returned(Answer(version, existed=False)))
    assert [finding.clause for finding in verdict.findings] == [clause]


def test_a_version_of_this_life() -> None:
    """A version that comes back within one life is a broken MUST."""
    model = model_of()
    model.learn(UPDATE, model.expect(UPDATE), "v2")
    verdict = mutate(model, Write(PATH, "text", "v2"), Returned(Answer("v1")))
    assert [finding.clause for finding in verdict.findings] == ["CAS-10"]
