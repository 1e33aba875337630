"""`PostgresMemoryStore` when calls are cancelled, connections are lost and the server is out of reach."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import socket
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

import pytest

from reference_stores.contract import MemoryConflictError, MemoryMutation, MemoryOperation
from reference_stores.postgres import PostgresMemoryStore

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

asyncpg: Any = importlib.import_module("asyncpg")  # it has no types

pytest_plugins = ["pytest_memory_store.fixtures.postgres"]

OPERATION = MemoryOperation("run:1", "f" * 64)
COMMITTED = b"s\0\0\0\x04Z"
"""How the answer to a statement that was asked for one row ends, once its transaction is committed."""

PAUSE = 4711
"""The advisory lock that commits wait for: see `pausing_commits`."""


def port_of(dsn: str) -> int:
    """Return the port of a DSN."""
    port = urlsplit(dsn).port
    assert port
    return port


def on_port(dsn: str, port: int) -> str:
    """Return a DSN of the same database through another port."""
    parts = urlsplit(dsn)
    return parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{port}")).geturl()


class Proxy:
    """Stands between a store and its server, counts requests, and can cut the line after a commit."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.requests = 0
        self.cuts_answer_to = b""
        """The next answer with these bytes is swallowed and its connection closed."""
        self.cuts_request_with = b""
        """The same for the next request with these bytes."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server
        self._server.close()
        self.cut()
        await asyncio.sleep(0.05)

    def cut(self) -> None:
        """Cut all lines."""
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, server_writer}
        with contextlib.suppress(OSError):
            await asyncio.gather(self._requests(reader, server_writer), self._answers(server_reader, writer))
        self._writers -= {writer, server_writer}
        writer.transport.abort()
        server_writer.transport.abort()

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**20):
            self.requests += 1
            if self.cuts_request_with and self.cuts_request_with in data:
                self.cuts_request_with = b""
                break
            writer.write(data)
        writer.transport.abort()

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**20):
            if self.cuts_answer_to and self.cuts_answer_to in data:
                self.cuts_answer_to = b""
                break
            writer.write(data)
        writer.transport.abort()


@contextlib.asynccontextmanager
async def admin(dsn: str) -> AsyncGenerator[Any, None]:
    """Connect beside the store."""
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


async def wait_for_waiting(connection: Any, count: int = 1) -> None:
    """Wait until so many other sessions of the database wait for a lock."""
    waiting = 0
    for _ in range(500):
        waiting = await connection.fetchval(f"SELECT count(*) {OTHERS} AND wait_event_type = 'Lock'")
        if waiting == count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{waiting} sessions wait for a lock, expected {count}")


async def kill_sessions(connection: Any) -> None:
    """Terminate the other sessions of the database."""
    await connection.execute(f"SELECT pg_terminate_backend(pid) {OTHERS}")


@contextlib.asynccontextmanager
async def pausing_commits(dsn: str) -> AsyncGenerator[Any, None]:
    """Make commits with a receipt wait while a lock is held, which the connection that is given holds."""
    async with admin(dsn) as connection:
        await connection.execute(f"""
            CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock_shared({PAUSE}); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER pausing AFTER INSERT ON memory_files_receipts
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pause();
            SELECT pg_advisory_lock({PAUSE})
        """)
        yield connection


class Call(NamedTuple):
    """A mutation of a store that has one file, at `t/old`."""

    path: str
    content: str | None
    replaces: bool

    async def __call__(self, store: PostgresMemoryStore, version: str, operation: MemoryOperation) -> MemoryMutation:
        """Make the mutation; `version` is that of the file."""
        expected = version if self.replaces else None
        if self.content is None:
            return await store.delete(self.path, expected_version=expected, operation=operation)
        return await store.write(self.path, self.content, expected_version=expected, operation=operation)


CALLS = {
    "create": Call("t/new", "text", replaces=False),
    "replace": Call("t/old", "text", replaces=True),
    "delete": Call("t/old", None, replaces=True),
    "delete nothing": Call("t/none", None, replaces=False),
}


async def require_applied_once(store: PostgresMemoryStore, call: Call, version: str, result: MemoryMutation) -> None:
    """Require that the first call was applied by itself, and that the next is its replay."""
    replayed = MemoryMutation(version=result.version, replayed=True, existed=call.replaces)
    assert result == MemoryMutation(version=result.version, replayed=False, existed=call.replaces)
    for repeated in (version, result.version or version):  # also where it would fit again
        assert await call(store, repeated, OPERATION) == replayed
    assert await store.get_operation(OPERATION) == replayed
    read = await store.read(call.path, max_chars=9)
    assert (read.content if read else None) == call.content
    assert (read.version if read else None) == result.version


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_connection_lost_after_the_commit(postgres_dsn: str, call: Call) -> None:
    """A mutation whose answer is lost is found to be applied: once, by this call and as no replay."""

    async def test() -> None:
        async with (
            Proxy(port_of(postgres_dsn)) as proxy,
            PostgresMemoryStore(on_port(postgres_dsn, proxy.port), max_connections=1) as store,
        ):
            version = (await store.write("t/old", "old", expected_version=None)).version
            assert version
            proxy.cuts_answer_to = b"COMMIT\0" if call is CALLS["delete nothing"] else COMMITTED
            result = await call(store, version, OPERATION)
            assert not proxy.cuts_answer_to
            await require_applied_once(store, call, version, result)

    asyncio.run(test())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_connection_lost_during_the_commit(postgres_dsn: str, call: Call) -> None:
    """A mutation whose session is killed while it commits is rolled back, repeated, and applied once."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            version = (await store.write("t/old", "old", expected_version=None)).version
            assert version
            async with pausing_commits(postgres_dsn) as connection:
                task = asyncio.create_task(call(store, version, OPERATION))
                await wait_for_waiting(connection)
                await kill_sessions(connection)
                await wait_for_waiting(connection)  # the second attempt
                assert await connection.fetchval("SELECT count(*) FROM memory_files_receipts") == 0
                await connection.execute(f"SELECT pg_advisory_unlock({PAUSE})")
                await require_applied_once(store, call, version, await task)

    asyncio.run(test())


def test_a_connection_lost_before_the_commit(postgres_dsn: str) -> None:
    """A mutation whose session is killed while it waits for a rival is repeated, and applied if it still may be."""

    async def attempt(store: PostgresMemoryStore, connection: Any, *, rival_commits: bool) -> Any:
        read = await store.read("t/a", max_chars=9)
        assert read
        rival = connection.transaction()
        await rival.start()
        await connection.execute("UPDATE memory_files SET version = 'rival'")
        operation = MemoryOperation(f"{rival_commits}", "f")
        task = asyncio.create_task(store.write("t/a", "x", expected_version=read.version, operation=operation))
        await wait_for_waiting(connection)
        await kill_sessions(connection)
        await (rival.commit() if rival_commits else rival.rollback())
        return (await asyncio.gather(task, return_exceptions=True))[0]

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store, admin(postgres_dsn) as connection:
            await store.write("t/a", "old", expected_version=None)
            applied = await attempt(store, connection, rival_commits=False)
            assert applied == MemoryMutation(version=applied.version, replayed=False, existed=True)
            assert isinstance(await attempt(store, connection, rival_commits=True), MemoryConflictError)
            assert await store.get_operation(MemoryOperation("True", "f")) is None

    asyncio.run(test())


def test_a_connection_lost_without_an_operation(postgres_dsn: str) -> None:
    """A mutation that has no operation raises when its answer is lost, and the store goes on."""

    async def test() -> None:
        async with (
            Proxy(port_of(postgres_dsn)) as proxy,
            PostgresMemoryStore(on_port(postgres_dsn, proxy.port), max_connections=1) as store,
        ):
            await store.write("t/old", "old", expected_version=None)
            proxy.cuts_answer_to = COMMITTED
            with pytest.raises((OSError, asyncpg.PostgresConnectionError)):
                await store.write("t/new", "text", expected_version=None)
            assert await store.list_paths(limit=9) == ["t/new", "t/old"]

    asyncio.run(test())


def test_a_connection_lost_on_its_way_back(postgres_dsn: str) -> None:
    """When a caller's pool finds a connection gone after the call, the call's result stands."""

    async def test() -> None:
        async with (
            Proxy(port_of(postgres_dsn)) as proxy,
            asyncpg.create_pool(on_port(postgres_dsn, proxy.port), min_size=0, max_size=1) as pool,
            PostgresMemoryStore(pool) as store,
        ):
            await store.list_paths(limit=1)
            proxy.cuts_request_with = b"RESET ALL"
            written = await store.write("t/a", "x", expected_version=None)
            assert not proxy.cuts_request_with
            await store.delete("t/a", expected_version=written.version)

    asyncio.run(test())


def test_idle_connections_that_are_lost(postgres_dsn: str) -> None:
    """After every session was killed, each call works, without its caller noticing."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store, admin(postgres_dsn) as connection:
            written = await store.write("t/a", "tea", expected_version=None)
            calls: list[Callable[[], Awaitable[Any]]] = [
                lambda: store.read("t/a", max_chars=9),
                lambda: store.list_paths(limit=9),
                lambda: store.search("t/", "tea", limit=9, max_files=9, max_chars=9, max_file_chars=9),
                lambda: store.write("t/a", "b", expected_version=written.version, operation=OPERATION),
                lambda: store.get_operation(OPERATION),
            ]
            for call in calls:
                await asyncio.gather(*[store.read("t/a", max_chars=1) for _ in range(5)])
                await kill_sessions(connection)
                assert await call()
            read = await store.read("t/a", max_chars=9)
            assert read
            assert read.content == "b"

    asyncio.run(test())


def test_reads_whose_answers_are_lost(postgres_dsn: str) -> None:
    """A read is repeated on another connection."""

    async def test() -> None:
        async with (
            Proxy(port_of(postgres_dsn)) as proxy,
            PostgresMemoryStore(on_port(postgres_dsn, proxy.port), max_connections=1) as store,
        ):
            await store.write("t/a", "tea", expected_version=None)
            for _ in range(3):
                await store.read("t/a", max_chars=9)
                proxy.cuts_answer_to = COMMITTED
                read = await store.read("t/a", max_chars=9)
                assert read
                assert (read.content, proxy.cuts_answer_to) == ("tea", b"")

    asyncio.run(test())


def test_a_mutation_is_one_round_trip(postgres_dsn: str) -> None:
    """A write or a delete with its receipt, and a read, are one request each, and so is a conflict."""

    async def test() -> None:
        async with (
            Proxy(port_of(postgres_dsn)) as proxy,
            PostgresMemoryStore(on_port(postgres_dsn, proxy.port), max_connections=1) as store,
        ):
            requests = 0
            for number in range(2):  # the first of a kind prepares the statement
                path, requests = f"t/{number}", proxy.requests
                created = await store.write(
                    path, "one", expected_version=None, operation=MemoryOperation(f"{number}a", "f")
                )
                replaced = await store.write(
                    path, "two", expected_version=created.version, operation=MemoryOperation(f"{number}b", "f")
                )
                with pytest.raises(MemoryConflictError):
                    await store.write(
                        path, "no", expected_version=created.version, operation=MemoryOperation(f"{number}c", "f")
                    )
                assert await store.read(path, max_chars=9)
                await store.delete(
                    path, expected_version=replaced.version, operation=MemoryOperation(f"{number}d", "f")
                )
                requests = proxy.requests - requests
            assert requests == 5

    asyncio.run(test())


def test_a_server_out_of_reach(postgres_dsn: str) -> None:
    """A server that cannot be reached is tried for the time that was set, then raised, and found when it is back."""

    async def test() -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            closed_port = probe.getsockname()[1]
        async with PostgresMemoryStore(on_port(postgres_dsn, closed_port), retry_timeout=0.2) as store:
            started = time.monotonic()
            with pytest.raises(OSError, match="Connect call failed") as error:
                await store.write("t/a", "x", expected_version=None)
            assert 0.2 <= time.monotonic() - started < 5
            assert str(urlsplit(postgres_dsn).password) not in str(error.value)
        async with PostgresMemoryStore(on_port(postgres_dsn, closed_port), retry_timeout=20) as store:
            task = asyncio.create_task(store.write("t/a", "x", expected_version=None))
            await asyncio.sleep(0.1)
            proxy = Proxy(port_of(postgres_dsn))
            server = await asyncio.start_server(proxy._serve, "127.0.0.1", closed_port)
            assert not (await task).replayed
            server.close()

    asyncio.run(test())


def test_a_wrong_password(postgres_dsn: str) -> None:
    """What trying again cannot help is raised at once, from every call, without the password."""
    parts = urlsplit(postgres_dsn)
    wrong = parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":wrong-sentinel@")).geturl()

    async def test() -> None:
        async with PostgresMemoryStore(wrong, retry_timeout=60) as store:
            for _ in range(2):
                with pytest.raises(asyncpg.InvalidPasswordError) as error:
                    await store.list_paths(limit=1)
                assert "wrong-sentinel" not in str(error.value)

    asyncio.run(test())


def test_a_time_limit_of_the_pool_is_kept(postgres_dsn: str) -> None:
    """The time that a caller's pool gives a statement ends the call, however long losses are retried."""

    async def test() -> None:
        async with (
            admin(postgres_dsn) as connection,
            asyncpg.create_pool(postgres_dsn, command_timeout=0.3, min_size=0) as pool,
            PostgresMemoryStore(pool, retry_timeout=60) as store,
        ):
            written = await store.write("t/a", "x", expected_version=None)
            async with connection.transaction():
                await connection.execute("UPDATE memory_files SET chars = chars")
                started = time.monotonic()
                with pytest.raises(TimeoutError):
                    await store.write("t/a", "y", expected_version=written.version, operation=OPERATION)
                assert time.monotonic() - started < 10
            assert await store.get_operation(OPERATION) is None
            assert not (await store.write("t/a", "y", expected_version=written.version, operation=OPERATION)).replayed

    asyncio.run(test())


def test_a_failing_backend_raises_and_recovers(postgres_dsn: str) -> None:
    """An error of the server amid a mutation reaches the caller, undoes it and leaves the store usable."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store, admin(postgres_dsn) as connection:
            await store.list_paths(limit=1)
            await connection.execute("ALTER TABLE memory_files_receipts ADD CONSTRAINT full_disk CHECK (existed)")
            with pytest.raises(asyncpg.CheckViolationError, match="full_disk"):
                await store.write("a", "x", expected_version=None, operation=OPERATION)
            with pytest.raises(asyncpg.CheckViolationError, match="full_disk"):
                await store.delete("a", expected_version=None, operation=OPERATION)
            assert await store.list_paths(limit=1) == []
            await store.write("a", "x", expected_version=None)

    asyncio.run(test())


def test_a_cancelled_call_has_happened_or_will_not(postgres_dsn: str) -> None:
    """Cancelled at any moment, a write is all there or not at all, and its retry applies once."""

    async def attempt(store: PostgresMemoryStore, number: int, delay: float) -> bool:
        path, operation = f"t/{number}", MemoryOperation(f"cancel:{number}", "f")
        task = asyncio.create_task(store.write(path, "x", expected_version=None, operation=operation))
        await asyncio.sleep(delay)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        receipt, read = await store.get_operation(operation), await store.read(path, max_chars=9)
        assert (receipt is None) == (read is None)
        retry = await store.write(path, "x", expected_version=None, operation=operation)
        assert retry.replayed == (receipt is not None)
        return retry.replayed

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn, max_connections=2) as store:
            applied = [await attempt(store, 0, 0)]  # before the store is even open
            while applied[-5:] != [True] * 5:  # until a write is as good as over when it is cancelled
                applied.append(await attempt(store, len(applied), len(applied) * 5e-5))
            assert not applied[0]
            assert len(await store.list_paths(limit=10**6)) == len(applied)
            assert len(await asyncio.gather(*[store.list_paths(limit=1) for _ in range(20)])) == 20

    asyncio.run(test())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_call_cancelled_while_it_commits(postgres_dsn: str, call: Call) -> None:
    """Nothing changes after a caller heard that its call was cancelled, and no connection is kept."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn, max_connections=1) as store:
            version = (await store.write("t/old", "old", expected_version=None)).version
            assert version
            async with pausing_commits(postgres_dsn) as connection:
                task = asyncio.create_task(call(store, version, OPERATION))
                await wait_for_waiting(connection)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert await store.get_operation(OPERATION) is None
                await connection.execute(f"SELECT pg_advisory_unlock({PAUSE})")
                assert await store.get_operation(OPERATION) is None
                await require_applied_once(store, call, version, await call(store, version, OPERATION))

    asyncio.run(test())


def test_cancelling_the_first_call_does_not_spoil_the_store(postgres_dsn: str) -> None:
    """A store whose very first call is cancelled while it opens can be used, also by those that wait with it."""

    async def test() -> None:
        for turns in range(8):
            async with PostgresMemoryStore(postgres_dsn) as store:
                first = asyncio.create_task(store.list_paths(limit=1))
                second = asyncio.create_task(store.list_paths(limit=1))
                for _ in range(turns):
                    await asyncio.sleep(0)
                first.cancel()
                assert await second == await store.list_paths(limit=1) == []

    asyncio.run(test())


def test_deleting_nothing_holds_its_path(postgres_dsn: str) -> None:
    """Until the receipt of a delete that found nothing is there for all to see, nobody makes the file."""

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            await store.list_paths(limit=1)
            async with pausing_commits(postgres_dsn) as connection:
                deleting = asyncio.create_task(store.delete("t/a", expected_version=None, operation=OPERATION))
                await wait_for_waiting(connection)
                creating = asyncio.create_task(store.write("t/a", "x", expected_version=None))
                await wait_for_waiting(connection, 2)
                assert await store.list_paths(limit=9) == []
                assert await store.get_operation(OPERATION) is None
                await connection.execute(f"SELECT pg_advisory_unlock({PAUSE})")
                assert (await deleting).existed is (await creating).existed is False
                assert await store.list_paths(limit=9) == ["t/a"]
            with pytest.raises(MemoryConflictError):
                await store.delete("t/a", expected_version=None, operation=MemoryOperation("2", "f"))
            with pytest.raises(MemoryConflictError):
                await store.delete("t/a", expected_version=None)

    asyncio.run(test())
