"""Whole random programs against the model: what they find is booked on the clause it breaks."""

from __future__ import annotations

from pytest_memory_store import strategies as draw
from pytest_memory_store.example import Example
from pytest_memory_store.suites.registry import check


@check("programs", examples=10, name=draw.names)
async def programs(example: Example, name: str) -> None:
    """A program."""
    await example.put(name, "x")
    await example.settle()
