"""SCOPE: tenants neither reach nor notice one another."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from pytest_memory_store.calls import Call, Delete, ListPaths, Outcome, Raised, Read, Write
from pytest_memory_store.cases import (
    answer,
    ask,
    can_search,
    case_counts,
    has_metadata,
    in_other_case,
    neighbour,
    next_case,
    require_listed,
)
from pytest_memory_store.differential import (
    BUSY_BODY,
    EVERY_KIND,
    LAST_LOOK,
    NAMES,
    Found,
    Move,
    Tenant,
    moves,
    plain_metadata,
)
from pytest_memory_store.example import ALL, Example, NotExercised
from pytest_memory_store.leaks import names_in
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Sequence

_STILL = ("0", "_x")
"""What follows the scope's name in the names of neighbours that have files and do nothing."""
_BUSY = ("-x", "/inner", ".x")
"""The same for neighbours that write, delete and look between the calls of the scope."""


@check("SCOPE-01", calls=195)
async def a_tenant_is_alone_among_others(example: Example) -> None:
    """Answer every kind of call in one scope as if the scopes beside it were not in use."""
    await _compare(example, EVERY_KIND, BUSY_BODY)


@check("SCOPE-01", examples=8, calls=82, program=moves, others=moves)
async def any_program_is_alone_among_others(example: Example, program: list[Move], others: list[Move]) -> None:
    """Give a program the same answers alone and between the calls of others."""
    await _compare(example, program, others)


async def _compare(example: Example, program: Sequence[Move], others: Sequence[Move]) -> None:
    """Play a tenant's program alone, then beside others, and compare what the tenant observes."""
    whole = [move for move in (*program, *LAST_LOOK) if _possible(example, move)]
    alone = await _play_alone(example, "p", whole)
    next_case(example)
    beside = await _play_beside(example, whole, [move for move in others if _possible(example, move)])
    if beside != alone and await _play_alone(example, "r", whole) != alone:
        return  # the store's answers vary without any neighbour: other clauses say so
    differs = next((at for at, (a, b) in enumerate(zip(alone, beside, strict=True)) if a != b), 0)
    clause = "SRCH-01" if _shows_nested(beside[differs]) else "SCOPE-01"
    message = "a tenant is answered otherwise while its neighbours are at work"
    example.require(clause, beside == alone, message, expected=alone[differs], actual=beside[differs])


def _shows_nested(observation: object) -> bool:
    """Whether an observation is of a search that found files of the nested scope."""
    return isinstance(observation, Found) and any(path.startswith("S/inner/") for path in observation.paths)


def _tenant(example: Example, scope: str, voice: str = "note") -> Tenant:
    return Tenant(scope, voice, operation_type=example.setting.operation_type, metadata=has_metadata(example))


async def _play_alone(example: Example, suffix: str, program: Sequence[Move]) -> list[object]:
    """Play a program in a scope of its own; each answer is compared with the model, so that plain faults come first."""
    tenant = _tenant(example, f"{example.scope}{suffix}")
    seen: list[object] = []
    for move in program:
        seen.append(await _move(example, tenant, move, compared=True))
        await example.settle()
    return seen


async def _play_beside(example: Example, program: Sequence[Move], others: Sequence[Move]) -> list[object]:
    """Play a program between the calls of others, and see at the end that still neighbours are as they were."""
    still = [_tenant(example, f"{example.scope}{suffix}", f"still{suffix}") for suffix in _STILL]
    planted = [await _plant(example, other, name) for other in still for name in NAMES]
    busy = [_tenant(example, f"{example.scope}{suffix}") for suffix in _BUSY]
    if case_counts(example):
        busy.append(_tenant(example, in_other_case(example)))
    for other in busy:
        for name in NAMES:
            await _move(example, other, Move("operate", name))
    tenant = _tenant(example, example.scope)
    tenant.inner = example.path("inner/")
    seen: list[object] = []
    for number, move in enumerate(program):
        seen.append(await _move(example, tenant, move))
        if number < len(others):
            await _move(example, busy[number % len(busy)], others[number])
    found = [await _move(example, other, Move("read", name)) for other in still for name in NAMES]
    message = "files of a neighbour that did nothing have changed"
    example.require("SCOPE-01", found == planted, message, expected=planted, actual=found)
    return seen


async def _plant(example: Example, tenant: Tenant, name: str) -> object:
    await _move(example, tenant, Move("operate", name))
    return await _move(example, tenant, Move("read", name))


async def _move(example: Example, tenant: Tenant, move: Move, *, compared: bool = False) -> object:
    call = tenant.call(move)
    outcome = await example.perform(call) if compared else await ask(example, call, "SCOPE-01")
    tenant.learn(call, outcome)
    return tenant.observe(outcome)


def _possible(example: Example, move: Move) -> bool:
    return move.kind != "search" or (can_search(example) and "semantic" not in example.setting.claims)


# One promise at a time


@check("SCOPE-06", calls=40)
async def receipts_are_told_apart_by_the_whole_id(example: Example) -> None:
    """Take two ids that differ in one character, first or last, for two operations of two tenants."""
    await _two_operations(example, "plain.md", secrets.token_hex(8), secrets.token_hex(8), None)
    for length in (36, 64):
        middle = secrets.token_hex(32)[: length - 1]
        for where, (one, other) in enumerate(((f"{middle}0", f"{middle}1"), (f"0{middle}", f"1{middle}"))):
            next_case(example)
            await _two_operations(example, f"{length}-{where}.md", one, other, "SCOPE-06")


async def _two_operations(example: Example, name: str, one: str, other: str, blame: str | None) -> None:
    """Apply two operations in two scopes; with `blame`, after two unlike ids have shown that receipts work."""
    first, second = example.operation("fp", id=one), example.operation("fp", id=other)
    beside = neighbour(example, f"{example.scope}0") if blame else example
    await example.put(name, "x", operation=first, blame="OP-14" if blame else None)
    await example.get_operation(first)
    await example.get_operation(second, blame=blame)
    await beside.write(f"b{name}", "y", expected_version=None, operation=second, blame=blame)
    await example.get_operation(first, blame=blame)
    await example.get_operation(second, blame=blame)


@check("SCOPE-07", calls=16)
async def a_bound_store_serves_its_tenant_only(example: Example) -> None:
    """Refuse the paths of another tenant, or find nothing there."""
    tenant = example.setting.claims.values.get("bound")
    if not isinstance(tenant, str) or not tenant.strip("/"):
        raise NotExercised("the claim `bound` names no prefix: give bound=<prefix>")
    await example.put("a.md", "x")
    await example.read("a.md")
    foreign = [f"kit{secrets.token_hex(6)}"]
    if tenant.endswith("/"):
        foreign += [f"{tenant.strip('/')}{end}{secrets.token_hex(6)}" for end in ("0", "-")]
    for scope in foreign:
        path = f"{scope}/a.md"
        for call in (Read(path, ALL), ListPaths(f"{scope}/", 5), Delete(path, None), Write(path, "x", None)):
            next_case(example)
            outcome = await ask(example, call, "SCOPE-07")
            message = "a path of another tenant is served"
            example.require("SCOPE-07", _shuts_out(call, outcome), message, expected="nothing", actual=answer(outcome))


def _shuts_out(call: Call, outcome: Outcome) -> bool:
    """Whether a call on another tenant's path was refused or found nothing; a write finds nothing only by refusal."""
    if isinstance(outcome, Raised):
        return isinstance(outcome.error, ValueError)
    value = answer(outcome)
    if isinstance(call, Delete):
        return getattr(value, "existed", None) is False
    return not isinstance(call, Write) and (value is None or value == [])


@check("SCOPE-08", calls=14)
async def a_conflict_names_the_requested_path_only(example: Example) -> None:
    """Refuse a stale or repeated mutation without a word about the files of others."""
    tokens = [f"other{secrets.token_hex(6)}" for _ in range(2)]
    beside = neighbour(example, f"{example.scope}0")
    stale = await example.put("a.md", "x")
    await example.put("a.md", "y")
    used = example.operation()
    await beside.put(f"{tokens[0]}.md", tokens[1], operation=used)
    await beside.put(f"{tokens[0]}/a.md", tokens[1])
    clash = example.operation("other", id=used.id)
    for call in (
        Write(example.path("a.md"), "z", None),
        Write(example.path("a.md"), "z", stale),
        Write(example.path("c.md"), "z", stale),
        Delete(example.path("a.md"), stale),
        Delete(example.path("a.md"), None),
        Write(example.path("c.md"), "z", None, clash),
        Delete(example.path("a.md"), example.version("a.md"), clash),
    ):
        outcome = await example.perform(call)
        named = names_in(outcome.error, call.path, [*tokens, beside.prefix]) if isinstance(outcome, Raised) else []
        message = "a conflict names what was not asked for"
        example.require("SCOPE-08", not named, message, expected="the requested path at most", actual=named)


@check("SCOPE-10", calls=1_060)
async def neighbours_do_not_crowd_a_scope_out(example: Example) -> None:
    """List a few files in full, however many there are in the scopes before and after."""
    few = [neighbour(example, f"{example.scope}{suffix}") for suffix in ("", "-a", "z")]
    for scope in few:
        await scope.put("a.md", "x")
        await scope.put("b.md", "x")
        await scope.list_paths(limit=3)
    many = [neighbour(example, f"{example.scope}{suffix}") for suffix in ("-b", "0")]
    for number in range(1, 521):
        await many[number % 2].put(f"n{number:04}.md", "x")
        if number in (20, 110, 300, 520):
            for scope in few:
                await require_listed(scope, "SCOPE-10", scope.prefix, limit=3)


@check("SCOPE-11", calls=20)
async def metadata_is_of_one_scope(example: Example) -> None:
    """Keep the metadata of files of the same name in two scopes apart, through writes, replaces and deletes."""
    await example.put("a.md", "x", metadata={"by": "one"})
    await example.read("a.md")
    others = [neighbour(example, f"{example.scope}{suffix}") for suffix in ("0", "/inner", "-x")]
    for other, metadata in zip(others, ({"by": "two"}, {"of": "three"}, None), strict=True):
        await other.put("a.md", "y", metadata=metadata)
        await _require_own_metadata(example)
        await _require_own_metadata(other)
    await example.put("a.md", "z", metadata={"by": "four"})
    await _require_own_metadata(others[0])
    await others[2].put("a.md", "z")
    await _require_own_metadata(example)
    await example.remove("a.md")
    for other in others:
        await _require_own_metadata(other)


async def _require_own_metadata(example: Example) -> None:
    """Read the file of the scope; one that is not the scope's own at all is booked where that belongs."""
    path = example.path("a.md")
    due = example.model.files[path]
    value = answer(await ask(example, Read(path, ALL), "SCOPE-11"))
    if getattr(value, "content", None) != due.content:
        await example.read("a.md")
        return
    shown = getattr(value, "metadata", None)
    own = plain_metadata(shown) == due.metadata
    message = "metadata of another scope is shown"
    example.require("SCOPE-11", own, message, expected=due.metadata, actual=shown)
