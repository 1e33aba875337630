"""Conforming stores by how they are made, opened and called.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Self

from pytest_memory_store.faulty.base import BaseStore, Change
from pytest_memory_store.faulty.registry import odd

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Generator

    from pytest_memory_store.faulty.contract import (
        MemoryFile,
        MemoryMutation,
        MemorySearchResult,
        Operation,
    )


class _OpenStore(BaseStore):
    """Raises in every call before it is opened and after it is closed."""

    def __init__(self, *, is_open: bool = False) -> None:
        super().__init__()
        self.is_open = is_open

    def check_path(self, path: str) -> None:
        if not self.is_open:
            raise RuntimeError("the store is not open")
        super().check_path(path)


@odd()
def function_store() -> BaseStore:
    """Is made by a function."""
    return BaseStore()


@odd()
async def coroutine_store() -> BaseStore:
    """Is made by a coroutine function."""
    await asyncio.sleep(0)
    return BaseStore()


@odd()
def generator_store() -> Generator[BaseStore]:
    """Is made by a generator function, which closes it."""
    store = _OpenStore(is_open=True)
    yield store
    store.is_open = False


@odd()
async def async_generator_store() -> AsyncGenerator[BaseStore]:
    """Is made by an async generator function, which closes it."""
    store = _OpenStore(is_open=True)
    yield store
    await asyncio.sleep(0)
    store.is_open = False


@odd()
@contextmanager
def context_manager_store() -> Generator[BaseStore]:
    """Is made by a context manager."""
    store = _OpenStore(is_open=True)
    yield store
    store.is_open = False


@odd()
@asynccontextmanager
async def async_context_manager_store() -> AsyncGenerator[BaseStore]:
    """Is made by an async context manager, which holds a task group open."""
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(asyncio.Event().wait())
        yield _OpenStore(is_open=True)
        waiting.cancel()


@odd()
class EnteredStore(_OpenStore):
    """Has to be entered with `async with` before use."""

    async def __aenter__(self) -> Self:
        self.is_open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_open = False


@odd()
class ClosedStore(_OpenStore):
    """Has an `aclose`, and nothing to enter."""

    def __init__(self) -> None:
        super().__init__(is_open=True)

    async def aclose(self) -> None:
        """Close the store."""
        self.is_open = False


@odd()
class LoopBound(BaseStore):
    """Raises where it is used from another event loop than the one it was opened on."""

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.check_path("closing")

    def check_path(self, path: str) -> None:
        if asyncio.get_running_loop() is not self.loop:
            raise RuntimeError("this store belongs to another event loop")
        super().check_path(path)


class Later:
    """An awaitable that is no coroutine."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutine = coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._coroutine.__await__()


@odd()
class ReturnsAwaitables(BaseStore):
    """Returns from its methods awaitables that are no coroutines."""

    def read(self, path: str, *, max_chars: int) -> Any:
        return Later(super().read(path, max_chars=max_chars))

    def list_paths(self, prefix: str = "", *, limit: int) -> Any:
        return asyncio.ensure_future(super().list_paths(prefix, limit=limit))

    def get_operation(self, operation: Operation) -> Any:
        return Later(super().get_operation(operation))


@odd()
class SlowStore(BaseStore):
    """Sleeps for two milliseconds in each read, write and delete."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        await asyncio.sleep(0.002)
        return await super().read(path, max_chars=max_chars)

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: Operation | None = None
    ) -> MemoryMutation:
        await asyncio.sleep(0.002)
        return await super().write(path, content, expected_version=expected_version, operation=operation)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: Operation | None = None
    ) -> MemoryMutation:
        await asyncio.sleep(0.002)
        return await super().delete(path, expected_version=expected_version, operation=operation)


@odd()
class TolerantSignatures(BaseStore):
    """Takes bounds by position too, and keywords that it does not know."""

    async def read(self, path: str, max_chars: int = 65_536, **_: Any) -> MemoryFile | None:
        return await super().read(path, max_chars=max_chars)

    async def list_paths(self, prefix: str = "", limit: int = 1_000, **_: Any) -> list[str]:
        return await super().list_paths(prefix, limit=limit)

    async def write(
        self,
        path: str,
        content: str,
        expected_version: str | None = None,
        operation: Operation | None = None,
        **_: Any,
    ) -> MemoryMutation:
        return self.mutate(Change(path, content, expected_version, operation))


@odd()
class AnyKeywords(BaseStore):
    """Takes its bounds as `**keywords`, so that a signature says little."""

    async def read(self, path: str, **keywords: Any) -> MemoryFile | None:
        return await super().read(path, **keywords)

    async def search(self, *arguments: Any, **keywords: Any) -> MemorySearchResult:
        return await super().search(*arguments, **keywords)

    async def delete(self, path: str, **keywords: Any) -> MemoryMutation:
        return await super().delete(path, **keywords)
