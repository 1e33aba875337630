"""A small catalogue in which every kind of clause occurs once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_memory_store.clauses.clause import Clause, Level, Status

if TYPE_CHECKING:
    from collections.abc import Mapping


def _clause(clause_id: str, sentence: str, level: Level = Level.MUST, **facts: object) -> Clause:
    known: dict[str, object] = {"why": "Something is lost.", "source": "a test", "status": Status.CHECKED}
    return Clause(id=clause_id, level=level, sentence=sentence, **(known | facts))  # type: ignore[arg-type]


_CLAUSES = (
    _clause("READ-01", "returns `None` for an absent path"),
    _clause("CAS-02", "replaces a file only when its version equals `expected_version`"),
    _clause("CAS-11", "gives a rewrite a new version", Level.SHOULD, waived_by=frozenset({"content_versions"})),
    _clause("CAS-13", "lets exactly one of several writers succeed", status=Status.PLANNED),
    _clause("CAS-15", "orders concurrent calls", status=Status.PLANNED),
    _clause("OP-12", "keeps a receipt", same_as="OP-02"),
    _clause("OP-02", "keeps a receipt of each operation"),
    _clause(
        "SRCH-01",
        "searches the direct children of a prefix",
        needs=frozenset({"search"}),
        since="0.62",
        level_before=Level.SHOULD,
    ),
    _clause("LIST-13b", "takes `limit` by keyword alone", Level.MAY, status=Status.INFORMATIONAL),
)


@pytest.fixture
def catalogue() -> Mapping[str, Clause]:
    """Return the small catalogue, by id."""
    return {clause.id: clause for clause in _CLAUSES}
