"""The contract as data: every clause, in the contract's order.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_memory_store.clauses import (
    cas,
    conc,
    delete,
    dur,
    listing,
    meta,
    op,
    path,
    read,
    scope,
    search,
    types,
)
from pytest_memory_store.clauses.clause import Clause, Level, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOGUE", "GROUPS", "Clause", "Level", "Status", "UnknownClauseError", "clause"]

GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "PATH": "paths and prefixes",
        "READ": "bounded reads",
        "CAS": "compare-and-swap",
        "OP": "operations and receipts",
        "LIST": "listings",
        "SRCH": "search",
        "DEL": "deletes and what they leave behind",
        "SCOPE": "isolation of tenants",
        "META": "write metadata",
        "DUR": "durability and crashes",
        "CONC": "concurrency and cancellation",
        "TYPE": "shapes of calls, results and errors",
    }
)
"""The groups' ids and titles, in the contract's order."""

_TABLES = (path, read, cas, op, listing, search, delete, scope, meta, dur, conc, types)

CATALOGUE: Mapping[str, Clause] = MappingProxyType(
    {entry.id: entry for entry in chain.from_iterable(table.CLAUSES for table in _TABLES)}
)
"""Every clause by its id, in the contract's order."""


class UnknownClauseError(LookupError):
    """An id that names no clause: `clause_id` is the id, `near` what it may have meant, nearest first."""

    def __init__(self, clause_id: str) -> None:
        self.clause_id = clause_id
        self.near = _near(clause_id)
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else f"groups are {', '.join(GROUPS)}."
        super().__init__(f"{clause_id!r} is no clause of the contract; {hint}")


def clause(clause_id: str) -> Clause:
    """Return the clause with this id. Raises `UnknownClauseError` where there is none."""
    try:
        return CATALOGUE[clause_id]
    except KeyError:
        raise UnknownClauseError(clause_id) from None


def _near(clause_id: str) -> tuple[str, ...]:
    spelled = re.sub(r"[-_ ]*(\d+)", lambda number: f"-{int(number[1]):02}", clause_id.strip().upper())
    return tuple(get_close_matches(spelled, CATALOGUE, n=3))
