"""Reference stores for the `MemoryStore` contract of Pydantic AI Harness.

`SqliteMemoryStore` needs the `sqlite` extra, `PostgresMemoryStore` the `postgres` extra, and `FileStore` a POSIX
system; each is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_stores.contract import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemoryPathEscapeError,
    MemorySearchMatch,
    MemorySearchResult,
    MemoryStore,
    MetadataMemoryStore,
    SearchableMemoryStore,
)
from reference_stores.in_memory import InMemoryStore

if TYPE_CHECKING:
    from reference_stores.file import FileStore
    from reference_stores.postgres import PostgresMemoryStore
    from reference_stores.sqlite import SqliteMemoryStore

__all__ = [
    "FileStore",
    "InMemoryStore",
    "MemoryConflictError",
    "MemoryFile",
    "MemoryMutation",
    "MemoryOperation",
    "MemoryOperationConflictError",
    "MemoryPathEscapeError",
    "MemorySearchMatch",
    "MemorySearchResult",
    "MemoryStore",
    "MetadataMemoryStore",
    "PostgresMemoryStore",
    "SearchableMemoryStore",
    "SqliteMemoryStore",
]


def __getattr__(name: str) -> Any:
    if name == "PostgresMemoryStore":
        from reference_stores.postgres import PostgresMemoryStore  # noqa: PLC0415 - asyncpg is optional

        return PostgresMemoryStore
    if name == "FileStore":
        from reference_stores.file import FileStore  # noqa: PLC0415 - only where there are descriptors

        return FileStore
    if name == "SqliteMemoryStore":
        from reference_stores.sqlite import SqliteMemoryStore  # noqa: PLC0415 - aiosqlite is optional

        return SqliteMemoryStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
