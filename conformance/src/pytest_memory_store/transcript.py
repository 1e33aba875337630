"""The calls of one example with their results, as text a person reads and as Python that runs without the kit.

Must not know: pytest, the model, the rig. Random names are written as what they stand for: the scope as `S`,
a version as the step that answered it (`m3.version`), a random operation id as `op1`.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, cast

from pytest_memory_store.calls import UNSET, Call, Hung, ListPaths, Outcome, Raised, Returned, arguments

_LONG = 72
_MANY = 12
_OPERATION_ID = r"kit-[0-9a-f]{32}"
"""The form of an operation id that means nothing by itself."""
_WORD = re.compile(r"[\w-]{8,}")
"""What may be a version in a text of the store's own; shorter ones are too likely to be something else."""
_RUN = re.compile(r"(.)\1{23,}", re.DOTALL)


@dataclass(slots=True)
class Step:
    """One call and what came of it; `outcome` is `None` while the call is under way.

    `blame` is the clause on which the check booked whatever the call showed, `None` where the model decided.
    """

    call: Call
    outcome: Outcome | None = None
    blame: str | None = None


@dataclass(slots=True)
class Transcript:
    """The steps of one example, in order, and the scope they worked under.

    `earlier` are the steps of cases that came before in this scope: not shown, and played by a script where the
    case builds on them.
    """

    scope: str
    steps: list[Step] = field(default_factory=list[Step])
    earlier: list[Step] = field(default_factory=list[Step])

    def begin(self, call: Call) -> Step:
        """Note that `call` is about to be made."""
        step = Step(call)
        self.steps.append(step)
        return step

    def next_case(self) -> None:
        """Begin anew: what comes is shown without what was."""
        self.earlier += self.steps
        self.steps.clear()

    def copy(self) -> Transcript:
        """The transcript as it is now."""
        return Transcript(self.scope, list(self.steps), list(self.earlier))

    def whole(self) -> Transcript:
        """The transcript with those of the earlier steps in front that touch what its own steps touch."""
        return Transcript(self.scope, [*(step for step in self.earlier if _is_ground(step, self.steps)), *self.steps])

    def render(self) -> list[str]:
        """Return two lines per step: its number with the call as Python, and what it answered."""
        names = Names(self.scope)
        lines: list[str] = []
        for number, step in enumerate(self.steps, 1):
            lines += [f"{number}. {names.call(step.call)}", f"   -> {names.outcome(step)}"]
            names.learn(number, step)
        return lines

    def plain(self, text: str) -> str:
        """Return what was said of these steps with its random names written as what they stand for."""
        names = Names(self.scope)
        for number, step in enumerate(self.steps, 1):
            names.call(step.call)
            names.learn(number, step)
        return names.plain(text)


class Names:
    """Gives the random strings of a transcript their meaning; later steps refer to earlier ones.

    With `exact`, whatever is written is complete, pure ASCII, and Python; otherwise it is cut to what a person
    reads. `referred` are the numbers of the steps that later ones refer to.
    """

    def __init__(self, scope: str, *, exact: bool = False) -> None:
        self.scope = scope
        self.exact = exact
        self.versions: dict[str, str] = {}
        self.operations: dict[str, str] = {}
        self.referred: set[int] = set()
        self._random = re.compile(f"({_OPERATION_ID}{f'|{re.escape(scope)}' if scope else ''})")

    def learn(self, number: int, step: Step) -> None:
        """Remember the version that this step was the first to answer."""
        if isinstance(step.outcome, Returned):
            version = getattr(step.outcome.value, "version", None)
            if isinstance(version, str) and version:
                self.versions.setdefault(version, f"m{number}.version")

    def call(self, call: Call) -> str:
        """Return the call as Python, without `await` and the store."""
        return f"{call.method}({', '.join(self.arguments(call))})"

    def arguments(self, call: Call) -> list[str]:
        """Return the arguments of the call as Python."""
        positional, keywords = arguments(call)
        return [*map(self.value, positional), *(f"{name}={self.field(name, a)}" for name, a in keywords.items())]

    def outcome(self, step: Step) -> str:
        """Return what came of a call, in one line."""
        match step.outcome:
            case None:
                return "no answer"
            case Returned(value):
                return self.value(_own(step.call, value, self.scope))
            case Raised(error):
                return f"raised {type(error).__name__}: {shorten(self.plain(str(error)), 160)}"
            case Hung(seconds):
                return f"did not return within {seconds:g} s"

    def value(self, value: Any) -> str:
        """Return an argument or a result as Python, a result as its fields."""
        if isinstance(value, str):
            return self.text(value)
        if hasattr(value, "id") and hasattr(value, "fingerprint"):
            words = ("id=", "fingerprint=") if self.exact else ("", "")
            return f"Operation({words[0]}{self.text(value.id)}, {words[1]}{self.text(value.fingerprint)})"
        if isinstance(value, list):
            return self._list(cast("list[object]", value))
        if isinstance(value, Mapping):
            pairs = cast("Mapping[object, object]", value).items()
            return f"{{{', '.join(f'{self.value(key)}: {self.value(item)}' for key, item in pairs)}}}"
        if is_dataclass(value) and not isinstance(value, type):
            fields = value.__dataclass_fields__
            return ", ".join(f"{n}={self.field(n, getattr(value, n, '<missing>'))}" for n in fields)
        return self._other(value)

    def field(self, name: str, value: Any) -> str:
        """Return a named argument or field; only there a short text can be a version."""
        if name in ("version", "expected_version") and isinstance(value, str) and value in self.versions:
            return self._refer(self.versions[value])
        return self.value(value)

    def text(self, value: str) -> str:
        """Return a string as Python, the random parts of it by their names."""
        pieces = [piece for piece in self._random.split(value) if piece]
        return " + ".join(self._named(piece) or self.literal(piece) for piece in pieces) or "''"

    def plain(self, text: str) -> str:
        """Return a text of the store's own, the random parts of it by their names."""
        named = self._random.sub(lambda found: self._named(found[0]), text)
        return _WORD.sub(lambda found: self.versions.get(found[0], found[0]), named)

    def literal(self, value: str) -> str:
        """Return a string literal, with repetitions as products."""
        if len(value) <= _LONG:
            return ascii(value) if self.exact else repr(value)
        if product := _product(value):
            return product
        return ascii(value) if self.exact else f"{value[:40]!r}... ({len(value):_} characters)"

    def _named(self, piece: str) -> str:
        """Return the name of a random string, and nothing for any other."""
        if piece == self.scope:
            return "S"
        if re.fullmatch(_OPERATION_ID, piece):
            return self.operations.setdefault(piece, f"op{len(self.operations) + 1}")
        return ""

    def _refer(self, name: str) -> str:
        self.referred.add(int(name.removeprefix("m").removesuffix(".version")))
        return name

    def _list(self, items: list[object]) -> str:
        if self.exact or len(items) <= _MANY:
            return f"[{', '.join(map(self.value, items))}]"
        return f"[{', '.join(map(self.value, items[:_MANY]))}, ... ({len(items)} in all)]"

    def _other(self, value: object) -> str:
        try:
            written = repr(value)
        except Exception as error:  # noqa: BLE001 - a store's own class may do anything
            written = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
        if not self.exact:
            return shorten(self.plain(written), 200)
        return written if _is_python(written) else f"FILL_IN({shorten(written, 200)!a})"


def _is_ground(earlier: Step, steps: list[Step]) -> bool:
    """Whether a case builds on an earlier step: by path, by operation, or by a prefix that it lists or searches."""
    path, operation = getattr(earlier.call, "path", None), getattr(earlier.call, "operation", None)
    for step in steps:
        prefix = getattr(step.call, "prefix", None)
        by_prefix = path is not None and (prefix is UNSET or (isinstance(prefix, str) and path.startswith(prefix)))
        by_path = path is not None and path == getattr(step.call, "path", None)
        if by_path or by_prefix or (operation and operation == getattr(step.call, "operation", None)):
            return True
    return False


def _own(call: Call, value: Any, scope: str) -> Any:
    """Return a result without the names of other people, which a listing of the whole store has."""
    if isinstance(call, ListPaths) and call.prefix in ("", UNSET) and isinstance(value, list):
        paths = cast("list[object]", value)
        return [path for path in paths if not isinstance(path, str) or path.startswith(scope)]
    return value


def _is_python(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
    return True


@functools.lru_cache(maxsize=256)
def _product(value: str) -> str:
    """A string of few repetitions as an expression, and nothing for any other."""
    written = min(_periodic(value), " + ".join(_runs(value)), key=len)
    return written if len(written) < min(2 * _LONG, len(value)) else ""


def _periodic(value: str) -> str:
    """A string as a product of one short unit, and perhaps a rest, or as it is."""
    for width in range(1, 17):
        times, over = divmod(len(value), width)
        unit, rest = value[:width], value[len(value) - over :]
        if unit * times + rest == value:
            return f"{unit!a} * {times:_}{f' + {rest!a}' if rest else ''}"
    return value


def _runs(value: str) -> Iterator[str]:
    """The pieces of a string, with runs of one character as products."""
    at = 0
    for run in _RUN.finditer(value):
        if run.start() > at:
            yield ascii(value[at : run.start()])
        yield f"{run[1]!a} * {len(run[0]):_}"
        at = run.end()
    if at < len(value):
        yield ascii(value[at:])


def shorten(text: str, most: int) -> str:
    """Return `text`, cut to `most` code points with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 3]}..."
