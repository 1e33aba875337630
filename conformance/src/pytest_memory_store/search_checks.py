"""Compares a search result with the model, clause by clause (contract, rulings on search).

Pure. Stores rank, cut and shorten as they like, so no result is compared as a whole: the match set and the flags are
exact only where no bound cut anything; membership, bounds, uniqueness and snippets always are. The questions come
in an order in which a later one needs the answers to those before it, and the first that a result fails ends it:
what follows would only be the same fault seen again. A SHOULD comes last and is booked on its own clause whatever
the check blames, as it stops nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_memory_store.calls import ALL
from pytest_memory_store.judgement import Judgement, Kind, is_finite_number, shape
from pytest_memory_store.matching import addressable, exact, quotes
from pytest_memory_store.search_causes import (
    Asked,
    answered_under,
    misquoted,
    missed,
    shown,
    stranger,
    undue,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_memory_store.calls import Returned, Search
    from pytest_memory_store.model import Model

_RESULT_FIELDS: Mapping[str, Kind] = {"matches": list, "scanned": int, "truncated": bool}
_MATCH_FIELDS: Mapping[str, Kind] = {"path": str, "snippet": str, "score": (int, float)}


def judge_search(
    verdict: Judgement, model: Model, call: Search, files: Mapping[str, str], outcome: Returned, *, lexical: bool = True
) -> None:
    """Book what a search result shows; `files` are the direct children of the prefix with their content."""
    result, asked = outcome.value, Asked(model, call, files, lexical)
    if not _has_shape(verdict, result, lexical=lexical):
        return
    if call.is_idle:
        clause = "SRCH-10" if call.query.strip() else "SRCH-09"
        empty = not result.matches and result.scanned == 0 and not result.truncated
        verdict.check(clause, empty, "a search for nothing is not the empty result", "no matches, 0, False", result)
        return
    for question in _QUESTIONS:
        question(verdict, asked, result)
        if verdict.findings:
            return
    if max(call.bounds) > ALL:
        verdict.hold("SRCH-04b")
    _advise(verdict, asked, result)


def _has_shape(verdict: Judgement, result: Any, *, lexical: bool) -> bool:
    """SRCH-23: the result is the protocol's."""
    judged = Judgement(verdict.call, verdict.blame or "SRCH-23")
    ok = shape(judged, result, _RESULT_FIELDS, "MemorySearchResult")
    ok = ok and all(shape(judged, match, _MATCH_FIELDS, "MemorySearchMatch") for match in result.matches)
    for match in result.matches if ok and not lexical else ():
        ok = ok and judged.check("SRCH-23", is_finite_number(match.score), "a score is not finite", "a number", match)
    verdict.findings += judged.findings
    if ok:
        verdict.hold("SRCH-23")
    return ok


# Which files are in the result


def _judge_membership(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-19, SRCH-01, SRCH-02: each file once, and only files of the scope."""
    paths = [match.path for match in result.matches]
    once = len(set(paths)) == len(paths)
    if paths or not once:
        verdict.check("SRCH-19", once, "a path is returned twice", "each path once", paths)
    if strange := [path for path in paths if path not in asked.reachable]:
        clause, message = stranger(asked, strange[0])
        verdict.check(clause, False, message, sorted(asked.reachable), strange[0])
        return
    nested = [path.startswith(asked.call.prefix) for path in asked.elsewhere]
    if any(nested):
        verdict.hold("SRCH-01")
    if not all(nested):
        verdict.hold("SRCH-02")
    if asked.model.receipts:
        verdict.hold("SRCH-22")
    if any(path.startswith(asked.call.prefix) for path in asked.model.lives if path not in asked.model.files):
        verdict.hold("SRCH-21")


# How much there is of it


def _judge_bounds(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-03, SRCH-04, SRCH-05; a bound that could not be overrun is no evidence."""
    call, count, scanned = asked.call, len(result.matches), result.scanned
    _bound(verdict, "SRCH-04", "more matches than `limit`", count, call.limit, tried=len(asked.may) > call.limit)
    spent = sum(len(asked.name(m.path)) + len(m.snippet) for m in result.matches)
    whole = sum(len(asked.name(p)) + len(asked.text(p)) for p in asked.may)
    message = "names and snippets exceed `max_chars`"
    _bound(verdict, "SRCH-05", message, spent, call.max_chars, tried=whole > call.max_chars)
    most = min(call.max_files, len(asked.reachable))
    message = "`scanned` is more than the files of the scope that may be looked at"
    tried = len(asked.reachable) > call.max_files or len(asked.model.files) > len(asked.reachable)
    _bound(verdict, "SRCH-03", message, scanned, most, tried=tried)
    if scanned < count:
        verdict.check("SRCH-03", False, "`scanned` is less than the files that were found", f"{count} or more", scanned)


def _bound(verdict: Judgement, clause: str, message: str, actual: int, most: int, *, tried: bool) -> None:
    if actual > most or tried:
        verdict.check(clause, actual <= most, message, f"at most {most}", actual)


# What is quoted


def _judge_snippets(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-17, SRCH-06: a snippet is text of its file, from the part that may be looked at."""
    for match in result.matches:
        text = asked.text(match.path)
        clause, message = misquoted(asked, match.path, match.snippet)
        if not verdict.check(clause, quotes(match.snippet, text), message, text, match.snippet):
            return
        if len(text) < len(asked.reachable[match.path]):
            verdict.hold("SRCH-06")


# Which files match


def _judge_words(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-18, and the match set: what is found matches, and what matches is found where no bound left it out."""
    if not asked.lexical:
        return
    for match in result.matches:
        fits = is_finite_number(match.score) and match.score > 0
        if not verdict.check("SRCH-18", fits, "the score is no finite number above 0", "> 0", match.score):
            return
    if not asked.is_exact:
        return
    found = {match.path for match in result.matches}
    if extra := sorted(found - asked.may):
        clause, message = undue(asked, extra[0])
        verdict.check(clause, False, message, sorted(asked.may), extra[0])
        return
    missing = sorted(asked.must - found, key=lambda path: (not asked.matches(path, exact), path))
    if missing and asked.has_room and len(asked.files) <= asked.call.max_files:
        clause, message = missed(asked, missing[0], result)
        verdict.check(clause, False, message, missing[0], sorted(found))
        return
    verdict.hold(*shown(asked, found))


# What `truncated` says


def _judge_flags(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-07, SRCH-08: `truncated` says whether something was left out."""
    if not asked.is_exact:
        return
    found = {match.path for match in result.matches}
    left = next((what for what, is_so in _left_out(asked, found) if is_so), "")
    if left:
        verdict.check("SRCH-07", result.truncated is True, f"{left} without `truncated`", True, result.truncated)
        return
    if _is_complete(asked, result, found):
        message = "a complete search says that something was left out"
        verdict.check("SRCH-08", result.truncated is False, message, False, result.truncated)


def _is_complete(asked: Asked, result: Any, found: set[str]) -> bool:
    """Whether everything was looked at and returned, or what was not makes no difference to this clause.

    Where the budget is short, only snippets that quote whole files show that nothing was left out of them.
    """
    call, texts = asked.call, asked.files.values()
    if len(texts) > call.max_files or any(len(text) > call.max_file_chars for text in texts):
        return False
    if not asked.lexical:
        return asked.has_room
    whole = all(match.snippet == asked.text(match.path) for match in result.matches)
    return asked.may <= found and (asked.has_room or whole)


def _left_out(asked: Asked, found: set[str]) -> Iterator[tuple[str, bool]]:
    """What a bound can have left out, and whether it did."""
    yield "a file was not looked at", len(asked.sayable) > asked.call.max_files
    yield "a file was cut", asked.is_cut
    yield "a match was left out", asked.lexical and not asked.must <= found


_QUESTIONS: tuple[Callable[[Judgement, Asked, Any], None], ...] = (
    _judge_membership,
    _judge_bounds,
    _judge_snippets,
    _judge_words,
    _judge_flags,
)


# What should be


def _advise(verdict: Judgement, asked: Asked, result: Any) -> None:
    """SRCH-13b, SRCH-15, SRCH-24."""
    found = {match.path for match in result.matches}
    unsayable = {path for path in asked.files if path not in asked.sayable}
    named = sorted(found & unsayable)
    if unsayable & asked.may:
        _should(verdict, "SRCH-24", not named, "a file is found whose name the tools cannot address", [], named)
    if not asked.lexical or not asked.is_exact:
        return
    folded = {path for path in asked.sayable - asked.must if asked.matches(path, str.lower)}
    if folded and asked.has_room and len(asked.files) <= asked.call.max_files:
        message = "a file is found in one case of a letter and not in the other"
        _should(verdict, "SRCH-13b", folded <= found, message, sorted(folded), sorted(found))
    keys = [(-match.score, match.path) for match in result.matches]
    if len(keys) > 1:
        message = "the matches are not ordered by score, then path"
        _should(verdict, "SRCH-15", keys == sorted(keys), message, sorted(keys), keys)


def _should(verdict: Judgement, clause: str, ok: bool, message: str, expected: object, actual: object) -> None:  # noqa: FBT001 - as in `Judgement.check`
    judged = Judgement(verdict.call)
    judged.check(clause, ok, message, expected, actual)
    verdict.held += judged.held
    verdict.findings += judged.findings


__all__ = ["addressable", "answered_under", "judge_search"]
