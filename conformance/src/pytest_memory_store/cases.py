"""What suites share that go through a corpus, or make calls that a store may refuse.

Must not know: which clauses there are, pytest, Hypothesis.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any, cast

from pytest_memory_store.calls import ALL, Call, Hung, ListPaths, Outcome, Raised, Returned, Write, error_names
from pytest_memory_store.listing_checks import as_paths
from pytest_memory_store.model import Mutates

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_memory_store.example import Example


def next_case(example: Example) -> None:
    """Begin the transcript anew: what a case shows does not depend on the cases before it."""
    example.transcript.next_case()


def is_writable(example: Example) -> bool:
    """Whether the store takes writes at all."""
    return "read_only" not in example.setting.claims


def can_search(example: Example) -> bool:
    """Whether the store has `search`."""
    return "search" in example.setting.capabilities


def has_metadata(example: Example) -> bool:
    """Whether the store has `write_with_metadata`."""
    return "metadata" in example.setting.capabilities


def case_counts(example: Example) -> bool:
    """Whether the store takes paths that differ in case for two, by its own word."""
    return "case_insensitive" not in example.setting.claims


def neighbour(example: Example, scope: str) -> Example:
    """The same example in another scope: with its model, transcript and evidence, so that one tenant sees the other."""
    other = copy.copy(example)
    other.scope = scope
    return other


def in_other_case(example: Example) -> str:
    """The example's scope in the other case; the tenant of a bound store keeps its own."""
    tenant, slash, own = example.scope.rpartition("/")
    return f"{tenant}{slash}{own.swapcase()}"


async def ask(example: Example, call: Call, clause: str) -> Outcome:
    """Make a call whose result the check compares by itself; one that does not return breaks `clause`."""
    outcome = await example.send(call)
    if isinstance(outcome, Hung):
        example.fail(clause, "the call did not return", expected="an answer", actual=None)
    return outcome


async def offer(example: Example, name: str, content: str, clause: str) -> Outcome:
    """Create a file that the store may refuse; where it did not, the model knows of it."""
    call = Write(example.path(name), content, None)
    outcome = await ask(example, call, clause)
    if isinstance(outcome, Returned):
        example.model.learn(call, Mutates(None, clause), str(getattr(outcome.value, "version", None)))
    return outcome


def answer(outcome: Outcome) -> Any:
    """What a call returned or raised."""
    match outcome:
        case Returned(value):
            return value
        case Raised(error):
            return error
        case Hung():
            return None


def found_paths(outcome: Outcome) -> list[str]:
    """The paths that a search returned, none where it failed."""
    matches = getattr(answer(outcome), "matches", None)
    found = cast("list[object]", matches) if isinstance(matches, list) else []
    paths = [getattr(match, "path", None) for match in found]
    return [path for path in paths if isinstance(path, str)]


def listed_paths(outcome: Outcome) -> list[str]:
    """The paths that a listing returned, none where it failed."""
    return as_paths(answer(outcome)) or []


def keep_own(example: Example, traces: Collection[str]) -> list[str]:
    """The paths of the last listing that hold one of `traces` as a word; the transcript forgets all others at once."""
    step = example.transcript.steps[-1]
    assert step.outcome is not None
    words = re.compile("|".join(rf"(?<![A-Za-z0-9]){re.escape(trace)}(?![A-Za-z0-9])" for trace in traces))
    own = [path for path in listed_paths(step.outcome) if words.search(path)]
    if isinstance(step.outcome, Returned):
        step.outcome = Returned(own)
    return own


async def require_listed(example: Example, clause: str, prefix: str, limit: int = ALL) -> None:
    """Book `clause` by whether a listing shows the files below `prefix` and no other, in whatever order."""
    outcome = await ask(example, ListPaths(prefix, limit), clause)
    due = sorted(path for path in example.model.files if path.startswith(prefix))
    message = "the listing does not show the files that there are"
    example.require(clause, set(listed_paths(outcome)) == set(due), message, expected=due, actual=answer(outcome))


def require_error(example: Example, clause: str, name: str, message: str, outcome: Outcome) -> None:
    """Book `clause` as held where the call raised an error of this class name, else as broken."""
    ok = isinstance(outcome, Raised) and name in error_names(outcome.error)
    example.require(clause, ok, message, expected=name, actual=answer(outcome))
