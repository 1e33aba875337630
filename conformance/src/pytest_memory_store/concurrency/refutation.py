"""What a checker says when a history cannot be right: the operations that prove it, and a plain sentence.

Data only. Must not know: how a refutation is found or printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_memory_store.concurrency.history import Operation


@dataclass(frozen=True, slots=True)
class Refutation:
    """Why no correct store can have given the answers of a history.

    `rule` is a short name for counting, such as `lost-update`; `sentence` says it to a person; `operations` are those
    that prove it, two or three as a rule, in the order of their invocations.
    """

    rule: str
    sentence: str
    operations: tuple[Operation, ...]


def refutation(rule: str, sentence: str, *operations: Operation) -> Refutation:
    """A refutation by these operations, which may come in any order, and more than once."""
    ordered = sorted(dict.fromkeys(operations), key=lambda operation: operation.invoke)
    return Refutation(rule, sentence, tuple(ordered))


class Objection(Exception):  # noqa: N818 - it carries a finding about the history; nothing went wrong in the checker
    """Raised inside a checker at the first thing that does not fit.

    `certain` says that the refutation proves the history wrong. Otherwise the objection rests on a choice between
    several possible orders of the calls, and only a search over them can tell.
    """

    def __init__(self, rule: str, sentence: str, *operations: Operation, certain: bool = True) -> None:
        super().__init__(sentence)
        self.refutation = refutation(rule, sentence, *operations)
        self.certain = certain


def named(version: str | None) -> str:
    """How a sentence speaks of a version, which may be long."""
    if version is None:
        return "no file"
    return f"version {version}" if len(version) <= 24 else f"version {version[:20]}..."
