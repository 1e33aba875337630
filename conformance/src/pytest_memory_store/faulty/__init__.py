"""Stores that are wrong on purpose, to test the kit, and conforming stores that are odd.

Each is a store spec, so an author can watch a clause fail:

    pytest --memory-store=pytest_memory_store.faulty:StaleVersionAccepted

The modules that define them, one or two per clause group, are imported when the first store is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pytest_memory_store.faulty.registry import FAULTY_STORES, ODD_STORES, FaultyStore, OddStore

FAULTY: dict[str, FaultyStore]
"""Every faulty store by its name."""
ODD: dict[str, OddStore]
"""Every odd store by its name."""

__all__ = ["FAULTY", "ODD", "FaultyStore", "OddStore"]

_MODULES = (
    "path identity read content bounds cas versions op keys receipts listing pages search indexes flags words scores"
    " delete scope meta meta_values shapes refusals odd odd_limits odd_kinds"
)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    for module in _MODULES.split():
        import_module(f"{__name__}.{module}")
    namespace = globals()
    namespace.update(FAULTY=FAULTY_STORES, ODD=ODD_STORES)
    stores: tuple[FaultyStore | OddStore, ...] = (*FAULTY_STORES.values(), *ODD_STORES.values())
    namespace.update({store.name: store.factory for store in stores})
    try:
        return namespace[name]
    except KeyError:
        raise AttributeError(f"{__name__} has no store {name!r}: FAULTY and ODD name them all") from None
