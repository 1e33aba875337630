"""The calls of one example with their results, as text a person reads and as Python that runs without the kit.

Must not know: pytest, the model, the rig. Random names are written as what they stand for: the scope as `S`,
a version as the step that answered it (`m3.version`), an operation id as `op1`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pytest_memory_store.calls import Call, Hung, MemoryOperation, Outcome, Raised, Returned, arguments

_LONG = 72


@dataclass(slots=True)
class Step:
    """One call and what came of it; `outcome` is `None` while the call is under way."""

    call: Call
    outcome: Outcome | None = None


@dataclass(slots=True)
class Transcript:
    """The steps of one example, in order, and the scope they worked under."""

    scope: str
    steps: list[Step] = field(default_factory=list)

    def begin(self, call: Call) -> Step:
        """Note that `call` is about to be made."""
        step = Step(call)
        self.steps.append(step)
        return step

    def render(self) -> list[str]:
        """One line per step: its number, the call as Python, and what it answered."""
        names = Names(self)
        lines: list[str] = []
        for number, step in enumerate(self.steps, 1):
            call = names.call(step.call, short=True)
            lines.append(f"{number}. {call}")
            lines.append(f"   -> {names.outcome(step.outcome, short=True)}")
            names.learn(number, step)
        return lines


class Names:
    """Gives the random strings of a transcript their meaning; later steps refer to earlier ones."""

    def __init__(self, transcript: Transcript) -> None:
        self.scope = transcript.scope
        self.versions: dict[str, str] = {}
        self.operations: dict[str, str] = {}

    def learn(self, number: int, step: Step) -> None:
        """Remember the version that this step was the first to answer."""
        if isinstance(step.outcome, Returned):
            version = getattr(step.outcome.value, "version", None)
            if isinstance(version, str) and version:
                self.versions.setdefault(version, f"m{number}.version")

    def text(self, value: str, *, short: bool) -> str:
        """A string as a Python expression, by its meaning where it has one."""
        if value in self.versions:
            return self.versions[value]
        if value in self.operations:
            return self.operations[value]
        if self.scope and value.startswith(self.scope):
            rest = value[len(self.scope) :]
            return f"S + {self.literal(rest, short=short)}" if rest else "S"
        return self.literal(value, short=short)

    @staticmethod
    def literal(value: str, *, short: bool) -> str:
        """A string literal; repetitions are written as products, and shown short where only a person reads them."""
        if len(value) <= _LONG:
            return repr(value)
        for width in (1, 2, 3, 4, 8, 16):
            unit, rest = value[:width], value[len(value) - len(value) % width :]
            if unit * (len(value) // width) + rest == value:
                tail = f" + {rest!r}" if rest else ""
                return f"{unit!r} * {len(value) // width:_}{tail}"
        return f"{value[:40]!r}... ({len(value):_} characters)" if short else repr(value)

    def operation(self, operation: MemoryOperation, *, short: bool) -> str:
        """An operation as a constructor call, its id by the name of the first use."""
        if operation.id not in self.operations and len(operation.id) > 8:
            self.operations[operation.id] = f"op{len(self.operations) + 1}"
        return f"Op({self.text(operation.id, short=short)}, {self.text(operation.fingerprint, short=short)})"

    def value(self, value: Any, *, short: bool) -> str:
        """Any argument or result as a Python expression."""
        if isinstance(value, str):
            return self.text(value, short=short)
        if isinstance(value, MemoryOperation) or {"id", "fingerprint"} <= set(
            getattr(value, "__dataclass_fields__", ())
        ):
            return self.operation(value, short=short)
        if isinstance(value, list):
            items = [self.value(item, short=short) for item in value]
            return f"[{', '.join(items[:12])}{f', ... ({len(items)} in all)' if len(items) > 12 and short else ''}]"
        if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            return ", ".join(
                f"{name}={self.value(getattr(value, name, '<missing>'), short=short)}"
                for name in value.__dataclass_fields__
            )
        return repr(value) if not short else shorten(repr(value), 200)

    def call(self, call: Call, *, short: bool) -> str:
        """The call as Python, without `await` and the store."""
        positional, keywords = arguments(call)
        parts = [self.value(a, short=short) for a in positional]
        parts += [f"{name}={self.value(a, short=short)}" for name, a in keywords.items()]
        return f"{call.method}({', '.join(parts)})"

    def outcome(self, outcome: Outcome | None, *, short: bool) -> str:
        """What came of a call, in one line."""
        match outcome:
            case None:
                return "(interrupted)"
            case Returned(value):
                return self.value(value, short=short)
            case Raised(error, where):
                return f"raised {type(error).__name__}: {shorten(self.plain(str(error)), 160)} (at {where})"
            case Hung(seconds):
                return f"did not return within {seconds:g} s"

    def plain(self, text: str) -> str:
        """Text of the store's own, with the random scope written as `S`."""
        return text.replace(self.scope, "S") if self.scope else text


def shorten(text: str, most: int) -> str:
    """`text`, cut to `most` code points with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
