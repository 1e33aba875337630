"""What `PostgresMemoryStore` lists and finds, in what order, at what cost, and what of a long text."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reference_stores import _postgres_statements
from reference_stores.in_memory import InMemoryStore
from reference_stores.postgres import PostgresMemoryStore

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_memory_store.fixtures.postgres import PostgresServer

asyncpg: Any = importlib.import_module("asyncpg")  # it has no types

pytest_plugins = ["pytest_memory_store.fixtures.postgres"]

WIDE: dict[str, int] = {"limit": 10**6, "max_files": 10**6, "max_chars": 10**6, "max_file_chars": 10**6}


async def fetchval(dsn: str, query: str) -> Any:
    """Return the value of a query, asked on a connection of its own."""
    connection = await asyncpg.connect(dsn)
    value = await connection.fetchval(query)
    await connection.close()
    return value


@pytest.fixture
def dictionary_dsn(postgres_server: PostgresServer) -> Generator[str, None, None]:
    """Return the DSN of a database that sorts like a dictionary."""
    if asyncio.run(fetchval(postgres_server.dsn, "SELECT current_setting('server_version_num')::int")) < 150_000:
        pytest.skip("PostgreSQL has databases with ICU's collations from 15 on")
    dsn = postgres_server.create_database(icu_locale="en-US")
    yield dsn
    postgres_server.drop_database(dsn)


def test_paths_are_ordered_by_code_point(dictionary_dsn: str) -> None:
    """In a database that sorts like a dictionary, paths and ranges are still those of code points."""
    paths = ["A.md", "MEMORY.md", "Z/a", "_x", "a", "a-b", "a.md", "a/B", "a/b", "a0", "b/c", "z"]

    async def test() -> None:
        async with PostgresMemoryStore(dictionary_dsn) as store:
            await store.list_paths(limit=1)
            control = "SELECT string_agg(name, '' ORDER BY name) FROM unnest(ARRAY['a', 'B', 'c']) AS name"
            assert await fetchval(dictionary_dsn, control) == "aBc"
            for path in reversed(paths):
                await store.write(path, "Tea", expected_version=None)
            assert await store.list_paths(limit=99) == sorted(paths)
            for prefix in ("a", "a/", "A", "Z/", "a/b", "m"):
                expected = sorted(path for path in paths if path.startswith(prefix))
                assert await store.list_paths(prefix, limit=99) == expected
                assert await store.list_paths(prefix, limit=1) == expected[:1]
            found = await store.search("a", "tEA", **WIDE)
            assert sorted(match.path for match in found.matches) == ["a", "a-b", "a.md", "a0"]

    asyncio.run(test())


def test_the_cost_of_listing_and_searching(dictionary_dsn: str) -> None:
    """Beside many files of others, a listing and a search go by an index and read nothing else."""

    async def blocks(connection: Any, query: str, *args: Any) -> int:
        (plan,) = json.loads(await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {query}", *args))
        return int(plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"])

    async def test() -> None:
        async with PostgresMemoryStore(dictionary_dsn) as store:
            await store.write("mine/a", "tea", expected_version=None)
            connection = await asyncpg.connect(dictionary_dsn)
            await connection.execute("""
                INSERT INTO memory_files (path, searched_in, version, chars, content)
                SELECT format('t%s/%s', number % 100, number), format('t%s', number % 100), 'v', 3, 'tea'
                FROM generate_series(1, 20000) AS number
            """)
            bounds = ("mine", "mine/", "mine/\x7f", 100, 100, 10**6, ["tea"])
            assert await blocks(connection, store._statements._list, "mine/", "mine/\x7f", 100) < 20
            assert await blocks(connection, store._statements._search, *bounds) < 20
            assert await blocks(connection, "SELECT sum(chars) FROM memory_files") > 100
            await connection.close()
            assert await store.list_paths("mine/", limit=9) == ["mine/a"]

    asyncio.run(test())


@pytest.mark.parametrize("bound", ["_BATCH_CHARS", "_BATCH_FILES"])
@pytest.mark.parametrize("query", ["tea", "té"])
def test_search_in_several_visits(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch, query: str, bound: str) -> None:
    """A search that fetches its files in parts finds the same as in one."""
    monkeypatch.setattr(_postgres_statements, bound, 4)

    async def test() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            for number in range(20):
                await store.write(f"t/{number:02}", query * (number % 4), expected_version=None)
                await store.write(f"t/_{number}", query, expected_version=None)
            for max_files in (1, 7, 19, 20, 21):
                found = await store.search("t/", query, **{**WIDE, "max_files": max_files})
                matching = sorted(f"t/{n:02}" for n in range(min(20, max_files)) if n % 4)
                assert sorted(match.path for match in found.matches) == matching
                assert (found.scanned, found.truncated) == (min(20, max_files), max_files < 20)

    asyncio.run(test())


LETTERS = st.text("aAbBkKiIsS\u0130\u212aßẞéÉ\u03c3\u03a3\u03c2中\u0307 \n%_'", max_size=12)


def test_the_database_leaves_out_no_match(postgres_dsn: str) -> None:
    """Whatever the letters are, a search finds exactly what a plain scan of the same texts finds."""

    @settings(max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
    @given(texts=st.lists(LETTERS, min_size=1, max_size=5), query=LETTERS | st.just("a\0 b"), bound=st.integers(1, 14))
    @example(texts=["\u212a", "x"], query="K", bound=5)
    @example(texts=["x\u0130", "x"], query="I", bound=5)
    @example(texts=["x", "y"], query="a\0 b", bound=5)
    def check(texts: list[str], query: str, bound: int) -> None:
        loop.run_until_complete(compare(texts, query, bound))

    async def compare(texts: list[str], query: str, bound: int) -> None:
        scope = os.urandom(8).hex()
        files = {f"{scope}/{'aKb'[number % 3]}{number}.md": text for number, text in enumerate(texts)}
        plain = InMemoryStore(files)
        for path, text in files.items():
            await store.write(path, text, expected_version=None)
        bounds = {**WIDE, "max_file_chars": bound}
        assert await store.search(f"{scope}/", query, **bounds) == await plain.search(f"{scope}/", query, **bounds)

    loop = asyncio.new_event_loop()
    store = PostgresMemoryStore(postgres_dsn)
    try:
        check()
    finally:
        loop.run_until_complete(store.aclose())
        loop.close()


def test_the_beginning_of_a_long_text(postgres_dsn: str) -> None:
    """A beginning is cut between characters of any width, by `read` and by `search`."""

    async def test(store: PostgresMemoryStore, scope: str, content: str) -> None:
        await store.write(f"{scope}/a", content, expected_version=None)
        for max_chars in (1, 2, 3, 4095, 20_000, 20_002, 20_003, 2**31, 2**64):
            read = await store.read(f"{scope}/a", max_chars=max_chars)
            assert read
            assert (read.content, read.truncated) == (content[:max_chars], max_chars < 20_003)
        for max_file_chars, matches in ((20_002, 0), (20_003, 1)):
            found = await store.search(f"{scope}/", "end", **{**WIDE, "max_file_chars": max_file_chars})
            assert (len(found.matches), found.truncated) == (matches, not matches)

    async def each() -> None:
        async with PostgresMemoryStore(postgres_dsn) as store:
            for number, character in enumerate("xé中😀"):
                await test(store, f"t{number}", character * 20_000 + "end")

    asyncio.run(each())
