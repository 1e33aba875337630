"""A connection takes whole functions, and says truly what became of them."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from reference_stores._sqlite_worker import Worker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def connect() -> sqlite3.Connection:
    """Open a database in memory."""
    return sqlite3.connect(":memory:")


def use(test: Callable[[Worker], Awaitable[None]]) -> None:
    """Run a coroutine function on an open worker, and see that its thread ends."""

    async def main() -> None:
        worker = Worker(connect)
        await worker.open()
        try:
            await test(worker)
        finally:
            await worker.close()
        worker._own_thread.join(timeout=5)
        assert not worker._own_thread.is_alive()

    asyncio.run(main())


class Slow:
    """A function that begins, waits until it is let go, and notes that it ended."""

    def __init__(self) -> None:
        """Make one that has not begun."""
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.has_ended = False

    def __call__(self, _: sqlite3.Connection) -> str:
        """Do it."""
        self.begun.set()
        assert self.may_end.wait(timeout=10)
        self.has_ended = True
        return "result"


async def turns(count: int = 5) -> None:
    """Let other tasks run."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_results_and_errors() -> None:
    """A function's result is returned, its error is raised, and both run on the connection's thread."""

    async def test(worker: Worker) -> None:
        assert await worker.perform(lambda c: c.execute("SELECT 7").fetchone()) == (7,)
        assert await worker.perform(lambda _: threading.current_thread()) is worker._own_thread
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            await worker.perform(lambda c: c.execute("SELECT * FROM absent"))
        with pytest.raises(SystemExit):
            await worker.perform(lambda _: sys.exit())
        assert await worker.perform(lambda _: "still there") == "still there"

    use(test)


def test_a_function_that_began_is_waited_for() -> None:
    """A cancellation is told to the caller only when the function that it came too late for is over."""

    async def test(worker: Worker) -> None:
        slow = Slow()
        task = asyncio.create_task(worker.perform(slow))
        await asyncio.to_thread(slow.begun.wait)
        task.cancel()
        await turns()
        assert not task.done()
        slow.may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert slow.has_ended

    use(test)


def test_a_second_cancellation_ends_the_wait() -> None:
    """Whoever cancels twice is not kept waiting, and the function still comes to its end."""

    async def test(worker: Worker) -> None:
        slow = Slow()
        task = asyncio.create_task(worker.perform(slow))
        await asyncio.to_thread(slow.begun.wait)
        for _ in range(2):
            task.cancel()
            await turns()
        assert task.cancelled()
        slow.may_end.set()
        assert await worker.perform(lambda _: slow.has_ended)

    use(test)


def test_a_function_that_did_not_begin_is_withdrawn() -> None:
    """A call that is cancelled in the queue ends at once and never happens."""

    async def test(worker: Worker) -> None:
        slow, second = Slow(), Slow()
        first = asyncio.create_task(worker.perform(slow))
        queued = asyncio.create_task(worker.perform(second))
        await asyncio.to_thread(slow.begun.wait)
        queued.cancel()
        with pytest.raises(asyncio.CancelledError):
            await queued
        assert not first.done()
        slow.may_end.set()
        assert await first == "result"
        assert await worker.perform(lambda _: second.begun.is_set()) is False

    use(test)


def test_a_loop_that_closes_takes_nothing_along() -> None:
    """A function whose loop is closed before it ends leaves the connection to the others."""

    async def test(worker: Worker) -> None:
        slow = Slow()

        def abandon() -> None:
            loop = asyncio.new_event_loop()
            task = loop.create_task(worker.perform(slow))
            task._log_destroy_pending = False  # type: ignore[attr-defined]
            loop.run_until_complete(turns())
            assert slow.begun.wait(timeout=5)
            loop.close()

        await asyncio.to_thread(abandon)
        slow.may_end.set()
        assert await worker.perform(lambda _: slow.has_ended)

    use(test)


def test_closing() -> None:
    """What was asked before `close` is done, and what comes later is refused."""

    async def test(worker: Worker) -> None:
        slow = Slow()
        task = asyncio.create_task(worker.perform(slow))
        await turns()
        closing = asyncio.create_task(worker.close())
        await turns()
        with pytest.raises(RuntimeError, match="is closed; open a new one"):
            await worker.perform(lambda _: None)
        slow.may_end.set()
        assert await task == "result"
        await closing

    use(test)


def test_a_failed_opening_ends_the_thread() -> None:
    """If the connection cannot be made the error is raised, and no thread is left."""

    def fail() -> sqlite3.Connection:
        raise sqlite3.OperationalError("no")

    async def main() -> None:
        worker = Worker(fail)
        with pytest.raises(sqlite3.OperationalError, match="no"):
            await worker.open()
        assert not worker._own_thread.is_alive()

    asyncio.run(main())
