"""Compares what a store did with what the model says, field by field, each field under its clause.

Pure: takes a call, its expectation and its outcome, and gives back which clauses were seen to hold and which
were broken. Search results have a room of their own, `search_checks.py`.
"""

from __future__ import annotations

from pytest_memory_store.calls import (
    ALL,
    UNSET,
    Call,
    Delete,
    GetOperation,
    Hung,
    ListPaths,
    Misfit,
    Outcome,
    Raised,
    Read,
    Returned,
    Search,
    Write,
    error_names,
)
from pytest_memory_store.file_checks import judge_file, refused_read, second_read
from pytest_memory_store.judgement import Finding, Judgement, is_finite_number, shape
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
from pytest_memory_store.mutation_checks import judge_mutation, refused_mutation, was_applied
from pytest_memory_store.receipt_checks import (
    judge_replay,
    judge_unknown,
    missed_clash,
    missed_conflict,
    refused_lookup,
    refused_replay,
)
from pytest_memory_store.search_causes import answered_under


def judge(
    model: Model,
    call: Call,
    expectation: Expectation,
    outcome: Outcome,
    blame: str | None = None,
    look: Outcome | None = None,
) -> Judgement:
    """Compare `outcome` with `expectation`.

    `blame` books every finding on one clause that the caller knows better; `look` is what `second_look` showed.
    """
    verdict = Judgement(call, blame, look)
    match expectation:
        case _ if isinstance(outcome, Hung):
            clause = accepted_under(model, call, expectation)
            verdict.check(clause, False, "the call did not return", f"an answer within {outcome.seconds:g} s", "none")
        case _ if isinstance(outcome, Misfit):
            _judge_misfit(verdict, outcome)
        case Fails():
            _judge_failure(verdict, model, expectation, outcome)
        case _ if isinstance(outcome, Raised):
            _judge_refusal(verdict, model, expectation, outcome)
        case _:
            _judge_result(verdict, model, expectation, outcome)
    return verdict


def second_look(model: Model, call: Call, outcome: Outcome) -> Read | None:
    """The read that tells the possible causes of an unsure judgement apart; `None` where none can."""
    if isinstance(call, Write | Delete) and not isinstance(outcome, Hung | Misfit):
        return Read(call.path, ALL)
    if isinstance(call, Read) and call.path in model.files:
        return second_read(call, model.files[call.path])
    return None


def _judge_result(verdict: Judgement, model: Model, expectation: Expectation, outcome: Returned) -> None:
    from pytest_memory_store.listing_checks import judge_listing
    from pytest_memory_store.search_checks import judge_search

    match verdict.call, expectation:
        case GetOperation() as call, Absent():
            judge_unknown(verdict, model, expectation, call.operation.id, outcome.value)
        case _, Absent():
            _judge_absence(verdict, model, expectation, outcome)
        case Read() as call, Reads():
            judge_file(verdict, model, call, expectation.file, outcome.value)
        case (Write() | Delete()) as call, Mutates():
            judge_mutation(verdict, model, call, expectation, outcome.value)
        case _, Replays():
            judge_replay(verdict, model, expectation, outcome.value)
        case ListPaths() as call, Lists():
            judge_listing(verdict, model, call, expectation, outcome)
        case Search() as call, Finds():
            judge_search(verdict, model, call, expectation.files, outcome)
        case call, _:
            raise TypeError(f"{call!r} cannot be expected to do {expectation!r}")


def _judge_misfit(verdict: Judgement, outcome: Misfit) -> None:
    """Book a method that cannot be called as the protocol has it; the caller's blame is for what calls mean."""
    call, clause = verdict.call, outcome.clause
    if isinstance(call, ListPaths) and clause == "TYPE-02":
        clause = "LIST-07" if call.prefix is UNSET else "LIST-13"
    elif call.method == "write_with_metadata" and clause == "TYPE-02":
        clause = "META-01"
    message, expected = _MISFIT[outcome.clause]
    message = message.format(method=call.method)
    verdict.findings.append(Finding(clause, message, expected, f"{type(outcome.error).__name__}: {outcome.error}"))


_MISFIT = {
    "TYPE-01": ("the store has no `{method}`", "the protocol's five methods"),
    "TYPE-02": ("`{method}` does not take the protocol's arguments", "the protocol's signature"),
    "TYPE-06": ("`{method}` gives nothing to await", "an awaitable"),
    "TYPE-07": ("`{method}` is not what the protocol has under that name", "the protocol's method, or none"),
}


def _judge_failure(verdict: Judgement, model: Model, expectation: Fails, outcome: Returned | Raised) -> None:
    error, clause = expectation.error, expectation.clause
    if isinstance(outcome, Returned):
        message = _ACCEPTED.get(error, "was accepted")
        if error == "MemoryConflictError" and not stands(verdict, model, outcome):
            clause = missed_conflict(model, verdict.call, "CAS-16", outcome.value)
            message = "a conflict is answered by a result"
        clause = missed_clash(clause, frozenset())
        verdict.check(clause, False, message, error, outcome.value)
        return
    names = error_names(outcome.error)
    wrong = {"MemoryConflictError", "MemoryOperationConflictError"} - {error}
    ok = error in names and not names & wrong
    if error == "MemoryConflictError":
        if ok:
            verdict.hold("CAS-16")
        else:
            clause = missed_conflict(model, verdict.call, clause if clause.startswith("CAS-12") else "CAS-16")
    elif not ok:
        clause = missed_clash(clause, names)
    message = f"was refused with the wrong error ({type(outcome.error).__name__})"
    verdict.check(clause, ok, message, error, outcome.error)


def stands(verdict: Judgement, model: Model, outcome: Outcome) -> bool:
    """Whether a mutation took effect, as far as is known: by its answer, or by the look after it."""
    call = verdict.call
    if not isinstance(call, Write | Delete) or not isinstance(outcome, Returned):
        return False
    return was_applied(verdict, call, model.files.get(call.path), outcome.value)


_ACCEPTED = {
    "ValueError": "bad arguments were accepted",
    "TypeError": "arguments of the wrong type were accepted",
    "MemoryConflictError": "the mutation was applied although its expected version was not the current one",
    "MemoryOperationConflictError": "an operation id was accepted again with another fingerprint",
}


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
            assert isinstance(call, Search)
            return answered_under(call)


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
        clause, message = refused_mutation(verdict, model, call, expectation, names)
    elif isinstance(expectation, Replays):
        clause, message = refused_replay(model, call, expectation, names)
    elif isinstance(call, GetOperation) and isinstance(expectation, Absent):
        clause, message = refused_lookup(model, expectation, call.operation.id, names)
    elif isinstance(call, Read) and isinstance(expectation, Reads):
        clause = refused_read(verdict, model, call)
    elif isinstance(call, ListPaths) and "TypeError" in names:
        clause = "LIST-07" if call.prefix is UNSET else "LIST-13"
    verdict.check(clause, False, message, "a result", outcome.error)


def _judge_absence(verdict: Judgement, model: Model, expectation: Absent, outcome: Returned) -> None:
    call, value, clause = verdict.call, outcome.value, expectation.clause
    if value is not None and isinstance(call, Read) and clause == "READ-01":
        alias = alias_of(model, call.path)
        if alias is not None:
            clause = "PATH-09" if alias.lower() == call.path.lower() else "PATH-10"
    what = {
        "READ-01": "a path that was never written is not absent",
        "DEL-01": "a deleted file can still be read",
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


__all__ = [
    "Finding",
    "Judgement",
    "accepted_under",
    "alias_of",
    "is_finite_number",
    "is_storable",
    "judge",
    "second_look",
    "shape",
    "stands",
]
