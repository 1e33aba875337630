"""The checkers against all linear extensions of random histories, half of them corrupted; and broken ones too.

20,000 histories by default; the environment variable `MEMORY_STORE_HISTORIES` asks for another number.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import pytest

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency import chain, order, versions, wgl
from pytest_memory_store.concurrency.history import Done, Operation, by_path
from pytest_memory_store.concurrency.linearizability import check
from pytest_memory_store.concurrency.refutation import Objection
from pytest_memory_store.concurrency.register import Register, State
from pytest_memory_store.concurrency.versions import Versions, collect

HISTORIES = int(os.environ.get("MEMORY_STORE_HISTORIES", "20000"))

Draw: TypeAlias = Callable[..., Iterator[list[Operation]]]
Judge: TypeAlias = Callable[[list[Operation]], str]


def checked(history: list[Operation]) -> str:
    """What the whole checker says."""
    return check(history, budget=100_000).result.value


def searched(history: list[Operation]) -> str:
    """What the search says on its own, which the checker asks rarely."""
    (operations,) = by_path(history).values()
    try:
        found = wgl.search(operations, collect(operations), 100_000)
    except Objection:
        return "violation"
    return {True: "linearizable", False: "violation", None: "unknown"}[found.linearizable]


def test_the_checkers_agree_with_all_linear_extensions(histories: Draw, truth: Judge) -> None:
    """The checker, and the search alone, give the verdict of the enumeration on every random history."""
    seen: Counter[str] = Counter()
    for history in histories(HISTORIES, seed=20):
        verdict = truth(history)
        seen[verdict] += 1
        assert (checked(history), searched(history)) == (verdict, verdict), "\n".join(map(str, history))
    assert min(seen["linearizable"], seen["violation"]) > HISTORIES / 10


def test_the_checker_agrees_with_the_search_on_longer_histories(histories: Draw) -> None:
    """Where all extensions are too many, the versions and the search still come to the same verdict."""
    seen: Counter[str] = Counter()
    for history in histories(HISTORIES // 50, seed=21, smallest=40, largest=120):
        verdicts = {checked(history), searched(history)} - {"unknown"}
        seen.update(verdicts or {"unknown"})
        assert len(verdicts) < 2, "\n".join(map(str, history))
    assert min(seen["linearizable"], seen["violation"]) > HISTORIES / 500
    assert seen["unknown"] <= HISTORIES / 2_000


@pytest.fixture(scope="module")
def judged(histories: Draw, truth: Judge) -> list[tuple[list[Operation], str]]:
    """Histories with the verdict of the enumeration."""
    return [(history, truth(history)) for history in (*histories(6_000, seed=22), two_lives())]


def two_lives() -> list[Operation]:
    """Two lives of a file, whose deletes guessed the versions and were invoked in the opposite order."""
    return [
        Operation(1, Write("a.md", "late", None), 1, 50, Done("v2")),
        Operation(2, Delete("a.md", "v2"), 2, 60, Done(existed=True)),
        Operation(3, Write("a.md", "early", None), 3, 10, Done("v1")),
        Operation(4, Delete("a.md", "v1"), 4, 9, Done(existed=True)),
        Operation(5, Read("a.md", 100), 20, 30, Done("v2", "late")),
    ]


def nothing(*_: object) -> None:
    """A step of the checker left out."""


def nothing_found(*_: object) -> list[object]:
    """A step of the checker that finds nothing."""
    return []


def always(*_: object) -> bool:
    """A question of the checker that is always answered with yes."""
    return True


def unchanged(_: Register, state: State, __: str | None) -> State:
    """A refusal that is always possible."""
    return state


def changed(operation: Operation, _: Done) -> bool:
    """Whether a successful mutation changed the file, whatever it answered of the file before."""
    call = operation.call
    return isinstance(call, Write) or (isinstance(call, Delete) and call.expected_version is not None)


def returned(operation: Operation) -> float:
    """When a client stopped waiting, taken for the end of the effect."""
    return operation.returned


def fresh_versions(found: Versions, _: object) -> Register:
    """A state machine that lets unknown writes make no version that anybody names, and forgets what a life has had."""
    return Register(found.learned, frozenset(), frozenset())


class Mutant(NamedTuple):
    """A checker with one step broken: what replaces which name, and who is asked."""

    target: object
    name: str
    replacement: object
    judge: Judge = checked


MUTANTS = {
    "conflicts are ignored": Mutant(chain, "CONFLICT", None),
    "unknown outcomes are dropped": Mutant(versions, "_settle", nothing),
    "unknown outcomes end with the wait": Mutant(Operation, "latest", property(returned)),
    "duplicates are ignored": Mutant(Versions, "_object_to_duplicates", nothing),
    "orphans are ignored": Mutant(Versions, "_object_to_orphans", nothing),
    "unknown writes never explain anything": Mutant(Versions, "certain", True),
    "any order of lives is the only one": Mutant(order.Order, "forced", always),
    "two files may live at once": Mutant(order, "_object_to_two_last", nothing),
    "unknown calls are never the last": Mutant(order, "_first", nothing_found),
    "answers about the file before are ignored": Mutant(versions, "_changed", changed),
    "effects are never pushed": Mutant(chain.Schedule, "put_before", nothing),
    "absent files are ignored": Mutant(chain.Schedule, "place_missing", nothing),
    "refused creates are ignored": Mutant(chain.Schedule, "place_refused_create", nothing),
    "reads are ignored": Mutant(chain.Schedule, "place_read", nothing),
    "returns of mutations are ignored": Mutant(chain.Schedule, "finish", nothing),
    "the search ignores conflicts": Mutant(Register, "_refused", unchanged, searched),
    "the search drops unknown calls": Mutant(wgl._Search, "_options", nothing_found, searched),
    "the search never goes back": Mutant(wgl._Search, "_take_back", nothing, searched),
    "the search takes versions for unique": Mutant(wgl, "register", fresh_versions, searched),
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_a_broken_checker_is_noticed(
    mutant: Mutant, judged: list[tuple[list[Operation], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step of the checkers matters: without it, some history of the cross-check gets another verdict."""
    monkeypatch.setattr(mutant.target, mutant.name, mutant.replacement)
    assert any(mutant.judge(history) != verdict for history, verdict in judged)
