"""Programs: lists of symbolic calls that Hypothesis draws, shrinks and prints.

A step names "the version this file had before" or "the second operation again", never a literal, so that a
shorter program keeps its meaning. Must not know: the rig, pytest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import strategies as st

from pytest_memory_store.calls import UNSET, Delete, GetOperation, ListPaths, Mutation, Read, Search, Write
from pytest_memory_store.example import ALL, Example

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Where: TypeAlias = tuple[str, str]
"""A suffix to the scope, which names a neighbouring one unless it is empty, and a name in it."""


@dataclass(frozen=True, slots=True)
class Mutate:
    """Write (`content`) or delete (`None`) a file.

    `version` is an index into what the caller may expect: 0 the current version, 1 none, 2 and on the versions that
    any file ever had, newest first. `operation` is whether to send a new operation with it, `metadata` whether to
    record some.
    """

    where: Where
    content: str | None
    version: int = 0
    operation: bool = False
    metadata: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """Send the `index`-th operation's call again, with another version or another fingerprint where asked."""

    index: int
    stale: bool = False
    clash: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """Ask for the receipt of the `index`-th operation."""

    index: int
    clash: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """Read a file, bounded."""

    where: Where
    max_chars: int = ALL


@dataclass(frozen=True, slots=True)
class Enumerate:
    """List below a suffix of the scope."""

    suffix: str
    limit: int = ALL


@dataclass(frozen=True, slots=True)
class Seek:
    """Search a scope's direct children."""

    suffix: str
    query: str
    limit: int = 10
    max_files: int = 1_000


Step: TypeAlias = Mutate | Again | Receipt | Look | Enumerate | Seek

SUFFIXES = ("", "", "", "", "", "", "", "0", "_x", "/sub")
"""The scope itself mostly, beside it neighbours whose names begin alike, and one nested in it."""

_names = st.sampled_from(["a.md", "a.md", "a.md", "b.md", "ab.md"])
_where = st.tuples(st.sampled_from(SUFFIXES), _names)
_CONTENTS = ("", "x", "x y\n", "note", "note x é")
_index = st.integers(0, 3)
_mutations = st.builds(
    Mutate,
    where=_where,
    content=st.sampled_from([*_CONTENTS, *_CONTENTS, None, None]),
    version=st.sampled_from([0, 0, 0, 0, 0, 1, 2, 3]),
    operation=st.booleans(),
    metadata=st.booleans(),
)
_steps: SearchStrategy[Step] = st.one_of(
    _mutations,
    _mutations,
    _mutations,
    st.builds(Again, index=_index, stale=st.booleans(), clash=st.sampled_from([False, False, True])),
    st.builds(Receipt, index=_index, clash=st.sampled_from([False, False, True])),
    st.builds(Look, where=_where, max_chars=st.sampled_from([ALL, 1, 3])),
    st.builds(Enumerate, suffix=st.sampled_from(["", "/", "/a", "/sub/", "0/"]), limit=st.sampled_from([ALL, 1, 2])),
    st.builds(
        Seek,
        suffix=st.sampled_from(["/", "/sub/", "0/"]),
        query=st.sampled_from(["x", "note", "X note", "a.md"]),
        limit=st.sampled_from([10, 1]),
        max_files=st.sampled_from([1_000, 2]),
    ),
)
_some_steps = st.lists(_steps, max_size=10)
programs: SearchStrategy[list[Step]] = st.tuples(_some_steps, _some_steps, _some_steps, _some_steps).map(
    lambda parts: [step for part in parts for step in part]
)
"""Programs of about twenty steps; in parts, since Hypothesis keeps one list to about six."""


@dataclass(slots=True)
class Run:
    """A program under way on one example; `sent` are the calls that carried an operation, in order."""

    example: Example
    sent: list[Mutation] = field(default_factory=list[Mutation])

    async def play(self, program: list[Step]) -> None:
        """Make the program's calls, then read, list and ask for everything once more."""
        for step in program:
            await self._step(step)
        example = self.example
        await example.settle()
        await example.list_paths()
        for call in self.sent:
            assert call.operation is not None
            await example.get_operation(call.operation)

    async def _step(self, step: Step) -> None:
        example = self.example
        match step:
            case Mutate():
                await self._mutate(step)
            case Again() if self.sent:
                await example.perform(self._again(step))
            case Receipt() if self.sent:
                operation = self.sent[step.index % len(self.sent)].operation
                assert operation is not None
                asked = replace(operation, fingerprint="other") if step.clash else operation
                await example.perform(GetOperation(asked))
            case Look():
                await example.perform(Read(self._path(step.where), step.max_chars))
            case Enumerate():
                await example.perform(ListPaths(f"{example.scope}{step.suffix}", step.limit))
            case Seek() if "search" in example.setting.capabilities:
                prefix = f"{example.scope}{step.suffix}"
                await example.perform(Search(prefix, step.query, limit=step.limit, max_files=step.max_files))
            case _:
                pass  # nothing was sent yet that could be repeated, or the store has no search

    async def _mutate(self, step: Mutate) -> None:
        example = self.example
        path, version = self._path(step.where), self._version(step)
        operation = example.operation(f"fp-{len(self.sent)}") if step.operation else None
        metadata = {"by": "program"} if step.metadata and "metadata" in example.setting.capabilities else UNSET
        call: Mutation = (
            Delete(path, version, operation)
            if step.content is None
            else Write(path, step.content, version, operation, metadata)
        )
        if operation is not None:
            self.sent.append(call)
        await example.perform(call)

    def _again(self, step: Again) -> Mutation:
        call = self.sent[step.index % len(self.sent)]
        assert call.operation is not None
        if step.clash:
            call = replace(call, operation=replace(call.operation, fingerprint="other"))
        return replace(call, expected_version="no-version") if step.stale else call

    def _path(self, where: Where) -> str:
        suffix, name = where
        return f"{self.example.scope}{suffix}/{name}"

    def _version(self, step: Mutate) -> str | None:
        model, path = self.example.model, self._path(step.where)
        if step.version == 0:
            file = model.files.get(path)
            return file.version if file else None
        ever = [version for lives in model.lives.values() for life in lives for version in life]
        return None if step.version == 1 or len(ever) < step.version - 1 else ever[1 - step.version]


__all__ = ["Run", "Step", "programs"]
