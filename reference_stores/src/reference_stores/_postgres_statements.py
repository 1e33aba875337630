"""What a `PostgresMemoryStore` asks of its database: each function is one visit with one connection.

What lives here: the statements, and what their rows mean. Arguments were validated before. A statement sees one
state of the database, so what it reports was true at one instant, also where another transaction interferes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from reference_stores.contract import MemoryConflictError, MemoryFile, MemoryMutation, MemoryOperation
from reference_stores.rules import (
    Receipt,
    decode_metadata,
    directory_of,
    is_addressable,
    prefix_end,
    replay,
    require_version,
)

if TYPE_CHECKING:
    from reference_stores._postgres_driver import Connection
    from reference_stores._postgres_schema import Tables

_MOST: Final = 2**29 - 1
"""More characters than a text has and more rows than anybody can hold; four times as much fits an `integer`."""

_BATCH_CHARS: Final = 1_000_000
"""After how many characters one visit of a search ends."""

_BATCH_FILES: Final = 1_000
"""After how many files it ends at the latest."""

_TOKEN: Final = re.compile(r"[0-9a-f]{32}")

_BYTES: Final = ("utf-8", "surrogatepass")
"""The encoding of ids and fingerprints: it tells all strings apart, lone surrogates or not."""

_READ: Final = """
    SELECT CASE WHEN chars <= $2 THEN content ELSE left(content, $2) END, chars, version, operation_id, metadata
    FROM {files} WHERE path = $1
"""
_LIST: Final = """
    SELECT ARRAY(SELECT path FROM {files} WHERE path >= $1 AND path < $2 ORDER BY path LIMIT $3)
"""
_CURRENT: Final = "SELECT version FROM {files} WHERE path = $1"
_FREE: Final = "DELETE FROM {files} WHERE path = $1 AND version = $2"
_RECEIPT: Final = "SELECT fingerprint, version, deleted, existed FROM {receipts} WHERE id = $1"

# The receipt is recorded after the change and because of it. When the same operation is being applied elsewhere,
# its receipt is waited for and then violates the key, which undoes the change.
_MUTATE: Final = """
    WITH recorded AS MATERIALIZED (
        SELECT fingerprint, version, deleted, existed FROM {receipts} WHERE id = $1::bytea
    ), changed AS (
        {change} RETURNING true
    ), recording AS (
        INSERT INTO {receipts} (id, fingerprint, version, deleted, existed)
        SELECT $1, $2::bytea, $3::text, $5::boolean, $6::boolean FROM changed WHERE $1 IS NOT NULL
    )
    SELECT EXISTS (SELECT FROM changed), (SELECT version FROM {files} WHERE path = $4::text),
        recorded.fingerprint, recorded.version, recorded.deleted, recorded.existed
    FROM (SELECT) AS always LEFT JOIN recorded ON true
"""
_CREATE: Final = """
    INSERT INTO {files} (path, version, searched_in, operation_id, metadata, chars, content)
    SELECT $4, $3, $7::text, $8::bytea, $9::text, $10::integer, $11::text
    WHERE NOT EXISTS (SELECT FROM recorded)
    ON CONFLICT (path) DO NOTHING
"""
_REPLACE: Final = """
    UPDATE {files} SET version = $3, operation_id = $8, metadata = $9, chars = $10, content = $11
    WHERE path = $4 AND version = $7 AND NOT EXISTS (SELECT FROM recorded)
"""
_REMOVE: Final = """
    DELETE FROM {files} WHERE path = $4 AND version = $7 AND NOT EXISTS (SELECT FROM recorded)
"""
# `lower` under "C" folds ASCII letters alone. Two other characters have ASCII letters in lower case, as Python does it:
# a file with one of them is fetched. `OFFSET 0` keeps the texts from being computed once per term.
_SEARCH: Final = """
    SELECT path, chars, CASE WHEN
        $7::text[] IS NULL
        OR EXISTS (SELECT FROM unnest($7) AS term WHERE strpos(lowered, term) > 0 OR strpos(lower(path), term) > 0)
        OR octet_length(content) > chars AND (strpos(text, chr(304)) > 0 OR strpos(text, chr(8490)) > 0)
    THEN text END, total
    FROM (
        SELECT path, chars, content,
            sum(least(chars, $4::integer)) OVER (ORDER BY path ROWS UNBOUNDED PRECEDING) AS total
        FROM {files} WHERE searched_in = $1 AND path >= $2 AND path < $3 ORDER BY path LIMIT $5
    ) AS children,
    LATERAL (SELECT CASE WHEN chars <= $4 THEN content ELSE left(content, $4) END AS text OFFSET 0) AS beginning,
    LATERAL (SELECT lower(text) AS lowered OFFSET 0) AS folded
    WHERE total - least(chars, $4) < $6::bigint ORDER BY path
"""


class RacedError(MemoryConflictError):
    """Another transaction changed the file while the statement ran: look again."""

    def __init__(self, path: str) -> None:
        super().__init__(f"memory path {path!r} is being changed by others; read it again and redo the change")


class Mutation(NamedTuple):
    """One call of write or delete; a delete has no content.

    `token` names the call. It is the version that a write produces. Of a delete nobody sees it, but the receipt has
    it, so that a call which lost its connection knows the receipt for its own.
    """

    path: str
    expected_version: str | None
    operation: MemoryOperation | None
    token: str
    content: str | None = None
    metadata: str | None = None

    @property
    def expects_nothing(self) -> bool:
        """Whether this deletes a file that is expected not to be there."""
        return self.content is None and self.expected_version is None


class Child(NamedTuple):
    """A file that a search looks into: its path, the text to look into, and the length of all its text.

    The text is `""` where the database saw that none of the search's terms is in it.
    """

    path: str
    content: str
    chars: int


class Statements:
    """The statements on one store's tables."""

    def __init__(self, tables: Tables) -> None:
        self._read, self._list, self._search = map(tables.fill, (_READ, _LIST, _SEARCH))
        self._current, self._receipt = map(tables.fill, (_CURRENT, _RECEIPT))
        self._free = tables.fill(_FREE)
        changes = (_CREATE, _REPLACE, _REMOVE)
        mutations = (tables.fill(_MUTATE.replace("{change}", change)) for change in changes)
        self._create, self._replace, self._remove = mutations

    async def read(self, path: str, max_chars: int, connection: Connection) -> MemoryFile | None:
        """Return the first `max_chars` characters of one file."""
        row = await connection.fetchrow(self._read, path, min(max_chars, _MOST))
        if row is None:
            return None
        content, chars, version, operation_id, metadata = row
        return MemoryFile(
            content=content,
            version=version,
            operation_id=None if operation_id is None else operation_id.decode(*_BYTES),
            truncated=chars > max_chars,
            metadata=decode_metadata(metadata),
        )

    async def look_up(self, operation: MemoryOperation, connection: Connection) -> MemoryMutation | None:
        """Return what the operation did, if it is recorded with the same fingerprint."""
        row = await connection.fetchrow(self._receipt, _key(operation))
        return None if row is None else replay(operation, _receipt(*row))

    async def apply(self, mutation: Mutation, connection: Connection) -> MemoryMutation:
        """Apply one write or delete, with its receipt; or find that it was applied before.

        Where it `expects_nothing`, call `apply_to_nothing` instead.

        Raises:
            RacedError: nothing was done, and the statement cannot tell why.
        """
        expected = mutation.expected_version
        values: tuple[Any, ...]
        if mutation.content is None:
            change, values = self._remove, (_comparable(expected),)
        elif expected is None:
            change, values = self._create, (_searched_in(mutation.path), *_content_values(mutation))
        else:
            change, values = self._replace, (_comparable(expected), *_content_values(mutation))
        row = await connection.fetchrow(change, *_common_values(mutation), *values)
        return _result(mutation, row)

    async def apply_to_nothing(self, mutation: Mutation, connection: Connection) -> MemoryMutation:
        """Apply a delete that expects no file, which leaves nothing but its receipt. Raises what `apply` raises.

        The receipt says that there was no file when it came to be. To make sure of that, the path is taken until the
        end of the transaction, which the caller gives where there is an operation.
        """
        if mutation.operation is None:
            current = await connection.fetchval(self._current, mutation.path)
            require_version(mutation.path, current=current, expected=None)
            return MemoryMutation(version=None, replayed=False, existed=False)
        nothing = (None, None, None, 0, "")
        row = await connection.fetchrow(self._create, *_common_values(mutation), *nothing)
        result = _result(mutation, row)
        if not result.replayed:
            await connection.execute(self._free, mutation.path, mutation.token)
        return result

    async def list_files(self, prefix: str, limit: int, connection: Connection) -> list[str]:
        """Return the first `limit` paths that start with `prefix`."""
        paths: list[str] = await connection.fetchval(self._list, prefix, prefix_end(prefix), min(limit, _MOST))
        return paths

    async def read_children(
        self, prefix: str, start: str, count: int, max_chars: int, terms: list[str] | None, connection: Connection
    ) -> tuple[list[Child], str | None]:
        """Return files directly below `prefix`, from `start` on in path order, and where the next ones start.

        There are at most `count` of them, only ones that a tool can address, each with its first `max_chars`
        characters; with `terms`, of `terms_for_database`, without the text of those that have none. The list ends
        early after `_BATCH_CHARS` or `_BATCH_FILES`. The next start is `None` if there are no more.
        """
        count, max_chars = min(count, _BATCH_FILES), min(max_chars, _MOST)
        bounds = (directory_of(prefix), start, prefix_end(prefix), max_chars, count, _BATCH_CHARS)
        rows = await connection.fetch(self._search, *bounds, terms)
        children = [Child(path, text or "", chars) for path, chars, text, _ in rows]
        if len(rows) < count and (not rows or rows[-1]["total"] < _BATCH_CHARS):
            return children, None
        return children, children[-1].path + " "  # sorts before every path that goes on from this one


def terms_for_database(query: str) -> list[str] | None:
    """Return the terms that the database looks for in a file before it is fetched, or `None` to fetch every file.

    It tells less than the search itself: some of the files that it lets through do not match.
    """
    terms = query.lower().split()
    if not all(term.isascii() for term in terms):
        return None
    return [term for term in terms if "\0" not in term]  # no text that is kept has one, and none can be sent


def _result(mutation: Mutation, row: Any) -> MemoryMutation:
    """Return what became of a mutation, or raise why nothing did."""
    applied, current, *recorded = row
    if applied:
        version = None if mutation.content is None else mutation.token
        return MemoryMutation(version, replayed=False, existed=mutation.expected_version is not None)
    if mutation.operation is not None and recorded[0] is not None:
        replayed = replay(mutation.operation, _receipt(*recorded))
        if replayed is not None:
            is_own = recorded[1] == mutation.token  # of an attempt of this call whose answer was lost
            return replace(replayed, replayed=False) if is_own else replayed
    require_version(mutation.path, current=current, expected=mutation.expected_version)
    raise RacedError(mutation.path)


def _receipt(fingerprint: bytes, version: str, deleted: bool, existed: bool) -> Receipt:  # noqa: FBT001 - a row's columns
    return Receipt(fingerprint.decode(*_BYTES), None if deleted else version, existed)


def _common_values(mutation: Mutation) -> tuple[Any, ...]:
    """Return the parameters that all mutations share."""
    operation = mutation.operation
    identity = (None, None) if operation is None else (_key(operation), operation.fingerprint.encode(*_BYTES))
    is_delete, existed = mutation.content is None, mutation.expected_version is not None
    return (*identity, mutation.token, mutation.path, is_delete, existed)


def _content_values(mutation: Mutation) -> tuple[Any, ...]:
    operation, content = mutation.operation, mutation.content or ""
    identity = None if operation is None else operation.id.encode(*_BYTES)
    return (identity, mutation.metadata, len(content), content)


def _searched_in(path: str) -> str | None:
    return directory_of(path) if is_addressable(path) else None


def _comparable(version: str | None) -> str:
    """Return a version as the database can compare it: a string that it could not even be sent is none of ours."""
    return version if version is not None and _TOKEN.fullmatch(version) else ""


def _key(operation: MemoryOperation) -> bytes:
    return hashlib.sha256(operation.id.encode(*_BYTES)).digest()
