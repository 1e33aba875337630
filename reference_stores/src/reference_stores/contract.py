"""The `MemoryStore` contract as types: protocols, the values their methods exchange, their errors.

Names, fields and signatures are those of Pydantic AI Harness's released protocol, so that a store written
against either works with both. The docstrings say what a store promises, what it does not, and which error
it raises when; the ids in brackets are the clauses of the contract. Lengths are counted in characters,
which are Unicode code points (READ-04). Nothing here may know a store, a rule or a test.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping


class MemoryConflictError(RuntimeError):
    """The file's version was not the expected one, and nothing was changed (CAS-01 to CAS-07, CAS-16).

    Expected in normal use: read the file again, redo the edit on what is there now, and write with the
    version just read. The same operation may be used for that new attempt, since a failed mutation leaves
    no receipt (OP-09, OP-10).
    """


class MemoryOperationConflictError(RuntimeError):
    """An operation's id is already recorded with another fingerprint, and nothing was changed (OP-05, OP-07).

    One id now names two different requests, which is a mistake of the caller: trying again cannot help.
    """


class MemoryPathEscapeError(ValueError):
    """A path leads out of the store's root directory, for instance through a symbolic link (PATH-15).

    Only stores that keep their files in a directory raise it.
    """


@dataclass(frozen=True)
class MemoryFile:
    """What one `read` saw. All fields belong to one committed version of the file (READ-13)."""

    content: str
    """The first `max_chars` characters of the text, exactly as they were written (READ-02, READ-03)."""

    version: str
    """The version of the whole file, however little was read (READ-05). Compare it for equality only."""

    operation_id: str | None
    """The id of the operation that wrote this version, or `None` if that write had none (READ-09)."""

    truncated: bool
    """Whether the file is longer than `content` (READ-03)."""

    metadata: Mapping[str, str] | None = field(default=None, hash=False)
    """What the write of this version recorded about itself (META-02).

    `None` if it recorded nothing, or the store records none (READ-10, META-06). A copy: changing it changes
    nothing in the store (META-13).
    """


@dataclass(frozen=True)
class MemoryOperation:
    """Who is asking for a mutation, so that asking twice changes the store once."""

    id: str
    """Names one request for ever. Compared exactly, and never read as a path or a pattern (OP-14)."""

    fingerprint: str
    """A digest of what the request asks for, made by the caller. Compared exactly (OP-24).

    A store compares nothing else: an id and fingerprint that come back with another path, kind, content or
    metadata are a replay (OP-18, META-09). Whatever tells two requests apart belongs in the digest.
    """


@dataclass(frozen=True)
class MemoryMutation:
    """What a write or a delete did, or had done when its operation was first applied."""

    version: str | None
    """The version a write produced, which the next read reports (CAS-08); `None` for a delete (DEL-02)."""

    replayed: bool
    """Whether this repeats a receipt, the mutation having been applied by an earlier call (OP-03, OP-26)."""

    existed: bool
    """Whether the file was there immediately before the mutation was applied (CAS-21)."""


@dataclass(frozen=True)
class MemorySearchMatch:
    """One file that matches a search."""

    path: str
    """The full path, prefix included."""

    snippet: str
    """Text of this file around a match (SRCH-17). `...` at an end marks text left out there."""

    score: float
    """Finite and above zero (SRCH-18). Higher is better; scores of two searches cannot be compared."""


@dataclass(frozen=True)
class MemorySearchResult:
    """What one search found, and whether it looked at everything."""

    matches: list[MemorySearchMatch]
    """The best matches first, each path once (SRCH-15, SRCH-19)."""

    scanned: int
    """How many files in scope were looked into, at most `max_files` (SRCH-03)."""

    truncated: bool
    """Whether something was not searched or not returned (SRCH-07, SRCH-08).

    Absence from `matches` then proves nothing. A snippet shorter than its file does not count: that is
    what a snippet is.
    """


@runtime_checkable
class MemoryStore(Protocol):
    """Text files under string paths, with optimistic locking and mutations that are safe to repeat.

    **Paths** are segments of `[A-Za-z0-9_.-]{1,200}` joined by `/`; no segment is `.` or contains `..`.
    They are compared exactly: no case folding, no normalization (PATH-01 to PATH-05). Directories do not
    exist, and `a` may live beside `a/b` (PATH-11).

    **Promises.** Every mutation takes effect at one instant, together with its receipt, or not at all
    (OP-02, CONC-12); what a completed call changed, every later call sees (READ-07, LIST-09). A cancelled
    mutation was applied with its receipt or not applied, and repeating it with the same operation ends with
    it applied once (CONC-03). A failure of the backend is raised, never reported as an absent file, an
    empty list or a success (CONC-11).

    **Not promised.** An order of versions, or any meaning in them. An error from which a cancelled call's
    outcome can be told: ask `get_operation`. Receipts for ever: a store keeps at least the 1,024 most
    recent and says how many (OP-13). That another event loop, thread or process may use the store: it says
    so if it does (CONC-05 to CONC-08). That a restart keeps anything (DUR-10). That content with NUL or
    lone surrogates is accepted; a store that cannot keep it raises `ValueError` (TYPE-08).

    **Order of checks**, where more than one would fail: arguments, then the receipt, then the version
    (OP-06 to OP-08).
    """

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return the first `max_chars` characters of the file, or `None` if there is none (READ-01, READ-03).

        An empty file is a file (READ-12). Reading changes nothing (READ-08). The work is not promised to be
        bounded by `max_chars`, only the result (READ-11).

        Raises:
            ValueError: `path` is not a valid path (PATH-02), or `max_chars` is not positive (READ-06).
        """
        raise NotImplementedError

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Return what `operation` did, with `replayed=True`, or `None` if it was not applied (OP-01, OP-04).

        `None` is also the answer once a receipt is older than the store's declared retention (OP-13).

        Raises:
            MemoryOperationConflictError: the id is recorded with another fingerprint (OP-05).
        """
        raise NotImplementedError

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Create the file, or replace its content, if its version is `expected_version`.

        `None` expects that there is no file (CAS-01). Versions are opaque: a string that the store never
        produced, of any length, is a conflict like any other (CAS-12). The file gets a version it never had
        before, also after a delete (CAS-09, CAS-10), and no metadata (META-05).

        With `operation`, a receipt is recorded in the same step. If there is one already, nothing is
        written and the original result comes back with `replayed=True`, whatever the version is now and
        even if the file has since been deleted (OP-03, OP-06, OP-17). Without `operation` nothing is
        recorded (OP-15).

        Raises:
            ValueError: `path` is not valid, or the store cannot keep `content` (PATH-02, TYPE-08).
            MemoryOperationConflictError: the operation's id is recorded with another fingerprint (OP-05).
            MemoryConflictError: the version is another one, or the file is there or absent against
                expectation (CAS-01 to CAS-03).
        """
        raise NotImplementedError

    async def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Delete the file, and what was recorded with it, if its version is `expected_version`.

        It is gone from every method at once, its metadata and operation id too (DEL-01, DEL-04).

        Expecting `None` where there is no file succeeds with `existed=False` (CAS-05), and is recorded like
        any other (OP-16). Only this path goes; files below it stay (DEL-11). Receipts keep no content
        (DEL-06), but the caller's fingerprint stays in them, and whether the storage medium still holds
        freed text is the store's to document (DEL-10).

        `operation` works as in `write`.

        Raises:
            ValueError: `path` is not valid (PATH-02).
            MemoryOperationConflictError: the operation's id is recorded with another fingerprint (OP-05).
            MemoryConflictError: the version is another one, or the file is there or absent against
                expectation (CAS-04, CAS-06).
        """
        raise NotImplementedError

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Return the first `limit` paths that start with `prefix`, in code-point order.

        They may lie at any depth (LIST-01 to LIST-03). The prefix is `""`, or a valid path with at most one
        `/` after it (PATH-06). It is compared as text, so that `u1` also finds `u10/a.md`; end it in `/` to
        stay inside a directory (PATH-07, LIST-08). The list is the caller's own (LIST-12).

        Raises:
            ValueError: `prefix` is not a valid prefix, or `limit` is not positive (PATH-06, LIST-04).
        """
        raise NotImplementedError


@runtime_checkable
class SearchableMemoryStore(Protocol):
    """A `MemoryStore` that searches by itself. A store without the method is searched by listing and reading.

    **Not promised.** One instant: a search may see one file before and another after a concurrent mutation.
    A ranking: only a store that calls itself lexical orders by counts of the query's terms, and another may
    match by meaning (SRCH-15, SRCH-25).
    """

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
        """Search the files directly below `prefix`, none deeper and none outside (SRCH-01, SRCH-02).

        A lexical store matches a file when any whitespace-separated term of `query` occurs in its name or
        content, whatever the case of the letters; no character has a special meaning (SRCH-13, SRCH-14).
        The text of `prefix` plays no part (SRCH-12), and neither do metadata and receipts (SRCH-22,
        SRCH-28).

        At most `limit` matches come back, from at most `max_files` files and the first `max_file_chars`
        characters of each. The names below `prefix` and the snippets together have at most `max_chars`
        characters (SRCH-03 to SRCH-06). Whatever that leaves out sets `truncated` (SRCH-07). A bound that
        is not positive, like a query without a term, gives no match, nothing scanned and `truncated=False`
        (SRCH-09, SRCH-10).

        Raises:
            ValueError: `prefix` is not a valid prefix, whatever the query and the bounds are (SRCH-11).
        """
        raise NotImplementedError


@runtime_checkable
class MetadataMemoryStore(MemoryStore, Protocol):
    """A `MemoryStore` that keeps, with each write, what the caller says about it.

    Who made it, for instance. A store that cannot keep it does not have the method (META-20). Metadata is
    not searched, not listed, not part of a receipt, and not part of an operation's identity (META-09,
    META-17).
    """

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Do what `write` does, and record `metadata` in the same step (META-03).

        It replaces what was recorded before (META-04). `None` and an empty mapping record nothing
        (META-06). The store keeps a copy (META-13). A replay changes no metadata (META-08).

        Raises:
            TypeError: `metadata` is no mapping, or one of its keys or values is no string (META-11).
            ValueError: a key or value has NUL or a lone surrogate, or the whole is longer than the store
                allows, which is at least 4,096 characters of JSON (META-11, META-12); or an argument is
                refused that `write` refuses.
            MemoryOperationConflictError: as in `write` (META-19).
            MemoryConflictError: as in `write`; the old metadata stays (META-10).
        """
        raise NotImplementedError
