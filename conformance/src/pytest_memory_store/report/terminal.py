"""What a run prints: the summary at its end, and the list of clauses.

Pure: a `RunResult` in, lines out. Must not know: pytest, files. `mark` gives a text its colour.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_memory_store.clauses import CATALOGUE, GROUPS
from pytest_memory_store.clauses.clause import Clause, Level, Status
from pytest_memory_store.report.failure import failure_report
from pytest_memory_store.report.text import Mark, Paragraph, count, plain, shorten, visible
from pytest_memory_store.report.verdict import ClauseResult, RunResult, State, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_memory_store.report.facts import RunFacts

__all__ = ["clause_list", "failure_report", "summary", "verdict_line"]

_REASON = 160
_MOST_PATHS = 10
_ROW_STATES = (
    State.HELD,
    State.BROKEN,
    State.ADVISORY,
    State.KNOWN_FAILURE,
    State.NOT_EXERCISED,
    State.ERROR,
    State.NOT_APPLICABLE,
    State.PLANNED,
)
_JUDGED = _ROW_STATES[:6]
_STYLES: Mapping[State, str] = {
    State.BROKEN: "bad",
    State.ERROR: "bad",
    State.ADVISORY: "warn",
    State.KNOWN_FAILURE: "warn",
    State.NOT_EXERCISED: "warn",
}
_VERDICT_STYLES: Mapping[Verdict, str] = {
    Verdict.CONFORMANT: "good",
    Verdict.NOT_CONFORMANT: "bad",
    Verdict.INCOMPLETE: "warn",
}


def summary(
    result: RunResult,
    facts: RunFacts,
    *,
    strict: bool = False,
    scripts: Mapping[str, str] | None = None,
    width: int = 100,
    mark: Mark = plain,
) -> list[str]:
    """Return the summary of a run, the verdict last.

    `strict` says that advisories fail the run; `scripts` are the paths of the reproduction scripts by clause.
    """
    page = Paragraph(width)
    sections = (
        _header(facts, page, mark),
        _groups(result, page, mark),
        _broken("broken", result.in_state(State.BROKEN), result, scripts or {}, page, mark),
        _broken("advisories (a SHOULD is broken)", result.in_state(State.ADVISORY), result, scripts or {}, page, mark),
        _reasons("known failures", State.KNOWN_FAILURE, result, page, mark),
        _reasons("not exercised", State.NOT_EXERCISED, result, page, mark),
        _notes("errors of the kit", (f"{item}: {reason}" for item, reason in result.errors), page, mark),
        _notes("the ledger is out of date", result.ledger_complaints, page, mark),
        _notes("left behind in the store, as it could not be deleted", _some(result.leftovers), page, mark),
    )
    lines = [line for section in map(list, sections) if section for line in [*section, ""]]
    return [*lines, verdict_line(result, strict=strict, mark=mark)]


def verdict_line(result: RunResult, *, strict: bool = False, mark: Mark = plain) -> str:
    """Return the verdict with the reason for it, in one line."""
    word = mark(f"verdict: {result.verdict}", _VERDICT_STYLES[result.verdict])
    fails = "; ".join(_fails_all_the_same(result, strict=strict))
    return f"{word} ({_because(result)}{f'; the run fails all the same: {fails}' if fails else ''})"


def clause_list(catalogue: Mapping[str, Clause] = CATALOGUE, *, width: int = 100) -> list[str]:
    """Return the clauses of the contract by group, with their level, and their status where they are not checked."""
    page = Paragraph(width)
    lines: list[str] = []
    for group, title in GROUPS.items():
        members = [clause for clause in catalogue.values() if clause.group == group]
        if not members:
            continue
        lines += [""] * bool(lines) + [f"{group}: {title}"]
        for clause in members:
            head = f"  {clause.id:<10}{clause.level:<8}"
            lines += page.hanging(head, f"{clause.sentence}{_note(clause)}")
    return lines


def _note(clause: Clause) -> str:
    if clause.same_as:
        return f" (the same as {clause.same_as})"
    return "" if clause.status is Status.CHECKED else f" ({clause.status})"


def _header(facts: RunFacts, page: Paragraph, mark: Mark) -> Iterator[str]:
    yield mark(f"memory-store: {facts.store}", "title")
    has = f"has {' and '.join(facts.capabilities)}" if facts.capabilities else "has neither search nor metadata"
    yield from page.hanging("", f"claims {facts.claimed}; {has}" if facts.claims else f"claims nothing; {has}")
    share = f", {facts.seconds_in_store / facts.seconds:.0%} of it in the store" if facts.seconds else ""
    yield from page.hanging(
        "",
        f"plan {facts.plan or 'none'}, seed {facts.seed}; {count(facts.calls, 'call')} in {facts.seconds:.1f} s{share}",
    )


def _groups(result: RunResult, page: Paragraph, mark: Mark) -> Iterator[str]:
    named = max(map(len, GROUPS.values()))
    for group, title in GROUPS.items():
        states = Counter(r.state for r in result.clauses.values() if r.clause.group == group and not r.clause.same_as)
        counts = [(state, f"{states[state]} {state}") for state in _ROW_STATES if states[state]]
        cells = "  ".join(mark(text, _STYLES.get(state, "")) for state, text in counts)
        if counts:
            indent = " " * (3 - counts[0][1].index(" "))
            yield f"{group:<6}  {title:<{named}} {indent}{cells}"
    for record in result.explorations:
        explored = f"{count(record.examples, 'example')}, {count(record.calls, 'call')}"
        yield from page.hanging("", f"{record.item}: {explored}")


def _broken(
    title: str,
    results: list[ClauseResult],
    run: RunResult,
    scripts: Mapping[str, str],
    page: Paragraph,
    mark: Mark,
) -> Iterator[str]:
    if not results:
        return
    yield mark(title, _STYLES[results[0].state])
    for result in results:
        found = result.violations[0]
        also = [r.clause.id for r in run.clauses.values() if r.clause.same_as == result.clause.id]
        twins = f" (also {', '.join(also)})" if also else ""
        by = f" (found by {found.item})" if found.item != result.clause.id else ""
        yield from page.hanging(f"  {result.clause.id:<10}", f"A store {result.clause.sentence}{twins}.")
        yield from page.hanging(" " * 12, shorten(visible(f"{found.message}{by}"), _REASON))
        if result.clause.id in scripts:
            yield f"{' ' * 12}python {scripts[result.clause.id]}"


def _reasons(title: str, state: State, result: RunResult, page: Paragraph, mark: Mark) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for found in result.in_state(state):
        by_reason.setdefault(found.reason, []).append(found.clause.id)
    if by_reason:
        yield mark(title, _STYLES[state])
    judged = [c.clause.id for c in result.in_state(*_JUDGED)]
    for reason, ids in by_reason.items():
        named = ", ".join(_runs(ids, judged))
        yield from page.hanging("  ", f"{shorten(visible(reason), _REASON)}: {named}", indent=4)


def _runs(ids: list[str], order: list[str]) -> Iterator[str]:
    """Name clauses shortly: whole groups, and runs of neighbours in `order`, the clauses that are judged, as one."""
    groups = {group: [name for name in order if _group_of(name) == group] for group in GROUPS}
    whole = [group for group, members in groups.items() if len(members) > 1 and set(members) <= set(ids)]
    if whole:
        yield f"all of {' and '.join(filter(None, [', '.join(whole[:-1]), whole[-1]]))}"
    rest = [name for name in ids if _group_of(name) not in whole]
    for _, neighbours in groupby(rest, key=lambda name: (_group_of(name), order.index(name) - rest.index(name))):
        first, *more = neighbours
        yield f"{first} to {more[-1]}" if len(more) > 1 else ", ".join([first, *more])


def _group_of(clause_id: str) -> str:
    return clause_id.rpartition("-")[0]


def _notes(title: str, notes: Iterable[str], page: Paragraph, mark: Mark) -> Iterator[str]:
    lines = [line for note in notes for line in page.hanging("  ", shorten(visible(note), 4 * _REASON), indent=4)]
    if lines:
        yield mark(title, "bad")
        yield from lines


def _some(paths: tuple[str, ...]) -> Iterator[str]:
    yield from paths[:_MOST_PATHS]
    if len(paths) > _MOST_PATHS:
        yield f"and {len(paths) - _MOST_PATHS:,} more, which a report by --memory-store-report lists"


def _because(result: RunResult) -> str:
    if result.verdict is Verdict.NOT_CONFORMANT:
        return f"{count(len(_must(result, State.BROKEN)), 'MUST clause')} broken"
    if result.verdict is Verdict.INCOMPLETE:
        reasons = Counter(_why(found) for found in result.unproven)
        said = ", ".join(f"{number:,} {why}" for why, number in reasons.items())
        counted = f"{count(len(result.unproven), 'MUST clause')} not shown to hold"
        return f"{counted}: {said if len(reasons) > 1 else next(iter(reasons))}"
    advisories = len(result.in_state(State.ADVISORY))
    noted = f", {advisories:,} {'advisory' if advisories == 1 else 'advisories'}" if advisories else ""
    planned = len(result.in_state(State.PLANNED))
    later = f"; {planned:,} more {'is' if planned == 1 else 'are'} planned for a later version" if planned else ""
    return f"{count(len(result.in_state(State.HELD)), 'clause')} held{noted}{later}"


def _must(result: RunResult, state: State) -> list[ClauseResult]:
    return [found for found in result.in_state(state) if found.level is Level.MUST]


def _why(result: ClauseResult) -> str:
    if result.state is State.KNOWN_FAILURE:
        return "in the ledger"
    if result.state is State.ERROR:
        return "because of an error of the kit"
    return shorten(visible(result.reason), _REASON)


def _fails_all_the_same(result: RunResult, *, strict: bool) -> Iterator[str]:
    if result.verdict is Verdict.NOT_CONFORMANT:
        return
    if result.ledger_complaints:
        yield "the ledger is out of date"
    if strict and result.in_state(State.ADVISORY):
        yield "advisories count by --memory-store-strict"
    if result.errors:
        yield "the kit itself failed"
