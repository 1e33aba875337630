"""Faulty stores of the CAS group: which versions are given out, and which are taken for the same.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryMutation


class Remembering(BaseStore):
    """Remembers the versions of each path, newest last."""

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[str]] = {}

    def put(self, change: Change, current: Stored | None) -> str:
        version = super().put(change, current)
        self.history.setdefault(change.path, []).append(version)
        return version


@faulty(
    "CAS-08",
    also=("CAS-09", "CAS-11", "DEL-02", "CAS-02", "READ-05"),
    cause="a RETURNING clause that a trigger outruns",
)
class OtherVersionReturned(BaseStore):
    """Answers an update with the version that it replaced."""

    def answer(self, change: Change, current: Stored | None, version: str | None) -> MemoryMutation:
        if version is not None and current is not None:
            version = current.version
        return super().answer(change, current, version)


@faulty("CAS-09", also=("CAS-02", "CAS-10", "CAS-11"), cause="a version made of the size, as in some ETags")
class SameSizeSameVersion(BaseStore):
    """Keeps the version where the new content is as long as the old one."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        if current is not None and change.content and len(current.content) == len(change.content):
            return current.version
        return super().new_version(change, current)


@faulty("CAS-09", also=("CAS-10", "CAS-11"), cause="a hash of the beginning of the content")
class LateEditSameVersion(BaseStore):
    """Keeps the version where the first 64 characters stay the same."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        content = change.content or ""
        if current is not None and len(content) > 64 and current.content[:64] == content[:64]:
            return current.version
        return super().new_version(change, current)


@faulty(
    "CAS-10",
    also=("PATH-10", "CAS-02", "CAS-03", "CAS-11", "CAS-18", "CAS-22"),
    cause="an ETag or content hash, which comes back with the content",
)
class ContentHashVersions(BaseStore):
    """Derives the version from the content, and does not claim `content_versions`."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        return hashlib.sha256((change.content or "").encode()).hexdigest()[:16]


@faulty("CAS-10", also=("CAS-02", "CAS-22"), cause="a counter in a small column")
class VersionsWrap(Remembering):
    """Begins again with the first version of a path after eight writes."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        seen = self.history.get(change.path, [])
        return seen[-8] if len(seen) >= 8 else super().new_version(change, current)


@faulty("CAS-11", also=("OP-03",), cause="an update that skips rows that do not change")
class SameContentSameVersion(BaseStore):
    """Keeps the version where a write brings the content that is there already."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        if current is not None and current.content == change.content:
            return current.version
        return super().new_version(change, current)


@faulty("CAS-12", cause="a version parsed as a number by the code or the driver")
class VersionIsNumber(BaseStore):
    """Raises `ValueError` for a version that is no hexadecimal number."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if change.expected_version is not None:
            int(change.expected_version, 16)
        return super().is_expected(change, current)


@faulty("CAS-12", also=("CAS-01", "CAS-05"), cause="`if expected_version` where `is not None` was meant")
class EmptyVersionIsNone(BaseStore):
    """Takes an empty version for none."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        change.expected_version = change.expected_version or None
        return super().is_expected(change, current)


@faulty("CAS-12", cause="a padded CHAR column, or a strip() on the way in")
class VersionIsStripped(BaseStore):
    """Accepts the current version with white space around it."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if change.expected_version and change.expected_version.strip():
            change.expected_version = change.expected_version.strip()
        return super().is_expected(change, current)


@faulty("CAS-12", cause="a case-insensitive collation on the version column")
class VersionIgnoresCase(BaseStore):
    """Accepts the current version in upper case."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if change.expected_version and current is not None:
            return change.expected_version.lower() == current.version
        return super().is_expected(change, current)

    def new_version(self, change: Change, current: Stored | None) -> str:
        return f"v{super().new_version(change, current)}"


@faulty("CAS-12", cause="a header or column with a limit of its own")
class LongVersionFails(BaseStore):
    """Raises an error of the back end for a version of more than 1,000 characters."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if len(change.expected_version or "") > 1_000:
            raise OSError("the value is too long for a header")
        return super().is_expected(change, current)


@faulty("CAS-12b", cause="a driver that refuses NUL, and text that cannot be encoded")
class UnencodableVersionFails(BaseStore):
    """Raises an error of the back end for a version with NUL or a lone surrogate."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if "\x00" in (change.expected_version or "").encode().decode():
            raise RuntimeError("invalid byte sequence for encoding UTF8: 0x00")
        return super().is_expected(change, current)


@faulty("CAS-18", also=("CAS-02",), cause="a WHERE that names the version alone")
class ForeignVersionAccepted(BaseStore):
    """Replaces a file also where the current version of another file is expected."""

    def is_expected(self, change: Change, current: Stored | None) -> bool:
        if change.content is not None and current is not None:
            return any(change.expected_version == stored.version for stored in self.files.values())
        return super().is_expected(change, current)


@faulty("CAS-22", also=("PATH-10", "CAS-03", "CAS-06", "CAS-12"), cause="a counter in the row, which goes with it")
class VersionsRestart(BaseStore):
    """Gives a file that is created again the versions that it had before."""

    def __init__(self) -> None:
        super().__init__()
        self.series: dict[str, list[str]] = {}
        self.age: dict[str, int] = {}

    def remove(self, change: Change, current: Stored | None) -> str | None:
        self.age[change.path] = 0
        return super().remove(change, current)

    def new_version(self, change: Change, current: Stored | None) -> str:
        series, age = self.series.setdefault(change.path, []), self.age.get(change.path, 0)
        self.age[change.path] = age + 1
        if age == len(series):
            series.append(super().new_version(change, current))
        return series[age]


@faulty("CAS-23", also=("SCOPE-09",), cause="one sequence for the whole store")
class GlobalCounter(BaseStore):
    """Numbers all writes of the store, so that a tenant can count the writes of others."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count(1)

    def new_version(self, change: Change, current: Stored | None) -> str:
        return str(next(self.numbers))
