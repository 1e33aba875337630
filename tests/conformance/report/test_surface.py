"""The package's public surface is short and guarded."""

from __future__ import annotations

import subprocess
import sys

from pytest_memory_store import report


def test_the_public_names_are_sorted_and_there() -> None:
    """What `__all__` says is there, and what is added has to be said."""
    assert report.__all__ == sorted(report.__all__)
    assert report.__all__ == [
        "ClauseResult",
        "Ledger",
        "LedgerError",
        "ReportError",
        "RunFacts",
        "RunResult",
        "State",
        "Verdict",
        "exit_code",
        "judge_run",
    ]
    assert all(hasattr(report, name) for name in report.__all__)


def test_the_verdict_needs_no_pydantic() -> None:
    """Only what writes JSON imports it, so that an xdist worker starts fast."""
    program = "import pytest_memory_store.report, sys; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=30).returncode == 0
