"""Disclosure: every text in results, errors and log records is found."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from pytest_memory_store.calls import Hung, Raised, Returned
from pytest_memory_store.disclosure import Eavesdropper, told


@dataclass(frozen=True)
class Quiet:
    """A result whose `repr` leaves a field out."""

    version: str
    content: str = field(default="", repr=False)


class Silent:
    """A result whose `repr` raises."""

    def __init__(self) -> None:
        self.content = "secret"

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [
        "a secret",
        Quiet("1", "secret"),
        Quiet("secret"),
        SimpleNamespace(row=SimpleNamespace(text="secret")),
        Silent(),
        [("x", {"k": "secret"})],
        {"secret": 1},
        b"secret",
    ],
)
def test_a_text_is_found_wherever_a_result_holds_it(value: object) -> None:
    """Fields, attributes, keys and items are looked into, whatever `repr` shows."""
    assert "secret" in told(Returned(value))


def test_what_a_result_does_not_hold_is_not_found() -> None:
    """Nothing, and other texts, hold no secret."""
    assert "secret" not in told(Returned(None)) + told(Returned(Quiet("1"))) + told(Hung(1))


def _chained(*, hide: bool) -> Exception:
    error = ValueError("plain")
    error.__context__ = KeyError("secret")
    error.__suppress_context__ = hide
    return error


def test_an_error_tells_what_its_traceback_would_print() -> None:
    """Text, notes and the errors behind it count; an error behind it that is hidden does not."""
    noted = ValueError("plain")
    noted.add_note("secret")
    assert all("secret" in told(Raised(error)) for error in (ValueError("a secret"), noted, _chained(hide=False)))
    assert "secret" not in told(Raised(_chained(hide=True)))


def test_the_text_that_an_encoder_refused_is_no_part_of_its_message() -> None:
    """A `UnicodeEncodeError` carries the refused text, and does not print it."""
    with pytest.raises(UnicodeEncodeError) as caught:
        "secret \ud800".encode()
    assert "secret" not in told(Raised(caught.value))


def test_records_of_every_logger_are_heard_from_info_on() -> None:
    """Loggers that do not propagate are heard too, DEBUG is not, and everything is as before in the end."""
    apart = logging.getLogger("test_disclosure.apart")
    apart.propagate = False
    root, before = logging.getLogger(), (logging.getLogger().level, list(logging.getLogger().handlers))
    with Eavesdropper() as eavesdropper:
        logging.getLogger("test_disclosure.plain").info("one %s", "two")
        logging.getLogger("test_disclosure.plain").warning("plain", extra={"row": {"k": "three"}})
        apart.info("four")
        logging.getLogger("test_disclosure.plain").debug("five")
        logging.getLogger("test_disclosure.plain").info("six %d", "seven")
    heard = "\n".join(eavesdropper.heard)
    assert all(word in heard for word in ("one two", "three", "four", "six", "seven"))
    assert "five" not in heard
    assert (root.level, root.handlers) == before
    assert apart.handlers == []
