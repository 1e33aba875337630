"""The connections of one store, on whatever event loop it is used: from the pool it was given, or from its own.

What lives here: the life of the pools, and what happens when a connection is lost or a transaction has to be
repeated. It knows no statement and nothing of memories.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from reference_stores._postgres_driver import LOST, LOST_OR_CLOSED, REPEATABLE, is_gone, make_pool
from reference_stores._postgres_schema import make_ready
from reference_stores._postgres_statements import RacedError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from reference_stores._postgres_driver import Connection, OwnedPool, Pool
    from reference_stores._postgres_schema import Tables

T = TypeVar("T")

_CLOSING_S: Final = 10.0
"""How many seconds a pool gets to close before its connections are cut."""

_LONGEST_PAUSE_S: Final = 0.25


class _LostError(Exception):
    """The connection was lost while it was used. The cause is asyncpg's error."""


class Pools:
    """Gives connections to a database in which the store's tables are ready."""

    def __init__(
        self,
        database: str | Pool,
        tables: Tables,
        *,
        max_connections: int,
        transaction_pooling: bool,
        retry_timeout_s: float,
    ) -> None:
        """Take note of how to get connections; nothing is opened yet."""
        if isinstance(database, str):
            make = partial(
                make_pool, database, max_connections=max_connections, keep_statements=not transaction_pooling
            )
            self._new_lifetime = partial(_own, make, tables)
        else:
            self._new_lifetime = partial(_lent, database, tables)
        self._is_lent = not isinstance(database, str)
        self._transaction_pooling = transaction_pooling
        self._retry_timeout_s = retry_timeout_s
        self._lock = threading.Lock()
        # By process and event loop. A fork inherits the sockets of its parent, and must neither use nor close them.
        self._homes: dict[tuple[int, asyncio.AbstractEventLoop], _Home] = {}
        self._is_closed = False

    async def perform(
        self, job: Callable[[Connection], Awaitable[T]], *, is_repeatable: bool, in_transaction: bool = False
    ) -> T:
        """Run `job` on a connection and return its result.

        It is run again after an error which says that it was rolled back for the sake of another transaction; and
        if `is_repeatable`, also where the connection was lost, so that nobody knows what became of it. A server
        that cannot be reached is tried again in any case.

        Raises:
            RuntimeError: the store is closed, the tables cannot be used, or the pool belongs to another event loop.
            Exception: asyncpg's, where trying again makes no sense or the store's `retry_timeout` is over.
        """
        in_transaction = in_transaction or self._transaction_pooling
        error: BaseException
        deadline = None
        pause_s = 0.0
        while True:
            home = self._home()
            try:
                return await home.perform(job, in_transaction=in_transaction)
            except TimeoutError:  # an OSError too, but somebody set that time
                raise
            except _LostError as lost:
                error = lost.__cause__ or lost
                if not is_repeatable:
                    raise error from None
            except REPEATABLE as failure:
                error = failure
            except RacedError as raced:
                error = raced
            deadline = deadline or time.monotonic() + self._retry_timeout_s
            if time.monotonic() >= deadline:
                raise error
            # At once, then after longer and longer pauses, of random length lest two rivals meet again and again.
            await asyncio.sleep(pause_s * secrets.randbelow(1000) / 1000)
            pause_s = min(2 * pause_s + 0.001, _LONGEST_PAUSE_S)

    async def aclose(self) -> None:
        """Finish the calls that were begun and close the store's own pools. Calls that come later raise.

        The pool of an event loop that is not running now closes when that loop shuts down its generators.
        """
        with self._lock:
            self._is_closed = True
            homes, self._homes = self._homes, {}
        here = asyncio.get_running_loop()
        for (process, loop), home in homes.items():
            if process != os.getpid():
                _INHERITED.append(home)
            elif loop is here:
                await home.aclose()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(home.aclose(), loop)
                await asyncio.wait([asyncio.wrap_future(closing)], timeout=_CLOSING_S)

    def _home(self) -> _Home:
        """Return the pool of the event loop that is running."""
        key = (os.getpid(), asyncio.get_running_loop())
        with self._lock:
            if self._is_closed:
                raise RuntimeError("this PostgresMemoryStore is closed; open a new one")
            home = self._homes.get(key)
            if home is None or home.has_failed:
                self._forget_closed_loops()
                if self._is_lent and self._homes.keys() - {key}:
                    raise RuntimeError(
                        "the pool given to this PostgresMemoryStore is in use on another event loop; "
                        "give a DSN instead, which serves any number of loops"
                    )
                home = self._homes[key] = _Home(self._new_lifetime())
            return home

    def _forget_closed_loops(self) -> None:
        for key in [key for key in self._homes if key[1].is_closed()]:
            del self._homes[key]


_INHERITED: list[_Home] = []
"""Pools of a parent process. Dropping them would close their connections, at the other end too."""


class _Home:
    """The pool of one event loop, opened in the background. It closes with the loop, if it was not closed before."""

    def __init__(self, lifetime: AsyncGenerator[Pool, None]) -> None:
        self._lifetime = lifetime
        # A task of its own: a call that is cancelled must not take along the opening that others wait for.
        self._opening = asyncio.get_running_loop().create_task(self._open())
        self._opening.add_done_callback(lambda opening: opening.cancelled() or opening.exception())
        self._calls = 0
        self._idle = asyncio.Event()

    async def _open(self) -> Pool:
        # An asynchronous generator that was begun on a loop is closed by it when it shuts down.
        return await anext(self._lifetime)

    @property
    def has_failed(self) -> bool:
        """Whether the pool could not be opened, so that a new one has to be."""
        opening = self._opening
        return opening.done() and (opening.cancelled() or opening.exception() is not None)

    async def perform(self, job: Callable[[Connection], Awaitable[T]], *, in_transaction: bool) -> T:
        self._calls += 1
        try:
            opening = self._opening
            pool = opening.result() if opening.done() else await asyncio.shield(opening)
            return await _perform(job, pool, in_transaction=in_transaction)
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()

    async def aclose(self) -> None:
        while self._calls:
            self._idle.clear()
            await self._idle.wait()
        await asyncio.wait([self._opening])
        await self._lifetime.aclose()


async def _lent(pool: Pool, tables: Tables) -> AsyncGenerator[Pool, None]:
    """A pool of the caller's, which is not ours to close."""
    await _prepare(pool, tables)
    yield pool


async def _own(make: Callable[[], Awaitable[OwnedPool]], tables: Tables) -> AsyncGenerator[Pool, None]:
    """A pool that is opened at the beginning and closed at the end."""
    pool = await make()
    try:
        await _prepare(pool, tables)
        yield pool
    finally:
        try:
            await asyncio.wait_for(pool.close(), _CLOSING_S)
        except LOST_OR_CLOSED:  # a TimeoutError is an OSError
            pool.terminate()


async def _prepare(pool: Pool, tables: Tables) -> None:
    try:
        await _perform(partial(make_ready, tables), pool, in_transaction=True)
    except _LostError as lost:
        raise lost.__cause__ or lost from None  # like a server that was never reached: nothing is half done


async def _perform(job: Callable[[Connection], Awaitable[T]], pool: Pool, *, in_transaction: bool) -> T:
    async with _borrowed(pool) as connection:
        if not in_transaction:
            return await job(connection)
        async with connection.transaction(isolation="read_committed"):
            return await job(connection)


@contextlib.asynccontextmanager
async def _borrowed(pool: Pool) -> AsyncGenerator[Connection, None]:
    """Take a connection out of the pool for the block.

    Raises:
        _LostError: the connection was lost in the block.
    """
    connection: Connection = await pool.acquire()
    try:
        yield connection
    except Exception as error:
        if isinstance(error, TimeoutError) or not (isinstance(error, LOST) or is_gone(connection)):
            raise
        raise _LostError from error
    finally:
        # A pool may find only now that the connection is gone. What was done with it is done.
        with contextlib.suppress(*LOST_OR_CLOSED):
            await pool.release(connection)
