"""The ledger is strict both ways, and each complaint is one line that names file and entry."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from pytest_memory_store.report.ledger import Entry, Ledger, LedgerError, load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_memory_store.clauses.clause import Clause

TODAY = date(2026, 5, 1)
GOOD = '[[known-failure]]\nclause = "CAS-02"\nreason = "not yet"\n'


def written(folder: Path, text: str) -> Path:
    """Write a ledger into the folder."""
    path = folder / "known.toml"
    path.write_text(text, encoding="utf-8")
    return path


def complaints_of(folder: Path, text: str, catalogue: Mapping[str, Clause]) -> list[str]:
    """Load a bad ledger and give its complaints, without the folder."""
    with pytest.raises(LedgerError) as caught:
        load(written(folder, text), catalogue)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [problem.replace(f"{folder}/", "") for problem in caught.value.problems]


def test_entries_are_read_in_full(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """Every key arrives, and what is left out has its default."""
    text = GOOD + (
        '[[known-failure]]\nclause = "CAS-11"\nreason = "hashes"\nissue = "#7"\nexpires = 2027-01-01\n'
        'sometimes = true\nstore = "m:f"\n'
    )
    path = written(tmp_path, text)
    assert load(path, catalogue) == Ledger(
        str(path),
        (
            Entry(1, "CAS-02", "not yet"),
            Entry(2, "CAS-11", "hashes", "#7", date(2027, 1, 1), sometimes=True, store="m:f"),
        ),
    )


def test_an_empty_ledger_has_no_entries(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """A store may have mended everything."""
    assert load(written(tmp_path, "# nothing\n"), catalogue).entries == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            GOOD.replace("CAS-02", "CAS-2"),
            "entry 1 (CAS-2): 'CAS-2' is no clause of the contract; did you mean 'CAS-02'?",
        ),
        (
            GOOD.replace("CAS-02", "OP-12"),
            "entry 1 (OP-12): OP-12 is the same promise as OP-02 and judged with it; name OP-02",
        ),
        (
            GOOD.replace("CAS-02", "CAS-13"),
            "entry 1 (CAS-13): CAS-13 is planned and takes no part in a verdict; remove the entry",
        ),
        (GOOD + GOOD, "entry 2 (CAS-02): entry 1 is about the same clause; keep one of the two"),
        (GOOD + "reson = 'x'\n", "entry 1 (CAS-02): unknown key 'reson'; did you mean 'reason'?"),
        (
            GOOD + "zzz = 1\n",
            "entry 1 (CAS-02): unknown key 'zzz'; keys are clause, reason, issue, expires, sometimes, store",
        ),
        (
            GOOD + 'expires = "2027-01-01"\n',
            ("entry 1 (CAS-02): expires = '2027-01-01' is not usable; give a date without quotes, such as 2027-01-01"),
        ),
        (GOOD + "sometimes = 1\n", "entry 1 (CAS-02): sometimes = 1 is not usable; give true or false"),
        (
            '[[known-failure]]\nclause = "CAS-02"\n',
            "entry 1 (CAS-02): 'reason' is missing; give a sentence that says why the clause is broken",
        ),
        (
            GOOD.replace("not yet", " "),
            ("entry 1 (CAS-02): reason = ' ' is not usable; give a sentence that says why the clause is broken"),
        ),
        (
            "[[known-failure]]\nreason = 'x'\n",
            "entry 1: 'clause' is missing; give the id of a clause, such as \"CAS-11\"",
        ),
    ],
)
def test_an_entry_that_is_wrong_is_named(
    tmp_path: Path, catalogue: Mapping[str, Clause], text: str, complaint: str
) -> None:
    """Each fault of an entry gives one line with file, entry, what is wrong and what to do."""
    assert complaints_of(tmp_path, text, catalogue) == [f"known.toml: {complaint}"]


def test_a_date_with_a_time_is_no_date(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """TOML's date-times are dates to Python, and still refused."""
    (complaint,) = complaints_of(tmp_path, GOOD + "expires = 2027-01-01T00:00:00\n", catalogue)
    assert "give a date without quotes" in complaint


def test_every_fault_is_named_at_once(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """One run tells everything that is wrong with a ledger."""
    text = f'title = "x"\n{GOOD.replace("CAS-02", "NO-01")}{GOOD}{GOOD}'
    assert complaints_of(tmp_path, text, catalogue) == [
        "known.toml: unknown key 'title'; a ledger has [[known-failure]] entries only",
        "known.toml: entry 1 (NO-01): 'NO-01' is no clause of the contract",
        "known.toml: entry 3 (CAS-02): entry 2 is about the same clause; keep one of the two",
    ]


def test_single_brackets_are_explained(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """A table where an array of tables belongs is the likeliest slip."""
    assert complaints_of(tmp_path, GOOD.replace("[[", "[").replace("]]", "]"), catalogue) == [
        "known.toml: write each entry as a table under [[known-failure]], with two brackets"
    ]


def test_what_is_no_toml_is_named_by_its_place(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """The line of the fault is in the message."""
    (complaint,) = complaints_of(tmp_path, GOOD + "sometimes = yes\n", catalogue)
    assert complaint.startswith("known.toml: the ledger is not TOML: ")
    assert "line 4" in complaint


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, catalogue: Mapping[str, Clause]) -> None:
    """A missing file, a folder and another encoding are one line each."""
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'x = "\xe9"')
    for path, problem in (
        (tmp_path / "none.toml", "the ledger cannot be read: No such file or directory"),
        (tmp_path, "the ledger cannot be read: Is a directory"),
        (latin, "the ledger is not UTF-8 at byte 5"),
    ):
        with pytest.raises(LedgerError) as caught:
            load(path, catalogue)
        assert caught.value.problems == (f"{path}: {problem}",)


def test_an_entry_excuses_its_own_store_until_it_expires() -> None:
    """Another clause, another store and a day too late are not excused."""
    entry = Entry(1, "CAS-02", "x", expires=date(2026, 5, 2), store="m:f")
    ledger = Ledger("k.toml", (entry,))
    assert ledger.excuse("CAS-02", store="m:f", today=TODAY) is entry
    assert ledger.excuse("CAS-11", store="m:f", today=TODAY) is None
    assert ledger.excuse("CAS-02", store="m:g", today=TODAY) is None
    assert ledger.excuse("CAS-02", store="m:f", today=date(2026, 5, 2)) is None


def complaints(entry: Entry, *, held: tuple[str, ...] = (), store: str = "m:f") -> tuple[str, ...]:
    """Return what a run says about a ledger of one entry."""
    return Ledger("k.toml", (entry,)).complaints(
        store=store, held=held, not_judged={"SRCH-01": "the store has no search"}, today=TODAY
    )


def test_an_unexpected_pass_is_a_complaint() -> None:
    """A clause that holds has no business in the ledger, unless it fails by chance."""
    entry = Entry(1, "CAS-02", "x")
    assert complaints(entry, held=("CAS-02",)) == (
        (
            "k.toml: entry 1 (CAS-02): the clause holds now;"
            " remove the entry, or say `sometimes = true` if it fails by chance"
        ),
    )
    assert complaints(entry) == ()
    assert complaints(Entry(1, "CAS-02", "x", sometimes=True), held=("CAS-02",)) == ()


def test_an_expired_entry_is_a_complaint() -> None:
    """From its date on, an entry fails the run."""
    assert complaints(Entry(1, "CAS-02", "x", expires=TODAY)) == (
        "k.toml: entry 1 (CAS-02): the entry expired on 2026-05-01; mend the store, or give a later date",
    )


def test_an_entry_for_a_clause_without_bearing_is_a_complaint() -> None:
    """A clause that does not apply cannot fail."""
    assert complaints(Entry(1, "SRCH-01", "x")) == (
        (
            "k.toml: entry 1 (SRCH-01): the store is not judged by this clause (the store has no search);"
            " remove the entry"
        ),
    )


def test_entries_of_another_store_are_not_spoken_of() -> None:
    """One ledger may serve several stores."""
    assert complaints(Entry(1, "CAS-02", "x", store="m:other"), held=("CAS-02",)) == ()
