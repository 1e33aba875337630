"""How a table of clauses is written: one call per row, and what a run of rows shares said once.

Must not know: any clause.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

from pytest_memory_store.clauses.clause import Clause, Level, Status

if TYPE_CHECKING:
    from collections.abc import Iterable


class Text(TypedDict):
    """What every row says beside its id and sentence."""

    why: str
    source: str


class Row(Text, total=False):
    """What a row may add to the claims that its `Rows` share, or set in place of their status."""

    status: Status
    needs: Iterable[str]
    waived_by: Iterable[str]
    relaxed_by: Iterable[str]
    same_as: str
    since: str
    level_before: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A run of rows: the status they have and the claims they need or are waived by."""

    status: Status = Status.CHECKED
    needs: tuple[str, ...] = ()
    waived_by: tuple[str, ...] = ()

    def must(self, clause_id: str, sentence: str, **row: Unpack[Row]) -> Clause:
        """Return a clause that a conforming store cannot break."""
        return self._clause(Level.MUST, clause_id, sentence, row)

    def should(self, clause_id: str, sentence: str, **row: Unpack[Row]) -> Clause:
        """Return a clause whose breach is an advisory."""
        return self._clause(Level.SHOULD, clause_id, sentence, row)

    def may(self, clause_id: str, sentence: str, **row: Unpack[Row]) -> Clause:
        """Return a permitted variation, which is always informational."""
        row["status"] = Status.INFORMATIONAL
        return self._clause(Level.MAY, clause_id, sentence, row)

    def _clause(self, level: Level, clause_id: str, sentence: str, row: Row) -> Clause:
        return Clause(
            id=clause_id,
            level=level,
            sentence=sentence,
            why=row["why"],
            source=row["source"],
            status=row.get("status", self.status),
            needs=frozenset(self.needs).union(row.get("needs", ())),
            waived_by=frozenset(self.waived_by).union(row.get("waived_by", ())),
            relaxed_by=frozenset(row.get("relaxed_by", ())),
            same_as=row.get("same_as"),
            since=row.get("since"),
            level_before=row.get("level_before"),
        )
