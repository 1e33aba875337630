"""A `MemoryStore` in a SQLite database, through aiosqlite.

What lives here: the store. What is valid and what matches a query is the rules' business; statements,
connections and the layout of the database have modules of their own.
"""

from __future__ import annotations

import asyncio
import math
import os
import secrets
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, get_args

from reference_stores._sqlite_connections import Connections
from reference_stores._sqlite_statements import (
    Mutation,
    apply,
    list_files,
    look_up_operation,
    read_children,
    read_file,
)
from reference_stores.lexical import LexicalSearch
from reference_stores.rules import (
    MAX_METADATA_CHARS,
    encode_metadata,
    validate_bound,
    validate_content,
    validate_expected_version,
    validate_operation,
    validate_path,
    validate_prefix,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from reference_stores.contract import MemoryFile, MemoryMutation, MemoryOperation, MemorySearchResult

Synchronous = Literal["OFF", "NORMAL", "FULL", "EXTRA"]
"""When SQLite waits for the disk. Below `FULL` a loss of power may undo the last commits."""

MAX_CONTENT_CHARS = 200_000_000
"""The longest content accepted: SQLite takes 1,000,000,000 bytes, and a character has up to 4."""

_CLAIMS: Final[dict[str, bool | int]] = {
    "search": True,
    "metadata": True,
    "durable": True,
    "shared": True,
    "max_content_chars": MAX_CONTENT_CHARS,
    "max_metadata_chars": MAX_METADATA_CHARS,
}


class SqliteMemoryStore:
    """The whole protocol, with search and metadata, in one SQLite database.

    Durable, and shared: any number of stores and processes may use one database at once, and one store any
    number of event loops and threads. Not across a fork: open a store in each process. A mutation is one
    `BEGIN IMMEDIATE` transaction, its receipt included; reads have a connection of their own and are never
    blocked by one (write-ahead logging). A cancelled call that has not begun never will; one that runs is
    waited for, so that nothing changes after the caller heard of the cancellation.

    Connections are opened on first use and stay open until `aclose()` or the end of `async with`. A store
    that is left open does not keep the process alive.

    Receipts are kept until you delete them: rows of `receipts` whose `recorded_at` (seconds since 1970) is
    further back than any retry of yours may be deleted at any time, on a connection of your own (OP-13,
    OP-27). They hold the caller's fingerprint, no content.

    Deleted text is overwritten in the database (`secure_delete`). A copy may remain in the write-ahead log
    beside it until SQLite reuses that, or the last store on the database is closed (DEL-10).

    Versions are random: never reused, also after a delete and a restart, and telling nobody how much
    anybody writes (CAS-22, CAS-23).
    """

    def __init__(
        self,
        database: str | os.PathLike[str],
        *,
        synchronous: Synchronous = "FULL",
        busy_timeout: float = 30.0,
    ) -> None:
        """Describe a store; nothing is opened before the first call.

        `database` is a file, made if there is none, on a local disk; or `":memory:"`, which lives as long
        as the store is open. `synchronous` is SQLite's pragma of that name. `busy_timeout` is how many
        seconds a call waits for a lock that another process holds; after that it raises
        `sqlite3.OperationalError`.

        Raises:
            ValueError: `database` is empty, `synchronous` is no setting, or `busy_timeout` is negative or
                not finite.
        """
        name = os.fspath(database)
        if not name:
            raise ValueError('database is empty; give the path of a file, or ":memory:"')
        if synchronous not in get_args(Synchronous):
            raise ValueError(f"synchronous is {synchronous!r}; use one of {', '.join(get_args(Synchronous))}")
        if not 0 <= busy_timeout < math.inf:
            raise ValueError(f"busy_timeout is {busy_timeout!r}; give seconds, zero or more")
        self._connections = Connections(name, synchronous=synchronous, busy_timeout_s=busy_timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Finish the calls that have begun and close the connections.

        May be called from any event loop, and again. Every later call raises `RuntimeError`.
        """
        await self._connections.aclose()

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """See `MemoryStore.read`. The work is bounded by `max_chars`, however long the file is."""
        validate_path(path)
        validate_bound("max_chars", max_chars)
        return await self._connections.read(partial(read_file, path, max_chars))

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """See `MemoryStore.get_operation`."""
        validate_operation(operation)
        return await self._connections.read(partial(look_up_operation, operation))

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
        validate_path(path)
        validate_content(content)
        if len(content) > MAX_CONTENT_CHARS:
            raise ValueError(f"content has {len(content)} characters; the limit is {MAX_CONTENT_CHARS}")
        validate_expected_version(expected_version)
        validate_operation(operation)
        encoded = encode_metadata(metadata)
        mutation = Mutation(path, expected_version, operation, content, secrets.token_hex(16), encoded)
        return await self._connections.write(partial(apply, mutation))

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.delete`."""
        validate_path(path)
        validate_expected_version(expected_version)
        validate_operation(operation)
        return await self._connections.write(partial(apply, Mutation(path, expected_version, operation)))

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `MemoryStore.list_paths`. Costs what it returns, however many files there are."""
        validate_prefix(prefix)
        validate_bound("limit", limit)
        return await self._connections.read(partial(list_files, prefix, limit))

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
        """See `SearchableMemoryStore.search`. Fetches few files at a time, and yields after each of them."""
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
        start: str | None = prefix
        while start is not None:
            visit = partial(read_children, prefix, start, max_files + 1, max_file_chars)
            children, start = await self._connections.read(visit)
            for child in children[:max_files]:
                found.add(child.path, child.content, is_cut=child.chars > max_file_chars)
                await asyncio.sleep(0)
            if len(children) > max_files:
                found.leave_out()
                break
            max_files -= len(children)
        return found.result()


@asynccontextmanager
async def open_store(tmp_path: Path) -> AsyncGenerator[SqliteMemoryStore, None]:
    """Open the one store in `tmp_path`: the factory that `reference_stores.sqlite:open_store` names."""
    async with SqliteMemoryStore(tmp_path / "memory.sqlite3") as store:
        yield store


vars(open_store)["memory_store_claims"] = _CLAIMS
