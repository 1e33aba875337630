"""CAS: compare-and-swap, so that no writer overwrites what it has not seen.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_writing = Rows(waived_by=("read_only",))
_racing = Rows(status=Status.PLANNED, waived_by=("read_only",))
_versioned = Rows(waived_by=("read_only", "content_versions"))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "CAS-01",
        "creates a file on `expected_version=None` only where none exists, and otherwise raises `MemoryConflictError`",
        why="A note that the writer never saw is overwritten.",
        source="protocol docstring: write",
    ),
    _writing.must(
        "CAS-02",
        "replaces a file only when its version equals `expected_version`",
        why="One of two edits silently disappears.",
        source="protocol docstring: write",
    ),
    _writing.must(
        "CAS-03",
        "raises `MemoryConflictError` on a write with a version to an absent path",
        why="An edit in flight brings back a note that the user deleted.",
        source="protocol docstring: write",
    ),
    _writing.must(
        "CAS-04",
        "raises `MemoryConflictError` on a delete with `expected_version=None` of a file that exists",
        why="A caller that believes a file absent deletes somebody's note unseen.",
        source="protocol docstring: delete",
    ),
    _writing.must(
        "CAS-05",
        "answers a delete with `expected_version=None` of an absent path with `existed=False` and `version=None`",
        why="Forgetting what is not there fails instead of being done.",
        source="upstream tests",
    ),
    _writing.must(
        "CAS-06",
        "raises `MemoryConflictError` on a delete with a stale version, or with any version of an absent path",
        why="A delete removes an edit that its caller has not read.",
        source="protocol docstring: delete",
    ),
    _writing.must(
        "CAS-07",
        "leaves content, version, operation id, metadata, listings and receipts as they were on a conflict",
        why="A refused edit is half applied.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "CAS-08",
        "returns from a write the version that the next read reports",
        why="A writer's second edit conflicts with its own first one.",
        source="upstream tests",
    ),
    _writing.must(
        "CAS-09",
        "changes the version whenever the content changes",
        why="A stale writer passes the check and overwrites the newer text.",
        source="upstream tests",
    ),
    _versioned.must(
        "CAS-10",
        "never reuses, within one life of a file, a version that another content or operation produced,"
        " also after a reopen",
        why="A writer that slept through two edits passes the check and overwrites both.",
        source="upstream tests",
    ),
    _versioned.should(
        "CAS-11",
        "gives a rewrite with identical content a new version",
        why="Another writer's edit goes unnoticed, and the change is credited to the wrong operation.",
        source="derived: a version stands for a write",
    ),
    _writing.must(
        "CAS-12",
        "takes versions as opaque text, and answers any unknown one with `MemoryConflictError`, not with an"
        " error of the back end",
        why="A stale token from a user interface ends the run instead of asking for a new read.",
        source="docstring of MemoryFile",
    ),
    _writing.should(
        "CAS-12b",
        "answers a version that holds NUL or a lone surrogate with `MemoryConflictError` as well",
        why="A damaged token ends the run with an error of the driver.",
        source="docstring of MemoryFile",
    ),
    _racing.must(
        "CAS-13",
        "lets exactly one of several concurrent writers with one `expected_version` succeed, and raises"
        " `MemoryConflictError` for the others",
        why="Two agents save from the same version, both are told it worked, and one text is lost.",
        source="README: Persistence and concurrency",
    ),
    _racing.must(
        "CAS-14",
        "lets exactly one of several concurrent creators of a path succeed, and raises"
        " `MemoryConflictError`, not an error of the driver, for the others",
        why="A run ends with an integrity error where one more try would have done.",
        source="derived: row locks do not lock absent rows",
    ),
    _racing.must(
        "CAS-15",
        "orders concurrent writes, deletes and reads of one path as if they ran one at a time",
        why="A lost note shows up only later, when nobody can say which call lost it.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "CAS-16",
        "reports a version conflict only by raising `MemoryConflictError`, never by another error or a result",
        why="The caller applies the wrong remedy, or takes a refused edit for a saved one.",
        source="docstring of MemoryConflictError",
    ),
    _writing.must(
        "CAS-17",
        "checks the version of the path alone: writes elsewhere never cause a conflict",
        why="A busy neighbour makes a quiet user's edits fail.",
        source="protocol docstring: write",
    ),
    _versioned.should(
        "CAS-18",
        "refuses the version of another path, also where both files hold the same text",
        why="A user interface that mixes up two tokens overwrites the wrong note.",
        source="derived: a version stands for a write",
    ),
    _racing.must(
        "CAS-19",
        "lets at least one writer of each round commit while several repeat read and write",
        why="All writers conflict with one another until every one of them gives up.",
        source="derived: the toolset gives up after a number of attempts",
    ),
    _racing.must(
        "CAS-20",
        "holds CAS-13, CAS-14 and CAS-15 between several instances and several processes",
        why="Edits are lost as soon as the application runs two workers.",
        source="README: Persistence and concurrency",
        needs=("shared",),
        waived_by=("single_writer",),
    ),
    _writing.must(
        "CAS-21",
        "sets `existed` to whether the file existed just before the call",
        why="The agent says `created` of a note that it changed, or `deleted` of one that was not there.",
        source="protocol fields; upstream tests",
    ),
    _versioned.should(
        "CAS-22",
        "gives a file created after a delete a version that its path never had before",
        why="A writer that still holds an old version overwrites the new note.",
        source="upstream tests",
    ),
    _writing.should(
        "CAS-23",
        "lets no one read from the versions of one scope how much is written in others",
        why="The model sees the version, and with it how busy other tenants are.",
        source="derived: counters shared by all tenants",
    ),
)
