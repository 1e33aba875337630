"""TYPE: the shapes of calls and results, and which error means what.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_writing = Rows(waived_by=("read_only",))
_of_the_package = Rows(status=Status.PLANNED)

CLAUSES: tuple[Clause, ...] = (
    _any_store.must(
        "TYPE-01",
        "has every method of `MemoryStore`, and all of an optional protocol or none of it",
        why="The application refuses the store, or uses half of a feature.",
        source="protocol definitions",
    ),
    _any_store.must(
        "TYPE-02",
        "accepts every call as the agent's tools make it, with the protocol's keywords",
        why="The first call of the agent ends in a `TypeError` that no type check of the class shows.",
        source="protocol signatures",
    ),
    _writing.must(
        "TYPE-03",
        "returns dataclass instances with the protocol's fields, each of the type that the protocol names",
        why="The agent's tools fail on an attribute.",
        source="protocol fields",
    ),
    _writing.must(
        "TYPE-04",
        "returns text as version from a write, and `None` from a delete",
        why="A write that succeeded ends the run.",
        source="toolset: a write has a version",
    ),
    _any_store.must(
        "TYPE-05",
        "raises `ValueError` for bad arguments, and `MemoryConflictError` and"
        " `MemoryOperationConflictError` for their conflicts",
        why="The agent retries what cannot succeed, or gives up what could.",
        source="docstrings of the errors",
        relaxed_by=("read_only",),
    ),
    _any_store.should(
        "TYPE-05b",
        "raises the protocol's own error classes or subclasses of them",
        why="A conflict that the agent would have resolved ends the run.",
        source="toolset: errors are caught by class",
    ),
    _any_store.must(
        "TYPE-06",
        "returns an awaitable from every method",
        why="The agent awaits a list and the run ends.",
        source="protocol signatures",
    ),
    _any_store.must(
        "TYPE-07",
        "has no `search` or `write_with_metadata` that means something else",
        why="The agent takes the method for the protocol's and uses it.",
        source="README: Search; README: Write metadata",
    ),
    _writing.must(
        "TYPE-08",
        "keeps the content that it accepts, or refuses it, and never stores something else",
        why="The text after a NUL character is lost, and the next append makes the loss final.",
        source="derived: what is read is what was written",
    ),
    _writing.should(
        "TYPE-08b",
        "refuses content that it cannot keep (NUL, lone surrogates, too long) with `ValueError` before any effect",
        why="An error of the driver ends the run and nobody learns which character it was.",
        source="derived: bad arguments are ValueErrors",
    ),
    _writing.must(
        "TYPE-09",
        "accepts content of 65,536 code points, whatever their width in bytes",
        why="Notes in some languages fail at half the size of others.",
        source="README: Configuration",
    ),
    _writing.must(
        "TYPE-10",
        "leaves files and receipts as they were where it refuses a call with an agent's own exception"
        " (`ModelRetry`, `ToolFailed`)",
        why="The model is asked to try again what was already done.",
        source="derived: stores with quotas",
    ),
    _writing.should(
        "TYPE-10b",
        "refuses by quota or policy with an error of its own, not with an agent's exception",
        why="An application that calls the store itself gets an exception meant for a model.",
        source="derived: stores with quotas",
    ),
    _any_store.must(
        "TYPE-11",
        "raises from write and delete, finds no operation, and keeps read, listing and search working",
        why="The agent believes that a note was saved where nothing can be.",
        source="derived: stores that only show notes",
        needs=("read_only",),
    ),
    _of_the_package.should(
        "TYPE-12",
        "depends on nothing private of the package that defines the protocol",
        why="A minor release of that package breaks the store.",
        source="derived: helpers that changed between releases",
    ),
    _of_the_package.should(
        "TYPE-13",
        "declares, and tests, the releases of the protocol that it supports",
        why="Nobody knows whether an upgrade is safe.",
        source="derived: rules that changed between releases",
    ),
    _any_store.should(
        "TYPE-14",
        "shows its optional methods in its class, and does not conjure them up in `__getattr__`",
        why="A wrapped store loses search with the next Python version.",
        source="derived: how Python checks runtime protocols",
    ),
    _any_store.must(
        "TYPE-15",
        "shows no secret in its `repr` or in the name of its type",
        why="Passwords and notes end in traces and logs.",
        source="derived: the type's name is exported in spans",
    ),
)
