"""An example: what its calls are booked on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from pytest_memory_store.calls import Raised, Returned
from pytest_memory_store.claims import Claims
from pytest_memory_store.example import Example, Setting, Violation
from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.rig import Rig

SHOULD = {"CAS-11", "CAS-22", "TYPE-08b"}


@pytest.fixture
def rig() -> Iterator[Rig]:
    """A rig whose calls may take five seconds."""
    made = Rig(5, _stuck)
    yield made
    made.close()


def _stuck() -> None:
    raise AssertionError("nothing could end the call")


Script = Callable[[Example], Awaitable[Any]]


def play(rig: Rig, store: object, script: Script, *, waived: tuple[str, ...] = ()) -> Example:
    """Run a script of calls on a store; clauses of `SHOULD` are advisories, `waived` ones are not judged."""

    def applies(clause: str) -> str | None:
        return None if clause in waived else clause

    setting = Setting(rig, store, Claims(), frozenset(), applies, lambda clause: clause not in SHOULD)
    example = Example(setting)

    async def run() -> None:
        await script(example)

    rig.run(run())
    return example


class KeepsVersion(BaseStore):
    """Keeps the version on a rewrite with the same content."""

    def new_version(self, change: Change, current: Stored | None) -> str:
        """Give out the old version for the old content."""
        if current is not None and current.content == change.content:
            return current.version
        return super().new_version(change, current)


async def rewrite(example: Example) -> None:
    """Write the same text twice, the second time under a blame."""
    await example.put("a.md", "same")
    await example.put("a.md", "same", blame="READ-12")


def test_blame_makes_no_violation_of_an_advisory(rig: Rig) -> None:
    """What is only advised stays an advisory, whatever the caller knows better."""
    example = play(rig, KeepsVersion(), rewrite)
    assert [advisory.clause for advisory in example.advisories] == ["CAS-11"]


def test_blame_makes_no_violation_of_what_is_waived(rig: Rig) -> None:
    """What is not judged for a store is not judged under another name."""
    assert not play(rig, KeepsVersion(), rewrite, waived=("CAS-11",)).advisories


def test_a_second_look_is_a_step_of_the_transcript(rig: Rig) -> None:
    """The read that told two causes apart is shown to the reader."""
    example = play(rig, KeepsVersion(), rewrite)
    assert [step.call.method for step in example.advisories[0].transcript.steps] == ["write", "write", "read"]


class ListsAtOnce(BaseStore):
    """Lists without an awaitable."""

    def list_paths(self, prefix: str = "", *, limit: int) -> Any:
        """Return a list where the protocol has a coroutine."""
        return self.page(self.listing(prefix), limit)


def test_what_cannot_be_awaited_is_booked_on_its_own_clause(rig: Rig) -> None:
    """A method that gives no awaitable breaks TYPE-06, whatever the caller blames."""

    async def script(example: Example) -> None:
        await example.list_paths(blame="READ-08")

    with pytest.raises(Violation, match=r"^TYPE-06: "):
        play(rig, ListsAtOnce(), script)


class QuotaReached(BaseStore):
    """Drops the file and raises an agent's exception for content of more than ten characters."""

    def check_content(self, content: str) -> None:
        """Refuse too late what is too long."""
        if len(content) > 10:
            self.files.clear()
            raise type("ModelRetry", (Exception,), {})("too long")


def test_what_an_agents_exception_left_behind_is_booked_on_it(rig: Rig) -> None:
    """A file that is gone after a refusal for a model breaks TYPE-10."""

    async def script(example: Example) -> None:
        await example.put("a.md", "short")
        await example.read("a.md")
        await example.write("a.md", "x" * 70_000, expected_version=example.version("a.md"))
        await example.read("a.md")

    with pytest.raises(Violation, match=r"^TYPE-10: "):
        play(rig, QuotaReached(), script)


def test_content_that_no_store_has_to_keep_may_be_refused(rig: Rig) -> None:
    """The refusal of NUL leaves the model as it was, and is evidence for TYPE-08b."""

    async def script(example: Example) -> None:
        await example.put("a.md", "short")
        outcome = await example.write("a.md", "\x00", expected_version=example.version("a.md"))
        assert isinstance(outcome, Raised)
        assert isinstance(await example.read("a.md"), Returned)

    assert play(rig, BaseStore(), script).evidence["TYPE-08b"]


def test_a_held_clause_is_evidence(rig: Rig) -> None:
    """What a check found by itself counts like what the model found."""

    async def script(example: Example) -> None:
        await asyncio.sleep(0)
        example.hold("TYPE-10")

    assert play(rig, BaseStore(), script).evidence == {"TYPE-10": 1}
