"""The contract's types have the names, fields and signatures that stores and callers rely on."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from typing import Any

import pytest

from reference_stores import contract

FIELDS = {
    "MemoryFile": ["content", "version", "operation_id", "truncated", "metadata"],
    "MemoryOperation": ["id", "fingerprint"],
    "MemoryMutation": ["version", "replayed", "existed"],
    "MemorySearchMatch": ["path", "snippet", "score"],
    "MemorySearchResult": ["matches", "scanned", "truncated"],
}
SIGNATURES = {
    "MemoryStore.read": "(self, path, *, max_chars)",
    "MemoryStore.get_operation": "(self, operation)",
    "MemoryStore.write": "(self, path, content, *, expected_version, operation=None)",
    "MemoryStore.delete": "(self, path, *, expected_version, operation=None)",
    "MemoryStore.list_paths": "(self, prefix='', *, limit)",
    "SearchableMemoryStore.search": "(self, prefix, query, *, limit, max_files, max_chars, max_file_chars)",
    "MetadataMemoryStore.write_with_metadata": ("(self, path, content, *, expected_version, metadata, operation=None)"),
}
ERRORS = {
    "MemoryConflictError": RuntimeError,
    "MemoryOperationConflictError": RuntimeError,
    "MemoryPathEscapeError": ValueError,
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name: str) -> None:
    """Each value type has the protocol's fields, in its order."""
    assert [field.name for field in dataclasses.fields(getattr(contract, name))] == FIELDS[name]


@pytest.mark.parametrize("name", FIELDS)
def test_values_are_frozen(name: str) -> None:
    """No field of a result can be reassigned."""
    value_type: Any = getattr(contract, name)
    value = value_type(*FIELDS[name])
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, FIELDS[name][0], "other")


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name: str) -> None:
    """Each method takes the protocol's parameters, by the same names, kinds and defaults."""
    protocol, method = name.split(".")
    signature = inspect.signature(getattr(getattr(contract, protocol), method))
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == SIGNATURES[name]


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    """Each error has the protocol's base class, and no other error of the contract is one of its kind."""
    error = getattr(contract, name)
    assert error.__bases__ == (ERRORS[name],)


def test_metadata_takes_no_part_in_the_hash() -> None:
    """A file with metadata, which is a dictionary, can be hashed, and metadata is optional."""
    bare = contract.MemoryFile("text", "v1", None, truncated=False)
    assert bare.metadata is None
    assert hash(dataclasses.replace(bare, metadata={"by": "ui"})) == hash(bare)


def test_protocols_tell_stores_apart() -> None:
    """A store counts as searchable or as keeping metadata by having the method."""

    class Bare:
        async def read(self) -> None: ...
        async def get_operation(self) -> None: ...
        async def write(self) -> None: ...
        async def delete(self) -> None: ...
        async def list_paths(self) -> None: ...

    class Full(Bare):
        async def search(self) -> None: ...
        async def write_with_metadata(self) -> None: ...

    protocols = (contract.MemoryStore, contract.SearchableMemoryStore, contract.MetadataMemoryStore)
    assert [isinstance(Bare(), protocol) for protocol in protocols] == [True, False, False]
    assert [isinstance(Full(), protocol) for protocol in protocols] == [True, True, True]


def test_it_imports_nothing_of_ours() -> None:
    """The contract stands alone: it imports from the standard library only."""
    tree = ast.parse(inspect.getsource(contract))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(tree))
    assert imported == {"__future__", "collections.abc", "dataclasses", "typing"}
