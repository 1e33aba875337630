"""TYPE: the shape of the store, of its results and of its errors."""

from __future__ import annotations

import inspect
import re
import secrets
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pytest_memory_store.calls import (
    ALL,
    Call,
    Delete,
    GetOperation,
    ListPaths,
    Misfit,
    Raised,
    Read,
    Search,
    Write,
    error_names,
)
from pytest_memory_store.cases import answer, can_search, has_metadata, is_writable
from pytest_memory_store.example import Example, NotExercised
from pytest_memory_store.suites.registry import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# The store


@runtime_checkable
class _Store(Protocol):
    """The five methods, as an application asks for them by `isinstance`."""

    async def read(self, path: str, *, max_chars: int) -> Any: ...
    async def get_operation(self, operation: Any) -> Any: ...
    async def write(self, path: str, content: str, *, expected_version: str | None, operation: Any = None) -> Any: ...
    async def delete(self, path: str, *, expected_version: str | None, operation: Any = None) -> Any: ...
    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]: ...


OPTIONAL = {"search": "search", "metadata": "write_with_metadata"}
"""The claim, and the method that makes it good."""


@check("TYPE-01", calls=1)
async def the_store_has_the_protocols_methods(example: Example) -> None:
    """The store passes for a `MemoryStore`, its optional methods can be called, and none is claimed but missing."""
    store = example.setting.store
    passes = isinstance(store, _Store)
    example.require("TYPE-01", passes, "`isinstance` does not take the store for one", expected=True, actual=passes)
    for claim, method in OPTIONAL.items():
        found = getattr(store, method, None)
        message = f"`{method}` is no method"
        example.require("TYPE-01", found is None or callable(found), message, expected="a method", actual=found)
        claimed = claim in example.setting.claims
        message = f"`{claim}` is claimed, and there is no `{method}`"
        example.require("TYPE-01", callable(found) or not claimed, message, expected="a method", actual=found)


@check("TYPE-14", calls=1)
async def methods_are_seen_without_asking(example: Example) -> None:
    """Every method that the store has is found by a look at its class, which runs no `__getattr__`."""
    store, absent = example.setting.store, object()
    for method in ("read", "get_operation", "write", "delete", "list_paths", *OPTIONAL.values()):
        if callable(getattr(store, method, None)):
            seen = inspect.getattr_static(store, method, absent) is not absent
            message = f"`{method}` is made up by `__getattr__`"
            example.require("TYPE-14", seen, message, expected="a method of the class", actual=type(store).__name__)


_PASSWORD = re.compile(r"\w://[^\s/:@]*:(?P<password>[^\s/@]+)@|\bpassword=(?P<keyword>[^\s,;)]+)", re.IGNORECASE)
_MASK = re.compile(r"['\"]?(?:[*x\u2022.]+|<[^>]*>|none|redacted|secretstr\(.*)['\"]?", re.IGNORECASE)


@check("TYPE-15", calls=3)
async def the_store_shows_no_secret(example: Example) -> None:
    """Neither `repr` nor the name of the type holds a note's text or a password."""
    secret = f"secret-{secrets.token_hex(8)}"
    if is_writable(example):
        await example.put("a.md", f"my {secret} text", operation=example.operation(f"fp-{secret}"))
    text = _names(example.setting.store)
    shown = [secret] if secret in text else passwords(text)
    example.require("TYPE-15", not shown, "the store shows a secret", expected="none", actual=shown)


def _names(store: object) -> str:
    texts = [type(store).__name__, type(store).__qualname__]
    with suppress(Exception):  # a repr that fails shows nothing
        texts += [repr(store), str(store)]
    return "\n".join(texts)


def passwords(text: str) -> list[str]:
    """The passwords in a text: in the address of a server, or after `password=`; masks are none."""
    found = [match["password"] or match["keyword"] for match in _PASSWORD.finditer(text)]
    return [password for password in found if not _MASK.fullmatch(password)]


# The calls


def _calls(example: Example) -> Iterator[Call]:
    """Every kind of call once, as the memory tools make it; versions are those at the time of asking."""
    path, operation = example.path("a.md"), example.operation()
    yield Read(path, 65_536)
    yield GetOperation(operation)
    if is_writable(example):
        yield Write(path, "plain", None)
        yield Write(path, "by an operation", example.version("a.md"), operation)
        yield GetOperation(operation)
        yield Read(path, 65_536)
        yield Read(path, 1)
        if has_metadata(example):
            yield Write(path, "noted", example.version("a.md"), example.operation(), {"by": "kit"})
            yield Write(path, "not noted", example.version("a.md"), example.operation(), None)
            yield Write(path, "noted without operation", example.version("a.md"), None, {"by": "kit"})
    yield ListPaths(example.prefix, 1_001)
    if can_search(example):
        yield Search(example.prefix, "noted")
    if is_writable(example):
        yield Delete(path, example.version("a.md"), example.operation())
        yield Delete(path, None)


@check("TYPE-02", calls=13)
async def every_call_is_accepted(example: Example) -> None:
    """Each method takes its arguments as the tools give them."""
    for call in _calls(example):
        if not isinstance(await example.perform(call), Misfit):
            example.hold("TYPE-02")
    for method, keywords in _EXPLICIT.items():
        found = getattr(example.setting.store, method, None)
        if callable(found):
            message = f"`{method}` does not take `operation=None`"
            example.require("TYPE-02", _binds(found, keywords), message, expected=keywords, actual=method)


_EXPLICIT: dict[str, dict[str, Any]] = {
    "write": {"path": "a", "content": "", "expected_version": None, "operation": None},
    "write_with_metadata": {
        "path": "a",
        "content": "",
        "expected_version": None,
        "metadata": None,
        "operation": None,
    },
    "delete": {"path": "a", "expected_version": None, "operation": None},
}
"""The arguments of mutations, with the default said aloud."""


def _binds(method: Any, keywords: dict[str, Any]) -> bool:
    """Whether the method takes these arguments, the text ones by position; a method without signature may."""
    positional = [keywords[name] for name in ("path", "content") if name in keywords]
    rest = {name: value for name, value in keywords.items() if name not in ("path", "content")}
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*positional, **rest)
    except TypeError:
        return False
    return True


@check("TYPE-06", calls=13)
async def every_answer_can_be_awaited(example: Example) -> None:
    """Each method gives something to await."""
    for call in _calls(example):
        if not isinstance(await example.perform(call), Misfit):
            example.hold("TYPE-06")


@check("TYPE-07", calls=4)
async def optional_methods_mean_what_the_protocol_says(example: Example) -> None:
    """A `search` searches files, and a `write_with_metadata` writes one; a store without them has none."""
    for method in OPTIONAL.values():
        if getattr(example.setting.store, method, None) is None:
            example.hold("TYPE-07")
    if has_metadata(example) and is_writable(example):
        await example.put("b.md", "some text")
        await example.read("b.md")
        await example.perform(Write(example.path("a.md"), "some text", None, None, {"by": "kit"}))
        shown = await example.send(Read(example.path("a.md"), ALL))
        written = getattr(answer(shown), "content", None) == "some text"
        message = "`write_with_metadata` does not write the file"
        example.require("TYPE-07", written, message, expected="some text", actual=answer(shown))
    if can_search(example):
        await example.search("text")
        example.hold("TYPE-07")


# The results


@check("TYPE-03", calls=32)
async def every_result_has_its_shape(example: Example) -> None:
    """Files, receipts, mutations, listings and searches have the protocol's fields, each of its type."""
    for call in _calls(example):
        await example.perform(call)
    operation = example.operation()
    for content in ("text", "", "Unicode: \u6f22\u5b57 \U0001f600"):
        await example.write("b.md", content, expected_version=example.version("b.md"), operation=operation)
        await example.write("b.md", content, expected_version=example.version("b.md"), operation=operation)
        await example.get_operation(operation)
        await example.read("b.md")
        await example.read("b.md", 1)
        await example.list_paths(limit=1)
        operation = example.operation()
    if can_search(example):
        await example.search("Unicode", limit=1)
        await example.search("nothing-of-this-kind")
    await example.remove("b.md", operation=operation)
    await example.delete("b.md", expected_version=None, operation=operation)
    await example.get_operation(operation)


@check("TYPE-04", calls=12)
async def a_write_has_a_version_and_a_delete_none(example: Example) -> None:
    """Creates and replaces, plain, by an operation or with metadata, answer a text; deletes answer `None`."""
    for operation in (None, example.operation()):
        await example.put("a.md", "one", operation=operation)
        await example.put("a.md", "two", operation=operation and example.operation())
        if has_metadata(example):
            await example.put("a.md", "three", metadata={"by": "kit"})
        await example.remove("a.md", operation=operation and example.operation())
        await example.delete("a.md", expected_version=None, operation=operation and example.operation())


# The errors


def _bad_arguments(example: Example) -> Iterator[list[Call]]:
    """Calls to refuse, in groups: what one that is let through does may decide what the next one meets."""
    for path in (example.prefix, f"{example.prefix}a//b.md", f"{example.prefix}a b.md"):
        yield [Read(path, ALL)]
        if is_writable(example):
            yield [Delete(path, None), Write(path, "x", None)]
    yield [Read(example.path("a.md"), 0)]
    yield [ListPaths(example.prefix, 0)]
    yield [ListPaths(f"{example.prefix}/", 1)]
    if can_search(example):
        yield [Search(f"{example.prefix}/", "x")]


@check("TYPE-05", calls=22)
async def errors_say_what_is_wrong(example: Example) -> None:
    """Bad arguments are `ValueError`s, and the two kinds of conflict are told apart by their classes."""
    for calls in _bad_arguments(example):
        await _require_errors(example, calls, "ValueError")
    if not is_writable(example):
        return
    operation, path = example.operation(), example.path("a.md")
    stale = await example.put("a.md", "x", operation=operation)
    clash = example.operation("another", id=operation.id)
    clashes: list[Call] = [GetOperation(clash), Delete(path, stale, clash), Write(path, "late", stale, clash)]
    await _require_errors(example, clashes, "MemoryOperationConflictError")
    await example.put("b.md", "x")
    stale = await example.put("b.md", "newer")
    await example.put("b.md", "newest")
    path = example.path("b.md")
    conflicts: list[Call] = [Write(path, "late", None), Write(path, "late", stale), Delete(path, stale)]
    await _require_errors(example, conflicts, "MemoryConflictError")


async def _require_errors(example: Example, calls: list[Call], name: str) -> None:
    """Judge the classes of errors. That there are any at all is a matter of the clauses that ask for them."""
    for call in calls:
        outcome = await example.send(call)
        if not isinstance(outcome, Raised) or isinstance(outcome, Misfit):
            return
        names = error_names(outcome.error)
        ok = name in names and not names & ({"MemoryConflictError", "MemoryOperationConflictError"} - {name})
        example.require("TYPE-05", ok, f"the error is no plain {name}", expected=name, actual=outcome.error)


@check("TYPE-05b", calls=3)
async def errors_are_the_protocols_own(example: Example) -> None:
    """Conflicts are instances of the classes that `pydantic_ai_harness` catches, where that is installed."""
    protocol = _protocol()
    if not is_writable(example):
        raise NotExercised("a read-only store has no conflicts")
    operation = example.operation()
    await example.put("a.md", "x", operation=operation)
    for call in (Write(example.path("a.md"), "y", None), GetOperation(example.operation("another", id=operation.id))):
        outcome = await example.send(call)
        name = "MemoryConflictError" if isinstance(call, Write) else "MemoryOperationConflictError"
        if isinstance(outcome, Raised) and name in error_names(outcome.error):
            ok = isinstance(outcome.error, getattr(protocol, name))
            origin = f"{type(outcome.error).__module__}.{type(outcome.error).__qualname__}"
            message = f"the error has the name {name}, and is not the class that the memory tools catch"
            example.require("TYPE-05b", ok, message, expected=f"{protocol.__name__}.{name}", actual=origin)


def _protocol() -> ModuleType:
    """The package that defines the protocol.

    Raises:
        NotExercised: it is not installed, or cannot be imported.
    """
    try:
        return import_module("pydantic_ai_harness.memory")
    except Exception as error:  # noqa: BLE001 - whatever hinders the import, there are no classes to compare with
        raise NotExercised(f"pydantic_ai_harness cannot be imported: {type(error).__name__}") from None
