"""Faulty stores of the META group: which metadata is accepted, and how it comes back.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

Metadata = Mapping[str, str]


@faulty("META-11", cause="values that a template or driver turns into text")
class NumbersAccepted(BaseStore):
    """Accepts keys and values that are no text, and keeps them as text."""

    def check_metadata(self, metadata: Metadata) -> None:
        super().check_metadata({str(key): str(value) for key, value in metadata.items()})

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        kept = super().keep_metadata(change, current)
        return kept and {str(key): str(value) for key, value in kept.items()}


@faulty("META-11", cause="one error for everything that does not validate")
class WrongTypeIsValueError(BaseStore):
    """Raises `ValueError` for metadata that is no text, where `TypeError` is due."""

    def check_metadata(self, metadata: Metadata) -> None:
        try:
            super().check_metadata(metadata)
        except TypeError as error:
            raise ValueError(str(error)) from None


@faulty("META-11", cause="a JSON text column, which keeps NUL as an escape")
class MetadataNulAccepted(BaseStore):
    """Accepts NUL in metadata."""

    def check_metadata(self, metadata: Metadata) -> None:
        super().check_metadata({_without_nul(key): _without_nul(value) for key, value in metadata.items()})


def _without_nul(text: Any) -> Any:
    return text.replace("\x00", "0") if isinstance(text, str) else text


@faulty("META-11", cause="a limit that is never checked")
class LongMetadataAccepted(BaseStore):
    """Accepts metadata of any length, and does not claim `max_metadata_chars`."""

    def metadata_size(self, metadata: Metadata) -> int:
        return 0


@faulty("META-11", cause="an off-by-one in the comparison with the limit")
class MetadataLimitOffByOne(BaseStore):
    """Refuses metadata of exactly 4,096 characters."""

    def metadata_size(self, metadata: Metadata) -> int:
        return super().metadata_size(metadata) + 1


@faulty("META-11", also=("META-18",), cause="a length measured on encoded bytes")
class MetadataCountedInBytes(BaseStore):
    """Counts the length of metadata in UTF-8 bytes."""

    def metadata_size(self, metadata: Metadata) -> int:
        return len(json.dumps(dict(metadata), ensure_ascii=False, separators=(",", ":")).encode())


@faulty("META-11", also=("META-18",), cause="json.dumps with its defaults, which escapes what is not ASCII")
class MetadataCountedEscaped(BaseStore):
    """Counts each character beyond ASCII as six or twelve, its JSON escape."""

    def metadata_size(self, metadata: Metadata) -> int:
        return len(json.dumps(dict(metadata), separators=(",", ":")))


@faulty("META-11", also=("META-12",), cause="metadata checked after the content is stored")
class MetadataRefusedTooLate(BaseStore):
    """Keeps the content of a write whose metadata it refuses."""

    def check_change(self, change: Change) -> None:
        self.check_path(change.path)
        try:
            super().check_change(change)
        except (TypeError, ValueError):
            if change.metadata and self.is_expected(change, self.find(change.path)):
                self.put(Change(change.path, change.content, None), None)
            raise


@faulty("META-12", cause="an encoder that passes surrogates through")
class MetadataSurrogatesAccepted(BaseStore):
    """Accepts lone surrogates in metadata."""

    def check_metadata(self, metadata: Metadata) -> None:
        super().check_metadata(
            {_without_surrogates(key): _without_surrogates(value) for key, value in metadata.items()}
        )


def _without_surrogates(text: Any) -> Any:
    return text.encode(errors="replace").decode() if isinstance(text, str) else text


@faulty("META-02", cause="json.dumps of a mapping that is no dict")
class DictsOnly(BaseStore):
    """Raises for metadata in a mapping that is no `dict`."""

    def check_metadata(self, metadata: Metadata) -> None:
        super().check_metadata(metadata)
        if not isinstance(metadata, dict):
            raise TypeError(f"Object of type {type(metadata).__name__} is not JSON serializable")


class _Rewriting(BaseStore):
    """Rewrites keys or values of metadata."""

    def rewrite(self, key: str, value: str) -> tuple[str, str]:
        return key, value

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        kept = super().keep_metadata(change, current)
        return kept and dict(self.rewrite(key, value) for key, value in kept.items())


@faulty("META-18", also=("META-02",), cause="S3 or HTTP headers, whose names ignore case")
class MetadataKeysLowered(_Rewriting):
    """Turns metadata keys into lower case."""

    def rewrite(self, key: str, value: str) -> tuple[str, str]:
        return key.lower(), value


@faulty("META-18", cause="an index or client that composes characters")
class MetadataComposed(_Rewriting):
    """Turns decomposed characters in metadata into composed ones (NFC)."""

    def rewrite(self, key: str, value: str) -> tuple[str, str]:
        return unicodedata.normalize("NFC", key), unicodedata.normalize("NFC", value)


@faulty("META-18", also=("META-02",), cause="a document database in which a dot in a key means nesting")
class MetadataDotsReplaced(_Rewriting):
    """Replaces dots and dollar signs in metadata keys."""

    def rewrite(self, key: str, value: str) -> tuple[str, str]:
        return key.replace(".", "_").replace("$", "_"), value


@faulty("META-18", also=("META-02",), cause="MySQL's utf8, which holds three bytes a character")
class MetadataAstralReplaced(_Rewriting):
    """Replaces characters beyond U+FFFF in metadata by question marks."""

    def rewrite(self, key: str, value: str) -> tuple[str, str]:
        return key, "".join(c if ord(c) <= 0xFFFF else "?" for c in value)


@faulty("META-18", also=("META-02",), cause="a database that keeps no empty strings")
class EmptyValuesDropped(BaseStore):
    """Drops metadata whose value is empty."""

    def keep_metadata(self, change: Change, current: Stored | None) -> dict[str, str] | None:
        kept = super().keep_metadata(change, current) or {}
        return {key: value for key, value in kept.items() if value} or None
