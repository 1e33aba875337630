"""What a script compares is free of everything that differs from run to run."""

from __future__ import annotations

from collections import UserDict
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_memory_store.report.replay import Symbols, conclude, shorten

S = "kit0123456789ab"


class MemoryConflictError(Exception):
    """An error that bears the contract's name."""


@dataclass
class File:
    """A result of a store's own, with a field that nobody asked for."""

    content: str
    version: object
    metadata: object = None
    touched: float = field(default=0.0)


@pytest.fixture
def symbols() -> Symbols:
    """Symbols that have seen an operation and the version that it made."""
    made = Symbols(S, {"tmp_path": Path("/tmp/x/y0"), "size": 5, "tiny": "ab"})  # noqa: S108 - only a name
    made.see("x", SimpleNamespace(id="kit-0123", fingerprint="fp"))
    made.learn(1, File("x", "0f1e2d3c"))
    return made


def test_texts_name_what_is_random(symbols: Symbols) -> None:
    """Scope, operation, version and parameters; short parameters are too likely to be something else."""
    text = f"{S}0/a by kit-0123 at 0f1e2d3c in /tmp/x/y0 ab"
    assert symbols.plain(text) == "S0/a by op1 at m1.version in <tmp_path> ab"


@pytest.mark.parametrize(
    ("version", "shown"),
    [("0f1e2d3c", "m1.version"), ("other", "another version"), ("", "''"), (None, "None"), (7, "int")],
)
def test_a_version_is_told_by_its_step(symbols: Symbols, version: object, shown: str) -> None:
    """A version of no step is another one, and one that is no text is told by its type."""
    assert symbols.value(File("x", version)) == f"content='x', version={shown}, metadata=None"


def test_answers_are_learnt_before_they_are_described(symbols: Symbols) -> None:
    """A new version is its own step's, one used again is an earlier step's."""
    assert "version=m2.version" in symbols.returned(2, "write", S, File("x", "new"))
    assert "version=m1.version" in symbols.returned(3, "write", S, File("x", "0f1e2d3c"))


def test_values_of_any_kind_are_told_apart(symbols: Symbols) -> None:
    """Kinds that compare equal in Python differ where the contract tells them apart."""
    values = (1, True, 1.0, "1", None, [1], (1,), {"b": 1, "a": 2}, UserDict(a=1), SimpleNamespace(path="p"))
    assert [symbols.value(value) for value in values] == [
        "1",
        "True",
        "1.0",
        "'1'",
        "None",
        "[1]",
        "(1)",
        "{'a': 2, 'b': 1}",
        "{'a': 1}",
        "SimpleNamespace with path='p'",
    ]
    assert symbols.value(object()) == "<object object>"


def test_a_result_that_raises_is_described_all_the_same(symbols: Symbols) -> None:
    """A property of a store's own class may do anything."""

    class Strange:
        @property
        def content(self) -> str:
            raise RuntimeError("no")

    assert symbols.returned(2, "read", S, Strange()) == "Strange, which raises RuntimeError when looked at"


def test_errors_of_the_contract_are_told_by_their_words(symbols: Symbols) -> None:
    """Of other errors only the class is compared: a driver's words hold addresses and times."""
    subclass = type("OwnConflict", (MemoryConflictError,), {})
    assert symbols.raised(subclass(f"{S}/a at 0f1e2d3c, try 17")) == "raised OwnConflict: S/a at m1.version, try #"
    assert symbols.raised(KeyError("0x7f")) == "raised KeyError"


def test_the_exit_status_follows_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    """The same answers are a reproduction, others are none, and where none is recorded nothing is said."""
    assert [conclude(["a"], ["a"]), conclude([], [])] == [1, 2]
    for answers, call in ((["a", "x"], 2), (["x", "b"], 1), (["a"], 2), ([], 1), (["a", "b", "c"], 2)):
        capsys.readouterr()
        assert conclude(answers, ["a", "b"]) == 0
        assert f"not reproduced: call {call} answered otherwise" in capsys.readouterr().out


def test_shorten_says_how_much_there_was() -> None:
    """A person sees the beginning and the length."""
    assert shorten("x" * 2_000, 3) == "xxx... (2,000 characters)"
