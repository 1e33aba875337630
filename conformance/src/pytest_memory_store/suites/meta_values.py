"""META: which metadata is accepted, and that it comes back exactly.

Must not know: what becomes of metadata later (`meta.py`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw
from pytest_memory_store.cases import answer, next_case
from pytest_memory_store.model import metadata_chars
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_memory_store.example import Example

BY = {"by": "first"}


async def _set_up(example: Example, case: str) -> None:
    """See that plain metadata is kept, and that a refused create would show."""
    next_case(example)
    await example.put(f"{case}.md", "x", metadata=BY)
    for name in (f"{case}.md", f"{case}.md", f"new-{case}.md"):
        await example.read(name)
    await example.get_operation(example.operation())


async def _require_refused(example: Example, case: str, metadata: Any) -> None:
    """See a replace and a create refused, and nothing changed by them."""
    await _set_up(example, case)
    for name in (f"{case}.md", f"new-{case}.md"):
        operation = example.operation()
        expected = example.version(name)
        await example.write(name, "y", expected_version=expected, operation=operation, metadata=metadata)
        await example.read(name, blame=example.own)
        await example.get_operation(operation)


# What is refused


_NO_TEXT: tuple[Any, ...] = (
    {"k": 1},
    {"k": None},
    {"k": True},
    {"k": b"x"},
    {"k": ["x"]},
    {"k": {"nested": "x"}},
    {1: "x"},
    {None: "x"},
    {"by": "x", "k": 1.5},
    ["by", "x"],
)
"""Mappings with keys or values of other types, and last what is no mapping (AMB-39)."""


@check("META-11", calls=150)
async def what_is_no_text_is_refused(example: Example) -> None:
    """Keys and values that are no text are refused with `TypeError`, NUL with `ValueError`, before any effect."""
    nul = ({"k": "nul \x00"}, {"\x00": "x"}, {"by": "x", "k\x00": ""})
    for number, metadata in enumerate((*nul, *_NO_TEXT)):
        await _require_refused(example, f"{number}", metadata)


@check("META-11", calls=130)
async def metadata_is_bounded(example: Example) -> None:
    """Metadata of exactly the longest JSON is kept, and one character more is refused before any effect."""
    longest = min(example.model.max_metadata_chars, _MOST)
    for number, metadata in enumerate(_of_length(longest)):
        await _set_up(example, f"{number}")
        await example.put(f"kept-{number}.md", "x", metadata=metadata, blame="META-11")
        await example.read(f"kept-{number}.md")
    if longest == example.model.max_metadata_chars:
        for number, metadata in enumerate(_of_length(longest + 1)):
            await _require_refused(example, f"longer-{number}", metadata)


_MOST = 10_000_000
"""Where the limit is longer, metadata of this length is tried."""


def _of_length(chars: int) -> Iterator[Mapping[str, str]]:
    """Mappings whose JSON has this many characters: of one byte each, of several, in escapes, and in many pairs."""
    for filler in ("x", "\u00e9", "\u6f22", "\U0001f600"):
        yield {"k": filler * (chars - metadata_chars({"k": ""}))}
    quoted = (chars - metadata_chars({"k": ""})) // 2
    yield _filled({"k": '"' * (quoted - 1)}, chars)
    yield _filled({f"key-{number}": "value" for number in range(min(chars // 20, 100))}, chars)


def _filled(metadata: dict[str, str], chars: int) -> dict[str, str]:
    """The mapping with a last value made longer, until its JSON has this many characters."""
    last = next(reversed(metadata))
    return {**metadata, last: metadata[last] + "x" * (chars - metadata_chars(metadata))}


@check("META-12", calls=34)
async def surrogates_are_refused(example: Example) -> None:
    """Lone surrogates in keys or values are refused with `ValueError`, before any effect."""
    for number, metadata in enumerate(({"k": "\ud800"}, {"\udfff": "x"}, {"by": "x", "k": "a\udc00b"})):
        await _require_refused(example, f"{number}", metadata)


# What comes back


@check("META-13", calls=10)
async def metadata_is_a_copy(example: Example) -> None:
    """Changing the mapping that was passed to a write, or returned by a read, changes nothing stored."""
    passed = dict(BY)
    await example.put("a.md", "x", metadata=passed)
    await example.settle()
    await example.settle()
    passed |= {"by": "changed", "more": "x"}
    try:
        await example.read("a.md", blame="META-13")
    finally:
        passed.clear()
        passed |= BY  # what the transcript shows is what was passed
    outcome = await example.read("a.md")
    returned = cast("dict[str, str]", getattr(answer(outcome), "metadata", None))
    with suppress(Exception):  # a mapping that cannot be changed is a copy too
        returned["by"] = "changed"
        returned["more"] = "x"
    await example.read("a.md", blame="META-13")
    await example.put("b.md", "x", metadata=BY)
    await example.read("a.md", blame="META-13")


_ODD_PAIRS: tuple[dict[str, str], ...] = (
    {"Author": "A", "author": "a", "AUTHOR": "B"},
    {"a.b": "dot", "$set": "dollar", "a/b": "slash", "__proto__": "x", "": "empty key"},
    {"empty": "", "space": " ", "spaces": "  x  ", "lines": "a\r\nb\n", "tab": "\t"},
    {"true": "true", "null": "null", "number": "1.0", "json": '{"a": [1]}', "quote": "'\"\\"},
    {"caf\u00e9": "composed", "cafe\u0301": "decomposed"},
    {"name": "e\u0301 \u00e9 \ufb01 \u212b"},
    {"\u6f22\u5b57": "\U0001f600", "\U0001f680": "\U0001f469\u200d\U0001f680"},
    {"header: x": "a\x7f\x01\u0085\u2028", "\ufeffbom": "\ufeff"},
    {"z": "1", "a": "2", "m": "3"},
    {"k" * 200: "long key"},
)
"""Pairs that headers, document keys, collations, encoders and empty-string rules change."""


@check("META-18", calls=24)
async def odd_texts_come_back_exactly(example: Example) -> None:
    """Keys and values that back ends like to change are read as they were written."""
    await _set_up(example, "plain")
    for number, metadata in enumerate(_ODD_PAIRS):
        next_case(example)
        await example.put(f"{number}.md", "x", metadata=metadata, blame="META-18")
        await example.read(f"{number}.md", blame="META-18")


_texts = st.lists(st.sampled_from(draw.UNICODE_SAMPLES) | draw.unicode_texts, max_size=3).map("".join)


@check("META-18", calls=5, metadata=st.dictionaries(_texts, _texts, min_size=1, max_size=5))
async def any_text_comes_back_exactly(example: Example, metadata: dict[str, str]) -> None:
    """Any Unicode in keys and values is read as it was written."""
    await _set_up(example, "a")
    await example.put("b.md", "x", metadata=metadata, blame="META-18")
    await example.read("b.md", blame="META-18")
