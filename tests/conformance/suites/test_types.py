"""The checks of the TYPE group that depend on what is installed, or read texts."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from pytest_memory_store.faulty import contract
from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.faulty.killing import judge
from pytest_memory_store.results import Outcome
from pytest_memory_store.suites.types import passwords


def harness(*, own_errors: bool) -> ModuleType:
    """A `pydantic_ai_harness.memory` whose errors are those of the faulty stores, or classes of its own."""
    memory = ModuleType("pydantic_ai_harness.memory")
    for name in ("MemoryConflictError", "MemoryOperationConflictError"):
        setattr(memory, name, type(name, (RuntimeError,), {}) if own_errors else getattr(contract, name))
    return memory


@pytest.mark.parametrize(("own_errors", "outcome"), [(False, Outcome.HELD), (True, Outcome.BROKEN)])
def test_errors_are_compared_with_the_installed_classes(
    monkeypatch: pytest.MonkeyPatch, own_errors: bool, outcome: Outcome
) -> None:
    """TYPE-05b breaks where the installed protocol would not catch a store's errors."""
    monkeypatch.setitem(sys.modules, "pydantic_ai_harness", ModuleType("pydantic_ai_harness"))
    monkeypatch.setitem(sys.modules, "pydantic_ai_harness.memory", harness(own_errors=own_errors))
    record = judge(BaseStore, items=["TYPE-05b"]).records[-1]
    assert record.outcome is outcome


def test_errors_are_not_compared_without_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """TYPE-05b is not exercised where the protocol is not installed, and says so."""
    monkeypatch.setitem(sys.modules, "pydantic_ai_harness", None)
    record = judge(BaseStore, items=["TYPE-05b"]).records[-1]
    assert record.outcome is Outcome.NOT_EXERCISED
    assert "pydantic_ai_harness" in record.reason


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Store(postgresql://user:hunter2@db/notes)", ["hunter2"]),
        ("Store(redis://:hunter2@db:6379/0)", ["hunter2"]),
        ("Store(host=db password=hunter2 user=x)", ["hunter2"]),
        ("Store(postgresql://user:***@db/notes)", []),
        ("Store(password='********')", []),
        ("Store(password=None)", []),
        ("Store(https://db:5432/notes)", []),
        ("<Store object at 0x7f00>", []),
    ],
)
def test_passwords_are_found_and_masks_are_not(text: str, found: list[str]) -> None:
    """A password in an address or setting counts, and what stands in its place does not."""
    assert passwords(text) == found
