"""A failure reads as a bug report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_memory_store.clauses.clause import Level
from pytest_memory_store.report.failure import failure_report
from pytest_memory_store.results import ViolationRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.clauses.clause import Clause


def violation(**facts: Any) -> ViolationRecord:
    """Make a violation of CAS-02 in one call."""
    known: dict[str, Any] = {
        "clause": "CAS-02",
        "message": "a stale version was accepted",
        "expected": "MemoryConflictError",
        "actual": "version=m2.version",
        "steps": ["1. write(S + '/a.md', 'x', expected_version='v')", "   -> version='w'"],
        "script": "",
        "item": "programs",
        "rerun": "pytest --memory-store=m:f 'memory-store::programs' --memory-store-seed=1",
    }
    return ViolationRecord(**(known | facts))


def test_the_report_says_everything_in_order(catalogue: Mapping[str, Clause]) -> None:
    """Clause, calls, what is wrong, why it matters, and how to see it again."""
    found = violation(likely_cause="The update has no WHERE on the version.", repeats="2 of 3 repeats")
    assert failure_report(found, catalogue["CAS-02"], script="out/repro/CAS-02.py", width=60) == [
        "CAS-02 (MUST): a store replaces a file only when its version",
        "equals `expected_version`.",
        "",
        "S is a scope made for this run, m1 what call 1 answered:",
        "1. write(S + '/a.md', 'x', expected_version='v')",
        "   -> version='w'",
        "",
        "what is wrong:  a stale version was accepted (2 of 3",
        "                repeats)",
        "expected:       MemoryConflictError",
        "actual:         version=m2.version",
        "why it matters: Something is lost.",
        "likely cause:   The update has no WHERE on the version.",
        "",
        "run again:      pytest --memory-store=m:f 'memory-store::programs' --memory-store-seed=1",
        "without pytest: python out/repro/CAS-02.py",
    ]


def test_what_is_not_known_is_left_out(catalogue: Mapping[str, Clause]) -> None:
    """No calls, no cause and no script give no empty headings."""
    lines = failure_report(violation(steps=[]), catalogue["CAS-02"], level=Level.SHOULD)
    assert lines[:3] == [
        "CAS-02 (SHOULD): a store replaces a file only when its version equals `expected_version`.",
        "",
        "what is wrong:  a stale version was accepted",
    ]
    assert not any(line.startswith(("likely cause", "without pytest")) for line in lines)


def test_the_middle_of_a_long_transcript_is_left_out(catalogue: Mapping[str, Clause]) -> None:
    """The first calls and the last ones tell the story."""
    steps = [line for number in range(1, 101) for line in (f"{number}. read()", "   -> None")]
    lines = failure_report(violation(steps=steps), catalogue["CAS-02"])
    shown = [line for line in lines if line.endswith((" read()", " more calls)"))]
    assert shown[:6] == ["1. read()", "2. read()", "3. read()", "4. read()", "   (80 more calls)", "85. read()"]
    assert shown[-1] == "100. read()"


def test_a_transcript_that_just_fits_is_whole(catalogue: Mapping[str, Clause]) -> None:
    """Twenty calls are shown, of twenty-one the middle one is left out."""
    for calls, note in ((20, False), (21, True)):
        steps = ["1. read()", "   -> None"] * calls
        assert ("   (1 more call)" in failure_report(violation(steps=steps), catalogue["CAS-02"])) is note


def test_long_texts_are_cut_where_they_differ(catalogue: Mapping[str, Clause]) -> None:
    """A person sees the difference, not 65,536 characters; spaces are never folded."""
    found = violation(expected="x" * 9_000 + "  A", actual="x" * 9_000 + "  B")
    lines = failure_report(found, catalogue["CAS-02"])
    assert next(line for line in lines if line.startswith("expected")).endswith("xx  A")
    assert next(line for line in lines if line.startswith("actual")).endswith("xx  B")
    assert max(map(len, lines)) < 500


def test_a_store_cannot_break_the_output(catalogue: Mapping[str, Clause]) -> None:
    """Control characters and lone surrogates from a store are shown as escapes."""
    found = violation(
        message="said \x1b[2J", expected="\n", actual="\ud800", steps=["1. a\nb", "   -> \r"], likely_cause="\x07"
    )
    text = "".join(failure_report(found, catalogue["CAS-02"]))
    assert text.isprintable()


def test_the_headline_is_marked(catalogue: Mapping[str, Clause]) -> None:
    """Colour is the caller's business."""
    lines = failure_report(violation(), catalogue["CAS-02"], mark=lambda text, style: f"<{style}>{text}")
    assert [line for line in lines if line.startswith("<")] == [
        "<bad>CAS-02 (MUST): a store replaces a file only when its version equals `expected_version`."
    ]
