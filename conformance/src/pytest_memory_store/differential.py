"""One tenant's program as moves, and what the tenant observes with every random name taken out.

Pure. The same moves in two scopes must give equal observations: scopes, versions and operation ids are renamed by
the order in which the tenant met them. Must not know: stores, the model, pytest.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from hypothesis import strategies as st

from pytest_memory_store.calls import (
    ALL,
    UNSET,
    Call,
    Delete,
    GetOperation,
    Hung,
    ListPaths,
    MemoryOperation,
    Mutation,
    Outcome,
    Raised,
    Read,
    Returned,
    Search,
    Write,
    error_names,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_ERRORS = ("MemoryOperationConflictError", "MemoryConflictError", "ValueError")
_FIELDS = ("content", "truncated", "existed", "replayed")
_KINDS = ("put", "put", "operate", "operate", "create", "stale", "remove", "again", "receipt", "read", "list", "search")

NAMES = ("a.md", "b.md", "sub/c.md")
"""The names that every tenant uses, so that files of two tenants differ by their scope alone."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a tenant observes of a search: the paths in order of their names, and both flags."""

    paths: tuple[str, ...]
    scanned: object
    truncated: object


@dataclass(frozen=True, slots=True)
class Move:
    """What a tenant does next: `kind` says what, `name` to which file."""

    kind: str
    name: str = NAMES[0]


moves: SearchStrategy[list[Move]] = st.lists(
    st.builds(Move, kind=st.sampled_from(_KINDS), name=st.sampled_from(NAMES)), max_size=10
)


def _each(*kinds: str) -> tuple[Move, ...]:
    return tuple(Move(kind, name) for kind in kinds for name in NAMES[:2])


EVERY_KIND = _each(
    "put", "read", "operate", "read", "create", "stale", "list", "search", "receipt", "again", "remove", "put"
)
"""A program that makes each kind of move, and has files most of the time."""

BUSY_BODY = _each("remove", "put", "read", "list", "search", "remove", "again", "create", "stale", "operate", "receipt")
"""A program that deletes and creates files of the same names at other times."""

LAST_LOOK = (*(Move("read", name) for name in NAMES), Move("list"), Move("search"), Move("receipt"), Move("receipt"))
"""What shows the state that a program has left."""


@dataclass(slots=True)
class Tenant:
    """A client that works below one scope and knows what it was answered there, and nothing else.

    `voice` is a word in all its texts; `inner` is a scope nested in its own, whose files it leaves out of listings.
    """

    scope: str
    voice: str = "note"
    inner: str = ""
    operation_type: type = MemoryOperation
    metadata: bool = False
    current: dict[str, str] = field(default_factory=dict[str, str])
    stale: str = "no-version"
    sent: list[Mutation] = field(default_factory=list[Mutation])
    versions: dict[str, str] = field(default_factory=dict[str, str])
    operations: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    writes: int = 0

    def call(self, move: Move) -> Call:
        """The call that this move is, by what the tenant knows."""
        path = f"{self.scope}/{move.name}"
        match move.kind:
            case "put" | "operate" | "create" | "stale":
                return self._write(path, move)
            case "remove":
                return Delete(path, self.current.get(path))
            case "again" if self.sent:
                return self.sent[-1]
            case "receipt" if self.sent:
                operation = self.sent[self.writes % len(self.sent)].operation
                assert operation is not None
                return GetOperation(operation)
            case "list":
                return ListPaths(f"{self.scope}/", ALL)
            case "search":
                return Search(f"{self.scope}/", self.voice)
            case _:
                return Read(path, ALL)

    def _write(self, path: str, move: Move) -> Write:
        self.writes += 1
        count = self.counts[path] = self.counts.get(path, 0) + 1
        expected = {"create": None, "stale": self.stale}.get(move.kind, self.current.get(path))
        operation = None
        if move.kind == "operate":
            operation = self.operation_type(id=f"kit-{secrets.token_hex(16)}", fingerprint=f"fp-{self.writes}")
            self.operations[operation.id] = f"op{len(self.operations) + 1}"
        metadata = {"by": f"author-{self.writes}"} if self.metadata else UNSET
        text = f"{self.voice} in {move.name}, {'odd' if count % 2 else 'even'}"
        call = Write(path, text, expected, operation, metadata)
        if operation is not None:
            self.sent.append(call)
        return call

    def learn(self, call: Call, outcome: Outcome) -> None:
        """Take in the answer: a mutation gives the file's version, or that there is no file."""
        if not isinstance(call, Write | Delete) or not isinstance(outcome, Returned):
            return
        version = getattr(outcome.value, "version", None)
        if getattr(outcome.value, "replayed", False):
            return
        if isinstance(call, Write) and isinstance(version, str):
            self.stale = self.current.get(call.path, self.stale)
            self.current[call.path] = version
        elif isinstance(call, Delete):
            self.stale = self.current.pop(call.path, self.stale)

    def observe(self, outcome: Outcome) -> object:
        """What the tenant sees, without random names, scores, snippets and the wording of errors."""
        match outcome:
            case Hung():
                return "no answer"
            case Raised(error):
                names = error_names(error)
                return f"raised {next((name for name in _ERRORS if name in names), type(error).__name__)}"
            case Returned(value):
                return self._plain(value)

    def _plain(self, value: Any) -> object:
        if isinstance(value, list):
            listed = map(str, cast("list[object]", value))
            return [self._path(path) for path in listed if not (self.inner and path.startswith(self.inner))]
        if hasattr(value, "matches"):
            found = sorted(self._path(str(getattr(match, "path", match))) for match in value.matches)
            return Found(tuple(found), value.scanned, value.truncated)
        seen = {
            name: getattr(value, name)
            for name in ("content", "truncated", "existed", "replayed")
            if hasattr(value, name)
        }
        if not seen:
            return value
        metadata = getattr(value, "metadata", None)
        return seen | {
            "version": self._named(getattr(value, "version", None), self.versions, "v"),
            "operation_id": self._known_operation(getattr(value, "operation_id", None)),
            "metadata": plain_metadata(metadata),
        }

    def _path(self, text: str) -> str:
        return f"S{text[len(self.scope) :]}" if text.startswith(f"{self.scope}/") else f"outside: {text}"

    def _known_operation(self, operation_id: object) -> object:
        return self.operations.get(operation_id, operation_id) if isinstance(operation_id, str) else operation_id

    @staticmethod
    def _named(value: object, names: dict[str, str], letter: str) -> object:
        return names.setdefault(value, f"{letter}{len(names) + 1}") if isinstance(value, str) else value


def plain_metadata(metadata: object) -> object:
    """Metadata as a dict, whatever mapping the store gives; none and empty are the same."""
    return (dict(cast("Mapping[str, str]", metadata)) or None) if isinstance(metadata, Mapping) else metadata
