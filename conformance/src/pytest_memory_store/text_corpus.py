"""Texts that stores change on the way, each for a reason of its own (READ-02, READ-04, TYPE-08, TYPE-09).

Must not know: stores, checks.
"""

from __future__ import annotations

LINE_ENDS = ("\r\n", "\r", "\n\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\n\n\n")
"""What `splitlines`, text mode and form fields take for the end of a line."""

SPACES = (" ", "  ", "\t", "\xa0", "\u3000", "\u200b", "\u2060", "\xad", " \n ")
"""What is trimmed, collapsed or taken for nothing."""

MARKS = ("\ufeff", "\ufffe", "\uffff", "\U0010ffff", "\ufffd", "\ue000", "\u202e", "\u200d", "\ufe0f")
"""Byte order marks, noncharacters, private use, and what changes direction or shape."""

FORMS = ("e\u0301", "\u00e9", "\u212b", "\ufb01", "\u1100\u1161", "\uff21", "\u0130", "\u00df", "\u03c2")
"""What changes under normal forms and case folding."""

WIDE = ("\u6f22\u5b57", "\U0001f600", "\U0001f469\u200d\U0001f680", "\U00020000", "\U0001d11e", "\u0e01\u0e33")
"""More bytes than characters, more UTF-16 units than characters, more characters than are seen."""

CONTROLS = ("\x01", "\x07", "\x08", "\x1a", "\x1b[0m", "\x7f", "\x80", "\x9f")
"""Controls; U+001A ends a file on some systems."""

MARKUP = (
    *("<b>&amp;</b>", "</memory>", "<memory>", "<!-- -->", "]]>", "&#233;", "%00", "%41", "+", "{{x}}", "${x}"),
    *("%s %(x)s {0}", "\\n", "\\u0041", "\\", "'", '"', "''", "`", "';--", "$1", "\\1", ":x", "?", "*", "_"),
)
"""What templates, markup, queries and escapes give a meaning."""

LIKE_DATA = (
    *("null", "None", "true", "0", "007", "1e5", "1.0", "NaN", "2024-01-01", "[]", "{}", '{"a": 1}', '"x"', "yes"),
    *("---\ntitle: x\n---\n", "# x", "- x", "a: b", "a\tb", "a,b", "b'x'", "eA==", "\n---\n", "...", "EOF\n"),
)
"""Text that looks like a value of JSON, YAML, CSV or Python, or like the end of a record."""

SAMPLES = (*LINE_ENDS, *SPACES, *MARKS, *FORMS, *WIDE, *CONTROLS, *MARKUP, *LIKE_DATA)
"""All of the above."""

MIXED = "a\u00e9\u6f22\U0001f600e\u0301\U0001f469\u200d\U0001f680\u00e4b"
"""A text whose code points, UTF-16 units, bytes and visible characters all differ in number."""

UNSTORABLE = ("keep\x00 this", "\x00", "end\x00", "\ud800", "keep\udfff this", "\ud83d alone", "\ude00\ud83d")
"""Content that no store has to keep: NUL, and surrogates without their other half."""
