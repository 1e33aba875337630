"""SRCH: which words match what, how matches are scored and ordered, and that nothing else is searched.

Must not know: bounds and flags (`search.py`). A check confirms its files by a plain search before it asks what it is
about. The cases of a corpus do not depend on each other, so each has a scope and a transcript of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store.cases import next_case
from pytest_memory_store.matching import occurs, score
from pytest_memory_store.search_cases import (
    OPERATORS,
    SPECIAL_CHARS,
    SPECIAL_WORDS,
    decoy,
    matches_of,
    names_of,
    plant,
    seek,
)
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.example import Example


async def _case(
    example: Example, number: int, files: Mapping[str, str], *queries: str, blame: str | None = None
) -> None:
    """Search files in a scope of their own for each of the queries."""
    next_case(example)
    below = f"c{number}/"
    await plant(example, files, "common", below=below)
    for query in queries:
        await seek(example, query, prefix=f"{example.prefix}{below}", blame=blame)


async def _plain_case(example: Example) -> None:
    """See that one letter and one word of several are found, before special characters are asked for."""
    await _case(example, 0, {"n1": "common x", "n2": "common qxy"}, "x", "x absent")


# Characters


@check("SRCH-13", calls=231)
async def each_character_is_text(example: Example) -> None:
    """A character that some query language has a use for matches itself and nothing else."""
    await _plain_case(example)
    for number, char in enumerate(SPECIAL_CHARS, 1):
        files = {"hit": f"common x{char}y {char}", "miss": "common xzy"}
        await _case(example, number, files, char, f"x{char}y")


@check("SRCH-13", calls=337)
async def query_languages_are_text(example: Example) -> None:
    """A word that is an order, a mistake or a pattern in some query language matches itself and nothing else."""
    await _plain_case(example)
    for number, query in enumerate(SPECIAL_WORDS, 1):
        await _case(example, number, {"hit": f"common {query} end", "miss": f"common {decoy(query)}"}, query)


@check("SRCH-13", examples=25, calls=15, query=st.text("xyXY%_*?\"'\\()[]^-+:.~|&{}$", min_size=1, max_size=8))
async def any_word_is_text(example: Example, query: str) -> None:
    """Any word of letters and special characters matches itself and nothing else."""
    await _plain_case(example)
    files = {"hit": f"common {query} end", "part": f"common {query[:-1]}", "miss": f"common {decoy(query)}"}
    await _case(example, 1, files, query)


@check("SRCH-13", calls=60)
async def operators_are_text(example: Example) -> None:
    """`AND`, `OR`, `NOT` and `NEAR` are words like others."""
    for number, word in enumerate(OPERATORS):
        files = {"hit": f"common {word} x", "low": f"common {word.lower()} x", "zw": "common zw", "xy": "common xy zw"}
        plain = word.lower(), f"xy {word.lower()} zw"
        await _case(example, number, files, *plain, word, f"xy {word} zw", f"xy {word}", f"{word} qq")


@check("SRCH-13", calls=14)
async def ascii_letters_match_in_either_case(example: Example) -> None:
    """All letters of ASCII match in either case, in content and in names."""
    files = {
        "low": "common abcdefghijklmnopqrstuvwxyz",
        "up": "common ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "mixed": "common AbCdEfGhIjKlMnOpQrStUvWxYz",
        "ReadMe.MD": "common",
    }
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    await _case(example, 1, files, alphabet, alphabet.upper(), alphabet.title(), "readme", "README.md", "COMMON")


@check("SRCH-13", calls=10)
async def other_characters_match_themselves(example: Example) -> None:
    """Characters beyond ASCII match themselves, and no other."""
    files = {"hit": "common é ñandú 漢字 \U0001f600 Ω", "miss": "common e nandu \U0001f601 O"}
    await _case(example, 1, files, "é", "ñandú", "漢字", "字", "\U0001f600", "Ω")


PAIRS = (("é", "É"), ("ä", "Ä"), ("ñ", "Ñ"), ("ø", "Ø"), ("ł", "Ł"), ("я", "Я"), ("ω", "Ω"), ("ծ", "Ծ"))
"""Letters of which upper and lower case are one character each, both ways."""


@check("SRCH-13b", calls=72)
async def other_letters_match_in_either_case(example: Example) -> None:
    """Letters beyond ASCII match in either case."""
    for number, (lower, upper) in enumerate(PAIRS):
        files = {"low": f"common {lower}cole", "up": f"common {upper}COLE", "miss": "common cole"}
        await _case(example, number, files, f"{lower}cole", f"{upper}COLE")


# Words


@check("SRCH-14", calls=18)
async def any_word_matches_anywhere(example: Example) -> None:
    """One word of several is enough, wherever it stands in the content and whatever is around it."""
    files = {
        "n1": "hoopoe common",
        "n2": "common\nlapwing",
        "n3": "common: the alphabet of\tbirds",
        "n4": f"common {'and so on ' * 400}hoopoe",
    }
    spaced, repeated, inside = "  hoopoe\n\tlapwing  ", "hoopoe hoopoe", "lphabe"
    queries = ("hoopoe lapwing", "lapwing hoopoe absent", spaced, repeated, inside, "oopo bird", "x a y", "of", "the")
    await _case(example, 1, files, *queries)


@check("SRCH-14", calls=10)
async def long_queries_are_answered(example: Example) -> None:
    """A query of 32 words, and one of a thousand characters, finds what holds any of it."""
    words = [f"word{number:02}{'w' * 24}" for number in range(32)]
    long = "".join(f"w{number:03}" for number in range(250))
    files = {"n1": f"common {words[0]}", "n2": f"common {words[-1]}", "n3": f"common {long}", "n4": "common word"}
    await _case(example, 1, files, " ".join(words), long, blame="SRCH-14")


@check("SRCH-14", examples=25, calls=11, words=st.lists(st.text("xyz", min_size=1, max_size=4), min_size=1, max_size=4))
async def any_of_any_words_matches(example: Example, words: list[str]) -> None:
    """Each word of a query finds the files that hold it, alone and with the others."""
    files = {f"n{number}": f"common {word}" for number, word in enumerate(words)} | {
        "joined": f"common q{''.join(words)}q"
    }
    await _case(example, 1, files, " ".join(words), *words[-1:])


@check("SRCH-16", calls=14)
async def a_name_is_enough(example: Example) -> None:
    """A file is found by its name, a part of it or its extension, also where it is empty."""
    files = {"hoopoe.md": "common", "topic-7.txt": "common", "empty-lapwing.md": "", "LAPWING.TXT": "common"}
    if "case_insensitive" in example.setting.claims:
        files.pop("LAPWING.TXT")
    await _case(example, 1, files, "hoopoe", "oopo", "topic-7", "7", ".txt", "md", "lapwing", "hoopoe absent")


# Scores


@check("SRCH-15", calls=26)
async def matches_are_ordered_by_score(example: Example) -> None:
    """The match with the most words in content and name comes first, also where `limit` cuts; then the path counts."""
    await plant(
        example,
        {
            "b.md": "hoopoe and hoopoe, Hoopoe",
            "a.md": "a hoopoe",
            "Z.md": "the hoopoe",
            "a-1.md": "hoopoes",
            "a_1.md": "one hoopoe",
            "c.md": "two hoopoe hoopoe",
            "hoopoe.md": "nothing",
            "d.md": "lapwing",
        },
        "hoopoe",
    )
    for query in ("hoopoe", "hoopoe lapwing", "md one"):
        outcome = await seek(example, query)
        texts = {path.removeprefix(example.prefix): file.content for path, file in example.model.files.items()}
        points = {name: score(query, name, text) for name, text in texts.items() if occurs(query, f"{name}\n{text}")}
        found = dict(zip(names_of(example, outcome), (got for _, _, got in matches_of(outcome)), strict=True))
        example.require("SRCH-15", found == points, "a score does not count the words", expected=points, actual=found)
        best = sorted(points, key=lambda name: (-points[name], name))
        for most in (1, 3):
            first = names_of(example, await seek(example, query, limit=most))
            message = "the first matches are not the best"
            example.require("SRCH-15", first == best[:most], message, expected=best[:most], actual=first)


@check("SRCH-18", calls=12)
async def scores_are_positive_numbers(example: Example) -> None:
    """A match has a finite score above zero, whether by one word, by many, or by its name in an empty file."""
    await plant(example, {"n1": "note", "n2": "note " * 500, "note.md": "", "n3": "a note among others", "n4": "x"})
    for query in ("note", "x", "note x absent", "others"):
        await seek(example, query)
