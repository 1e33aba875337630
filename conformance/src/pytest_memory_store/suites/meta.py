"""META: what a write records about itself: what becomes of it, and that it changes nothing about the write.

Must not know: which metadata is accepted, and how it comes back (`meta_values.py`).
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store.calls import ALL, UNSET, GetOperation, ListPaths, Returned, Search, Unset, Write
from pytest_memory_store.cases import answer, ask, can_search, found_paths, next_case
from pytest_memory_store.disclosure import told
from pytest_memory_store.operations import deleting, look_up, with_fingerprint
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_memory_store.calls import Call
    from pytest_memory_store.example import Example

BY = {"by": "first"}
OTHER = {"by": "other", "reason": "late"}


@check("META-01", calls=8)
async def metadata_goes_with_a_write(example: Example) -> None:
    """`write_with_metadata` takes what write takes, and `metadata`."""
    for has_operation in (False, True):
        for metadata in (BY, OTHER, None):
            operation = example.operation() if has_operation else None
            call = Write(example.path("a.md"), "x", example.version("a.md"), operation, metadata)
            outcome = await example.perform(call)
            accepted = isinstance(outcome, Returned)
            message = "`write_with_metadata` cannot be called as the protocol has it"
            example.require("META-01", accepted, message, expected="a result", actual=answer(outcome))


_words = st.text("abcxyz_", min_size=1, max_size=8)
_plain_values = st.text("abc xyz 019:/-", min_size=1, max_size=12)


@check("META-02", calls=6, metadata=st.dictionaries(_words, _plain_values, min_size=1, max_size=4))
async def metadata_is_read_as_it_was_written(example: Example, metadata: dict[str, str]) -> None:
    """A read shows the mapping that the last write brought, whatever kind of mapping it was."""
    await example.put("a.md", "x", metadata=metadata)
    await example.read("a.md")
    await example.read("a.md", 1)
    await example.put("b.md", "x", metadata=MappingProxyType(metadata))
    await example.settle()


@check("META-04", calls=10)
async def metadata_is_replaced(example: Example) -> None:
    """Each write's metadata takes the place of all that was there."""
    for metadata in ({"a": "1", "b": "2"}, {"b": "3"}, {"c": "4"}, {"a": "5", "c": "6"}, {"b": "2"}):
        await example.put("a.md", "x", metadata=metadata)
        await example.read("a.md")


@check("META-05", calls=14)
async def a_plain_write_records_none(example: Example) -> None:
    """After a plain write the file has no metadata, whatever it had before."""
    await example.put("b.md", "x")
    await example.read("b.md")
    for operation in (None, example.operation()):
        await example.put("a.md", "x", metadata=BY)
        await example.read("a.md")
        await example.put("a.md", "y", operation=operation)
        await example.read("a.md")
        await example.put("a.md", "y")
        await example.read("a.md")


@check("META-06", calls=24)
async def nothing_is_none(example: Example) -> None:
    """`None` and an empty mapping record nothing, on a create and in place of earlier metadata."""
    await example.put("plain.md", "x")
    await example.read("plain.md")
    nothings: tuple[Mapping[str, str] | None, ...] = (None, {})
    for number, nothing in enumerate(nothings):
        name = f"{number}.md"
        await example.put(name, "x", metadata=nothing)
        await example.read(name, blame="META-06")
        await example.put(name, "y", metadata=BY)
        await example.read(name)
        await example.put(name, "z", metadata=nothing)
        await example.read(name, blame="META-06")


@check("META-07", calls=24)
async def metadata_goes_with_its_file(example: Example) -> None:
    """A file created again has the metadata that its own write brought, or none."""
    await example.put("plain.md", "x", metadata=BY)
    await example.put("plain.md", "x")
    await example.read("plain.md")
    again: tuple[Mapping[str, str] | Unset | None, ...] = (UNSET, None, OTHER)
    for number, metadata in enumerate(again):
        name = f"{number}.md"
        await example.put(name, "x", metadata=BY)
        await example.read(name)
        await example.remove(name)
        await example.put(name, "x", metadata=metadata)
        await example.read(name, blame="META-07")


# Metadata and repeated or refused calls


@check("META-08", calls=30)
async def a_replay_keeps_metadata(example: Example) -> None:
    """A replay, whatever metadata it brings, leaves the metadata of the file as it is."""
    await _replay_plainly(example)
    brought: tuple[Mapping[str, str] | Unset | None, ...] = (OTHER, None, UNSET)
    for number, metadata in enumerate(brought):
        next_case(example)
        name = f"{number}.md"
        call = Write(example.path(name), "x", None, example.operation(), BY)
        await example.perform(call)
        await example.read(name)
        await example.perform(replace(call, metadata=metadata), blame="META-08")
        await example.read(name, blame="META-08")
        await example.put(name, "newer", metadata={"by": "newer"})
        await example.read(name)
        await example.perform(replace(call, metadata=metadata), blame="META-08")
        await example.read(name, blame="META-08")


@check("META-09", calls=16)
async def metadata_is_no_part_of_an_operation(example: Example) -> None:
    """An operation sent again with other metadata, or with none, is a replay."""
    await _replay_plainly(example)
    call = Write(example.path("a.md"), "x", example.version("a.md"), example.operation(), BY)
    await example.perform(call)
    await look_up(example, call)
    await example.perform(call)
    for metadata in (OTHER, {}, None, UNSET):
        await example.perform(replace(call, metadata=metadata), blame="META-09")
    await look_up(example, call)


async def _replay_plainly(example: Example) -> None:
    """See that a replay without metadata changes nothing, so that what follows is about metadata."""
    plain = Write(example.path("plain.md"), "x", None, example.operation())
    await example.perform(plain)
    await example.settle()
    await example.perform(plain)
    await example.settle()
    await example.put("plain.md", "newer")
    await example.settle()
    await example.perform(plain)
    await example.settle()


@check("META-10", calls=20)
async def a_conflict_keeps_metadata(example: Example) -> None:
    """A conflict, whatever metadata the refused write brought, leaves the metadata of the file as it is."""
    stale = await example.put("a.md", "x", metadata={"by": "before"})
    await example.put("a.md", "y", metadata=BY)
    await example.read("a.md")
    await example.write("a.md", "late", expected_version=stale)
    await example.read("a.md")
    for brought in (OTHER, None):
        for expected in (None, stale, "no-version"):
            await example.write("a.md", "late", expected_version=expected, metadata=brought)
            await example.read("a.md", blame="META-10")


@check("META-19", calls=56)
async def metadata_weakens_no_promise(example: Example) -> None:
    """Versions and operations mean in `write_with_metadata` what they mean in write."""
    await _keep_promises(example, "plain.md", UNSET, None)
    await example.put("b.md", "x", metadata=BY)
    await example.read("b.md")
    await example.write("b.md", "late", expected_version=None)
    await example.read("b.md")
    next_case(example)
    await _keep_promises(example, "a.md", BY, "META-19")


async def _keep_promises(example: Example, name: str, metadata: Mapping[str, str] | Unset, blame: str | None) -> None:
    """The essentials of CAS and OP, by writes with this metadata."""
    stale = await example.put(name, "one", metadata=metadata, blame=blame)
    await example.read(name, blame=blame)
    await example.put(name, "two", metadata=metadata, blame=blame)
    await example.read(name, blame=blame)
    for at, expected in ((name, None), (name, stale), (name, "no-version"), (f"absent-{name}", stale)):
        late = Write(example.path(at), "late", expected, example.operation(), metadata)
        await example.perform(late, blame=blame)
        await example.read(name, blame=blame)
        await look_up(example, late, blame=blame)
    call = Write(example.path(name), "three", example.version(name), example.operation(), metadata)
    await example.perform(call, blame=blame)
    await example.read(name, blame=blame)
    await look_up(example, call, blame=blame)
    for again in (call, replace(call, expected_version=example.version(name))):
        await example.perform(again, blame=blame)
        await example.read(name, blame=blame)
    await example.perform(replace(call, operation=with_fingerprint(example, call, "other")), blame=blame)
    await example.read(name, blame=blame)


# Where metadata does not show


@check("META-17", calls=16)
async def metadata_shows_in_reads_only(example: Example) -> None:
    """Neither listings and searches nor receipts and the results of writes and deletes tell metadata."""
    secret = f"hoopoe{secrets.token_hex(8)}"
    await example.put("b.md", "x", metadata=BY)
    await example.read("b.md")
    for content, metadata in (("x", {"by": secret}), ("y", {secret: "by"})):
        call = Write(example.path("a.md"), content, example.version("a.md"), example.operation(), metadata)
        assert call.operation is not None
        lookup = GetOperation(call.operation)
        late = Write(call.path, "late", "no-version", None, metadata)
        for each in (call, call, lookup, late, ListPaths(example.prefix, ALL)):
            await _require_untold(example, secret, each)
        if can_search(example):
            await _require_unfound(example, secret)
    await _require_untold(example, secret, deleting(example, "a.md"))


async def _require_untold(example: Example, secret: str, call: Call) -> None:
    outcome = await example.perform(call)
    untold = secret not in told(outcome)
    message = "metadata shows elsewhere than in a read"
    example.require("META-17", untold, message, expected="no metadata", actual=answer(outcome))


async def _require_unfound(example: Example, secret: str) -> None:
    """See that no search shows metadata, and that a search by words does not look at it."""
    for query in (secret, "x"):
        outcome = await ask(example, Search(example.prefix, query), "META-17")
        untold = secret not in told(outcome)
        message = "metadata shows in a search"
        example.require("META-17", untold, message, expected="no metadata", actual=answer(outcome))
        if query == secret and "semantic" not in example.setting.claims:
            found = found_paths(outcome)
            message = "a search finds files by their metadata"
            example.require("META-17", not found, message, expected=[], actual=found)
