"""Random duplicates, lost answers and retries against small stores with receipts, right and wrong ones.

The stores are functions of their state: what overlaps is drawn, not run.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from pytest_memory_store.calls import MemoryOperation, Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, NEVER, UNKNOWN, Done, Operation, Outcome, Refused
from pytest_memory_store.concurrency.linearizability import Linearizable, check
from pytest_memory_store.concurrency.receipts import check_receipts

HISTORIES = 1_500


@dataclass
class Store:
    """A correct store of one file."""

    file: tuple[str, str] | None = None
    versions: int = 0
    receipts: dict[str, tuple[str, Done]] = field(default_factory=dict[str, tuple[str, Done]])

    def read(self) -> Done:
        """What the file is."""
        return Done(self.file[1], self.file[0]) if self.file else Done()

    def write(self, call: Write) -> Outcome:
        """Look up the receipt, then compare the version, then write."""
        assert call.operation is not None
        if (known := self.receipts.get(call.operation.id)) is not None:
            fingerprint, answer = known
            return self.replayed(answer) if fingerprint == call.operation.fingerprint else Refused.OPERATION
        if call.expected_version != (self.file[1] if self.file else None):
            return CONFLICT
        return self.apply(call, call.operation)

    def replayed(self, answer: Done) -> Done:
        """The answer to a retry."""
        return Done(answer.version, existed=answer.existed, replayed=True)

    def apply(self, call: Write, operation: MemoryOperation) -> Done:
        """Write, and keep the receipt."""
        self.versions += 1
        answer = Done(f"v{self.versions}", existed=self.file is not None)
        self.file = (call.content, f"v{self.versions}")
        self.receipts[operation.id] = (operation.fingerprint, answer)
        return answer


class Forgetful(Store):
    """Keeps no receipts, so a retry is refused with the conflict that its first attempt made."""

    def apply(self, call: Write, operation: MemoryOperation) -> Done:
        """Write only."""
        answer = super().apply(call, operation)
        del self.receipts[operation.id]
        return answer


class Current(Store):
    """Answers a retry with the version that the file has now."""

    def replayed(self, answer: Done) -> Done:
        """The receipt with another version."""
        return Done(self.file[1] if self.file else None, existed=answer.existed, replayed=True)


class Unmarked(Store):
    """Answers a retry as if it had been the first."""

    def replayed(self, answer: Done) -> Done:
        """The receipt without its mark."""
        return answer


class Careless(Store):
    """Takes an id for the same operation whatever its fingerprint."""

    def write(self, call: Write) -> Outcome:
        """Write with one fingerprint for all."""
        assert call.operation is not None
        return super().write(
            Write(call.path, call.content, call.expected_version, MemoryOperation(call.operation.id, ""))
        )


class Eager(Store):
    """Writes on a retry what it carries, although it answers with the receipt."""

    def write(self, call: Write) -> Outcome:
        """Write first, then look."""
        answer = super().write(call)
        if isinstance(answer, Done) and answer.replayed:
            self.file = (call.content, self.file[1] if self.file else "")
        return answer


def history(store: Store, rng: random.Random) -> list[Operation]:
    """Clients that read, write, retry each other's operations and lose answers."""
    calls: list[Operation] = []
    pending: dict[int, list[Operation]] = {}
    told: str | None = None
    for tick in range(1, 70):
        client = rng.randrange(4)
        if not pending.get(client):
            operation = Operation(client, draw_call(rng, tick, told), tick, NEVER, UNKNOWN)
            calls.append(operation)
            pending[client] = [operation, operation]
        elif len(pending[client]) == 2:
            call = pending[client].pop().call
            outcome = store.write(call) if isinstance(call, Write) else store.read()
            pending[client][0].outcome = outcome
        else:
            operation = pending[client].pop()
            operation.returned = tick
            if rng.random() < 0.25:
                operation.outcome = UNKNOWN
            elif isinstance(operation.outcome, Done):
                told = operation.outcome.version
    for operation in calls:
        if operation.returned == NEVER:
            operation.outcome = UNKNOWN
    return [*calls, Operation(9, Read("a.md", 100), 100, 101, store.read())]


def draw_call(rng: random.Random, tick: int, told: str | None) -> Read | Write:
    """A read, or an attempt of one of a few operations with content of its own or of the operation."""
    if rng.random() < 0.35:
        return Read("a.md", 100)
    number = rng.randrange(5)
    fingerprint = "f" if rng.random() < 0.9 else f"g{tick}"
    content = f"op {number}" if rng.random() < 0.5 and fingerprint == "f" else f"at {tick}"
    return Write("a.md", content, told, MemoryOperation(f"op {number}", fingerprint))


def test_a_correct_store_is_never_accused() -> None:
    """Whatever is repeated, lost or refused, the receipts of a correct store and its versions pass."""
    replays = lost = 0
    for seed in range(HISTORIES):
        calls = history(Store(), random.Random(seed))  # noqa: S311 - no secret
        assert check_receipts(calls) == (), "\n".join(map(str, calls))
        assert check(calls).result is Linearizable.YES, "\n".join(map(str, calls))
        replays += sum(isinstance(o.outcome, Done) and o.outcome.replayed for o in calls)
        lost += sum(o.outcome is UNKNOWN for o in calls)
    assert min(replays, lost) > HISTORIES


@pytest.mark.parametrize("faulty", [Forgetful, Current, Unmarked, Careless, Eager])
def test_a_store_with_wrong_receipts_is_refuted(faulty: type[Store]) -> None:
    """Each fault of receipts shows in at least one of a hundred random histories."""
    assert any(check_receipts(history(faulty(), random.Random(seed))) for seed in range(100))  # noqa: S311 - no secret
