"""Where each faulty and each odd store is registered, with what a kit has to say about it.

Must not know: the stores, the kit. `@faulty` and `@odd` give the store back as it was, with its claims
attached as plain data, so that a spec can name it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CLAIMS = "memory_store_claims"
"""The attribute in which a factory carries its claims: a dict of claim to `True` or value."""

_PACKAGE = "pytest_memory_store.faulty"


@dataclass(frozen=True, slots=True)
class FaultyStore:
    """A store that is wrong on purpose.

    `clauses` are what a kit must report broken, `also` what may break with them because the fault cannot be
    had without. `fault` says in one sentence what is wrong; `likely_cause` is how real stores
    get there.
    """

    name: str
    factory: type[Any]
    clauses: tuple[str, ...]
    also: tuple[str, ...]
    fault: str
    likely_cause: str
    claims: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def spec(self) -> str:
        """The store spec that names this store."""
        return f"{_PACKAGE}:{self.name}"


@dataclass(frozen=True, slots=True)
class OddStore:
    """A conforming store that makes an unusual choice; `choice` says which, in one sentence."""

    name: str
    factory: Callable[..., object]
    choice: str
    claims: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def spec(self) -> str:
        """The store spec that names this store."""
        return f"{_PACKAGE}:{self.name}"


FAULTY_STORES: dict[str, FaultyStore] = {}
ODD_STORES: dict[str, OddStore] = {}


class _Named(Protocol):
    __name__: str

    def __call__(self, *args: Any, **kwargs: Any) -> object: ...


S = TypeVar("S", bound=type[Any])
F = TypeVar("F", bound=_Named)


def faulty(
    *clauses: str, cause: str, also: tuple[str, ...] = (), claims: Mapping[str, object] | None = None
) -> Callable[[S], S]:
    """Register a class as a faulty store that breaks `clauses`, because of `cause`.

    `also` are clauses that the fault may break as well; `claims` maps each claim to `True` or its value.
    """
    further = tuple(clause for clause in also if clause not in clauses)

    def register(store: S) -> S:
        made = FaultyStore(
            store.__name__, store, clauses, further, _first_line(store), cause, _attach_claims(store, claims)
        )
        _add(FAULTY_STORES, made)
        return store

    return register


def odd(claims: Mapping[str, object] | None = None) -> Callable[[F], F]:
    """Register a factory, a class or any other kind, as a conforming store that claims `claims`."""

    def register(factory: F) -> F:
        attached = _attach_claims(factory, claims)
        _add(ODD_STORES, OddStore(factory.__name__, factory, _first_line(factory), attached))
        return factory

    return register


R = TypeVar("R", FaultyStore, OddStore)


def _add(registry: dict[str, R], store: R) -> None:
    if store.name in registry:
        raise ValueError(f"two stores are called {store.name}: rename one")
    registry[store.name] = store


def _attach_claims(factory: object, claims: Mapping[str, object] | None) -> dict[str, object]:
    attached = dict(claims or {})
    if attached:
        setattr(factory, CLAIMS, attached)
    return attached


def _first_line(documented: object) -> str:
    lines = (documented.__doc__ or "").strip().splitlines()
    if not lines:
        raise ValueError(f"{documented!r} has no docstring: say in its first line what it does")
    return lines[0]
