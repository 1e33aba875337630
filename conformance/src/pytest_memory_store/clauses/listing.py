"""LIST: bounded, sorted listings.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_writing = Rows(waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "LIST-01",
        "lists the full paths of all files under a prefix, at every depth",
        why="A loop that exports or erases a user's notes misses those of nested scopes.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "LIST-02",
        "sorts paths by Unicode code point, whatever the locale or collation of its medium",
        why="A bounded listing shows other files on another server.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "LIST-03",
        "returns the first `limit` paths of the sorted listing, and never more",
        why="A caller that asks for one more than it shows cannot tell whether there are others.",
        source="bundled stores",
    ),
    _writing.should(
        "LIST-03b",
        "takes a `limit` above 2**31-1 as no bound",
        why="A caller that asks for everything with a very large number gets an error of the back end.",
        source="derived: integer columns and C interfaces",
    ),
    _any_store.must(
        "LIST-04",
        "raises `ValueError` for a `limit` of zero or less",
        why="A miscomputed budget turns into an unbounded listing, or into an empty memory.",
        source="bundled stores; upstream tests",
    ),
    _writing.must(
        "LIST-05",
        "lists every file where fewer than `limit` match, however many pages its medium needs",
        why="Erasing a user leaves notes behind.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "LIST-06",
        "lists each path once, and no deleted path and no bookkeeping",
        why="The model is shown notes that do not exist.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "LIST-07",
        "lists the whole store where no prefix is given",
        why="A backup that relies on the default is incomplete.",
        source="protocol signature: list_paths",
        relaxed_by=("bound",),
    ),
    _writing.must(
        "LIST-08",
        "leaves out neighbours of a prefix that ends in `/`: `u1/` lists neither `u10/x` nor `u1-2/x` nor `u1.md`",
        why="A tenant whose id begins like another's is shown that tenant's files.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "LIST-09",
        "shows completed writes and deletes at once",
        why="A loop that deletes what it lists ends with notes left, or never ends.",
        source="derived: erase loops",
        relaxed_by=("max_staleness_s",),
    ),
    _writing.should(
        "LIST-10",
        "lists only paths that a read accepts",
        why="The model is shown notes that it can never open.",
        source="README: Injection modes and limits",
    ),
    _writing.should(
        "LIST-11",
        "does work in proportion to `limit`, not to the size of the store",
        why="Every run gets slower as other tenants write.",
        source="README: Persistence and concurrency",
        status=Status.PLANNED,
    ),
    _writing.must(
        "LIST-12",
        "returns a new list from each call",
        why="A caller that edits its list changes what others are shown.",
        source="derived: the caller owns the result",
    ),
    _any_store.must(
        "LIST-13",
        "accepts `limit` by keyword",
        why="Every listing of the agent ends in a `TypeError`.",
        source="protocol signature: list_paths",
    ),
    _any_store.may(
        "LIST-13b",
        "takes `limit` by keyword only and has no default for it",
        why="A call without a bound goes unnoticed.",
        source="protocol signature: list_paths",
    ),
    _writing.must(
        "LIST-14",
        "lists the same paths in the same order while nothing changes",
        why="The prompt changes from run to run although the notes did not.",
        source="protocol docstring: list_paths",
    ),
)
