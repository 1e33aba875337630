"""Versions that count what others write, told from those that merely grow."""

from __future__ import annotations

import itertools

import pytest

from pytest_memory_store.suites.versions import FOREIGN_WRITES, is_shared_counter

BETWEEN = (*FOREIGN_WRITES, 0)


def counted(step: int, form: str) -> list[str]:
    """The versions of one tenant where every write of the store takes the next numbers, `step` of them."""
    numbers = [100, *itertools.accumulate((step * (foreign + 1) for foreign in BETWEEN), initial=100)][1:]
    return [form.format(number) for number in numbers]


@pytest.mark.parametrize("form", ["{}", "v{}", "{:08d}", "{:x}", "{}-of-7", "7-{}-abc"])
@pytest.mark.parametrize("step", [1, 2, 16])
def test_a_shared_counter_is_found(step: int, form: str) -> None:
    """In decimal or hex, padded, with a prefix or beside other numbers, one step per write is a counter."""
    assert is_shared_counter(counted(step, form), BETWEEN)


@pytest.mark.parametrize(
    "versions",
    [
        [str(number) for number in range(1, 9)],
        ["1", "1", "1", "1", "1", "1", "1", "1"],
        [str(10**9 + 1_000 * number + number * number) for number in range(8)],
        ["a", "b", "c", "d", "e", "f", "g", "h"],
        ["3fa1", "9c0d", "01b7", "77e2", "c4d1", "5aa0", "e813", "2b6f"],
        [*counted(1, "{}")[:-1], "20122"],
    ],
    ids=["own counter", "constant", "clock", "letters", "random", "clock in step"],
)
def test_other_versions_are_no_shared_counter(versions: list[str]) -> None:
    """A tenant's own counter, a clock that goes on in a pause, and random versions tell nothing of others."""
    assert not is_shared_counter(versions, BETWEEN)
