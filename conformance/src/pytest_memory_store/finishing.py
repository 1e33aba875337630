"""What is written and printed when a store's run is over.

Knows the report writers and pytest's terminal; decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memory_store.report import terminal
from pytest_memory_store.report.facts import RunFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from _pytest.terminal import TerminalReporter

    from pytest_memory_store.kit import Kit
    from pytest_memory_store.report.text import Mark
    from pytest_memory_store.report.verdict import RunResult
    from pytest_memory_store.results import ItemRecord

_COLOURS: Mapping[str, Mapping[str, bool]] = {
    "title": {"bold": True},
    "good": {"green": True, "bold": True},
    "bad": {"red": True},
    "warn": {"yellow": True},
}


def _marks(reporter: TerminalReporter) -> Mark:
    """Colours, where the terminal has them."""

    def mark(text: str, style: str) -> str:
        return reporter._tw.markup(text, **_COLOURS.get(style, {}))  # noqa: SLF001 - the terminal's own writer

    return mark


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of one store's run. `seconds` is the wall time of the session."""

    kit: Kit
    result: RunResult
    records: Sequence[ItemRecord]
    seconds: float
    folder: Path | None
    strict: bool

    def show(self, reporter: TerminalReporter) -> bool:
        """Write the report where a folder was given, print the summary, and say whether all was written."""
        complaint = ""
        scripts: Mapping[str, str] = {}
        if self.folder is not None:
            from pytest_memory_store.report import json_report
            from pytest_memory_store.report.json_report import ReportError

            try:
                scripts = json_report.write(self.result, self._facts(), self.records, self.folder)
            except ReportError as error:
                complaint = str(error)
        reporter.write_sep("=", "memory store")
        lines = terminal.summary(self.result, self._facts(), strict=self.strict, scripts=scripts, mark=_marks(reporter))
        reporter.write_line("\n".join(lines))
        if complaint:
            reporter.write_line(f"ERROR: {complaint}", red=True)
        return not complaint

    def _facts(self) -> RunFacts:
        kit = self.kit
        return RunFacts.of(self.records, store=kit.spec.text, seed=kit.options.seed, claims=kit.claims)
