"""Measures the kit and the reference stores in one run on one machine; every figure is a ratio or says its unit.

python tools/bench.py             all of it (the comparison needs pydantic-ai-harness)
python tools/bench.py rig         the rig's cost per call
python tools/bench.py runs        wall time of quick and standard runs, and the share spent in the store
python tools/bench.py stores      reference stores against pydantic-ai-harness's, interleaved
"""

from __future__ import annotations

import asyncio
import importlib.util
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pytest_memory_store.calls import Read
from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.rig import Rig
from pytest_memory_store.transcript import Transcript

ROUNDS = 9


def main(parts: list[str]) -> int:
    """Run the parts named, or all."""
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, medians of {ROUNDS} rounds")
    for name, part in {"rig": rig_cost, "runs": runs, "stores": stores}.items():
        if not parts or name in parts:
            print(f"\n## {name}")
            part()
    return 0


def rig_cost(calls: int = 20_000) -> None:
    """The same reads made directly in a bare loop and through the rig with a transcript."""
    bare, rigged = [], []
    rig = Rig(10.0, sys.exit)
    store = BaseStore()

    async def directly() -> float:
        await store.write("s/a.md", "x", expected_version=None)
        began = time.perf_counter()
        for _ in range(calls):
            await store.read("s/a.md", max_chars=10)
        return time.perf_counter() - began

    async def through() -> float:
        transcript = Transcript("s")
        began = time.perf_counter()
        for _ in range(calls):
            call = Read("s/a.md", 10)
            step = transcript.begin(call)
            step.outcome = await rig.call(store, call)
        return time.perf_counter() - began

    for _ in range(ROUNDS):
        store = BaseStore()
        bare.append(rig.loop.run_until_complete(directly()) / calls)
        rigged.append(rig.run(through()) / calls)
    rig.close()
    overhead = statistics.median(rigged) - statistics.median(bare)
    print(
        f"bare call {statistics.median(bare) * 1e6:.2f} us, through the rig {statistics.median(rigged) * 1e6:.2f} us, ",
        end="",
    )
    print(f"overhead {overhead * 1e6:.2f} us per call (target: at most 10)")


def runs() -> None:
    """Whole runs of the kit as a user starts them."""
    for spec in ("reference_stores.in_memory:open_store", "reference_stores.sqlite:open_store"):
        for budget in ("quick", "standard"):
            with tempfile.TemporaryDirectory() as folder:
                command = [
                    sys.executable,
                    "-m",
                    "pytest",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                    f"--memory-store={spec}",
                ]
                command += [
                    f"--memory-store-budget={budget}",
                    "--memory-store-seed=1",
                    f"--memory-store-report={folder}",
                ]
                began = time.perf_counter()
                subprocess.run(command, cwd=folder, capture_output=True, check=False)
                wall = time.perf_counter() - began
                share = _share_in_store(Path(folder) / "report.json")
                print(f"{spec} {budget}: {wall:.1f} s, {share:.0%} of the judging time inside the store")


def _share_in_store(report: Path) -> float:
    import json

    data = json.loads(report.read_text(encoding="utf-8"))
    return float(data["seconds_in_store"]) / max(1e-9, float(data["seconds"]))


Run = Callable[[Any, int], Awaitable[None]]


def stores() -> None:
    """The same calls on both sides, interleaved round by round."""
    if importlib.util.find_spec("pydantic_ai_harness") is None:
        print("pydantic-ai-harness is not installed: nothing to compare with")
        return
    asyncio.run(_compare_stores())


async def _compare_stores() -> None:
    from pydantic_ai_harness.memory import InMemoryStore as TheirMemory
    from pydantic_ai_harness.memory import SqliteMemoryStore as TheirSqlite

    from reference_stores import InMemoryStore, SqliteMemoryStore

    with tempfile.TemporaryDirectory() as folder:
        ours = SqliteMemoryStore(Path(folder) / "ours.db")
        theirs = TheirSqlite(database=Path(folder) / "theirs.db")
        await _compare("SQLite", ours, theirs, calls=200)
        print(
            "  settings:",
            await _settings(Path(folder) / "ours.db"),
            "|",
            await _settings(Path(folder) / "theirs.db"),
        )
        await ours.aclose()
    await _compare("in-memory", InMemoryStore(), TheirMemory(), calls=2_000)


async def _settings(database: Path) -> str:
    import sqlite3

    with sqlite3.connect(database) as connection:
        return f"journal_mode={connection.execute('PRAGMA journal_mode').fetchone()[0]}"


async def _compare(title: str, ours: Any, theirs: Any, *, calls: int) -> None:
    for store in (ours, theirs):
        for number in range(1_000):
            await store.write(f"listed/f{number:04}.md", "some text to find " * 8, expected_version=None)
    for name, run in WORK.items():
        mine, other = [], []
        n = max(5, calls // 20) if name in ("list of 1,000", "search") else calls
        for round_number in range(ROUNDS):
            for store, times in ((ours, mine), (theirs, other)):
                began = time.perf_counter()
                await run(store, n + round_number * 0)
                times.append((time.perf_counter() - began) / n)
        ratio = statistics.median(other) / statistics.median(mine)
        times = (statistics.median(mine) * 1e6, statistics.median(other) * 1e6)
        print(f"{title} {name}: {times[0]:.0f} us against {times[1]:.0f} us, {ratio:.1f}x")


_serial = iter(range(10**9))


def _operation() -> Any:
    from pydantic_ai_harness.memory import MemoryOperation

    return MemoryOperation(id=f"op-{next(_serial)}", fingerprint="fp")


async def _write(store: Any, n: int) -> None:
    for _ in range(n):
        await store.write(f"w/{next(_serial)}.md", "a note of some length " * 10, expected_version=None)


async def _replace(store: Any, n: int) -> None:
    path = f"c/{next(_serial)}.md"
    version = None
    for _ in range(n):
        mutation = await store.write(
            path, "a note of some length " * 10, expected_version=version, operation=_operation()
        )
        version = mutation.version


async def _read(store: Any, n: int) -> None:
    for number in range(n):
        await store.read(f"listed/f{number % 1_000:04}.md", max_chars=65_536)


async def _list(store: Any, n: int) -> None:
    for _ in range(n):
        await store.list_paths("listed/", limit=1_000)


async def _search(store: Any, n: int) -> None:
    for _ in range(n):
        await store.search("listed/", "find", limit=10, max_files=1_000, max_chars=4_000, max_file_chars=65_536)


WORK: dict[str, Run] = {
    "write": _write,
    "CAS with operation": _replace,
    "read": _read,
    "list of 1,000": _list,
    "search": _search,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
