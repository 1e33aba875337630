"""Faulty stores of the READ group: which text comes back, and how much of it.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

import html
import unicodedata

from pytest_memory_store.faulty.base import BaseStore
from pytest_memory_store.faulty.registry import faulty


@faulty("READ-02", also=("SRCH-17",), cause="a file opened in text mode, or a form field")
class LineEndsNormalized(BaseStore):
    """Turns CRLF and lone CR into LF."""

    def encode(self, content: str) -> str:
        return content.replace("\r\n", "\n").replace("\r", "\n")


@faulty("READ-02", also=("SRCH-17",), cause="a file read with the encoding utf-8-sig")
class ByteOrderMarkDropped(BaseStore):
    """Drops a byte order mark at the beginning."""

    def encode(self, content: str) -> str:
        return content.removeprefix("\ufeff")


@faulty("READ-02", also=("SRCH-17",), cause="a file system, search index or client that composes characters")
class ContentComposed(BaseStore):
    """Turns decomposed characters into composed ones (NFC)."""

    def encode(self, content: str) -> str:
        return unicodedata.normalize("NFC", content)


@faulty(
    "READ-02",
    also=(
        "READ-07",
        "SRCH-17",
        "READ-03",
    ),
    cause="a CHAR column, or a strip() on the way in",
)
class TrailingSpaceDropped(BaseStore):
    """Drops white space at the end of the content."""

    def encode(self, content: str) -> str:
        return content.rstrip() or content


@faulty(
    "READ-02",
    also=("SRCH-17", "READ-04", "TYPE-08", "TYPE-09"),
    cause="MySQL's utf8, which holds three bytes a character",
)
class AstralReplaced(BaseStore):
    """Replaces characters beyond U+FFFF, such as emoji, by question marks."""

    def encode(self, content: str) -> str:
        return "".join(c if ord(c) <= 0xFFFF else "?" for c in content) if not content.isascii() else content


@faulty("READ-02", also=("SRCH-17",), cause="markup escaped on the way in, in place of where it is shown")
class MarkupEscaped(BaseStore):
    """Escapes `<`, `>` and `&` in the content."""

    def encode(self, content: str) -> str:
        return html.escape(content, quote=False)


@faulty("READ-02", also=("SRCH-17",), cause="splitlines(), which also splits at U+0085 and U+2028")
class UnicodeLineEndsRewritten(BaseStore):
    """Turns the line ends that only Unicode knows into LF."""

    def encode(self, content: str) -> str:
        return content.translate({0x85: "\n", 0x2028: "\n", 0x2029: "\n"})


@faulty("READ-03", cause="an off-by-one in the comparison with the bound")
class TruncatedAtBoundary(BaseStore):
    """Says that a file of exactly `max_chars` characters is cut."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        return content[:max_chars], 0 < len(content) >= max_chars


@faulty("READ-03", also=("READ-04",), cause="a flag that nobody sets")
class TruncatedNeverSet(BaseStore):
    """Cuts the content, and never says so."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        return content[:max_chars], False


@faulty("READ-03", also=("READ-04",), cause="a mark added to what was cut")
class CutIsMarked(BaseStore):
    """Ends cut content in `...`, which the file does not hold."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        shown, truncated = super().cut(content, max_chars)
        return (shown[:-3] + "..." if truncated and max_chars > 3 else shown), truncated


@faulty("READ-03", also=("READ-08", "READ-04"), cause="a bound that the back end never gets")
class BoundIgnored(BaseStore):
    """Returns the whole file whatever `max_chars` is."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:  # noqa: ARG002 - that is the fault
        return content, False


@faulty("READ-03b", cause="a 32-bit parameter in the driver")
class HugeBoundOverflows(BaseStore):
    """Raises `OverflowError` for a `max_chars` above 2**31-1."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        if max_chars >= 2**31:
            raise OverflowError("value out of int32 range")
        return super().cut(content, max_chars)


@faulty("READ-04", also=("READ-03",), cause="SUBSTRING or SUBSTR on bytes")
class BoundCountsBytes(BaseStore):
    """Counts `max_chars` in UTF-8 bytes."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        encoded = content.encode()
        return encoded[:max_chars].decode(errors="ignore"), len(encoded) > max_chars


@faulty("READ-04", also=("READ-03",), cause="a back end in Java, JavaScript or C#")
class BoundCountsUtf16(BaseStore):
    """Counts `max_chars` in UTF-16 units, so that an emoji counts twice."""

    def cut(self, content: str, max_chars: int) -> tuple[str, bool]:
        encoded = content.encode("utf-16-le")
        return encoded[: 2 * max_chars].decode("utf-16-le", errors="ignore"), len(encoded) > 2 * max_chars
