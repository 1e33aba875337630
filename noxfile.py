"""The project's chores as nox sessions, each in an environment of its own made from `requirements/dev.txt`.

`nox -l` lists them; a plain `nox` runs those that have to pass before a change lands.
Must not know: anything about stores or clauses but the specs of the reference stores.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

LOCK = "requirements/dev.txt"
PYTHONS = ["3.11", "3.12", "3.13"]
PRERELEASES = [version for version in ["3.14"] if shutil.which(f"python{version}")]
HARNESS = "pydantic-ai-harness"
FIELD_STORES = {
    "harness_in_memory": [HARNESS],
    "harness_sqlite": [HARNESS],
    "harness_file": [HARNESS],
    "memory_core_kv": [HARNESS, "pydantic-ai-memory-core"],
}
"""The released stores that are judged, by the factory's name in `tools/field_stores.py`, and what each needs."""
REFERENCE_STORES = [f"reference_stores.{store}:open_store" for store in ("in_memory", "sqlite", "postgres")]

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_external_run = True
nox.options.sessions = ["lint", "types", "tests", "conformance", "docs"]


def install_locked(session: nox.Session) -> None:
    """Install what the lock pins, then the project itself, editable.

    Two commands, since pip refuses an editable requirement while it checks hashes.
    The second fetches nothing: the build backend is in the lock.
    """
    session.install("--require-hashes", "-r", LOCK)
    session.install("--no-deps", "--no-build-isolation", "-e", ".")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting and the directions of imports."""
    install_locked(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports", "--no-logo")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, with both checkers at their strictest."""
    install_locked(session)
    session.run("mypy")
    session.run("pyright", env={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"})


@nox.session(python=PYTHONS + PRERELEASES)
def tests(session: nox.Session) -> None:
    """Run the test suite; arguments after `--` go to pytest."""
    install_locked(session)
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[0], venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """Run the tests with the oldest releases that pyproject.toml allows, which only uv can choose."""
    session.install("--resolution=lowest-direct", "-e", ".[dev]")
    session.run("pytest", *session.posargs)


@nox.session
@nox.parametrize("spec", REFERENCE_STORES)
def conformance(session: nox.Session, spec: str) -> None:
    """Judge one reference store; arguments after `--` go to pytest."""
    install_locked(session)
    session.run("pytest", f"--memory-store={spec}", *session.posargs)


@nox.session(name="kill-matrix")
def kill_matrix(session: nox.Session) -> None:
    """Run every faulty and odd store through the kit and write `docs/kill-matrix.md`; `-- --check` only looks."""
    install_locked(session)
    session.run("python", "tools/kill_matrix.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure the kit and the reference stores against the released ones; `-- rig` and the like for a part."""
    install_locked(session)
    session.install(HARNESS)
    session.run("python", "tools/bench.py", *session.posargs)


@nox.session
@nox.parametrize("store", list(FIELD_STORES))
def field(session: nox.Session, store: str) -> None:
    """Judge a released store in an environment of its own; the last one writes `docs/field-report.md`."""
    install_locked(session)
    session.install(*FIELD_STORES[store])
    folder = Path(session.cache_dir).resolve() / "field"
    session.run("python", "tools/field.py", "judge", store, str(folder / store))
    folders = [folder / name for name in FIELD_STORES]
    if all((path / "report.json").exists() for path in folders):
        session.run("python", "tools/field.py", "write", *map(str, folders))


@nox.session
def docs(session: nox.Session) -> None:
    """Check that generated pages are up to date and that links between pages lead somewhere."""
    install_locked(session)
    session.run("pytest", "tests/test_docs.py", "tests/conformance/test_clauses.py", *session.posargs)


@nox.session
def lock(session: nox.Session) -> None:
    """Write the lock from pyproject.toml; `nox -s lock -- --upgrade` also takes newer releases."""
    session.install("uv")
    session.run(
        *("uv", "pip", "compile", "pyproject.toml", "--extra=dev", f"--output-file={LOCK}", "--quiet"),
        *("--universal", "--python-version=3.11", "--generate-hashes"),
        # A lock is the same for every reader, whatever index or machine it was made with.
        *("--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command=nox -s lock"),
        *session.posargs,
    )
