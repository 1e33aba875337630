"""Calls that carry an operation, as several suites send them.

Must not know: which clauses there are, pytest, Hypothesis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.calls import Delete, MemoryOperation, Mutation, Write

if TYPE_CHECKING:
    from pytest_memory_store.example import Example


def writing(example: Example, name: str, content: str, operation: MemoryOperation | None = None) -> Write:
    """A write with an operation, by default a new one, and with the version that the file has now."""
    return Write(example.path(name), content, example.version(name), operation or example.operation())


def deleting(example: Example, name: str, operation: MemoryOperation | None = None) -> Delete:
    """A delete with an operation, by default a new one, and with the version that the file has now."""
    return Delete(example.path(name), example.version(name), operation or example.operation())


def with_fingerprint(example: Example, call: Mutation, fingerprint: str) -> MemoryOperation:
    """The operation of `call`, with this fingerprint."""
    assert call.operation is not None
    return example.operation(fingerprint, id=call.operation.id)


async def look_up(example: Example, call: Mutation, *, blame: str | None = None) -> None:
    """Ask for the receipt of the operation of `call`."""
    assert call.operation is not None
    await example.get_operation(call.operation, blame=blame)
