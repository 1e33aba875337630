"""Compares what a store did with what the model says, field by field, each field under its clause.

Pure: takes a call, its expectation and its outcome, and gives back which clauses were seen to hold and which
were broken. Search results have a room of their own, `search_checks.py`.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

from pytest_memory_store.calls import (
    UNSET,
    Call,
    Delete,
    GetOperation,
    Hung,
    ListPaths,
    Outcome,
    Raised,
    Read,
    Returned,
    Search,
    Write,
    error_names,
)
from pytest_memory_store.model import (
    Absent,
    Expectation,
    Fails,
    Finds,
    Lists,
    Model,
    Mutates,
    Reads,
    Replays,
    is_storable,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One clause seen broken by one call."""

    clause: str
    message: str
    expected: str
    actual: str


@dataclass(slots=True)
class Judgement:
    """What one call showed: the clauses that held, and the findings, the first one first."""

    call: Call
    blame: str | None = None
    held: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def check(self, clause: str, ok: bool, message: str, expected: object, actual: object) -> bool:  # noqa: FBT001 - the condition is the point
        """Book `clause` as held, or as broken with this message; say which."""
        clause = self.blame or clause
        if ok:
            self.held.append(clause)
        else:
            self.findings.append(Finding(clause, message, _text(expected), _text(actual)))
        return ok


def judge(model: Model, call: Call, expectation: Expectation, outcome: Outcome, blame: str | None = None) -> Judgement:
    """Compare `outcome` with `expectation`; `blame` books every finding on one clause that the caller knows better."""
    verdict = Judgement(call, blame)
    if isinstance(outcome, Hung):
        verdict.check(
            accepted_under(model, call, expectation),
            False,
            "the call did not return",
            f"an answer within {outcome.seconds:g} s",
            "none",
        )
        return verdict
    match expectation:
        case Fails():
            _judge_failure(verdict, expectation, outcome)
        case _ if isinstance(outcome, Raised):
            _judge_refusal(verdict, model, expectation, outcome)
        case Absent():
            _judge_absence(verdict, model, expectation, outcome)
        case Reads():
            _judge_file(verdict, model, expectation, outcome)
        case Mutates():
            _judge_mutation(verdict, model, expectation, outcome)
        case Replays():
            _judge_replay(verdict, expectation, outcome)
        case Lists():
            from pytest_memory_store.listing_checks import judge_listing

            assert isinstance(call, ListPaths)
            judge_listing(verdict, model, call, expectation, outcome)
        case Finds():
            from pytest_memory_store.search_checks import judge_search

            assert isinstance(call, Search)
            judge_search(verdict, model, call, expectation.files, outcome)
    return verdict


def _judge_failure(verdict: Judgement, expectation: Fails, outcome: Returned | Raised) -> None:
    error, clause = expectation.error, expectation.clause
    if isinstance(outcome, Returned):
        accepted = error != "MemoryConflictError" or _looks_applied(verdict.call, outcome.value)
        verdict.check(
            clause if accepted else "CAS-16", False, _ACCEPTED.get(error, "was accepted"), error, outcome.value
        )
        return
    names = error_names(outcome.error)
    wrong = {"MemoryConflictError", "MemoryOperationConflictError"} - {error}
    ok = error in names and not names & wrong
    if clause not in ("CAS-12", "META-12") and error == "MemoryConflictError" and not ok:
        clause = "CAS-16"
    elif error == "MemoryOperationConflictError" and "MemoryConflictError" in names and clause == "OP-05":
        clause = "OP-07"
    message = f"was refused with the wrong error ({type(outcome.error).__name__})"
    verdict.check(clause, ok, message, error, outcome.error)


_ACCEPTED = {
    "ValueError": "bad arguments were accepted",
    "TypeError": "arguments of the wrong type were accepted",
    "MemoryConflictError": "the mutation was applied although its expected version was not the current one",
    "MemoryOperationConflictError": "an operation id was accepted again with another fingerprint",
}


def _looks_applied(call: Call, value: Any) -> bool:
    version = getattr(value, "version", None)
    return bool(version) if isinstance(call, Write) else hasattr(value, "existed")


def accepted_under(model: Model, call: Call, expectation: Expectation) -> str:
    """The clause under which `call` must be accepted: where a refusal, an error or a hang is booked."""
    match expectation:
        case Reads() | Absent():
            return _read_accepted_under(model, call, expectation)
        case Mutates() | Replays() | Fails():
            return expectation.clause
        case Lists():
            return _listing_accepted_under(call)
        case Finds():
            return "SRCH-13"


def _listing_accepted_under(call: Call) -> str:
    prefix = call.prefix if isinstance(call, ListPaths) else UNSET
    if not isinstance(prefix, str) or not prefix:
        return "LIST-07"
    return "PATH-06" if prefix.endswith("/") else "PATH-07"


def _read_accepted_under(model: Model, call: Call, expectation: Reads | Absent) -> str:
    if isinstance(expectation, Absent):
        return expectation.clause
    assert isinstance(call, Read)
    return model.blame(call.path) or "READ-02"


def _judge_refusal(verdict: Judgement, model: Model, expectation: Expectation, outcome: Raised) -> None:
    call, names = verdict.call, error_names(outcome.error)
    clause = accepted_under(model, call, expectation)
    message = f"raised {type(outcome.error).__name__}"
    if isinstance(call, Write | Delete) and isinstance(expectation, Mutates):
        clause, message = _refused_mutation(model, call, expectation, names, clause)
    elif isinstance(call, ListPaths) and "TypeError" in names:
        clause = "LIST-07" if call.prefix is UNSET else "LIST-13"
    elif isinstance(call, Search) and not names & {"ValueError"}:
        message = f"raised {type(outcome.error).__name__} for a query that is plain text"
    verdict.check(clause, False, message, "a result", outcome.error)


def _refused_mutation(
    model: Model, call: Write | Delete, expectation: Mutates, names: frozenset[str], clause: str
) -> tuple[str, str]:
    """Which promise is broken when a mutation that must be applied is refused with an error of these names."""
    if "MemoryOperationConflictError" in names:
        assert call.operation is not None or True
        return "OP-28", "an operation id that was never used is said to be used with other arguments"
    if "MemoryConflictError" in names:
        others = any(path != call.path for path in model.files)
        if clause == "CAS-01" and others:
            return "PATH-10", "a path that does not exist is refused as existing, beside another path"
        if clause == "CAS-02" and others and any(e.path != call.path for e in model.events[-3:]):
            return "CAS-17", "the current version is refused after other paths changed"
        return clause, "a conflict is raised although the expected version is the current one"
    if isinstance(call, Write) and call.operation and call.operation.id in model.failed:
        return "OP-09", "an operation that was refused before cannot be applied any more"
    if isinstance(call, Write) and call.content == "":
        return "READ-12", "empty content is refused"
    if isinstance(call, Write) and not call.content.isascii():
        return "READ-02", "valid content is refused"
    if clause in ("CAS-01", "DEL-03"):
        return "PATH-12" if len(call.path) > 250 else "PATH-01", "a valid write is refused"
    return clause, "a valid mutation is refused"


def _judge_absence(verdict: Judgement, model: Model, expectation: Absent, outcome: Returned) -> None:
    call, value, clause = verdict.call, outcome.value, expectation.clause
    if value is not None and isinstance(call, Read) and clause == "READ-01":
        alias = alias_of(model, call.path)
        if alias is not None:
            clause = "PATH-09" if alias.lower() == call.path.lower() else "PATH-10"
    if value is not None and isinstance(call, GetOperation) and clause == "OP-01":
        similar = any(_similar(call.operation.id, known) for known in model.receipts)
        clause = "OP-14" if similar else "OP-01"
    what = {
        "READ-01": "a path that was never written is not absent",
        "DEL-01": "a deleted file can still be read",
        "OP-01": "a receipt is returned for an operation that was never applied",
        "OP-09": "a refused mutation left a receipt",
        "OP-14": "a receipt is returned for an id that merely resembles a known one",
        "PATH-09": "a path is the same file as another path that differs in case",
        "PATH-10": "a path is the same file as another path",
    }.get(clause, "something is returned where nothing is stored")
    verdict.check(clause, value is None, what, None, value)


def alias_of(model: Model, path: str) -> str | None:
    """The live path that a store is likely to take `path` for: the same in another case, or the most alike."""
    same = [p for p in model.files if p.lower() == path.lower() and p != path]
    if same:
        return same[0]
    alike = [p for p in model.files if p[:40] == path[:40] or p.replace("/", "_") == path.replace("/", "_")]
    return alike[0] if alike else None


def _similar(a: str, b: str) -> bool:
    return a.casefold().strip() == b.casefold().strip() or a[:16] == b[:16]


def shape(verdict: Judgement, value: Any, fields: dict[str, type | tuple[type, ...]], name: str) -> bool:
    """Check that `value` is a dataclass instance with these fields and types (TYPE-03)."""
    ok = dataclasses.is_dataclass(value) and not isinstance(value, type)
    if not verdict.check("TYPE-03", ok, f"the result is no dataclass instance with the fields of `{name}`", name, value):
        return False
    for attribute, kind in fields.items():
        if not hasattr(value, attribute):
            return verdict.check("TYPE-03", False, f"the result has no field `{attribute}`", name, value)
        actual = getattr(value, attribute)
        fits = isinstance(actual, kind) and not (isinstance(actual, bool) and not _wants_bool(kind))
        if not verdict.check("TYPE-03", fits, f"the field `{attribute}` has the wrong type", _kind(kind), actual):
            return False
    return True


def _wants_bool(kind: type | tuple[type, ...]) -> bool:
    return kind is bool or (isinstance(kind, tuple) and bool in kind)


def _kind(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return " or ".join("None" if k is type(None) else k.__name__ for k in kinds)


_OPTIONAL_STR = (str, type(None))
FILE_FIELDS: dict[str, type | tuple[type, ...]] = {
    "content": str,
    "version": str,
    "operation_id": _OPTIONAL_STR,
    "truncated": bool,
}
MUTATION_FIELDS: dict[str, type | tuple[type, ...]] = {"version": _OPTIONAL_STR, "replayed": bool, "existed": bool}


def _judge_file(verdict: Judgement, model: Model, expectation: Reads, outcome: Returned) -> None:
    call, value, file = verdict.call, outcome.value, expectation.file
    assert isinstance(call, Read)
    changed = model.blame(call.path)
    if value is None:
        clause = changed or ("READ-12" if file.content == "" else "READ-07")
        verdict.check(clause, False, "a stored file reads as absent", "the file", None)
        return
    verdict.held.append(verdict.blame or "READ-07")
    if not shape(verdict, value, FILE_FIELDS, "MemoryFile"):
        return
    full, bound = file.content, call.max_chars
    cut = "READ-04" if not full.isascii() else "READ-03"
    content_clause = changed or (cut if bound < len(full) else "READ-02")
    if file.content == "" and not changed:
        content_clause = "READ-12"
    if not verdict.check(
        content_clause,
        value.content == full[:bound],
        "the content is not the bounded prefix of what was written" if bound < len(full) else _CONTENT.get(content_clause, "the content is not what was written"),
        full[:bound],
        value.content,
    ):
        return
    verdict.check(cut, value.truncated == (len(full) > bound), "`truncated` is wrong", len(full) > bound, value.truncated)
    version_clause = changed or ("READ-05" if bound < len(full) else "CAS-08")
    verdict.check(version_clause, value.version == file.version, "the version is not the file's", file.version, value.version)
    verdict.check(
        changed or "READ-09",
        value.operation_id == file.operation_id,
        "`operation_id` is not the operation that produced this version",
        file.operation_id,
        value.operation_id,
    )
    _judge_metadata(verdict, changed, file.metadata, getattr(value, "metadata", None))


_CONTENT = {
    "CAS-07": "a refused mutation changed the file",
    "OP-03": "a replay changed the file",
    "OP-17": "a replay changed a file that had moved on",
    "DEL-11": "deleting another path changed this file",
    "PATH-10": "writing another path changed this file",
    "READ-08": "reading the file changed it",
    "READ-12": "empty content does not read as empty",
}


def _judge_metadata(verdict: Judgement, changed: str | None, expected: dict[str, str] | None, actual: Any) -> None:
    as_dict = dict(actual) if hasattr(actual, "keys") else actual
    if expected is None:
        verdict.check(changed or "META-05", as_dict is None, "metadata is returned where none was recorded", None, actual)
    else:
        plain = all(text.isascii() for pair in expected.items() for text in pair)
        clause = "META-02" if plain else "META-18"
        verdict.check(changed or clause, as_dict == expected, "the metadata is not what was written", expected, actual)


def _judge_mutation(verdict: Judgement, model: Model, expectation: Mutates, outcome: Returned) -> None:
    call, value, current = verdict.call, outcome.value, expectation.current
    if not shape(verdict, value, MUTATION_FIELDS, "MemoryMutation"):
        return
    verdict.held.append(verdict.blame or expectation.clause)
    fresh = "OP-26"
    if call.operation and value.replayed:  # type: ignore[union-attr]
        fresh = "OP-09" if call.operation.id in model.failed else "OP-26"  # type: ignore[union-attr]
    verdict.check(fresh, value.replayed is False, "a first application says that it is a replay", False, value.replayed)
    verdict.check("CAS-21", value.existed == (current is not None), "`existed` is wrong", current is not None, value.existed)
    if isinstance(call, Delete):
        verdict.check("DEL-02", value.version is None, "a delete returns a version", None, value.version)
        return
    ok = isinstance(value.version, str) and value.version != ""
    if verdict.check("TYPE-04", ok, "a write returns no version", "a non-empty str", value.version):
        assert isinstance(call, Write)
        _judge_new_version(verdict, model, call, expectation, value.version)


def _judge_new_version(verdict: Judgement, model: Model, call: Write, expectation: Mutates, version: str) -> None:
    current, lives = expectation.current, model.lives.get(call.path, [])
    this_life = lives[-1] if current is not None else []
    earlier = [v for life in (lives[:-1] if current is not None else lives) for v in life]
    if current is not None:
        same = current.content == call.content
        clause = "CAS-11" if same else "CAS-09"
        message = "a rewrite with the same content keeps the version" if same else "new content keeps the old version"
        if not verdict.check(clause, version != current.version, message, "a new version", version):
            return
        verdict.check(
            "CAS-10", version not in this_life, "a version of this file is used again", "a version never used", version
        )
    if earlier:
        verdict.check(
            "CAS-22", version not in earlier, "a version from before a delete is used again", "a version never used", version
        )


def _judge_replay(verdict: Judgement, expectation: Replays, outcome: Returned) -> None:
    value, receipt, clause = outcome.value, expectation.receipt, expectation.clause
    if value is None:
        message = "the receipt of an applied operation is gone"
        verdict.check(clause, False, message, f"version={receipt.version!r}, existed={receipt.existed}", None)
        return
    if not shape(verdict, value, MUTATION_FIELDS, "MemoryMutation"):
        return
    expected = {"version": receipt.version, "replayed": True, "existed": receipt.existed}
    actual = {name: getattr(value, name) for name in expected}
    message = "a repeated operation was applied again" if not value.replayed else "a replay differs from the first answer"
    verdict.check(clause, actual == expected, message, expected, actual)


def is_finite_number(value: object) -> bool:
    """Whether `value` is an int or float, no bool, and finite (contract, rulings)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return repr(value)


__all__ = ["Finding", "Judgement", "accepted_under", "alias_of", "is_finite_number", "is_storable", "judge", "shape"]
