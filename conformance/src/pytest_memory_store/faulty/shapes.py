"""Faulty stores of the TYPE group: signatures, and the shapes of results and errors.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.contract import (
    MemoryMutation,
    MemoryOperationConflictError,
)
from pytest_memory_store.faulty.plain import PlainStore
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import Operation


@faulty("TYPE-01", also=tuple(f"OP-{n:02}" for n in range(1, 29)), cause="a protocol implemented by half")
class NoGetOperation(BaseStore):
    """Has no `get_operation`."""

    get_operation: Any = None


@faulty("TYPE-01", claims={"search": True}, cause="a claim copied from another store")
class NoSearchDespiteClaim(PlainStore):
    """Claims `search`, and has none."""


@faulty(
    "TYPE-02",
    also=(
        "CAS-05",
        "CAS-16",
        "DEL-02",
        "OP-05",
        "OP-06",
        "OP-07",
        "OP-08",
        "OP-10",
        "OP-15",
        "OP-16",
        "OP-17",
        "OP-28",
    ),
    cause="an optional parameter left out",
)
class DeleteTakesNoOperation(BaseStore):
    """Has no parameter `operation` in its delete."""

    async def delete(self, path: str, *, expected_version: str | None) -> MemoryMutation:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.mutate(Change(path, None, expected_version))


@faulty("TYPE-03", cause="a tuple or generator where the protocol says list")
class ListingIsTuple(BaseStore):
    """Returns a listing as a tuple."""

    def page(self, paths: list[str], limit: int) -> Any:
        return tuple(paths[:limit])


@faulty("TYPE-03", also=("READ-03",), cause="rows returned as a driver gives them")
class FileIsMapping(BaseStore):
    """Returns a file as a dict."""

    def show(self, stored: Stored, max_chars: int) -> Any:
        return asdict(super().show(stored, max_chars))


class FileTuple(NamedTuple):
    """A file as a tuple with names, which has the fields and is no dataclass."""

    content: str
    version: str
    operation_id: str | None
    truncated: bool
    metadata: Any


@faulty("TYPE-03", cause="rows returned as a driver gives them")
class FileIsTuple(BaseStore):
    """Returns a file as a named tuple."""

    def show(self, stored: Stored, max_chars: int) -> Any:
        shown = super().show(stored, max_chars)
        return FileTuple(shown.content, shown.version, shown.operation_id, shown.truncated, shown.metadata)


@faulty("TYPE-03", also=("CAS-21",), cause="a database without booleans")
class ExistedIsNumber(BaseStore):
    """Returns `existed` as 0 or 1."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        existed: Any = int(current is not None)
        return MemoryMutation(version=version, replayed=False, existed=existed)


@faulty("TYPE-03", also=("READ-03",), cause="a database without booleans")
class TruncatedReadIsNumber(BaseStore):
    """Returns `truncated` of a read as 0 or 1."""

    def cut(self, content: str, max_chars: int) -> Any:
        shown, truncated = super().cut(content, max_chars)
        return shown, int(truncated)


@faulty("TYPE-03", also=("READ-02",), cause="a BLOB column, or a client that returns bytes")
class ContentIsBytes(BaseStore):
    """Returns content that is not ASCII as bytes."""

    def cut(self, content: str, max_chars: int) -> Any:
        shown, truncated = super().cut(content, max_chars)
        return (shown if shown.isascii() else shown.encode()), truncated


@faulty("TYPE-04", also=("CAS-08", "OP-03", "TYPE-03"), cause="an UPDATE that returns no row")
class UpdateReturnsNoVersion(BaseStore):
    """Answers an update with `version=None`."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        return super().answer(change, current, None if current is not None else version)


@faulty("TYPE-04", also=("CAS-08", "TYPE-03"), cause="a version column that a driver returns as a number")
class VersionIsInteger(BaseStore):
    """Answers a write with a version that is a number, and shows it to readers as text."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return str(int(super().new_version(change, current), 16))

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        number: Any = int(version) if version else version
        return super().answer(change, current, number)


@faulty("TYPE-04", also=("DEL-02", "TYPE-03"), cause="an empty text where the protocol says None")
class DeleteReturnsEmptyVersion(BaseStore):
    """Answers a delete with an empty version."""

    def remove(self, change: Change, current: Stored | None) -> str | None:
        super().remove(change, current)
        return ""


@faulty("TYPE-05", also=("READ-06", "LIST-04"), cause="assert in place of an error, which -O removes")
class BadBoundIsAssertion(BaseStore):
    """Raises `AssertionError` for a bound that is not above zero."""

    def check_bound(self, name: str, value: int) -> None:
        try:
            super().check_bound(name, value)
        except ValueError as error:
            raise AssertionError(str(error)) from None


@faulty("TYPE-05", also=("OP-05", "OP-07", "OP-24"), cause="a general error for what has one of its own")
class OperationConflictIsValueError(BaseStore):
    """Raises `ValueError` for a known id with another fingerprint."""

    def replay(self, operation: Operation) -> MemoryMutation | None:
        try:
            return super().replay(operation)
        except MemoryOperationConflictError as error:
            raise ValueError(str(error)) from None


@faulty("TYPE-06", cause="a method that does no I/O and forgot its async")
class ListingIsSynchronous(BaseStore):
    """Lists without an awaitable."""

    def list_paths(self, prefix: str = "", *, limit: int) -> Any:
        self.check_prefix(prefix)
        self.check_bound("limit", limit)
        return self.page(self.listing(prefix), limit)


@faulty("TYPE-06", cause="a method that does no I/O and forgot its async")
class LookupIsSynchronous(BaseStore):
    """Looks up an operation without an awaitable."""

    def get_operation(self, operation: Operation) -> Any:
        return self.replay(operation)


@faulty(
    "TYPE-07",
    also=("SRCH-01", "SRCH-13", "PATH-13", "SRCH-23"),
    cause="a method of the same name with a use of its own",
)
class SearchMeansOtherThing(BaseStore):
    """Has a `search` that is not the protocol's: it takes a query and returns content."""

    async def search(self, query: str, limit: int = 10) -> Any:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return [stored.content for stored in self.files.values() if query in stored.content][:limit]


@faulty(
    "TYPE-07",
    also=("PATH-01", "READ-02", "READ-12", "CAS-02", "META-20", "META-01", "META-02", "META-19"),
    cause="an abstract base class with all methods",
)
class MetadataNotImplemented(BaseStore):
    """Has a `write_with_metadata` that raises `NotImplementedError`."""

    async def write_with_metadata(self, *arguments: Any, **keywords: Any) -> MemoryMutation:
        raise NotImplementedError


@faulty("TYPE-14", cause="a proxy that forwards by __getattr__")
class SearchConjuredUp(PlainStore):
    """Has a `search` that only `__getattr__` knows."""

    def __getattr__(self, name: str) -> Any:
        if name != "search":
            raise AttributeError(name)
        hidden = BaseStore()
        hidden.files = self.files
        return hidden.search


@faulty("TYPE-15", cause="a repr that shows the connection string")
class ReprShowsPassword(BaseStore):
    """Shows its connection string, password and all, in its repr."""

    def __repr__(self) -> str:
        return "ReprShowsPassword(dsn='postgresql://memory:hunter2@db.internal:5432/notes')"


@faulty("TYPE-15", also=("DEL-05",), cause="a dataclass, whose repr shows every field")
class ReprShowsContent(BaseStore):
    """Shows all stored content in its repr."""

    def __repr__(self) -> str:
        return f"ReprShowsContent(files={self.files!r})"
