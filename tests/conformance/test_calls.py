"""Calls: which clause a method breaks that cannot be called as the protocol has it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_memory_store.calls import Call, GetOperation, MemoryOperation, Read, Search, Write, is_agents, why_unfit


class Store:
    """Has a `read` that fits, and other methods that do not."""

    get_operation: Any = None

    async def read(self, path: str, *, max_chars: int) -> str:
        """Take the protocol's arguments."""
        return path[:max_chars]

    async def write(self, path: str, content: str, *, version: str | None) -> None:
        """Call the expected version by another name."""

    async def search(self, query: str, limit: int = 5) -> list[str]:
        """Search something else."""
        return [query][:limit]

    async def write_with_metadata(self, path: str, content: str, *, expected_version: str | None, meta: Any) -> None:
        """Call the metadata by another name."""


WRITE = Write("a", "x", None)


@pytest.mark.parametrize(
    ("call", "error", "clause"),
    [
        (Read("a", 1), TypeError("from inside"), None),
        (Read("a", 1), RuntimeError("from inside"), None),
        (Read("a", 1), NotImplementedError(), "TYPE-01"),
        (GetOperation(MemoryOperation("id", "fp")), TypeError("None is not callable"), "TYPE-01"),
        (WRITE, TypeError("unexpected keyword"), "TYPE-02"),
        (WRITE, ValueError("refused"), None),
        (Search("a/", "x"), TypeError("unexpected keyword"), "TYPE-07"),
        (Search("a/", "x"), NotImplementedError(), "TYPE-07"),
        (Write("a", "x", None, None, {}), TypeError("unexpected keyword"), "TYPE-02"),
    ],
)
def test_an_unfit_method_breaks_its_clause(call: Call, error: Exception, clause: str | None) -> None:
    """A method that is missing, takes other arguments or means something else is told from one that fails."""
    assert why_unfit(Store(), call, error) == clause


def test_an_agents_exception_is_known_by_its_class_name() -> None:
    """A subclass of `ModelRetry` speaks to a model, and a `ValueError` does not."""
    retry = type("ModelRetry", (Exception,), {})
    assert is_agents(type("QuotaRetry", (retry,), {})())
    assert not is_agents(ValueError())
