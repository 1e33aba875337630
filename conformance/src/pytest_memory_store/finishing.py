"""What is written and printed when a store's run is over.

Knows the report writers and pytest's terminal; decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_memory_store.report import ReportError, RunFacts, State, files, json_report, terminal

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
        writer: Any = getattr(reporter, "_tw")  # noqa: B009 - the terminal's own writer has no public name
        return str(writer.markup(text, **_COLOURS.get(style, {})))

    return mark


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of one store's run; `folder` is where its report goes, `None` where none was asked for."""

    kit: Kit
    result: RunResult
    records: Sequence[ItemRecord]
    folder: Path | None
    strict: bool

    def show(self, reporter: TerminalReporter) -> None:
        """Print the summary, the verdict last; where a folder was given, write the report and the scripts before.

        Raises:
            ReportError: the report cannot be written; the summary is printed all the same.
        """
        complaint: ReportError | None = None
        scripts: dict[str, str] = {}
        if self.folder is not None:
            try:
                scripts = self._write(self.folder)
            except ReportError as error:
                complaint = error
        reporter.write_sep("=", "memory store")
        if self.kit.plan is not None:
            smallest = max(1, round(self.kit.plan.smallest))
            reporter.write_line(f"smallest budget that exercises every clause on this store: about {smallest}s")
        marked = _marks(reporter)
        lines = terminal.summary(self.result, self.facts, strict=self.strict, scripts=scripts, mark=marked)
        reporter.write_line("\n".join(lines))
        if complaint is not None:
            reporter.write_line(f"ERROR: {complaint}", red=True)

    def _write(self, folder: Path) -> dict[str, str]:
        """Write the report and the script of each broken clause; give the scripts' paths by clause."""
        broken = {
            clause: found.violations[0].script for clause, found in self.result.clauses.items() if found.violations
        }
        held = [f.clause.id for f in self.result.in_state(State.HELD)]
        paths = files.write_scripts(broken, folder, held=held)
        json_report.write(json_report.report_of(self.result, self.facts), folder)
        return {clause: files.shown(path) for clause, path in paths.items()}

    @property
    def facts(self) -> RunFacts:
        """The facts of the run beside its verdict."""
        kit = self.kit
        return RunFacts.of(self.records, store=kit.spec.text, seed=kit.options.seed, claims=kit.claims)
