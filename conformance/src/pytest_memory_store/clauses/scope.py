"""SCOPE: tenants neither reach nor notice one another.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Level, Status
from pytest_memory_store.clauses.rows import Rows

_writing = Rows(waived_by=("read_only",))
_later = Rows(status=Status.PLANNED, waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "SCOPE-01",
        "answers every call in one scope as if no other scope were in use: reads, listings, searches,"
        " receipts and errors",
        why="One tenant reads, changes or guesses the notes of another.",
        source="README: Security and provenance",
    ),
    _writing.must(
        "SCOPE-02",
        "keeps neighbours apart whose names begin alike: `u1/`, `u10/`, `u1-2/`, `u1.x/`",
        why="A tenant whose id begins like another's is shown that tenant's files.",
        source="derived: prefixes without a separator",
        same_as="LIST-08",
    ),
    _writing.must(
        "SCOPE-03",
        "keeps scopes that differ only in case apart, unless it claims `case_insensitive`",
        why="`Alice` and `alice` share one memory, and the application does not know.",
        source="README: Namespaces",
        waived_by=("case_insensitive",),
        same_as="PATH-09",
    ),
    _writing.must(
        "SCOPE-04",
        "keeps scopes apart whose names a pattern language would confuse, such as `a_b/` and `axb/`",
        why="Tenant `a_b` sees the notes of tenant `axb`.",
        source="derived: LIKE, GLOB and regular-expression back ends",
        relaxed_by=("case_insensitive",),
        same_as="PATH-08",
    ),
    _writing.must(
        "SCOPE-05",
        "leaves scopes nested in the searched one out of search, although listings show them",
        why="The run ends with an error, or an agent reads the notes of a scope nested in its own.",
        source="README: Search",
        needs=("search",),
        since="0.62",
        level_before=Level.SHOULD,
        same_as="SRCH-01",
    ),
    _writing.must(
        "SCOPE-06",
        "tells the receipts of different scopes apart by the exact id, and finds one without being given a path",
        why="One tenant's retry is answered with the result of another's.",
        source="toolset: ids are digests of the scope",
    ),
    _writing.must(
        "SCOPE-07",
        "refuses a path of another tenant with `ValueError` or treats it as absent, and never reaches its file",
        why="A store that promises one tenant serves two.",
        source="derived: stores made for one tenant",
        needs=("bound",),
    ),
    _writing.may(
        "SCOPE-07b",
        "binds an instance to one tenant, and then claims `bound`",
        why="An application that shares one instance between tenants finds the others empty.",
        source="derived: stores made for one tenant",
    ),
    _writing.must(
        "SCOPE-08",
        "names in a conflict error no path but the requested one",
        why="The model learns from an error that another tenant exists.",
        source="README: Persistence and concurrency",
    ),
    _writing.should(
        "SCOPE-09",
        "tells nothing of the activity of other tenants by versions or counts",
        why="The model sees how busy other tenants are.",
        source="derived: counters shared by all tenants",
        same_as="CAS-23",
    ),
    _writing.should(
        "SCOPE-10",
        "lists a scope in full however many files its neighbours hold",
        why="One busy tenant makes the notes of another disappear from the prompt.",
        source="derived: limits that are applied before the prefix",
    ),
    _writing.must(
        "SCOPE-11",
        "keeps the metadata of scopes apart as it keeps their content",
        why="One tenant sees who writes for another.",
        source="README: Write metadata",
        needs=("metadata",),
    ),
    _later.must(
        "SCOPE-12",
        "chooses the tenant by the path alone, not by context variables or globals",
        why="A call made in another task or worker lands in another tenant's memory.",
        source="derived: the path is the whole address",
        waived_by=("bound",),
    ),
)
