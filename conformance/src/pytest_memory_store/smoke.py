"""The smoke check: whether this is a store at all, and how long its calls take.

It runs once before the first item of a process, so that a dead store gives one clear error instead of a failure
per clause.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from pytest_memory_store.example import Example, NotExercised, Setting, Violation, violation_of
from pytest_memory_store.judgement import Finding
from pytest_memory_store.rig import StoreHungError
from pytest_memory_store.transcript import Transcript

METHODS = ("read", "get_operation", "write", "delete", "list_paths")
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Smoke:
    """What the smoke check found: `latency` is the mean time of a call in seconds, `fatal` why to go no further.

    `violation` is the clause that breaks by it, where one does.
    """

    latency: float = 0.0
    fatal: str = ""
    violation: Violation | None = None


def check(setting: Setting) -> Smoke:
    """Look at the store, and make a few plain calls on a scope of their own."""
    missing = [name for name in METHODS if not callable(getattr(setting.store, name, None))]
    if missing:
        return _no_store(type(setting.store).__name__, ", ".join(missing))
    rig = setting.rig
    samples: list[float] = []
    for _ in range(ROUNDS):
        calls, seconds = rig.calls, rig.seconds_in_store
        example = Example(setting)
        try:
            rig.run(_round_trip(example, read_only="read_only" in setting.claims))
        except (Violation, NotExercised):
            pass  # the clause's own item says so
        except StoreHungError as hang:
            return Smoke(fatal=str(hang))
        if rig.hangs:
            return Smoke(fatal=f"a plain `{_last_method(example)}` did not return within {rig.timeout:g} s")
        if rig.calls > calls:
            samples.append((rig.seconds_in_store - seconds) / (rig.calls - calls))
    return Smoke(latency=statistics.median(samples) if samples else 0.0)


def _no_store(kind: str, missing: str) -> Smoke:
    finding = Finding("TYPE-01", f"the store has no {missing}", ", ".join(METHODS), kind)
    violation = violation_of("TYPE-01")(finding, Transcript(""))
    return Smoke(fatal=f"{kind} is no MemoryStore: it has no {missing} (TYPE-01)", violation=violation)


def _last_method(example: Example) -> str:
    return example.transcript.steps[-1].call.method


async def _round_trip(example: Example, *, read_only: bool) -> None:
    await example.read("MEMORY.md")
    if read_only:
        return
    try:
        await example.put("MEMORY.md", "a plain note")
        await example.read("MEMORY.md")
        await example.put("MEMORY.md", "another plain note")
        await example.list_paths()
        await example.remove("MEMORY.md")
    finally:
        await example.clean_up()
