"""Faulty stores of the OP group: whether there is a receipt at all, and what it is looked up by beside the id.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Receipt
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryMutation, Operation


@faulty(
    "OP-03",
    "OP-04",
    also=("OP-05", "OP-06", "OP-07", "OP-16", "OP-17"),
    cause="a parameter that is accepted and ignored",
)
class NoReceipts(BaseStore):
    """Applies operations and remembers none of them."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        pass


@faulty("OP-05", also=("OP-07", "OP-24"), cause="a primary key of id and fingerprint")
class FingerprintInKey(BaseStore):
    """Takes a known id with another fingerprint for another operation, and applies it."""

    def __init__(self) -> None:
        super().__init__()
        self.by_both: dict[tuple[str, str], Receipt] = {}

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        self.by_both[operation.id, operation.fingerprint] = Receipt(operation.fingerprint, mutation)

    def replay(self, operation: Operation) -> MemoryMutation | None:
        receipt = self.by_both.get((operation.id, operation.fingerprint))
        return self.replayed(receipt.mutation) if receipt else None
