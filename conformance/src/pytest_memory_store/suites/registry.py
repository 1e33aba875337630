"""Binds checks to clauses.

A check is an async function that gets an `Example` and, by keyword, what its strategies drew. It names the one
clause it judges; whatever else its calls show is booked too, on the clause that says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis.strategies import SearchStrategy

CheckFunction = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    """One way to put a clause to the test.

    `examples` is how many are run at the standard budget (1 for a check that draws nothing); `calls` is about how
    many calls one example makes, for the plan. `needs` are capabilities beyond the clause's own.
    """

    clause: str
    function: CheckFunction
    strategies: Mapping[str, SearchStrategy[Any]] = field(default_factory=dict[str, SearchStrategy[Any]])
    examples: int = 1
    calls: int = 10
    needs: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The function's name, for reports and seeds."""
        return self.function.__name__


CHECKS: dict[str, list[Check]] = {}
"""The checks by the clause, or the exploration, that they belong to."""


def check(
    clause: str, *, examples: int = 20, calls: int = 10, needs: str = "", **strategies: SearchStrategy[Any]
) -> Callable[[CheckFunction], CheckFunction]:
    """Register the decorated function as a check of `clause`, run on `examples` draws of `strategies`."""

    def register(function: CheckFunction) -> CheckFunction:
        drawn = examples if strategies else 1
        made = Check(clause, function, strategies, drawn, calls, frozenset(needs.split()))
        CHECKS.setdefault(clause, []).append(made)
        return function

    return register
