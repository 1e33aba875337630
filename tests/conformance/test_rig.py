"""The rig: stores of every kind opened and closed on one loop, and calls that do not end."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.calls import Delete, Hung, Raised, Read, Returned
from pytest_memory_store.rig import Handle, Rig, StoreHungError, StoreOpenError
from pytest_memory_store.store_spec import opener

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def rig() -> Iterator[Rig]:
    """A rig whose calls may take 0.2 s."""
    made = Rig(0.2, _stuck)
    yield made
    made.close()


def _stuck() -> None:
    raise AssertionError("nothing could end the call")


class Store:
    """Answers a read with its path; a delete does what `deleting` does."""

    def __init__(self, deleting: Any = None) -> None:
        self.deleting = deleting

    async def read(self, path: str, *, max_chars: int) -> str:
        """The path, bounded."""
        return path[:max_chars]

    async def delete(self, *_: object, **__: object) -> None:
        """Whatever this store was made for."""
        await self.deleting()


async def _asleep() -> None:
    await asyncio.sleep(30)


async def _stubborn() -> None:
    while True:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue


async def _busy() -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        time.sleep(0.01)  # noqa: ASYNC251 - the point


async def _failing() -> None:
    raise LookupError("gone")


def _opened(rig: Rig, factory: Any) -> Handle:
    handle = Handle(rig, opener(factory, {}))
    handle.open()
    return handle


def test_a_call_in_time_returns(rig: Rig) -> None:
    """What a call returns is its outcome, and it is counted."""
    handle = _opened(rig, Store)
    assert rig.run(rig.call(handle.store, Read("a.md", 3))) == Returned("a.m")
    assert rig.calls == 1
    assert handle.close() is None


def test_an_error_is_an_outcome(rig: Rig) -> None:
    """What a call raises is its outcome, with the place and without the frames."""
    handle = _opened(rig, lambda: Store(_failing))
    outcome = rig.run(rig.call(handle.store, Delete("a.md", None)))
    assert isinstance(outcome, Raised)
    assert isinstance(outcome.error, LookupError)
    assert outcome.where.startswith("test_rig.py:")
    assert outcome.error.__traceback__ is None


def test_a_sleeping_call_is_cancelled(rig: Rig) -> None:
    """A call that waits for ever is cancelled at the deadline, and the store is used on."""
    handle = _opened(rig, lambda: Store(_asleep))
    assert rig.run(rig.call(handle.store, Delete("a.md", None))) == Hung(0.2)
    assert rig.run(rig.call(handle.store, Read("a.md", 9))) == Returned("a.md")
    assert rig.hangs == 1


def test_a_call_that_swallows_cancellation_loses_its_loop(rig: Rig) -> None:
    """A call that goes on after its cancellation is left behind with its loop, and a new loop serves the rest."""
    handle = _opened(rig, lambda: Store(_stubborn))
    loop = rig.loop
    with pytest.raises(StoreHungError):
        rig.run(rig.call(handle.store, Delete("a.md", None)))
    assert rig.loop is not loop
    assert not handle.is_open
    handle.open()
    assert rig.run(rig.call(handle.store, Read("a.md", 9))) == Returned("a.md")


def test_a_call_that_never_yields_is_interrupted(rig: Rig) -> None:
    """A call that blocks the loop is ended by a signal."""
    handle = _opened(rig, lambda: Store(_busy))
    began = time.monotonic()
    assert rig.run(rig.call(handle.store, Delete("a.md", None))) == Hung(0.2)
    assert time.monotonic() - began < 10


def test_opening_has_a_deadline(rig: Rig) -> None:
    """A factory that hangs is a `StoreHungError` that says so."""

    async def never() -> Store:
        await asyncio.sleep(30)
        return Store()

    with pytest.raises(StoreHungError, match=r"opening the store did not return within 0\.2 s"):
        _opened(rig, never)


@pytest.mark.parametrize(
    ("factory", "said"),
    [(lambda: None, "gave None"), (lambda: Store, "the class Store"), (_failing, "LookupError: gone")],
)
def test_a_factory_that_gives_no_store(rig: Rig, factory: Any, said: str) -> None:
    """A factory that raises, or gives nothing or a class, is a `StoreOpenError` that says what it gave."""
    with pytest.raises(StoreOpenError, match=said):
        _opened(rig, factory)


def test_a_context_is_left_by_the_task_that_entered_it(rig: Rig) -> None:
    """Enter and exit of a context manager run in one task, as cancel scopes need it."""
    tasks = []

    class Context:
        async def __aenter__(self) -> Store:
            tasks.append(asyncio.current_task())
            return Store()

        async def __aexit__(self, *_: object) -> None:
            tasks.append(asyncio.current_task())

    _opened(rig, Context).close()
    assert len(tasks) == 2
    assert tasks[0] is tasks[1]


def test_what_closing_raises_is_given_back(rig: Rig) -> None:
    """An error of the store's own close is an answer, not a crash."""

    class Closing(Store):
        async def aclose(self) -> None:
            raise OSError("still busy")

    assert isinstance(_opened(rig, Closing).close(), OSError)


def test_the_stores_randomness_is_its_own(rig: Rig) -> None:
    """`random` goes on for the store where it was, whatever reseeded it in between."""
    rig.keep_random()
    first = random.random()  # noqa: S311 - no secret
    random.seed(0)
    rig.restore_random()
    assert random.random() == first  # noqa: S311 - no secret
