"""Factories for the released stores that `nox -s field` judges; each imports what it needs when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def harness_in_memory() -> Any:
    """`InMemoryStore` of pydantic-ai-harness."""
    from pydantic_ai_harness.memory import InMemoryStore

    return InMemoryStore()


def harness_sqlite(tmp_path: Path) -> Any:
    """`SqliteMemoryStore` of pydantic-ai-harness, on a file."""
    from pydantic_ai_harness.memory import SqliteMemoryStore

    return SqliteMemoryStore(database=tmp_path / "memory.db")


def harness_file(tmp_path: Path) -> Any:
    """`FileStore` of pydantic-ai-harness, over a workspace of its own on this machine."""
    from pydantic_ai.workspaces.local import LocalWorkspaceBackend
    from pydantic_ai_harness.memory import FileStore

    return FileStore(".", workspace=LocalWorkspaceBackend(tmp_path))


def memory_core_kv() -> Any:
    """`InMemoryKVMemoryStore` of pydantic-ai-memory-core, the base of its database packages."""
    from pydantic_ai_memory_core.testing import InMemoryKVMemoryStore

    return InMemoryKVMemoryStore()


harness_in_memory.memory_store_claims = {"process_lifetime": True, "receipt_retention": 1_024}  # type: ignore[attr-defined]
harness_sqlite.memory_store_claims = {"durable": True, "shared": True}  # type: ignore[attr-defined]
harness_file.memory_store_claims = {  # type: ignore[attr-defined]
    "durable": True,
    "single_writer": True,
    "content_versions": True,
    "receipt_retention": 1_024,
    "no_file_and_directory": True,
}
memory_core_kv.memory_store_claims = {"process_lifetime": True}  # type: ignore[attr-defined]
