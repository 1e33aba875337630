"""The catalogue is complete, consistent and readable, and the page made from it is up to date."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_memory_store import clauses
from pytest_memory_store.claims import FLAGS, VALUES
from pytest_memory_store.clauses import CATALOGUE, GROUPS, Clause, Level, Status, UnknownClauseError, clause
from pytest_memory_store.clauses.reference import render
from pytest_memory_store.clauses.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[2] / "docs" / "clauses.md"
CLAUSES = tuple(CATALOGUE.values())
CLAIMS = {*FLAGS, *VALUES, "lexical"}  # a store is lexical by claiming nothing: searchable and not `semantic`

NUMBERS_IN_CONTRACT = {
    "PATH": 17,
    "READ": 15,
    "CAS": 23,
    "OP": 28,
    "LIST": 14,
    "SRCH": 29,
    "DEL": 14,
    "SCOPE": 12,
    "META": 20,
    "DUR": 15,
    "CONC": 14,
    "TYPE": 15,
}


def breaking(rule: Callable[[Clause], object]) -> list[str]:
    """Return the ids of the clauses for which the rule is not true."""
    return [entry.id for entry in CLAUSES if not rule(entry)]


def test_breaking_names_the_clauses_that_break_a_rule() -> None:
    """The helper of the tests below finds exactly the offenders."""
    assert breaking(lambda entry: entry.id != "CAS-13") == ["CAS-13"]


def test_ids_are_unique() -> None:
    """No table repeats an id of its own or of another table."""
    ids = Counter(entry.id for table in clauses._TABLES for entry in table.CLAUSES)
    assert [entry for entry, times in ids.items() if times > 1] == []


def test_ids_are_well_formed() -> None:
    """An id is a known group, two digits and perhaps a `b`."""
    assert breaking(lambda entry: entry.group in GROUPS) == []
    assert breaking(lambda entry: re.fullmatch(r"[A-Z]+-\d\db?", entry.id)) == []


def test_groups_are_complete() -> None:
    """Every number of the contract is there, without gaps, in the contract's order."""
    assert list(GROUPS) == list(NUMBERS_IN_CONTRACT)
    expected = [f"{group}-{n:02}" for group, last in NUMBERS_IN_CONTRACT.items() for n in range(1, last + 1)]
    assert [entry.id for entry in CLAUSES if not entry.id.endswith("b")] == expected


def test_halves_follow_one_another() -> None:
    """A `b` comes right after its stronger half, and is weaker."""
    strength = list(Level)
    for stronger, entry in pairwise(CLAUSES):
        if entry.id.endswith("b"):
            assert entry.id == f"{stronger.id}b"
            assert strength.index(entry.level) > strength.index(stronger.level)


def test_sentences_read_alike() -> None:
    """A sentence begins with a verb in the present tense, has no level word, and ends without a period."""
    level_word = re.compile(r"\b(must|should|may)\b", re.IGNORECASE)
    assert breaking(lambda entry: re.match(r"(never )?[a-z]+s\b", entry.sentence)) == []
    assert breaking(lambda entry: not level_word.search(entry.sentence)) == []
    assert breaking(lambda entry: not entry.sentence.endswith(".")) == []


def test_reasons_are_sentences() -> None:
    """What a user loses is one sentence."""
    assert breaking(lambda entry: re.fullmatch(r"[A-Z`].+[^.]\.", entry.why)) == []
    assert breaking(lambda entry: ". " not in entry.why) == []


def test_sources_are_words() -> None:
    """A source is said in words that need no key."""
    assert breaking(lambda entry: not re.search(r"AMB-|\bU-|\bS\d|\[run\]", entry.source)) == []
    assert breaking(lambda entry: entry.source.strip()) == []


def test_markup_is_closed() -> None:
    """Code spans are closed, and pieces of text meet with one space."""
    assert breaking(lambda entry: entry.sentence.count("`") % 2 == entry.why.count("`") % 2 == 0) == []
    assert breaking(lambda entry: "  " not in entry.sentence + entry.why + entry.source) == []


def test_sentences_differ() -> None:
    """Only clauses that are said to be the same say the same."""
    said: dict[str, str] = {}
    for entry in CLAUSES:
        assert said.setdefault(entry.sentence, entry.id) in (entry.id, entry.same_as)


def test_claims_come_from_the_closed_list() -> None:
    """A clause names only claims that a store can make, and none in two roles."""
    assert breaking(lambda entry: entry.needs | entry.waived_by | entry.relaxed_by <= CLAIMS) == []
    assert breaking(lambda entry: not entry.needs & (entry.waived_by | entry.relaxed_by)) == []
    assert breaking(lambda entry: not entry.waived_by & entry.relaxed_by) == []


@pytest.mark.parametrize("entry", [c for c in CLAUSES if c.same_as], ids=lambda entry: entry.id)
def test_shared_clauses_agree_with_their_owner(entry: Clause) -> None:
    """A clause that shares another's check has its level and status, and applies only where that one does."""
    owner = CATALOGUE[str(entry.same_as)]
    assert owner.same_as is None
    assert (owner.level, owner.status) == (entry.level, entry.status)
    assert (owner.since, owner.level_before) == (entry.since, entry.level_before)
    assert owner.needs <= entry.needs
    assert owner.waived_by <= entry.waived_by


def test_levels_and_statuses_fit() -> None:
    """Exactly the permitted variations are informational."""
    assert breaking(lambda e: (e.level is Level.MAY) == (e.status is Status.INFORMATIONAL)) == []


def test_changed_levels_say_when() -> None:
    """A level that holds since a release names the one before, which differs."""
    assert breaking(lambda entry: (entry.since is None) == (entry.level_before is None)) == []
    assert breaking(lambda entry: entry.level_before is not entry.level) == []


@pytest.mark.parametrize(
    ("clause_id", "level"),
    [
        ("PATH-12b", Level.SHOULD),
        ("CAS-10", Level.MUST),
        ("CAS-22", Level.SHOULD),
        ("OP-08", Level.MUST),
        ("OP-08b", Level.SHOULD),
        ("OP-13b", Level.MAY),
        ("LIST-13b", Level.MAY),
        ("SRCH-13b", Level.SHOULD),
        ("DUR-03", Level.SHOULD),
        ("DUR-10", Level.MAY),
        ("TYPE-05b", Level.SHOULD),
        ("TYPE-08", Level.MUST),
        ("TYPE-08b", Level.SHOULD),
    ],
)
def test_rulings_on_levels_hold(clause_id: str, level: Level) -> None:
    """Where the contract's rulings changed a level, the catalogue has the ruling's."""
    assert clause(clause_id).level is level


def test_nested_search_depends_on_the_release() -> None:
    """Search of nested scopes became a MUST in 0.62 and was a SHOULD before."""
    changed = {entry.id: (entry.since, entry.level_before) for entry in CLAUSES if entry.since}
    assert changed == {"SRCH-01": ("0.62", Level.SHOULD), "SCOPE-05": ("0.62", Level.SHOULD)}


def test_catalogue_cannot_be_changed() -> None:
    """Neither the catalogue nor a clause can be edited by whoever reads it."""
    with pytest.raises(TypeError):
        CATALOGUE["CAS-13"] = clause("CAS-14")  # type: ignore[index]
    with pytest.raises(AttributeError):
        clause("CAS-13").level = Level.MAY  # type: ignore[misc]


def test_public_names_are_sorted() -> None:
    """`__all__` is sorted, as isort sorts, and each of its names exists."""
    constants = [name for name in clauses.__all__ if name.isupper()]
    others = [name for name in clauses.__all__ if not name.isupper() and not name.islower()]
    functions = [name for name in clauses.__all__ if name.islower()]
    assert clauses.__all__ == [*sorted(constants), *sorted(others), *sorted(functions)]
    assert all(hasattr(clauses, name) for name in clauses.__all__)


def test_clause_finds_by_id() -> None:
    """A clause is found by its id and knows its group."""
    assert clause("CAS-13").id == "CAS-13"
    assert clause("CAS-12b").group == "CAS"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("CAS-1", "CAS-01"),
        ("cas13", "CAS-13"),
        ("srch_13", "SRCH-13"),
        (" PATH-12B", "PATH-12b"),
        ("READ 9", "READ-09"),
    ],
)
def test_unknown_clause_names_near_ids(given: str, meant: str) -> None:
    """A misspelled id is answered with what was given and the id that it comes nearest to."""
    with pytest.raises(UnknownClauseError) as caught:
        clause(given)
    assert caught.value.clause_id == given
    assert meant in caught.value.near
    assert repr(given) in str(caught.value)
    assert f"did you mean {caught.value.near[0]}" in str(caught.value)


def test_unknown_clause_without_a_near_id_names_the_groups() -> None:
    """An id that is like no other is answered with the groups there are."""
    with pytest.raises(UnknownClauseError, match=f"'???' .* groups are {', '.join(GROUPS)}".replace("?", r"\?")):
        clause("???")


def test_rows_share_claims() -> None:
    """A row adds its own claims to those that its rows share, and can be planned by itself."""
    rows = Rows(needs=("search",), waived_by=("read_only",))
    row = rows.must("SRCH-99", "finds", why="", source="", needs=["lexical"], status=Status.PLANNED)
    assert row.needs == frozenset({"search", "lexical"})
    assert row.waived_by == frozenset({"read_only"})
    assert (row.level, row.status) == (Level.MUST, Status.PLANNED)
    assert rows.should("SRCH-99", "finds", why="", source="").status is Status.CHECKED


def test_rows_of_variations_are_informational() -> None:
    """A permitted variation is informational, whatever status its rows share."""
    assert Rows(status=Status.PLANNED).may("SRCH-99", "finds", why="", source="").status is Status.INFORMATIONAL


def test_page_is_up_to_date() -> None:
    """The committed page is what the catalogue renders to."""
    command = "python -m pytest_memory_store.clauses.reference > docs/clauses.md"
    assert PAGE.read_text(encoding="utf-8") == render(), f"run: {command}"


def test_page_has_every_clause() -> None:
    """Each clause has a heading of its own, and every link leads to a heading."""
    headings = re.findall(r"^#+ (.+)$", render(), re.MULTILINE)
    assert [heading for heading in headings if heading in CATALOGUE] == list(CATALOGUE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", render())) <= anchors
