"""The decorator with which an author says once what a store claims, so that every run agrees.

Imports nothing of the kit: a testing module that uses it stays light.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Factory = TypeVar("Factory", bound=Callable[..., Any])


def store_factory(**claims: bool | float | str) -> Callable[[Factory], Factory]:
    """Attach claims to a factory: `@store_factory(durable=True, max_path_chars=300)`.

    The claims are a closed list (`docs/clauses.md`); one that is unknown or has a value of the wrong kind is a usage
    error of the run that uses the factory. `--memory-store-claims` adds to them and overrides them.
    """

    def attach(factory: Factory) -> Factory:
        factory.memory_store_claims = dict(claims)  # type: ignore[attr-defined]
        return factory

    return attach
