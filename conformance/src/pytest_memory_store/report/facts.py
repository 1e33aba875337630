"""What a report says of a run beside its verdict: which store, how it was run, and how long that took.

Must not know: clauses, verdicts, how anything is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pytest_memory_store.claims import Claims
    from pytest_memory_store.results import ItemRecord


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts of one store's run.

    `store` is the store spec; `plan` and `seed` give the same run again; `capabilities` are the optional parts of
    the protocol that the store was found to have. `calls` were made on the store; `seconds` is the wall time of
    the run, `seconds_in_store` the part of it that was spent in those calls.
    """

    store: str
    seed: int
    plan: str = ""
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])
    capabilities: tuple[str, ...] = ()
    calls: int = 0
    seconds: float = 0.0
    seconds_in_store: float = 0.0

    @classmethod
    def of(
        cls, records: Collection[ItemRecord], *, store: str, seed: int, claims: Claims, seconds: float | None = None
    ) -> RunFacts:
        """Return the facts that a run's records add up to; without `seconds`, the time is that of its items."""
        return cls(
            store=store,
            seed=seed,
            plan=next((record.plan for record in records if record.plan), ""),
            claims=claims.as_dict(),
            capabilities=tuple(sorted({name for record in records for name in record.capabilities})),
            calls=sum(record.calls for record in records),
            seconds=sum(record.seconds for record in records) if seconds is None else seconds,
            seconds_in_store=sum(record.seconds_in_store for record in records),
        )

    @property
    def claimed(self) -> str:
        """The claims as they are given on the command line: `durable, max_path_chars=300`."""
        return ", ".join(name if value is True else f"{name}={value}" for name, value in self.claims.items())
