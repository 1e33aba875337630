"""The checks, one module per clause group; importing this package registers them all."""

from __future__ import annotations

from importlib import import_module

from pytest_memory_store.suites.registry import CHECKS, Check

EXPLORATIONS = ("programs",)
"""Items that are no clause: what they find is booked on the clause it breaks."""

_MODULES = (
    "path",
    "identity",
    "read",
    "cas",
    "versions",
    "op",
    "fingerprints",
    "receipts",
    "listing",
    "search",
    "search_results",
    "search_words",
    "search_sources",
    "delete",
    "scope",
    "meta",
    "meta_values",
    "types",
    "refusals",
    "programs",
)

for _module in _MODULES:
    import_module(f"{__name__}.{_module}")

__all__ = ["CHECKS", "EXPLORATIONS", "Check"]
