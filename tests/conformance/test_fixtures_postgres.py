"""The fixture `postgres_dsn` finds or starts a server, gives a fresh database each time, and never skips in CI."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import pytest

from pytest_memory_store.fixtures import _postgres_databases as databases
from pytest_memory_store.fixtures import _postgres_local as local
from pytest_memory_store.fixtures import _unprivileged, postgres
from pytest_memory_store.fixtures.postgres import DSN_VARIABLE, PostgresServer

if TYPE_CHECKING:
    from collections.abc import Generator

asyncpg: Any = importlib.import_module("asyncpg")  # it has no types

pytest_plugins = ["pytest_memory_store.fixtures.postgres"]

PLUGIN = 'pytest_plugins = ["pytest_memory_store.fixtures.postgres"]\n'


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the choice to each test."""
    monkeypatch.delenv(DSN_VARIABLE, raising=False)
    monkeypatch.delenv("CI", raising=False)


def query(dsn: str, sql: str) -> Any:
    """Return the value of a query."""

    async def ask() -> Any:
        connection = await asyncpg.connect(dsn)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return importlib.import_module("asyncio").run(ask())


def test_a_database_is_fresh_each_time(
    pytester: pytest.Pytester, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each use gets an empty database in UTF-8 with a name of its own, on the server that was given, and drops it."""
    monkeypatch.setenv(DSN_VARIABLE, postgres_server.dsn)
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile("""
        import asyncio, asyncpg, pytest

        @pytest.mark.parametrize("number", range(2))
        def test_it(postgres_dsn, postgres_server, number):
            assert postgres_server.origin == "the DSN that was given"

            async def use():
                connection = await asyncpg.connect(postgres_dsn)
                await connection.execute("CREATE TABLE mine ()")
                assert await connection.fetchval("SHOW server_encoding") == "UTF8"

            asyncio.run(use())  # and leave the connection open
    """)
    before = query(postgres_server.dsn, "SELECT array_agg(datname::text ORDER BY 1) FROM pg_database")
    pytester.runpytest_subprocess("-q", "-W", "ignore::ResourceWarning").assert_outcomes(passed=2)
    assert query(postgres_server.dsn, "SELECT array_agg(datname::text ORDER BY 1) FROM pg_database") == before


def test_a_factory_may_ask_for_it(
    pytester: pytest.Pytester, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A factory with a parameter `postgres_dsn` is judged on databases of the fixture."""
    monkeypatch.setenv(DSN_VARIABLE, postgres_server.dsn)
    pytester.makeconftest(PLUGIN)
    result = pytester.runpytest(
        "--memory-store=reference_stores.postgres:open_store", "--memory-store-budget=quick", "-k", "CAS-01 or OP-03"
    )
    result.assert_outcomes(passed=2, deselected=result.parseoutcomes()["deselected"])


def test_nothing_is_loaded_unless_asked_for() -> None:
    """The plugin, without a store, imports neither the fixtures nor a driver."""
    program = (
        "import sys, pytest\n"
        "pytest.main(['-q', '--collect-only', '--override-ini=addopts=', '-p', 'no:cacheprovider', '--version'])\n"
        "import pytest_memory_store.plugin\n"
        "print([name for name in ('asyncpg', 'pytest_memory_store.fixtures') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize(("ci", "outcome"), [("false", "skipped"), ("true", "errors")])
def test_without_a_server(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str) -> None:
    """Where there is no server the reason names all that would give one: a skip, and an error in CI."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(local, "find_binaries", lambda: None)
    monkeypatch.setitem(sys.modules, "docker", None)
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile("def test_it(postgres_dsn): pass")
    result = pytester.runpytest("-rs")
    result.assert_outcomes(**{outcome: 1})
    shown = " ".join(result.outlines)
    for way in (DSN_VARIABLE, "install PostgreSQL's server", "pip install 'pytest-memory-store[containers]'"):
        assert way in shown


def test_a_dsn_of_another_kind(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no PostgreSQL URL is an error that says so, and does not print it."""
    monkeypatch.setenv(DSN_VARIABLE, "host=localhost password=hidden")
    pytester.makeconftest(PLUGIN)
    pytester.makepyfile("def test_it(postgres_dsn): pass")
    result = pytester.runpytest("--tb=short")
    result.assert_outcomes(errors=1)
    assert "no URL that begins with postgresql://" in result.stdout.str()
    assert "hidden" not in result.stdout.str() + result.stderr.str()


def test_a_given_server_that_does_not_answer() -> None:
    """A server that is not there is an error which names the place without the password."""
    port = local.free_port()
    server = PostgresServer(f"postgresql://someone:hidden@127.0.0.1:{port}/x", "the DSN that was given")
    with pytest.raises(databases.DatabaseError, match=f"PostgreSQL server at 127.0.0.1:{port}: Conn") as error:
        server.create_database()
    assert "hidden" not in str(error.value)


def test_a_server_is_started_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of this machine's binaries runs as no root, behind a password, and is gone with its folder."""
    binaries = local.find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server binaries on this machine")
    folders: list[Path] = []
    start = _unprivileged.Place.start

    def watched(where: _unprivileged.Place, *args: Any) -> Any:
        folders.append(where.folder)
        return start(where, *args)

    monkeypatch.setattr(_unprivileged.Place, "start", watched)
    monkeypatch.setenv("PGPORT", "1")  # what is meant for clients of another server plays no part
    with local.running(binaries) as dsn:
        assert query(dsn, "SHOW fsync") == "off"
        assert query(dsn, "SHOW synchronous_commit") == "on"
        assert query(dsn, "SHOW listen_addresses") == "127.0.0.1"
        pid = int((folders[0] / "data" / "postmaster.pid").read_text().split()[0])
        assert Path(f"/proc/{pid}").stat().st_uid != 0 or not Path("/proc").exists()
        with pytest.raises(asyncpg.InvalidPasswordError):
            query(dsn.replace(str(urlsplit(dsn).password), "wrong"), "SELECT 1")
    assert not folders[0].exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_server_does_not_outlive_its_tests() -> None:
    """When the process of the tests is killed, the server ends and its folder is removed all the same."""
    binaries = local.find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server binaries on this machine")
    program = (
        "import os, signal\n"
        "from pytest_memory_store.fixtures import _postgres_local as local\n"
        "from pytest_memory_store.fixtures._unprivileged import Place\n"
        "start = Place.start\n"
        "def watched(where, *args):\n"
        "    print(where.folder)\n"
        "    return start(where, *args)\n"
        "Place.start = watched\n"
        "with local.running(local.find_binaries()) as dsn:\n"
        "    print(dsn, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    folder, *_, dsn = killed.stdout.split()
    deadline = time.monotonic() + 20
    while Path(folder).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(folder).exists()
    with pytest.raises(OSError, match="Connect call failed"):
        query(dsn, "SELECT 1")


def make_binaries(folder: Path, **scripts: str) -> Path:
    """Make programs that do what these shell scripts say, where everybody can run them."""
    folder.mkdir()
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("scripts", "message"),
    [
        ({"initdb": "echo no room here; exit 1", "postgres": ""}, "initdb failed: no room here"),
        ({"initdb": "mkdir data", "postgres": "echo bad setting; exit 1"}, "postgres did not start: bad setting"),
        ({"initdb": "mkdir data", "postgres": "echo Address already in use; exit 1"}, "Address already in use"),
    ],
)
def test_binaries_that_fail(scripts: dict[str, str], message: str) -> None:
    """What `initdb` or the server said is in the error."""
    with _unprivileged.place() as where:
        binaries = make_binaries(where.folder / "bin", **scripts)
        where.folder.chmod(0o755)
        with pytest.raises(local.ServerError, match=message), local.running(binaries):
            pass


def test_where_binaries_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of PATH and `pg_config` is taken which has both programs."""
    asked = make_binaries(tmp_path / "asked", initdb="", postgres="")
    on_path = make_binaries(tmp_path / "path", pg_config=f"echo {asked}")
    monkeypatch.setenv("PATH", f"{on_path}:/usr/bin:/bin")
    assert local.find_binaries() == asked
    client_only = make_binaries(tmp_path / "client", postgres="")
    monkeypatch.setenv("PATH", f"{client_only}:{on_path}:/usr/bin:/bin")
    assert local.find_binaries() == asked
    monkeypatch.setenv("PATH", f"{asked}:{client_only}")
    assert local.find_binaries() == asked


def test_a_temporary_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the folder for temporary files is private or its name long, another is taken."""
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(deep))
    with _unprivileged.place() as where:
        assert where.folder.parent in (Path("/tmp").resolve(), Path("/var/tmp").resolve())  # noqa: S108 - not used
        assert where.folder.stat().st_mode & 0o077 == 0


class Container:
    """Stands in for a container of testcontainers."""

    log: list[Any] = []  # noqa: RUF012 - a test's record

    def __init__(self, image: str, driver: str | None) -> None:
        self.log.append((image, driver))

    def with_command(self, command: str) -> Container:
        """Take note of the command."""
        self.log.append(command)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.log.append("stopped")

    def get_connection_url(self) -> str:
        """Return a DSN as testcontainers does."""
        return "postgresql://test:test@localhost:5/test"


def pretend(monkeypatch: pytest.MonkeyPatch, *, docker_answers: bool) -> None:
    """Put modules of the names of Docker's client and of testcontainers in place."""

    def ping() -> None:
        if not docker_answers:
            raise OSError("no socket")

    client = types.SimpleNamespace(ping=ping)
    monkeypatch.setitem(sys.modules, "docker", types.SimpleNamespace(from_env=lambda: client))
    monkeypatch.setitem(sys.modules, "testcontainers", types.ModuleType("testcontainers"))
    module = types.SimpleNamespace(PostgresContainer=Container)
    monkeypatch.setitem(sys.modules, "testcontainers.postgres", module)
    monkeypatch.setattr(local, "find_binaries", lambda: None)


def test_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without binaries, and where Docker answers, a container of the image that was asked for is run and stopped."""
    pretend(monkeypatch, docker_answers=True)
    monkeypatch.setenv(postgres.IMAGE_VARIABLE, "postgres:13")
    monkeypatch.setattr(Container, "log", [])
    with postgres._choose(None) as server:
        assert server == PostgresServer("postgresql://test:test@localhost:5/test", "the container image postgres:13")
    assert Container.log == [("postgres:13", None), "postgres -c fsync=off -c full_page_writes=off", "stopped"]


def test_a_docker_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client without a daemon is no server, and the reason says so."""
    pretend(monkeypatch, docker_answers=False)
    with pytest.raises(postgres.NoPostgresError, match="Docker does not answer"):
        postgres._choose(None)


@contextlib.contextmanager
def without_asyncpg(monkeypatch: pytest.MonkeyPatch) -> Generator[None, None, None]:
    """Make importing asyncpg fail in the block."""
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "asyncpg", None)
        yield


@pytest.mark.parametrize("has_asyncpg", [True, False])
def test_kinds_of_databases(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, has_asyncpg: bool
) -> None:
    """Databases of other encodings and collations are made and dropped, with asyncpg and without."""
    if not has_asyncpg and postgres_server.binaries is None:
        pytest.skip("the server was not started from binaries, so there may be no createdb of its version")
    if int(query(postgres_server.dsn, "SHOW server_version_num")) < 150_000:
        pytest.skip("PostgreSQL has databases with ICU's collations from 15 on")
    with contextlib.nullcontext() if has_asyncpg else without_asyncpg(monkeypatch):
        plain = postgres_server.create_database()
        latin = postgres_server.create_database(encoding="LATIN1")
        icu = postgres_server.create_database(icu_locale="en-US")
    assert [query(dsn, "SHOW server_encoding") for dsn in (plain, latin, icu)] == ["UTF8", "LATIN1", "UTF8"]
    sql = "SELECT string_agg(name, '' ORDER BY name) FROM unnest(ARRAY['a', 'B', 'c']) AS name"
    assert [query(dsn, sql) for dsn in (plain, icu)] == ["Bac", "aBc"]
    with contextlib.nullcontext() if has_asyncpg else without_asyncpg(monkeypatch):
        for dsn in (plain, latin, icu):
            postgres_server.drop_database(dsn)
            with pytest.raises(asyncpg.InvalidCatalogNameError):
                query(dsn, "SELECT 1")


@pytest.mark.parametrize("has_asyncpg", [True, False])
def test_a_database_that_is_refused(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, has_asyncpg: bool
) -> None:
    """What the server said is in the error, and the password is not."""
    if not has_asyncpg and postgres_server.binaries is None:
        pytest.skip("the server was not started from binaries, so there may be no createdb of its version")
    with (
        contextlib.nullcontext() if has_asyncpg else without_asyncpg(monkeypatch),
        pytest.raises(databases.DatabaseError, match=r"PostgreSQL server at .*nowhere") as error,
    ):
        postgres_server.create_database(locale="nowhere")
    assert str(urlsplit(postgres_server.dsn).password) not in str(error.value)


def test_neither_asyncpg_nor_createdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setenv("PATH", "")
    with without_asyncpg(monkeypatch), pytest.raises(databases.DatabaseError, match=r"pytest-memory-store\[postgres\]"):
        PostgresServer("postgresql://localhost/x", "nowhere").create_database()
