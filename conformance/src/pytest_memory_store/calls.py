"""The protocol's calls as data, and what came of them.

Must not know: stores, the model, pytest. A call is what one client asks; `send` is the only place that
turns it into a method call, so that every other part of the kit can compare, print and shrink calls.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping


class Unset(Enum):
    """The value of an argument that is left out, where `None` means something."""

    UNSET = "UNSET"

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset.UNSET

ALL = 2**31 - 1
"""A bound that cuts nothing: the largest that every store must honour."""


@dataclass(frozen=True, slots=True)
class MemoryOperation:
    """An operation as the protocol has it: the shape that stores read, an `id` and a `fingerprint`."""

    id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Read:
    """`read(path, max_chars=...)`; `max_chars` counts code points."""

    path: str
    max_chars: int

    method = "read"


@dataclass(frozen=True, slots=True)
class Write:
    """`write(...)`, or `write_with_metadata(...)` where `metadata` is given."""

    path: str
    content: str
    expected_version: str | None
    operation: MemoryOperation | None = None
    metadata: Mapping[str, str] | Unset | None = UNSET

    @property
    def method(self) -> str:
        """The protocol method that this write calls."""
        return "write" if self.metadata is UNSET else "write_with_metadata"


@dataclass(frozen=True, slots=True)
class Delete:
    """`delete(path, expected_version=..., operation=...)`."""

    path: str
    expected_version: str | None
    operation: MemoryOperation | None = None

    method = "delete"


@dataclass(frozen=True, slots=True)
class GetOperation:
    """`get_operation(operation)`."""

    operation: MemoryOperation

    method = "get_operation"


@dataclass(frozen=True, slots=True)
class ListPaths:
    """`list_paths(prefix, limit=...)`; the prefix is left out where it is `UNSET`."""

    prefix: str | Unset
    limit: int

    method = "list_paths"


@dataclass(frozen=True, slots=True)
class Search:
    """`search(prefix, query, limit=..., max_files=..., max_chars=..., max_file_chars=...)`."""

    prefix: str
    query: str
    limit: int = 10
    max_files: int = 1_000
    max_chars: int = 4_000
    max_file_chars: int = 65_536

    method = "search"

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """The four bounds, in the order of the fields."""
        return self.limit, self.max_files, self.max_chars, self.max_file_chars

    @property
    def is_idle(self) -> bool:
        """Whether the call asks for nothing: a blank query, or a bound of zero or less (SRCH-09, SRCH-10)."""
        return not self.query.strip() or min(self.bounds) <= 0


Call: TypeAlias = Read | Write | Delete | GetOperation | ListPaths | Search
Mutation: TypeAlias = Write | Delete


def arguments(call: Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The positional and keyword arguments with which the memory toolset makes this call (TYPE-02)."""
    match call:
        case Read():
            return (call.path,), {"max_chars": call.max_chars}
        case Write():
            keywords: dict[str, Any] = {"expected_version": call.expected_version}
            if call.metadata is not UNSET:
                keywords["metadata"] = call.metadata
            if call.operation is not None:
                keywords["operation"] = call.operation
            return (call.path, call.content), keywords
        case Delete():
            keywords = {"expected_version": call.expected_version}
            if call.operation is not None:
                keywords["operation"] = call.operation
            return (call.path,), keywords
        case GetOperation():
            return (call.operation,), {}
        case ListPaths():
            return () if call.prefix is UNSET else (call.prefix,), {"limit": call.limit}
        case Search():
            keywords = {
                "limit": call.limit,
                "max_files": call.max_files,
                "max_chars": call.max_chars,
                "max_file_chars": call.max_file_chars,
            }
            return (call.prefix, call.query), keywords


def send(store: Any, call: Call) -> Any:
    """Make the call on `store` and return what its method returned, which should be awaitable (TYPE-06)."""
    positional, keywords = arguments(call)
    return getattr(store, call.method)(*positional, **keywords)


_KEYWORDS: Mapping[str, frozenset[str]] = {
    "search": frozenset({"limit", "max_files", "max_chars", "max_file_chars"}),
    "write_with_metadata": frozenset({"expected_version", "metadata"}),
}
"""The keywords of the optional methods: one that has fewer than half of them is another method of that name."""


def why_unfit(store: Any, call: Call, error: BaseException) -> str | None:
    """The clause that the method itself breaks where this error came of calling it, `None` where it is fit.

    It may be missing (TYPE-01), take other arguments (TYPE-02), or be another method of that name (TYPE-07).
    """
    optional = call.method in _KEYWORDS
    if not callable(getattr(store, call.method, None)):
        return "TYPE-01"
    if isinstance(error, NotImplementedError):
        return "TYPE-07" if optional else "TYPE-01"
    if not isinstance(error, TypeError):
        return None
    try:
        signature = inspect.signature(getattr(store, call.method))
    except (TypeError, ValueError):  # a method written in C may have none
        return None
    positional, keywords = arguments(call)
    try:
        signature.bind(*positional, **keywords)
    except TypeError:
        own = _KEYWORDS.get(call.method, frozenset())
        return "TYPE-02" if 2 * len(own & set(signature.parameters)) >= len(own) else "TYPE-07"
    return None


@dataclass(frozen=True, slots=True)
class Returned:
    """The call returned `value`."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The call raised `error`, before or while it was awaited, at `where`, a file name and line."""

    error: BaseException
    where: str = ""


@dataclass(frozen=True, slots=True)
class Misfit(Raised):
    """The call failed at the method itself, whatever its arguments meant; `clause` says what is wrong with it."""

    clause: str = "TYPE-02"


@dataclass(frozen=True, slots=True)
class Hung:
    """The call had not returned after `seconds`, the deadline."""

    seconds: float


Outcome: TypeAlias = Returned | Raised | Hung


AGENT_ERRORS = frozenset({"ModelRetry", "ToolFailed"})
"""Exceptions that speak to an agent's model, by class name (TYPE-10)."""


def is_agents(error: BaseException) -> bool:
    """Whether this exception speaks to a model, not to the caller of a store."""
    return not AGENT_ERRORS.isdisjoint(error_names(error))


def error_names(error: BaseException) -> frozenset[str]:
    """The class names in the error's MRO: errors are judged by name, as a store may bring its own classes."""
    return frozenset(base.__name__ for base in type(error).__mro__)
