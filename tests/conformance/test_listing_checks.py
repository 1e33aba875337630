"""A wrong listing is booked on the clause that says most about it."""

from __future__ import annotations

import pytest

from pytest_memory_store.calls import ListPaths, MemoryOperation, Returned, Write
from pytest_memory_store.judgement import Judgement
from pytest_memory_store.listing_checks import as_paths, judge_listing, matches_loosely
from pytest_memory_store.model import Lists, Model, Mutates

PATHS = ("s/a_b/x.md", "s/axb/x.md", "s/b.md", "s/u1.md", "s/u1/a.md", "s/u10/a.md")


def _model(*paths: str, operation: MemoryOperation | None = None) -> Model:
    model = Model()
    for number, path in enumerate(paths):
        model.learn(Write(path, "x", None, operation), Mutates(None, "CAS-01"), f"v{number}")
    return model


def _judge(model: Model, prefix: str, listed: object, limit: int = 1_000) -> Judgement:
    call = ListPaths(prefix, limit)
    expectation = model.expect(call)
    assert isinstance(expectation, Lists)
    verdict = Judgement(call)
    judge_listing(verdict, model, call, expectation, Returned(listed))
    return verdict


@pytest.mark.parametrize(
    ("prefix", "listed", "clause"),
    [
        ("s/", None, "TYPE-03"),
        ("s/", tuple(PATHS), "TYPE-03"),
        ("s/", [*PATHS, PATHS[-1]], "LIST-06"),
        ("s/", [*PATHS, "s/z-receipt"], "PATH-14"),
        ("s/", ["s/a_b", *PATHS], "LIST-06"),
        ("s/", [PATHS[1], PATHS[0], *PATHS[2:]], "LIST-02"),
        ("s/u1/", ["s/u1/a.md", "s/u10/a.md"], "LIST-08"),
        ("s/a_b/", ["s/a_b/x.md", "s/axb/x.md"], "PATH-08"),
        ("s/u10/", ["s/b.md", "s/u10/a.md"], "SCOPE-01"),
        ("s/u10/", ["a.md"], "LIST-01"),
        ("s/", [path for path in PATHS if path != "s/b.md"], "LIST-01"),
        ("s/", list(PATHS[:-1]), "LIST-09"),
    ],
)
def test_a_wrong_listing_is_booked_on_one_clause(prefix: str, listed: object, clause: str) -> None:
    """Each way to be wrong has its clause."""
    verdict = _judge(_model(*PATHS), prefix, listed)
    assert [finding.clause for finding in verdict.findings] == [clause]


def test_a_path_that_was_listed_before_is_not_late() -> None:
    """Where an earlier listing showed the last path, the prefix is to blame and not the time."""
    model = _model(*PATHS)
    model.learn(ListPaths("s/", 1_000), model.expect(ListPaths("s/", 1_000)))
    verdict = _judge(model, "s/u1", ["s/u1/a.md"])
    assert [finding.clause for finding in verdict.findings] == ["PATH-07"]


@pytest.mark.parametrize(
    ("limit", "listed", "clause"),
    [(2, list(PATHS[:3]), "LIST-03"), (2, list(PATHS[1:3]), "LIST-03"), (2, list(PATHS[:1]), "LIST-03")],
)
def test_a_limit_is_judged(limit: int, listed: list[str], clause: str) -> None:
    """More, other or fewer paths than the first `limit` break LIST-03."""
    assert clause in {finding.clause for finding in _judge(_model(*PATHS), "s/", listed, limit).findings}


def test_a_hole_in_a_long_listing_is_one_of_paging() -> None:
    """Where more than a hundred paths match, a missing one is booked on LIST-05."""
    paths = [f"s/n{number:03}.md" for number in range(150)]
    verdict = _judge(_model(*paths), "s/", paths[:100])
    assert [finding.clause for finding in verdict.findings] == ["LIST-05"]


def test_a_right_listing_is_evidence() -> None:
    """A right listing holds the clauses that its neighbours and operations put to the test."""
    model = _model(*PATHS, operation=MemoryOperation("op", "fp"))
    assert {"LIST-01", "LIST-09", "PATH-14"} <= set(_judge(model, "s/", list(PATHS)).held)
    assert {"LIST-08", "SCOPE-01"} <= set(_judge(model, "s/u1/", ["s/u1/a.md"]).held)
    assert "PATH-08" in _judge(model, "s/a_b/", ["s/a_b/x.md"]).held
    assert "PATH-07" in _judge(model, "s/u1", ["s/u1.md", "s/u1/a.md", "s/u10/a.md"]).held
    assert "LIST-03" in _judge(model, "s/", list(PATHS[:2]), 2).held


@pytest.mark.parametrize(
    ("prefix", "path", "loosely"),
    [
        ("a_b/", "axb/x", True),
        ("a.b/", "a_b/x", True),
        ("A/", "a/x", True),
        ("a_b/", "a_b/x", False),
        ("ab/", "axb/x", False),
        ("a_b/", "a", False),
    ],
)
def test_matches_loosely(prefix: str, path: str, loosely: bool) -> None:
    """A wildcard stands for one character, and a prefix that matches as it is does not match loosely."""
    assert matches_loosely(prefix, path) is loosely


def test_as_paths_gives_the_list_itself() -> None:
    """The store's own list is given back, and anything else is none."""
    listed = ["a"]
    assert as_paths(listed) is listed
    assert as_paths(["a", 1]) is None
    assert as_paths(("a",)) is None
