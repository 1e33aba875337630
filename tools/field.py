"""Judges the released stores and writes `docs/field-report.md`.

python tools/field.py judge SPEC DIR      one store, in this environment; its report goes to DIR
python tools/field.py write DIR...        the page from the reports in these folders
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/field-report.md"
NOTES = ROOT / "docs/field-notes.toml"
SEED = 1
BUDGET = "standard"

STORES = {
    "harness_in_memory": ("pydantic-ai-harness", "InMemoryStore"),
    "harness_sqlite": ("pydantic-ai-harness", "SqliteMemoryStore"),
    "harness_file": ("pydantic-ai-harness", "FileStore over a LocalWorkspaceBackend"),
    "memory_core_kv": ("pydantic-ai-memory-core", "InMemoryKVMemoryStore"),
}


def judge(name: str, folder: Path) -> int:
    """Run the kit on one store as a user does, and keep its report with what was judged."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--memory-store=field_stores:{name}"]
    command += [f"--memory-store-budget={BUDGET}", f"--memory-store-seed={SEED}", f"--memory-store-report={folder}"]
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*command, f"--rootdir={folder}"], cwd=ROOT / "tools", check=False)
    package, title = STORES[name]
    about = {"package": package, "version": importlib.metadata.version(package), "title": title}
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    return 0 if done.returncode in (0, 1) else done.returncode


def write(folders: list[Path]) -> int:
    """Write the page."""
    import tomllib

    notes = tomllib.loads(NOTES.read_text(encoding="utf-8")) if NOTES.exists() else {}
    reports = [_load(folder) for folder in folders]
    lines = [
        "# Field report",
        "",
        f"Released stores, judged by `nox -s field` at the {BUDGET} budget with seed {SEED}. Generated; what is said",
        "of a violation beside its transcript comes from `docs/field-notes.toml`, written after looking at each.",
        "",
        "| store | version | verdict | MUST broken | advisories |",
        "|---|---|---|---|---|",
        *(_row(report) for report in reports),
        "",
    ]
    for report in reports:
        lines += _section(report, notes.get(report["name"], {}))
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    unexplained = [line for line in lines if line == UNEXPLAINED]
    print(f"{len(unexplained)} violations without an explanation in {NOTES.name}")
    return bool(unexplained)


UNEXPLAINED = "*Not explained yet.*"


def _load(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    about: dict[str, Any] = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    return {**report, **about, "name": folder.name}


def _broken(report: dict[str, Any], state: str) -> list[dict[str, Any]]:
    return [c for c in report["clauses"] if c["state"] == state and c["same_as"] is None]


def _row(report: dict[str, Any]) -> str:
    broken = ", ".join(clause["id"] for clause in _broken(report, "broken")) or "none"
    advisories = ", ".join(clause["id"] for clause in _broken(report, "advisory")) or "none"
    cells = [f"{report['package']} {report['title']}", report["version"], report["verdict"], broken, advisories]
    return f"| {' | '.join(cells)} |"


def _section(report: dict[str, Any], notes: dict[str, str]) -> list[str]:
    lines = [f"## {report['package']} {report['version']}: {report['title']}", ""]
    claims = ", ".join(k if v is True else f"{k}={v}" for k, v in report["claims"].items()) or "nothing"
    lines += [f"Judged with the claims: {claims}. Verdict: **{report['verdict']}**.", ""]
    for clause in [*_broken(report, "broken"), *_broken(report, "advisory")]:
        violation = clause["violations"][0]
        lines += [
            f"### {clause['id']} ({clause['level']}): {violation['message']}",
            "",
            f"A store {clause['sentence']}.",
            "",
            "```",
            *(_without_folders(step) for step in violation["steps"]),
            "",
            f"expected: {violation['expected'][:300]}",
            f"actual:   {_without_folders(violation['actual'])[:300]}",
            "```",
            "",
            notes.get(clause["id"], UNEXPLAINED),
            "",
        ]
    return lines


def _without_folders(text: str) -> str:
    """The text without the place of a temporary folder on the machine that ran it."""
    return re.sub(r"/[\w./-]*?/(?=S\b|S/)|/tmp/[\w./-]+", "", text)


def main(arguments: list[str]) -> int:
    """Run as the command line says."""
    match arguments:
        case ["judge", name, folder]:
            return judge(name, Path(folder).resolve())
        case ["write", *folders] if folders:
            return write([Path(folder).resolve() for folder in folders])
        case _:
            print(__doc__)
            return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
