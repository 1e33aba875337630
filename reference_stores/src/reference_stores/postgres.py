"""A `MemoryStore` in a PostgreSQL database, through asyncpg.

What lives here: the store. What is valid and what matches a query is the rules' business; statements, pools and the
layout of the tables have modules of their own.
"""

from __future__ import annotations

import math
import secrets
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from reference_stores import rules
from reference_stores._postgres_pools import Pools
from reference_stores._postgres_schema import Tables
from reference_stores._postgres_statements import Mutation, Statements, terms_for_database
from reference_stores.lexical import LexicalSearch
from reference_stores.rules import (
    MAX_METADATA_CHARS,
    encode_metadata,
    validate_bound,
    validate_content,
    validate_expected_version,
    validate_operation,
    validate_prefix,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from types import TracebackType
    from typing import Self

    from reference_stores._postgres_driver import Pool
    from reference_stores.contract import MemoryFile, MemoryMutation, MemoryOperation, MemorySearchResult

MAX_CONTENT_CHARS = 200_000_000
"""The longest content accepted: PostgreSQL takes 1,073,741,823 bytes, and a character has up to 4."""

MAX_PATH_CHARS = 1_024
"""The longest path accepted: an index entry of PostgreSQL, which has it twice, takes 2,704 bytes."""

_CLAIMS: Final[dict[str, bool | int]] = {
    "search": True,
    "metadata": True,
    "durable": True,
    "shared": True,
    "max_path_chars": MAX_PATH_CHARS,
    "max_content_chars": MAX_CONTENT_CHARS,
    "max_metadata_chars": MAX_METADATA_CHARS,
}


class PostgresMemoryStore:
    """The whole protocol, with search and metadata, in three tables of a PostgreSQL database (13 or newer).

    Durable, and shared: any number of stores and processes may use the same tables at once. A mutation is one
    statement, its receipt included, and correct under every default isolation level. With a DSN, one store serves
    any number of event loops and threads, each loop from a pool of its own. A pool that you give is used as it is, on
    its own loop alone, and is yours to close; asyncpg resets its connections after each call, which is a second round
    trip.

    A connection that is lost, and a server that cannot be reached, are tried again for `retry_timeout` seconds. A
    mutation whose connection was lost on the way may have been applied or not. With an operation it is repeated, and
    ends applied once; without one, the error is raised.

    Connections are opened on first use. The store's own close with `aclose()`, with the end of `async with`, or with
    their event loop, where that is closed as `asyncio.run` does it.

    Receipts are kept until you delete them: rows of the table whose name ends in `_receipts` whose `recorded_at` is
    further back than any retry of yours may be deleted at any time (OP-13, OP-27). They hold the caller's
    fingerprint, no content.

    Deleted text stays in the table's pages until `VACUUM`, in the write-ahead log until that is recycled, and in
    what replicas and backups keep (DEL-10).

    Versions are random: never reused, and telling nobody how much anybody writes (CAS-22, CAS-23).
    """

    def __init__(
        self,
        database: str | Pool,
        *,
        schema: str = "public",
        table: str = "memory_files",
        max_connections: int = 10,
        transaction_pooling: bool = False,
        retry_timeout: float = 5.0,
    ) -> None:
        """Describe a store; nothing is opened before the first call, which makes what is missing.

        `database` is a DSN as asyncpg understands it, or an `asyncpg.Pool`. `schema` and `table` are exact names,
        quoted for you; there are also tables named `table` with `_receipts` and `_layout` after it. `max_connections`
        is the size of each pool that the store makes.

        `transaction_pooling` is for a pooler such as PgBouncer in transaction mode, where the next statement may
        meet another server process: each call is then an explicit transaction, and prepares nothing that outlives
        it. A pool that you give also needs `statement_cache_size=0` there.

        Raises:
            TypeError: `database` is neither a string nor a pool.
            ValueError: `database` is empty, PostgreSQL would refuse `schema` or `table` or cut it off,
                `max_connections` is not positive, or `retry_timeout` is negative or not finite.
        """
        if not isinstance(database, str) and not hasattr(database, "acquire"):
            raise TypeError(f"database is a {type(database).__name__}; give a DSN or an asyncpg.Pool")
        if database == "":
            raise ValueError("database is empty; give a DSN such as postgresql://user@host/name")
        validate_bound("max_connections", max_connections)
        if not 0 <= retry_timeout < math.inf:
            raise ValueError(f"retry_timeout is {retry_timeout!r}; give seconds, zero or more")
        tables = Tables(schema, table)
        self._statements = Statements(tables)
        self._pools = Pools(
            database,
            tables,
            max_connections=max_connections,
            transaction_pooling=transaction_pooling,
            retry_timeout_s=retry_timeout,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Finish the calls that have begun and close the store's own pools; one that you gave stays open.

        May be called from any event loop, and again. Every later call raises `RuntimeError`.
        """
        await self._pools.aclose()

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """See `MemoryStore.read`. No more than `max_chars` characters leave the database."""
        _validate_path(path)
        validate_bound("max_chars", max_chars)
        return await self._pools.perform(partial(self._statements.read, path, max_chars), is_repeatable=True)

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """See `MemoryStore.get_operation`."""
        validate_operation(operation)
        return await self._pools.perform(partial(self._statements.look_up, operation), is_repeatable=True)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.write`. Content may have `MAX_CONTENT_CHARS` characters."""
        return await self.write_with_metadata(
            path, content, expected_version=expected_version, metadata=None, operation=operation
        )

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MetadataMemoryStore.write_with_metadata`. The limit is `MAX_METADATA_CHARS`."""
        _validate_path(path)
        validate_content(content)
        if len(content) > MAX_CONTENT_CHARS:
            raise ValueError(f"content has {len(content)} characters; the limit is {MAX_CONTENT_CHARS}")
        validate_expected_version(expected_version)
        validate_operation(operation)
        encoded = encode_metadata(metadata)
        return await self._mutate(Mutation(path, expected_version, operation, secrets.token_hex(16), content, encoded))

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.delete`."""
        _validate_path(path)
        validate_expected_version(expected_version)
        validate_operation(operation)
        return await self._mutate(Mutation(path, expected_version, operation, secrets.token_hex(16)))

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `MemoryStore.list_paths`. Costs what it returns, however many files there are."""
        validate_prefix(prefix)
        validate_bound("limit", limit)
        return await self._pools.perform(partial(self._statements.list_files, prefix, limit), is_repeatable=True)

    async def search(
        self,
        prefix: str,
        query: str,
        *,
        limit: int,
        max_files: int,
        max_chars: int,
        max_file_chars: int,
    ) -> MemorySearchResult:
        """See `SearchableMemoryStore.search`. Fetches a bounded part at a time; other tasks run in between.

        If the query is ASCII, the database looks for its terms first, and the text of a file without any stays there.
        """
        found = LexicalSearch(
            prefix,
            query,
            limit=limit,
            max_files=max_files,
            max_chars=max_chars,
            max_file_chars=max_file_chars,
        )
        if found.is_empty:
            return found.result()
        terms = terms_for_database(query)
        start: str | None = prefix
        while start is not None:
            visit = partial(self._statements.read_children, prefix, start, max_files + 1, max_file_chars, terms)
            children, start = await self._pools.perform(visit, is_repeatable=True)
            for child in children[:max_files]:
                found.add(child.path, child.content, is_cut=child.chars > max_file_chars)
            if len(children) > max_files:
                found.leave_out()
                break
            max_files -= len(children)
        return found.result()

    async def _mutate(self, mutation: Mutation) -> MemoryMutation:
        is_repeatable = mutation.operation is not None
        if mutation.expects_nothing:
            job = partial(self._statements.apply_to_nothing, mutation)
            return await self._pools.perform(job, is_repeatable=is_repeatable, in_transaction=is_repeatable)
        return await self._pools.perform(partial(self._statements.apply, mutation), is_repeatable=is_repeatable)


@asynccontextmanager
async def open_store(postgres_dsn: str) -> AsyncGenerator[PostgresMemoryStore, None]:
    """Open a store in an own database: the factory that `reference_stores.postgres:open_store` names.

    Its parameter is filled with the fixture `postgres_dsn` of `pytest_memory_store.fixtures.postgres`.
    """
    async with PostgresMemoryStore(postgres_dsn) as store:
        yield store


vars(open_store)["memory_store_claims"] = _CLAIMS


def _validate_path(path: str) -> None:
    rules.validate_path(path)
    if len(path) > MAX_PATH_CHARS:
        raise ValueError(f"memory path has {len(path)} characters; the limit is {MAX_PATH_CHARS}")
