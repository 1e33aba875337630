"""PATH: which paths and prefixes a store accepts, and that each path is its own record.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_writing = Rows(waived_by=("read_only",))
_on_files = Rows(status=Status.PLANNED, needs=("fs",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "PATH-01",
        "accepts in read, write and delete every path of up to 286 characters whose `/`-separated segments"
        " are 1 to 200 of the characters `A-Z a-z 0-9 _ . -`, hold no `..` and are not `.`",
        why="A legal tenant id or file name fails only once the application is in use.",
        source="README: Namespaces; bundled stores",
        relaxed_by=("reserved_names",),
    ),
    _any_store.must(
        "PATH-02",
        "refuses every other path with `ValueError` in read, write and delete, and changes nothing",
        why="A crafted path reaches files of another tenant or of the host.",
        source="bundled stores; upstream tests",
        relaxed_by=("read_only",),
    ),
    _any_store.must(
        "PATH-03",
        "refuses a path with a `.` segment, or with `..` anywhere in a segment",
        why="A file system reads `a/./b` as `a/b`, so that one scope addresses the files of another.",
        source="docstring of the bundled path check",
        relaxed_by=("read_only",),
    ),
    _any_store.must(
        "PATH-04",
        "judges the whole path, so that a trailing newline or NUL is refused and not stripped",
        why="`notes.md` with a newline after it becomes a second file that nobody can see or address.",
        source="bundled stores",
        relaxed_by=("read_only",),
    ),
    _writing.must(
        "PATH-05",
        "takes a path as it is written, without folding case, normalizing Unicode or decoding percent signs",
        why="Two names silently become one file, and the second note replaces the first.",
        source="derived: the version check is on the exact path",
        relaxed_by=("case_insensitive",),
    ),
    _any_store.must(
        "PATH-06",
        "accepts as prefix the empty string or a valid path with at most one `/` after it, and refuses any"
        " other with `ValueError`",
        why="A mistyped prefix lists nothing, or everything, and nobody notices.",
        source="bundled stores",
    ),
    _writing.must(
        "PATH-07",
        "matches a prefix as the plain beginning of the full path: `u1` finds `u1.md`, `u1/x` and `u10/x`",
        why="The same listing gives different files on different stores.",
        source="protocol docstring: list_paths",
    ),
    _writing.must(
        "PATH-08",
        "matches each character of a prefix as itself: `_`, `.` and `-` are no wildcards, and case counts",
        why="Tenant `a_b` sees the notes of tenant `axb`.",
        source="derived: LIKE, GLOB and regular-expression back ends",
        relaxed_by=("case_insensitive",),
    ),
    _writing.must(
        "PATH-09",
        "keeps paths that differ only in case apart, unless it claims `case_insensitive`",
        why="`Alice` and `alice` share one notebook, and the application does not know.",
        source="README: Namespaces",
        waived_by=("case_insensitive",),
    ),
    _writing.should(
        "PATH-09b",
        "keeps paths that differ only in case apart on every medium",
        why="Two users whose ids differ only in case read and overwrite each other's notes.",
        source="README: Namespaces",
    ),
    _writing.must(
        "PATH-10",
        "gives different valid paths different records, however long and however alike they are",
        why="Truncated, hashed or encoded keys collide, and one tenant overwrites another.",
        source="derived: indexes that cover the beginning of a path",
        relaxed_by=("case_insensitive",),
    ),
    _writing.must(
        "PATH-11",
        "refuses to write `a` beside `a/b` where it cannot hold both, and never reports success for content"
        " that it did not keep",
        why="The agent is told that its note was saved, and the note is gone.",
        source="derived: a file and a directory of one name",
    ),
    _writing.should(
        "PATH-11b",
        "holds `a` and `a/b` at the same time",
        why="Whether a note can be saved depends on what other notes are called.",
        source="derived: a file and a directory of one name",
        waived_by=("no_file_and_directory",),
    ),
    _writing.must(
        "PATH-12",
        "accepts paths of 286 characters, and refuses a longer one, if at all, with `ValueError` before any effect",
        why="One long user id breaks every call of that user.",
        source="derived: a namespace of 200 characters, an agent name and a file name",
    ),
    _writing.should(
        "PATH-12b",
        "accepts paths of 1,024 characters",
        why="Nested namespaces meet a limit that the protocol does not name.",
        source="derived: nested namespaces",
    ),
    _writing.must(
        "PATH-13",
        "refuses the names of its own bookkeeping with `ValueError` in read, write and delete, and lists"
        " every file whose write it accepted",
        why="A note is saved under a name that the store then hides, and is never seen again.",
        source="upstream tests",
    ),
    _writing.must(
        "PATH-14",
        "keeps its bookkeeping (receipts, indexes, temporary files, tombstones) out of listings and search",
        why="Receipts turn up as notes and end in the model's prompt.",
        source="upstream tests",
    ),
    _on_files.must(
        "PATH-15",
        "refuses a path that resolves outside its root with `MemoryPathEscapeError` in read, write and"
        " delete, and leaves the file outside as it was",
        why="A symbolic link makes the agent read or overwrite any file of the host.",
        source="README: Persistence and concurrency",
    ),
    _on_files.must(
        "PATH-16",
        "skips symbolic links to directories in listings and search, and does not read a linked file outside",
        why="A link inside one scope shows the files of another.",
        source="README: Persistence and concurrency",
    ),
    _any_store.should(
        "PATH-17",
        "names in an error no path but the requested one: no other tenant, no directory, no address of a server",
        why="Names of other tenants and of the host reach logs and prompts.",
        source="README: Persistence and concurrency",
    ),
)
