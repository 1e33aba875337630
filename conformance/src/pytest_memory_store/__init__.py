"""A conformance kit for agent-memory stores: `pytest --memory-store=package.module:factory`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_memory_store.factories import store_factory

__all__ = ["store_factory"]


def __getattr__(name: str) -> Any:
    """Import the public names on first use, so that pytest loads the plugin module and nothing else."""
    if name == "store_factory":
        from pytest_memory_store.factories import store_factory

        return store_factory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
