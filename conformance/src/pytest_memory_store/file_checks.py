"""Compares what a read shows of a file with the model, field by field, each field under its clause.

Pure. A wrong field may have two causes: the bound, or the file itself. A look at the whole file tells them apart,
and `Model.blame` knows what happened to a file since it was last seen right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_memory_store.calls import ALL, Read, Returned
from pytest_memory_store.judgement import FILE_FIELDS, Judgement, shape
from pytest_memory_store.model import MAX_CONTENT_CHARS, File, Model, is_storable, metadata_kept_under


def judge_file(verdict: Judgement, model: Model, call: Read, file: File, value: Any) -> None:
    """Book what a read of a live file shows."""
    if call.max_chars != ALL:
        verdict.unsure = verdict.look is None
        if isinstance(verdict.look, Returned) and not shows(verdict.look.value, file):
            call, value = Read(call.path, ALL), verdict.look.value
    changed = model.blame(call.path) if call.max_chars == ALL else None
    if value is None:
        clause = changed or ("READ-12" if file.content == "" else "READ-07")
        verdict.check(clause, False, "a stored file reads as absent", "the file", None)
        return
    if not shape(verdict, value, FILE_FIELDS, "MemoryFile"):
        return
    if changed is None and _is_stale(value, file, call.max_chars):
        message = "the file is shown as it was before its last write"
        verdict.check("READ-07", False, message, file.content, value.content)
        return
    verdict.hold("READ-07")
    if _judge_content(verdict, call, file, value, changed):
        if call.max_chars > ALL:
            verdict.hold("READ-03b")
        _judge_origin(verdict, call, file, value, changed)


def shows(value: Any, file: File) -> bool:
    """Whether a read of the whole file shows this content and version."""
    return getattr(value, "content", None) == file.content and getattr(value, "version", None) == file.version


def _is_stale(value: Any, file: File, bound: int) -> bool:
    """Whether the read shows the file that the last write replaced."""
    before = file.previous
    if before is None or value.content != before.content[:bound]:
        return False
    if value.content != file.content[:bound]:
        return True
    return bool(value.version == before.version and value.version != file.version)


def _judge_content(verdict: Judgement, call: Read, file: File, value: Any, changed: str | None) -> bool:
    full, bound = file.content, call.max_chars
    cut = "READ-12" if not full else "READ-03" if full.isascii() else "READ-04"
    if call.max_chars != ALL:
        clause, message = cut, "the content is not the bounded prefix of what was written"
    elif value.truncated and full.startswith(value.content):
        clause, message = changed or cut, "the content is cut although the bound is larger"
    else:
        clause = changed or _kept_under(full)
        message = _CONTENT.get(clause, "the content is not what was written")
    if not verdict.check(clause, value.content == full[:bound], message, full[:bound], value.content):
        return False
    longer = len(full) > bound
    return verdict.check(cut, value.truncated == longer, "`truncated` is wrong", longer, value.truncated)


def _kept_under(content: str) -> str:
    """The clause that asks to keep this content."""
    if content == "":
        return "READ-12"
    return "READ-02" if is_storable(content) and len(content) <= MAX_CONTENT_CHARS else "TYPE-08"


_CONTENT = {
    "CAS-07": "a refused mutation changed the file",
    "OP-03": "a replay changed the file",
    "OP-17": "a replay changed a file that had moved on",
    "DEL-11": "deleting another path changed this file",
    "PATH-10": "writing another path changed this file",
    "READ-08": "reading the file changed it",
    "READ-12": "empty content does not read as empty",
}


_AFTER_REPLAY = {"OP-03": "OP-25", "OP-16": "OP-25", "OP-17": "OP-25"}
"""What a replay breaks that left the content as it was, and not the version."""


def _judge_origin(verdict: Judgement, call: Read, file: File, value: Any, changed: str | None) -> None:
    whole = call.max_chars == ALL
    message = "the version is not the one that the write returned" if whole else "the version is not the whole file's"
    clause = _AFTER_REPLAY.get(changed or "", changed) or ("CAS-08" if whole else "READ-05")
    verdict.check(clause, value.version == file.version, message, file.version, value.version)
    verdict.check(
        "READ-09" if changed in _AFTER_REPLAY else changed or "READ-09",
        value.operation_id == file.operation_id,
        "`operation_id` is not the operation that produced this version",
        file.operation_id,
        value.operation_id,
    )
    metadata: Any = getattr(value, "metadata", None)
    fits = isinstance(metadata, Mapping | None)
    clause = "META-02" if file.metadata and not fits else "TYPE-03"
    if verdict.check(clause, fits, "the field `metadata` has the wrong type", "Mapping or None", metadata):
        _judge_metadata(verdict, changed, file, metadata)


def _judge_metadata(verdict: Judgement, changed: str | None, file: File, actual: Mapping[Any, Any] | None) -> None:
    found = None if actual is None else dict(actual)
    before = file.previous.metadata if file.previous else None
    if file.metadata is None:
        clause = "META-05" if before and found == before else "READ-10"
        message = "metadata is returned where none was recorded"
    else:
        clause, message = metadata_kept_under(file.metadata), "the metadata is not what was written"
        if before and found in (before, {**before, **file.metadata}):
            clause, message = "META-04", "the metadata still holds what the write before recorded"
    if verdict.check(changed or clause, found == file.metadata, message, file.metadata, actual) and found and before:
        verdict.hold(changed or "META-04")
    if file.metadata is None and found is None:
        verdict.hold(changed or "META-05")


def refused_read(verdict: Judgement, model: Model, call: Read) -> str:
    """The clause that is broken where a read of a live file raises."""
    changed = model.blame(call.path)
    if call.max_chars == ALL and changed is not None and changed != "READ-08":
        return changed
    verdict.unsure = verdict.look is None
    if isinstance(verdict.look, Returned) or (verdict.look is None and call.max_chars > ALL):
        return "READ-03b" if call.max_chars > ALL else "READ-03"
    return changed or "READ-02"


def second_read(call: Read, file: File) -> Read:
    """The read that tells a fault of the bound from one of the file."""
    return Read(call.path, ALL if call.max_chars != ALL else len(file.content) + 1)
