"""Faulty stores of the TYPE group: which content is accepted, and how the rest is refused.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import (
        MemoryMutation,
    )


@faulty("TYPE-08", also=("TYPE-08b", "READ-02"), cause="SQLite or a C library, where text ends at NUL")
class ContentEndsAtNul(BaseStore):
    """Accepts content with NUL, and keeps what comes before it."""

    def check_content(self, content: str) -> None:
        super().check_content(content.replace("\x00", ""))

    def encode(self, content: str) -> str:
        return content.partition("\x00")[0]


@faulty("TYPE-08", also=("TYPE-08b", "READ-02"), cause="str.encode(errors='replace')")
class SurrogatesReplaced(BaseStore):
    """Accepts content with lone surrogates, and keeps question marks in their place."""

    def check_content(self, content: str) -> None:
        super().check_content(self.encode(content))

    def encode(self, content: str) -> str:
        return content.encode(errors="replace").decode()


@faulty("TYPE-08", also=("READ-02", "READ-03", "TYPE-09"), cause="MySQL's TEXT out of strict mode")
class LongContentCut(BaseStore):
    """Cuts content after 65,536 characters, and says nothing."""

    def encode(self, content: str) -> str:
        return content[:65_536]


@faulty("TYPE-08b", cause="an error of the driver that nobody translated")
class NulIsServerError(BaseStore):
    """Raises an error of the back end for content with NUL."""

    def check_content(self, content: str) -> None:
        if "\x00" in content:
            raise RuntimeError("invalid byte sequence for encoding UTF8: 0x00")
        super().check_content(content)


@faulty("TYPE-08b", cause="an error found only once the row is written")
class ContentRefusedTooLate(BaseStore):
    """Drops the file when it refuses new content that it cannot keep."""

    def check_change(self, change: Change) -> None:
        try:
            super().check_change(change)
        except ValueError:
            if change.content is not None and not change.metadata:
                self.files.pop(change.path, None)
            raise


@faulty("TYPE-09", also=("READ-02", "TYPE-08"), cause="MySQL's TEXT, which holds 65,535 bytes")
class ContentOver65535BytesRefused(BaseStore):
    """Refuses content of more than 65,535 bytes."""

    def check_content(self, content: str) -> None:
        super().check_content(content)
        if len(content.encode()) > 65_535:
            raise ValueError("the content is longer than 65,535 bytes")


@faulty("TYPE-09", also=("READ-02", "READ-04"), cause="a message or item limit of 256,000 bytes")
class WideContentRefused(BaseStore):
    """Refuses content of more than 256,000 bytes, so 65,536 emoji do not fit."""

    def check_content(self, content: str) -> None:
        super().check_content(content)
        if len(content.encode()) > 256_000:
            raise ValueError("the content is longer than 256,000 bytes")


class ModelRetry(Exception):  # noqa: N818 - the agent framework's name
    """Stands for the agent framework's exception of this name."""


@faulty("TYPE-10", also=("TYPE-08", "TYPE-08b", "TYPE-10b"), cause="a quota checked after the write")
class QuotaAfterEffect(BaseStore):
    """Keeps content of more than 65,536 characters, and raises `ModelRetry` then."""

    def apply(self, change: Change, current: Stored | None) -> MemoryMutation:
        mutation = super().apply(change, current)
        if len(change.content or "") > 65_536:
            raise ModelRetry("the note is too long: write a shorter one")
        return mutation


@faulty("TYPE-10b", also=("TYPE-08b",), cause="a store written for one agent framework")
class QuotaIsModelRetry(BaseStore):
    """Refuses content of more than 65,536 characters with `ModelRetry`."""

    def check_content(self, content: str) -> None:
        super().check_content(content)
        if len(content) > 65_536:
            raise ModelRetry("the note is too long: write a shorter one")


@faulty("TYPE-11", claims={"read_only": True}, cause="a flag that no method looks at")
class ReadOnlyWrites(BaseStore):
    """Claims to be read-only, and writes."""


@faulty("TYPE-11", claims={"read_only": True}, cause="a write that is dropped in place of refused")
class ReadOnlyPretends(BaseStore):
    """Claims to be read-only, and answers a write as done."""

    def apply(self, change: Change, current: Stored | None) -> MemoryMutation:
        version = None if change.content is None else self.new_version(change, current)
        return self.answer(change, current, version)
