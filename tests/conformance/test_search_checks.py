"""A wrong search result is booked on the clause that says most about it, and a right one is evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.calls import ALL, Delete, MemoryOperation, Returned, Search, Write
from pytest_memory_store.judgement import Judgement
from pytest_memory_store.model import Finds, Model, Mutates
from pytest_memory_store.search_checks import answered_under, judge_search

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Match:
    """A match as a store returns it."""

    path: str
    snippet: str
    score: Any = 1.0


@dataclass
class Result:
    """A result as a store returns it."""

    matches: Any = field(default_factory=list[Match])
    scanned: Any = 0
    truncated: Any = False


FILES = {
    "s/a.md": "note one",
    "s/b.md": "a hoopoe note",
    "s/sub/c.md": "note",
    "s0/a.md": "note",
    "S/a.md": "note",
    "s_x/a.md": "note",
}
A, B = Match("s/a.md", "note one"), Match("s/b.md", "a hoopoe note")


def _model(files: Mapping[str, str] = FILES) -> Model:
    model = Model()
    for number, (path, content) in enumerate(files.items()):
        model.learn(Write(path, content, None), Mutates(None, "CAS-01"), f"v{number}")
    return model


def _write(model: Model, path: str, content: str, **keywords: Any) -> None:
    version = f"v{sum(map(len, model.texts.values()))}"
    model.learn(Write(path, content, None, **keywords), Mutates(model.files.get(path), "CAS-02"), version)


def _delete(model: Model, path: str) -> None:
    model.learn(Delete(path, None), Mutates(model.files[path], "DEL-02"))


def _judge(
    model: Model,
    result: object,
    query: str = "note",
    *,
    prefix: str = "s/",
    lexical: bool = True,
    blame: str | None = None,
    **bounds: int,
) -> Judgement:
    call = Search(prefix, query, **bounds)
    expectation = model.expect(call)
    assert isinstance(expectation, Finds)
    verdict = Judgement(call, blame)
    judge_search(verdict, model, call, expectation.files, Returned(result), lexical=lexical)
    return verdict


def _broken(verdict: Judgement) -> list[str]:
    return [finding.clause for finding in verdict.findings]


@pytest.mark.parametrize(
    ("result", "clause"),
    [
        (None, "SRCH-23"),
        ([], "SRCH-23"),
        (Result((A, B), 2), "SRCH-23"),
        (Result([A, B], "2"), "SRCH-23"),
        (Result([A, B], True), "SRCH-23"),
        (Result([A, B], 2, 0), "SRCH-23"),
        (Result([A, Match("s/b.md", "note", "1")], 2), "SRCH-23"),
        (Result([A, B, A], 2), "SRCH-19"),
        (Result([A, B, Match("s/sub/c.md", "note")], 2), "SRCH-01"),
        (Result([A, B, Match("s0/a.md", "note")], 2), "SRCH-02"),
        (Result([A, B, Match("a.md", "note")], 2), "SRCH-02"),
        (Result([A, B, Match("S/a.md", "note")], 2), "PATH-08"),
        (Result([A, B, Match("s/receipt", "note")], 2), "SRCH-22"),
        (Result([A, B], 3), "SRCH-03"),
        (Result([A, B], 1), "SRCH-03"),
        (Result([], -1), "SRCH-03"),
        (Result([A, Match("s/b.md", "note one")], 2), "SRCH-17"),
        (Result([A, Match("s/b.md", "NOTE")], 2), "SRCH-17"),
        (Result([A, Match("s/b.md", "note", 0)], 2), "SRCH-18"),
        (Result([A, Match("s/b.md", "note", float("nan"))], 2), "SRCH-18"),
        (Result([A], 2), "SRCH-21"),
        (Result([A, B], 2, True), "SRCH-08"),
        (Result([B, A], 2), "SRCH-15"),
        (Result([A, Match("s/b.md", "note", 2.0)], 2), "SRCH-15"),
    ],
)
def test_a_wrong_result_is_booked_on_one_clause(result: object, clause: str) -> None:
    """Each way to be wrong has its clause."""
    assert _broken(_judge(_model(), result)) == [clause]


@pytest.mark.parametrize(
    ("bounds", "result", "clause"),
    [
        ({"limit": 1}, Result([A, B], 2, True), "SRCH-04"),
        ({"max_files": 1}, Result([A, B], 2, True), "SRCH-03"),
        ({"max_chars": 20}, Result([A, B], 2, False), "SRCH-05"),
        ({"limit": 1}, Result([A], 2, False), "SRCH-07"),
        ({"max_files": 1}, Result([A], 1, False), "SRCH-07"),
        ({"max_chars": 12}, Result([A], 2, False), "SRCH-07"),
        ({"max_file_chars": 8}, Result([A], 2, False), "SRCH-07"),
        ({"max_file_chars": 8}, Result([A, B], 2, True), "SRCH-06"),
        ({"limit": 2}, Result([A, B], 2, True), "SRCH-08"),
        ({"max_files": 2}, Result([A, B], 2, True), "SRCH-08"),
        ({"max_file_chars": 13}, Result([A, B], 2, True), "SRCH-08"),
        ({"max_chars": 29}, Result([A, B], 2, True), "SRCH-08"),
        ({"max_chars": 45}, Result([A], 2, True), "SRCH-21"),
        ({"limit": 0}, Result([], 2), "SRCH-10"),
        ({"limit": 2**32}, Result([], 2), "SRCH-07"),
        ({"limit": 2**32}, Result([], 2, True), "SRCH-08"),
    ],
)
def test_each_bound_is_judged(bounds: dict[str, Any], result: object, clause: str) -> None:
    """A bound that is overrun, and a flag that does not say what a bound did."""
    assert _broken(_judge(_model(), result, **bounds)) == [clause]


@pytest.mark.parametrize(
    ("bounds", "result"),
    [
        ({}, Result([A, B], 2)),
        ({}, Result([A, Match("s/b.md", "...note")], 2)),
        ({}, Result([Match("s/b.md", "", 7), Match("s/a.md", "", 3)], 2)),
        ({"limit": 1}, Result([B], 2, True)),
        ({"max_files": 1}, Result([], 1, True)),
        ({"max_chars": 20}, Result([A, Match("s/b.md", "note")], 2, False)),
        ({"max_chars": 20}, Result([A, Match("s/b.md", "note")], 2, True)),
        ({"max_chars": 3}, Result([], 2, True)),
        ({"max_file_chars": 8}, Result([A], 2, True)),
        ({"max_file_chars": 2}, Result([], 2, True)),
        ({"limit": 2**40}, Result([A, B], 2)),
    ],
)
def test_what_stores_may_choose_is_no_fault(bounds: dict[str, Any], result: object) -> None:
    """Scores, snippets, what a bound leaves out, and the flag where only a snippet was cut."""
    assert _broken(_judge(_model(), result, **bounds)) == []


def test_a_missing_match_has_a_likely_cause() -> None:
    """The clause follows from how the word stands in the file and in its name."""
    model = _model({"s/a.md": "The Notes of %x é", "s/lark.md": "x"})
    for query, clause in {
        "ote": "SRCH-14",
        "lark": "SRCH-16",
        "notes": "SRCH-13",
        "%x": "SRCH-13",
        "é": "SRCH-13",
        "Notes": "SRCH-21",
        "of absent": "SRCH-14",
    }.items():
        assert _broken(_judge(model, Result([], 2), query)) == [clause], query
    assert _broken(_judge(model, Result([], 2), "É")) == ["SRCH-13b"]


def test_a_bound_in_bytes_cuts_early() -> None:
    """A match that ends within the characters of the bound and beyond its bytes."""
    model = _model({"s/a.md": "漢字 note"})
    assert _broken(_judge(model, Result([], 1), max_file_chars=7)) == ["SRCH-06"]


def test_text_that_replaced_another_is_to_be_found() -> None:
    """A match in the new text alone is missing because of the replacement."""
    model = _model({"s/a.md": "x"})
    _write(model, "s/a.md", "xnotes")
    assert _broken(_judge(model, Result([], 1), "note")) == ["SRCH-21"]


def test_an_undue_match_has_a_likely_cause() -> None:
    """The clause follows from where else the word is."""
    model = _model({"s/a.md": "old", "s/b.md": "y"})
    operation = MemoryOperation("id-canary", "print-canary")
    _write(model, "s/a.md", "new", operation=operation, metadata={"by": "author"})
    for query, clause in {
        "old": "SRCH-21",
        "author": "SRCH-28",
        "id-canary": "SRCH-28",
        "print-canary": "SRCH-28",
        "s/": "SRCH-12",
        "n_w": "SRCH-13",
    }.items():
        assert _broken(_judge(model, Result([Match("s/a.md", "new")], 2), query)) == [clause], query


@pytest.mark.parametrize(("snippet", "clause"), [("old", "SRCH-21"), ("author", "SRCH-28"), ("yy", "SRCH-17")])
def test_a_wrong_snippet_has_a_likely_cause(snippet: str, clause: str) -> None:
    """The clause follows from where the quoted text is."""
    model = _model({"s/a.md": "old", "s/b.md": "yy"})
    _write(model, "s/a.md", "new", metadata={"by": "author"})
    assert _broken(_judge(model, Result([Match("s/a.md", snippet)], 2), "new")) == [clause]


def test_a_deleted_file_is_not_found() -> None:
    """A path that was deleted is one that nobody may find."""
    model = _model()
    _delete(model, "s/b.md")
    assert _broken(_judge(model, Result([A, B], 1))) == ["SRCH-21"]
    assert "SRCH-21" in _judge(model, Result([A], 1)).held


def test_the_prefix_takes_no_room() -> None:
    """A match is missing where its name would fit and its whole path would not."""
    deep = f"{'d' * 100}/"
    model = _model({f"{deep}a.md": "note"})
    assert _broken(_judge(model, Result([], 1, True), prefix=deep, max_chars=50)) == ["SRCH-12"]


def test_unsayable_names_may_be_left_out() -> None:
    """Files that the tools cannot address change neither the match set nor the flags, and should not be found."""
    model = _model({"s/a.md": "note one", "s/_n.md": "note"})
    assert _broken(_judge(model, Result([A], 1))) == []
    assert "SRCH-24" in _judge(model, Result([A], 2)).held
    for truncated in (True, False):
        assert _broken(_judge(model, Result([A], 1, truncated), max_files=1)) == []
    assert _broken(_judge(model, Result([Match("s/_n.md", "note"), A], 2))) == ["SRCH-24"]


def test_a_prefix_without_a_slash_leaves_the_depth_open() -> None:
    """Below it any file may be found and none has to be."""
    model = _model()
    assert _broken(_judge(model, Result([], 0), prefix="s/s")) == []
    assert _broken(_judge(model, Result([Match("s/sub/c.md", "note")], 1), prefix="s/s")) == []
    assert _broken(_judge(model, Result([A], 1), prefix="s/s")) == ["SRCH-02"]


@pytest.mark.parametrize(
    ("result", "clause"),
    [
        (Result([Match("s/b.md", "note", -3.5)], 2), ""),
        (Result([], 2), ""),
        (Result([B, A], 2), ""),
        (Result([A], 2, True), "SRCH-08"),
        (Result([Match("s/b.md", "note", float("inf"))], 2), "SRCH-23"),
        (Result([Match("s/sub/c.md", "note")], 2), "SRCH-01"),
        (Result([Match("s/b.md", "one")], 2), "SRCH-17"),
    ],
)
def test_a_semantic_search_is_judged_by_the_rest(result: object, clause: str) -> None:
    """What matches, in which order and with which score is the store's; scope, bounds and snippets are not."""
    assert _broken(_judge(_model(), result, "bird", lexical=False)) == ([clause] if clause else [])


def test_a_semantic_search_tells_what_it_left_out() -> None:
    """Files not looked at, and files that were cut."""
    assert _broken(_judge(_model(), Result([], 1), "bird", lexical=False, max_files=1)) == ["SRCH-07"]
    assert _broken(_judge(_model(), Result([], 2), "bird", lexical=False, max_file_chars=8)) == ["SRCH-07"]


def test_blame_takes_a_must_and_leaves_a_should() -> None:
    """A check that knows better gets what must hold; advice stays on its own clause."""
    assert _broken(_judge(_model(), Result([A], 2), blame="SRCH-21")) == ["SRCH-21"]
    assert _broken(_judge(_model(), Result([B, A], 2), blame="SRCH-21")) == ["SRCH-15"]


@pytest.mark.parametrize(
    ("query", "bounds", "result", "clause"),
    [
        ("note", {"limit": 1}, Result([A], 2, True), "SRCH-04"),
        ("note", {"max_chars": 12}, Result([A], 2, True), "SRCH-05"),
        ("note", {"max_files": 1}, Result([A], 1, True), "SRCH-03"),
        ("note", {"max_file_chars": 8}, Result([A], 2, True), "SRCH-06"),
        ("note", {"limit": 1}, Result([A], 2, True), "SRCH-07"),
        ("note", {}, Result([A, B], 2), "SRCH-08"),
        ("note", {}, Result([A, B], 2), "SRCH-01"),
        ("note", {}, Result([A, B], 2), "SRCH-02"),
        ("NOTE", {}, Result([A, B], 2), "SRCH-13"),
        ("%", {}, Result([], 2), "SRCH-13"),
        ("ote", {}, Result([A, B], 2), "SRCH-14"),
        ("a.md", {}, Result([A], 2), "SRCH-16"),
        ("s/", {}, Result([], 2), "SRCH-12"),
        (" ", {}, Result(), "SRCH-09"),
        ("note", {"limit": -1}, Result(), "SRCH-10"),
        ("note", {"limit": 2**31}, Result([A, B], 2), "SRCH-04b"),
    ],
)
def test_a_right_result_is_evidence(query: str, bounds: dict[str, Any], result: object, clause: str) -> None:
    """A clause counts as held only by a result that could have broken it."""
    verdict = _judge(_model(), result, query, **bounds)
    assert not verdict.findings
    assert clause in verdict.held


@pytest.mark.parametrize("clause", ["SRCH-03", "SRCH-04", "SRCH-05", "SRCH-06", "SRCH-07", "SRCH-12", "SRCH-24"])
def test_a_result_that_could_not_be_wrong_is_no_evidence(clause: str) -> None:
    """Bounds that are far away, and names that all can say, show nothing."""
    model = _model({"s/a.md": "note one"})
    assert clause not in _judge(model, Result([A], 1)).held


@pytest.mark.parametrize(
    ("call", "lexical", "clause"),
    [
        (Search("s/", "note"), True, "SRCH-23"),
        (Search("s/", "a OR b"), True, "SRCH-13"),
        (Search("s/", '"'), True, "SRCH-13"),
        (Search("s/", '"'), False, "SRCH-23"),
        (Search("s/", " "), True, "SRCH-09"),
        (Search("s/", "note", limit=0), True, "SRCH-10"),
        (Search("s/", "note", limit=ALL), True, "SRCH-23"),
        (Search("s/", "note", limit=ALL + 1), True, "SRCH-04b"),
        (Search("s", "note"), True, "PATH-07"),
    ],
)
def test_an_error_is_booked_on_what_was_asked(call: Search, clause: str, *, lexical: bool) -> None:
    """A search that raises or hangs breaks the clause that its query or bounds put to the test."""
    assert answered_under(call, lexical=lexical) == clause
