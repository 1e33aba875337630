"""Measures the linearizability checker: calls per second, the share handed to the search, growth to a million calls.

python tools/bench_checker.py          all of it
python tools/bench_checker.py --quick  without the histories beyond 10,000 calls
"""

from __future__ import annotations

import heapq
import platform
import random
import statistics
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation
from pytest_memory_store.concurrency.linearizability import check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS = 9
HISTORIES = 100


@dataclass(frozen=True, slots=True)
class Load:
    """What the clients of a history do, in shares of their calls."""

    name: str
    clients: int = 10
    paths: int = 1
    reads: float = 0.35
    deletes: float = 0.0
    unknown: float = 0.0
    stale: float = 0.35
    restarts: bool = False


LOADS = (
    Load("writes and reads"),
    Load("3 clients", clients=3, stale=0.6),
    Load("50 clients", clients=50),
    Load("100 paths", paths=100, stale=0.9),
    Load("20% deletes", deletes=0.2),
    Load("5% unknown", unknown=0.05),
    Load("5% unknown, 20% deletes", unknown=0.05, deletes=0.2),
)
SEARCHED = Load("versions again in each life", deletes=0.2, restarts=True)


def main(arguments: list[str]) -> int:
    """Run every part and print it."""
    print(
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"processor time, medians of {ROUNDS} rounds"
    )
    print("\n## 10,000 calls (target: 1,000,000 calls/s, at least 30% conflicts, at most 1% of histories searched)")
    for load in LOADS:
        speed(load, 10_000)
    print("\n## a store that gives its versions again after a delete, which is for the search to decide")
    speed(SEARCHED, 10_000, histories=10)
    print("\n## growth")
    for size in (1_000, 10_000) if "--quick" in arguments else (1_000, 10_000, 100_000, 1_000_000):
        speed(LOADS[0], size, histories=1)
    print("\n## violations found in 10,000 calls")
    violations()
    return 0


def speed(load: Load, size: int, histories: int = HISTORIES) -> None:
    """Judge a history again and again, and others like it, a tenth as long, once."""
    history = generate(load, size, 1)
    seconds = statistics.median(timed(history) for _ in range(ROUNDS if size <= 10_000 else 3))
    conflicts = sum(operation.outcome is CONFLICT for operation in history) / size
    searched = paths = 0
    for seed in range(histories):
        verdict = check(generate(load, max(size // 10, 100), seed))
        assert verdict.result.value == "linearizable", verdict.refutations
        searched += verdict.searched
        paths += verdict.searched + verdict.chained
    print(
        f"{load.name:26} {size:>9,} calls {seconds * 1e3:9.1f} ms {size / seconds:>11,.0f} calls/s, "
        f"{conflicts:.0%} conflicts, {searched}/{paths} paths searched"
    )


def timed(history: Sequence[Operation]) -> float:
    """How long it takes to judge a history that is right."""
    began = time.process_time()
    verdict = check(history)
    seconds = time.process_time() - began
    assert verdict.result.value == "linearizable", verdict.refutations
    return seconds


def violations() -> None:
    """How long it takes to find one fault in the middle of a long history, and how few calls name it."""
    faults: dict[str, Callable[[list[Operation]], None]] = {"stale read": stale_read, "lost update": lost_update}
    for name, break_it in faults.items():
        history = generate(LOADS[0], 10_000, 1)
        break_it(history)
        began = time.process_time()
        (refutation,) = check(history).refutations
        seconds = time.process_time() - began
        print(f"{name:26} {seconds * 1e3:9.1f} ms, {len(refutation.operations)} calls: {refutation.sentence}")


def stale_read(history: list[Operation]) -> None:
    """Let a read in the middle return what the first one returned."""
    reads = [o for o in history if isinstance(o.call, Read) and isinstance(o.outcome, Done) and o.outcome.version]
    reads[len(reads) // 2].outcome = reads[0].outcome


def lost_update(history: list[Operation]) -> None:
    """Let a write in the middle succeed from the version that the write before it succeeded from."""
    calls = [(o, o.call) for o in history if isinstance(o.call, Write) and isinstance(o.outcome, Done)]
    (_, before), (after, call) = calls[len(calls) // 2 : len(calls) // 2 + 2]
    after.call = replace(call, expected_version=before.expected_version)


class Generator:
    """The run of a correct store: each call takes effect at some tick between its invocation and its return."""

    def __init__(self, load: Load, seed: int) -> None:
        self.load = load
        self.rng = random.Random(seed)  # noqa: S311 - no secret
        self.files: dict[str, tuple[str, str]] = {}
        self.told: dict[tuple[int, str], str | None] = {}
        self.newest: dict[str, str | None] = {}
        self.versions = 0

    def call(self, client: int, number: int) -> Read | Write | Delete:
        """What a client asks next, with the newest version that any client was told, or the last one of its own."""
        path = f"p{self.rng.randrange(self.load.paths)}"
        luck = self.rng.random()
        if luck < self.load.reads:
            return Read(path, 1_000)
        expected = self.newest.get(path)
        if self.rng.random() < self.load.stale:
            expected = self.told.get((client, path))
        if expected is not None and luck < self.load.reads + self.load.deletes:
            return Delete(path, expected)
        return Write(path, f"content {number}", expected)

    def tell(self, client: int, operation: Operation) -> None:
        """Let a client have the answer."""
        if isinstance(operation.outcome, Done):
            path, version = operation.call.path, operation.outcome.version
            self.told[client, path] = self.newest[path] = version

    def take_effect(self, call: Read | Write | Delete) -> Done | None:
        """What a correct store does and answers; nothing for a conflict."""
        file = self.files.get(call.path)
        version = file[1] if file else None
        if isinstance(call, Read):
            return Done(version, file[0] if file else None)
        if call.expected_version != version:
            return None
        if isinstance(call, Delete):
            self.files.pop(call.path, None)
            self.versions = 0 if self.load.restarts else self.versions
            return Done(existed=version is not None)
        self.versions += 1
        self.files[call.path] = (call.content, str(self.versions))
        return Done(str(self.versions), existed=version is not None)


def generate(load: Load, size: int, seed: int) -> list[Operation]:
    """A linearizable history of this load, sorted by invocation as a recorder writes it."""
    run, rng = Generator(load, seed), random.Random(seed + 1)  # noqa: S311 - no secret
    history: list[Operation] = []
    due: list[tuple[float, int, str, Operation | None]] = [(rng.random(), c, "call", None) for c in range(load.clients)]
    heapq.heapify(due)
    tick = 0
    while due:
        at, client, phase, operation = heapq.heappop(due)
        tick += 1
        if operation is None:
            if len(history) == size:
                continue
            operation = Operation(client, run.call(client, len(history)), tick, NEVER, UNKNOWN)
            history.append(operation)
            heapq.heappush(due, (at + rng.expovariate(1), client, "effect", operation))
        elif phase == "effect":
            operation.outcome = run.take_effect(operation.call) or CONFLICT
            if not isinstance(operation.call, Read) and rng.random() < load.unknown:
                operation.outcome = UNKNOWN
            heapq.heappush(due, (at + rng.expovariate(1), client, "return", operation))
        else:
            operation.returned = tick
            run.tell(client, operation)
            heapq.heappush(due, (at + rng.expovariate(2), client, "call", None))
    return history


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
