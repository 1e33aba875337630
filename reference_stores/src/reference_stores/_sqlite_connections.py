"""The connections of one store: opened when first needed, usable from any event loop, closed once.

What lives here: their life, and which of them does what. It knows no table and nothing of memories.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import os
import sqlite3
import threading
import time
import warnings
import weakref
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from reference_stores._sqlite_schema import is_busy, open_database
from reference_stores._sqlite_worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class _Pair(NamedTuple):
    """A connection for mutations and one for the rest: under write-ahead logging neither waits for the other.

    They are the same one for an in-memory database, which has no second.
    """

    writer: Worker
    reader: Worker


class Connections:
    """The two connections of a store, shared by all event loops and threads that use it."""

    def __init__(self, database: str, *, synchronous: str, busy_timeout_s: float) -> None:
        """Take note of how to open `database`; nothing is opened yet."""
        self._connector = partial(open_database, database, synchronous=synchronous, busy_timeout_s=busy_timeout_s)
        self._is_in_memory = database == ":memory:"
        self._busy_timeout_s = busy_timeout_s
        self._lock = threading.Lock()
        self._opening: concurrent.futures.Future[_Pair] | None = None
        self._closing: concurrent.futures.Future[None] | None = None
        self._finalizer: weakref.finalize[[concurrent.futures.Future[_Pair], int], Connections] | None = None
        self._is_closed = False
        self._process = 0

    async def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run `job` on the connection that mutations do not block.

        Raises:
            RuntimeError: the store is closed, was opened before a fork, or its database cannot be used.
            sqlite3.Error: what `job` raises. A lock that another connection holds is waited for first.
        """
        return await self._perform(job, mutates=False)

    async def write(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run `job`, which is one transaction, on the connection for mutations. Raises what `read` raises."""
        return await self._perform(job, mutates=True)

    async def aclose(self) -> None:
        """Finish what was begun and close. Calls that come later raise; closing again waits for the first."""
        self._require_same_process()
        with self._lock:
            self._is_closed = True
            if self._opening is None:
                return
            if self._closing is None:
                self._closing = _in_background(partial(_close, self._opening))
            closing = self._closing
        await asyncio.wrap_future(closing)

    async def _perform(self, job: Callable[[sqlite3.Connection], T], *, mutates: bool) -> T:
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            pair = await self._opened()
            try:
                return await (pair.writer if mutates else pair.reader).perform(job)
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                if time.monotonic() >= deadline:
                    error.add_note(f"another connection held the lock for {self._busy_timeout_s} seconds")
                    raise
            # The wait was short and on the connection's thread. Repeating it from here lets a caller cancel.
            await asyncio.sleep(0.001)

    async def _opened(self) -> _Pair:
        self._require_same_process()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("this SqliteMemoryStore is closed; open a new one")
            if self._opening is None or (self._opening.done() and self._opening.exception()):
                self._opening = _in_background(partial(_open, self._connector, in_memory=self._is_in_memory))
                self._process = os.getpid()
                self._warn_if_forgotten(self._opening)
            opening = self._opening
        return opening.result() if opening.done() else await asyncio.wrap_future(opening)

    def _warn_if_forgotten(self, opening: concurrent.futures.Future[_Pair]) -> None:
        if self._finalizer is not None:  # of an opening that failed
            self._finalizer.detach()
        self._finalizer = weakref.finalize(self, _close_forgotten, opening, self._process)
        self._finalizer.atexit = False

    def _require_same_process(self) -> None:
        if self._opening is not None and os.getpid() != self._process:
            raise RuntimeError("this SqliteMemoryStore was opened before the process forked; open one in each process")


def _in_background(run: Callable[[], Coroutine[None, None, T]]) -> concurrent.futures.Future[T]:
    """Run a coroutine on an event loop and a thread of its own.

    Several loops may wait for it, and none can cancel it or take it along when it closes.
    """
    outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
    outcome.set_running_or_notify_cancel()

    def work() -> None:
        try:
            outcome.set_result(asyncio.run(run()))
        except BaseException as error:  # noqa: BLE001 - it is raised where the outcome is awaited
            outcome.set_exception(error)

    threading.Thread(target=work, name="SqliteMemoryStore", daemon=True).start()
    return outcome


async def _open(connector: Callable[[], sqlite3.Connection], *, in_memory: bool) -> _Pair:
    writer = Worker(connector)
    await writer.open()
    if in_memory:
        return _Pair(writer, writer)
    reader = Worker(connector)
    try:
        await reader.open()
    except BaseException:
        await writer.close()
        raise
    return _Pair(writer, reader)


async def _close(opening: concurrent.futures.Future[_Pair]) -> None:
    try:
        pair = await asyncio.wrap_future(opening)
    except Exception:  # noqa: BLE001 - whoever caused the opening was told
        return
    # The reader first: the last connection to close moves the write-ahead log into the database.
    await pair.reader.close()
    await pair.writer.close()


def _close_forgotten(opening: concurrent.futures.Future[_Pair], process: int) -> None:
    if os.getpid() != process:
        return  # a fork has none of the threads
    if opening.done() and (opening.exception() or opening.result().writer.is_closing):
        return
    with contextlib.suppress(RuntimeError):  # no thread starts any more when the interpreter ends
        _in_background(partial(_close, opening))
    warnings.warn("a SqliteMemoryStore was not closed; use `async with` or `aclose()`", ResourceWarning, stacklevel=2)
