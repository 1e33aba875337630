"""Hand-written histories, right and wrong, for each rule of the checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.history import (
    CONFLICT,
    NEVER,
    UNKNOWN,
    Done,
    Operation,
    Outcome,
    Refused,
    by_path,
)
from pytest_memory_store.concurrency.linearizability import Linearizable, Verdict, check
from pytest_memory_store.concurrency.versions import collect
from pytest_memory_store.concurrency.wgl import search

if TYPE_CHECKING:
    from collections.abc import Sequence


def write(
    content: str, expected: str | None, answer: str | Outcome, invoke: int, returned: float, path: str = "a.md"
) -> Operation:
    """A write, by a client of its own; `answer` is its version or another outcome."""
    outcome = Done(answer, existed=expected is not None) if isinstance(answer, str) else answer
    return Operation(invoke, Write(path, content, expected), invoke, returned, outcome)


def delete(expected: str | None, invoke: int, returned: float, outcome: Outcome | None = None) -> Operation:
    """A delete, which succeeded unless its outcome is given."""
    return Operation(invoke, Delete("a.md", expected), invoke, returned, outcome or Done(existed=expected is not None))


def read(version: str | None, content: str | None, invoke: int, returned: float) -> Operation:
    """A read that saw this."""
    return Operation(invoke, Read("a.md", 1_000), invoke, returned, Done(version, content))


CREATE = write("a", None, "1", 1, 2)
REPLACE = write("b", "1", "2", 3, 4)

RIGHT: dict[str, list[Operation]] = {
    "nothing": [],
    "no file": [read(None, None, 1, 2), delete(None, 3, 4)],
    "one after the other": [CREATE, REPLACE, read("2", "b", 5, 6), delete("2", 7, 8), read(None, None, 9, 10)],
    "a read beside a write sees the old": [CREATE, write("b", "1", "2", 3, 6), read("1", "a", 4, 5)],
    "a read beside a write sees the new": [CREATE, write("b", "1", "2", 3, 6), read("2", "b", 4, 5)],
    "a read sees what is not answered yet": [write("a", None, "1", 1, 4), read("1", "a", 2, 3)],
    "a conflict after the version was replaced": [CREATE, REPLACE, write("c", "1", CONFLICT, 5, 6)],
    "a conflict while the version is replaced": [CREATE, write("b", "1", "2", 3, 6), write("c", "1", CONFLICT, 4, 5)],
    "a conflict before the version was made": [write("c", "2", CONFLICT, 1, 3), write("a", None, "2", 2, 4)],
    "a conflict with a version nobody made": [CREATE, write("b", "forged", CONFLICT, 3, 4)],
    "a conflict after the delete": [CREATE, delete("1", 3, 4), write("c", "1", CONFLICT, 5, 6)],
    "a create refused by the file there was": [CREATE, write("b", None, CONFLICT, 3, 6), delete("1", 4, 5)],
    "a create refused by the file to come": [write("b", None, CONFLICT, 1, 4), write("a", None, "1", 2, 3)],
    "two lives": [CREATE, delete("1", 3, 4), write("b", None, "2", 5, 6), read("2", "b", 7, 8)],
    "no file between two lives": [CREATE, delete("1", 3, 6), read(None, None, 4, 9), write("b", None, "2", 7, 8)],
    "a version again in another life": [CREATE, delete("1", 3, 4), write("b", None, "1", 5, 6), delete("1", 7, 8)],
    "an unknown write that was read": [CREATE, write("b", "1", UNKNOWN, 3, 4), read("2", "b", 9, 10)],
    "an unknown write after its client gave up": [
        *[CREATE, write("b", "1", UNKNOWN, 3, 4), read("1", "a", 5, 6), read("2", "b", 7, 8)],
    ],
    "an unknown write that was not applied": [CREATE, write("b", "1", UNKNOWN, 3, NEVER), read("1", "a", 4, 5)],
    "an unknown write that explains a conflict": [
        *[CREATE, write("b", "1", UNKNOWN, 3, NEVER), write("c", "1", CONFLICT, 4, 5)],
    ],
    "an unknown write that explains a version": [
        *[CREATE, write("b", "1", UNKNOWN, 3, NEVER), write("c", "2", "3", 4, 5), read("3", "c", 6, 7)],
    ],
    "an unknown delete that explains a missing file": [
        *[CREATE, delete("1", 3, NEVER, UNKNOWN), read("1", "a", 4, 5), read(None, None, 6, 7)],
    ],
    "an unknown delete between two lives": [CREATE, delete("1", 3, 4, UNKNOWN), write("b", None, "2", 5, 6)],
    "an unknown create after an unknown delete": [
        *[CREATE, delete("1", 3, 4, UNKNOWN), write("b", None, UNKNOWN, 5, 6), write("c", "1", CONFLICT, 7, 8)],
        write("d", None, CONFLICT, 9, 10),
    ],
    "an unknown read": [CREATE, Operation(9, Read("a.md", 1), 3, 4, UNKNOWN)],
    "an unknown delete of nothing": [CREATE, delete(None, 3, 4, UNKNOWN), read("1", "a", 5, 6)],
    "an operation refused for its id": [CREATE, write("b", "1", Refused.OPERATION, 3, 4), read("1", "a", 5, 6)],
}


@pytest.mark.parametrize("history", RIGHT.values(), ids=RIGHT)
def test_a_history_that_a_correct_store_can_give_is_linearizable(history: Sequence[Operation]) -> None:
    """No rule objects, in whatever order the operations are given."""
    assert check(history).result is Linearizable.YES
    assert check(history[::-1]).result is Linearizable.YES


STALE = read("1", "a", 5, 6)

WRONG: dict[str, tuple[list[Operation], str, str, tuple[int, ...]]] = {
    "lost update": (
        [CREATE, REPLACE, write("c", "1", "3", 5, 6)],
        "lost-update",
        "two writes both succeeded from version 1",
        (1, 2),
    ),
    "a delete of what was replaced": (
        [CREATE, REPLACE, delete("1", 5, 6)],
        "lost-update",
        "two calls both succeeded from version 1",
        (1, 2),
    ),
    "two creates": (
        [CREATE, write("b", None, "2", 3, 4)],
        "lost-update",
        "two creates both succeeded, and nothing deleted the file in between",
        (0, 1),
    ),
    "a version made twice": (
        [CREATE, write("b", "1", "2", 3, 4), write("c", "2", "1", 5, 6)],
        "reused-version",
        "two writes both made version 1",
        (0, 2),
    ),
    "a version that nobody made": (
        [CREATE, write("b", "9", "2", 3, 4)],
        "phantom-version",
        "a call succeeded from version 9, which no call made",
        (1,),
    ),
    "versions in a circle": (
        [write("a", "2", "1", 1, 4), write("b", "1", "2", 2, 3)],
        "circle",
        "versions were each made from the next",
        (0, 1),
    ),
    "no version": ([write("a", None, Done(), 1, 2)], "no-version", "a write succeeded and gave no version", (0,)),
    "existed before its create": (
        [write("a", None, Done("1", existed=True), 1, 2)],
        "existed",
        "a call that expected no file succeeded and answered that there was a file before",
        (0,),
    ),
    "did not exist before its delete": (
        [CREATE, delete("1", 3, 4, Done(existed=False))],
        "existed",
        "a call that expected version 1 succeeded and answered that there was no file before",
        (1,),
    ),
    "torn read": (
        [CREATE, REPLACE, read("2", "a", 5, 6)],
        "content",
        "a read returned version 2 with the content of another version",
        (0, 2),
    ),
    "a content from nowhere": (
        [CREATE, read("1", "x", 3, 4)],
        "content",
        "a read returned version 1 with a content that no call wrote",
        (1,),
    ),
    "one content under two versions": (
        [write("a", None, UNKNOWN, 1, 2), read("1", "a", 3, 4), read("2", "a", 5, 6)],
        "content",
        "what one write wrote was read as version 1 and as version 2",
        (0, 1, 2),
    ),
    "a refused write that took effect": (
        [CREATE, write("b", "9", CONFLICT, 3, 4), read("2", "b", 5, 6)],
        "aborted-read",
        "a read returned the content of a write that had been refused",
        (1, 2),
    ),
    "stale read": (
        [CREATE, REPLACE, STALE],
        "stale-read",
        "a read returned version 1 although a write had replaced it",
        (1, 2),
    ),
    "reads that go back": (
        [CREATE, write("b", "1", "2", 3, 10), read("2", "b", 4, 5), read("1", "a", 6, 7)],
        "stale-read",
        "a read returned version 1 after a read had returned version 2, which came later",
        (2, 3),
    ),
    "a read of a deleted file": (
        [CREATE, delete("1", 3, 4), STALE],
        "stale-read",
        "a read returned version 1 although a delete had replaced it",
        (1, 2),
    ),
    "a read of the future": (
        [read("1", "a", 1, 2), write("a", None, "1", 3, 4)],
        "future-read",
        "a read returned version 1 before a call that had to come first began",
        (0, 1),
    ),
    "a write of the future": (
        [write("b", "1", "2", 1, 2), write("a", None, "1", 3, 4)],
        "real-time",
        "a write had succeeded before a call that had to come first began",
        (0, 1),
    ),
    "a conflict although the version was there": (
        [CREATE, write("b", "1", CONFLICT, 3, 4), write("c", "1", "2", 5, 6)],
        "unfounded-conflict",
        "a call was refused although version 1, which it expected, was there all along",
        (0, 1, 2),
    ),
    "a conflict that a read shows to be wrong": (
        [CREATE, delete("1", 3, 4, CONFLICT), write("c", "1", "2", 5, 8), read("1", "a", 6, 7)],
        "unfounded-conflict",
        "a call was refused although version 1, which it expected, was there all along",
        (0, 1, 3),
    ),
    "a conflict with the last version": (
        [CREATE, write("b", "1", CONFLICT, 3, 4)],
        "unfounded-conflict",
        "a call was refused although version 1, which it expected, was there all along",
        (0, 1),
    ),
    "a create refused before there was any file": (
        [write("b", None, CONFLICT, 1, 2), write("a", None, "1", 3, 4)],
        "unfounded-conflict",
        "a create was refused although no file had been written yet",
        (0, 1),
    ),
    "a create refused and never any file": (
        [write("b", None, CONFLICT, 1, 2)],
        "unfounded-conflict",
        "a create was refused although no file had been written yet",
        (0,),
    ),
    "a create refused between two lives": (
        [CREATE, delete("1", 3, 4), write("b", None, CONFLICT, 5, 6), write("c", None, "2", 7, 8)],
        "unfounded-conflict",
        "a create was refused although there was no file at any moment of it",
        (1, 2, 3),
    ),
    "no file although there was one": (
        [CREATE, read(None, None, 3, 4), read("1", "a", 5, 6)],
        "missing-file",
        "a call found no file although there was one at every moment of it",
        (0, 1),
    ),
    "no file for a delete": (
        [CREATE, delete(None, 3, 4), delete("1", 5, 6)],
        "missing-file",
        "a call found no file although there was one at every moment of it",
        (0, 1, 2),
    ),
    "a version that two unknown writes cannot explain": (
        [CREATE, write("b", "1", UNKNOWN, 5, 6), write("c", "1", UNKNOWN, 5, 6), write("d", "2", "3", 3, 4)],
        "phantom-version",
        "a call succeeded from version 2, which no call made",
        (3,),
    ),
}


@pytest.mark.parametrize(("history", "rule", "sentence", "proof"), WRONG.values(), ids=WRONG)
def test_a_wrong_history_is_refuted_by_the_calls_that_prove_it(
    history: list[Operation], rule: str, sentence: str, proof: tuple[int, ...]
) -> None:
    """A refutation has its rule, a plain sentence, and the two or three calls that prove it, by invocation."""
    verdict = check(history)
    assert verdict.result is Linearizable.NO
    (refutation,) = verdict.refutations
    calls = sorted((history[number] for number in proof), key=lambda operation: operation.invoke)
    assert (refutation.rule, refutation.sentence) == (rule, sentence)
    assert list(refutation.operations) == calls
    if len(proof) > 1:
        assert check(calls).result is Linearizable.NO or rule == "aborted-read"


def test_paths_are_judged_alone() -> None:
    """A fault on one path is refuted beside others that are right, and each is counted."""
    verdict = check([CREATE, REPLACE, write("c", None, "1", 5, 6, "b.md"), STALE])
    assert (len(verdict.refutations), verdict.chained, verdict.searched, verdict.undecided) == (1, 2, 0, 0)


def reusing(lives: int, clients: int) -> list[Operation]:
    """A file that is deleted and gets its versions again in each life, with reads that overlap everything."""
    history: list[Operation] = []
    for start in range(1, 100 * lives, 100):
        history += [write(f"{start}", None, "1", start, start + 1), delete("1", start + 2, start + 99)]
        history += [read("1", f"{start}", start + 3 + n, start + 40 + n) for n in range(clients)]
    return history


def test_versions_that_come_back_are_searched() -> None:
    """What the versions leave open is decided by search, and counted so."""
    right = reusing(lives=20, clients=5)
    assert check(right) == Verdict((), 0, 1, 0)
    verdict = check([*right, read("1", "1", 10_000, 10_001)])
    assert (verdict.result, verdict.searched) == (Linearizable.NO, 1)
    assert verdict.refutations[0].rule == "reused-version"


def test_a_search_without_budget_left_is_unknown() -> None:
    """A verdict that the budget did not allow is neither a pass nor a violation, and one that did is never lost."""
    history = reusing(lives=20, clients=5)
    verdict = check(history, budget=10)
    assert (verdict.result, verdict.undecided) == (Linearizable.UNKNOWN, 1)
    other = [
        write("x", None, "1", 1, 2, "b.md"),
        write("y", "1", "2", 3, 4, "b.md"),
        write("z", "1", "3", 5, 6, "b.md"),
    ]
    assert check([*history, *other], budget=10).result is Linearizable.NO


def test_the_search_names_the_calls_that_it_could_not_place() -> None:
    """A refutation by search alone has the calls that no order gets past."""
    history = by_path([CREATE, REPLACE, STALE])["a.md"]
    found = search(history, collect(history), 1_000)
    assert found.refutation is not None
    assert (found.linearizable, found.refutation.operations) == (False, (REPLACE, STALE))


def test_contents_of_unknown_writes_have_to_differ() -> None:
    """A history in which a content cannot tell which unknown write was applied is refused, with the remedy."""
    with pytest.raises(ValueError, match="give every write of a history its own content"):
        check([write("a", None, UNKNOWN, 1, 2), write("a", "1", UNKNOWN, 3, 4)])


def test_an_operation_says_what_it_was() -> None:
    """A history can be printed."""
    history = [write("b", "1", CONFLICT, 3, 4), delete("1", 5, NEVER, UNKNOWN), STALE]
    assert list(map(str, history)) == [
        "client 3 [3, 4] write('a.md', 'b', expected_version='1') -> conflict",
        "client 5 [5, inf] delete('a.md', expected_version='1') -> unknown",
        "client 5 [5, 6] read('a.md') -> Done(version='1', content='a', existed=False, replayed=False)",
    ]
