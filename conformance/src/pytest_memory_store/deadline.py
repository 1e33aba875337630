"""A deadline on every call of the store, also for calls that swallow cancellation or never yield.

Must not know: stores, clauses, pytest. A daemon thread watches the start time of the call under way, so that a
call in time costs two attribute writes. A late call is ended in steps, each one a little later than the last:
cancel its task; stop the loop, which is then abandoned; interrupt the main thread by a signal. Where no signal
can be sent (another thread than the main one, Windows), `on_stuck` is called and has to end the process.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Generator
    from types import FrameType

GRACE = 0.5
"""Seconds between one step and the next."""


class CallExpiredError(BaseException):
    """Raised in the main thread, inside a call that neither ends nor yields."""


class Deadline:
    """Watches one event loop. `seconds` is how long one call may take."""

    def __init__(self, seconds: float, on_stuck: Callable[[], None]) -> None:
        self.seconds = seconds
        self.expired = False
        self._on_stuck = on_stuck
        self._started: float | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[object] | None = None
        self._closed = threading.Event()
        self._owner = threading.current_thread()
        self._thread = threading.Thread(target=self._watch, name="memory-store-deadline", daemon=True)
        self._thread.start()

    def start(self) -> None:
        """A call begins."""
        self._started = time.monotonic()

    def stop(self) -> None:
        """The call has ended."""
        self._started = None

    @contextlib.contextmanager
    def watching(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[object]) -> Generator[None]:
        """Apply the deadline to the calls that `task` makes on `loop`."""
        self.expired, self._loop, self._task = False, loop, task
        previous = self._install()
        try:
            yield
        finally:
            self._started = self._loop = self._task = None
            self._restore(previous)

    def close(self) -> None:
        """End the watching thread."""
        self._closed.set()

    @property
    def _signals(self) -> bool:
        return self._owner is threading.main_thread() and hasattr(signal, "SIGALRM")

    def _install(self) -> object:
        return signal.signal(signal.SIGALRM, self._interrupt) if self._signals else None

    def _restore(self, previous: object) -> None:
        if self._signals:
            signal.signal(signal.SIGALRM, previous if callable(previous) else signal.SIG_DFL)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self.expired:
            raise CallExpiredError

    def _watch(self) -> None:
        while not self._closed.wait(min(self.seconds / 8, 0.25)):
            started = self._started
            if started is not None and time.monotonic() - started > self.seconds:
                self._end(started)

    def _end(self, started: float) -> None:
        self.expired = True
        for step in (self._cancel, self._stop_loop, self._signal, self._signal, self._on_stuck):
            step()
            if self._ended_within(started, GRACE):
                return

    def _ended_within(self, started: float, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self._started != started:
                return True
            time.sleep(0.01)
        return False

    def _cancel(self) -> None:
        if self._loop is not None and self._task is not None:
            self._call_soon(self._loop, self._task.cancel)

    def _stop_loop(self) -> None:
        if self._loop is not None:
            self._call_soon(self._loop, self._loop.stop)

    @staticmethod
    def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop may close at this very moment
            loop.call_soon_threadsafe(callback)

    def _signal(self) -> None:
        if self._signals and self._owner.ident is not None:
            signal.pthread_kill(self._owner.ident, signal.SIGALRM)
