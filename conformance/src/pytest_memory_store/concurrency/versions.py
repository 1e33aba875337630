"""What the calls on one path say of its versions: who made each one and who replaced it.

Must not know: real time beyond the invocations of unknown calls; that is `order.py` and `chain.py`.

Unknown outcomes are settled here as far as the versions settle them. A content that was read proves that its write took
effect, and gives its version. An unknown call whose expected version a known call consumed did not take effect, unless
versions come back in a later life of the file. What remains is `unread` and `deletes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_memory_store.calls import Delete, Read, Write
from pytest_memory_store.concurrency.history import CONFLICT, UNKNOWN, Done, Operation, operation_id
from pytest_memory_store.concurrency.refutation import Objection, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(slots=True)
class Versions:
    """The mutations of one path that are known to have taken effect, and those that may have.

    `creates` expected no file; `successor` has the one that replaced or deleted each version; `learned` has the
    versions of those whose own answer is unknown. `alternatives` are attempts of one operation that carry one content
    but expected different versions: it was read, so one of them took effect. `unread` are the unknown writes whose
    content nobody read, `deletes` the unknown deletes. `mortal` says whether the file may have been deleted at all.
    """

    creates: list[Operation] = field(default_factory=list[Operation])
    producer: dict[str, Operation] = field(default_factory=dict[str, Operation])
    successor: dict[str, Operation] = field(default_factory=dict[str, Operation])
    learned: dict[Operation, str] = field(default_factory=dict[Operation, str])
    alternatives: list[Operation] = field(default_factory=list[Operation])
    unread: list[Operation] = field(default_factory=list[Operation])
    deletes: list[Operation] = field(default_factory=list[Operation])
    mortal: bool = False
    _reused: tuple[str, Operation, Operation] | None = None
    _forked: tuple[str, Operation, Operation] | None = None

    @property
    def certain(self) -> bool:
        """Whether no unknown write can have made a version that another life of the file has too."""
        return not (self.unread and self.mortal)

    def made_by(self, write: Operation) -> str:
        """The version that `write`, which took effect, made."""
        if isinstance(write.outcome, Done):
            assert write.outcome.version is not None
            return write.outcome.version
        return self.learned[write]

    def add(self, mutation: Operation, version: str | None) -> None:
        """Take in a mutation that took effect, with the version it made (`None` for a delete)."""
        if version is not None:
            first = self.producer.setdefault(version, mutation)
            if first is not mutation and self._reused is None:
                self._reused = (version, first, mutation)
        assert not isinstance(mutation.call, Read)
        expected = mutation.call.expected_version
        if expected is None:
            self.creates.append(mutation)
            return
        first = self.successor.setdefault(expected, mutation)
        if first is not mutation and self._forked is None:
            self._forked = (expected, first, mutation)

    def object(self) -> None:
        """Raise an `Objection` where the versions contradict each other, certain or not."""
        self._object_to_duplicates()
        self._object_to_orphans()
        self._object_to_duplicates()

    def _object_to_duplicates(self) -> None:
        """Two calls made one version, or two succeeded from one.

        A file that was deleted may see a version again in its next life, which the contract allows; who expected
        which of the two is then for the search to say.
        """
        if self._reused is not None:
            version, *both = self._reused
            raise Objection("reused-version", f"two writes both made {named(version)}", *both, certain=not self.mortal)
        if self._forked is not None:
            version, *both = self._forked
            what = "writes" if all(isinstance(o.call, Write) for o in both) else "calls"
            raise Objection(
                "lost-update", f"two {what} both succeeded from {named(version)}", *both, certain=self.certain
            )

    def _object_to_orphans(self) -> None:
        """A call succeeded from a version that nobody made.

        An unknown write may have made it. A single such write must have; among several the search has to choose.
        """
        while (expected := next((e for e in self.successor if e not in self.producer), None)) is not None:
            if len(self.unread) != 1:
                sentence = f"a call succeeded from {named(expected)}, which no call made"
                raise Objection("phantom-version", sentence, self.successor[expected], certain=not self.unread)
            self.learn(self.unread.pop(), expected)

    def learn(self, write: Operation, version: str) -> None:
        """Take in that an unknown write took effect and made `version`."""
        self.learned[write] = version
        self.add(write, version)


def collect(operations: Sequence[Operation]) -> Versions:
    """The versions of the operations of one path, sorted by invocation.

    Raises an `Objection`, always certain, where an answer contradicts itself or a content came with two versions, and
    `ValueError` where two writes with unknown outcomes carry one content.
    """
    versions = Versions()
    unknown: list[Operation] = []
    for operation in operations:
        call, outcome = operation.call, operation.outcome
        if outcome is CONFLICT or isinstance(call, Read):
            continue
        if outcome is UNKNOWN:
            unknown.append(operation)
        elif isinstance(outcome, Done) and _changed(operation, outcome):
            versions.add(operation, outcome.version if isinstance(call, Write) else None)
            if isinstance(call, Delete):
                versions.mortal = True
    if unknown:
        _settle(versions, unknown, operations)
    return versions


def _changed(operation: Operation, outcome: Done) -> bool:
    """Whether a successful mutation changed the file, which a delete that found none does not."""
    call = operation.call
    assert not isinstance(call, Read)
    if outcome.existed != (call.expected_version is not None):
        what = "there was a file" if outcome.existed else "there was no file"
        sentence = f"a call that expected {named(call.expected_version)} succeeded and answered that {what} before"
        raise Objection("existed", sentence, operation)
    if isinstance(call, Write):
        if outcome.version is None:
            raise Objection("no-version", "a write succeeded and gave no version", operation)
        return True
    return outcome.existed


def _settle(versions: Versions, unknown: Iterable[Operation], operations: Sequence[Operation]) -> None:
    """Sort the unknown mutations into learned, alternatives, unread and deletes."""
    writes: dict[str, list[Operation]] = {}
    for operation in unknown:
        call = operation.call
        if isinstance(call, Write):
            writes.setdefault(call.content, []).append(operation)
        elif isinstance(call, Delete) and call.expected_version is not None:
            versions.deletes.append(operation)
            versions.mortal = True
    _refuse_ambiguous(writes)
    for content, version in _read(writes, operations).items():
        candidates = writes.pop(content)
        if len(candidates) == 1:
            versions.learn(candidates[0], version)
        else:
            versions.alternatives += candidates
            versions.learned.update(dict.fromkeys(candidates, version))
    versions.unread = [write for candidates in writes.values() for write in candidates]


def _read(writes: Mapping[str, Sequence[Operation]], operations: Sequence[Operation]) -> dict[str, str]:
    """The versions under which these contents were read."""
    readers: dict[str, Operation] = {}
    versions: dict[str, str] = {}
    for operation in operations:
        outcome = operation.outcome
        if not isinstance(operation.call, Read) or not isinstance(outcome, Done) or outcome.version is None:
            continue
        if outcome.content is None or outcome.content not in writes:
            continue
        first = readers.setdefault(outcome.content, operation)
        version = versions.setdefault(outcome.content, outcome.version)
        if version != outcome.version:
            sentence = f"what one write wrote was read as {named(version)} and as {named(outcome.version)}"
            raise Objection("content", sentence, *writes[outcome.content], first, operation)
    return versions


def _refuse_ambiguous(writes: Mapping[str, Sequence[Operation]]) -> None:
    """Refuse unknown writes of which a content cannot tell which one took effect."""
    for content, (first, *others) in writes.items():
        for other in others:
            if operation_id(first) is None or operation_id(first) != operation_id(other):
                raise ValueError(
                    f"two writes of {first.call.path!r} with unknown outcomes both carry {content!r}: "
                    "give every write of a history its own content, or one operation id to attempts of one write"
                )
