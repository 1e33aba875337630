"""Runs the kit on faulty and odd stores in one process, without pytest, and says which clauses break.

python -m pytest_memory_store.faulty.killing [NAME ...]      which clauses break for these stores (default: all)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_memory_store import plan, store_spec
from pytest_memory_store.collecting import item_names
from pytest_memory_store.kit import Kit, Options
from pytest_memory_store.results import ItemRecord, Outcome
from pytest_memory_store.rig import Handle, Rig

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(slots=True)
class Killed:
    """What the kit said of one store: the message per broken clause, and the records of all items."""

    broken: dict[str, str] = field(default_factory=dict[str, str])
    records: list[ItemRecord] = field(default_factory=list[ItemRecord])

    @property
    def errors(self) -> list[str]:
        """Items in which the kit itself failed."""
        return [f"{r.item}: {r.reason}" for r in self.records if r.outcome is Outcome.ERROR]


def judge(
    factory: Any,
    *,
    claims: Mapping[str, Any] | None = None,
    items: Iterable[str] | None = None,
    seed: int = 1,
    budget: str = "quick",
    timeout: float = 5.0,
    shrink: bool = True,
) -> Killed:
    """Run these items (default: all) on the store that `factory` makes, with this seed."""
    spec = store_spec.make("kill:store", None, factory)
    rig = Rig(timeout, _stuck)
    kit = Kit(spec, Options(plan.choose(budget), seed, timeout, claims or {}, shrink=shrink), rig)
    kit.pending = list(items) if items is not None else item_names()
    killed = Killed()
    handle = Handle(rig, store_spec.opener(factory, {}))
    try:
        for item in list(kit.pending):
            record = kit.run_item(item, handle, {})
            killed.records.append(record)
            for violation in record.violations:
                killed.broken.setdefault(violation.clause, violation.message)
    finally:
        handle.close()
        rig.close()
    return killed


def _stuck() -> None:
    raise SystemExit("a call of the store never yields, and no signal can end it")


def main(names: list[str]) -> int:
    """Print, for each faulty store, the clauses it was declared for and those that broke."""
    from pytest_memory_store.faulty import FAULTY, ODD

    bad = 0
    for name, entry in sorted((FAULTY | ODD).items()):
        if names and name not in names:
            continue
        declared = set(getattr(entry, "clauses", ()))
        allowed = declared | set(getattr(entry, "also", ()))
        killed = judge(entry.factory, claims=getattr(entry, "claims", None))
        broken = set(killed.broken)
        verdict = "ok" if (declared <= broken <= allowed) and not killed.errors else "WRONG"
        bad += verdict != "ok"
        print(f"{verdict:6} {name}: declared {sorted(declared)}, broken {sorted(broken)} {killed.errors or ''}")
    return bad


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
