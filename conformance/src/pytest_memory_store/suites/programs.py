"""Whole random programs against the model: what they find is booked on the clause it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.programs import Run, Step
from pytest_memory_store.programs import programs as drawn_programs
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from pytest_memory_store.example import Example


@check("programs", examples=150, calls=22, program=drawn_programs)
async def programs(example: Example, program: list[Step]) -> None:
    """Any sequence of calls does what the model says, call by call."""
    await Run(example).play(program)
