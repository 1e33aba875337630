"""One violation as a bug report: what a person reads where an item failed.

Pure: a record in, lines out. Must not know: pytest, verdicts, files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.report.text import Mark, Paragraph, around_difference, count, plain, shorten, visible

if TYPE_CHECKING:
    from pytest_memory_store.clauses.clause import Clause, Level
    from pytest_memory_store.results import ViolationRecord

_FIRST, _LAST = 4, 16
"""How many calls at the beginning and at the end of a long transcript are shown."""
_LONG = 400
"""The most characters of one call, one answer, or one of expected and actual."""


def failure_report(
    violation: ViolationRecord,
    clause: Clause,
    *,
    level: Level | None = None,
    script: str = "",
    width: int = 100,
    mark: Mark = plain,
) -> list[str]:
    """Return the report of a broken clause.

    `level` is the level in force, the clause's own by default; `script` is the path of the reproduction script.
    """
    page = Paragraph(width)
    expected, actual = around_difference(visible(violation.expected), visible(violation.actual), _LONG)
    facts = (("why it matters", clause.why), ("likely cause", visible(violation.likely_cause)))
    lines = [mark(line, "bad") for line in page.hanging("", f"{clause.id} ({level or clause.level}): {_says(clause)}")]
    lines += ["", *_calls(violation.steps)]
    lines += page.hanging(_head("what is wrong"), _message(violation))
    lines += [_head("expected") + expected, _head("actual") + actual]  # unbroken, since every space counts
    lines += [line for name, text in facts if text for line in page.hanging(_head(name), text)]
    lines += ["", _head("run again") + visible(violation.rerun)]
    return [*lines, f"{_head('without pytest')}python {visible(script)}"] if script else lines


def _head(name: str) -> str:
    return f"{name + ':':<16}"


def _says(clause: Clause) -> str:
    return f"a store {clause.sentence}."


def _message(violation: ViolationRecord) -> str:
    repeats = f" ({violation.repeats})" if violation.repeats else ""
    return visible(f"{violation.message}{repeats}")


def _calls(steps: list[str]) -> list[str]:
    """Return the steps, two lines to a call, without the middle of a long transcript, and a key to them."""
    if not steps:
        return []
    return ["S is a scope made for this run, m1 what call 1 answered:", *_shown(steps), ""]


def _shown(steps: list[str]) -> list[str]:
    lines = [shorten(visible(line), _LONG) for line in steps]
    left_out = len(lines) // 2 - _FIRST - _LAST
    if left_out < 1:
        return lines
    return [*lines[: 2 * _FIRST], f"   ({count(left_out, 'more call')})", *lines[-2 * _LAST :]]
