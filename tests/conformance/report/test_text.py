"""Text from a store becomes one safe line of bearable length."""

from __future__ import annotations

import pytest

from pytest_memory_store.report.text import Paragraph, around_difference, count, plain, shorten, visible


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain é 漢 😀", "plain é 漢 😀"),
        ("two\nlines\r\tand a tab", r"two\nlines\r\tand a tab"),
        ("\x1b[31mred\x00", r"\x1b[31mred\x00"),
        ("\ud800 alone", r"\ud800 alone"),
        ("right \u202e left", r"right \u202e left"),
    ],
)
def test_visible_escapes_only_what_would_not_show(given: str, shown: str) -> None:
    """Letters of any script stay; controls, surrogates and direction marks are escaped."""
    assert visible(given) == shown


@pytest.mark.parametrize("length", [9, 10, 11, 1_000])
def test_shorten_keeps_both_ends(length: int) -> None:
    """A text of at most the given length stays; a longer one loses its middle."""
    text = "a" * (length - 1) + "z"
    short = shorten(text, 10)
    assert short == text if length <= 10 else (len(short) == 10 and short.startswith("a") and short.endswith("z"))


def test_around_difference_shows_where_long_texts_part() -> None:
    """Both texts are cut to the same window, which holds the difference."""
    expected, actual = around_difference("x" * 500 + "A" + "y" * 500, "x" * 500 + "B" + "y" * 500, 20)
    assert expected == "..." + "x" * 10 + "A" + "y" * 9 + "..."
    assert actual == "..." + "x" * 10 + "B" + "y" * 9 + "..."


def test_around_difference_leaves_short_texts_alone() -> None:
    """What fits is not cut."""
    assert around_difference("one", "two", 20) == ("one", "two")


def test_around_difference_of_a_text_and_its_beginning() -> None:
    """A text that only ends early is shown up to its end."""
    assert around_difference("x" * 100, "x" * 90, 10) == ("..." + "x" * 10 + "...", "..." + "x" * 5)


def test_count_knows_the_singular() -> None:
    """One thing is named in the singular, and thousands are grouped."""
    assert [count(n, "clause") for n in (0, 1, 1_024)] == ["0 clauses", "1 clause", "1,024 clauses"]


def test_plain_marks_nothing() -> None:
    """Output without colours is the text itself."""
    assert plain("text", "bad") == "text"


def test_a_paragraph_hangs_under_its_head() -> None:
    """Further lines are indented, and no word is broken."""
    page = Paragraph(30)
    assert page.hanging("head: ", "one two three four-four five") == ["head: one two three four-four", "      five"]
    assert page.hanging("head: ", "one two three four-four five", indent=2)[1] == "  five"
    assert page.hanging("", "x" * 50) == ["x" * 50]
