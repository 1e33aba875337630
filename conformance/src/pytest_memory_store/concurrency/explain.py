"""Sentences for what the schedule of `chain.py` cannot place. Must not know: how it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.calls import Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, Done, Operation
from pytest_memory_store.concurrency.refutation import Objection, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def too_late(late: Operation, cause: Operation, leaning: Mapping[Operation, Operation]) -> Objection:
    """`late` had returned before `cause` was invoked, although its effect comes after that of `cause`.

    `leaning` has, for a call that could have been placed in another gap, the one that kept it from the next. Whether
    the order of the effects allows another reading is for the caller to judge, so the objection is not certain.
    """
    chosen = [cause]
    while (support := leaning.get(chosen[-1])) is not None and support not in chosen:
        chosen.append(support)
    rule, sentence = _reason(late, cause)
    return Objection(rule, sentence, late, *chosen, certain=False)


def _reason(late: Operation, cause: Operation) -> tuple[str, str]:
    """The rule and the sentence; what `cause` was told says most."""
    match cause.call, cause.outcome:
        case Read(), Done(version=str() as version):
            if isinstance(late.call, Read):
                return (
                    "stale-read",
                    f"a read returned {named(version)} after a read had returned {_result(late)}, which came later",
                )
            return "stale-read", f"a read returned {named(version)} although a {late.call.method} had replaced it"
        case Write(expected_version=None), outcome if outcome is CONFLICT:
            return "unfounded-conflict", "a create was refused although there was no file at any moment of it"
        case call, outcome if outcome is CONFLICT and not isinstance(call, Read):
            expected = named(call.expected_version)
            return (
                "unfounded-conflict",
                f"a call was refused although {expected}, which it expected, was there all along",
            )
        case call, Done(version=None, existed=False) if not isinstance(call, Write) and _found_none(cause):
            return "missing-file", "a call found no file although there was one at every moment of it"
        case _:
            pass
    if isinstance(late.call, Read):
        return "future-read", f"a read returned {_result(late)} before a call that had to come first began"
    return "real-time", f"a {late.call.method} had succeeded before a call that had to come first began"


def _found_none(operation: Operation) -> bool:
    """Whether a read, or a delete that expected no file, saw that there was none."""
    return isinstance(operation.call, Read) or operation.call.expected_version is None


def _result(read: Operation) -> str:
    assert isinstance(read.outcome, Done)
    return named(read.outcome.version)


def refused_create(late: Operation, first: Operation | None) -> Objection:
    """A create was refused before any effect at all can have taken place."""
    sentence = "a create was refused although no file had been written yet"
    return Objection("unfounded-conflict", sentence, *([late, first] if first else [late]), certain=False)


def nobody_wrote(read: Operation, operations: Iterable[Operation]) -> Objection:
    """A read returned a version that no call made, or with it a content that was not written with it."""
    assert isinstance(read.outcome, Done)
    content, version = read.outcome.content, read.outcome.version
    writers = [o for o in operations if isinstance(o.call, Write) and o.call.content == content]
    if any(not isinstance(writer.outcome, Done) for writer in writers):
        return Objection("aborted-read", "a read returned the content of a write that had been refused", *writers, read)
    if writers:
        sentence = f"a read returned {named(version)} with the content of another version"
        return Objection("content", sentence, *writers, read)
    return Objection("content", f"a read returned {named(version)} with a content that no call wrote", read)


__all__ = ["nobody_wrote", "refused_create", "too_late"]
