"""From the text of a spec to an open store."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from pytest_memory_store import claims, store_factory, store_spec


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module on `sys.modules` to name in specs."""
    made = ModuleType("spec_fixture_module")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_parameters_without_a_default_are_fixtures(module: ModuleType) -> None:
    """Only what has to be given is asked of pytest."""

    def factory(tmp_path: Any, size: int = 3, *rest: Any, name: str, **more: Any) -> None:
        """Never called."""

    module.factory = factory  # type: ignore[attr-defined]
    assert store_spec.load("spec_fixture_module:factory").parameters == ("tmp_path", "name")


def test_attributes_of_attributes_are_found(module: ModuleType) -> None:
    """A classmethod can be named as `Class.make`."""

    class Store:
        @classmethod
        def make(cls) -> Store:
            return cls()

    module.Store = Store  # type: ignore[attr-defined]
    assert store_spec.load("spec_fixture_module:Store.make").factory() is not None


def test_a_positional_only_parameter_is_refused(module: ModuleType) -> None:
    """A parameter that cannot be passed by name cannot be filled with a fixture."""

    def factory(tmp_path: Any, /) -> None:
        """Never called."""

    module.factory = factory  # type: ignore[attr-defined]
    with pytest.raises(store_spec.StoreSpecError, match="'tmp_path' is positional-only"):
        store_spec.load("spec_fixture_module:factory")


@pytest.mark.parametrize("text", ["", ":", "a:", ":b", "a.b", "a/b.py"])
def test_other_forms_are_refused(text: str) -> None:
    """A spec without both halves says what a spec looks like."""
    with pytest.raises(store_spec.StoreSpecError, match="expected module:attribute"):
        store_spec.load(text)


def test_a_missing_dependency_is_told_from_a_missing_module(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is there but needs another that is not says which."""
    (tmp_path / "needs_other.py").write_text("import nowhere_to_be_found\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(store_spec.StoreSpecError, match="needs 'nowhere_to_be_found', which is not installed"):
        store_spec.load("needs_other:Store")


def test_the_decorator_attaches_claims(module: ModuleType) -> None:
    """Claims ride on the factory, and the command line overrides them."""

    @store_factory(durable=True, max_path_chars=300)
    def factory() -> None:
        """Never called."""

    module.factory = factory  # type: ignore[attr-defined]
    spec = store_spec.load("spec_fixture_module:factory")
    collected = claims.collect(spec.claims, claims.parse("max_path_chars=400,search"))
    assert collected.as_dict() == {"durable": True, "max_path_chars": 400, "search": True}


def test_claims_that_are_no_mapping_are_refused(module: ModuleType) -> None:
    """A list of claims says what was expected."""

    def factory() -> None:
        """Never called."""

    factory.memory_store_claims = ["durable"]  # type: ignore[attr-defined]
    module.factory = factory  # type: ignore[attr-defined]
    with pytest.raises(store_spec.StoreSpecError, match="not a mapping of claims"):
        store_spec.load("spec_fixture_module:factory")


def test_false_takes_a_claim_back() -> None:
    """A later `False` removes what an earlier source claimed."""
    assert claims.collect({"durable": True}, {"durable": False}).flags == frozenset()


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        ({"durabel": True}, "did you mean 'durable'"),
        ({"durable": 3}, "takes no value"),
        ({"max_path_chars": "many"}, "expected max_path_chars=<int>"),
        ({"protocol": "new"}, "expected protocol=<str>"),
    ],
)
def test_bad_claims_are_refused(claimed: dict[str, Any], said: str) -> None:
    """A claim outside the closed list, or with a value of another kind, says what was expected."""
    with pytest.raises(claims.ClaimError, match=said):
        claims.collect(claimed)


def test_the_newest_protocol_is_the_default() -> None:
    """Without a claim the newest release that the kit knows is followed."""
    assert claims.collect({}).protocol == claims.release(claims.PROTOCOL)
    assert claims.collect({"protocol": "0.30.2"}).protocol == (0, 30)
