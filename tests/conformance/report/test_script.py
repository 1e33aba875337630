"""A reproduction script runs without the kit, and tells a store that is wrong from one that is right."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memory_store.calls import (
    Call,
    Delete,
    Hung,
    ListPaths,
    MemoryOperation,
    Raised,
    Read,
    Returned,
    Write,
    send,
)
from pytest_memory_store.report.script import recorded_answers, render_script
from pytest_memory_store.transcript import Step, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

S = "kit0123456789ab"
STORE = '''\
"""A tiny store with one fault that can be switched off, and a factory of every kind."""

import asyncio
import contextlib
import dataclasses
import os
import secrets
import time

FAULTY = os.environ.get("FAULTY", "1") == "1"
OPENED = []


class MemoryConflictError(Exception):
    pass


@dataclasses.dataclass
class MemoryOperation:
    id: str
    fingerprint: str


@dataclasses.dataclass
class File:
    content: str
    version: str
    operation_id: str | None = None
    truncated: bool = False


@dataclasses.dataclass
class Mutation:
    version: str | None
    replayed: bool = False
    existed: bool = False


class Store:
    def __init__(self):
        self.files = {"somebody/else.md": File("x", "v0")}
        self.receipts = {}

    async def read(self, path, *, max_chars):
        if path.endswith("busy.md") and FAULTY:
            time.sleep(60)
        if path.endswith("slow.md") and FAULTY:
            await asyncio.sleep(60)
        return self.files.get(path)

    async def write(self, path, content, *, expected_version, operation=None):
        if operation is not None:
            assert type(operation) is MemoryOperation
            if operation.id in self.receipts and not FAULTY:
                return dataclasses.replace(self.receipts[operation.id], replayed=True)
        known = self.files.get(path)
        current = known.version if known else None
        if expected_version != current and not FAULTY:
            raise MemoryConflictError(f"{path} is not at {expected_version}")
        version = secrets.token_hex(8)
        self.files[path] = File(content.rstrip("\\n") if FAULTY else content, version)
        made = Mutation(version, existed=known is not None)
        if operation is not None:
            self.receipts[operation.id] = made
        return made

    async def delete(self, path, *, expected_version, operation=None):
        existed = self.files.pop(path, None) is not None
        return Mutation(None, existed=existed)

    async def list_paths(self, prefix="", *, limit):
        if FAULTY:
            raise RuntimeError(f"boom {secrets.token_hex(4)}")
        return sorted(path for path in self.files if path.startswith(prefix))[:limit]


class AsyncManaged(Store):
    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        print("closed")


class Managed(Store):
    def __enter__(self):
        return None

    def __exit__(self, *_):
        print("closed")


class Closable(Store):
    async def aclose(self):
        print("closed")


class Pool(AsyncManaged):
    def __await__(self):
        raise AssertionError("entered, not awaited")


def function():
    return Store()


async def coroutine():
    return Closable()


def generator():
    yield Store()
    print("closed")


async def async_generator():
    yield Store()
    print("closed")


@contextlib.contextmanager
def manager():
    yield Store()
    print("closed")


@contextlib.asynccontextmanager
async def async_manager():
    yield Store()
    print("closed")


class Names:
    nested = Store


def with_folder(tmp_path, size, name, root, flag):
    assert tmp_path.is_dir() and not list(tmp_path.iterdir())
    assert (size, name, flag) == (5, "caf\\xe9", True)
    assert root.name == "root"
    return Store()


def broken(reason="no server"):
    raise ConnectionError(reason)
'''


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Any]:
    """The tiny store's module, kept in the test's folder."""
    path = tmp_path / "tinystore.py"
    path.write_text(STORE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("tinystore", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tinystore"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["tinystore"]


def record(store: Any, play: Callable[[Callable[[Call], Any]], Any]) -> Transcript:
    """Make calls on a store in this process, and give their transcript."""
    transcript = Transcript(S)

    async def call(made: Call) -> Any:
        step = transcript.begin(made)
        try:
            value = await send(store, made)
        except Exception as error:  # noqa: BLE001 - the store's answer
            step.outcome = Raised(error)
            return error
        step.outcome = Returned(value)
        return value

    asyncio.run(play(call))
    return transcript


def write_and_read(content: str) -> Callable[[Callable[[Call], Any]], Any]:
    """Give a program that writes a text and reads it back."""

    async def play(call: Callable[[Call], Any]) -> None:
        await call(Write(f"{S}/a.md", content, None))
        await call(Read(f"{S}/a.md", 2**31 - 1))

    return play


async def stale(call: Callable[[Call], Any]) -> None:
    """Write with the version before the last."""
    first = await call(Write(f"{S}/a.md", "x", None))
    await call(Write(f"{S}/a.md", "y", first.version))
    await call(Write(f"{S}/a.md", "z", first.version))


def script_of(transcript: Transcript, factory: str = "function", **parameters: Any) -> str:
    """Render the script of a transcript on the tiny store."""
    spec = factory if factory == "fixture" else f"tinystore:{factory}"
    return render_script(transcript, spec, parameters, {"durable": True}, "CAS-02", "it is 'wrong'", "one", "two")


def run(folder: Path, script: str, *, faulty: bool = True, status: int) -> str:
    """Run a script where the store is, and give what it prints, held against the status it should end with."""
    path = folder / "report" / "repro.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(script, encoding="utf-8")
    environment = {**os.environ, "FAULTY": str(int(faulty)), "PYTHONIOENCODING": "ascii:strict"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, "")
    return done.stdout


def test_a_script_shows_the_calls_and_what_is_wrong(tmp_path: Path, tiny: Any) -> None:
    """The whole output, read as a stranger reads it."""
    script = script_of(record(tiny.Store(), write_and_read("line\n")))
    assert run(tmp_path, script, status=1).splitlines() == [
        (
            "CAS-02 is broken: a store replaces a file only when its version equals `expected_version`."
            " The store claims durable."
        ),
        "",
        "what is wrong: it is 'wrong'",
        "expected: one",
        "actual: two",
        "",
        "1. write('S/a.md', 'line\\n', expected_version=None)",
        "   -> version=m1.version, replayed=False, existed=False",
        "2. read('S/a.md', max_chars=2147483647)",
        "   -> content='line', version=m1.version, operation_id=None, truncated=False",
        "",
        "reproduced: every call answered as recorded, which is wrong",
    ]


def test_a_conforming_store_does_not_reproduce(tmp_path: Path, tiny: Any) -> None:
    """The same script says so, and what was recorded."""
    script = script_of(record(tiny.Store(), write_and_read("line\n")))
    assert run(tmp_path, script, faulty=False, status=0).splitlines()[-2:] == [
        "not reproduced: call 2 answered otherwise than recorded, which was",
        "   -> content='line', version=m1.version, operation_id=None, truncated=False",
    ]


@pytest.mark.parametrize(
    ("factory", "closes"),
    [
        ("Store", False),
        ("function", False),
        ("Names.nested", False),
        ("coroutine", True),
        ("generator", True),
        ("async_generator", True),
        ("manager", True),
        ("async_manager", True),
        ("AsyncManaged", True),
        ("Managed", True),
        ("Pool", True),
    ],
)
def test_every_kind_of_factory_is_opened_and_closed(tmp_path: Path, tiny: Any, factory: str, closes: bool) -> None:
    """A script opens the store as the kit does."""
    output = run(tmp_path, script_of(record(tiny.Store(), stale), factory), status=1)
    assert "3. write('S/a.md', 'z', expected_version=m1.version)" in output
    assert ("closed" in output) is closes


def test_versions_are_those_of_the_run_at_hand(tmp_path: Path, tiny: Any) -> None:
    """A stale version stays stale, so a conforming store answers with a conflict."""
    script = script_of(record(tiny.Store(), stale))
    assert "m1 = await step('write', S + '/a.md', 'x', expected_version=None)\n" in script
    assert "    await step('write', S + '/a.md', 'z', expected_version=m1.version)\n" in script
    output = run(tmp_path, script, faulty=False, status=0)
    assert "   -> raised MemoryConflictError: S/a.md is not at m1.version\n" in output


def test_operations_are_of_the_stores_own_class(tmp_path: Path, tiny: Any) -> None:
    """An operation has a fresh id in each run, and the class that the store asks for."""
    operation = tiny.MemoryOperation("kit-" + "0a" * 16, "fp")

    async def twice(call: Callable[[Call], Any]) -> None:
        first = await call(Write(f"{S}/a.md", "x", None, operation))
        await call(Write(f"{S}/a.md", "x", first.version, operation))

    script = script_of(record(tiny.Store(), twice))
    assert 'op1 = "kit-" + secrets.token_hex(16)\n' in script
    assert "    Operation = load('tinystore:MemoryOperation')\n" in script
    assert "op1" in run(tmp_path, script, status=1)
    run(tmp_path, script, faulty=False, status=0)


def test_the_kits_own_class_of_operations_is_not_needed(tiny: Any) -> None:
    """A script never imports the kit."""
    call = Write(f"{S}/a.md", "x", None, MemoryOperation("kit-" + "0a" * 16, "fp"))
    script = script_of(Transcript(S, [Step(call, Returned(tiny.Mutation("v1")))]))
    assert "Operation = PlainOperation\n" in script
    assert "pytest_memory_store" not in script


@pytest.mark.parametrize(
    "content",
    [
        "\n",
        "\r\n\x00\x1b[31m\u2028\ud800\U0001f600e\u0301'\"\\{}\n",
        "\ud800 \r\n" * 500 + "x\n",
        "".join(map(chr, range(1, 3_000))) + "\n",
        "x" * 65_536 + "\n",
    ],
)
def test_contents_are_complete_whatever_they_hold(tmp_path: Path, tiny: Any, content: str) -> None:
    """The store gets the very text; one character less would not be reproduced."""
    script = script_of(record(tiny.Store(), write_and_read(content)))
    assert script.isascii()
    assert "..." not in script.partition("async def calls")[2].partition("def main")[0]
    run(tmp_path, script, status=1)
    run(tmp_path, script, faulty=False, status=0)


def test_parameters_are_written_down(tmp_path: Path, tiny: Any) -> None:
    """Plain values and paths by themselves, `tmp_path` as a folder of the script's own."""
    script = script_of(
        record(tiny.Store(), stale),
        "with_folder",
        tmp_path=tmp_path,
        size=5,
        name="caf\xe9",
        root=Path("/some/root"),
        flag=True,
    )
    assert "        'tmp_path': tmp_path,\n        'size': 5,\n        'name': 'caf\\xe9',\n" in script
    run(tmp_path, script, status=1)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("pool", object(), "pool, a builtins.object"),
        ("pools", [object()], "pools, a builtins.list"),
        ("dsn", "postgresql://me:hunter2@host/db", "dsn, which holds a secret"),
        ("dsn", "host=db password=hunter2", "dsn, which holds a secret"),
        ("api_key", "hunter2", "api_key, which holds a secret"),
    ],
)
def test_what_cannot_or_must_not_be_written_has_to_be_filled_in(
    tmp_path: Path, tiny: Any, name: str, value: Any, said: str
) -> None:
    """An unfilled script says what it lacks; secrets stay out of bug reports."""
    script = script_of(record(tiny.Store(), stale), **{name: value})
    assert f"        '{name}': FILL_IN('{said}'),\n" in script
    assert "hunter2" not in script
    last = run(tmp_path, script, status=2).splitlines()[-1]
    assert last == f"this script cannot run yet; replace FILL_IN by a value of your own: {said}"


def test_a_fixture_of_a_conftest_has_to_be_filled_in(tmp_path: Path, tiny: Any) -> None:
    """No import leads to a factory that is a fixture."""
    script = script_of(record(tiny.Store(), stale), "fixture")
    assert run(tmp_path, script, status=2).endswith("value of your own: STORE\n")
    filled = script.replace('STORE = ""', 'STORE = "tinystore:function"')
    run(tmp_path, filled, status=1)


def test_an_argument_that_is_no_literal_has_to_be_filled_in(tmp_path: Path, tiny: Any) -> None:
    """The script stops at the call that it cannot make."""
    call = Write(f"{S}/a.md", object(), None)  # type: ignore[arg-type]
    script = script_of(Transcript(S, [Step(call, Returned(tiny.Mutation("v1")))]))
    assert "<object object at" in run(tmp_path, script, status=2)


@pytest.mark.parametrize("outcome", [Hung(0.3), None])
@pytest.mark.parametrize("name", ["slow.md", "busy.md"])
def test_a_call_that_never_answers_is_reproduced(tmp_path: Path, name: str, outcome: Hung | None, tiny: Any) -> None:
    """Also one that never yields, which no cancellation ends."""
    del tiny
    script = script_of(Transcript(S, [Step(Read(f"{S}/{name}", 1), outcome)]))
    script = script.replace("DEADLINE = 10.0", "DEADLINE = 0.3").replace("self.deadline + 2", "self.deadline + 0.2")
    assert "   -> no answer in time\n" in run(tmp_path, script, status=1)
    run(tmp_path, script, faulty=False, status=0)


def test_an_error_of_the_store_is_told_by_its_class(tmp_path: Path, tiny: Any) -> None:
    """What it says may differ from run to run."""

    async def listing(call: Callable[[Call], Any]) -> None:
        await call(ListPaths("", 10))

    script = script_of(record(tiny.Store(), listing))
    assert "   -> raised RuntimeError\n" in run(tmp_path, script, status=1)


def test_a_method_that_gives_nothing_to_await_is_told(tmp_path: Path, tiny: Any) -> None:
    """A script says what the kit says of it."""
    with (tmp_path / "tinystore.py").open("a") as module:
        module.write("\n\nclass Blunt(Store):\n    def read(self, path, *, max_chars):\n        return []\n")
    del tiny

    error = TypeError("read gave a list, which cannot be awaited")
    transcript = Transcript(S, [Step(Read(f"{S}/a.md", 1), Raised(error))])
    run(tmp_path, script_of(transcript, "Blunt"), status=1)


def test_other_peoples_names_are_not_looked_at(tmp_path: Path, tiny: Any) -> None:
    """A listing of the whole store is compared by the script's own names."""
    listed = Step(ListPaths("", 10), Returned([f"{S}/a.md", "kit-of-somebody/x.md"]))
    transcript = Transcript(S, [Step(Write(f"{S}/a.md", "x", None), Returned(tiny.Mutation("v1"))), listed])
    assert recorded_answers(transcript, {})[1] == "['S/a.md']"
    output = run(tmp_path, script_of(transcript), faulty=False, status=1)
    assert "somebody" not in output


def test_what_was_written_is_deleted(tmp_path: Path, tiny: Any) -> None:
    """A script leaves the store as it found it, and what others wrote alone."""
    with (tmp_path / "tinystore.py").open("a") as module:
        module.write("\n\ndef shared():\n    yield SHARED\n    print(sorted(SHARED.files))\n\n\nSHARED = Store()\n")
    transcript = record(tiny.Store(), stale)
    transcript.begin(Write("somebody/else.md", "x", None)).outcome = Returned(tiny.Mutation("v9", existed=True))
    assert "['somebody/else.md']" in run(tmp_path, script_of(transcript, "shared"), status=1)


def test_a_case_is_played_on_what_came_before(tmp_path: Path, tiny: Any) -> None:
    """A case that builds on an earlier one fails alone as it failed then."""
    whole = record(tiny.Store(), stale)
    case = Transcript(S, whole.steps[2:], whole.steps[:2])
    script = script_of(case)
    assert "expected_version=m1.version" in script
    run(tmp_path, script, status=1)
    run(tmp_path, script, faulty=False, status=0)


def test_a_right_last_answer_does_not_hide_a_wrong_one(tmp_path: Path, tiny: Any) -> None:
    """What is wrong may show before the last call, so all answers are compared."""

    async def deleted_at_last(call: Callable[[Call], Any]) -> None:
        await write_and_read("line\n")(call)
        await call(Delete(f"{S}/a.md", None))

    script = script_of(record(tiny.Store(), deleted_at_last))
    run(tmp_path, script, status=1)
    assert "not reproduced: call 2 answered" in run(tmp_path, script, faulty=False, status=0)


def test_a_store_that_cannot_be_opened_says_nothing(tmp_path: Path, tiny: Any) -> None:
    """Neither a missing module nor a dead server is a reproduction."""
    transcript = record(tiny.Store(), stale)
    output = run(tmp_path, script_of(transcript, "broken"), status=2)
    assert output.endswith("the store could not be opened: ConnectionError: no server\n")
    lost = script_of(transcript).replace("STORE = 'tinystore", "STORE = 'gonestore")
    assert "could not be opened: ModuleNotFoundError" in run(tmp_path, lost, status=2)


def test_an_earlier_answer_that_differs_is_not_reproduced(tmp_path: Path, tiny: Any) -> None:
    """A later call may need a version that was not given this time."""
    transcript = Transcript(
        S,
        [
            Step(Delete(f"{S}/a.md", None), Returned(tiny.Mutation(None))),
            Step(Read(f"{S}/a.md", 1), Returned(tiny.File("x", "v2"))),
            Step(Delete(f"{S}/a.md", "v2"), Returned(tiny.Mutation(None))),
        ],
    )
    output = run(tmp_path, script_of(transcript), status=0)
    assert "not reproduced: call 2 answered otherwise than recorded, which was\n   -> content='x'" in output


def test_what_shows_without_a_call_cannot_be_run(tmp_path: Path, tiny: Any) -> None:
    """A violation may lie in a signature; the script says that it is to be compared by hand."""
    del tiny
    assert "by hand" in run(tmp_path, script_of(Transcript(S)), status=2)


def test_a_bound_store_gets_a_scope_of_its_tenant(tiny: Any) -> None:
    """The fresh scope lies where the recorded one lay."""
    script = render_script(
        Transcript(f"acme/{S}", [Step(Read(f"acme/{S}/a.md", 1), Returned(None))]),
        "tinystore:function",
        {},
        {},
        "NO-01",
        "m",
        "e",
        "a",
    )
    del tiny
    assert "S = 'acme/kit' + secrets.token_hex(6)\n" in script
    assert "await step('read', S + '/a.md', max_chars=1)" in script


def test_expected_and_actual_name_what_the_calls_name(tiny: Any) -> None:
    """A random version is no use to a reader."""
    first = Step(Write(f"{S}/a.md", "x", None), Returned(tiny.Mutation("0f1e2d3c4b5a")))
    script = render_script(
        Transcript(S, [first]), "tinystore:function", {}, {}, "CAS-08", 'say """', "'0f1e2d3c4b5a'", f"\ud800 {S}"
    )
    assert "EXPECTED = \"'m1.version'\"\n" in script
    assert "ACTUAL = '\\ud800 S'\n" in script
    compile(script, "repro.py", "exec")
