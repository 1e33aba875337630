"""Writes a violation as a stand-alone script that needs nothing but the store.

The script makes the recorded calls on a fresh scope, prints what they answer, and compares the last answer
with the recorded one. Its second half is the source of `replay`. Must not know: pytest, files, verdicts.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_memory_store.calls import Hung, Raised, Returned, arguments
from pytest_memory_store.clauses import CATALOGUE
from pytest_memory_store.report import replay
from pytest_memory_store.store_spec import FIXTURE_SPEC
from pytest_memory_store.transcript import Names, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DEADLINE = 10.0
"""Seconds that a script waits for one call, unless a recorded call waited for another time."""

_SECRET = re.compile(r"://[^/@\s]*:[^/@\s]+@|password=")
_SECRET_NAME = re.compile(r"secret|token|password|api_?key|credential", re.IGNORECASE)
"""What a script must not carry into a bug report."""
_OWN_PACKAGE = __name__.partition(".")[0]

_TEMPLATE = '''\
"""{title}

Run this script where {spec} can be imported. It ends with status 1 where the store still answers in this
way, with 0 where it does not, and with 2 where that cannot be said.
"""

{imports}

STORE = {store}
WRONG = {message}
EXPECTED = {expected}
ACTUAL = {actual}
DEADLINE = {deadline!r}  # seconds for one call

{scope}


def parameters(tmp_path):
    """Give what the factory is called with; `tmp_path` is a folder that is deleted afterwards."""
    return {{{parameters}}}


async def calls(step):
    """Make the calls; S is the scope that they work in, m1 what the first one answered."""
{calls}


RECORDED = [{recorded}]  # what the calls answered


def main():
    """Run the calls and say whether the store is still wrong."""
    print(__doc__.splitlines()[0])
    print(f"\\nwhat is wrong: {{WRONG}}\\nexpected: {{shorten(EXPECTED)}}\\nactual: {{shorten(ACTUAL)}}\\n")
    return reproduce(STORE, parameters, calls, S, RECORDED, DEADLINE)


# What follows is the same in every such script.


{replay}

if __name__ == "__main__":
    sys.exit(main())
'''


def render_script(
    transcript: Transcript,
    spec_text: str,
    parameters: Mapping[str, Any],
    claims: Mapping[str, Any],
    clause: str,
    message: str,
    expected: str,
    actual: str,
) -> str:
    """Return the script for a transcript whose last answer breaks `clause`; it is pure ASCII.

    `parameters` are the values of the fixtures that the factory was called with. What cannot be written
    down, and a password in a URL, becomes a `FILL_IN`.
    """
    transcript = transcript.whole()
    names = Names(transcript.scope, exact=True)
    calls = _calls(transcript, names)
    imports, body = _replay()
    spec = "" if spec_text == FIXTURE_SPEC else spec_text
    return _TEMPLATE.format(
        title=_title(clause, claims),
        spec=f"`{spec.partition(':')[0]}`" if spec else "the store",
        imports=imports.replace("import re\n", "import re\nimport secrets\n"),
        store=f"{spec!a}" if spec else '""  # FILL_IN: module:attribute of the factory, which was a fixture',
        message=ascii(message),
        expected=ascii(transcript.plain(expected)),
        actual=ascii(transcript.plain(actual)),
        recorded=_indented(ascii(answer) for answer in recorded_answers(transcript, parameters)),
        deadline=_deadline(transcript),
        scope="\n".join(_fresh(transcript.scope, names)),
        parameters=_parameters(parameters),
        calls="\n".join(f"    {line}" for line in calls),
        replay=body,
    )


def recorded_answers(transcript: Transcript, parameters: Mapping[str, Any]) -> list[str]:
    """Return the answers of a transcript as a script describes them."""
    symbols = replay.Symbols(transcript.scope, parameters)
    answers: list[str] = []
    for number, step in enumerate(transcript.steps, 1):
        positional, keywords = arguments(step.call)
        symbols.see(*positional, *keywords.values())
        match step.outcome:
            case Returned(value):
                answers.append(symbols.returned(number, step.call.method, positional and positional[0], value))
            case Raised(error):
                answers.append(symbols.raised(error))
            case _:
                answers.append(replay.NO_ANSWER)
    return answers


def _title(clause: str, claims: Mapping[str, Any]) -> str:
    known = CATALOGUE.get(clause)
    sentence = f": a store {known.sentence}" if known else ""
    claimed = ", ".join(name if value is True else f"{name}={value}" for name, value in claims.items())
    title = f"{clause} is broken{sentence}.{f' The store claims {claimed}.' if claimed else ''}"
    return title.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"""', "'''")


def _replay() -> tuple[str, str]:
    """Return the imports, and the rest, of the source that every script has."""
    source = inspect.getsource(replay)
    imports = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines = [re.sub(r"  # (noqa|type:).*", "", line) for line in source.splitlines()]
    first, last = imports[0].lineno - 1, imports[-1].end_lineno
    return "\n".join(lines[first:last]), "\n".join(lines[last:]).strip()


def _operation(transcript: Transcript) -> Iterator[str]:
    """Give the line by which the script comes by its class of operations, where a call needs it."""
    operations: list[object] = [getattr(step.call, "operation", None) for step in transcript.steps]
    for operation in filter(None, operations):
        kind = type(operation)
        is_public = kind.__module__.partition(".")[0] != _OWN_PACKAGE and "<" not in kind.__qualname__
        spec = f"{kind.__module__}:{kind.__qualname__}"
        yield f"Operation = load({spec!a})" if is_public else "Operation = PlainOperation"
        return


def _fresh(scope: str, names: Names) -> Iterator[str]:
    """Give the lines that make the scope and the ids of operations anew."""
    tenant, slash, _ = scope.rpartition("/")
    yield f"S = {tenant + slash + 'kit'!a} + secrets.token_hex(6)"
    for name in names.operations.values():
        yield f'{name} = "kit-" + secrets.token_hex(16)'


def _calls(transcript: Transcript, names: Names) -> list[str]:
    written: list[str] = []
    for number, step in enumerate(transcript.steps, 1):
        written.append(f"await step({', '.join([repr(step.call.method), *names.arguments(step.call)])})")
        names.learn(number, step)
    numbered = enumerate(written, 1)
    lines = [f"m{n} = {line}" if n in names.referred else line for n, line in numbered]
    return [*_operation(transcript), *lines] or ["del step  # what is wrong shows without a call"]


def _indented(lines: Iterable[str]) -> str:
    """Return the items of a list, one to a line."""
    written = "".join(f"    {line},\n" for line in lines)
    return f"\n{written}" if written else ""


def _parameters(parameters: Mapping[str, Any]) -> str:
    if not parameters:
        return ""
    lines = [f"        {name!r}: {_parameter(name, value)},\n" for name, value in parameters.items()]
    return f"\n{''.join(lines)}    "


def _parameter(name: str, value: object) -> str:
    if name == "tmp_path":
        return "tmp_path"
    if isinstance(value, Path):
        return f"Path({str(value)!a})"
    if _SECRET_NAME.search(name) or (isinstance(value, str) and _SECRET.search(value)):
        return f"FILL_IN({f'{name}, which holds a secret'!a})"
    written = ascii(value) if type(value) in _PLAIN else ""
    return written if _means(written, value) else f"FILL_IN({f'{name}, a {_kind(value)}'!a})"


_PLAIN = (str, int, bool, float, bytes, type(None), list, tuple, dict)


def _means(written: str, value: object) -> bool:
    try:
        return bool(ast.literal_eval(written) == value)
    except (ValueError, SyntaxError):
        return False


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _deadline(transcript: Transcript) -> float:
    waited = [step.outcome.seconds for step in transcript.steps if isinstance(step.outcome, Hung)]
    return float(waited[-1]) if waited else DEADLINE
