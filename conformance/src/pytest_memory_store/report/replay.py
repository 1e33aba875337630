"""What every reproduction script ends in: opens the store, makes the calls, and compares the answers.

A script holds this module's source, so that it runs without the kit. It needs the standard library alone,
and must know nothing of the kit; the kit describes the recorded answers by the same `Symbols`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import importlib
import inspect
import os
import re
import sys
import tempfile
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from pathlib import Path
from typing import Any

NO_ANSWER = "no answer in time"
FILE_FIELDS = ("content", "version", "operation_id", "metadata", "truncated")
FIELDS = (*FILE_FIELDS, "replayed", "existed", "path", "snippet", "score", "matches", "scanned")
NUMBER = r"\b[0-9a-f]*[0-9][0-9a-f]*\b"
CONTRACT_ERRORS = {"ValueError", "TypeError", "MemoryConflictError", "MemoryOperationConflictError"}


class FILL_IN:  # noqa: N801 - it has to stand out where it is to be replaced
    """Stands for a value that the kit could not write down; `what` says what it was."""

    def __init__(self, what: str) -> None:
        self.what = what


@dataclasses.dataclass(frozen=True)
class PlainOperation:
    """An operation as the protocol has it, for a store without a class of its own."""

    id: str
    fingerprint: str


class Symbols:
    """Writes what differs from run to run as what it stands for: the scope as `S`, a version as its call's."""

    def __init__(self, scope: str, places: Mapping[str, object]) -> None:
        self.scope = scope
        self.names = {scope: "S"}
        self.versions: dict[str, str] = {}
        self.operations: dict[str, str] = {}
        for name, place in places.items():
            if isinstance(place, str | Path) and len(str(place)) > 7:
                self.names[str(place)] = f"<{name}>"

    def see(self, *arguments: object) -> None:
        """Name the operations among the arguments of a call."""
        for argument in arguments:
            operation = getattr(argument, "id", None)
            if isinstance(operation, str) and len(operation) > 7:
                self.operations.setdefault(operation, f"op{len(self.operations) + 1}")

    def learn(self, number: int, value: object) -> None:
        """Name the version in the answer of a call by the first call that gave it."""
        version = getattr(value, "version", None)
        if isinstance(version, str) and version:
            self.versions.setdefault(version, f"m{number}.version")

    def plain(self, text: str) -> str:
        """Return a text with the names in it written as what they stand for."""
        for known, name in sorted({**self.operations, **self.names}.items(), key=lambda pair: -len(pair[0])):
            text = text.replace(known, name) if known else text
        return re.sub(r"[\w-]{8,}", lambda word: self.versions.get(word[0], word[0]), text)

    def returned(self, number: int, method: str, prefix: object, value: Any) -> str:
        """Describe an answer. Of a listing of the whole store, only the names of this scope are looked at."""
        if method == "list_paths" and not prefix and is_a(value, list):
            value = [path for path in value if isinstance(path, str) and path.startswith(self.scope)]
        self.learn(number, value)
        try:
            return self.value(value)
        except Exception as error:  # noqa: BLE001 - a result whose fields or repr raise is still a result
            return f"{type(value).__name__}, which raises {type(error).__name__} when looked at"

    def raised(self, error: BaseException) -> str:
        """Describe an error: by its class, and where the class is the contract's also by what it says."""
        name = type(error).__name__
        if CONTRACT_ERRORS.isdisjoint(base.__name__ for base in type(error).__mro__):
            return f"raised {name}"
        return f"raised {name}: {re.sub(NUMBER, '#', self.plain(str(error)))}"

    def value(self, value: Any) -> str:
        """Describe a value by the protocol's fields."""
        if isinstance(value, str):
            return ascii(self.plain(value))
        if is_a(value, list, tuple):
            opening, closing = "[]" if is_a(value, list) else "()"
            return f"{opening}{', '.join(self.value(item) for item in value)}{closing}"
        if is_a(value, Mapping):
            pairs = sorted(f"{self.value(key)}: {self.value(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        fields = [field for field in FIELDS if hasattr(value, field)]
        if not fields:
            return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
        kind = "" if dataclasses.is_dataclass(value) else f"{type(value).__name__} with "
        return kind + ", ".join(f"{field}={self.field(value, field)}" for field in fields)

    def field(self, value: object, field: str) -> str:
        """Describe one field of a result."""
        found = getattr(value, field)
        if field != "version" or not found:
            return self.value(found)
        return self.versions.get(found, "another version") if isinstance(found, str) else type(found).__name__


class Steps:
    """Makes one call after another, each under a deadline in seconds, and prints what it answers."""

    def __init__(self, store: Any, symbols: Symbols, deadline: float, recorded: list[str]) -> None:
        self.store, self.symbols, self.deadline, self.recorded = store, symbols, deadline, recorded
        self.answers: list[str] = []
        self.written: list[str] = []

    async def __call__(self, method: str, *positional: Any, **keywords: Any) -> Any:
        """Make a call and give its result, or the error that it raised."""
        for argument in (*positional, *keywords.values()):
            if isinstance(argument, FILL_IN):
                raise SystemExit(unfilled(argument.what))
        self.symbols.see(*positional, *keywords.values())
        self.show(method, positional, keywords)
        if method.startswith("write"):
            self.written.append(positional[0])
        with self.watchdog():
            result, described = await self.answer(method, positional, keywords)
        self.note(described)
        return result

    def note(self, described: str) -> None:
        """Keep and print what a call answered."""
        self.answers.append(described)
        print(f"   -> {shorten(described)}", flush=True)

    async def answer(self, method: str, positional: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, str]:
        """Wait for the store's answer, and give it with its description."""
        limit = asyncio.timeout(self.deadline)
        try:
            async with limit:
                result = await ask(method, getattr(self.store, method)(*positional, **keywords))
            number, prefix = len(self.answers) + 1, positional and positional[0]
            described = self.symbols.returned(number, method, prefix, result)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever the store raises is its answer
            result, described = error, self.symbols.raised(error)
        return result, NO_ANSWER if limit.expired() else described

    def show(self, method: str, positional: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        """Print the call that is about to be made."""
        parts = [self.argument(value) for value in positional]
        parts += [f"{name}={self.argument(value)}" for name, value in keywords.items()]
        print(f"{len(self.answers) + 1}. {method}({', '.join(parts)})", flush=True)

    def argument(self, value: Any) -> str:
        """Describe an argument in a few words."""
        if isinstance(value, str) and value in self.symbols.versions:
            return self.symbols.versions[value]
        operation = getattr(value, "id", None)
        described = f"operation {self.symbols.plain(operation)}" if operation else self.symbols.value(value)
        return shorten(described, 60)

    @contextlib.contextmanager
    def watchdog(self) -> Generator[None, None, None]:
        """End the program if the call neither returns nor lets itself be cancelled."""
        timer = threading.Timer(self.deadline + 2, self.stuck)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def stuck(self) -> None:
        """Say that the call under way never ends, and end the program."""
        self.note(NO_ANSWER)
        code = conclude(self.answers, self.recorded)
        sys.stdout.flush()
        os._exit(code)

    async def clean_up(self) -> None:
        """Delete what was written, as far as the store lets it."""
        for path in sorted({path for path in self.written if self.symbols.scope in path}):
            with contextlib.suppress(Exception):
                async with asyncio.timeout(self.deadline):
                    await erase(self.store, path)


async def ask(method: str, given: Any) -> Any:
    """Await what a method gave."""
    if not inspect.isawaitable(given):
        raise TypeError(f"{method} gave a {type(given).__name__}, which cannot be awaited")
    return await given


async def erase(store: Any, path: str) -> None:
    """Delete a file with whatever version it has; a store that is wrong may need to be asked twice."""
    for _ in range(3):
        file = await store.read(path, max_chars=1)
        if file is None:
            return
        await store.delete(path, expected_version=file.version)


async def open_store(stack: contextlib.AsyncExitStack, factory: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Open a store by a factory of any kind; the stack closes it."""
    made = factory(**values)
    has = dir(made)
    if "__await__" in has and "__aenter__" not in has:
        made = await made
        has = dir(made)
    if "ag_frame" in has:
        async_generator: AsyncGenerator[Any, None] = made
        return await stack.enter_async_context(contextlib.asynccontextmanager(lambda: async_generator)())
    if "gi_frame" in has:
        generator: Generator[Any, None, None] = made
        return stack.enter_context(contextlib.contextmanager(lambda: generator)())
    if "__aenter__" in has or "__enter__" in has:
        store = await stack.enter_async_context(made) if "__aenter__" in has else stack.enter_context(made)
        return made if store is None else store
    stack.push_async_callback(close, made)
    return made


async def close(store: Any) -> None:
    """Close a store that is no context manager, by `aclose` or `close` where it has one."""
    closing = getattr(store, "aclose", None) or getattr(store, "close", None)
    closed = closing() if callable(closing) else None
    if inspect.isawaitable(closed):
        await closed


def load(spec: str) -> Any:
    """Import what a spec, `module:attribute`, names."""
    module, _, attribute = spec.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


def is_a(value: object, *kinds: type) -> bool:
    """Whether a value is of one of these kinds."""
    return isinstance(value, kinds)


def shorten(text: str, most: int = 300) -> str:
    """Cut a text to what a person reads."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def conclude(answers: list[str], recorded: list[str]) -> int:
    """Compare the answers with the recorded ones, and give the exit status."""
    if not recorded:
        print("no call shows this: compare what is expected with the store by hand")
        return 2
    if answers == recorded:
        print("\nreproduced: every call answered as recorded, which is wrong")
        return 1
    differ = (at for at, pair in enumerate(zip(answers, recorded, strict=False)) if pair[0] != pair[1])
    first = next(differ, min(len(answers), len(recorded) - 1))
    print(f"\nnot reproduced: call {first + 1} answered otherwise than recorded, which was")
    print(f"   -> {shorten(recorded[first])}")
    return 0


def unfilled(what: str) -> int:
    """Say what the script lacks, and give the exit status."""
    print(f"this script cannot run yet; replace FILL_IN by a value of your own: {what}")
    return 2


async def play(
    spec: str,
    values: dict[str, Any],
    calls: Callable[[Steps], Awaitable[None]],
    scope: str,
    recorded: list[str],
    deadline: float,
) -> int:
    """Open the store, make the calls, delete what they wrote, and give the exit status."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            store = await open_store(stack, load(spec), values)
        except Exception as error:  # noqa: BLE001 - a factory may raise anything
            print(f"the store could not be opened: {type(error).__name__}: {error}")
            return 2
        steps = Steps(store, Symbols(scope, values), deadline, recorded)
        with contextlib.suppress(AttributeError):  # a call needs a version that was not answered this time
            await calls(steps)
        await steps.clean_up()
        return conclude(steps.answers, recorded)


def reproduce(
    spec: str,
    parameters: Callable[[Path], dict[str, Any]],
    calls: Callable[[Steps], Awaitable[None]],
    scope: str,
    recorded: list[str],
    deadline: float,
) -> int:
    """Run a script and give its exit status: 1 reproduced, 0 not reproduced, 2 nothing can be said."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.path.insert(0, str(Path.cwd()))  # where `pytest` found the store
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        values = parameters(Path(folder))
        missing = [value.what for value in values.values() if isinstance(value, FILL_IN)]
        if missing or not spec:
            return unfilled("; ".join(missing) or "STORE")
        return asyncio.run(play(spec, values, calls, scope, recorded, deadline))
