"""The results and errors of the shipped stores: the protocol's shapes under classes of their own.

Must not know: the kit, the reference stores, any package that defines the protocol. The kit judges results by
shape and errors by class name, and these classes prove that it needs nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class MemoryFile:
    """What a read shows: `content` cut to its bound, and the version and origin of the whole file."""

    content: str
    version: str
    operation_id: str | None
    truncated: bool
    metadata: Mapping[str, str] | None = field(default=None, hash=False)


class Operation(Protocol):
    """What a store reads of an operation, whoever defined its class."""

    @property
    def id(self) -> str:
        """The operation's identity, the same for every retry."""
        ...

    @property
    def fingerprint(self) -> str:
        """A digest of the operation's arguments."""
        ...


@dataclass(frozen=True)
class MemoryOperation:
    """An operation to call these stores with."""

    id: str
    fingerprint: str


@dataclass(frozen=True)
class MemoryMutation:
    """What a write or delete answers; `version` is `None` for a delete."""

    version: str | None
    replayed: bool
    existed: bool


@dataclass(frozen=True)
class MemorySearchMatch:
    """One file that a search found."""

    path: str
    snippet: str
    score: float


@dataclass(frozen=True)
class MemorySearchResult:
    """What a search answers."""

    matches: list[MemorySearchMatch]
    scanned: int
    truncated: bool


class MemoryConflictError(RuntimeError):
    """The file's version is not the expected one."""


class MemoryOperationConflictError(RuntimeError):
    """The operation's id is known with another fingerprint."""
