"""From the text after `--memory-store=` to a factory, and from the factory to an opener.

Must not know: clauses, the model. Nothing is called here but `importlib`; the parameters of a factory are
ordinary pytest fixtures, which the plugin resolves and hands to `opener`.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import re
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from types import ModuleType

CLAIMS_ATTRIBUTE = "memory_store_claims"
"""Attribute of a factory that holds its claims: a mapping of claim name to `True` or a value."""

FIXTURE_SPEC = "fixture"
"""The spec that stands for a `memory_store_factory` fixture overridden in a conftest."""


class StoreSpecError(ValueError):
    """A spec that names no usable factory; the message is meant for the command line."""


@dataclass(frozen=True, slots=True)
class StoreSpec:
    """A factory by name. `text` is what the user gave, `slug` a short name for node ids and folders."""

    text: str
    module: ModuleType | None
    factory: Callable[..., Any]
    slug: str
    parameters: tuple[str, ...] = ()
    claims: Mapping[str, Any] = field(default_factory=dict[str, Any])


def load(text: str, option: str = "--memory-store") -> StoreSpec:
    """Import the factory that `text` names, `module:attribute`.

    Raises:
        StoreSpecError: the text has another form, the module or the attribute is not there, or what it names
            cannot be called.
    """
    module_name, separator, attribute = text.partition(":")
    if not separator or not module_name or not attribute:
        raise StoreSpecError(f"{option}={text}: expected module:attribute, such as mypkg.testing:open_store")
    module = _import(text, module_name, option)
    factory: Any = module
    for name in attribute.split("."):
        if not hasattr(factory, name):
            near = get_close_matches(name, dir(factory), 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise StoreSpecError(f"{option}={text}: module {module_name!r} has no {attribute!r}{hint}")
        factory = getattr(factory, name)
    if not callable(factory):
        raise StoreSpecError(
            f"{option}={text}: {attribute!r} is a {type(factory).__name__}, not something to call; "
            "give a class, a function, or an (async) generator or context manager function that makes a store"
        )
    return make(text, module, factory, option)


def make(
    text: str, module: ModuleType | None, factory: Callable[..., Any], option: str = "--memory-store"
) -> StoreSpec:
    """A spec for a factory that is at hand.

    Raises:
        StoreSpecError: the factory has a parameter that is positional-only, so that no fixture can be named for it.
    """
    names: list[str] = []
    for parameter in _signature(factory):
        if (
            parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            or parameter.default is not parameter.empty
        ):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise StoreSpecError(
                f"{option}={text}: parameter {parameter.name!r} is positional-only; "
                "parameters without a default are filled with the pytest fixture of their name"
            )
        names.append(parameter.name)
    claims: Any = getattr(factory, CLAIMS_ATTRIBUTE, None)
    if claims is not None and not isinstance(claims, Mapping):
        raise StoreSpecError(f"{option}={text}: {CLAIMS_ATTRIBUTE} is {claims!r}, not a mapping of claims")
    claimed: dict[str, Any] = dict(cast("Mapping[str, Any]", claims or {}))
    return StoreSpec(text, module, factory, slug(text), tuple(names), claimed)


def _signature(factory: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(factory).parameters.values())
    except (TypeError, ValueError):  # a C function without a signature takes nothing
        return []


def _import(text: str, name: str, option: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise StoreSpecError(
                f"{option}={text}: there is no module {error.name!r} on sys.path "
                f"(it begins with {sys.path[0]!r}); install the package or run from its folder"
            ) from None
        raise StoreSpecError(
            f"{option}={text}: module {name!r} needs {error.name!r}, which is not installed"
        ) from error
    except Exception as error:
        raise StoreSpecError(f"{option}={text}: importing {name!r} raised {type(error).__name__}: {error}") from error


def slug(text: str) -> str:
    """A name for node ids and folders: letters, digits, dots, dashes and underscores of the spec."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "store"


def opener(factory: Callable[..., Any], values: Mapping[str, Any]) -> Callable[[], AbstractAsyncContextManager[Any]]:
    """A function that opens a new store each time, from any kind of factory, with these fixture values."""

    @contextlib.asynccontextmanager
    async def open_store() -> AsyncGenerator[Any]:
        made = factory(**values)
        if inspect.isawaitable(made) and not hasattr(made, "__aenter__"):
            made = await made
        async with _entered(made) as store:
            yield store

    return open_store


@contextlib.asynccontextmanager
async def _entered(made: Any) -> AsyncGenerator[Any]:
    """Enter what a factory made: a generator, a context manager, or a plain store, closed if it can be."""
    if inspect.isasyncgen(made):
        async with contextlib.asynccontextmanager(cast("Any", lambda: made))() as store:
            yield store
    elif inspect.isgenerator(made):
        with contextlib.contextmanager(cast("Any", lambda: made))() as store:
            yield store
    elif _has(made, "__aenter__"):
        async with made as store:
            yield made if store is None else store
    elif _has(made, "__enter__"):
        with made as store:
            yield made if store is None else store
    else:
        try:
            yield made
        finally:
            await _close(made)


def _has(made: Any, method: str) -> bool:
    """Whether the class of what was made has this method, as `with` and `async with` ask for it."""
    return hasattr(cast("Any", type(made)), method)


async def _close(store: Any) -> None:
    """Close a store that is no context manager, by `aclose` or `close` where it has one."""
    close = getattr(store, "aclose", None) or getattr(store, "close", None)
    if callable(close) and not isinstance(store, type):
        closing = close()
        if inspect.isawaitable(closing):
            await closing
