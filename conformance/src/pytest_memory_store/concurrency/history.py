"""A history: what several clients asked of one store, when, and what each was told.

Data only. Must not know: stores, event loops, pytest, how a history is judged.

Times are ticks of one logical clock of the process that recorded the history: each invocation and each return takes
the next tick, so no two events are at once. A wall clock would order calls that overlapped.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from pytest_memory_store.calls import Delete, Read, Write

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER = math.inf
"""The tick of a return that was not seen."""


@dataclass(frozen=True, slots=True)
class Done:
    """The call returned.

    A read gives `version` and `content`, both `None` where it found no file. A mutation gives `version` (`None` for a
    delete), `existed` and `replayed` as the store answered them.
    """

    version: str | None = None
    content: str | None = None
    existed: bool = False
    replayed: bool = False


class Refused(Enum):
    """The store refused the call, and says that the call changed nothing."""

    CONFLICT = "conflict"
    """`MemoryConflictError`: the file was not what the call expected. It does not say what the file was."""
    OPERATION = "operation"
    """`MemoryOperationConflictError`: the operation id is known with another fingerprint; nothing about the file."""


class Unknown(Enum):
    """Nobody knows whether the call took effect, or will: a timeout, a cancellation, a crash, an error of a driver."""

    UNKNOWN = "unknown"


CONFLICT = Refused.CONFLICT
UNKNOWN = Unknown.UNKNOWN
Outcome: TypeAlias = Done | Refused | Unknown


@dataclass(slots=True, eq=False)
class Operation:
    """One call of a history. Two operations are equal only if they are the same object.

    `client` is a sequential thread of calls: after an unknown outcome its next call belongs to a new client.
    `invoke` and `returned` are ticks. An operation comes before another one if it returned before the other was
    invoked; otherwise the two overlap. The `returned` of an unknown outcome is when the client gave up, or `NEVER`:
    it does not bound the effect, which may come later.

    A history's contents must be unique: no two writes carry the same content, except attempts of one operation id.
    """

    client: int
    call: Read | Write | Delete
    invoke: int
    returned: float
    outcome: Outcome

    @property
    def latest(self) -> float:
        """The last tick at which the call can have taken effect."""
        return NEVER if self.outcome is UNKNOWN else self.returned

    def __str__(self) -> str:
        match self.call:
            case Read():
                call = f"read({self.call.path!r})"
            case Write(path, content, expected):
                call = f"write({path!r}, {content!r}, expected_version={expected!r})"
            case Delete(path, expected):
                call = f"delete({path!r}, expected_version={expected!r})"
        answer = repr(self.outcome) if isinstance(self.outcome, Done) else self.outcome.value
        return f"client {self.client} [{self.invoke}, {self.returned}] {call} -> {answer}"


def operation_id(operation: Operation) -> str | None:
    """The id that a mutation was made under, if it was."""
    call = operation.call
    return None if isinstance(call, Read) or call.operation is None else call.operation.id


def by_path(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    """The operations of each path, in the order of their invocations.

    The contract promises nothing across paths, and a history is linearizable if and only if the part of it on each
    object is (Herlihy and Wing, 1990), so each path is judged alone. Horn and Kroening (2015) measured what that saves.
    """
    paths: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in sorted(operations, key=attrgetter("invoke")):
        paths[operation.call.path].append(operation)
    return paths
