"""A tenant's observations are the same in two scopes where the answers are."""

from __future__ import annotations

from pytest_memory_store.calls import GetOperation, ListPaths, Raised, Read, Returned, Write
from pytest_memory_store.differential import Found, Move, Tenant, plain_metadata
from pytest_memory_store.faulty.contract import MemoryFile, MemoryMutation, MemorySearchMatch, MemorySearchResult


class StaleError(ValueError):
    """An error of a store's own."""


def _observe(scope: str, version: str) -> list[object]:
    """What a tenant of `scope` sees of a write with an operation, a read, a listing, a search and a refusal."""
    tenant = Tenant(scope)
    call = tenant.call(Move("operate"))
    assert isinstance(call, Write)
    assert call.operation is not None
    written = Returned(MemoryMutation(version, replayed=False, existed=False))
    tenant.learn(call, written)
    match = MemorySearchMatch(f"{scope}/a.md", "...", 1.0)
    return [
        tenant.observe(outcome)
        for outcome in (
            written,
            Returned(MemoryFile(call.content, version, call.operation.id, truncated=False, metadata={})),
            Returned([f"{scope}/a.md"]),
            Returned(MemorySearchResult([match], scanned=1, truncated=False)),
            Raised(StaleError(f"{scope} is stale")),
            Returned(None),
        )
    ]


def test_scopes_versions_and_operations_are_renamed() -> None:
    """Two tenants with the same answers in two scopes observe the same."""
    assert _observe("kit1", "abc") == _observe("kit2", "xyz")


def test_what_differs_is_observed() -> None:
    """Another text, a path outside the scope and the version of another file are seen."""
    tenant = Tenant("kit1")
    first = tenant.observe(Returned(MemoryFile("x", "1", None, truncated=False)))
    assert tenant.observe(Returned(MemoryFile("y", "1", None, truncated=False))) != first
    assert tenant.observe(Returned(MemoryFile("x", "2", None, truncated=False))) != first
    assert tenant.observe(Returned(MemoryFile("x", "1", "op", truncated=False))) != first
    assert tenant.observe(Returned(["kit10/a.md"])) == ["outside: kit10/a.md"]


def test_errors_are_observed_by_the_protocols_names() -> None:
    """An error of the store's own is the protocol's error that it inherits from."""
    assert Tenant("kit1").observe(Raised(StaleError("a"))) == "raised ValueError"
    assert Tenant("kit1").observe(Raised(KeyError("a"))) == "raised KeyError"


def test_files_of_the_inner_scope_are_left_out_of_listings_only() -> None:
    """A listing shows nested scopes by contract; a search that does is observed."""
    tenant = Tenant("kit1", inner="kit1/inner/")
    assert tenant.observe(Returned(["kit1/a.md", "kit1/inner/a.md"])) == ["S/a.md"]
    found = MemorySearchResult([MemorySearchMatch("kit1/inner/a.md", "", 1.0)], scanned=2, truncated=False)
    assert tenant.observe(Returned(found)) == Found(("S/inner/a.md",), 2, truncated=False)


def test_a_tenant_knows_only_what_it_was_answered() -> None:
    """The version that a write answered is the next one's expectation, and a stale move gives the one before."""
    tenant = Tenant("kit1")
    for version in ("v1", "v2"):
        call = tenant.call(Move("put"))
        tenant.learn(call, Returned(MemoryMutation(version, replayed=False, existed=True)))
    put, stale, create = (tenant.call(Move(kind)) for kind in ("put", "stale", "create"))
    expected = [call.expected_version for call in (put, stale, create) if isinstance(call, Write)]
    assert expected == ["v2", "v1", None]


def test_moves_that_need_an_operation_read_before_there_is_one() -> None:
    """With nothing to repeat, a repetition is a read, so that a shorter program keeps its meaning."""
    tenant = Tenant("kit1")
    assert isinstance(tenant.call(Move("again")), Read)
    sent = tenant.call(Move("operate"))
    assert tenant.call(Move("again")) is sent
    assert isinstance(tenant.call(Move("receipt")), GetOperation)
    assert isinstance(tenant.call(Move("list")), ListPaths)


def test_plain_metadata_takes_none_and_empty_for_the_same() -> None:
    """Whatever mapping a store gives is compared as a dict."""
    assert plain_metadata({}) is None
    assert plain_metadata(None) is None
    assert plain_metadata({"by": "one"}) == {"by": "one"}
