"""One pytest session that judges stores: its items, their records, and the verdict at the end.

With `plugin.py`, `settings.py` and `collecting.py` the only rooms that know pytest. It is registered as a plugin
when a store is given.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.junitxml import xml_key

from pytest_memory_store import settings as settings_module
from pytest_memory_store.clauses import CATALOGUE
from pytest_memory_store.collecting import ITEM_RECORD, StoreCollector, StoreJudgedError, selection, take_own_arguments
from pytest_memory_store.finishing import Finish
from pytest_memory_store.kit import Kit
from pytest_memory_store.report import RunResult, exit_code, judge_run, junit
from pytest_memory_store.results import ItemRecord, Outcome
from pytest_memory_store.rig import Rig

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from _pytest.terminal import TerminalReporter

ROOT = "memory-store"
RECORD = "memory_store_record"
"""Attribute of a test report that carries an item's record as JSON, also from an xdist worker."""


class Session:
    """The state of one session. `kits` are the runs of the stores, by the name of their collector."""

    def __init__(self, config: pytest.Config, texts: list[str]) -> None:
        self.config = config
        self.chosen = take_own_arguments(config, ROOT)
        self.settings = settings_module.read(config, texts)
        config.pluginmanager.import_plugin("pytest_memory_store.fixtures.postgres")
        self.rig = Rig(self.settings.timeout, self._end_process)
        several = len(self.settings.stores) > 1
        self.kits: dict[str, Kit] = {}
        for spec, options in self.settings.stores:
            name = f"{ROOT}[{spec.slug}]" if several else ROOT
            folder = self.settings.report_folder(spec)
            self.kits[name] = Kit(spec, options, self.rig, self.settings.ledger, root=name, report=folder)
        self.records: dict[str, list[ItemRecord]] = {name: [] for name in self.kits}
        self.selected: dict[str, set[str]] = {name: set() for name in self.kits}
        self.results: dict[str, RunResult] = {}
        self.interrupted = ""

    @property
    def is_worker(self) -> bool:
        """Whether this process is an xdist worker: the controlling process has the records and the verdict."""
        return hasattr(self.config, "workerinput")

    # Items

    def collectors(self, session: pytest.Session) -> list[pytest.Collector]:
        """One collector per store, to be put first in the session."""
        return [StoreCollector.for_kit(session, name, kit) for name, kit in self.kits.items()]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep those of our items that the node ids among the arguments name."""
        kept = selection(items, ROOT, self.chosen)
        dropped = [item for item in items if item not in kept]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = kept

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell each kit which items are to come."""
        self._select(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Learn from a worker which items were selected: the controlling process collects nothing itself."""
        self._select(ids)

    def _select(self, nodeids: Iterable[str]) -> None:
        for nodeid in nodeids:
            root, name = _split(nodeid)
            if root in self.kits and name not in self.selected[root]:
                self.selected[root].add(name)
                self.kits[root].pending.append(name)

    # Records

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set up nothing more for a store that is dead already."""
        root, name = _split(item.nodeid)
        kit = self.kits.get(root)
        if kit is not None and kit.dead:
            item.stash[ITEM_RECORD] = ItemRecord(name, kit.spec.text, Outcome.NOT_EXERCISED, kit.dead)
            pytest.skip(kit.dead)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put an item's record on its report, and what went wrong in words instead of a traceback."""
        report = yield
        root, name = _split(item.nodeid)
        kit = self.kits.get(root)
        if kit is None:
            return report
        if call.when == "setup" and report.failed:
            kit.dead = kit.dead or f"the fixtures of the factory could not be set up (see {item.nodeid})"
            item.stash[ITEM_RECORD] = ItemRecord(name, kit.spec.text, Outcome.NOT_EXERCISED, kit.dead)
        record = item.stash.get(ITEM_RECORD, None)
        if record is not None and (call.when == "call" or (call.when == "setup" and not report.passed)):
            setattr(report, RECORD, json.dumps(record.as_dict()))
            clause = CATALOGUE.get(record.item)
            level = kit.level(record.item) if clause else None
            item.user_properties += junit.item_properties(record, clause, level)  # read off the teardown's report
        if call.excinfo is not None and isinstance(call.excinfo.value, StoreJudgedError):
            report.longrepr = str(call.excinfo.value)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the records, from this process or from a worker."""
        data = getattr(report, RECORD, None)
        root, _ = _split(report.nodeid)
        if data is not None and root in self.records:
            self.records[root].append(ItemRecord.from_dict(json.loads(data)))

    # The end

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run was broken off."""
        self.interrupted = "the run was interrupted"

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Judge the records, write the reports, and set the exit code."""
        if self.is_worker or self.config.option.collectonly or exitstatus == pytest.ExitCode.USAGE_ERROR:
            return
        for name, kit in self.kits.items():
            if not self.selected[name]:
                continue  # the user's own selection holds none of this store's clauses
            self.results[name] = result = self._judge(name, kit)
            self._add_suite_properties(name, result)
        codes = [self._exit_code(result) for result in self.results.values()]
        if codes and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            session.exitstatus = max([int(exitstatus), *codes])

    def _judge(self, name: str, kit: Kit) -> RunResult:
        chosen = self.selected[name]
        return judge_run(
            self.records[name],
            catalogue=CATALOGUE,
            claims=kit.claims,
            store=kit.spec.text,
            today=settings_module.today(),
            ledger=self.settings.ledger,
            selected=chosen,
            interrupted=self.interrupted,
        )

    def _add_suite_properties(self, name: str, result: RunResult) -> None:
        xml = self.config.stash.get(xml_key, None)
        if xml is not None:
            several = name.removeprefix(ROOT)
            for key, value in junit.suite_properties(result, self._finish(name, result).facts, name=several):
                xml.add_global_property(key, value)

    def _exit_code(self, result: RunResult) -> int:
        return exit_code(result, strict=self.settings.strict, require_conformant=self.settings.require_conformant)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> Generator[None, Any, Any]:
        """Write the reports and print each store's verdict, after everything else."""
        outcome = yield
        for name, result in self.results.items():
            self._finish(name, result).show(terminalreporter)
        return outcome

    def _finish(self, name: str, result: RunResult) -> Finish:
        kit = self.kits[name]
        return Finish(kit, result, self.records[name], kit.report, self.settings.strict)

    def pytest_unconfigure(self) -> None:
        """Close the loop."""
        self.rig.close()

    def _end_process(self) -> None:
        os._exit(3)


def _split(nodeid: str) -> tuple[str, str]:
    """A node id's root and the item's name without its parameters."""
    root, _, name = nodeid.partition("::")
    return root, name.partition("[")[0]
