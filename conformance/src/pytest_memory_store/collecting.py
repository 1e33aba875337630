"""Makes the contract's clauses into pytest items with stable ids, and factory parameters into fixtures.

The items of a store live in a module of pytest's own kind whose functions are made here: `memory-store::CAS-13`
is the function `CAS-13` of the module `memory-store`. So fixtures, parametrization, `-k`, `--lf`, `-x`, xdist
and JUnit treat them like any test.
"""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_memory_store.clauses import CATALOGUE
from pytest_memory_store.clauses.clause import Status
from pytest_memory_store.kit import SMOKE, Kit
from pytest_memory_store.results import ItemRecord, Outcome
from pytest_memory_store.rig import Handle
from pytest_memory_store.store_spec import FIXTURE_SPEC, StoreSpec, opener
from pytest_memory_store.suites import CHECKS, EXPLORATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_SCOPES = ("session", "package", "module", "class", "function")


def item_names() -> list[str]:
    """The items of a run in order: the smoke check, every clause that is checked, the explorations."""
    checked = [c.id for c in CATALOGUE.values() if c.status is Status.CHECKED and c.same_as is None and c.id in CHECKS]
    return [SMOKE, *checked, *EXPLORATIONS]


class StoreCollector(pytest.Module):
    """The module of one store's items; it has no file."""

    kit: Kit

    @classmethod
    def for_kit(cls, session: pytest.Session, name: str, kit: Kit) -> StoreCollector:
        """The collector of one store.

        Raises:
            pytest.UsageError: a parameter of the factory names no fixture, or two conftests disagree on one.
        """
        made: StoreCollector = cast("Any", cls).from_parent(
            session, path=session.config.rootpath / name, name=name, nodeid=name
        )
        made.kit = kit
        fixtures, differing = conftest_fixtures(session.config.pluginmanager)
        if kit.spec.module is not None:
            own = dict(fixtures_of(kit.spec.module))
            fixtures |= own
            differing = {fixture: files for fixture, files in differing.items() if fixture not in own}
        made._obj = _module("fixtures", fixtures)
        scope = made._scope(differing)
        functions = {item: _item_function(item, kit) for item in item_names()}
        made._obj = _module("items", {"memory_store_handle": _handle_fixture(kit, scope), **functions})
        return made

    def _scope(self, differing: Mapping[str, str]) -> Any:
        """Make the fixtures known, and give the widest scope that those of the factory allow for an open store."""
        manager: Any = getattr(self.session, "_fixturemanager")  # noqa: B009 - pytest offers no other way to ask for a closure
        manager.parsefactories(self)
        _, definitions = manager.getfixtureclosure(self, tuple(self.kit.spec.parameters), ignore_args=set())
        for name in self.kit.spec.parameters:
            if not definitions.get(name):
                raise pytest.UsageError(_no_such_fixture(self.kit.spec, name, manager))
        for name in sorted(differing.keys() & definitions.keys()):
            raise pytest.UsageError(
                f"--memory-store={self.kit.spec.text} needs the fixture {name!r}, which {differing[name]} define "
                "differently; the memory-store run has no folder of its own to choose by: rename one of the two"
            )
        return max((made[-1].scope for made in definitions.values() if made), key=_SCOPES.index, default="session")

    def funcnamefilter(self, name: str) -> bool:
        """Take our items, whatever `python_functions` says."""
        return name in _ITEMS

    def classnamefilter(self, name: str) -> bool:  # noqa: ARG002 - pytest's signature
        """Take no classes."""
        return False


_ITEMS = frozenset(item_names())


def _module(name: str, attributes: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(f"pytest_memory_store.{name}")
    module.__dict__.update(attributes)
    return module


class StoreJudgedError(Exception):
    """An item's clause is broken, or the kit failed; the message is the whole report of it."""


ITEM_RECORD = pytest.StashKey[ItemRecord]()
"""Where an item keeps its record until its report is made."""


def _item_function(name: str, kit: Kit) -> Callable[..., None]:
    def judge(request: pytest.FixtureRequest, memory_store_handle: tuple[Handle, Mapping[str, Any]]) -> None:
        handle, values = memory_store_handle
        was_dead = bool(kit.dead)
        record = kit.run_item(name, handle, values)
        node: pytest.Item = cast("Any", request).node
        node.stash[ITEM_RECORD] = record
        if kit.dead and not was_dead:
            raise StoreJudgedError(kit.dead)
        _conclude(record, kit)

    judge.__name__ = judge.__qualname__ = name
    judge.__doc__ = CATALOGUE[name].sentence if name in CATALOGUE else None
    return judge


def _conclude(record: ItemRecord, kit: Kit) -> None:
    """Pass, skip or fail, as the record says."""
    if record.outcome in (Outcome.NOT_EXERCISED, Outcome.NOT_APPLICABLE):
        pytest.skip(record.reason)
    if record.outcome is Outcome.ERROR:
        raise StoreJudgedError(f"{record.item}: {record.reason}")
    broken = [v for v in record.violations if kit.is_fatal(v.clause) or kit.options.strict]
    failing = [v for v in broken if kit.excuse(v.clause) is None]
    if failing:
        raise StoreJudgedError("\n\n".join(kit.describe(violation) for violation in failing))
    if broken:
        pytest.skip(f"known failure: {kit.excuse(broken[0].clause)}")


def _no_such_fixture(spec: StoreSpec, name: str, manager: Any) -> str:
    tables = [getattr(manager, table, {}) for table in ("_arg2fixturedefs", "_arg2node2fixturedefs")]
    known = sorted({n for table in tables for n in table if not n.startswith("_")})
    near = get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return (
        f"--memory-store={spec.text}: parameter {name!r} of the factory is filled with the pytest fixture of that "
        f"name, and there is none; {hint}define it in the factory's module or in a conftest.py, or give the "
        "parameter a default"
    )


def _handle_fixture(kit: Kit, scope: Any) -> Any:
    """The fixture that opens the store, with the factory's parameters as its own."""

    def memory_store_handle(**values: Any) -> Iterator[tuple[Handle, Mapping[str, Any]]]:
        if kit.spec.text == FIXTURE_SPEC:
            handle = Handle(kit.rig, opener(values.pop("memory_store_factory"), {}))
        else:
            handle = Handle(kit.rig, opener(kit.spec.factory, values))
        try:
            yield handle, values
        finally:
            handle.close()

    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in kit.spec.parameters]
    memory_store_handle.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return pytest.fixture(scope=scope)(memory_store_handle)


def conftest_fixtures(manager: pytest.PytestPluginManager) -> tuple[dict[str, Any], dict[str, str]]:
    """The fixtures of every loaded conftest, wherever it lies, and where two of them differ: the files, by name."""
    found: dict[str, Any] = {}
    origin: dict[str, str] = {}
    differing: dict[str, str] = {}
    for plugin in manager.get_plugins():
        file = getattr(plugin, "__file__", None) or ""
        if not file.endswith("conftest.py"):
            continue
        for name, fixture in fixtures_of(plugin):
            if found.setdefault(name, fixture) is not fixture:
                differing[name] = " and ".join(sorted((origin[name], file)))
            origin.setdefault(name, file)
    return found, differing


def fixtures_of(holder: Any) -> Iterable[tuple[str, Any]]:
    """The fixture definitions among a module's attributes, in pytest's old and new form."""
    attributes: dict[str, Any] = dict(cast("Any", vars(holder)))
    for name, value in attributes.items():
        if type(value).__name__ == "FixtureFunctionDefinition" or hasattr(value, "_pytestfixturefunction"):
            yield name, value


def take_own_arguments(config: pytest.Config, root: str) -> list[str]:
    """Take our node ids off the arguments, since they name no file; with no path left, collect no files."""
    own = [argument for argument in config.args if argument.partition("::")[0].partition("[")[0] == root]
    given = config.args_source is config.ArgsSource.ARGS
    from_ini = not config.getoption("memory_store")
    if own or given:
        config.args[:] = [argument for argument in config.args if argument not in own]
    elif not from_ini:
        config.args[:] = []
    return own


def selection(items: list[pytest.Item], root: str, chosen: list[str]) -> list[pytest.Item]:
    """The items to run: all of them, or of ours those that `chosen` names."""
    if not chosen:
        return items
    names = [_resolve(name) for name in chosen]
    return [item for item in items if not item.nodeid.startswith(root) or _named(item.nodeid, names)]


def _resolve(argument: str) -> str:
    """A node id with the clause that stands for it: `memory-store::OP-12` is checked as DUR-02's twin."""
    head, separator, name = argument.partition("::")
    clause = CATALOGUE.get(name.partition("[")[0])
    return f"{head}{separator}{clause.same_as}" if clause is not None and clause.same_as else argument


def _named(nodeid: str, names: list[str]) -> bool:
    return any(nodeid == name or nodeid.startswith((f"{name}::", f"{name}[")) for name in names)
