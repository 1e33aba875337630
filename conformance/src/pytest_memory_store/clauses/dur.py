"""DUR: what survives a reopen, and what a crash may not do.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_durable = Rows(status=Status.PLANNED, needs=("durable",), waived_by=("read_only",))
_any_store = Rows(status=Status.PLANNED, waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _durable.must(
        "DUR-01",
        "returns every file after a reopen with the same content, version and operation id",
        why="A restart loses notes, or makes every edit in flight conflict.",
        source="README: Persistence and concurrency",
    ),
    _durable.must(
        "DUR-02",
        "keeps receipts across a reopen",
        why="Restarting a worker repeats the calls that it had already made.",
        source="README: Persistence and concurrency",
        same_as="OP-12",
    ),
    _durable.should(
        "DUR-03",
        "gives a file created after a delete and a reopen a version that its path never had before, also"
        " where the deleted file was the newest",
        why="A writer that still holds a version from before the restart overwrites the new note.",
        source="bundled stores",
        waived_by=("content_versions",),
    ),
    _durable.must(
        "DUR-04",
        "keeps metadata across a reopen",
        why="After a restart nobody can tell who wrote a note.",
        source="README: Write metadata",
        needs=("metadata",),
        same_as="META-14",
    ),
    _durable.must(
        "DUR-05",
        "holds at each path the complete old or the complete new text, at whatever instant its process is killed",
        why="A crash leaves half a note.",
        source="README: Persistence and concurrency",
    ),
    _durable.must(
        "DUR-06",
        "ends with an operation applied exactly once where its process was killed and the call is retried",
        why="A crash duplicates the note, or makes its id unusable for ever.",
        source="README: Persistence and concurrency",
        same_as="OP-19",
    ),
    _durable.must(
        "DUR-07",
        "sets up its storage correctly when several instances or processes start at once",
        why="A deployment with two workers fails on its first start.",
        source="upstream tests",
        needs=("shared",),
    ),
    _durable.should(
        "DUR-08",
        "takes over storage written by its earlier releases without losing a file",
        why="An upgrade empties the memory.",
        source="upstream tests",
    ),
    _durable.must(
        "DUR-09",
        "leaves no open transaction or lock behind when its start fails",
        why="One failed start blocks every later one.",
        source="upstream tests",
    ),
    _any_store.may(
        "DUR-10",
        "lives only as long as its process, and then claims `process_lifetime`",
        why="An application finds out by losing its notes.",
        source="README: Persistence and concurrency",
    ),
    _durable.must(
        "DUR-11",
        "never closes, commits or rolls back connections, pools and transactions that belong to its caller",
        why="The store ends a transaction of the application half way.",
        source="upstream tests",
    ),
    _any_store.must(
        "DUR-12",
        "never shows a concurrent reader a file that is partly written",
        why="The agent takes half a note for the whole and writes it back.",
        source="bundled stores",
        waived_by=("non_atomic_writes",),
        same_as="READ-13",
    ),
    _durable.must(
        "DUR-13",
        "never completes an interrupted operation over an edit that was made in between",
        why="Recovery destroys what a person has just typed.",
        source="README: Persistence and concurrency",
        needs=("fs",),
        same_as="OP-20",
    ),
    _durable.should(
        "DUR-14",
        "refuses to serve where its own storage is unreadable, and does not start empty",
        why="A damaged memory looks like a new one and is overwritten.",
        source="derived: unreadable is not empty",
    ),
    _durable.should(
        "DUR-15",
        "documents how durable an acknowledged write is: flushed to disk, held by how many replicas",
        why="Nobody knows what a power cut can lose.",
        source="derived: a kit cannot cut the power",
    ),
)
