"""Puts reports into their folder, each file whole or not at all.

Must not know: what a report says, pytest.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SCRIPTS = "repro"
"""The folder of the reproduction scripts, within the report folder."""


class ReportError(OSError):
    """A report that cannot be written; `path` is the folder or file that stands in the way."""

    def __init__(self, path: Path, error: OSError) -> None:
        self.path = path
        reason = error.strerror or str(error)
        super().__init__(f"the report cannot be written to {path}: {reason}; give a folder that can be written")


def prepare(folder: Path) -> None:
    """Make the report folder, and make sure that it can be written.

    Raises:
        ReportError: it cannot.
    """
    probe = folder / f".probe-{os.getpid()}"
    write_text(probe, "")
    with contextlib.suppress(OSError):
        probe.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a file as UTF-8, and its folder if need be; what was there before stays until all of it is written.

    Raises:
        ReportError: the folder cannot be made, or the file cannot be written.
    """
    half = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(path.parent, error) from error
    try:
        half.write_bytes(text.encode())
        half.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink()
        raise ReportError(path, error) from error


def script_path(folder: Path, clause: str) -> Path:
    """The place of a clause's reproduction script."""
    return folder / SCRIPTS / f"{clause}.py"


def shown(path: Path) -> str:
    """A path as it is typed from the current folder."""
    here = path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def write_scripts(scripts: Mapping[str, str], folder: Path, *, held: Iterable[str] = ()) -> dict[str, Path]:
    """Write reproduction scripts, by clause, and return their paths; those of clauses that now hold are removed.

    Raises:
        ReportError: one cannot be written.
    """
    paths = {clause: script_path(folder, clause) for clause, text in scripts.items() if text}
    for clause, path in paths.items():
        write_text(path, scripts[clause])
    for clause in held:
        with contextlib.suppress(OSError):
            script_path(folder, clause).unlink()
    return paths
