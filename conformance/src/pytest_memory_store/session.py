"""One pytest session that judges stores: options, items, records, and the verdict at the end.

The only room, with `plugin.py`, that knows pytest. It is registered as a plugin when a store is given.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_memory_store import claims, plan, store_spec
from pytest_memory_store.collecting import StoreCollector, selection, take_own_arguments
from pytest_memory_store.kit import Kit, Options
from pytest_memory_store.results import ItemRecord, Outcome
from pytest_memory_store.rig import Rig
from pytest_memory_store.store_spec import FIXTURE_SPEC, StoreSpec, StoreSpecError

ROOT = "memory-store"
RECORD = "memory_store_record"
"""Attribute of a test report that carries an item's record, also from an xdist worker."""


class Session:
    """The state of one session. `kits` are the runs of the stores, by the name of their collector."""

    def __init__(self, config: pytest.Config, texts: list[str]) -> None:
        self.config = config
        self.selected_arguments = take_own_arguments(config, ROOT)
        try:
            self.specs = [self._load(text) for text in texts]
            self.options = [self._options(spec, several=len(texts) > 1) for spec in self.specs]
        except (StoreSpecError, claims.ClaimError, plan.BudgetError) as error:
            raise pytest.UsageError(str(error)) from None
        self.rig = Rig(self.options[0].timeout, self._end_process)
        self.kits: dict[str, Kit] = {}
        for spec, options in zip(self.specs, self.options, strict=True):
            name = ROOT if len(self.specs) == 1 else f"{ROOT}[{spec.slug}]"
            self.kits[name] = Kit(spec, options, self.rig, root=name)
        self.records: list[ItemRecord] = []
        self.interrupted = ""

    # Options

    def option(self, name: str) -> str | None:
        """An option's value: the command line's, else the ini file's, else `None`."""
        key = f"memory_store_{name}"
        given = self.config.getoption(key)
        return given if given is not None else (self.config.getini(key) or None)

    def _load(self, text: str) -> StoreSpec:
        if text == FIXTURE_SPEC:
            return StoreSpec(text, None, _unused, FIXTURE_SPEC, ("memory_store_factory",))
        here = str(self.config.invocation_params.dir)
        import sys

        if here not in sys.path:
            sys.path.insert(0, here)
        return store_spec.load(text)

    def _options(self, spec: StoreSpec, *, several: bool) -> Options:
        given = self.option("claims") or []
        texts = [text for item in given if (text := _claims_for(item, spec.text, several=several))]
        claimed = claims.parse(",".join(texts))
        claims.collect(spec.claims, claimed)
        return Options(
            budget=plan.choose(self.option("budget") or "standard"),
            seed=self._number("seed", int, secrets.randbelow(10**9)),
            timeout=self._number("timeout", float, 10.0),
            claims=claimed,
            strict=bool(self.config.getoption("memory_store_strict") or self.config.getini("memory_store_strict")),
        )

    def _number(self, name: str, kind: type, default: Any) -> Any:
        text = self.option(name)
        if text is None:
            return default
        try:
            value = kind(text)
        except ValueError:
            value = -1
        if value < 0 or (name == "timeout" and value == 0):
            what = "a whole number from 0" if kind is int else "a number of seconds above 0"
            raise pytest.UsageError(f"--memory-store-{name}={text}: expected {what}")
        return value

    # Items

    def collectors(self, session: pytest.Session) -> list[pytest.Collector]:
        """One collector per store, to be put first in the session."""
        return [StoreCollector.for_kit(session, name, kit, self) for name, kit in self.kits.items()]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep those of our items that the node ids among the arguments name."""
        kept = selection(items, ROOT, self.selected_arguments)
        dropped = [item for item in items if item not in kept]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = [item for item in items if item in kept]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell each kit which items are to come."""
        for name, kit in self.kits.items():
            kit.pending = [_clause_of(item) for item in session.items if _root_of(item) == name]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put an item's record on its report, and what went wrong in words instead of a traceback."""
        report = yield
        kit = self.kits.get(_root_of(item))
        if kit is None:
            return report
        record: ItemRecord | None = item.stash.get(ITEM_RECORD, None)
        if call.when == "setup" and report.failed:
            kit.dead = kit.dead or f"the fixtures of the factory could not be set up (see {item.nodeid})"
        if call.when == "call" and record is not None:
            setattr(report, RECORD, json.dumps(record.as_dict()))
            if isinstance(call.excinfo and call.excinfo.value, StoreJudgedError):
                report.longrepr = str(call.excinfo.value)  # type: ignore[union-attr]
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set up nothing more for a store that is dead already."""
        kit = self.kits.get(_root_of(item))
        if kit is not None and kit.dead:
            item.stash[ITEM_RECORD] = ItemRecord(_clause_of(item), kit.spec.text, Outcome.NOT_EXERCISED, kit.dead)
            pytest.skip(kit.dead)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the records, from this process or from a worker."""
        data = getattr(report, RECORD, None)
        if data is not None:
            self.records.append(ItemRecord.from_dict(json.loads(data)))

    # The end

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run was broken off."""
        self.interrupted = "interrupted"

    def pytest_unconfigure(self) -> None:
        """Close the loop."""
        self.rig.close()

    def _end_process(self) -> None:
        os._exit(3)


class StoreJudgedError(Exception):
    """An item's clause is broken, or the kit failed; the message is the whole report of it."""


ITEM_RECORD = pytest.StashKey[ItemRecord]()


def _unused() -> None:
    raise AssertionError("the fixture gives the factory")


def _claims_for(item: str, spec: str, *, several: bool) -> str:
    """The claims in one option value that are meant for this store: all of them, or those after `SPEC=`."""
    head, separator, rest = item.partition("=")
    if separator and ":" in head or head == FIXTURE_SPEC:
        return rest if head == spec else ""
    if several and not separator:
        return item
    return item


def _root_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _clause_of(item: pytest.Item) -> str:
    return getattr(item, "originalname", None) or item.name


def report_folder(option: str | None, slug: str, *, several: bool) -> Path | None:
    """Where a store's report goes: the folder given, or one in it per store where there are several."""
    if option is None:
        return None
    return Path(option) / slug if several else Path(option)


def lines_of(records: list[ItemRecord]) -> Iterator[str]:
    """One line per record, for the log."""
    for record in records:
        yield f"{record.item} {record.outcome}"
