"""Compares what a write or delete answers with the model, field by field, each field under its clause.

Pure. A version that did not change, and an answer where a conflict was due, may each have two causes; a look at the
file right after the call tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_memory_store.calls import Delete, Mutation, Returned, Write
from pytest_memory_store.judgement import MUTATION_FIELDS, Judgement, shape
from pytest_memory_store.model import metadata_kept_under
from pytest_memory_store.receipt_checks import shown_by_fresh, undue_clash, undue_replay

if TYPE_CHECKING:
    from pytest_memory_store.model import File, Model, Mutates

LONG = 10_000
"""Content of more code points than this is refused for its length, if a store refuses it at all."""


def judge_mutation(verdict: Judgement, model: Model, call: Mutation, expectation: Mutates, value: Any) -> None:
    """Book what the answer to a mutation shows that had to be applied."""
    if not shape(verdict, value, MUTATION_FIELDS, "MemoryMutation"):
        return
    verdict.hold(expectation.clause)
    if model.others_moved(call.path) and expectation.current is not None:
        verdict.hold("CAS-17")
    if value.replayed:
        clause, message = undue_replay(model, call, value)
        verdict.check(clause, False, message, False, True)
    else:
        verdict.hold(*shown_by_fresh(model, call))
    existed = expectation.current is not None
    absent_delete = isinstance(call, Delete) and not existed
    clause = "CAS-05" if absent_delete else "CAS-21"
    verdict.check(clause, value.existed == existed, "`existed` is wrong", existed, value.existed)
    if isinstance(call, Delete):
        clause = "CAS-05" if absent_delete else "DEL-02"
        if not isinstance(value.version, str) or not value.version:
            verdict.check("TYPE-04", value.version is None, "a delete returns a version", None, value.version)
        verdict.check(clause, not value.version, "a delete returns a version", None, value.version)
        return
    ok = isinstance(value.version, str) and value.version != ""
    if verdict.check("TYPE-04", ok, "a write returns no version", "a str that is not empty", value.version):
        _judge_new_version(verdict, model, call, expectation.current, value.version)


def _judge_new_version(verdict: Judgement, model: Model, call: Write, current: File | None, version: str) -> None:
    lives = model.lives.get(call.path, [])
    if current is not None:
        if not _judge_change(verdict, call, current, version):
            return
        this_life, lives = lives[-1], lives[:-1]
        clause, message = "CAS-10", "a version of this file is used again"
        verdict.check(clause, version not in this_life, message, "a version never used", version)
    if lives:
        earlier = [old for life in lives for old in life]
        clause, message = "CAS-22", "a version from before a delete is used again"
        verdict.check(clause, version not in earlier, message, "a version never used", version)


def _judge_change(verdict: Judgement, call: Write, current: File, version: str) -> bool:
    """Whether the version moved on; where not, the store kept it or only answered with the old one."""
    clause, message = "CAS-09", "new content keeps the old version"
    if current.content == call.content:
        clause, message = "CAS-11", "a rewrite with the same content keeps the version"
    if version == current.version:
        verdict.unsure = verdict.look is None
        if isinstance(verdict.look, Returned) and getattr(verdict.look.value, "version", version) != version:
            clause, message = "CAS-08", "the write returns the version that it replaced"
    return verdict.check(clause, version != current.version, message, "a new version", version)


def refused_mutation(
    verdict: Judgement, model: Model, call: Mutation, expectation: Mutates, names: frozenset[str]
) -> tuple[str, str]:
    """Which promise is broken when a mutation that must be applied is refused with an error of these names."""
    clause = expectation.clause
    if "MemoryOperationConflictError" in names:
        return undue_clash(model, call)
    if "MemoryConflictError" in names:
        return _undue_conflict(verdict, model, call, expectation.current, clause)
    if isinstance(call, Delete):
        return clause, "a valid mutation is refused"
    if call.operation is not None and call.operation.id in model.failed:
        return "OP-09", "an operation that was refused before cannot be applied any more"
    if call.content == "":
        return "READ-12", "empty content is refused"
    if len(call.content) > LONG:
        return "TYPE-09", "long content is refused"
    if not all(c == "\n" or " " <= c <= "~" for c in call.content):
        return "READ-02", "valid content is refused"
    if isinstance(call.metadata, Mapping) and call.metadata:
        return metadata_kept_under(call.metadata), "valid metadata is refused"
    if clause == "CAS-01":
        return "PATH-12" if len(call.path) > 250 else "PATH-01", "a valid write is refused"
    return clause, "a valid mutation is refused"


def _undue_conflict(
    verdict: Judgement, model: Model, call: Mutation, current: File | None, clause: str
) -> tuple[str, str]:
    verdict.unsure = verdict.look is None
    if current is not None and isinstance(verdict.look, Returned):
        shown = verdict.look.value
        if shown is None:
            return model.blame(call.path) or "READ-07", "the file is gone"
        if getattr(shown, "version", None) != current.version:
            message = "the file has another version than its last write returned, and that one is refused"
            return model.blame(call.path) or "CAS-08", message
    if clause == "CAS-01" and any(path != call.path for path in model.files):
        return "PATH-10", "a path that does not exist is refused as existing, beside another path"
    if current is not None and model.others_moved(call.path):
        return "CAS-17", "the current version is refused after other paths changed"
    return clause, "a conflict is raised although the expected version is the current one"


def was_applied(verdict: Judgement, call: Mutation, file: File | None, value: Any) -> bool:
    """Whether a mutation that had to conflict was applied, or only answered without an error.

    `file` is the file before it. A delete of nothing leaves nothing to see: one that says so was let through.
    """
    verdict.unsure = verdict.look is None
    if not isinstance(verdict.look, Returned):
        return True
    shown = verdict.look.value
    if file is None or shown is None:
        return (shown is not None) != (file is not None) or _says_done(call, value)
    facts = ("content", "version", "operation_id")
    return any(getattr(shown, name, None) != getattr(file, name) for name in facts)


def _says_done(call: Mutation, value: Any) -> bool:
    return isinstance(call, Delete) and getattr(value, "existed", None) is False
