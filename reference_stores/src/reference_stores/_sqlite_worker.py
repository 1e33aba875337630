"""An aiosqlite connection that takes whole functions, from any event loop.

What lives here: how a function gets onto a connection's thread, and its outcome back to the task that waits,
cancelled or not. It knows no SQL and nothing of memories.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

try:
    import aiosqlite
except ModuleNotFoundError as error:
    raise ImportError(
        "SqliteMemoryStore needs aiosqlite: pip install 'pytest-memory-store[sqlite]'", name=error.name
    ) from error

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

T = TypeVar("T")


class Worker(aiosqlite.Connection):
    """One SQLite connection, on the thread that aiosqlite runs it on.

    aiosqlite's public calls run one statement each and answer on the loop that asked. A mutation takes
    several, and a hop between threads for each would cost more than they do. And where the loop that asked
    is closed by then, the answer ends the thread, and every later call on the connection hangs. So functions
    are put on aiosqlite's queue here. Its queue, its thread and its `sqlite3` connection are all that is used
    of its inside, as SQLAlchemy does; releases from 0.20 on have them.
    """

    _tx: Any
    """aiosqlite's queue, of functions and the futures that wait for them."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        """Make a worker whose thread opens its connection by calling `connector`."""
        super().__init__(connector, iter_chunk_size=64)
        # Until aiosqlite 0.21 the connection is itself the thread. It must not keep the process alive.
        self._own_thread = cast("threading.Thread", getattr(self, "_thread", self))
        self._own_thread.daemon = True
        self._gate = threading.Lock()
        self.is_closing = False
        """Whether `close` was called."""

    async def open(self) -> None:
        """Open the connection. If the connector raises, so does this, and the thread ends."""
        try:
            await self
        except BaseException:
            # The thread was told to end, and still answers on this loop, which may be closed soon.
            self._own_thread.join()
            raise

    async def perform(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Run `function` on the connection's thread, after all that was asked before, and return its result.

        Cancelled before `function` begins, it never runs. Cancelled while it runs, the cancellation is held
        back until it is done, so that nothing happens after a caller heard of it; a second one ends the wait.

        Raises:
            RuntimeError: the connection is closed or closing.
            Exception: whatever `function` raises.
        """
        with self._gate:  # nothing may get into the queue behind the end of the thread
            if self.is_closing:
                raise RuntimeError("this SqliteMemoryStore is closed; open a new one")
            call = _Call(function, self._conn)
            self._tx.put_nowait((_NOBODY, call))
        return await call.outcome()

    async def close(self) -> None:
        """Finish what was asked before, then close the connection and end its thread."""
        with self._gate:
            self.is_closing = True
        await super().close()


class _Call(Generic[T]):
    """A function on its way through a connection's queue, and the task that waits for its outcome."""

    def __init__(self, function: Callable[[sqlite3.Connection], T], connection: sqlite3.Connection) -> None:
        self._function = function
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._done = self._loop.create_future()
        # Taken once, by the thread to run the function or by a cancellation to withdraw it, whoever is first.
        self._claim = threading.Lock()
        self._result: T | None = None
        self._error: BaseException | None = None
        self._is_settled = False

    def __call__(self) -> None:
        """Run the function, on the connection's thread."""
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._result = self._function(self._connection)
        except BaseException as error:  # noqa: BLE001 - it is raised where the outcome is awaited
            self._error = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        """Wake the waiting task, on its loop. A task that was cancelled left a cancelled future behind."""
        self._is_settled = True
        if not self._done.done():
            self._done.set_result(None)

    async def outcome(self) -> T:
        """Return or raise what the function did."""
        try:
            await self._done
        except asyncio.CancelledError:
            if not self._claim.acquire(blocking=False) and not self._is_settled:
                self._done = self._loop.create_future()
                await self._done
            raise
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # its traceback refers to this call
        return cast("T", self._result)


class _Nobody:
    """Stands where aiosqlite expects the future to answer to, since a call answers by itself."""

    def get_loop(self) -> _Nobody:
        return self

    def call_soon_threadsafe(self, *_: object) -> None:
        pass


_NOBODY = cast("Any", _Nobody())
