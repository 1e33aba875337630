"""Compares what a store makes of an operation with its receipt: the repeated call, the lookup, another fingerprint.

Pure. A repetition that fails may fail because the receipt is gone, because it was never there, or because the version
was looked at first; what the store answered about the operation before tells these apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_memory_store.calls import Call, Delete, GetOperation, Mutation, Write
from pytest_memory_store.judgement import MUTATION_FIELDS, Judgement, shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_memory_store.model import Absent, Model, Receipt, Replays


def judge_replay(verdict: Judgement, model: Model, expectation: Replays, value: Any) -> None:
    """Book what the answer to a repeated operation shows, from the call or from `get_operation`."""
    receipt, call = expectation.receipt, verdict.call
    if value is None:
        clause = _gone_under(model, call, receipt, expectation.clause)
        due = f"version={receipt.version!r}, existed={receipt.existed}"
        verdict.check(clause, False, "the receipt of an applied operation is gone", due, None)
        return
    if not shape(verdict, value, MUTATION_FIELDS, "MemoryMutation"):
        return
    expected = {"version": receipt.version, "replayed": True, "existed": receipt.existed}
    actual = {name: getattr(value, name) for name in expected}
    clause, message = expectation.clause, "a replay differs from the first answer"
    if not value.replayed and not isinstance(call, GetOperation):
        clause = model.dropped_by(call, receipt) or clause
        message = "a repeated operation was applied again, or its answer does not say that it is a replay"
    if verdict.check(clause, actual == expected, message, expected, actual):
        _hold_more(verdict, model, receipt)


def _gone_under(model: Model, call: Call, receipt: Receipt, clause: str) -> str:
    """The clause that a missing receipt breaks: by what happened since it was seen, or else by whose it is."""
    return model.dropped_by(call, receipt) or ("OP-16" if isinstance(receipt.call, Delete) else clause)


def _hold_more(verdict: Judgement, model: Model, receipt: Receipt) -> None:
    """Book what a right answer shows beside the clause that asks for it."""
    call = verdict.call
    if survived := model.dropped_by(call, receipt):
        verdict.hold(survived)
    if isinstance(call, Write | Delete) and model.is_stale(call):
        verdict.hold("OP-06")
    if _differs_in_metadata(call, receipt):
        verdict.hold("META-09")


def _differs_in_metadata(call: Call, receipt: Receipt) -> bool:
    first = receipt.call
    return isinstance(call, Write) and isinstance(first, Write) and call.metadata != first.metadata


def refused_replay(model: Model, call: Call, expectation: Replays, names: frozenset[str]) -> tuple[str, str]:
    """Which promise is broken when an applied operation, sent or looked up again, fails; `names` are of the error."""
    receipt, clause = expectation.receipt, expectation.clause
    if "MemoryOperationConflictError" in names:
        if _differs_in_metadata(call, receipt):
            return "META-09", "a repeated operation is refused because its metadata differs"
        return clause, "a repeated operation is said to have been used with other arguments"
    if "MemoryConflictError" not in names or isinstance(call, GetOperation):
        return clause, "a repeated operation fails"
    message = "a repeated operation is refused by its version, although it was applied"
    if dropped := model.dropped_by(call, receipt):
        return dropped, message
    known = receipt.call.operation is not None and receipt.call.operation.id in model.looked_up
    return (clause if clause in ("OP-16", "OP-17") and not known else "OP-06"), message


def undue_replay(model: Model, call: Mutation, value: Any) -> tuple[str, str]:
    """Which promise is broken when a mutation that was applied for the first time answers that it is a replay."""
    if call.operation is None:
        clause = "DEL-02" if isinstance(call, Delete) else "OP-15"
        return clause, "a call without an operation says that it is a replay"
    if resembles(model, call.operation.id):
        return "OP-14", "an operation is taken for another one, whose id it resembles"
    message = "a first application says that it is a replay"
    if call.operation.id not in model.failed:
        return "OP-26", message
    old = model.has_seen(value.version) if isinstance(value.version, str) else bool(model.receipts)
    return ("OP-09", "an operation that was refused before is answered as done") if old else ("OP-26", message)


def shown_by_fresh(model: Model, call: Mutation) -> Iterator[str]:
    """The clauses that hold where a mutation that was applied for the first time says so."""
    if call.operation is None:
        yield "DEL-02" if isinstance(call, Delete) else "OP-15"
        return
    yield "OP-26"
    if model.receipts:
        yield "OP-28"
    if call.operation.id in model.failed:
        yield "OP-09"


def undue_clash(model: Model, call: Mutation) -> tuple[str, str]:
    """Which promise is broken when an operation that was never applied is said to have other arguments."""
    assert call.operation is not None
    if call.operation.id in model.failed:
        return "OP-09", "an operation that was refused before takes no other fingerprint"
    message = "an operation id that was never used is said to be used with other arguments"
    return ("OP-14" if resembles(model, call.operation.id) else "OP-28"), message


def missed_clash(clause: str, names: frozenset[str]) -> str:
    """The clause broken where another fingerprint was not refused as such; `names` are of the error, if there was one.

    `clause` is what asked for the refusal; the order of checks is to blame only for a version conflict.
    """
    return clause if clause != "OP-07" or "MemoryConflictError" in names else "OP-05"


def missed_conflict(model: Model, call: Call, clause: str, value: Any = None) -> str:
    """The clause broken where a version conflict was due, which `clause` says, and something else came of the call.

    An operation that once met its conflict as it should is remembered since then. An answer to a write without
    operation that calls itself a replay takes the write for one that it resembles.
    """
    operation = call.operation if isinstance(call, Write | Delete) else None
    if operation is None and getattr(value, "replayed", False) is True:
        return "OP-15"
    return "OP-09" if operation is not None and operation.id in model.failed else clause


def judge_unknown(verdict: Judgement, model: Model, expectation: Absent, operation_id: str, value: Any) -> None:
    """Book what `get_operation` answers for an operation that was never applied."""
    clause, message = expectation.clause, "a receipt is returned for an operation that was never applied"
    if clause == "OP-09":
        message = "a refused mutation left a receipt"
    elif resembles(model, operation_id):
        clause, message = "OP-14", "a receipt is returned for an id that merely resembles a known one"
    verdict.check(clause, value is None, message, None, value)


def refused_lookup(model: Model, expectation: Absent, operation_id: str, names: frozenset[str]) -> tuple[str, str]:
    """Which promise is broken when `get_operation` fails for an operation that was never applied."""
    message = "the lookup of an operation that was never applied fails"
    if "MemoryOperationConflictError" in names and resembles(model, operation_id):
        return "OP-14", "an operation that was never applied is taken for another one, whose id it resembles"
    knows = model.knows_none or "MemoryOperationConflictError" in names
    return (expectation.clause if knows else "OP-01"), message


def resembles(model: Model, operation_id: str) -> bool:
    """Whether a store may take an id for a known one: it differs in case, in spaces, or after its beginning."""
    folded, known = operation_id.casefold().strip(), model.receipts.keys() - {operation_id}
    return any(folded == other.casefold().strip() or operation_id[:16] == other[:16] for other in known)
