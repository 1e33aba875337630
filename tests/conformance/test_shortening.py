"""Violations are shown by as few calls as show them."""

from __future__ import annotations

import pytest

from pytest_memory_store.faulty import FAULTY
from pytest_memory_store.faulty.killing import judge


@pytest.mark.parametrize(
    ("store", "item", "most"),
    [("UnderscoreIsWildcard", "PATH-08", 2), ("VersionBeforeReceipt", "OP-06", 2), ("CreateOverwrites", "CAS-01", 2)],
)
def test_a_transcript_holds_what_the_fault_needs(store: str, item: str, most: int) -> None:
    """A check that goes through many calls shows its fault by the few that are needed, and one that looks again."""
    killed = judge(FAULTY[store].factory, items=[item])
    (violation,) = (v for record in killed.records for v in record.violations if v.clause == item)
    assert len(violation.steps) // 2 <= most + 1
