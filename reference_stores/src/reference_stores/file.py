"""A `MemoryStore` in a directory of Markdown files, with a SQLite database beside them.

What lives here: the store. What is valid and what matches a query is the rules' business; the directory, the
database, the journal and the threads have modules of their own.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
import weakref
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar, get_args

from reference_stores._file_engine import Engine, close_forgotten, outcome
from reference_stores._file_index import list_files, read_file, search_files
from reference_stores._file_journal import Change, apply, look_up_operation
from reference_stores._file_marks import SIDECAR, is_reserved
from reference_stores._file_sidecar import BusyError, timed_out
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
    from collections.abc import AsyncGenerator, Callable, Mapping
    from types import TracebackType
    from typing import Self

    from reference_stores._file_sidecar import Sidecar
    from reference_stores.contract import MemoryFile, MemoryMutation, MemoryOperation, MemorySearchResult

T = TypeVar("T")

Synchronous = Literal["OFF", "FULL"]
"""Whether a mutation waits for the disk. With `OFF` a loss of power may undo or damage the last ones."""

_CLAIMS: Final[dict[str, bool | int | str]] = {
    "search": True,
    "metadata": True,
    "durable": True,
    "shared": True,
    "fs": True,
    "no_file_and_directory": True,
    "max_metadata_chars": MAX_METADATA_CHARS,
    "reserved_names": ":".join(SIDECAR + suffix for suffix in ("", "-wal", "-shm", "-journal")),
}


class FileStore:
    """The whole protocol, with search and metadata, in files that people open in an editor.

    A path is the path of a file below the directory. Beside the files lies a database, the sidecar
    `.memory.sqlite3`, with what a file cannot hold: versions, metadata, receipts, a journal.

    **People may edit.** A file that was changed, added or removed outside is noticed by its stamp (inode,
    size, times) and then by a digest of its content. New content is a new version without metadata and
    operation; a write that expects the old one is a conflict. Two things are out of reach: an edit in the
    very instant between the last look at a file and its replacement is lost, as between two editors; and a
    change that is taken back before a call looks was never there.

    **Durable.** A mutation is journalled, then a staged file takes the place of the old one at once, and each
    step waits for the disk. What a crash interrupts is completed by the next call that changes something or
    finds the file changed, unless a person edited the file meanwhile. Then the edit stays, and the retry of
    the operation raises `MemoryConflictError` once, "externally modified memory path ... blocks recovery";
    the retry after that returns the receipt if the text had taken its place before the edit, and is otherwise
    judged by its expected version, like a new one. No operation is applied twice.

    **Shared.** Any number of stores and processes may use one directory on a local disk, and one store any
    number of event loops and threads. Not across a fork: open a store in each process. The lock is a
    transaction of the sidecar. A cancelled call that has not begun never will; one that runs is waited for.

    **Symbolic links** are never followed, wherever they lead: an access through one raises
    `MemoryPathEscapeError`, listing and search pass it over. Links above the directory are resolved once.

    **Names.** A file cannot lie beside a directory of its name: the write of the second raises `ValueError`,
    and so does one that differs from an existing name in case alone where the file system ignores case.
    Names that begin with `.memory.sqlite3` or `.memory-tmp-`, in any directory and any case, are the
    store's: they are refused with `ValueError` and never listed.

    **Cost.** `list_paths` and `search` look at the stamp of each directory that they pass, and scan only
    those that changed since the last look, by whomever. So the first call after a change costs the names in
    that one directory, and any other what it returns. A search reads the files it looks into.

    **Trouble.** A file that is not UTF-8, or no regular file, raises `ValueError` when read and makes a
    search `truncated`; others are not affected. What the system refuses is raised as `OSError`, and nothing
    is half-written. A sidecar that is damaged is kept as `.memory.sqlite3.damaged-...` and made anew from the
    files, with a warning in the log: versions, metadata and receipts are lost, no file is.

    Receipts are kept until you delete them: rows of `receipts` whose `recorded_at` (seconds since 1970) is
    further back than any retry of yours may be deleted at any time, on a connection of your own (OP-13,
    OP-27). They hold the caller's fingerprint, no content.

    A deleted file is unlinked, not overwritten. The sidecar never holds content; its write-ahead log may hold
    a digest and metadata of deleted files until the last store on the directory is closed (DEL-10). A text
    staged by a process that was killed is removed when its directory is next listed or searched, if not
    before (DEL-08).

    Versions are random: never reused, also after a delete and a restart, and telling nobody how much
    anybody writes (CAS-22, CAS-23).
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        synchronous: Synchronous = "FULL",
        lock_timeout: float = 30.0,
    ) -> None:
        """Describe a store; nothing is opened or made before the first call, `directory` included.

        `synchronous` says whether mutations wait for the disk. `lock_timeout` is how many seconds a call
        waits for the lock that another user of the directory holds; after that it raises `TimeoutError`.

        Raises:
            ValueError: `directory` is empty, `synchronous` is no setting, or `lock_timeout` is negative or
                not finite.
        """
        if not os.fspath(directory):
            raise ValueError("directory is empty; give the path of a directory")
        if synchronous not in get_args(Synchronous):
            raise ValueError(f"synchronous is {synchronous!r}; use one of {', '.join(get_args(Synchronous))}")
        if not 0 <= lock_timeout < math.inf:
            raise ValueError(f"lock_timeout is {lock_timeout!r}; give seconds, zero or more")
        self.directory = Path(directory)
        """Where the files are, as it was given."""
        self._lock_timeout_s = lock_timeout
        self._engine = Engine(self.directory, durable=synchronous != "OFF", lock_timeout_s=lock_timeout)
        self._finalizer = weakref.finalize(self, close_forgotten, self._engine)
        self._finalizer.atexit = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Finish the calls that have begun and close what is open.

        May be called from any event loop, and again. Every later call raises `RuntimeError`.
        """
        self._finalizer.detach()
        closing = self._engine.close()
        if closing is not None:
            await outcome(closing)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """See `MemoryStore.read`. `ValueError` too if what it would return is not UTF-8, or this is no regular file."""
        _validate_path(path)
        validate_bound("max_chars", max_chars)
        return await self._perform(partial(read_file, path, max_chars))

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """See `MemoryStore.get_operation`. Ends the operation first if a crash interrupted it."""
        validate_operation(operation)
        return await self._perform(partial(look_up_operation, operation))

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.write`. `ValueError` too where a directory or another file is in the way."""
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
        validate_expected_version(expected_version)
        validate_operation(operation)
        change = Change(path, expected_version, operation, content.encode(), encode_metadata(metadata))
        return await self._perform(partial(apply, change), mutates=True)

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """See `MemoryStore.delete`. Directories that are empty then are removed with the file."""
        _validate_path(path)
        validate_expected_version(expected_version)
        validate_operation(operation)
        return await self._perform(partial(apply, Change(path, expected_version, operation)), mutates=True)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `MemoryStore.list_paths`. Costs what it returns, and a scan of each directory that changed."""
        validate_prefix(prefix)
        validate_bound("limit", limit)
        return await self._perform(partial(list_files, prefix, limit))

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
        """See `SearchableMemoryStore.search`. Other calls get their turn after every few files."""
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
            visit = partial(search_files, found, prefix, start, max_files, max_file_chars)
            max_files, start = await self._perform(visit)
        return found.result()

    async def _perform(self, job: Callable[[Sidecar], T], *, mutates: bool = False) -> T:
        deadline = time.monotonic() + self._lock_timeout_s
        while True:
            try:
                return await outcome(self._engine.put(job, mutates=mutates))
            except BusyError:
                if time.monotonic() >= deadline:
                    raise timed_out(self._lock_timeout_s) from None
            # The wait was short and on the lane's thread. Repeating it from here lets a caller cancel.
            await asyncio.sleep(0.001)


@asynccontextmanager
async def open_store(tmp_path: Path) -> AsyncGenerator[FileStore, None]:
    """Open the one store in `tmp_path`: the factory that `reference_stores.file:open_store` names."""
    async with FileStore(tmp_path / "memory") as store:
        yield store


vars(open_store)["memory_store_claims"] = _CLAIMS


def _validate_path(path: str) -> None:
    validate_path(path)
    if any(is_reserved(name) for name in path.split("/")):
        raise ValueError(f"memory path {path!r} has a name that the store keeps for itself; give it another one")
