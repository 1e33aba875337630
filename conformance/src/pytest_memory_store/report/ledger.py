"""The ledger: a store's own list of known failures, by clause, strict both ways.

    [[known-failure]]
    clause = "CAS-11"
    reason = "versions are hashes of the content"
    issue = "https://example.org/issues/7"
    expires = 2027-01-01
    sometimes = true

`clause` and `reason` have to be given. `issue` says where the failure is followed up; from the day
`expires` on the entry excuses nothing; `sometimes = true` lets the clause hold as well; `store` limits an
entry to the store of that spec. Must not know: records, verdicts, pytest.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.report.text import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

TABLE = "known-failure"

_KEYS: Mapping[str, tuple[type, str]] = {
    "clause": (str, 'the id of a clause, such as "CAS-11"'),
    "reason": (str, "a sentence that says why the clause is broken"),
    "issue": (str, "where the failure is followed up, as text"),
    "expires": (date, "a date without quotes, such as 2027-01-01"),
    "sometimes": (bool, "true or false"),
    "store": (str, "the spec of the store that the entry is meant for"),
}
_REQUIRED = ("clause", "reason")


class LedgerError(ValueError):
    """A ledger that cannot be used. `problems` has one line for each thing to mend, naming file and entry."""

    def __init__(self, problems: Collection[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


@dataclass(frozen=True, slots=True)
class Entry:
    """One known failure. `number` is its place in the file, from 1; an empty `store` means every store."""

    number: int
    clause: str
    reason: str
    issue: str = ""
    expires: date | None = None
    sometimes: bool = False
    store: str = ""

    def is_expired(self, today: date) -> bool:
        """Whether the entry excuses nothing any more."""
        return self.expires is not None and self.expires <= today


@dataclass(frozen=True, slots=True)
class Ledger:
    """The entries of one file; `path` is the file as messages name it."""

    path: str = ""
    entries: tuple[Entry, ...] = ()

    def excuse(self, clause: str, *, store: str, today: date) -> Entry | None:
        """Return the entry that excuses a break of `clause` by the store of this spec, if there is one."""
        return next((e for e in self._of(store) if e.clause == clause and not e.is_expired(today)), None)

    def complaints(
        self, *, store: str, held: Collection[str], not_judged: Mapping[str, str], today: date
    ) -> tuple[str, ...]:
        """Return a line for each entry that a run of this store has overtaken.

        `held` are the clauses that were exercised and held, `not_judged` those that this store is not
        judged by, with the reason. A clause that was not exercised says nothing about its entry.
        """
        lines = ((entry, _overtaken(entry, held, not_judged, today)) for entry in self._of(store))
        return tuple(f"{_label(self.path, entry.number, entry.clause)}: {line}" for entry, line in lines if line)

    def _of(self, store: str) -> Iterator[Entry]:
        return (entry for entry in self.entries if entry.store in ("", store))


def _overtaken(entry: Entry, held: Collection[str], not_judged: Mapping[str, str], today: date) -> str:
    if entry.clause in not_judged:
        return f"the store is not judged by this clause ({not_judged[entry.clause]}); remove the entry"
    if entry.clause in held and not entry.sometimes:
        return "the clause holds now; remove the entry, or say `sometimes = true` if it fails by chance"
    if entry.is_expired(today):
        return f"the entry expired on {entry.expires}; mend the store, or give a later date"
    return ""


def load(path: Path, catalogue: Mapping[str, Clause]) -> Ledger:
    """Read a ledger.

    Raises:
        LedgerError: the file cannot be read or is no TOML (one line, with the place in the file), or it has
            entries that are unknown, incomplete, duplicate or of another form (one line each).
    """
    document = _document(path)
    problems = [
        f"{path}: unknown key {key!r}; a ledger has [[{TABLE}]] entries only" for key in document if key != TABLE
    ]
    entries: list[Entry] = []
    for number, table in enumerate(_tables(path, document, problems), 1):
        wrong = list(_problems(table, catalogue))
        if not wrong:
            entry = Entry(number, **table)
            wrong = list(_duplicates(entry, entries))
            entries.append(entry)
        problems += [f"{_label(str(path), number, table.get('clause'))}: {problem}" for problem in wrong]
    if problems:
        raise LedgerError(problems)
    return Ledger(str(path), tuple(entries))


def _tables(path: Path, document: Mapping[str, Any], problems: Collection[str]) -> list[dict[str, Any]]:
    tables = document.get(TABLE, [])
    if isinstance(tables, list) and all(isinstance(table, dict) for table in cast("list[object]", tables)):
        return cast("list[dict[str, Any]]", tables)
    raise LedgerError([*problems, f"{path}: write each entry as a table under [[{TABLE}]], with two brackets"])


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise LedgerError([f"{path}: the ledger cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise LedgerError([f"{path}: the ledger is not UTF-8 at byte {error.start}"]) from error
    except tomllib.TOMLDecodeError as error:
        raise LedgerError([f"{path}: the ledger is not TOML: {error}"]) from error


def _problems(table: Mapping[str, Any], catalogue: Mapping[str, Clause]) -> Iterator[str]:
    for key in table:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"keys are {', '.join(_KEYS)}"
            yield f"unknown key {key!r}; {hint}"
    for key in _REQUIRED:
        if key not in table:
            yield f"{key!r} is missing; give {_KEYS[key][1]}"
    for key, (kind, meaning) in _KEYS.items():
        if key in table and not _fits(table[key], kind):
            yield f"{key} = {table[key]!r} is not usable; give {meaning}"
    if isinstance(table.get("clause"), str):
        yield from _unknown(table["clause"], catalogue)


def _fits(value: object, kind: type) -> bool:
    if isinstance(value, str) and not value.strip():
        return False
    return isinstance(value, kind) and not isinstance(value, datetime)


def _unknown(clause_id: str, catalogue: Mapping[str, Clause]) -> Iterator[str]:
    clause = catalogue.get(clause_id)
    if clause is None:
        near = get_close_matches(clause_id.upper(), catalogue, 1, cutoff=0.75)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        yield f"{clause_id!r} is no clause of the contract{hint}"
    elif clause.same_as is not None:
        yield f"{clause_id} is the same promise as {clause.same_as} and judged with it; name {clause.same_as}"
    elif clause.status is not Status.CHECKED:
        yield f"{clause_id} is {clause.status} and takes no part in a verdict; remove the entry"


def _duplicates(entry: Entry, earlier: Collection[Entry]) -> Iterator[str]:
    for known in earlier:
        if known.clause == entry.clause and (known.store == entry.store or not (known.store and entry.store)):
            yield f"entry {known.number} is about the same clause; keep one of the two"
            return


def _label(path: str, number: int, clause: object) -> str:
    return f"{path}: entry {number} ({visible(clause)})" if isinstance(clause, str) else f"{path}: entry {number}"
