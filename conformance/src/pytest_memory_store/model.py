"""The oracle: what every call must return, given the calls before it.

Pure: no `await`, no store, no pytest, and no code shared with any store. `Model.expect` says what a call
must do and which clause says so; `Model.learn` takes in what the store answered, since versions are the
store's own. The comparison of the two is `checks.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from pytest_memory_store.calls import (
    UNSET,
    Call,
    Delete,
    GetOperation,
    ListPaths,
    MemoryOperation,
    Mutation,
    Read,
    Search,
    Unset,
    Write,
)

MAX_METADATA_CHARS = 4_096
MAX_CONTENT_CHARS = 65_536
"""What every store accepts, unless it claims less (TYPE-09)."""

_SEGMENT = re.compile(r"[A-Za-z0-9_.-]{1,200}", re.ASCII)


def path_fault(path: str) -> str | None:
    """The clause that makes `path` invalid, or `None` for a valid path (PATH-01)."""
    segments = path.split("/")
    if all(_SEGMENT.fullmatch(s) and ".." not in s and s != "." for s in segments):
        return None
    if all(_SEGMENT.fullmatch(s) for s in segments):
        return "PATH-03"
    if path and (ord(path[-1]) < 32 or path[-1] in "\x7f\x85\u2028\u2029") and path_fault(path[:-1]) is None:
        return "PATH-04"
    return "PATH-02"


def prefix_is_valid(prefix: str) -> bool:
    """Whether `prefix` is empty or a valid path with at most one trailing slash (PATH-06)."""
    return prefix == "" or path_fault(prefix.removesuffix("/")) is None


def is_storable(text: str) -> bool:
    """Whether every store must keep `text`: neither NUL nor lone surrogates (READ-02, TYPE-08)."""
    return "\x00" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


@dataclass(slots=True)
class File:
    """A live file as the store must have it.

    `confirmed` is the event count when a read last agreed; `previous` is the file that the last write replaced.
    """

    content: str
    version: str
    operation_id: str | None
    metadata: dict[str, str] | None
    confirmed: int = -1
    previous: File | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an applied operation answered, and with which call."""

    call: Mutation
    fingerprint: str
    version: str | None
    existed: bool


@dataclass(frozen=True, slots=True)
class Event:
    """A thing that happened to a path: `write`, `delete`, `conflict`, `replay` or `refused`."""

    kind: str
    path: str
    clause: str = ""


@dataclass(frozen=True, slots=True)
class Fails:
    """The call must raise `error`, says `clause`."""

    error: str
    clause: str


@dataclass(frozen=True, slots=True)
class Absent:
    """The call must return `None`, says `clause`."""

    clause: str


@dataclass(frozen=True, slots=True)
class Reads:
    """A read must return this file, bounded by `max_chars`."""

    file: File
    max_chars: int


@dataclass(frozen=True, slots=True)
class Mutates:
    """A write or delete must be applied; `current` is the file before it. `clause` says that it must not be refused."""

    current: File | None
    clause: str


@dataclass(frozen=True, slots=True)
class Replays:
    """The call must return this receipt with `replayed=True` and change nothing."""

    receipt: Receipt
    clause: str


@dataclass(frozen=True, slots=True)
class Lists:
    """A listing must return the first `limit` of these paths, which are all that match, in code-point order."""

    paths: tuple[str, ...]
    limit: int


@dataclass(frozen=True, slots=True)
class Finds:
    """A search looks at these files: the direct children of the prefix."""

    files: Mapping[str, str]


Expectation: TypeAlias = Fails | Absent | Reads | Mutates | Replays | Lists | Finds


@dataclass(slots=True)
class Model:
    """The state of the files and receipts that one example made."""

    files: dict[str, File] = field(default_factory=dict[str, File])
    receipts: dict[str, Receipt] = field(default_factory=dict[str, Receipt])
    events: list[Event] = field(default_factory=list[Event])
    lives: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    """Per path, the versions of each life of the file (from create to delete), oldest first."""
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Per path, every content that was ever written, oldest first."""
    listed: set[str] = field(default_factory=set[str])
    """The live paths that a listing has shown since they were created."""
    failed: set[str] = field(default_factory=set[str])
    """Ids of operations that were refused and never applied (OP-09)."""
    looked_up: dict[str, int] = field(default_factory=dict[str, int])
    """Per operation id, the event count when a lookup last gave its receipt."""
    repeated: dict[str, int] = field(default_factory=dict[str, int])
    """Per operation id, the event count when a repeated call was last answered with its receipt."""
    knows_none: bool = False
    """Whether the store ever answered that it does not know an operation."""
    max_metadata_chars: int = MAX_METADATA_CHARS

    def expect(self, call: Call) -> Expectation:
        """What the contract asks of `call` now."""
        match call:
            case Read():
                return self._expect_read(call)
            case Write() | Delete():
                return self._expect_mutation(call)
            case GetOperation():
                return self._expect_receipt(call.operation)
            case ListPaths():
                return self._expect_listing(call)
            case Search():
                return self._expect_search(call)

    def _expect_read(self, call: Read) -> Expectation:
        if fault := path_fault(call.path):
            return Fails("ValueError", fault)
        if call.max_chars <= 0:
            return Fails("ValueError", "READ-06")
        file = self.files.get(call.path)
        if file is None:
            return Absent("DEL-01" if call.path in self.lives else "READ-01")
        return Reads(file, call.max_chars)

    def _expect_mutation(self, call: Mutation) -> Expectation:
        if fault := argument_fault(call, self.max_metadata_chars):
            return fault
        current = self.files.get(call.path)
        stale = self.is_stale(call)
        if call.operation is not None and (receipt := self.receipts.get(call.operation.id)):
            if receipt.fingerprint != call.operation.fingerprint:
                return Fails("MemoryOperationConflictError", "OP-07" if stale else "OP-05")
            return Replays(receipt, self._replay_clause(receipt))
        if stale:
            return Fails("MemoryConflictError", self._conflict_clause(call, current))
        return Mutates(current, self._accept_clause(call, current))

    def _replay_clause(self, receipt: Receipt) -> str:
        if isinstance(receipt.call, Delete):
            return "OP-16"
        current = self.files.get(receipt.call.path)
        return "OP-03" if current and current.version == receipt.version else "OP-17"

    def _conflict_clause(self, call: Mutation, current: File | None) -> str:
        writes = isinstance(call, Write)
        if call.expected_version is None:
            return "CAS-01" if writes else "CAS-04"
        if not self.has_seen(call.expected_version):
            return "CAS-12" if is_storable(call.expected_version) else "CAS-12b"
        if current is None:
            return "CAS-03" if writes else "CAS-06"
        return "CAS-02" if writes else "CAS-06"

    def _accept_clause(self, call: Mutation, current: File | None) -> str:
        if isinstance(call, Delete):
            return "DEL-02" if current else "CAS-05"
        if current is not None:
            return "CAS-02"
        if call.path in self.lives:
            return "DEL-03"
        return "CAS-01"

    def _expect_receipt(self, operation: MemoryOperation) -> Expectation:
        receipt = self.receipts.get(operation.id)
        if receipt is None:
            return Absent("OP-09" if operation.id in self.failed else "OP-01")
        if receipt.fingerprint != operation.fingerprint:
            return Fails("MemoryOperationConflictError", "OP-05")
        return Replays(receipt, "OP-04")

    def _expect_listing(self, call: ListPaths) -> Expectation:
        prefix = "" if call.prefix is UNSET else call.prefix
        assert isinstance(prefix, str)
        if not prefix_is_valid(prefix):
            return Fails("ValueError", "PATH-06")
        if call.limit <= 0:
            return Fails("ValueError", "LIST-04")
        return Lists(tuple(sorted(p for p in self.files if p.startswith(prefix))), call.limit)

    def _expect_search(self, call: Search) -> Expectation:
        if not prefix_is_valid(call.prefix):
            return Fails("ValueError", "SRCH-11b" if call.is_idle else "SRCH-11")
        below = {p: f.content for p, f in self.files.items() if p.startswith(call.prefix)}
        return Finds({p: c for p, c in below.items() if "/" not in p.removeprefix(call.prefix)})

    def is_stale(self, call: Mutation) -> bool:
        """Whether the expected version of `call` is not the current one."""
        current = self.files.get(call.path)
        return call.expected_version != (current.version if current else None)

    def has_seen(self, version: str) -> bool:
        """Whether the store ever gave out this version, for any path of the example."""
        return any(version in life for lives in self.lives.values() for life in lives)

    def learn(self, call: Call, expectation: Expectation, version: str | None = None) -> None:
        """Take in that `call` did what `expectation` says; an applied write answered `version`."""
        match call, expectation:
            case ((Write() | Delete()), Mutates()):
                self._apply(call, expectation, version)
            case ((Write() | Delete()), Replays()):
                self.events.append(Event("replay", call.path, expectation.clause))
                assert call.operation is not None
                self.repeated[call.operation.id] = len(self.events)
            case GetOperation(), Replays():
                self.looked_up[call.operation.id] = len(self.events)
            case GetOperation(), Absent():
                self.knows_none = True
            case ((Write() | Delete()), Fails()):
                kind = "conflict" if expectation.error == "MemoryConflictError" else "refused"
                self.events.append(Event(kind, call.path, expectation.clause))
                if call.operation is not None and call.operation.id not in self.receipts:
                    self.failed.add(call.operation.id)
            case Read(), Reads() if call.max_chars >= len(expectation.file.content):
                expectation.file.confirmed = len(self.events)
            case ListPaths(), Lists():
                self.listed.update(expectation.paths[: call.limit])
            case _:
                pass

    def _apply(self, call: Mutation, expectation: Mutates, version: str | None) -> None:
        if isinstance(call, Write):
            assert version is not None
            if expectation.current is None:
                self.lives.setdefault(call.path, []).append([])
            self.lives[call.path][-1].append(version)
            self.texts.setdefault(call.path, []).append(call.content)
            operation_id = call.operation.id if call.operation else None
            metadata = None if isinstance(call.metadata, Unset) else dict(call.metadata or {}) or None
            previous = replace(expectation.current, previous=None) if expectation.current else None
            self.files[call.path] = File(call.content, version, operation_id, metadata, previous=previous)
        else:
            self.files.pop(call.path, None)
            self.listed.discard(call.path)
        if call.operation is not None:
            self.failed.discard(call.operation.id)
            self.receipts[call.operation.id] = Receipt(
                call, call.operation.fingerprint, version, expectation.current is not None
            )
        self.events.append(Event("write" if isinstance(call, Write) else "delete", call.path))

    def blame(self, path: str) -> str | None:
        """The clause to blame when a file that a read had confirmed reads otherwise now, or `None` if none had."""
        file = self.files[path]
        if file.confirmed < 0:
            return None
        since = self.events[file.confirmed :]
        if not since:
            return "READ-08"
        event = next((event for event in reversed(since) if event.path == path), since[-1])
        return (_BLAME_SAME_PATH if event.path == path else _BLAME_OTHER_PATH).get(event.kind, event.clause)

    def dropped_by(self, call: Call, receipt: Receipt) -> str | None:
        """The clause to blame when `call` no longer gets a receipt that such a call did get, `None` if none has.

        What happened to its own file must not drop it (OP-17), nor what other operations recorded (OP-28).
        """
        operation = receipt.call.operation
        answered = self.looked_up if isinstance(call, GetOperation) else self.repeated
        if operation is None or operation.id not in answered:
            return None
        since = [event for event in self.events[answered[operation.id] :] if event.kind in ("write", "delete")]
        if not since:
            return None
        return "OP-17" if any(event.path == receipt.call.path for event in since) else "OP-28"

    def others_moved(self, path: str) -> bool:
        """Whether the last thing that happened, happened to another path."""
        return bool(self.events) and self.events[-1].path != path

    def known_paths(self) -> set[str]:
        """Every path that was ever written."""
        return set(self.lives)

    def copy_file(self, path: str) -> File:
        """A snapshot of a live file, to compare with later."""
        return replace(self.files[path])


_BLAME_SAME_PATH = {"conflict": "CAS-07"}
_BLAME_OTHER_PATH = {"write": "PATH-10", "delete": "DEL-11", "conflict": "CAS-07", "replay": "OP-17"}


def argument_fault(call: Mutation, max_metadata_chars: int = MAX_METADATA_CHARS) -> Fails | None:
    """The refusal that the arguments alone demand, before receipts and versions are looked at."""
    if fault := path_fault(call.path):
        return Fails("ValueError", fault)
    if isinstance(call, Write) and not isinstance(call.metadata, Unset) and call.metadata:
        return metadata_fault(call.metadata, max_metadata_chars)
    return None


def metadata_fault(metadata: object, max_chars: int = MAX_METADATA_CHARS) -> Fails | None:
    """The refusal that this metadata demands, `None` where it must be kept (META-11, META-12)."""
    if not isinstance(metadata, Mapping):
        return Fails("TypeError", "META-11")
    given = cast("Mapping[object, object]", metadata)
    texts = [text for pair in given.items() for text in pair if isinstance(text, str)]
    if len(texts) < 2 * len(given):
        return Fails("TypeError", "META-11")
    if any("\x00" in text for text in texts) or metadata_chars(cast("Mapping[str, str]", given)) > max_chars:
        return Fails("ValueError", "META-11")
    if not all(is_storable(text) for text in texts):
        return Fails("ValueError", "META-12")
    return None


def metadata_kept_under(metadata: Mapping[str, str]) -> str:
    """The clause that asks to keep this metadata and to show it as it was."""
    return "META-02" if all(text.isascii() for pair in metadata.items() for text in pair) else "META-18"


def metadata_chars(metadata: Mapping[str, str]) -> int:
    """Length of the metadata's JSON encoding in code points, with the shortest separators and no ASCII escapes."""
    import json

    return len(json.dumps(dict(metadata), ensure_ascii=False, separators=(",", ":")))
