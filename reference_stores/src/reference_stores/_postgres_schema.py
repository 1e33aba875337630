"""The tables of a memory store in a PostgreSQL database: their names, their layout, and how they get there.

Runs on a connection that it is given; it knows no pool and no call of the store.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reference_stores._postgres_driver import DUPLICATE

if TYPE_CHECKING:
    from reference_stores._postgres_driver import Connection

_MAX_NAME_BYTES: Final = 63
"""PostgreSQL cuts longer names off without an error."""

MIGRATIONS: list[tuple[str, ...]] = [
    # Layout 1. Paths are compared and ordered by their bytes, whatever the database's own collation. `searched_in`
    # is the directory whose searches look into the file, or NULL where they skip it. What callers give as id and
    # fingerprint is kept as bytes, since some of their strings are no UTF-8. A receipt's key is a digest of the
    # operation's id, which may be longer than an index can hold, and its `version` also tells which attempt was
    # applied where that was a delete. `recorded_at` is there for you to delete old receipts by.
    (
        """
        CREATE TABLE {files} (
            path text COLLATE "C" PRIMARY KEY,
            searched_in text COLLATE "C",
            version text COLLATE "C" NOT NULL,
            operation_id bytea,
            metadata text COLLATE "C",
            chars integer NOT NULL,
            content text COLLATE "C" NOT NULL
        )
        """,
        "CREATE INDEX ON {files} (searched_in, path) WHERE searched_in IS NOT NULL",
        """
        CREATE TABLE {receipts} (
            id bytea PRIMARY KEY,
            fingerprint bytea NOT NULL,
            version text COLLATE "C" NOT NULL,
            deleted boolean NOT NULL,
            existed boolean NOT NULL,
            recorded_at timestamptz NOT NULL DEFAULT now()
        )
        """,
        "CREATE INDEX ON {receipts} USING brin (recorded_at)",
        "CREATE TABLE {layout} (version integer NOT NULL)",
        "INSERT INTO {layout} VALUES (0)",
    ),
]
"""What makes each layout of the tables from the one before. A change of the layout is appended."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Where a store keeps its files and receipts; two stores with the same names share them."""

    schema: str
    table: str

    def __post_init__(self) -> None:
        """Raise `ValueError` for a name that PostgreSQL would refuse or cut off."""
        _require_name("schema", self.schema, len(self.schema.encode(errors="replace")))
        _require_name("table", self.table, len((self.table + _RECEIPTS).encode(errors="replace")))

    def fill(self, statement: str) -> str:
        """Put the tables' quoted names into a statement."""
        names = {"files": self._quoted(), "receipts": self._quoted(_RECEIPTS), "layout": self._quoted(_LAYOUT)}
        return statement.format_map(names)

    def _quoted(self, suffix: str = "") -> str:
        return f"{_quoted(self.schema)}.{_quoted(self.table + suffix)}"

    @property
    def lock(self) -> int:
        """The number of the advisory lock under which tables of the schema, and the schema itself, are made."""
        digest = hashlib.sha256(b"memory store " + self.schema.encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def unusable(self, reason: str) -> RuntimeError:
        """The error which says that the tables cannot be used."""
        return RuntimeError(f"cannot use memory tables {self._quoted()}: {reason}")


_RECEIPTS: Final = "_receipts"
_LAYOUT: Final = "_layout"

# Not `to_regclass`, which may remember from before the lock was taken that there is no such table.
_EXISTS: Final = """
    SELECT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid WHERE nspname = $1 AND relname = $2
    )
"""


async def make_ready(tables: Tables, connection: Connection) -> None:
    """Make the tables, or bring older ones up to date, while others may do the same.

    Takes a transaction that is READ COMMITTED: what is seen under the lock has to be newer than the lock.

    Raises:
        RuntimeError: the database is not in UTF-8, a newer release made the tables, or what has their names is
            something else. Nothing was changed.
    """
    encoding = await connection.fetchval("SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        raise tables.unusable(
            f"the database's encoding is {encoding}, which cannot hold every text; use one made with ENCODING 'UTF8'"
        )
    if await _version(tables, connection) != len(MIGRATIONS):
        await connection.execute("SELECT pg_advisory_xact_lock($1)", tables.lock)
        await _migrate(tables, connection)


async def _version(tables: Tables, connection: Connection) -> int:
    """The number of the layout that the tables have, 0 if there are none."""
    if not await connection.fetchval(_EXISTS, tables.schema, tables.table + _LAYOUT):
        return 0
    version: int | None = await connection.fetchval(tables.fill("SELECT max(version) FROM {layout}"))
    if version is None:
        raise tables.unusable("the table of their layout is empty; restore what was in it")
    return version


async def _migrate(tables: Tables, connection: Connection) -> None:
    version = await _version(tables, connection)
    known = len(MIGRATIONS)
    if version > known:
        raise tables.unusable(f"their layout is version {version}, this release knows {known}; use a newer release")
    if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", tables.schema):
        # Not `IF NOT EXISTS`, which asks for the right to make schemas also where there is nothing to make.
        await connection.execute(f"CREATE SCHEMA {_quoted(tables.schema)}")
    try:
        for statement in (statement for migration in MIGRATIONS[version:] for statement in migration):
            await connection.execute(tables.fill(statement))
    except DUPLICATE as error:
        raise tables.unusable("one of their names is taken by something else; give the store another") from error
    await connection.execute(tables.fill("UPDATE {layout} SET version = $1"), known)


def _require_name(kind: str, name: str, size: int) -> None:
    if not name or "\0" in name or not name.isprintable() or size > _MAX_NAME_BYTES:
        raise ValueError(
            f"{kind} is {name!r}; give a name of printable characters that takes at most {_MAX_NAME_BYTES} bytes, "
            f"for a table with {_RECEIPTS!r} after it"
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
