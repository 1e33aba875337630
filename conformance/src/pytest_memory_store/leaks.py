"""What the text of an error gives away: names of others, places on the host, addresses of servers.

Pure. The requested path is the caller's own, so it is taken out of the text first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ADDRESS = re.compile(
    r"\w+://[^\s/@]*@\S+|(?:postgres\w*|mysql\w*|mongodb\S*|redis\w?|sqlite\w*|amqp\w?|https?|file)://[^\s'\"]*:\d+\S*"
    r"|(?:postgres\w*|mysql\w*|mongodb\S*|redis\w?|sqlite\w*|file)://\S+"
)
"""An address with a user, with a port, or of a database."""

_PLACE = re.compile(
    r"(?<![\w.:/-])/(?:home|root|var|tmp|usr|etc|opt|srv|mnt|data|app|Users|private|workspace)(?:/[\w.-]+)+"
    r"|\b[A-Za-z]:\\[\w.-]+\\\S*"
)
"""An absolute path of a host; well-known roots only, since a message may give an example of a path."""


def names_in(error: BaseException, requested: str, others: Iterable[str]) -> list[str]:
    """Those of `others` that the text of `error` names beside the requested path."""
    text = _beside(error, requested)
    return [other for other in others if other in text]


def places_in(error: BaseException, requested: str) -> list[str]:
    """The places on a host and the addresses that the text of `error` names beside the requested path."""
    text = _beside(error, requested)
    return [found[0] for pattern in (_ADDRESS, _PLACE) for found in pattern.finditer(text)]


def _beside(error: BaseException, requested: str) -> str:
    text = str(error).replace(repr(requested)[1:-1], "<path>")
    return text.replace(requested, "<path>") if requested else text
