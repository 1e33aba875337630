"""How a run ends: verdict, exit code, ledger, reports, interruption."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import pytest_memory_store.faulty.killing  # kept by pytester, which forgets what an inner run is the first to import
import pytest_memory_store.session  # noqa: F401 - as above

STORES = """
    from pytest_memory_store.faulty.base import BaseStore

    class Plain(BaseStore):
        "A conforming store."

    class BlindWrites(BaseStore):
        "Replaces a file whatever version is expected: CAS-02 and CAS-12 break."
        async def write(self, path, content, *, expected_version, operation=None):
            current = await self.read(path, max_chars=1)
            if current is not None and expected_version is not None:
                expected_version = current.version
            return await super().write(path, content, expected_version=expected_version, operation=operation)

    class Counting(BaseStore):
        "Numbers its versions for the whole store: an advisory, CAS-23."
        serial = 0
        def new_version(self, *_):
            Counting.serial += 1
            return str(Counting.serial)

    class Interrupted(BaseStore):
        "Is interrupted in its third read, as by Ctrl-C."
        reads = 0
        async def read(self, path, *, max_chars):
            self.reads += 1
            if self.reads == 60:
                raise KeyboardInterrupt
            return await super().read(path, max_chars=max_chars)
"""

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs pytest on the stores above at the quick budget."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyfile(mystores=textwrap.dedent(STORES))

    def run_pytest(store: str, *arguments: str) -> pytest.RunResult:
        options = ["-p", "no:cacheprovider", "--memory-store-budget=quick", "--memory-store-seed=1"]
        start = pytester.runpytest_subprocess if store == "Interrupted" else pytester.runpytest
        return start(*options, f"--memory-store=mystores:{store}", *arguments)

    return run_pytest


def test_a_whole_run_on_a_conforming_store(run: Run) -> None:
    """Every clause is exercised, the verdict is conformant, and the run ends with 0."""
    result = run("Plain")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["verdict: conformant (* clauses held*"])
    assert result.parseoutcomes()["skipped"] < 10


def test_a_broken_must_is_not_conformant(run: Run) -> None:
    """A broken MUST ends the run with 1 and the verdict says how many."""
    result = run("BlindWrites", "-k", "CAS-01 or CAS-02")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["broken", "  CAS-02 *", "verdict: not conformant (1 MUST clause broken)"])


def test_a_selection_is_incomplete_and_ends_with_0(run: Run) -> None:
    """What the user did not select makes the run incomplete, which is not a failure."""
    result = run("Plain", "-k", "CAS-01")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["verdict: incomplete (*deselected)"])


def test_require_conformant_fails_a_selection(run: Run) -> None:
    """`--memory-store-require=conformant` fails whatever is incomplete."""
    assert run("Plain", "-k", "CAS-01", "--memory-store-require=conformant").ret == 1


def test_require_takes_one_word(run: Run) -> None:
    """Another word is a usage error."""
    result = run("Plain", "--memory-store-require=perfect")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--memory-store-require=perfect: expected conformant*"])


def test_an_advisory_passes_and_is_listed(run: Run) -> None:
    """A broken SHOULD is listed with its sentence and its item passes."""
    result = run("Counting", "-k", "CAS-23")
    assert result.ret == 0
    result.assert_outcomes(passed=1, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["advisories (a SHOULD is broken)", "  CAS-23 *"])


def test_strict_fails_an_advisory(run: Run) -> None:
    """With `--memory-store-strict` a broken SHOULD fails."""
    result = run("Counting", "-k", "CAS-23", "--memory-store-strict")
    assert result.ret == 1
    assert result.parseoutcomes()["failed"] == 1


def ledger(pytester: pytest.Pytester, *clauses: str, **more: str) -> str:
    """A ledger file with an entry per clause; the option that names it."""
    extra = [f"{key} = {value}" for key, value in more.items()]
    lines = [
        line
        for clause in clauses
        for line in (
            "[[known-failure]]",
            f'clause = "{clause}"',
            'reason = "still to do"',
            *extra,
        )
    ]
    (pytester.path / "known.toml").write_text("\n".join(lines), encoding="utf-8")
    return "--memory-store-known-failures=known.toml"


def test_a_known_failure_is_skipped_with_its_reason(run: Run, pytester: pytest.Pytester) -> None:
    """A broken clause in the ledger does not fail the run, which is then incomplete."""
    result = run("BlindWrites", "-k", "CAS-02", ledger(pytester, "CAS-02"), "-rs")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*known failure: still to do*", "verdict: incomplete*"])


def test_a_known_failure_that_holds_fails(run: Run, pytester: pytest.Pytester) -> None:
    """An entry for a clause that holds makes the ledger out of date."""
    result = run("Plain", "-k", "CAS-02", ledger(pytester, "CAS-02"))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["the ledger is out of date", "*CAS-02*holds now*"])


def test_a_chance_failure_may_hold(run: Run, pytester: pytest.Pytester) -> None:
    """With `sometimes = true` the clause may hold as well."""
    assert run("Plain", "-k", "CAS-02", ledger(pytester, "CAS-02", sometimes="true")).ret == 0


@pytest.mark.parametrize("file", ["nowhere.toml", "mystores.py"])
def test_a_bad_ledger_is_a_usage_error(run: Run, file: str) -> None:
    """A ledger that cannot be read or is no TOML ends the run before it begins."""
    result = run("Plain", f"--memory-store-known-failures={file}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{file}: the ledger *"])


def test_the_report_holds_verdict_and_scripts(run: Run, pytester: pytest.Pytester) -> None:
    """`--memory-store-report` writes the report and a script per broken clause, which fails the same way."""
    run("BlindWrites", "-k", "CAS-02", "--memory-store-report=out")
    report = json.loads((pytester.path / "out/report.json").read_text(encoding="utf-8"))
    assert report["verdict"] == "not conformant"
    script = pytester.run(sys.executable, "out/repro/CAS-02.py")
    assert script.ret == 1
    script.stdout.fnmatch_lines(["CAS-02 is broken*", "reproduced*"])


def test_a_report_that_cannot_be_written_is_a_usage_error(run: Run, pytester: pytest.Pytester) -> None:
    """A folder that is a file is found out before anything runs."""
    (pytester.path / "out").write_text("a file", encoding="utf-8")
    result = run("Plain", "--memory-store-report=out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the report cannot be written to *out*"])


def test_several_stores_have_folders_of_their_own(run: Run, pytester: pytest.Pytester) -> None:
    """With two stores each has its verdict and its folder."""
    result = run("Plain", "--memory-store=mystores:BlindWrites", "-k", "CAS-02", "--memory-store-report=out")
    assert result.ret == 1
    verdicts = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))["verdict"]
        for path in Path(pytester.path / "out").glob("*/report.json")
    }
    assert verdicts == {"mystores-Plain": "incomplete", "mystores-BlindWrites": "not conformant"}


def test_claims_can_be_meant_for_one_store(run: Run) -> None:
    """`SPEC=...` gives claims to the store of that spec alone."""
    claims = "--memory-store-claims=mystores:Counting=content_versions"
    result = run("Plain", "--memory-store=mystores:Counting", claims, "-k", "CAS-11", "-rs")
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["skipped"]) == (1, 1)
    result.stdout.fnmatch_lines(["*waived by the claim content_versions*"])


def test_junit_properties_name_the_clause(run: Run, pytester: pytest.Pytester) -> None:
    """A JUnit file says which clause an item is, at which level, and the verdict of the suite."""
    run("BlindWrites", "-k", "CAS-02", "--junitxml=junit.xml")
    root = ET.parse(pytester.path / "junit.xml").getroot()  # noqa: S314 - our own file
    found = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert found["memory_store.verdict"] == "not conformant"
    assert found["memory_store.clause"] == "CAS-02"
    assert found["memory_store.level"] == "MUST"


def test_xdist_gives_the_same_verdict(run: Run) -> None:
    """The controlling process prints the verdict of what the workers judged."""
    result = run("BlindWrites", "-k", "CAS-01 or CAS-02", "-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["verdict: not conformant (1 MUST clause broken)"])


def test_an_interrupted_run_reports_what_was_judged(run: Run) -> None:
    """Ctrl-C ends the run with pytest's own code, and the verdict is incomplete."""
    result = run("Interrupted", "-k", "CAS")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["verdict: incomplete*"])


def test_collecting_judges_nothing(run: Run) -> None:
    """`--co` lists the items and prints no verdict."""
    result = run("Plain", "--co", "-q")
    result.stdout.fnmatch_lines(["memory-store::smoke", "memory-store::PATH-01"])
    result.stdout.no_fnmatch_line("verdict*")
    assert result.ret == 0


def test_the_clauses_are_printed(pytester: pytest.Pytester) -> None:
    """`--memory-store-list` prints the contract and stops."""
    result = pytester.runpytest("--memory-store-list")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["CAS: compare-and-swap", "  CAS-01 *MUST *"])


def test_the_smallest_budget_is_printed(run: Run) -> None:
    """A run says in what time every clause can be exercised on this store."""
    run("Plain", "-k", "CAS-01").stdout.fnmatch_lines(["smallest budget that exercises every clause*about *s"])


def test_a_store_that_breaks_everything_ends_with_a_verdict(run: Run, pytester: pytest.Pytester) -> None:
    """A store whose every answer is wrong is judged in good time, without a traceback."""
    pytester.makepyfile(
        worst="""
        class Worst:
            async def read(self, path, *, max_chars): return "x"
            async def get_operation(self, operation): return 3
            async def write(self, path, content, *, expected_version, operation=None): raise RuntimeError("no")
            async def delete(self, path, *, expected_version, operation=None): return None
            async def list_paths(self, prefix="", *, limit): return [1, None]
            async def search(self, *bounds, **more): return "found"
        """
    )
    result = run("Plain", "--memory-store=worst:Worst", "-k", "worst-Worst")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["verdict: not conformant*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_two_runs_at_once_do_not_disturb_each_other(pytester: pytest.Pytester) -> None:
    """Two runs against one live database both find it conformant in what they select."""
    pytester.makepyfile(
        live="""
        from pathlib import Path
        from reference_stores import SqliteMemoryStore

        def open_live():
            return SqliteMemoryStore(Path(__file__).with_name("live.db"))
        """
    )
    options = ["-q", "-p", "no:cacheprovider", "--memory-store-budget=quick", "-k", "CAS or LIST or SCOPE"]
    command = [sys.executable, "-m", "pytest", *options, "--memory-store=live:open_live"]
    runs = [subprocess.Popen(command, cwd=pytester.path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate()[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
