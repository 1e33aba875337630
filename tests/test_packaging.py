"""What is shipped, locked and tracked: the wheel, the lock, and what a run without the option imports.

Must not know: any store or clause.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "dev.txt"
CACHE = re.compile(r"(?:^|/)(?:__pycache__|[.])")

# Written so that this file does not hold what it forbids.
REGISTRY_HOSTS = re.compile(r"pypi[.]org|python[h]osted|registry[.]npm|deb[.]debian")
MACHINE_PATHS = re.compile(r"(?<![\w.-])/(?:wor[k]|hom[e]|roo[t]|Use[r]s)/")


def project() -> dict[str, Any]:
    """Return the `[project]` table."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return what `command` prints; fail with both of its streams where it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command} exited {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    """Return the wheel, built by the backend that the lock pins."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (path,) = folder.glob("*.whl")
    return ZipFile(path)


def names_in(wheel: ZipFile) -> set[str]:
    """Return the names of the wheel's files, its metadata folder shortened to `dist-info`."""
    return {re.sub(r"^[^/]+[.]dist-info/", "dist-info/", name) for name in wheel.namelist()}


def sources() -> set[str]:
    """Return what the two packages hold, as the wheel should name it."""
    roots = [ROOT / "conformance" / "src", ROOT / "reference_stores" / "src"]
    return {
        path.relative_to(root).as_posix()
        for root in roots
        for path in root.rglob("*")
        if path.is_file() and not CACHE.search(path.relative_to(root).as_posix())
    }


def test_wheel_holds_both_packages_and_nothing_else(wheel: ZipFile) -> None:
    """The wheel holds every file of both packages, its metadata, and no test."""
    metadata = {f"dist-info/{name}" for name in ["METADATA", "RECORD", "WHEEL", "entry_points.txt"]}
    assert names_in(wheel) == sources() | metadata | {"dist-info/licenses/LICENSE"}


@pytest.mark.parametrize("package", ["pytest_memory_store", "reference_stores"])
def test_wheel_marks_packages_as_typed(wheel: ZipFile, package: str) -> None:
    """Type checkers use the annotations of both packages."""
    assert f"{package}/py.typed" in names_in(wheel)


def test_wheel_registers_the_plugin(wheel: ZipFile) -> None:
    """Installing the wheel is all it takes for pytest to find the plugin."""
    (entry_points,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    parser = ConfigParser()
    parser.read_string(wheel.read(entry_points).decode())
    assert dict(parser["pytest11"]) == {"memory_store": "pytest_memory_store.plugin"}


def pins() -> dict[str, str]:
    """Return each locked name with its version."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_locked_release_has_a_hash() -> None:
    """Each pin of the lock is followed by at least one hash, and the lock holds nothing but pins."""
    text = re.sub(r"^\s*#.*\n", "", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    pin = r"[a-z0-9-]+==\S+(?: ; [^\\\n]+)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+"
    assert re.fullmatch(f"(?:{pin})+", text)


def test_lock_names_no_address_and_no_path() -> None:
    """The lock reads the same whatever index or machine it was made with."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "/" in line or "--index" in line or "--find-links" in line] == []


def locked_requirements() -> list[Requirement]:
    """Return what the core and the `dev` extra ask for, the project's own extras resolved."""
    extras = project()["optional-dependencies"]
    texts = [*project()["dependencies"], *extras["dev"]]
    requirements = [Requirement(text) for text in texts]
    own = [requirement for requirement in requirements if requirement.name == project()["name"]]
    nested = [Requirement(text) for requirement in own for name in requirement.extras for text in extras[name]]
    return [requirement for requirement in requirements if requirement not in own] + nested


@pytest.mark.parametrize("requirement", locked_requirements(), ids=lambda requirement: requirement.name)
def test_lock_satisfies_the_dev_extra(requirement: Requirement) -> None:
    """The lock has a release that pyproject.toml allows; `nox -s lock` brings the two together."""
    pinned = pins().get(canonicalize_name(requirement.name))
    assert pinned is not None
    assert requirement.specifier.contains(pinned)


def test_core_needs_three_packages() -> None:
    """Judging a store takes pytest, hypothesis and pydantic, and whatever the store itself needs."""
    assert {Requirement(text).name for text in project()["dependencies"]} == {
        "pytest",
        "hypothesis",
        "pydantic",
    }


def tracked_files() -> list[Path]:
    """Return the files git tracks and the working tree still holds."""
    names = run("git", "ls-files", "-z").split("\0")
    return [path for name in names if name and (path := ROOT / name).is_file()]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is tracked is known only in a git checkout")
@pytest.mark.parametrize("forbidden", [REGISTRY_HOSTS, MACHINE_PATHS], ids=["registry hosts", "machine paths"])
def test_no_tracked_file_names(forbidden: re.Pattern[str]) -> None:
    """No tracked file names a package registry's host or a folder of somebody's machine."""
    hits = {
        path.relative_to(ROOT).as_posix(): found.group()
        for path in tracked_files()
        if (found := forbidden.search(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert hits == {}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (REGISTRY_HOSTS, "https://" + "pypi" + ".org/simple"),
        (REGISTRY_HOSTS, "https://registry" + ".npm" + "js.org"),
        (MACHINE_PATHS, "see /" + "work/main"),
        (MACHINE_PATHS, "file:///" + "home/someone/x"),
    ],
)
def test_forbidden_patterns_find_what_they_forbid(pattern: re.Pattern[str], text: str) -> None:
    """The search for hosts and paths is able to find one."""
    assert pattern.search(text)


PRINT_MODULES = """
import sys

def test_prints() -> None:
    print("MODULES", *sys.modules)
"""


def test_run_without_the_option_imports_only_the_plugin(tmp_path: Path) -> None:
    """A run that judges no store imports the plugin module and nothing that it would need for judging."""
    (tmp_path / "test_prints.py").write_text(PRINT_MODULES, encoding="utf-8")
    output = run(sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", cwd=tmp_path)
    _, _, printed = output.partition("MODULES ")
    modules = {*printed.splitlines()[0].split()}
    ours = {name for name in modules if name.partition(".")[0] in {"pytest_memory_store", "reference_stores"}}
    assert ours == {"pytest_memory_store", "pytest_memory_store.plugin"}
    assert modules & {"asyncio", "hypothesis", "pydantic"} == set()
