"""The tables of `PostgresMemoryStore`: made by many at once, migrated, named anyhow, refused where they cannot work."""

from __future__ import annotations

import asyncio
import importlib
import os
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from pytest_memory_store.fixtures._postgres_local import free_port
from pytest_memory_store.fixtures._unprivileged import place
from reference_stores import _postgres_schema as schema
from reference_stores.contract import MemoryConflictError, MemoryOperation
from reference_stores.postgres import PostgresMemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_memory_store.fixtures.postgres import PostgresServer

asyncpg: Any = importlib.import_module("asyncpg")  # it has no types

pytest_plugins = ["pytest_memory_store.fixtures.postgres"]

OPERATION = MemoryOperation("run:1", "f" * 64)


async def execute(dsn: str, *statements: str) -> None:
    """Run statements on a connection of their own."""
    connection = await asyncpg.connect(dsn)
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


async def fetch(dsn: str, query: str, *args: Any) -> list[Any]:
    """Return the first column of a query."""
    connection = await asyncpg.connect(dsn)
    rows = await connection.fetch(query, *args)
    await connection.close()
    return [row[0] for row in rows]


def test_stores_that_make_the_tables_at_once(postgres_dsn: str) -> None:
    """Many first calls on an empty database all succeed, also where stores of other names make the same schema."""

    async def work(number: int) -> None:
        async with PostgresMemoryStore(postgres_dsn, schema="new", table=f"files{number % 2}") as store:
            await store.write(f"t/{number}", "x", expected_version=None)

    async def test() -> None:
        await asyncio.gather(*[work(number) for number in range(12)])
        assert await fetch(
            postgres_dsn, "SELECT count(*) FROM new.files0 UNION ALL SELECT version FROM new.files0_layout"
        ) == [
            6,
            len(schema.MIGRATIONS),
        ]

    asyncio.run(test())


@pytest.mark.parametrize(
    ("schema_name", "table"),
    [("select", "table"), ("Order By", "Files; --"), ('"q"uoted"', "é😀"), ("{files}", "$1 %s"), ("x" * 63, "y" * 54)],
)
def test_odd_names(postgres_dsn: str, schema_name: str, table: str) -> None:
    """Schemas and tables may have any name, and their stores are apart from others in the database."""

    async def test() -> None:
        async with (
            PostgresMemoryStore(postgres_dsn, schema=schema_name, table=table) as store,
            PostgresMemoryStore(postgres_dsn) as other,
        ):
            written = await store.write("t/a", "tea", expected_version=None, operation=OPERATION)
            await store.write("t/a", "tea", expected_version=written.version)
            assert (
                len((await store.search("t/", "tea", limit=9, max_files=9, max_chars=9, max_file_chars=9)).matches) == 1
            )
            await store.delete("t/b", expected_version=None, operation=MemoryOperation("2", "f"))
            assert await store.list_paths(limit=9) == ["t/a"]
            assert await other.list_paths(limit=9) == []
            assert await other.get_operation(OPERATION) is None
        query = "SELECT tablename::text FROM pg_tables WHERE schemaname = $1"
        assert sorted(await fetch(postgres_dsn, query, schema_name)) == sorted(
            [table, f"{table}_layout", f"{table}_receipts"]
        )

    asyncio.run(test())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"schema": ""}, "schema is ''; give a name of printable characters"),
        ({"table": "a\0b"}, "table is 'a"),
        ({"table": "a\nb"}, "table is 'a"),
        ({"table": "\ud800"}, "table is "),
        ({"schema": "é" * 32}, "that takes at most 63 bytes"),
        ({"table": "x" * 55}, "that takes at most 63 bytes, for a table with '_receipts' after it"),
        ({"database": ""}, "database is empty; give a DSN such as postgresql://"),
        ({"max_connections": 0}, "max_connections is 0; it must be positive"),
        ({"retry_timeout": -1}, "retry_timeout is -1; give seconds"),
        ({"retry_timeout": float("nan")}, "retry_timeout is nan"),
        ({"retry_timeout": float("inf")}, "retry_timeout is inf"),
    ],
)
def test_settings_are_checked(arguments: dict[str, Any], message: str) -> None:
    """A setting that cannot work is refused when the store is made, not when it is used."""
    settings: dict[str, Any] = {"database": "postgresql://localhost/x"}
    with pytest.raises(ValueError, match=message):
        PostgresMemoryStore(**{**settings, **arguments})


def test_what_is_no_database() -> None:
    """What is neither a DSN nor a pool is a `TypeError`."""
    with pytest.raises(TypeError, match=r"database is a int; give a DSN or an asyncpg\.Pool"):
        PostgresMemoryStore(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_older_tables_are_migrated(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores of a newer release bring the tables up to date once, however many start, and keep what is in them."""
    migration = (
        "ALTER TABLE {files} ADD COLUMN added integer NOT NULL DEFAULT 5",
        "ALTER TABLE {receipts} ADD COLUMN once integer",
    )

    async def work(number: int) -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            assert await store.read("t/a", max_chars=9)
            await store.write(f"t/new{number}", "x", expected_version=None)

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            written = await store.write("t/a", "x", expected_version=None, operation=OPERATION)
        monkeypatch.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, migration])
        await asyncio.gather(*[work(number) for number in range(6)])
        async with PostgresMemoryStore(postgres_dsn) as store:
            receipt = await store.get_operation(OPERATION)
            assert receipt
            assert receipt.version == written.version
        assert await fetch(postgres_dsn, "SELECT version FROM memory_files_layout") == [len(schema.MIGRATIONS)]
        assert await fetch(postgres_dsn, "SELECT DISTINCT added FROM memory_files") == [5]

    asyncio.run(test())


def test_a_failed_migration_changes_nothing(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that fails is undone whole, and raised by every call."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            await store.write("t/a", "x", expected_version=None)
        known = len(schema.MIGRATIONS)
        with monkeypatch.context() as patched:
            broken = ("ALTER TABLE {files} ADD COLUMN added integer", "SELECT 1/0")
            patched.setattr(schema, "MIGRATIONS", [*schema.MIGRATIONS, broken])
            async with PostgresMemoryStore(postgres_dsn) as store:
                for _ in range(2):
                    with pytest.raises(asyncpg.DivisionByZeroError):
                        await store.list_paths(limit=9)
        async with PostgresMemoryStore(postgres_dsn) as store:
            assert await store.list_paths(limit=9) == ["t/a"]
        assert await fetch(postgres_dsn, "SELECT version FROM memory_files_layout") == [known]

    asyncio.run(test())


KNOWN = len(schema.MIGRATIONS)
LAYOUT = "CREATE TABLE memory_files_layout (version integer)"
TAKEN = "one of their names is taken by something else; give the store another"


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (
            (LAYOUT, f"INSERT INTO memory_files_layout SELECT {KNOWN + 1}"),
            f"their layout is version {KNOWN + 1}, this release knows {KNOWN}; use a newer release",
        ),
        ((LAYOUT,), "the table of their layout is empty"),
        (("CREATE TABLE memory_files (path text)",), TAKEN),
        (("CREATE VIEW memory_files_receipts AS SELECT 1",), TAKEN),
    ],
    ids=["newer", "empty", "table", "view"],
)
def test_tables_that_cannot_be_used(postgres_dsn: str, statements: tuple[str, ...], reason: str) -> None:
    """Tables that are not ours or newer are an error of every call, and are left as they were."""
    names = "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname"

    async def test() -> None:
        await execute(postgres_dsn, *statements)
        before = await fetch(postgres_dsn, names)
        async with PostgresMemoryStore(postgres_dsn) as store:
            for _ in range(2):
                with pytest.raises(RuntimeError, match=rf'^cannot use memory tables "public"."memory_files": {reason}'):
                    await store.write("t/a", "x", expected_version=None)
        assert await fetch(postgres_dsn, names) == before

    asyncio.run(test())


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_other_encodings_are_refused(postgres_server: PostgresServer, encoding: str) -> None:
    """A database that cannot hold every text is refused before anything is made in it."""
    dsn = postgres_server.create_database(encoding=encoding)

    async def test() -> None:
        async with PostgresMemoryStore(dsn) as store:
            with pytest.raises(RuntimeError, match=f"the database's encoding is {encoding}, .* ENCODING 'UTF8'"):
                await store.list_paths(limit=1)
        assert await fetch(dsn, "SELECT relname FROM pg_class WHERE relname LIKE 'memory%'") == []

    asyncio.run(test())
    postgres_server.drop_database(dsn)


def test_no_more_rights_than_needed(postgres_dsn: str) -> None:
    """Once the tables are there, a role that may only use them can run a store, and one that may not is told so."""
    role = f"memory_role_{os.urandom(4).hex()}"
    parts = urlsplit(postgres_dsn)
    as_role = parts._replace(netloc=f"{role}:secret@{parts.hostname}:{parts.port}").geturl()

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn, schema="own") as store:
            await store.list_paths(limit=1)
        await execute(
            postgres_dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'secret'", f"GRANT USAGE ON SCHEMA own TO {role}"
        )
        try:
            async with PostgresMemoryStore(as_role, schema="own") as store:
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await store.list_paths(limit=1)
            await execute(postgres_dsn, f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA own TO {role}")
            async with PostgresMemoryStore(as_role, schema="own") as store:
                written = await store.write("t/a", "x", expected_version=None, operation=OPERATION)
                await store.delete("t/a", expected_version=written.version)
                await store.delete("t/a", expected_version=None, operation=MemoryOperation("2", "f"))
        finally:
            await execute(postgres_dsn, f"DROP OWNED BY {role}", f"DROP ROLE {role}")

    asyncio.run(test())


async def use(store: PostgresMemoryStore, scope: str) -> None:
    """Make every kind of call, several times, with a conflict and a replay."""
    for number in range(5):
        path, operation = f"{scope}/{number}", MemoryOperation(f"{scope}:{number}", "f")
        created = await store.write(path, "tea", expected_version=None, operation=operation)
        assert (await store.write(path, "tea", expected_version=None, operation=operation)).replayed
        with pytest.raises(MemoryConflictError):
            await store.write(path, "tea", expected_version=None)
        replaced = await store.write(path, "té", expected_version=created.version)
        assert await store.read(path, max_chars=9)
        assert await store.list_paths(f"{scope}/", limit=9) == [path]
        found = await store.search(f"{scope}/", "t", limit=9, max_files=9, max_chars=9, max_file_chars=9)
        assert len(found.matches) == 1
        await store.delete(path, expected_version=replaced.version)
        await store.delete(path, expected_version=None, operation=MemoryOperation(f"{scope}-{number}", "f"))
        assert await store.get_operation(operation)


def test_transaction_pooling_leaves_nothing_behind(postgres_dsn: str) -> None:
    """For a pooler, every statement is in a transaction, and none stays prepared in the session; else it is not so."""

    async def outside_and_prepared(*, transaction_pooling: bool) -> tuple[bool, bool]:
        cache = {"statement_cache_size": 0} if transaction_pooling else {}
        queries: list[str] = []

        def note(record: Any) -> None:
            queries.append(record.query)

        async def watch(connection: Any) -> None:
            connection.add_query_logger(note)

        async with asyncpg.create_pool(postgres_dsn, min_size=1, max_size=1, init=watch, **cache) as pool:
            async with PostgresMemoryStore(pool, transaction_pooling=transaction_pooling) as store:
                await use(store, f"{transaction_pooling}")
            asked = tuple(queries)
            held = await pool.fetchval(
                "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%memory_files%'"
            )
        inside, outside = False, False
        for query in asked:
            if query.startswith(("BEGIN", "COMMIT", "ROLLBACK")):
                inside = query.startswith("BEGIN")
            outside |= "memory_files" in query and not inside
        return outside, held > 0

    async def test() -> None:
        assert await outside_and_prepared(transaction_pooling=True) == (False, False)
        assert await outside_and_prepared(transaction_pooling=False) == (True, True)

    asyncio.run(test())


@pytest.fixture
def pgbouncer(postgres_dsn: str) -> Iterator[str]:
    """Run PgBouncer in transaction mode before the database and return the DSN through it."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not on PATH")
    parts, port = urlsplit(postgres_dsn), free_port()
    with place() as where, (where.folder / "log").open("wb") as log:
        (where.folder / "users").write_text(f'"postgres" "{parts.password}"\n')
        (where.folder / "ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={parts.port} pool_size=3\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = plain\nauth_file = {where.folder}/users\n"
            "pool_mode = transaction\nserver_round_robin = 1\n"
        )
        process = where.start([program, where.folder / "ini"], log)
        yield parts._replace(netloc=f"postgres:{parts.password}@127.0.0.1:{port}").geturl()
        process.terminate()
        process.wait(10)


def test_behind_a_transaction_pooler(pgbouncer: str) -> None:
    """Through PgBouncer in transaction mode, where every statement may meet another session, all calls work."""

    async def test() -> None:
        async with (
            PostgresMemoryStore(pgbouncer, transaction_pooling=True) as one,
            PostgresMemoryStore(pgbouncer, transaction_pooling=True) as two,
        ):
            await asyncio.gather(*[use(one if number % 2 else two, f"t{number}") for number in range(10)])

    asyncio.run(test())
