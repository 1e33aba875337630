"""DEL: deletes, and that nothing of the text stays behind.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_writing = Rows(waived_by=("read_only",))
_in_storage = Rows(status=Status.PLANNED, waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "DEL-01",
        "makes a file unreadable, unlisted and unsearchable by the time delete returns, on every instance",
        why="What the user asked to forget is still told.",
        source="upstream tests",
        relaxed_by=("max_staleness_s",),
    ),
    _writing.must(
        "DEL-02",
        "returns `version=None`, whether the file existed, and `replayed=False`",
        why="The agent cannot say whether there was anything to forget.",
        source="protocol fields; upstream tests",
    ),
    _writing.must(
        "DEL-03",
        "lets a deleted path be created again with `expected_version=None`",
        why="A name can never be used again.",
        source="upstream tests",
    ),
    _writing.must(
        "DEL-04",
        "drops operation id and metadata with the file: one created again starts clean",
        why="A new note carries the history of a deleted one.",
        source="README: Write metadata",
    ),
    _writing.must(
        "DEL-05",
        "puts no stored content into results of writes and deletes, errors or log records of level INFO and above",
        why="Deleted text lives on in logs and in the conversation.",
        source="upstream tests",
    ),
    _writing.must(
        "DEL-06",
        "leaves no content in receipts",
        why="A deleted note lives on in the journal.",
        source="derived: a receipt outlives its file",
        same_as="OP-22",
    ),
    _in_storage.should(
        "DEL-06b",
        "leaves no digest of the content in receipts",
        why="Who guesses a short deleted text can confirm it.",
        source="derived: a digest of few possible texts is no secret",
    ),
    _in_storage.should(
        "DEL-07",
        "leaves no copy in structures of its own: index, cache, temporary files, backups",
        why="Deleted text can be read by whoever has the storage.",
        source="derived: copies that a store makes itself",
    ),
    _in_storage.must(
        "DEL-08",
        "never lets data that a crash left staged be read or listed",
        why="A note that was never saved appears, or a deleted one comes back.",
        source="derived: temporary files",
        needs=("durable",),
    ),
    _in_storage.should(
        "DEL-08b",
        "removes data that a crash left staged when it is next used",
        why="The full text of a note stays on disk after the note is deleted.",
        source="derived: temporary files",
        needs=("durable",),
    ),
    _writing.must(
        "DEL-09",
        "lets a loop of list, read and delete end with nothing left under a prefix",
        why="A user's request to be forgotten never completes.",
        source="derived: erase loops",
    ),
    _writing.may(
        "DEL-10",
        "keeps freed pages, logs or old row versions for a time, and then documents it",
        why="Whoever must prove an erasure has to know what the storage retains.",
        source="derived: how databases free space",
    ),
    _writing.must(
        "DEL-11",
        "deletes one file and never those below it: deleting `a` leaves `a/b`",
        why="Forgetting one note forgets a whole scope.",
        source="protocol docstring: delete",
        waived_by=("no_file_and_directory",),
    ),
    _in_storage.must(
        "DEL-12",
        "invalidates the caches of other instances, or keeps them no staler than it claims",
        why="Another worker goes on quoting what was deleted.",
        source="derived: caches per instance",
        needs=("shared",),
        relaxed_by=("max_staleness_s",),
    ),
    _in_storage.should(
        "DEL-13",
        "leaves no container that is named after a tenant",
        why="The storage still names a user who asked to be forgotten.",
        source="derived: directories of namespaces",
        needs=("fs",),
    ),
    _writing.may(
        "DEL-13b",
        "keeps empty containers",
        why="Empty directories or tables tell nothing by themselves.",
        source="derived: directories of namespaces",
    ),
    _writing.may(
        "DEL-14",
        "keeps no tombstone: nothing records that a text was deleted",
        why="A deleted note can be learned again from an old conversation.",
        source="derived: the protocol has no tombstones",
    ),
)
