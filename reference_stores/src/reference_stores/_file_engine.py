"""What a `FileStore` has open, and the threads that do its blocking work for any event loop.

What lives here: how a job gets onto a thread, and its outcome back to the task that waits, cancelled or not.
What a job does is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from reference_stores._file_journal import recover
from reference_stores._file_sidecar import Sidecar
from reference_stores._file_tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

T = TypeVar("T")


class Engine:
    """One thread and connection for mutations, and one for the rest, so that no search waits for a disk."""

    def __init__(self, directory: Path, *, durable: bool, lock_timeout_s: float) -> None:
        self._tree = Tree(directory, syncs=durable)
        self._sidecars = [
            Sidecar(self._tree, recover, durable=durable, lock_timeout_s=lock_timeout_s) for _ in range(2)
        ]
        self._threads: list[ThreadPoolExecutor] = []
        self._gate = threading.Lock()
        self._closing: Future[None] | None = None
        self._is_closed = False
        self._process = 0

    def put(self, job: Callable[[Sidecar], T], *, mutates: bool) -> Future[T]:
        """Have `job` run on its thread, with the connection there, after all that was put there before.

        Raises:
            RuntimeError: the store is closed, or was opened before a fork.
        """
        with self._gate:
            self._require_same_process()
            if self._is_closed:
                raise RuntimeError("this FileStore is closed; open a new one")
            if not self._threads:
                # Each has one thread, which does not keep the process alive when it has nothing to do.
                self._threads = [ThreadPoolExecutor(1, "FileStore") for _ in self._sidecars]
                self._process = os.getpid()
            return self._threads[mutates].submit(partial(self._sidecars[mutates].attempt, job))

    def close(self) -> Future[None] | None:
        """Take no further jobs and close after the last; `None` if nothing was ever opened."""
        with self._gate:
            self._require_same_process()
            self._is_closed = True
            if self._threads and self._closing is None:
                reading, mutating = self._threads
                closed = reading.submit(self._sidecars[0].close)
                self._closing = mutating.submit(partial(self._close_rest, closed))
                reading.shutdown(wait=False)
                mutating.shutdown(wait=False)
            return self._closing

    def _close_rest(self, closed: Future[None]) -> None:
        closed.result()
        self._sidecars[1].close()
        self._tree.close()

    def _require_same_process(self) -> None:
        if self._threads and os.getpid() != self._process:
            raise RuntimeError("this FileStore was opened before the process forked; open one in each process")


async def outcome(future: Future[T]) -> T:
    """Return or raise what a job did.

    Cancelled before the job begins, it never runs. Cancelled while it runs, the cancellation is held back
    until it is done, so that nothing happens after a caller heard of it; a second one ends the wait.
    """
    try:
        await _done(future)
    except asyncio.CancelledError:
        if not future.cancel():
            await _done(future)
        raise
    return future.result()


async def _done(future: Future[T]) -> None:
    """Wait for the end of a job. `asyncio.wrap_future` would cancel it, and complain of a loop that is closed."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()

    def wake() -> None:
        if not over.done():
            over.set_result(None)

    def call(_: Future[T]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(wake)

    future.add_done_callback(call)
    await over


def close_forgotten(engine: Engine) -> None:
    try:
        closing = engine.close()
    except RuntimeError:  # a fork, or the end of the interpreter
        return
    if closing is not None:
        warnings.warn("a FileStore was not closed; use `async with` or `aclose()`", ResourceWarning, stacklevel=2)
