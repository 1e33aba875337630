"""Conforming stores that refuse what they may refuse, and serve others beside the kit.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_memory_store.faulty.base import BaseStore, Change, Query, Stored
from pytest_memory_store.faulty.registry import odd

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryMutation, MemorySearchResult, Operation


@odd({"max_content_chars": 65_536})
class ContentLimit(BaseStore):
    """Refuses content of more than 65,536 characters, and claims that limit."""

    def check_content(self, content: str) -> None:
        super().check_content(content)
        if len(content) > 65_536:
            raise ValueError("the content is longer than 65,536 characters")


@odd({"max_path_chars": 286})
class PathLimit(BaseStore):
    """Refuses paths of more than 286 characters, and claims that limit."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if len(path) > 286:
            raise ValueError("the path is longer than 286 characters")


@odd({"max_metadata_chars": 10_000})
class MetadataLimit(BaseStore):
    """Takes metadata of up to 10,000 characters of JSON, and claims that limit."""

    def metadata_size(self, metadata: Any) -> int:
        return super().metadata_size(metadata) - 10_000 + 4_096


@odd()
class NulRefused(BaseStore):
    """Refuses NUL and lone surrogates in versions and operation ids with `ValueError`."""

    def mutate(self, change: Change) -> MemoryMutation:
        self.check_content(change.expected_version or "")
        return super().mutate(change)

    def receipt_key(self, operation_id: str) -> str:
        self.check_content(operation_id)
        return operation_id


@odd()
class NulKept(BaseStore):
    """Keeps content with NUL and lone surrogates exactly, as it may."""

    def check_content(self, content: str) -> None:
        pass


@odd()
class HugeBoundsRefused(BaseStore):
    """Refuses bounds above 2**31-1 with an error of the back end."""

    def check_bound(self, name: str, value: int) -> None:
        super().check_bound(name, value)
        if value >= 2**31:
            raise OverflowError("value out of int32 range")

    def scan(self, query: Query) -> MemorySearchResult:
        for value in (query.limit, query.max_files, query.max_chars, query.max_file_chars):
            self.check_bound("a bound", value)
        return super().scan(query)


@odd({"receipt_retention": 1_024})
class FewReceipts(BaseStore):
    """Keeps the 1,024 newest receipts, and claims that number."""

    def record(self, change: Change, operation: Operation, mutation: MemoryMutation) -> None:
        super().record(change, operation, mutation)
        while len(self.receipts) > 1_024:
            del self.receipts[next(iter(self.receipts))]


@odd({"case_insensitive": True})
class OneCase(BaseStore):
    """Takes paths and prefixes that differ in case alone for the same, and claims `case_insensitive`."""

    def key(self, path: str) -> str:
        return path.lower()

    def has_prefix(self, path: str, prefix: str) -> bool:
        return path.lower().startswith(prefix.lower())


@odd({"no_file_and_directory": True})
class FileOrDirectory(BaseStore):
    """Refuses `a` beside `a/b` with `ValueError`, and claims `no_file_and_directory`."""

    def put(self, change: Change, current: Stored | None) -> str:
        parts = change.path.split("/")
        above = any("/".join(parts[:length]) in self.files for length in range(1, len(parts)))
        if above or (current is None and any(path.startswith(f"{change.path}/") for path in self.files)):
            raise ValueError("a file and a directory cannot have one name")
        return super().put(change, current)


@odd({"reserved_names": ".index:.lock"})
class ReservedNames(BaseStore):
    """Refuses two names of its own in every call, and claims them."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment) and segment not in {".index", ".lock"}


@odd({"read_only": True})
class ReadOnly(BaseStore):
    """Holds two files, refuses every write and delete with `PermissionError`, and claims `read_only`."""

    def __init__(self) -> None:
        super().__init__()
        for path in ("handbook/MEMORY.md", "handbook/style.md"):
            self.files[path] = Stored(path, f"the text of {path}", "1")

    def mutate(self, change: Change) -> MemoryMutation:
        self.check_change(change)
        raise PermissionError("this store is read-only")


@odd({"bound": "tenant-a/"})
class BoundToTenant(BaseStore):
    """Serves the paths below `tenant-a/`, refuses all others, and claims `bound`."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if not path.startswith("tenant-a/") and path != "tenant-a":
            raise ValueError("the path belongs to another tenant")


class _Crowded(BaseStore):
    """Holds files of other tenants, some of them beside each scope that is used."""

    def __init__(self) -> None:
        super().__init__()
        for number in range(40):
            self.add(f"tenant-{number % 7}/main/note{number}.md")

    def add(self, path: str) -> None:
        """Keep a file of another tenant, unless there is one."""
        if path not in self.files:
            self.files[path] = Stored(path, f"A secret note of {path}, about apples and abc.", "other", "op-other")


@odd()
class OtherTenants(_Crowded):
    """Holds files of other tenants from the start, and adds some with names near each new scope."""

    def put(self, change: Change, current: Stored | None) -> str:
        scope, slash, rest = change.path.partition("/")
        if slash:
            for near in (f"{scope[1:]}0", f"{scope[::-1]}-"):
                self.add(f"{near}/{rest.rpartition('/')[2]}")
        return super().put(change, current)


@odd()
class OthersAtWork(_Crowded):
    """Sees another tenant write, delete and record an operation before each call that changes something."""

    def mutate(self, change: Change) -> MemoryMutation:
        path = f"tenant-{len(self.files) % 7}/main/traffic.md"
        if self.files.pop(path, None) is None:
            self.add(path)
        return super().mutate(change)
