"""All that is asked of asyncpg: what a connection and a pool can do, and what its errors mean.

The only module that imports it. It knows no table and nothing of memories.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

try:
    # asyncpg is not typed: what is used of it is described below.
    _asyncpg: Any = importlib.import_module("asyncpg")
except ImportError as error:
    raise ImportError(
        "PostgresMemoryStore needs asyncpg: pip install 'pytest-memory-store[postgres]'", name=error.name
    ) from error


class Connection(Protocol):
    """What is used of an asyncpg connection."""

    async def fetch(self, query: str, *args: Any) -> list[Any]:
        """Run a statement and return its rows."""
        ...

    async def fetchrow(self, query: str, *args: Any) -> Any:
        """Run a statement and return its first row, or `None`."""
        ...

    async def fetchval(self, query: str, *args: Any) -> Any:
        """Run a statement and return the first value of its first row, or `None`."""
        ...

    async def execute(self, query: str, *args: Any) -> str:
        """Run a statement, or without arguments several."""
        ...

    def transaction(self, *, isolation: str) -> AbstractAsyncContextManager[object]:
        """Make the block one transaction."""
        ...

    def is_closed(self) -> bool:
        """Whether the connection can no longer be used."""
        ...


class Pool(Protocol):
    """What is used of an `asyncpg.Pool`."""

    def acquire(self) -> Any:
        """Take a connection out of the pool; awaitable."""
        ...

    async def release(self, connection: Any) -> None:
        """Give it back."""
        ...


class OwnedPool(Pool, Protocol):
    """What is used of a pool that the store made itself."""

    async def close(self) -> None:
        """Wait for the connections in use, then close them all."""
        ...

    def terminate(self) -> None:
        """Close all connections at once."""
        ...


_Errors = tuple[type[Exception], ...]

LOST: Final[_Errors] = (
    OSError,
    _asyncpg.PostgresConnectionError,
    _asyncpg.AdminShutdownError,
    _asyncpg.CrashShutdownError,
)
"""Errors of a connection that is gone. What became of a statement that it was used for is not known."""

LOST_OR_CLOSED: Final[_Errors] = (*LOST, _asyncpg.InterfaceError)
"""The same, and the error of asyncpg for using what is closed already."""

REPEATABLE: Final[_Errors] = (
    # No connection was to be had, and may be had soon.
    *LOST,
    _asyncpg.CannotConnectNowError,
    _asyncpg.TooManyConnectionsError,
    # The transaction was rolled back because of a concurrent one. The only unique key that can be violated is a
    # receipt's, by the same operation being applied elsewhere.
    _asyncpg.SerializationError,
    _asyncpg.DeadlockDetectedError,
    _asyncpg.UniqueViolationError,
)
"""Errors which say that nothing was done, where trying again makes sense."""

DUPLICATE: Final[_Errors] = (
    _asyncpg.DuplicateTableError,
    _asyncpg.DuplicateObjectError,
    _asyncpg.WrongObjectTypeError,
)
"""Errors of making a table where something else has its name."""


_RESET_QUERY: Final = ("get_reset_query", "_get_reset_query")
"""What asyncpg calls the method that gives the query, from 0.30 on and before."""


def _nothing(_connection: object) -> str:
    return ""


# What a pool does to a connection that comes back is a round trip of its own, which undoes settings, locks, cursors
# and subscriptions. The store makes none of these. An open transaction is rolled back all the same.
_Connection: Any = type("Connection", (_asyncpg.Connection,), dict.fromkeys(_RESET_QUERY, _nothing))


def is_gone(connection: Connection) -> bool:
    """Whether a connection of a pool was lost, and so taken from whoever had it."""
    try:
        return connection.is_closed()
    except LOST_OR_CLOSED:
        return True


async def make_pool(dsn: str, *, max_connections: int, keep_statements: bool) -> OwnedPool:
    """Make a pool that opens connections when they are needed.

    Raises:
        ValueError: `dsn` cannot be understood.
    """
    limits = {"min_size": 0, "max_size": max_connections}
    cache = {} if keep_statements else {"statement_cache_size": 0}
    pool: OwnedPool = await _asyncpg.create_pool(dsn, connection_class=_Connection, **limits, **cache)
    return pool
