"""Lexical search matches literally, stays within its bounds and shows what it found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from reference_stores.contract import MemorySearchResult
from reference_stores.lexical import LexicalSearch, make_snippet

WIDE: dict[str, int] = {"limit": 100, "max_files": 100, "max_chars": 10_000, "max_file_chars": 10_000}
TEXT = st.text(st.sampled_from("abİß .\nA😀"), max_size=40)
TERMS = st.text(st.sampled_from("abiİ."), min_size=1, max_size=3)


def search(files: dict[str, str], query: str, prefix: str = "t/", **bounds: int) -> MemorySearchResult:
    """Search `files` under bounds that are wide unless given."""
    found = LexicalSearch(prefix, query, **{**WIDE, **bounds})
    if not found.is_empty:
        for path, content in files.items():
            found.add(path, content)
    return found.result()


def paths(result: MemorySearchResult) -> list[str]:
    """Return the paths that matched, in order."""
    return [match.path for match in result.matches]


@pytest.mark.parametrize("text", [*"%_*?\"'\\([.^-+:|)]{}$#", "AND", "near", "NOT"])
def test_every_character_is_literal(text: str) -> None:
    """Wildcards, quotes and operators of other query languages are plain text."""
    assert paths(search({"t/a": f"x{text}y", "t/b": "xy"}, text)) == ["t/a"]


def test_score_and_order() -> None:
    """The content counts once and the name twice, the best comes first, and equals go by path."""
    files = {"t/b.md": "tea", "t/a.md": "Tea", "t/tea.md": "", "t/c.md": "tea TEA tea", "t/d.md": "milk"}
    result = search(files, "tea")
    assert [(match.path, match.score) for match in result.matches] == [
        ("t/c.md", 3.0), ("t/tea.md", 2.0), ("t/a.md", 1.0), ("t/b.md", 1.0),
    ]  # fmt: skip
    assert (result.scanned, result.truncated) == (5, False)


def test_any_term_matches_and_the_prefix_does_not() -> None:
    """One of several terms is enough, and the text of the prefix is not searched."""
    assert paths(search({"t/a": "one", "t/b": "two", "t/c": "three"}, " one\ttwo\n")) == ["t/a", "t/b"]
    assert paths(search({"tea/a": "x"}, "tea", prefix="tea/")) == []


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_no_term(query: str) -> None:
    """A query without a term finds nothing and looks at nothing."""
    assert search({"t/a": "x"}, query) == MemorySearchResult([], 0, truncated=False)


@pytest.mark.parametrize("bound", WIDE)
@pytest.mark.parametrize("value", [0, -1, -(2**63)])
def test_bounds_that_are_not_positive(bound: str, value: int) -> None:
    """A bound that allows nothing gives nothing, without an error."""
    assert search({"t/a": "x"}, "x", "t/", **{bound: value}) == MemorySearchResult([], 0, truncated=False)


@pytest.mark.parametrize("bound", WIDE)
@pytest.mark.parametrize("value", [True, 1.5, None])
def test_bounds_of_another_type(bound: str, value: Any) -> None:
    """A bound that is no integer is an error, for whatever query."""
    with pytest.raises(TypeError, match=f"^{bound} is a "):
        search({}, "", "t/", **{bound: value})


@pytest.mark.parametrize("query", ["", "x"])
def test_the_prefix_is_checked_first(query: str) -> None:
    """A bad prefix is an error even where the query asks for nothing."""
    with pytest.raises(ValueError, match="invalid memory prefix"):
        LexicalSearch("../", query, **{**WIDE, "limit": 0})


def test_huge_bounds() -> None:
    """Bounds beyond any machine integer are just wide."""
    result = search({"t/a": "x"}, "x", "t/", **dict.fromkeys(WIDE, 2**64))
    assert (paths(result), result.truncated) == (["t/a"], False)


def test_limit() -> None:
    """The best `limit` matches stay, and leaving one out is said, however many there were."""
    files = {f"t/{number:03}": "x" * number for number in range(1, 200)}
    result = search(files, "x", limit=3)
    assert paths(result) == ["t/199", "t/198", "t/197"]
    assert (result.scanned, result.truncated) == (199, True)
    assert not search({"t/a": "x", "t/b": "y"}, "x", limit=1).truncated


def test_text_beyond_the_file_bound() -> None:
    """Nothing beyond `max_file_chars` matches or is shown, and a cut file is said."""
    result = search({"t/a": "abcSECRET"}, "secret", max_file_chars=3)
    assert (result.matches, result.scanned, result.truncated) == ([], 1, True)
    shown = search({"t/a": "abcSECRET"}, "b", max_file_chars=3)
    assert [match.snippet for match in shown.matches] == ["abc"]
    assert not search({"t/a": "abc"}, "b", max_file_chars=3).truncated


def test_a_store_that_cut_or_left_out_says_so() -> None:
    """What the store did not hand over counts as not searched."""
    cut = LexicalSearch("t/", "x", **WIDE)
    cut.add("t/a", "x", is_cut=True)
    missed = LexicalSearch("t/", "x", **WIDE)
    missed.leave_out()
    assert cut.result().truncated
    assert missed.result() == MemorySearchResult([], 0, truncated=True)


def test_a_shortened_snippet_alone_is_not_truncated() -> None:
    """A snippet that is shorter than its file leaves no match out."""
    result = search({"t/a": "x" + "y" * 100}, "x", max_chars=20)
    assert (len(result.matches), result.truncated) == (1, False)


@given(st.dictionaries(st.sampled_from(["t/a", "t/bb", "t/ccc.md", "t/İ"]), TEXT), TERMS, st.integers(1, 60))
def test_the_budget_is_kept(files: dict[str, str], query: str, max_chars: int) -> None:
    """Names and snippets never exceed `max_chars`, and a match left out is said."""
    result = search(files, query, max_chars=max_chars)
    used = sum(len(match.path) - len("t/") + len(match.snippet) for match in result.matches)
    assert used <= max_chars
    assert result.truncated == (len(result.matches) < len(search(files, query).matches))


@given(TEXT, TERMS, st.integers(1, 50))
@example("x" * 30 + "İİİ secret " + "y" * 30, "secret", 20)
@example("İ" * 30 + "needle" + "İ" * 30, "needle", 6)
@example("needle" + "y" * 30, "needle", 7)
def test_snippets(content: str, term: str, max_chars: int) -> None:
    """A snippet fits, is the file's own text between its marks, and shows the term if that fits."""
    term = term.lower()
    snippet = make_snippet(content, [term], max_chars)
    assert len(snippet) <= max_chars
    assert snippet.removeprefix("...").removesuffix("...") in content
    assume(term in content.lower())
    if len(term) <= max_chars:
        assert term in snippet.lower()


def test_snippet_marks() -> None:
    """Three dots stand for text left out, at either end or both, and for nothing else."""
    content = "b" * 50 + " needle " + "e" * 50
    assert make_snippet(content, ["needle"], 200) == content
    assert make_snippet(content, ["needle"], 24) == "...bb needle eeeeeeee..."
    assert make_snippet("needle " + "e" * 50, ["needle"], 12) == "needle ee..."
    assert make_snippet("b" * 50 + " needle", ["needle"], 12) == "...bb needle"
    assert make_snippet(content, ["needle"], 6) == "needle"
    assert make_snippet(content, ["needle"], 3) == "nee"
    assert make_snippet("y" * 50, ["needle"], 10) == "yyyyyyy..."
