"""What a word search finds, and what a snippet may quote."""

from __future__ import annotations

import pytest

from pytest_memory_store import matching
from pytest_memory_store.search_cases import SPECIAL_CHARS, SPECIAL_WORDS, decoy


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("a.md", True), ("A-b_c.9", True), ("n" * 80, True)),
        *((name, False) for name in ("n" * 81, "_n.md", ".h", "-n", "a..b", "a/b", "", "é.md", "a.md\n")),
    ],
)
def test_addressable_names(name: str, *, expected: bool) -> None:
    """Names of 1 to 80 characters that begin with a letter or digit and hold no two dots in a row."""
    assert matching.addressable(name) is expected


@pytest.mark.parametrize(
    ("query", "text", "strength"),
    [
        ("note", "a note", "exact"),
        ("x note", "a noted thing", "exact"),
        ("NOTE", "a note", "ascii"),
        ("École", "école", "lower"),
        ("STRASSE", "straße", "widest"),
        ("%", "abc", "none"),
        ("a.c", "abc", "none"),
        ("é", "e", "none"),
    ],
)
def test_occurrences_have_a_strength(query: str, text: str, strength: str) -> None:
    """Each fold finds what the weaker ones find, and more."""
    folds = {"exact": matching.exact, "ascii": matching.ascii_lower, "lower": str.lower, "widest": matching.widest}
    found = [name for name, fold in folds.items() if matching.occurs(query, text, fold)]
    assert (found[0] if found else "none") == strength
    assert found == list(folds)[len(folds) - len(found) :]


def test_only_ascii_white_space_separates() -> None:
    """A no-break space is part of a word, as stores differ on it."""
    assert matching.terms(" a\tb\n\r\x0b\x0cc ") == ["a", "b", "c"]
    assert matching.terms("a\u00a0b") == ["a\u00a0b"]


def test_the_score_counts_names_twice() -> None:
    """Each occurrence in the text counts once, each in the name twice, and so for each word."""
    assert matching.score("Note x", "note.md", "a note, a NOTE, x") == 2 + 2 + 1


@pytest.mark.parametrize(
    ("snippet", "expected"),
    [
        ("", True),
        ("one two", True),
        ("...two thr...", True),
        ("\u2026two\u2026", True),
        ("... two ...", True),
        ("one...three", True),
        ("..", True),
        ("two..", True),
        ("one  two", False),
        ("ONE", False),
        ("<b>two</b>", False),
        ("one...four", False),
        ("o.n.e", False),
    ],
)
def test_quotations(snippet: str, *, expected: bool) -> None:
    """Marks may stand at the ends and between quotations; everything else is the text as it is."""
    assert matching.quotes(snippet, "one two three") is expected


def test_marks_may_be_text() -> None:
    """Where the text itself holds dots they are quoted like the rest."""
    assert matching.quotes("wait... what", "wait... what then")
    assert matching.quotes("...it... wh...", "wait... what then")


@pytest.mark.parametrize("query", [*SPECIAL_CHARS, *SPECIAL_WORDS])
def test_a_decoy_holds_no_word_of_its_query(query: str) -> None:
    """A literal search for the query does not find its decoy."""
    assert not matching.is_plain(query)
    assert not matching.occurs(query, decoy(query), matching.widest)


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [("note", "a note.", True), ("note", "notes", False), ("the", "the note", False), ("a.md", "a.md", True)],
)
def test_words_that_any_index_finds(term: str, text: str, *, expected: bool) -> None:
    """A word that stands alone and is neither short nor a stop word."""
    assert matching.is_stand_alone(term, text) is expected
