"""A report is written whole or not at all, and what stands in the way is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_memory_store.report.files import ReportError, prepare, script_path, write_scripts, write_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    """Text arrives as UTF-8, and nothing else is left in the folder."""
    path = tmp_path / "deep" / "er" / "report.json"
    write_text(path, "é\n")
    assert path.read_bytes() == b"\xc3\xa9\n"
    assert list(path.parent.iterdir()) == [path]


def test_what_was_there_stays_until_all_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full leaves the earlier report, and no half of the new one."""
    path = tmp_path / "report.json"
    write_text(path, "old")

    def fail(target: Path, data: bytes) -> int:
        with target.open("wb") as half:
            half.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(ReportError) as caught:
        write_text(path, "new report")
    assert str(caught.value) == (
        f"the report cannot be written to {path}: No space left on device; give a folder that can be written"
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]
    assert path.read_text() == "old"


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    """Also where only a folder above it is one."""
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ReportError, match="cannot be written to") as caught:
            prepare(folder)
        assert caught.value.path == folder
    assert (tmp_path / "file").read_text() == "x"


def test_a_place_that_is_a_folder_is_named(tmp_path: Path) -> None:
    """The file itself may be in the way, too."""
    (tmp_path / "report.json").mkdir()
    with pytest.raises(ReportError, match=r"report\.json"):
        write_text(tmp_path / "report.json", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_preparing_a_folder_leaves_it_empty(tmp_path: Path) -> None:
    """The folder is there, and the probe is gone."""
    prepare(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_scripts_of_clauses_that_hold_again_are_removed(tmp_path: Path) -> None:
    """Those of clauses that this run says nothing about stay."""
    written = write_scripts({"CAS-02": "a", "CAS-03": "b", "OP-01": ""}, tmp_path)
    assert written == {clause: script_path(tmp_path, clause) for clause in ("CAS-02", "CAS-03")}
    write_scripts({"OP-01": "c"}, tmp_path, held=["CAS-02", "READ-01"])
    assert sorted(path.name for path in (tmp_path / "repro").iterdir()) == ["CAS-03.py", "OP-01.py"]
    assert (tmp_path / "repro" / "OP-01.py").read_text() == "c"
