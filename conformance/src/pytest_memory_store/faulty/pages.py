"""Faulty stores of the LIST group: how many paths are listed, and when a change is seen.

Must not know: the kit.
"""

# ruff: noqa: ARG002, D102 - an override does what its class says, and may look at nothing

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from collections.abc import Iterable


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


@faulty("LIST-03", also=("LIST-03b",), cause="a bound cut to 32 bits on its way to the back end")
class HugeLimitWraps(BaseStore):
    """Takes the lowest 32 bits of `limit` for it, so that 2**32 + 1 is 1."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths[: limit % 2**32]


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


@faulty("LIST-05", also=("LIST-03", "SCOPE-10", "DEL-09"), cause="one page of an API that returns 1,000 at most")
class FirstPageOnly(BaseStore):
    """Lists 1,000 paths at most."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return paths[: min(limit, 1_000)]


@faulty(
    "LIST-05", also=("LIST-03", "SCOPE-10"), cause="a page token that is taken for exclusive, or the other way round"
)
class HoleAtPageBoundary(BaseStore):
    """Leaves out one path after each 1,000."""

    def page(self, paths: list[str], limit: int) -> list[str]:
        return [path for number, path in enumerate(paths, 1) if number % 1_001][:limit]


@faulty(
    "LIST-09",
    also=("PATH-11", "PATH-13", "LIST-01", "LIST-14", "READ-08"),
    cause="an index that is updated a moment later",
)
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
    also=("LIST-05", "LIST-07", "LIST-10", "PATH-11", "PATH-13", "PATH-14", "LIST-01", "LIST-06", "DEL-01", "DEL-09"),
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


@faulty(
    "LIST-14",
    also=(
        "READ-08",
        "READ-12",
        "SCOPE-01",
        "LIST-03",
        "LIST-07",
        "LIST-12",
        "PATH-07",
        "PATH-11",
        "PATH-13",
        "PATH-14",
        "LIST-01",
        "LIST-05",
        "LIST-09",
    ),
    cause="two replicas in turn, one of them behind",
)
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


@faulty(
    "LIST-14",
    also=("PATH-11", "SCOPE-01", "LIST-07", "LIST-12", "LIST-02", "LIST-03"),
    cause="a set, or a scan in hash order",
)
class OrderVaries(BaseStore):
    """Turns every second listing round."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0

    def order(self, paths: Iterable[str]) -> list[str]:
        self.turn += 1
        return sorted(paths, reverse=self.turn % 2 == 0)
