"""Faulty stores of the LIST group: which paths are listed, in which order, and how many.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOT_FIRST = ("LIST-02", "SCOPE-01")
"""What breaks where a page holds other paths than the first ones."""


@faulty(
    "LIST-01",
    also=("LIST-05", "LIST-09", "SCOPE-01"),
    cause="a delimiter, or a directory listing of one level",
)
class DeeperPathsMissing(BaseStore):
    """Lists the files directly below the prefix only."""

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) if "/" not in path.removeprefix(prefix).lstrip("/")]


@faulty(
    "LIST-01",
    also=("LIST-06", "LIST-10", "PATH-14", "SCOPE-01"),
    cause="paths relative to the listed directory",
)
class RelativePathsListed(BaseStore):
    """Lists paths without the prefix where it ends in a slash."""

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        return [path.removeprefix(prefix) for path in paths] if prefix.endswith("/") else paths


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
        return sorted(
            paths, key=lambda path: [(part.zfill(20) if part.isdigit() else part) for part in _runs(path)]
        )


def _runs(path: str) -> list[str]:
    return re.split(r"(\d+)", path)


@faulty("LIST-02", also=("LIST-03",), cause="a query without ORDER BY")
class SortedByAge(BaseStore):
    """Lists paths in the order in which they were created."""

    def order(self, paths: Iterable[str]) -> list[str]:
        return list(paths)


@faulty("LIST-03", cause="a bound that the back end never gets")
class LimitIgnored(BaseStore):
    """Lists all paths whatever `limit` is."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths


@faulty("LIST-03", cause="one row more, fetched to see whether there is more, and never dropped")
class OneMoreThanLimit(BaseStore):
    """Lists one path more than `limit`."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths[: limit + 1]


@faulty("LIST-03", cause="a sort by the newest first, then put in order")
class LastOfListing(BaseStore):
    """Lists the last `limit` paths in place of the first."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths[-limit:]


@faulty("LIST-03", also=("LIST-02",), cause="LIMIT applied before ORDER BY")
class LimitBeforeSort(BaseStore):
    """Takes the first `limit` paths that were created, and sorts those."""

    def listing(self, prefix: str) -> list[str]:
        return [stored.path for stored in self.files.values() if self.has_prefix(stored.path, prefix)]

    def page(self, paths: list[str], limit: int) -> list[str]:
        return sorted(paths[:limit])


@faulty("LIST-03b", cause="a 32-bit parameter in the driver")
class HugeLimitOverflows(BaseStore):
    """Raises `OverflowError` for a `limit` above 2**31-1."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        if limit >= 2**31:
            raise OverflowError("value out of int32 range")
        return super().page(paths, limit)


@faulty("LIST-04", cause="a bound below one taken for no bound")
class ZeroLimitIsUnbounded(BaseStore):
    """Takes a `limit` of zero or less for no limit."""

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        return await super().list_paths(prefix, limit=limit if limit > 0 else 2**31)


@faulty("LIST-04", cause="LIMIT 0, which a database answers with nothing")
class ZeroLimitListsNothing(BaseStore):
    """Answers a `limit` of zero or less with an empty list."""

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        if limit <= 0:
            self.check_prefix(prefix)
            return []
        return await super().list_paths(prefix, limit=limit)


@faulty(
    "LIST-05", also=("LIST-03", "SCOPE-10", "DEL-09"), cause="one page of an API that returns 1,000 at most"
)
class FirstPageOnly(BaseStore):
    """Lists 1,000 paths at most."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths[: min(limit, 1_000)]


@faulty(
    "LIST-05",
    also=("LIST-03", "SCOPE-10"),
    cause="a page token that is taken for exclusive, or the other way round",
)
class HoleAtPageBoundary(BaseStore):
    """Leaves out one path after each 1,000."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return [path for number, path in enumerate(paths, 1) if number % 1_001][:limit]


@faulty("LIST-06", also=("LIST-03", "LIST-05"), cause="an index that gets a second entry on update")
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


@faulty(
    "LIST-06", also=("LIST-03", "LIST-05", "SCOPE-10"), cause="a page token that is inclusive on both sides"
)
class PageBoundaryListedTwice(BaseStore):
    """Lists each hundredth path twice."""

    def listing(self, prefix: str) -> list[str]:
        return [
            path for n, path in enumerate(super().listing(prefix), 1) for _ in range(2 if n % 100 == 0 else 1)
        ]


@faulty(
    "LIST-06",
    also=("DEL-01", "DEL-09", "LIST-09", "LIST-10", "SCOPE-01"),
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


@faulty("LIST-08", also=("SCOPE-01", "SCOPE-02"), cause="a strip('/') on the prefix")
class SlashOfPrefixDropped(BaseStore):
    """Ignores the slash at the end of a prefix in listings, so that `u1/` lists `u10/x`."""

    def listing(self, prefix: str) -> list[str]:
        return super().listing(prefix.removesuffix("/"))


@faulty("LIST-09", also=("LIST-01", "LIST-14", "READ-08"), cause="an index that is updated a moment later")
class NewPathsListedLate(BaseStore):
    """Leaves a created path out of the next listing that should show it."""

    def __init__(self) -> None:
        super().__init__()
        self.fresh: set[str] = set()

    def put(self, change: Change, current: Stored | None) -> str:
        if current is None:
            self.fresh.add(change.path)
        return super().put(change, current)

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        shown = [path for path in paths if path not in self.fresh]
        self.fresh.difference_update(paths)
        return shown


@faulty(
    "LIST-09",
    also=("LIST-01", "LIST-06", "DEL-01", "DEL-09"),
    cause="a cache of listings that a write does not clear",
)
class ListingCached(BaseStore):
    """Answers a listing with the last one of that prefix, every second time."""

    def __init__(self) -> None:
        super().__init__()
        self.cached: dict[str, list[str]] = {}

    def listing(self, prefix: str) -> list[str]:
        cached = self.cached.pop(prefix, None)
        if cached is not None:
            return cached
        self.cached[prefix] = super().listing(prefix)
        return self.cached[prefix]


@faulty(
    "LIST-10", also=("LIST-06", "PATH-14", "SCOPE-01"), cause="a walk that yields directories with the files"
)
class DirectoriesListed(BaseStore):
    """Lists a directory below the prefix like a file."""

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        below = {
            path[: len(prefix) + path[len(prefix) :].find("/")]
            for path in paths
            if "/" in path[len(prefix) :]
        }
        return self.order({*paths, *(path for path in below if len(path) > len(prefix))})


@faulty("LIST-12", also=("LIST-14", "LIST-09"), cause="a cached list handed out as it is")
class InternalListReturned(BaseStore):
    """Returns the same list object until something is written."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, int], list[str]] = {}

    def apply(self, change: Change, current: Stored | None) -> Any:
        self.kept.clear()
        return super().apply(change, current)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        if (prefix, limit) not in self.kept:
            self.kept[prefix, limit] = await super().list_paths(prefix, limit=limit)
        return self.kept[prefix, limit]


@faulty("LIST-13", also=("TYPE-02",), cause="a parameter with a name of its own")
class LimitHasOtherName(BaseStore):
    """Calls the parameter `limit` of its listing `max_results`."""

    async def list_paths(self, prefix: str = "", max_results: int = 1_000) -> list[str]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return await super().list_paths(prefix, limit=max_results)


@faulty("LIST-14", also=("LIST-01", "LIST-05", "LIST-09"), cause="two replicas in turn, one of them behind")
class ReplicasTakeTurns(BaseStore):
    """Leaves the newest path out of every third listing."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0

    def listing(self, prefix: str) -> list[str]:
        self.turn += 1
        paths = super().listing(prefix)
        newest = next((path for path in reversed(self.files) if path in paths), None)
        return [path for path in paths if path != newest] if self.turn % 3 == 0 else paths


@faulty("LIST-14", also=("LIST-02", "LIST-03"), cause="a set, or a scan in hash order")
class OrderVaries(BaseStore):
    """Turns every second listing round."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0

    def order(self, paths: Iterable[str]) -> list[str]:
        self.turn += 1
        return sorted(paths, reverse=self.turn % 2 == 0)
