"""Faulty stores of the READ group: bounds that a back end cannot hold or does not take.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.faulty.registry import faulty


@faulty("READ-03", cause="a page size of the back end that is taken for the longest file")
class BoundIsClamped(BaseStore):
    """Shows at most 65,536 characters, whatever `max_chars` is."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        return super().cut(content, min(max_chars, 65_536))


@faulty("READ-03", cause="a bound cast to 32 bits, where the largest ones become zero or negative")
class HugeBoundWraps(BaseStore):
    """Keeps `max_chars` in 32 bits with a sign, so that 2**32 + 1 is taken for 1."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        wrapped = (max_chars + 2**31) % 2**32 - 2**31
        return content[:wrapped], len(content) > max_chars


@faulty("READ-03", cause="a largest page size that the back end enforces")
class LargeBoundRefused(BaseStore):
    """Raises `ValueError` for a `max_chars` above 1,000,000."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        if max_chars > 1_000_000:
            raise ValueError("a page has at most 1,000,000 characters")
        return super().cut(content, max_chars)
