"""META: what a write records about itself, for stores that keep it.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_recording = Rows(needs=("metadata",), waived_by=("read_only",))
_reopened = Rows(status=Status.PLANNED, needs=("metadata", "durable"), waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _recording.must(
        "META-01",
        "has `write_with_metadata` with the protocol's signature, so that it counts as a `MetadataMemoryStore`",
        why="An application that asks for metadata is refused when it starts.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-02",
        "returns the mapping that was written as the file's `metadata`",
        why="Nobody can tell who wrote a note.",
        source="docstring of MetadataMemoryStore",
    ),
    _recording.must(
        "META-03",
        "commits metadata and content in one atomic step",
        why="A user's edit is credited to the agent, or the reverse.",
        source="README: Write metadata",
        status=Status.PLANNED,
    ),
    _recording.must(
        "META-04",
        "replaces the earlier metadata with each write, and merges nothing",
        why="A note keeps the names of earlier writers.",
        source="docstring of MetadataMemoryStore",
    ),
    _recording.must(
        "META-05",
        "records none on a plain write",
        why="The agent's edit is credited to the person who wrote before.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-06",
        "takes `None` and an empty mapping as none, and reads both back as `None`",
        why="Callers have to test for two kinds of nothing.",
        source="protocol docstring: write_with_metadata",
    ),
    _recording.must(
        "META-07",
        "removes metadata with the file: one created again by a plain write has none",
        why="A new note names the writer of a deleted one.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-08",
        "leaves the recorded metadata as it is on a replay, also where the replay brings other metadata",
        why="A late retry rewrites who made the current edit.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-09",
        "replays an operation whose metadata alone differs",
        why="A retry with a new time stamp ends the run with a conflict.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-10",
        "leaves metadata as it is on a version conflict",
        why="A refused edit changes who is said to have written the note.",
        source="derived: a conflict changes nothing",
    ),
    _recording.must(
        "META-11",
        "refuses keys or values that are no text with `TypeError`, and NUL or more than 4,096 characters of"
        " JSON with `ValueError`, before any effect",
        why="The text is saved and its metadata is not, or the driver's error ends the run.",
        source="README: Write metadata",
        relaxed_by=("max_metadata_chars",),
    ),
    _recording.should(
        "META-12",
        "refuses lone surrogates in metadata with `ValueError`",
        why="What one store keeps ends the run on another.",
        source="derived: drivers encode as UTF-8",
    ),
    _recording.must(
        "META-13",
        "keeps a copy: changing the mapping that was passed or returned changes nothing stored",
        why="A caller that reuses its mapping rewrites the past.",
        source="bundled stores",
    ),
    _reopened.must(
        "META-14",
        "keeps metadata across a reopen",
        why="After a restart nobody can tell who wrote a note.",
        source="README: Write metadata",
    ),
    _reopened.must(
        "META-15",
        "reads files written before it kept metadata as having none",
        why="An upgrade makes old notes unreadable.",
        source="README: Write metadata",
    ),
    _reopened.should(
        "META-16",
        "reads metadata that it cannot decode as none, with a warning",
        why="One damaged record makes a good note unreadable.",
        source="bundled stores",
    ),
    _recording.must(
        "META-17",
        "keeps metadata out of listings, searches, receipts and the results of writes",
        why="Private ids of a user interface reach the prompt or the journal.",
        source="README: Write metadata",
    ),
    _recording.must(
        "META-18",
        "keeps Unicode keys and values exactly; their order does not count",
        why="Names of people come back damaged.",
        source="derived: metadata is read back as written",
    ),
    _recording.must(
        "META-19",
        "honours `expected_version` and `operation` in `write_with_metadata` exactly as in write",
        why="Turning on metadata turns off the protection against lost and repeated edits.",
        source="protocol docstring: write_with_metadata",
    ),
    _any_store.must(
        "META-20",
        "has no `write_with_metadata` where it keeps no metadata",
        why="The application believes that authorship is recorded, and it is lost.",
        source="README: Write metadata",
        same_as="TYPE-07",
    ),
    _any_store.may(
        "META-20b",
        "keeps no metadata",
        why="An application that needs to know who wrote what has to choose another store.",
        source="README: Write metadata",
    ),
)
