"""Owns the event loop, and opens, reopens and closes stores on it.

Must not know: clauses, the model, pytest. One loop per session, so that pools live across tests. Every store is
held open by a task of its own, since a context manager built on cancel scopes must be left by the task that
entered it.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import PurePath
from typing import Any, TypeVar

from pytest_memory_store.calls import Call, Hung, Misfit, Outcome, Raised, Returned, send, why_unfit
from pytest_memory_store.deadline import CallExpiredError, Deadline

T = TypeVar("T")

MAX_HANGS = 3
"""After so many calls that did not return, nothing more is asked of the store."""


class StoreHungError(Exception):
    """A call did not return within the deadline; `abandoned` says that its loop had to be given up."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"{what} did not return within {seconds:g} s")
        self.what = what
        self.seconds = seconds


class StoreOpenError(Exception):
    """The factory failed: `error` is what it raised, or what is wrong with what it gave."""

    def __init__(self, error: BaseException | str) -> None:
        described = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        super().__init__(described)
        self.error = error


Opener = Callable[[], AbstractAsyncContextManager[Any]]


class Handle:
    """An open store. `store` is what the factory gave."""

    def __init__(self, rig: Rig, opener: Opener) -> None:
        self._rig = rig
        self._opener = opener
        self._loop: asyncio.AbstractEventLoop | None = None
        self._release: asyncio.Event | None = None
        self._holder: asyncio.Task[None] | None = None
        self.store: Any = None

    @property
    def is_open(self) -> bool:
        """Whether the store can be called: opened, and on the loop that is running now."""
        return self._holder is not None and self._loop is self._rig.loop

    def open(self) -> None:
        """Open the store.

        Raises:
            StoreOpenError: the factory raised, or gave `None` or a class.
            StoreHungError: the factory did not return within the deadline.
        """
        self.store = self._rig.run(self._enter(), what="opening the store")
        if self.store is None or isinstance(self.store, type):
            self.close()
            given = "None" if self.store is None else f"the class {self.store.__name__}, not an instance"
            raise StoreOpenError(f"the factory gave {given}")

    async def _enter(self) -> Any:
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[Any] = loop.create_future()
        release = asyncio.Event()
        holder = loop.create_task(_hold(self._opener, ready, release), name="memory-store-holder")
        try:
            store = await ready
        except BaseException:
            holder.cancel()
            raise
        self._loop, self._release, self._holder = loop, release, holder
        return store

    def close(self) -> BaseException | None:
        """Close the store, and give what closing it raised. A store on an abandoned loop is left as it is."""
        holder, release = self._holder, self._release
        self._holder = self._release = None
        if holder is None or release is None or self._loop is not self._rig.loop:
            return None
        release.set()
        try:
            self._rig.run(_wait(holder), what="closing the store")
        except (StoreHungError, Exception) as error:  # noqa: BLE001 - whatever the store raises is the store's
            return error
        return None

    def reopen(self) -> None:
        """Close the store and open it again, by the same factory with the same values."""
        self.close()
        self.open()


async def _wait(task: asyncio.Task[None]) -> None:
    await task


async def _hold(opener: Opener, ready: asyncio.Future[Any], release: asyncio.Event) -> None:
    try:
        async with opener() as store:
            if not ready.cancelled():
                ready.set_result(store)
            await release.wait()
    except Exception as error:
        if ready.done():
            raise
        ready.set_exception(StoreOpenError(error))


class Rig:
    """The session's event loop, with a deadline on every call and a count of what was called.

    `timeout` is the deadline of one call in seconds; `on_stuck` ends the process when nothing else can end a call.
    """

    def __init__(self, timeout: float, on_stuck: Callable[[], None]) -> None:
        self.timeout = timeout
        self.hangs = 0
        self.calls = 0
        self.seconds_in_store = 0.0
        self.loop = _new_loop()
        self._deadline = Deadline(timeout, on_stuck)
        self._random = random.getstate()

    def run(self, coroutine: Coroutine[Any, Any, T], what: str | None = None) -> T:
        """Run `coroutine` to its end; with `what`, the whole of it is one call of that name, under one deadline.

        Raises:
            StoreHungError: it did not end, although cancelled; its loop is abandoned, and open handles with it.
        """
        loop = self.loop
        task = loop.create_task(coroutine)
        with self._deadline.watching(loop, task):
            if what is not None:
                self._deadline.start()
            return self._drive(loop, task, what)

    def _drive(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[T], what: str | None) -> T:
        try:
            return loop.run_until_complete(task)
        except (CallExpiredError, asyncio.CancelledError, RuntimeError) as error:
            if not self._deadline.expired:
                raise
            self.hangs += 1
            if not task.done():
                self._abandon()
            raise StoreHungError(what or "a call", self.timeout) from error
        except KeyboardInterrupt:
            _drain(loop, task)
            raise

    def _abandon(self) -> None:
        self.loop.set_exception_handler(lambda _loop, _context: None)
        _ABANDONED.append(self.loop)
        self.loop = _new_loop()

    async def call(self, store: Any, call: Call) -> Outcome:
        """Make one call on the store, under the deadline; whatever comes of it is an outcome, not an error."""
        deadline = self._deadline
        started = time.perf_counter()
        outcome: Outcome
        deadline.start()
        try:
            answer = send(store, call)
            outcome = Returned(await answer) if inspect.isawaitable(answer) else _not_awaitable(call, answer)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError | CallExpiredError) and not deadline.expired:
                raise
            clause = why_unfit(store, call, error)
            where = _forget_frames(error)
            outcome = Raised(error, where) if clause is None else Misfit(error, where, clause)
        finally:
            deadline.stop()
        self.calls += 1
        self.seconds_in_store += time.perf_counter() - started
        if deadline.expired:
            self.hangs += 1
            deadline.expired = False
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()  # the example goes on and says what hung
            return Hung(self.timeout)
        return outcome

    def restore_random(self) -> None:
        """Give `random` the state in which the store last had it: Hypothesis reseeds it for each example."""
        random.setstate(self._random)

    def keep_random(self) -> None:
        """Remember the state of `random` for the store's next call."""
        self._random = random.getstate()

    def close(self) -> None:
        """Close the loop and whatever was left running on it."""
        loop = self.loop
        try:
            _drain(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            self._deadline.close()
            loop.close()


def _not_awaitable(call: Call, answer: object) -> Misfit:
    error = TypeError(f"{call.method} gave a {type(answer).__name__}, which cannot be awaited")
    return Misfit(error, clause="TYPE-06")


def _forget_frames(error: BaseException) -> str:
    """Drop the error's frames, which would keep what the store left in them alive; give the innermost one's place."""
    place = ""
    innermost = error.__traceback__
    while innermost is not None:
        code = innermost.tb_frame.f_code
        place = f"{PurePath(code.co_filename).name}:{innermost.tb_lineno}"
        innermost = innermost.tb_next
    chained: BaseException | None = error
    for _ in range(8):  # a chain may be a ring
        if chained is None:
            break
        chained.__traceback__ = None
        if isinstance(chained, AttributeError):
            chained.obj = None
        chained = chained.__cause__ or chained.__context__
    return place


_ABANDONED: list[asyncio.AbstractEventLoop] = []


def _new_loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _drain(loop: asyncio.AbstractEventLoop, *first: asyncio.Task[Any]) -> None:
    """Cancel what still runs on the loop and give it a moment to end."""
    tasks = [task for task in (first or asyncio.all_tasks(loop)) if not task.done()]
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=1.0))
