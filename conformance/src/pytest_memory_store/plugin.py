"""The pytest plugin: options and hooks.

Imports nothing heavy until a store is given: a run without `--memory-store` costs one module and no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_memory_store.session import Session

SESSION: pytest.StashKey[Session] = pytest.StashKey()

_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("budget", {"metavar": "BUDGET", "help": "quick, standard (default), deep, or a time such as 90s"}),
    ("seed", {"metavar": "N", "help": "seed of the drawn programs (default: a new one, which is printed)"}),
    ("known-failures", {"metavar": "FILE", "help": "TOML ledger of known failures, by clause"}),
    (
        "report",
        {"metavar": "DIR", "help": "write report.json and a stand-alone script per broken clause into DIR"},
    ),
    ("timeout", {"metavar": "SECONDS", "help": "deadline of one call of the store (default: 10)"}),
    ("postgres-dsn", {"metavar": "DSN", "help": "the server on which the fixture postgres_dsn makes its databases"}),
    ("require", {"metavar": "VERDICT", "help": "`conformant`: an incomplete run fails, whoever caused it"}),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each of them also an ini option of the same name with underscores."""
    group = parser.getgroup("memory-store", "judge an agent-memory store against the MemoryStore contract")
    group.addoption(
        "--memory-store",
        action="append",
        default=None,
        metavar="SPEC",
        help="the store to judge: module:attribute of a class, function, (async) generator or context manager; "
        "or `fixture` for a memory_store_factory fixture. May be given several times",
    )
    group.addoption(
        "--memory-store-claims",
        action="append",
        default=None,
        metavar="CLAIMS",
        help="what the store claims, such as durable,max_path_chars=300 (`SPEC=...` with several stores)",
    )
    group.addoption("--memory-store-strict", action="store_true", default=None, help="a broken SHOULD fails too")
    group.addoption("--memory-store-list", action="store_true", default=False, help="print the clauses and stop")
    for name, keywords in _OPTIONS:
        group.addoption(f"--memory-store-{name}", default=None, **keywords)
        parser.addini(f"memory_store_{name.replace('-', '_')}", keywords["help"])
    parser.addini("memory_store", "the stores to judge, as --memory-store", type="linelist")
    parser.addini("memory_store_claims", "what the stores claim, as --memory-store-claims", type="linelist")
    parser.addini("memory_store_strict", "a broken SHOULD fails too", type="bool", default=False)


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Print the clauses and stop, where that is asked for."""
    if not config.getoption("memory_store_list"):
        return None
    from pytest_memory_store.report import terminal

    print("\n".join(terminal.clause_list()))
    return 0


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Load the stores that the options name; without any, do nothing at all."""
    specs = config.getoption("memory_store") or config.getini("memory_store")
    if not specs or config.getoption("memory_store_list"):
        return
    from pytest_memory_store.session import Session

    session = Session(config, list(specs))
    config.stash[SESSION] = session
    config.pluginmanager.register(session, "memory-store-session")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Insert the contract first in the session, so that `--lf` cannot skip it with a file that failed."""
    report = yield
    session = collector.config.stash.get(SESSION, None)
    if session is not None and isinstance(collector, pytest.Session) and report.passed:
        report.result[:0] = session.collectors(collector)
    return report
