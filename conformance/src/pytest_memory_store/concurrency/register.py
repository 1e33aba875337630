"""One path as a state machine: which operation is possible in which state, and what it leaves.

Must not know: real time, the order of calls; `wgl.py` searches for one that the machine accepts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_memory_store.calls import Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, Done, Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_memory_store.concurrency.versions import Versions

_NONE: frozenset[str] = frozenset()


class Impossible(Enum):
    """What a step gives that no correct store can take."""

    IMPOSSIBLE = "impossible"


IMPOSSIBLE = Impossible.IMPOSSIBLE


class Live(NamedTuple):
    """There is a file.

    `version` is `None` while nobody knows it: an unknown write made it. It may turn out to be any version but those in
    `excluded`, with which a call was refused. `used` are the versions that this life of the file has had, as far as
    they could come up twice.
    """

    content: str
    version: str | None
    used: frozenset[str]
    excluded: frozenset[str] = _NONE


State: TypeAlias = Live | None
"""`None`: there is no file."""


@dataclass(frozen=True, slots=True)
class Register:
    """The state machine for one history.

    `learned` has the versions of unknown writes whose content was read; `guessable` the versions that an unknown write
    may turn out to have made, as some call names them; `repeated` those that may be made more than once.
    """

    learned: dict[Operation, str]
    guessable: frozenset[str]
    repeated: frozenset[str]

    def step(self, state: State, operation: Operation) -> State | Impossible:
        """The state after `operation`, which is `state` itself where nothing changes; an unknown call takes effect."""
        call, outcome = operation.call, operation.outcome
        if isinstance(call, Read):
            assert isinstance(outcome, Done)
            seen = None if state is None else (state.content, state.version)
            wanted = None if outcome.version is None else (outcome.content, outcome.version)
            return state if seen == wanted else IMPOSSIBLE
        if outcome is CONFLICT:
            return self._refused(state, call.expected_version)
        used = _NONE
        if call.expected_version is None:
            if state is not None:
                return IMPOSSIBLE
        elif state is None:
            return IMPOSSIBLE
        elif state.version == call.expected_version:
            used = state.used
        elif state.version is None and call.expected_version in self.guessable - state.excluded - state.used:
            used = state.used | {call.expected_version}
        else:
            return IMPOSSIBLE
        return self._written(operation, call, used) if isinstance(call, Write) else None

    def _refused(self, state: State, expected: str | None) -> State | Impossible:
        if state is None:
            return IMPOSSIBLE if expected is None else state
        if expected is None or (state.version is not None and state.version != expected):
            return state
        if state.version is not None:
            return IMPOSSIBLE
        if expected in self.guessable and expected not in state.excluded:
            return state._replace(excluded=state.excluded | {expected})
        return state

    def _written(self, operation: Operation, call: Write, used: frozenset[str]) -> State | Impossible:
        outcome = operation.outcome
        version = outcome.version if isinstance(outcome, Done) else self.learned.get(operation)
        if version is None:
            return Live(call.content, None, used)
        if version in used:
            return IMPOSSIBLE
        return Live(call.content, version, used | {version} if version in self.repeated else used)


def register(versions: Versions, operations: Sequence[Operation]) -> Register:
    """The state machine for the operations of one path."""
    made = Counter(o.outcome.version for o in operations if isinstance(o.call, Write) and isinstance(o.outcome, Done))
    made.update(versions.learned.values())
    repeated = {version for version, times in made.items() if version is not None and times > 1}
    guessable: set[str] = set()
    if versions.unread:
        named = {
            o.call.expected_version for o in operations if not isinstance(o.call, Read) and o.outcome is not CONFLICT
        }
        guessable = {version for version in named if version is not None}
    return Register(versions.learned, frozenset(guessable), frozenset(repeated | guessable))
