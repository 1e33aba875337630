"""The plugin as a user meets it: every option, every kind of factory, every usage error."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

import pytest_memory_store.faulty.killing  # kept by pytester, which forgets what an inner run is the first to import
import pytest_memory_store.session  # noqa: F401 - as above

STORES = """
    import contextlib
    import pytest
    from pytest_memory_store.faulty.base import BaseStore

    class Plain(BaseStore):
        "A conforming store."

    class BlindWrites(BaseStore):
        "Replaces a file whatever version is expected."
        async def write(self, path, content, *, expected_version, operation=None):
            current = await self.read(path, max_chars=1)
            if current is not None and expected_version is not None:
                expected_version = current.version
            return await super().write(path, content, expected_version=expected_version, operation=operation)

    @pytest.fixture
    def folder(tmp_path):
        return tmp_path / "data"

    @pytest.fixture(params=["one", "two"])
    def flavour(request):
        return request.param

    def function(): return Plain()
    async def coroutine(): return Plain()
    def generator(tmp_path): yield Plain()
    async def async_generator(folder): yield Plain()
    @contextlib.contextmanager
    def manager(): yield Plain()
    @contextlib.asynccontextmanager
    async def async_manager(tmp_path, folder): yield Plain()
    def parametrized(flavour): return Plain()
    def optional(tmp_path, extra=None): return Plain()

    def raising(): raise RuntimeError("no server here")
    def nothing(): return None
    def a_class(): return Plain
    def misnamed(tmp_pth): return Plain()
    number = 3

    @pytest.fixture
    def dying(): raise OSError("the disk is gone")
    def on_a_dead_fixture(dying): return Plain()
"""


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs pytest on the stores above, on a few clauses, at the quick budget."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyfile(mystores=textwrap.dedent(STORES))

    def run_pytest(*arguments: str, quick: bool = True) -> pytest.RunResult:
        budget = ["--memory-store-budget=quick", "--memory-store-seed=1"] if quick else []
        return pytester.runpytest("-p", "no:cacheprovider", "-p", "no:randomly", *budget, *arguments)

    return run_pytest


FACTORIES = [
    "Plain",
    "function",
    "coroutine",
    "generator",
    "async_generator",
    "manager",
    "async_manager",
    "parametrized",
    "optional",
]


@pytest.mark.parametrize("factory", FACTORIES)
def test_every_kind_of_factory_opens_a_store(run: Run, factory: str) -> None:
    """A class, functions of all kinds and context managers are opened, with fixtures for their parameters."""
    result = run(f"--memory-store=mystores:{factory}", "-k", "CAS-01 or CAS-03")
    result.assert_outcomes(
        passed=4 if factory == "parametrized" else 2, deselected=result.parseoutcomes()["deselected"]
    )


def test_node_ids_are_clauses(run: Run) -> None:
    """Items are named by clause, and a node id as argument runs that clause alone."""
    result = run("--memory-store=mystores:Plain", "memory-store::CAS-01", "-v")
    result.stdout.fnmatch_lines(["memory-store::CAS-01 PASSED*"])
    result.assert_outcomes(passed=1, deselected=result.parseoutcomes()["deselected"])


def test_a_broken_clause_fails_under_its_own_id(run: Run) -> None:
    """The item of the broken clause fails, with the calls that show it; its neighbours pass."""
    result = run("--memory-store=mystores:BlindWrites", "-k", "CAS-02 or CAS-05", "-v")
    result.stdout.fnmatch_lines(["memory-store::CAS-02 FAILED*"])
    result.stdout.fnmatch_lines(["*CAS-02*", "*1. write(S + '/a.md'*"])
    assert result.ret == 1


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ("mystores", "*expected module:attribute*"),
        ("nowhere:Store", "*no module 'nowhere'*"),
        ("mystores:Plian", "*has no 'Plian'; did you mean 'Plain'*"),
        ("mystores:number", "*is a int, not something to call*"),
        ("mystores:misnamed", "*parameter 'tmp_pth'*did you mean 'tmp_path'*"),
        ("fixture", "*memory_store_factory*"),
    ],
)
def test_a_bad_spec_is_one_usage_error(run: Run, spec: str, lines: str) -> None:
    """A spec that names nothing usable ends the run with exit code 4 and says what would work."""
    result = run(f"--memory-store={spec}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([lines])


@pytest.mark.parametrize(
    ("option", "lines"),
    [
        ("--memory-store-budget=soon", "*budget 'soon': expected quick, standard, deep*"),
        ("--memory-store-budget=0s", "*budget '0s'*"),
        ("--memory-store-seed=x", "*--memory-store-seed=x: expected a whole number*"),
        ("--memory-store-timeout=0", "*--memory-store-timeout=0: expected a number of seconds above 0*"),
        ("--memory-store-claims=durabel", "*unknown claim 'durabel'; did you mean 'durable'*"),
        ("--memory-store-claims=durable=yes", "*this claim takes no value*"),
        ("--memory-store-claims=max_path_chars", "*expected max_path_chars=<int>*"),
    ],
)
def test_a_bad_option_is_one_usage_error(run: Run, option: str, lines: str) -> None:
    """An option that cannot be understood ends the run with exit code 4 and says what was expected."""
    result = run("--memory-store=mystores:Plain", option, quick=False)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([lines])


@pytest.mark.parametrize(
    ("factory", "reason"),
    [("raising", "no server here"), ("nothing", "the factory gave None"), ("a_class", "the class Plain")],
)
def test_a_dead_factory_is_one_failure(run: Run, factory: str, reason: str) -> None:
    """The first item says why the store could not be opened, and the rest is skipped for that reason."""
    result = run(f"--memory-store=mystores:{factory}", "-rs")
    outcomes = result.parseoutcomes()
    assert outcomes["failed"] == 1
    assert "passed" not in outcomes
    result.stdout.fnmatch_lines([f"*could not be opened*{reason}*"])
    assert result.ret == 1


def test_a_dead_fixture_is_one_error(run: Run) -> None:
    """A fixture of the factory that raises is reported once."""
    result = run("--memory-store=mystores:on_a_dead_fixture")
    outcomes = result.parseoutcomes()
    assert outcomes["errors"] == 1
    assert "passed" not in outcomes


def test_without_a_store_nothing_is_collected(run: Run, pytester: pytest.Pytester) -> None:
    """The plugin is inert unless a store is given."""
    pytester.makepyfile(test_mine="def test_mine(): pass")
    run(quick=False).assert_outcomes(passed=1)


def test_with_a_path_both_run(run: Run, pytester: pytest.Pytester) -> None:
    """With a path on the command line the contract and the path's tests run; without one the contract alone."""
    pytester.makepyfile(test_mine="def test_mine(): pass")
    run("--memory-store=mystores:Plain", "-k", "CAS-01 or mine").assert_outcomes(
        passed=1,
        deselected=run("--memory-store=mystores:Plain", "-k", "CAS-01").parseoutcomes()["deselected"],
    )
    both = run("--memory-store=mystores:Plain", ".", "-k", "CAS-01 or test_mine")
    assert both.parseoutcomes()["passed"] == 2


def test_ini_options_stand_for_the_command_line(run: Run, pytester: pytest.Pytester) -> None:
    """With the store in the ini file, a plain `pytest` runs the contract and the project's tests."""
    pytester.makeini(
        """
        [pytest]
        memory_store = mystores:Plain
        memory_store_budget = quick
        """
    )
    pytester.makepyfile(test_mine="def test_mine(): pass")
    result = run("-k", "CAS-01 or test_mine", quick=False)
    assert result.parseoutcomes()["passed"] == 2


def test_a_fixture_overrides_the_factory(run: Run, pytester: pytest.Pytester) -> None:
    """`--memory-store=fixture` takes the factory from a conftest, wherever it lies."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def memory_store_factory(tmp_path):
            from mystores import Plain
            return Plain
        """
    )
    result = run("--memory-store=fixture", "-k", "CAS-01", "-v")
    result.stdout.fnmatch_lines(["memory-store::CAS-01 PASSED*"])


def test_two_conftests_that_differ_are_a_usage_error(run: Run, pytester: pytest.Pytester) -> None:
    """Two conftests that both define a fixture leave no way to choose, and both are named."""
    for folder in ("tests_a", "tests_b"):
        path = pytester.mkdir(folder) / "conftest.py"
        path.write_text("import pytest\n@pytest.fixture\ndef memory_store_factory(): return None\n", encoding="utf-8")
    result = run("--memory-store=fixture", "tests_a", "tests_b")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*memory_store_factory*tests_a*tests_b*"])


def test_several_stores_have_their_own_items(run: Run) -> None:
    """With two stores the items carry the store's name."""
    result = run("--memory-store=mystores:Plain", "--memory-store=mystores:generator", "-k", "CAS-01", "-v")
    result.stdout.fnmatch_lines(["memory-store?mystores-Plain?::CAS-01 PASSED*"])
    result.stdout.fnmatch_lines(["memory-store?mystores-generator?::CAS-01 PASSED*"])


def test_xdist_runs_the_same_items(run: Run) -> None:
    """Under xdist the items run on workers, and a broken clause fails there."""
    result = run("--memory-store=mystores:BlindWrites", "-n", "2", "-k", "CAS-01 or CAS-02")
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["failed"]) == (1, 1)
    assert result.ret == 1


@pytest.mark.usefixtures("run")
def test_last_failed_reruns_the_clause(pytester: pytest.Pytester) -> None:
    """`--lf` after a failure runs the broken clause alone."""
    arguments = [
        "--memory-store=mystores:BlindWrites",
        "--memory-store-budget=quick",
        "--memory-store-seed=1",
    ]
    pytester.runpytest(*arguments, "-k", "CAS-01 or CAS-02")
    result = pytester.runpytest(*arguments, "--lf", "-v")
    assert result.parseoutcomes()["failed"] == 1
    assert "passed" not in result.parseoutcomes()


def test_user_settings_for_names_do_not_matter(run: Run, pytester: pytest.Pytester) -> None:
    """`python_files`, `python_functions` and importmode of the project leave our items alone."""
    pytester.makeini("[pytest]\npython_files = check_*.py\npython_functions = check_*\n")
    result = run("--memory-store=mystores:Plain", "--import-mode=importlib", "-k", "CAS-01", "--co", "-q")
    result.stdout.fnmatch_lines(["memory-store::CAS-01"])


def test_the_same_seed_draws_the_same_programs(run: Run) -> None:
    """Two runs with one seed and plan print the same transcript, random names apart."""
    arguments = ("--memory-store=mystores:BlindWrites", "memory-store::CAS-02", "--memory-store-budget=x0.5")
    first, second = ([line for line in run(*arguments, quick=False).outlines if "write(" in line] for _ in range(2))
    assert first
    assert first == second
