"""A `MemoryStore` that lives as long as its process: the contract in its plainest form.

What lives here: the store's state and the lock around it. What is valid, what a receipt decides and what
matches a query is the rules' business, and no other store is known here.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from bisect import bisect_left, insort
from collections import deque
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from reference_stores.contract import MemoryFile, MemoryMutation, MemoryOperation, MemorySearchResult
from reference_stores.lexical import LexicalSearch
from reference_stores.rules import (
    MAX_METADATA_CHARS,
    Receipt,
    decode_metadata,
    directory_of,
    encode_metadata,
    is_addressable,
    prefix_end,
    replay,
    require_version,
    validate_bound,
    validate_content,
    validate_expected_version,
    validate_operation,
    validate_path,
    validate_prefix,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

RECEIPT_RETENTION = 1_024
"""How many receipts are kept for each tenant, the most recent ones (OP-13)."""

_CLAIMS: dict[str, bool | int] = {
    "search": True,
    "metadata": True,
    "process_lifetime": True,
    "receipt_retention": RECEIPT_RETENTION,
    "max_metadata_chars": MAX_METADATA_CHARS,
}


class _Entry(NamedTuple):
    content: str
    version: str
    operation_id: str | None
    metadata: dict[str, str] | None


class InMemoryStore:
    """The whole protocol, with search and metadata, for the lifetime of the object (DUR-10).

    One instance serves any number of event loops and threads, one after another or at once. Only a search
    ever suspends; every other call is one step of its event loop and cannot be cancelled half-way.

    Receipts: the `RECEIPT_RETENTION` most recent of each tenant are kept, the tenant of a mutation being
    the directory of its path (all before the last `/`). No tenant's traffic evicts the receipt of another.
    A deleted file leaves nothing but its receipts.

    Versions are random, so they tell nobody how much anybody writes (CAS-23).
    """

    memory_store_claims: ClassVar[dict[str, bool | int]] = _CLAIMS

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        """Start with a copy of `files`, content by path, as if each had been written without an operation.

        Raises:
            ValueError: a path or a content that `write` would refuse.
        """
        # An asyncio lock would belong to one loop. This one is held for work on dictionaries only, and never
        # across an await.
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._receipts: dict[str, Receipt] = {}
        self._recent_ids: dict[str, deque[str]] = {}
        for path, content in (files or {}).items():
            validate_path(path)
            validate_content(content)
            self._entries[path] = _Entry(content, _new_version(), None, None)
        self._paths = sorted(self._entries)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """See `MemoryStore.read`."""
        validate_path(path)
        validate_bound("max_chars", max_chars)
        with self._lock:
            entry = self._entries.get(path)
        if entry is None:
            return None
        return MemoryFile(
            content=entry.content[:max_chars],
            version=entry.version,
            operation_id=entry.operation_id,
            truncated=len(entry.content) > max_chars,
            metadata=None if entry.metadata is None else dict(entry.metadata),
        )

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """See `MemoryStore.get_operation`. A receipt that was evicted is unknown."""
        validate_operation(operation)
        with self._lock:
            return replay(operation, self._receipts.get(operation.id))

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.write`."""
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
        validate_expected_version(expected_version)
        validate_operation(operation)
        entry = _Entry(
            content,
            _new_version(),
            None if operation is None else operation.id,
            decode_metadata(encode_metadata(metadata)),
        )
        return self._mutate(path, entry, expected_version, operation)

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
        return self._mutate(path, None, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `MemoryStore.list_paths`. Costs what it returns, however many files there are."""
        validate_prefix(prefix)
        validate_bound("limit", limit)
        with self._lock:
            start = bisect_left(self._paths, prefix)
            end = bisect_left(self._paths, prefix_end(prefix), lo=start)
            return self._paths[start : min(end, start + limit)]

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
        """See `SearchableMemoryStore.search`. Sees all files at one instant, and yields after each."""
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
        with self._lock:
            files = [(path, self._entries[path].content) for path in self._searchable(prefix, max_files + 1)]
        if len(files) > max_files:
            found.leave_out()
        for path, content in files[:max_files]:
            found.add(path, content)
            await asyncio.sleep(0)
        return found.result()

    def _mutate(
        self, path: str, entry: _Entry | None, expected_version: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        """Put `entry` in place of what is at `path` (`None` deletes), if receipt and version allow it."""
        with self._lock:
            if operation is not None:
                replayed = replay(operation, self._receipts.get(operation.id))
                if replayed is not None:
                    return replayed
            current = self._entries.get(path)
            require_version(path, current=current.version if current else None, expected=expected_version)
            self._replace(path, current, entry)
            mutation = MemoryMutation(
                version=entry.version if entry else None, replayed=False, existed=current is not None
            )
            if operation is not None:
                self._record(path, operation, mutation)
            return mutation

    def _replace(self, path: str, current: _Entry | None, entry: _Entry | None) -> None:
        if entry is not None:
            self._entries[path] = entry
            if current is None:
                insort(self._paths, path)
        elif current is not None:
            del self._entries[path]
            del self._paths[bisect_left(self._paths, path)]

    def _record(self, path: str, operation: MemoryOperation, mutation: MemoryMutation) -> None:
        self._receipts[operation.id] = Receipt(operation.fingerprint, mutation.version, mutation.existed)
        recent = self._recent_ids.setdefault(directory_of(path), deque())
        recent.append(operation.id)
        if len(recent) > RECEIPT_RETENTION:
            del self._receipts[recent.popleft()]

    def _searchable(self, prefix: str, count: int) -> list[str]:
        """Return the first `count` paths directly below `prefix` that a tool can address."""
        paths: list[str] = []
        index = bisect_left(self._paths, prefix)
        while index < len(self._paths) and len(paths) < count:
            path = self._paths[index]
            if not path.startswith(prefix):
                break
            slash = path.find("/", len(prefix))
            if slash >= 0:  # a nested directory, of whatever size, is passed in one step
                index = bisect_left(self._paths, prefix_end(path[: slash + 1]), lo=index)
                continue
            if is_addressable(path):
                paths.append(path)
            index += 1
        return paths


def open_store() -> InMemoryStore:
    """Open an empty store: the factory that `reference_stores.in_memory:open_store` names."""
    return InMemoryStore()


vars(open_store)["memory_store_claims"] = _CLAIMS


def _new_version() -> str:
    return secrets.token_hex(16)
