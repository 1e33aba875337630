"""Compares a search result with the model, clause by clause (contract, rulings on search).

Pure. Nothing is compared field by field, since stores may rank, cut and shorten as they like: the match set and
the flags are exact only where no bound cut anything; membership, bounds, uniqueness and snippets always are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pytest_memory_store.calls import Returned, Search
from pytest_memory_store.checks import Judgement, is_finite_number, shape
from pytest_memory_store.model import Model

TOOL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", re.ASCII)
"""Names that the memory tools can address (SRCH-24); `..` is excluded beside it."""

_RESULT_FIELDS: dict[str, type | tuple[type, ...]] = {"matches": list, "scanned": int, "truncated": bool}
_MATCH_FIELDS: dict[str, type | tuple[type, ...]] = {"path": str, "snippet": str, "score": (int, float)}


def addressable(name: str) -> bool:
    """Whether the memory tools accept this file name."""
    return TOOL_NAME.fullmatch(name) is not None and ".." not in name


def judge_search(
    verdict: Judgement, model: Model, call: Search, files: Mapping[str, str], outcome: Returned, *, lexical: bool = True
) -> None:
    """Book what a search result shows; `files` are the direct children of the prefix with their content."""
    result = outcome.value
    if not _is_result(verdict, result):
        return
    bounds = (call.limit, call.max_files, call.max_chars, call.max_file_chars)
    if not call.query.split() or min(bounds) <= 0:
        clause = "SRCH-09" if not call.query.split() else "SRCH-10"
        empty = not result.matches and result.scanned == 0 and not result.truncated
        verdict.check(clause, empty, "a search for nothing is not the empty result", "no matches, 0, False", result)
        return
    if not _judge_membership(verdict, model, call, files, result.matches):
        return
    _judge_bounds(verdict, call, files, result)
    _judge_snippets(verdict, model, call, files, result.matches)
    if lexical:
        _judge_matches(verdict, model, call, files, result)
    elif len(files) > call.max_files:
        verdict.check("SRCH-07", result.truncated, "files were left out without `truncated`", True, result.truncated)


def _is_result(verdict: Judgement, result: Any) -> bool:
    if result is None or not shape(verdict, result, _RESULT_FIELDS, "MemorySearchResult"):
        if result is None:
            verdict.check("SRCH-23", False, "a search returns nothing", "MemorySearchResult", None)
        return False
    verdict.held.append(verdict.blame or "SRCH-23")
    return all(shape(verdict, match, _MATCH_FIELDS, "MemorySearchMatch") for match in result.matches)


def _judge_membership(
    verdict: Judgement, model: Model, call: Search, files: Mapping[str, str], matches: list[Any]
) -> bool:
    paths = [match.path for match in matches]
    ok = verdict.check("SRCH-19", len(set(paths)) == len(paths), "a path is returned twice", "each path once", paths)
    for path in paths:
        if path in files:
            continue
        clause, message = _stranger(model, call.prefix, path)
        return verdict.check(clause, False, message, sorted(files), path)
    if paths:
        verdict.held += [verdict.blame or clause for clause in ("SRCH-02", "SRCH-22")]
    if call.prefix.endswith("/"):
        verdict.held.append(verdict.blame or "SRCH-01")
    return ok


def _stranger(model: Model, prefix: str, path: str) -> tuple[str, str]:
    """Why `path` must not be in the result, and the clause that says so."""
    if not path.startswith(prefix):
        loosely = path.lower().startswith(prefix.lower()) or (
            len(path) >= len(prefix) and all(a == b or a in "_.-" for a, b in zip(prefix, path, strict=False))
        )
        if loosely and not path.startswith(prefix[:-1]):
            return "PATH-08", "a prefix character is taken for a wildcard"
        return "SRCH-02", "a path outside the prefix is returned"
    if path in model.files:
        return "SRCH-01", "a path of a deeper scope is returned"
    if path in model.lives:
        return "SRCH-21", "a deleted file is found"
    return "SRCH-22", "a path that nobody wrote is returned"


def _judge_bounds(verdict: Judgement, call: Search, files: Mapping[str, str], result: Any) -> None:
    count, scanned = len(result.matches), result.scanned
    verdict.check("SRCH-04", count <= call.limit, "more matches than `limit`", call.limit, count)
    most = min(call.max_files, len(files))
    message = "`scanned` is no count of files inspected in the scope"
    verdict.check("SRCH-03", count <= scanned <= most if count <= most else 0 <= scanned <= most, message, f"0 to {most}", scanned)
    spent = sum(len(m.path.removeprefix(call.prefix)) + len(m.snippet) for m in result.matches)
    verdict.check("SRCH-05", spent <= call.max_chars, "names and snippets exceed `max_chars`", call.max_chars, spent)


def _judge_snippets(
    verdict: Judgement, model: Model, call: Search, files: Mapping[str, str], matches: list[Any]
) -> None:
    for match in matches:
        full = files[match.path]
        seen = full[: call.max_file_chars]
        core = strip_markers(match.snippet)
        if quotes(seen, match.snippet):
            verdict.held += [verdict.blame or "SRCH-17"] if core else []
            continue
        clause, message = "SRCH-17", "the snippet is not text of the file"
        if quotes(full, match.snippet):
            clause, message = "SRCH-06", "the snippet quotes text beyond `max_file_chars`"
        verdict.check(clause, False, message, seen[:200], match.snippet)


def strip_markers(snippet: str) -> str:
    """The snippet without the marks of what was left out at its ends."""
    return snippet.removeprefix("...").removesuffix("...").removeprefix("…").removesuffix("…")


def quotes(content: str, snippet: str) -> bool:
    """Whether the snippet is text of `content`, its marks set aside, white space taken as it comes."""
    if snippet in content or strip_markers(snippet) in content or set(snippet) <= {"."}:
        return True
    parts = [part for part in re.split(r"\.\.\.|…", snippet) if part.strip()]
    return all(part in content or part.strip() in content for part in parts)


def terms(query: str) -> list[str]:
    """The query's white-space separated terms, lowered."""
    return query.lower().split()


def matches_text(text: str, query: str) -> bool:
    """Whether any term of the query occurs in `text`, case aside (SRCH-13, SRCH-14)."""
    lowered = text.lower()
    return any(term in lowered for term in terms(query))


def _judge_matches(
    verdict: Judgement, model: Model, call: Search, files: Mapping[str, str], result: Any
) -> None:
    seen = {path: content[: call.max_file_chars] for path, content in files.items()}
    name = {path: path.removeprefix(call.prefix) for path in files}
    due = {p for p in files if matches_text(seen[p], call.query) or matches_text(name[p], call.query)}
    optional = {p for p in files if not addressable(name[p])}
    found = [match.path for match in result.matches]
    for path in set(found) - due:
        clause, message = _undue(call, files[path])
        verdict.check(clause, False, message, "no match", path)
    for path in sorted(set(found) & optional):
        verdict.check("SRCH-24", False, "a file is returned whose name the tools cannot address", "left out", path)
    for match in result.matches:
        fits = is_finite_number(match.score) and match.score > 0
        verdict.check("SRCH-18", fits, "the score is no finite number above 0", "> 0", match.score)
    keys = [(-m.score, m.path) for m in result.matches]
    verdict.check("SRCH-15", keys == sorted(keys), "matches are not ordered by score, then path", sorted(keys), keys)
    _judge_completeness(verdict, call, files, due, optional, result)


def _undue(call: Search, content: str) -> tuple[str, str]:
    """Why a file that matches nothing it may match was returned, and the clause that forbids it."""
    if matches_text(content, call.query):
        return "SRCH-06", "a file matches by text beyond `max_file_chars`"
    if matches_text(call.prefix, call.query):
        return "SRCH-12", "the prefix takes part in matching"
    return "SRCH-13", "a file is returned that contains no term of the query"


def _judge_completeness(
    verdict: Judgement, call: Search, files: Mapping[str, str], due: set[str], optional: set[str], result: Any
) -> None:
    found = {match.path for match in result.matches}
    cut = any(len(content) > call.max_file_chars for path, content in files.items() if path not in optional)
    unscanned = len(set(files) - optional) > call.max_files
    left_out = not unscanned and bool(due - optional - found)
    names = sum(len(p.removeprefix(call.prefix)) + 1 for p in due)
    room = len(due) <= call.limit and names + sum(len(files[p]) for p in due) <= call.max_chars
    if not unscanned and room and due - optional - found:
        missing = sorted(due - optional - found)[0]
        verdict.check(_missed(call, files[missing], missing), False, "a file that matches is not found", missing, sorted(found))
        return
    if cut or unscanned or left_out:
        verdict.check("SRCH-07", result.truncated is True, "something was left out without `truncated`", True, result.truncated)
    elif len(files) <= call.max_files and room and not optional:
        verdict.check("SRCH-08", result.truncated is False, "a complete search says that it is truncated", False, result.truncated)
        if due:
            verdict.held.append(verdict.blame or "SRCH-14")


def _missed(call: Search, content: str, path: str) -> str:
    text = content[: call.max_file_chars]
    if not matches_text(text, call.query):
        return "SRCH-16"
    literal = any(term in text for term in call.query.split())
    plain = all(c.isalnum() for c in call.query if not c.isspace())
    if literal and plain:
        return "SRCH-14" if len(terms(call.query)) > 1 or call.query not in text.split() else "SRCH-21"
    return "SRCH-13" if call.query.isascii() else "SRCH-13b"
