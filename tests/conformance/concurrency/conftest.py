"""All linear extensions of small random histories, against which the checkers are held.

Must not know: the checkers, with which this shares no code but the history itself.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATH = "a.md"


@pytest.fixture(scope="session")
def histories() -> Callable[..., Iterator[list[Operation]]]:
    """The function that draws random histories."""
    return random_histories


@pytest.fixture(scope="session")
def truth() -> Callable[[list[Operation]], str]:
    """The function that judges a small history by trying everything."""
    return lambda history: "linearizable" if brute_force(history) else "violation"


# --- all linear extensions -------------------------------------------------------------------------------------------


class Event(NamedTuple):
    """An operation, flattened for the enumeration."""

    kind: str
    invoke: int
    returned: float
    expected: str | None
    content: str | None
    version: str | None
    optional: bool


class File(NamedTuple):
    """A file, and the versions that it has had since it was created."""

    content: str | None
    version: str | None
    used: frozenset[str | None]


def brute_force(history: list[Operation]) -> bool:
    """Whether some linear extension of the history is a run of one file, by trying them all."""
    events = [event for operation in history if (event := flattened(operation)) is not None]
    guesses = {v for e in events for v in (e.expected, e.version) if v is not None}
    failed: set[tuple[int, File | None]] = set()

    def extend(todo: int, file: File | None) -> bool:
        waiting = [(i, e) for i, e in enumerate(events) if todo >> i & 1]
        if all(event.optional for _, event in waiting):
            return True
        if (todo, file) in failed:
            return False
        first_return = min(event.returned for _, event in waiting)
        for index, event in waiting:
            if event.invoke <= first_return:
                for after in effects(event, file, guesses):
                    if extend(todo & ~(1 << index), after):
                        return True
        failed.add((todo, file))
        return False

    return extend((1 << len(events)) - 1, None)


def flattened(operation: Operation) -> Event | None:
    """The operation as an event; none for a read that failed, which says nothing."""
    call, outcome = operation.call, operation.outcome
    optional = outcome is UNKNOWN
    returned = NEVER if optional else operation.returned
    done = outcome if isinstance(outcome, Done) else Done()
    if isinstance(call, Read):
        return None if optional else Event("read", operation.invoke, returned, None, done.content, done.version, False)
    kind = "refused" if outcome is CONFLICT else "write" if isinstance(call, Write) else "delete"
    content = call.content if isinstance(call, Write) else None
    if isinstance(outcome, Done) and done.existed != (call.expected_version is not None):
        kind = "impossible"
    return Event(kind, operation.invoke, returned, call.expected_version, content, done.version, optional)


def effects(event: Event, file: File | None, guesses: set[str]) -> Iterator[File | None]:
    """The files that may be there after the event, of which there are none if it cannot take place."""
    content, version, used = file or File(None, None, frozenset())
    if event.kind == "read":
        if (content, version) == (event.content, event.version):
            yield file
    elif event.kind == "refused":
        if version != event.expected:
            yield file
    elif event.kind == "delete":
        if version == event.expected:
            yield None
    elif event.kind == "write" and version == event.expected:
        made_versions = {*guesses, f"fresh {event.content}"} if event.optional else {event.version}
        for made in made_versions:
            if made not in used:
                yield File(event.content, made, used | {made})


# --- random histories ------------------------------------------------------------------------------------------------


class Draw:
    """Draws the run of a correct store by clients whose calls overlap."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.deletes = rng.choice((0.0, 0.15, 0.3))
        self.unknown = rng.choice((0.0, 0.0, 0.15, 0.35))
        self.forged = rng.choice((0.0, 0.1, 0.3))
        self.stale = rng.choice((0.2, 0.5))
        self.restarts = rng.random() < 0.25
        self.lag = rng.choice((0.0, 0.0, 0.9))
        self.next = 0
        self.file: tuple[str, str] | None = None
        self.mentioned: list[str | None] = [None]

    def history(self, size: int) -> list[Operation]:
        """Operations on one path, each taking effect at a random tick between its invocation and its return."""
        clients = self.rng.randint(2, 6)
        known: dict[int, str | None] = {}
        pending: dict[int, Operation] = {}
        effected: set[int] = set()
        history: list[Operation] = []
        for tick in itertools.count(1):
            client = self.rng.randrange(clients)
            if client not in pending:
                if len(history) < size:
                    pending[client] = self.call(client, known.get(client), tick)
                    history.append(pending[client])
            elif client not in effected:
                effected.add(client)
                self.take_effect(pending[client])
            elif self.rng.random() >= self.lag:
                known[client] = self.file[1] if self.file and self.rng.random() > self.stale else known.get(client)
                effected.remove(client)
                self.answer(pending.pop(client), tick)
            if len(history) == size and not pending:
                break
        return history

    def call(self, client: int, known: str | None, tick: int) -> Operation:
        """A call with a fitting, a stale or a forged version."""
        expected = self.file[1] if self.file else None
        if self.rng.random() < self.stale:
            expected = known
        if self.rng.random() < self.forged:
            expected = self.rng.choice([*self.mentioned, f"v{self.next + 1}", "forged"])
        luck = self.rng.random()
        call: Read | Write | Delete = Read(PATH, 100)
        if luck < self.deletes:
            call = Delete(PATH, expected)
        elif luck < 0.7:
            call = Write(PATH, f"c{tick}", expected)
        return Operation(client, call, tick, NEVER, UNKNOWN)

    def take_effect(self, operation: Operation) -> None:
        """Do what a correct store does, and keep its answer."""
        call = operation.call
        version = self.file[1] if self.file else None
        if isinstance(call, Read):
            operation.outcome = Done(version, self.file[0] if self.file else None)
        elif call.expected_version != version:
            operation.outcome = CONFLICT
        elif isinstance(call, Write):
            self.next += 1
            made = f"v{self.next}"
            self.file = (call.content, made)
            self.mentioned.append(made)
            operation.outcome = Done(made, existed=version is not None)
        else:
            self.file = None
            self.next = 0 if self.restarts else self.next
            operation.outcome = Done(existed=version is not None)

    def answer(self, operation: Operation, tick: int) -> None:
        """Let the client have the answer, or not."""
        operation.returned = tick
        if self.rng.random() < self.unknown:
            operation.outcome = UNKNOWN
            operation.returned = self.rng.choice((tick, NEVER))


def corrupted(history: list[Operation], rng: random.Random) -> list[Operation]:
    """The history with one or two things changed, which often leaves it linearizable."""
    history = [replace(operation) for operation in history]
    results = [Done(), *(result for operation in history if (result := written(operation)) is not None)]
    for _ in range(rng.choice((1, 2, 3))):
        rng.choice(CORRUPTIONS)(rng.choice(history), rng, results)
    return history


def written(operation: Operation) -> Done | None:
    """What a read sees after this write, if it is one and was answered."""
    if isinstance(operation.call, Write) and isinstance(operation.outcome, Done):
        return Done(operation.outcome.version, operation.call.content)
    return None


def other_result(operation: Operation, rng: random.Random, results: list[Done]) -> None:
    """Change what a read saw, wholly or by half."""
    if isinstance(operation.call, Read):
        one, other = rng.choice(results), rng.choice([Done("torn", "torn"), *results])
        mixed = Done(one.version, other.content) if one.version and other.content else one
        operation.outcome = rng.choice((one, one, mixed))


def other_times(operation: Operation, rng: random.Random, results: list[Done]) -> None:
    """Move or stretch an interval."""
    del results
    operation.invoke += rng.randint(-15, 15)
    operation.returned = operation.invoke + rng.randint(1, 25) if operation.returned < NEVER else NEVER


def other_outcome(operation: Operation, rng: random.Random, results: list[Done]) -> None:
    """Turn a success into a refusal, and a refusal or an unknown outcome into a success."""
    call, outcome = operation.call, operation.outcome
    if isinstance(call, Read):
        return
    if isinstance(outcome, Done):
        operation.outcome = rng.choice((CONFLICT, replace(outcome, existed=not outcome.existed)))
        return
    version = rng.choice((rng.choice(results).version or "w1", "w1")) if isinstance(call, Write) else None
    operation.outcome = Done(version, existed=call.expected_version is not None)
    operation.returned = min(operation.returned, operation.invoke + 10)


def other_version(operation: Operation, rng: random.Random, results: list[Done]) -> None:
    """Change the version that a call expected, or the one that a write answered."""
    call, outcome = operation.call, operation.outcome
    version = rng.choice(results).version
    if isinstance(call, Read):
        return
    if isinstance(call, Write) and isinstance(outcome, Done) and version and rng.random() < 0.5:
        operation.outcome = replace(outcome, version=version)
        return
    operation.call = replace(call, expected_version=version)
    if isinstance(outcome, Done):
        operation.outcome = replace(outcome, existed=version is not None)


CORRUPTIONS: tuple[Callable[[Operation, random.Random, list[Done]], None], ...] = (
    other_result,
    other_times,
    other_outcome,
    other_version,
)


def random_histories(count: int, seed: int, smallest: int = 2, largest: int = 8) -> Iterator[list[Operation]]:
    """Random histories, every second one corrupted."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    for number in range(count):
        history = Draw(rng).history(rng.randint(smallest, largest))
        yield corrupted(history, rng) if number % 2 else history
