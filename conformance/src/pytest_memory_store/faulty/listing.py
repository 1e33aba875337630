"""Faulty stores of the LIST group: which paths are listed, and in which order.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from collections.abc import Iterable


@faulty(
    "LIST-01",
    also=("PATH-07", "PATH-11", "PATH-13", "PATH-14", "LIST-05", "LIST-09", "SCOPE-01"),
    cause="a delimiter, or a directory listing of one level",
)
class DeeperPathsMissing(BaseStore):
    """Lists the files directly below the prefix only."""

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) if "/" not in path.removeprefix(prefix).lstrip("/")]


@faulty(
    "LIST-01",
    also=("PATH-11", "LIST-06", "LIST-10", "PATH-14", "SCOPE-01"),
    cause="paths relative to the listed directory",
)
class RelativePathsListed(BaseStore):
    """Lists paths without the prefix where it ends in a slash."""

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        return [path.removeprefix(prefix) for path in paths] if prefix.endswith("/") else paths


@faulty(
    "LIST-01",
    also=("LIST-02", "LIST-03", "LIST-09", "PATH-07", "SCOPE-01", "SCOPE-10"),
    cause="a range from the prefix to the prefix with a `z` after it",
)
class RangeEndsAtZ(BaseStore):
    """Leaves out the paths that go on with a `z` after the prefix."""

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) if path <= f"{prefix}z"]


@faulty("LIST-02", also=("LIST-03", "PATH-09"), cause="ORDER BY in a locale that ignores case")
class SortedIgnoringCase(BaseStore):
    """Sorts without regard to case, so that `MEMORY.md` comes after `a.md`."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return sorted(paths, key=lambda path: (path.lower(), path))


@faulty("LIST-02", also=("LIST-03",), cause="ORDER BY in a locale that weighs punctuation last, as ICU does")
class SortedIgnoringPunctuation(BaseStore):
    """Sorts by letters and digits first, and looks at `-`, `.`, `_` and `/` only where those are equal."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return sorted(paths, key=lambda path: (re.sub(r"[-._/]", "", path), path))


@faulty("LIST-02", also=("LIST-03",), cause="a walk through sorted directories")
class SortedByDirectory(BaseStore):
    """Sorts segment by segment, so that `a/b` comes before `a-b` and `a.md`."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return sorted(paths, key=lambda path: path.split("/"))


@faulty("LIST-02", also=("LIST-03",), cause="a natural sort, which is nicer for people")
class SortedByNumber(BaseStore):
    """Sorts runs of digits as numbers, so that `n2` comes before `n10`."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return sorted(paths, key=lambda path: [(part.zfill(20) if part.isdigit() else part) for part in _runs(path)])


def _runs(path: str) -> list[str]:
    return re.split(r"(\d+)", path)


@faulty(
    "LIST-02",
    also=(
        "PATH-11",
        "PATH-14",
        "LIST-03",
    ),
    cause="a query without ORDER BY",
)
class SortedByAge(BaseStore):
    """Lists paths in the order in which they were created."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return list(paths)


@faulty("LIST-06", also=("PATH-14", "LIST-03", "LIST-05"), cause="an index that gets a second entry on update")
class UpdatedListedTwice(BaseStore):
    """Lists a file twice once it was replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.updated: set[str] = set()

    def put(self, change: Change, current: Stored | None) -> str:
        if current is not None:
            self.updated.add(change.path)
        return super().put(change, current)

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) for _ in range(2 if path in self.updated else 1)]


@faulty("LIST-06", also=("LIST-03", "LIST-05", "SCOPE-10"), cause="a page token that is inclusive on both sides")
class PageBoundaryListedTwice(BaseStore):
    """Lists each hundredth path twice."""

    def listing(self, prefix: str) -> list[str]:
        return [path for n, path in enumerate(super().listing(prefix), 1) for _ in range(2 if n % 100 == 0 else 1)]


@faulty(
    "LIST-06",
    also=("PATH-13", "PATH-14", "DEL-01", "DEL-09", "LIST-09", "LIST-10", "SCOPE-01"),
    cause="soft deletes that the listing does not filter",
)
class DeletedStillListed(BaseStore):
    """Goes on listing deleted paths."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()

    def put(self, change: Change, current: Stored | None) -> str:
        self.known.add(change.path)
        return super().put(change, current)

    def listing(self, prefix: str) -> list[str]:
        return self.order(path for path in self.known if self.has_prefix(path, prefix))


@faulty("LIST-07", also=("LIST-13", "TYPE-02"), cause="a required parameter")
class PrefixRequired(BaseStore):
    """Cannot be asked for a listing without a prefix."""

    async def list_paths(self, prefix: str, *, limit: int) -> list[str]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return await super().list_paths(prefix, limit=limit)


@faulty("LIST-07", cause="an empty prefix taken for the top directory")
class TopLevelOnly(BaseStore):
    """Lists the files at the top only where no prefix is given."""

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) if prefix or "/" not in path]


@faulty("LIST-08", also=("SCOPE-10", "SCOPE-01", "SCOPE-02"), cause="a strip('/') on the prefix")
class SlashOfPrefixDropped(BaseStore):
    """Ignores the slash at the end of a prefix in listings, so that `u1/` lists `u10/x`."""

    def listing(self, prefix: str) -> list[str]:
        return super().listing(prefix.removesuffix("/"))


@faulty(
    "LIST-10", also=("PATH-13", "LIST-06", "PATH-14", "SCOPE-01"), cause="a walk that yields directories with the files"
)
class DirectoriesListed(BaseStore):
    """Lists a directory below the prefix like a file."""

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        below = {path[: len(prefix) + path[len(prefix) :].find("/")] for path in paths if "/" in path[len(prefix) :]}
        return self.order({*paths, *(path for path in below if len(path) > len(prefix))})


@faulty("LIST-13", also=("TYPE-02",), cause="a parameter with a name of its own")
class LimitHasOtherName(BaseStore):
    """Calls the parameter `limit` of its listing `max_results`."""

    async def list_paths(self, prefix: str = "", max_results: int = 1_000) -> list[str]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return await super().list_paths(prefix, limit=max_results)
