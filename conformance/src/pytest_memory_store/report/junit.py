"""What a JUnit file says beside pass and fail: names and values of properties.

Pure: the plugin hands them to pytest. Must not know: pytest, XML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.report.text import shorten, visible
from pytest_memory_store.report.verdict import State

if TYPE_CHECKING:
    from pytest_memory_store.clauses.clause import Clause, Level
    from pytest_memory_store.report.facts import RunFacts
    from pytest_memory_store.report.verdict import RunResult
    from pytest_memory_store.results import ItemRecord

PREFIX = "memory_store."
_LONG = 400


def item_properties(
    record: ItemRecord, clause: Clause | None = None, level: Level | None = None
) -> list[tuple[str, str]]:
    """Return the properties of one test item; an exploration has no clause.

    `level` is the level in force, the clause's own by default; `evidence` counts how often the clause, or in an
    exploration any clause, was checked and held.
    """
    evidence = record.evidence.get(clause.id, 0) if clause else sum(record.evidence.values())
    told = [("clause", clause.id), ("level", level or clause.level), ("sentence", clause.sentence)] if clause else []
    told += [("outcome", record.outcome), ("evidence", str(evidence)), ("calls", str(record.calls))]
    if record.violations:
        told.append(("broken", " ".join(sorted({violation.clause for violation in record.violations}))))
    return [_property(name, value) for name, value in told]


def suite_properties(result: RunResult, facts: RunFacts, *, name: str = "") -> list[tuple[str, str]]:
    """Return the properties of the whole suite; `name` tells several stores apart: `[slug]`."""
    told = [
        ("store", facts.store),
        ("verdict", result.verdict),
        ("claims", facts.claimed),
        ("capabilities", ", ".join(facts.capabilities)),
        ("plan", facts.plan),
        ("seed", str(facts.seed)),
        *((_slug(state), str(len(result.in_state(state)))) for state in State),
    ]
    return [_property(f"{key}{name}", value) for key, value in told]


def _slug(state: State) -> str:
    return state.value.replace(" ", "_")


def _property(name: str, value: str) -> tuple[str, str]:
    return f"{PREFIX}{name}", shorten(visible(str(value)), _LONG)
