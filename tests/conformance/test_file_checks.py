"""What a read shows of a file, and which clause a wrong field is booked on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.calls import ALL, Outcome, Raised, Read, Returned, Write
from pytest_memory_store.checks import judge
from pytest_memory_store.model import Event, Model, Mutates

if TYPE_CHECKING:
    from pytest_memory_store.judgement import Judgement

PATH = "scope/a.md"


@dataclass
class Shown:
    """A file as a store shows it."""

    content: str = "some text"
    version: str = "v2"
    operation_id: str | None = None
    truncated: bool = False
    metadata: Any = None


RIGHT = Shown()
BEFORE = Shown("older text", "v1")


def model_of(*, confirmed: bool, content: str = "some text", events: tuple[Event, ...] = ()) -> Model:
    """A model of one file that was written twice, and what happened since a read confirmed it."""
    model = Model()
    for text, version in (("older text", "v1"), (content, "v2")):
        call = Write(PATH, text, None)
        model.learn(call, Mutates(model.files.get(PATH), "CAS-02"), version)
    if confirmed:
        model.learn(Read(PATH, ALL), model.expect(Read(PATH, ALL)))
    model.events += events
    return model


def read(model: Model, outcome: Outcome, max_chars: int = ALL, look: Shown | None = None) -> Judgement:
    """Judge a read that came to this outcome, with a look at the whole file where one is given."""
    call = Read(PATH, max_chars)
    return judge(model, call, model.expect(call), outcome, look=None if look is None else Returned(look))


CONFLICT = (Event("conflict", PATH, "CAS-02"),)
ELSEWHERE = (Event("write", "scope/b.md"),)
WRONG = replace(RIGHT, content="changed")


@pytest.mark.parametrize(
    ("shown", "confirmed", "events", "clause"),
    [
        (WRONG, False, (), "READ-02"),
        (WRONG, True, (), "READ-08"),
        (WRONG, True, CONFLICT, "CAS-07"),
        (WRONG, True, ELSEWHERE, "PATH-10"),
        (WRONG, True, (*CONFLICT, *ELSEWHERE), "CAS-07"),
        (WRONG, True, (Event("refused", PATH, "TYPE-10"),), "TYPE-10"),
        (BEFORE, False, (), "READ-07"),
        (replace(RIGHT, content="older text"), False, (), "READ-07"),
        (None, False, (), "READ-07"),
        (None, True, CONFLICT, "CAS-07"),
        (replace(RIGHT, version="v3"), False, (), "CAS-08"),
        (replace(RIGHT, version="v3"), True, (), "READ-08"),
        (replace(RIGHT, operation_id="op"), False, (), "READ-09"),
        (replace(RIGHT, metadata={}), False, (), "READ-10"),
        (replace(RIGHT, metadata="{}"), False, (), "TYPE-03"),
        (replace(RIGHT, content="some", truncated=True), False, (), "READ-03"),
        (replace(RIGHT, truncated=True), False, (), "READ-03"),
        ({"content": "some text"}, False, (), "TYPE-03"),
    ],
)
def test_a_wrong_read_is_booked_by_what_happened_before(
    shown: Shown | None, confirmed: bool, events: tuple[Event, ...], clause: str
) -> None:
    """The same wrong field is another clause's after a conflict, after a write elsewhere or after nothing at all."""
    verdict = read(model_of(confirmed=confirmed, events=events), Returned(shown))
    assert [finding.clause for finding in verdict.findings] == [clause]


@pytest.mark.parametrize(
    ("content", "clause"),
    [("", "READ-12"), ("e\u0301", "READ-02"), ("a\x00b", "TYPE-08"), ("\ud800", "TYPE-08"), ("x" * 65_537, "TYPE-08")],
)
def test_changed_content_is_booked_by_its_kind(content: str, clause: str) -> None:
    """Empty content, content that every store must keep and content that none must keep each have a clause."""
    verdict = read(model_of(confirmed=False, content=content), Returned(WRONG))
    assert [finding.clause for finding in verdict.findings] == [clause]


def test_a_bounded_read_is_unsure_without_a_look() -> None:
    """A wrong prefix may be the bound's fault or the file's."""
    assert read(model_of(confirmed=True), Returned(WRONG), 4).unsure


@pytest.mark.parametrize(("look", "clause"), [(RIGHT, "READ-03"), (WRONG, "CAS-07")])
def test_a_look_tells_the_bound_from_the_file(look: Shown, clause: str) -> None:
    """Where the whole file is right the bound is to blame, and else what happened to the file."""
    model = model_of(confirmed=True, events=CONFLICT)
    assert read(model, Returned(WRONG), 4, look).findings[0].clause == clause


@pytest.mark.parametrize(
    ("max_chars", "confirmed", "look", "clause"),
    [
        (4, True, RIGHT, "READ-03"),
        (ALL, False, RIGHT, "READ-03"),
        (2**31, True, RIGHT, "READ-03b"),
        (2**31, False, None, "READ-03b"),
        (ALL, True, None, "READ-08"),
    ],
)
def test_a_read_that_raises_is_booked_by_its_bound(
    max_chars: int, confirmed: bool, look: Shown | None, clause: str
) -> None:
    """A bound that another one shows to be at fault, one that may be refused, and a read that worked before."""
    verdict = judge(
        model_of(confirmed=confirmed),
        Read(PATH, max_chars),
        model_of(confirmed=confirmed).expect(Read(PATH, max_chars)),
        Raised(OSError()),
        look=Raised(OSError()) if look is None and max_chars == ALL else None if look is None else Returned(look),
    )
    assert [finding.clause for finding in verdict.findings] == [clause]


def test_a_refusal_after_a_conflict_is_the_conflicts() -> None:
    """A whole file that cannot be read after a conflict was damaged by it."""
    verdict = read(model_of(confirmed=True, events=CONFLICT), Raised(OSError()))
    assert (verdict.findings[0].clause, verdict.unsure) == ("CAS-07", False)


def test_a_right_read_is_evidence() -> None:
    """Each field that agrees counts for its clause."""
    held = read(model_of(confirmed=False), Returned(RIGHT)).held
    assert {"READ-02", "READ-03", "READ-07", "READ-09", "READ-10", "CAS-08", "TYPE-03"} <= set(held)
