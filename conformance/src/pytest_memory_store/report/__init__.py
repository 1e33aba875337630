"""What a run says: the verdict, and its writers for people and for machines.

`verdict` and `ledger` decide; `terminal`, `failure`, `json_report`, `junit` and `script` write, each a module to
import where it is used; `files` puts their work into the report folder.
"""

from pytest_memory_store.report.facts import RunFacts
from pytest_memory_store.report.files import ReportError
from pytest_memory_store.report.ledger import Ledger, LedgerError
from pytest_memory_store.report.verdict import ClauseResult, RunResult, State, Verdict, exit_code, judge_run

__all__ = [
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
