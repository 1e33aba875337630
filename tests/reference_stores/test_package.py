"""The package gives what it names, and asks for aiosqlite only when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import reference_stores


def run(program: str) -> str:
    """Run a program in a fresh interpreter and return what it prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_public_names() -> None:
    """Every name in `__all__`, which is sorted, is there."""
    assert reference_stores.__all__ == sorted(reference_stores.__all__)
    for name in reference_stores.__all__:
        assert getattr(reference_stores, name).__name__ == name


def test_no_other_name() -> None:
    """A name that is not there is an ordinary `AttributeError`."""
    with pytest.raises(AttributeError, match="module 'reference_stores' has no attribute 'Nothing'"):
        _ = reference_stores.Nothing


def test_aiosqlite_is_imported_late() -> None:
    """Importing the package does not import aiosqlite."""
    assert run("import sys, reference_stores; print('aiosqlite' in sys.modules)") == "False"


@pytest.mark.parametrize("line", ["reference_stores.SqliteMemoryStore", "import reference_stores.sqlite"])
def test_without_aiosqlite(line: str) -> None:
    """Without aiosqlite the error says which extra to install."""
    program = (
        "import sys, reference_stores\n"
        "sys.modules['aiosqlite'] = None\n"
        f"try: {line}\n"
        "except ImportError as error: print(error)"
    )
    assert run(program) == "SqliteMemoryStore needs aiosqlite: pip install 'pytest-memory-store[sqlite]'"
