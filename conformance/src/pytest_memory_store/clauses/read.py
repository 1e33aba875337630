"""READ: bounded reads, and what they say of the file.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_writing = Rows(waived_by=("read_only",))
_on_files = Rows(status=Status.PLANNED, needs=("fs",))

CLAUSES: tuple[Clause, ...] = (
    _any_store.must(
        "READ-01",
        "returns `None` for an absent path, and does not raise",
        why="The first note of every user fails.",
        source="protocol docstring: read",
    ),
    _writing.must(
        "READ-02",
        "returns exactly the text that was written, without touching line ends, byte order marks, Unicode"
        " forms or markup",
        why="An edit that has to match the text never matches, or characters are lost.",
        source="derived: an edit names the passage it replaces",
    ),
    _writing.must(
        "READ-03",
        "returns the first `max_chars` characters, and sets `truncated` exactly when the file is longer",
        why="The agent takes a part for the whole, writes it back and destroys the rest.",
        source="README: Persistence and concurrency",
    ),
    _writing.should(
        "READ-03b",
        "takes a `max_chars` above 2**31-1 as no bound",
        why="A caller that asks for everything with a very large number gets an error of the back end.",
        source="derived: integer columns and C interfaces",
    ),
    _writing.must(
        "READ-04",
        "counts `max_chars` in Unicode code points, not in bytes or UTF-16 units",
        why="Text with emoji or Chinese is cut elsewhere than asked, or in the middle of a character.",
        source="derived: the toolset measures with Python's `len`",
    ),
    _writing.must(
        "READ-05",
        "reports the version of the complete file, whatever `max_chars` is",
        why="A delete that first reads one character conflicts for ever.",
        source="README: Persistence and concurrency",
    ),
    _any_store.must(
        "READ-06",
        "raises `ValueError` for a `max_chars` of zero or less",
        why="A miscomputed budget turns into an unbounded read.",
        source="bundled stores; upstream tests",
    ),
    _writing.must(
        "READ-07",
        "shows a completed write or delete to the next read, on the same instance and, where shared, on any other",
        why="The agent works from a stale note, and every retry after a conflict conflicts again.",
        source="derived: the toolset reads again after a conflict",
        relaxed_by=("max_staleness_s",),
    ),
    _writing.must(
        "READ-08",
        "changes nothing by reading: version, receipts and listings stay as they were",
        why="An edit conflicts although nobody else wrote.",
        source="derived: the version check",
    ),
    _writing.must(
        "READ-09",
        "reports as `operation_id` the operation that produced the current version, and `None` where that"
        " write had none",
        why="An audit credits a change to the wrong call.",
        source="protocol fields; upstream tests",
    ),
    _writing.must(
        "READ-10",
        "reports `metadata=None` where the write that produced the current version recorded none",
        why="A note carries the name of somebody who did not write it.",
        source="docstring of MemoryFile.metadata",
    ),
    _writing.should(
        "READ-11",
        "does work in proportion to `max_chars`, not to the size of the file",
        why="One huge file slows down every run that reads its beginning.",
        source="README: Persistence and concurrency",
        status=Status.PLANNED,
    ),
    _writing.must(
        "READ-12",
        "keeps an empty file apart from an absent one: content `''`, `truncated` false, and a version",
        why="A note that was emptied can neither be updated nor created again.",
        source="derived: the version check",
    ),
    _writing.must(
        "READ-13",
        "returns content, version, operation id and metadata of one committed version, never of two",
        why="An edit built on torn text passes the version check and destroys the other writer's words.",
        source="README: Persistence and concurrency",
        status=Status.PLANNED,
        waived_by=("non_atomic_writes",),
    ),
    _on_files.should(
        "READ-14",
        "reports a file that it cannot decode as an error for that path alone, never as absent or empty",
        why="The next append replaces a damaged note that could have been repaired.",
        source="derived: unreadable is not empty",
    ),
    _on_files.must(
        "READ-15",
        "shows an edit made on disk as new content under a new version",
        why="The agent overwrites what a person has just typed.",
        source="README: Persistence and concurrency",
    ),
)
