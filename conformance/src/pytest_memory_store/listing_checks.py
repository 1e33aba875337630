"""Compares a listing with the model, clause by clause.

Pure. A wrong listing is booked on the one clause that says most about it: too many paths, a path twice, a path that
must not be there, the order, and last a path that is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_memory_store.calls import UNSET, ListPaths, Returned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_memory_store.checks import Judgement
    from pytest_memory_store.model import Lists, Model

MANY = 100
"""A listing of more paths than this is one that a back end may give in pages (LIST-05)."""


def judge_listing(verdict: Judgement, model: Model, call: ListPaths, expectation: Lists, outcome: Returned) -> None:
    """Book what a listing shows."""
    listed = as_paths(outcome.value)
    if verdict.check("TYPE-03", listed is not None, "the listing is no list of str", "list[str]", outcome.value):
        _judge_paths(verdict, model, call, expectation, listed or [])


def as_paths(value: object) -> list[str] | None:
    """The value itself where it is a list of str, else `None`."""
    if not isinstance(value, list):
        return None
    listed = cast("list[object]", value)
    return cast("list[str]", listed) if all(isinstance(path, str) for path in listed) else None


def _judge_paths(verdict: Judgement, model: Model, call: ListPaths, expectation: Lists, value: list[str]) -> None:
    prefix = "" if call.prefix is UNSET else str(call.prefix)
    wanted, limit = expectation.paths, call.limit
    due = list(wanted[:limit])
    ok = verdict.check("LIST-03", len(value) <= limit, "more paths than `limit` are listed", limit, len(value))
    ok = verdict.check("LIST-06", len(set(value)) == len(value), "a path is listed twice", due, value) and ok
    if stranger := next((path for path in value if path not in wanted), None):
        ok = verdict.check(*_undue(model, prefix, wanted, stranger), due, value) and ok
    if not ok:
        return
    verdict.check("LIST-02", value == sorted(value), "the listing is not in code-point order", sorted(value), value)
    missing = set(due) - set(value)
    if missing:
        verdict.check(*_missing(model, prefix, wanted, limit, missing), due, value)
    elif len(value) == len(due):
        verdict.held += [verdict.blame or clause for clause in _shown(model, prefix, wanted, limit)]


def _shown(model: Model, prefix: str, wanted: tuple[str, ...], limit: int) -> Iterator[str]:
    """The clauses that a right listing is evidence for."""
    yield "LIST-09"
    if len(wanted) > limit:
        yield "LIST-03"
    elif len(wanted) > MANY:
        yield "LIST-05"
    if any("/" in path.removeprefix(prefix) for path in wanted):
        yield "LIST-01"
    if model.receipts:
        yield "PATH-14"
    others = [path for path in model.files if not path.startswith(prefix)]
    if others:
        yield "SCOPE-01"
    if any(path.startswith(prefix[:-1]) for path in others) and prefix.endswith("/"):
        yield "LIST-08"
    if any(matches_loosely(prefix, path) for path in others):
        yield "PATH-08"
    if prefix and not prefix.endswith("/") and any(not path.startswith(f"{prefix}/") for path in wanted):
        yield "PATH-07"


def _undue(model: Model, prefix: str, wanted: tuple[str, ...], path: str) -> tuple[str, bool, str]:
    """Why `path` must not be listed, as the finding that says so."""
    clause, message = "SCOPE-01", "a path outside the prefix is listed"
    if path.startswith(prefix) and path in model.lives:
        clause, message = "LIST-06", "a deleted path is listed"
    elif any(other.startswith(f"{path.rstrip('/')}/") for other in wanted):
        clause, message = "LIST-06", "a directory is listed as if it were a file"
    elif path.startswith(prefix):
        clause, message = "PATH-14", "a path that nobody wrote is listed"
    elif any(other.endswith(path) for other in wanted):
        clause, message = "LIST-01", "a path is listed without its beginning"
    elif prefix.endswith("/") and path.startswith(prefix[:-1]):
        clause, message = "LIST-08", "a neighbour of the prefix is listed"
    elif matches_loosely(prefix, path):
        clause, message = "PATH-08", "a character of the prefix is taken for a wildcard, or its case is ignored"
    return clause, False, message


def matches_loosely(prefix: str, path: str) -> bool:
    """Whether `path` begins like `prefix` to a pattern language, or where case does not count."""
    head = path[: len(prefix)]
    if path.startswith(prefix) or len(head) < len(prefix):
        return False
    wild = all(a == b or a in "_.-" for a, b in zip(prefix, head, strict=True))
    return wild or head.lower() == prefix.lower()


def _missing(
    model: Model, prefix: str, wanted: tuple[str, ...], limit: int, missing: set[str]
) -> tuple[str, bool, str]:
    """Which promise is broken where these paths should be listed and are not, as a finding."""
    last = model.events[-1].path if model.events else ""
    clause, message = "LIST-01", "a written path is not listed"
    if len(wanted) > limit:
        clause, message = "LIST-03", "the listing is not the first `limit` paths"
    elif len(wanted) > MANY:
        clause, message = "LIST-05", "the listing is not complete although fewer than `limit` paths match"
    elif last in missing - model.listed:
        clause, message = "LIST-09", "the path that was written last is not listed"
    elif prefix and not prefix.endswith("/") and any(not path.startswith(f"{prefix}/") for path in missing):
        clause, message = "PATH-07", "the prefix is not taken as the plain beginning of a path"
    return clause, False, message


__all__ = ["MANY", "as_paths", "judge_listing", "matches_loosely"]
