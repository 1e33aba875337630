"""What a store tells: every text in its results, errors and log records, to look for one that must not be there.

Must not know: which clause forbids what, stores, the model.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, cast

from pytest_memory_store.calls import Hung, Outcome, Raised, Returned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

_DEPTH = 5
"""How deep a result is looked into; the protocol's own are two deep."""
_STANDARD = frozenset(vars(logging.makeLogRecord({})))


def told(outcome: Outcome) -> str:
    """Everything that a result holds or an error says, in one text."""
    match outcome:
        case Returned(value):
            return "\n".join(_texts(value, _DEPTH))
        case Raised(error):
            return "\n".join(_said(error))
        case Hung():
            return ""


def _texts(value: Any, depth: int) -> Iterator[str]:
    yield _written(value)
    if depth == 0 or isinstance(value, str | type):
        return
    parts: list[object] = [*_attributes(value)]
    if isinstance(value, Mapping):
        parts += [item for pair in cast("Mapping[object, object]", value).items() for item in pair]
    elif isinstance(value, Collection) and not isinstance(value, bytes | bytearray):
        parts += list(cast("Collection[object]", value))
    for part in parts:
        yield from _texts(part, depth - 1)


def _attributes(value: object) -> Iterator[object]:
    """The values of fields, which a `repr` may leave out, and of attributes that are no fields."""
    if is_dataclass(value):
        yield from (getattr(value, field.name, None) for field in fields(value))
    yield from getattr(value, "__dict__", {}).values()


def _written(value: object) -> str:
    try:
        return value if isinstance(value, str) else repr(value)
    except Exception:  # noqa: BLE001 - a store's own class may do anything
        return ""


def _said(error: BaseException) -> Iterator[str]:
    """What a traceback of `error` would print of it: its text and notes, and those of the errors behind it."""
    behind: BaseException | None = error
    for _ in range(_DEPTH):  # a chain may be a ring
        if behind is None:
            return
        yield _written(str(behind))
        yield from (str(note) for note in getattr(behind, "__notes__", ()))
        behind = behind.__cause__ or (None if behind.__suppress_context__ else behind.__context__)


class Eavesdropper(logging.Handler):
    """Keeps the text of every record of level INFO and above that any logger emits while it listens.

    `heard` are the texts: messages, tracebacks and extra fields. The root logger's own handlers are put aside
    meanwhile: they are not to be bothered with records that they would not have got, and pytest's raises where the
    arguments of one do not fit its message.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.heard: list[str] = []
        self._levels: list[tuple[logging.Logger, int]] = []
        self._aside: list[logging.Handler] = []
        self._disabled = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text of a record."""
        try:
            self.heard.append(self.format(record))
        except Exception:  # noqa: BLE001 - a record whose arguments do not fit its message is the store's own fault
            self.heard.append(f"{record.msg!r} {record.args!r}")
        self.heard += [_written(value) for name, value in vars(record).items() if name not in _STANDARD]

    def __enter__(self) -> Self:
        root = logging.getLogger()
        named = [each for each in root.manager.loggerDict.values() if isinstance(each, logging.Logger)]
        apart = [each for each in named if not each.propagate]
        self._levels = [(logger, logger.level) for logger in (root, *apart)]
        self._aside, root.handlers = root.handlers, []
        self._disabled = root.manager.disable
        logging.disable(logging.NOTSET)
        for logger, level in self._levels:
            logger.addHandler(self)
            logger.setLevel(min(level, logging.INFO))
        return self

    def __exit__(self, *_: object) -> None:
        for logger, level in self._levels:
            logger.removeHandler(self)
            logger.setLevel(level)
        logging.getLogger().handlers = self._aside
        logging.disable(self._disabled)


__all__ = ["Eavesdropper", "told"]
