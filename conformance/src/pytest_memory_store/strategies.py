"""What Hypothesis draws: paths, contents, queries, bounds, and the bad ones, each citing its clause.

Must not know: stores, the rig. Alphabets are small on purpose, so that names collide and shrink to something a
person can read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

SEGMENT_CHARS = "abcxyzABCXYZ0189_.-"

VALID_CHARACTERS: SearchStrategy[str] = st.characters(codec="utf-8", exclude_characters="\x00")
"""Every character but NUL and surrogates."""

names: SearchStrategy[str] = st.sampled_from(
    [
        "MEMORY.md",
        "a.md",
        "b.md",
        "A.md",
        "ab.md",
        "a-b.md",
        "a_b.md",
        "sub/a.md",
        "sub/deep/a.md",
        "sub2/a.md",
    ]
)
"""Names of a notebook that are near each other: case, prefixes, separators, levels."""

flat_names: SearchStrategy[str] = st.sampled_from(["MEMORY.md", "a.md", "b.md", "ab.md", "topic-1.md", "notes.txt"])
"""Names directly below the scope, none a case variant of another."""

segments: SearchStrategy[str] = st.text(SEGMENT_CHARS, min_size=1, max_size=12).filter(
    lambda s: ".." not in s and s != "."
)
"""Valid path segments, leading dots and dashes among them (PATH-01)."""

long_segments: SearchStrategy[str] = st.integers(1, 200).map(lambda n: "s" * n)
"""Valid segments up to the longest (PATH-01)."""


def _joined(parts: list[str]) -> str:
    return "/".join(parts)


paths: SearchStrategy[str] = st.lists(segments, min_size=1, max_size=5).map(_joined)
"""Valid relative paths (PATH-01)."""

plain: SearchStrategy[str] = st.text("abc de\n", max_size=12)
"""Contents that no store has a reason to refuse or to change, blank ones among them."""

UNICODE_SAMPLES = (
    "\r\n",
    "\r",
    "\ufeff",
    "\u0085",
    "\u2028",
    "e\u0301",
    "\u00e9",
    "\ufb01",
    "\U0001f600",
    "\U0001f469\u200d\U0001f680",
    "漢字",
    "\u200b",
    "\x01",
    "\x1a",
    "\x7f",
    "</memory>",
    "&amp;",
    "'\"\\",
    "%s %(x)s {0}",
    "\t",
    "  ",
    "\n\n",
)
"""What stores change on the way: line ends, byte order marks, normal forms, astral planes, markup (READ-02)."""

unicode_texts: SearchStrategy[str] = st.lists(
    st.sampled_from(UNICODE_SAMPLES) | st.text(VALID_CHARACTERS, max_size=3),
    max_size=8,
).map("".join)
"""Any valid Unicode without NUL, with what stores like to change in front (READ-02)."""

wide_texts: SearchStrategy[str] = st.text("aé漢\U0001f600\U0001f680e\u0301", min_size=1, max_size=12)
"""Texts whose code points, UTF-16 units and bytes differ in number (READ-04)."""

unknown_versions: SearchStrategy[str] = st.sampled_from(
    ["", " ", "0", "1", "-1", " 1", "1 ", "01", "1.0", "1e9", "abc", "None", "null", "*", "%", "'", '"', "W/\"1\"",
     "\U0001f600", "é", "x" * 10_000, "9" * 40, "true", "\n", "9223372036854775808"]
) | st.text(VALID_CHARACTERS, max_size=8)  # fmt: skip
"""Version strings that no store gave out, some of which a backend may take for a number or a pattern (CAS-12)."""
