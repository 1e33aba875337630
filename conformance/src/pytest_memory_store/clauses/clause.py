"""What a clause is. The clauses themselves are data, one module per group beside this one.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How strongly the contract asks for a clause, in the words of RFC 2119."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


class Status(StrEnum):
    """What this version of the kit does about a clause."""

    CHECKED = "checked"
    """A check names it, and a faulty store proves that the check can fail."""
    PLANNED = "planned"
    """Part of the contract, not judged yet: it takes no part in a verdict."""
    INFORMATIONAL = "informational"
    """A permitted variation (MAY): reported, never judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One promise of the contract.

    `id` is the group and a number, `CAS-13`; the weaker half of a sentence with two levels ends in `b`.
    `sentence` says what a store does, in the present tense, without the level word: "returns `None` for an
    absent path".
    `why` says what a user loses when it is broken. `source` names where the promise is stated.
    `needs` are the claims without which the clause does not apply (`search`, `metadata`, `durable`, `shared`,
    `fs`, `lexical`, ...).
    `waived_by` are the claims that waive it (`content_versions`, `case_insensitive`, ...).
    `relaxed_by` are the claims that move its border and leave the rest in force: `max_staleness_s` lets a
    read on a second handle lag.
    `same_as` names the clause whose check and evidence it shares, where two clauses state one promise.
    `since` is the first protocol release in which `level` holds, and `level_before` the level in earlier
    ones.
    """

    id: str
    level: Level
    sentence: str
    why: str
    source: str
    status: Status
    needs: frozenset[str] = frozenset()
    waived_by: frozenset[str] = frozenset()
    relaxed_by: frozenset[str] = frozenset()
    same_as: str | None = None
    since: str | None = None
    level_before: Level | None = None

    @property
    def group(self) -> str:
        """The group's name: `CAS` for `CAS-13`."""
        return self.id.rpartition("-")[0]
