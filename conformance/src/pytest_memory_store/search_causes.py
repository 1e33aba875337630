"""Which files a search is about, and which clause a wrong result breaks.

Pure. One wrong result has many possible causes, and a person reads one: each function here names the likeliest, from
what the model knows of the files, of their earlier contents and of what is recorded beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_memory_store.calls import ALL, Search
from pytest_memory_store.listing_checks import matches_loosely
from pytest_memory_store.matching import (
    MARKS,
    Fold,
    addressable,
    ascii_lower,
    exact,
    is_plain,
    is_stand_alone,
    occurs,
    quotes,
    terms,
    widest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_memory_store.model import Model

Cause: TypeAlias = tuple[str, str]
"""A clause and what is wrong under it."""


@dataclass(frozen=True)
class Asked:
    """A search and the files that it is about: `files` are those directly below the prefix, with their content.

    Below a prefix that does not end in a slash the contract leaves the depth open, so there every file may be found
    and none has to be.
    """

    model: Model
    call: Search
    files: Mapping[str, str]
    lexical: bool

    @cached_property
    def reachable(self) -> Mapping[str, str]:
        """The files that may be looked at."""
        if self.is_exact:
            return self.files
        return {p: f.content for p, f in self.model.files.items() if p.startswith(self.call.prefix)}

    @property
    def is_exact(self) -> bool:
        """Whether the prefix says which files have to be looked at."""
        return self.call.prefix.endswith("/") or not self.call.prefix

    @cached_property
    def sayable(self) -> set[str]:
        """The files that must not be left out: the tools can address them."""
        return {path for path in self.files if addressable(self.name(path))}

    def name(self, path: str) -> str:
        """The name within the scope, which is all of the path that a search is about."""
        return path.removeprefix(self.call.prefix)

    def text(self, path: str) -> str:
        """The part of the content that may be looked at."""
        return self.reachable[path][: self.call.max_file_chars]

    def matches(self, path: str, fold: Fold) -> bool:
        """Whether a word of the query occurs in name or text."""
        return occurs(self.call.query, self.text(path), fold) or occurs(self.call.query, self.name(path), fold)

    @cached_property
    def must(self) -> set[str]:
        """The files that every word search finds."""
        return {path for path in self.sayable if self.matches(path, ascii_lower)}

    @cached_property
    def may(self) -> set[str]:
        """The files that a search may find."""
        return {p for p in self.reachable if not self.lexical or self.matches(p, widest)}

    @cached_property
    def elsewhere(self) -> list[str]:
        """Files that must not be found, although a search of everything would."""
        others = ((path, file.content) for path, file in self.model.files.items() if path not in self.reachable)
        return [path for path, text in others if occurs(self.call.query, f"{path}\n{text}")]

    @property
    def is_cut(self) -> bool:
        """Whether `max_file_chars` cuts a file that has to be looked at."""
        return any(len(self.files[path]) > self.call.max_file_chars for path in self.sayable)

    @property
    def has_room(self) -> bool:
        """Whether no bound on the result leaves anything out, however the store quotes."""
        need = sum(len(self.name(p)) + len(self.text(p)) + MARKS + 1 for p in self.may)
        return len(self.may) <= self.call.limit and need <= self.call.max_chars


def answered_under(call: Search, *, lexical: bool = True) -> str:
    """The clause under which a search must be answered: where an error or a hang is booked."""
    if max(call.bounds) > ALL:
        return "SRCH-04b"
    if call.prefix and not call.prefix.endswith("/"):
        return "PATH-07"
    if call.is_idle:
        return "SRCH-10" if call.query.strip() else "SRCH-09"
    return "SRCH-23" if is_plain(call.query) or not lexical else "SRCH-13"


def stranger(asked: Asked, path: str) -> Cause:
    """Why `path` must not be in the result, and the clause that says so."""
    prefix = asked.call.prefix
    if not path.startswith(prefix):
        if matches_loosely(prefix, path) and not path.startswith(prefix[:-1]):
            return "PATH-08", "a character of the prefix is taken for a wildcard, or its case is ignored"
        return "SRCH-02", "a path outside the prefix is returned"
    if path in asked.model.files:
        return "SRCH-01", "a path of a deeper scope is returned"
    if path in asked.model.lives:
        return "SRCH-21", "a deleted file is found"
    return "SRCH-22", "a path that nobody wrote is returned"


def misquoted(asked: Asked, path: str, snippet: str) -> Cause:
    """What is most likely quoted, if not the text of the file."""
    if quotes(snippet, asked.text(path)):
        return "SRCH-17", ""
    if quotes(snippet, asked.reachable[path]):
        return "SRCH-06", "the snippet quotes text beyond `max_file_chars`"
    others = (file.content for other, file in asked.model.files.items() if other != path)
    if any(quotes(snippet, text) for text in others):
        return "SRCH-17", "the snippet is text of another file"
    if any(quotes(snippet, text) for text in asked.model.texts.get(path, ())):
        return "SRCH-21", "the snippet quotes text that was replaced"
    if any(text in snippet for text in _private(asked.model, path)):
        return "SRCH-28", "the snippet quotes metadata or a receipt"
    return "SRCH-17", "the snippet is not text of the file"


def _private(model: Model, path: str) -> set[str]:
    """What is recorded beside the content of a file, as far as it can be told from other text."""
    file = model.files.get(path)
    told = {text for pair in (file.metadata or {}).items() for text in pair} if file else set[str]()
    receipts = [(id_, receipt.fingerprint) for id_, receipt in model.receipts.items() if receipt.call.path == path]
    return {text for text in told.union(*receipts) if len(text) >= 4}


def undue(asked: Asked, path: str) -> Cause:
    """Why a file was found that holds no word of the query, and the clause that forbids it."""
    query, earlier = asked.call.query, asked.model.texts.get(path, ())
    if occurs(query, asked.files[path], widest):
        return "SRCH-06", "a file matches by text beyond `max_file_chars`"
    if any(occurs(query, text) for text in _private(asked.model, path)):
        return "SRCH-28", "a file matches by its metadata or a receipt"
    if any(occurs(query, text) for text in earlier):
        return "SRCH-21", "a file matches by text that was replaced"
    if occurs(query, path):
        return "SRCH-12", "a file matches by the prefix"
    return "SRCH-13", "a file is found that holds no word of the query"


def missed(asked: Asked, path: str, result: Any) -> Cause:
    """Why a file was not found although it matches and nothing left it out, and the clause that demands it."""
    call, text, name, words = asked.call, asked.text(path), asked.name(path), terms(asked.call.query)
    message = "a file that holds a word of the query is not found"
    if max(call.bounds) > ALL:
        return "SRCH-08" if result.truncated else "SRCH-07", "a very large bound is taken for a small one"
    if sum(len(p) + len(asked.text(p)) for p in asked.may) > call.max_chars:
        return "SRCH-12", "a match is left out as if the prefix counted in `max_chars`"
    if not occurs(call.query, f"{name}\n{_first_bytes(text, call.max_file_chars)}"):
        return "SRCH-06", "a match is left out as if `max_file_chars` counted bytes"
    if not occurs(call.query, f"{name}\n{text}", exact) or not (
        is_plain(call.query) or occurs(call.query, name, exact)
    ):
        return "SRCH-13", message
    if len(words) == 1 and is_stand_alone(words[0], text):
        return "SRCH-21", "text that is in a file is not found"
    if len(words) == 1 and is_stand_alone(words[0], name):
        return "SRCH-16", "a file is not found by its name"
    earlier = asked.model.texts.get(path, [])[:-1]
    if earlier and not any(occurs(call.query, old) for old in earlier):
        return "SRCH-21", "text that replaced another is not found"
    return "SRCH-14", message


def _first_bytes(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def shown(asked: Asked, found: set[str]) -> Iterator[str]:
    """The clauses that a right match set is evidence for."""
    for path in sorted(found):
        yield from _shown_by_match(asked, path)
    for path in sorted(asked.sayable - found):
        yield from _shown_by_none(asked, path)
    if occurs(asked.call.query, asked.call.prefix):
        yield "SRCH-12"


def _shown_by_match(asked: Asked, path: str) -> Iterator[str]:
    query, text, name = asked.call.query, asked.text(path), asked.name(path)
    words = terms(query)
    yield "SRCH-21"
    if not is_plain(query) or not (occurs(query, text, exact) or occurs(query, name, exact)):
        yield "SRCH-13"
    if len(words) > 1 or not is_stand_alone(words[0], text):
        yield "SRCH-14"
    if not occurs(query, text, widest):
        yield "SRCH-16"


def _shown_by_none(asked: Asked, path: str) -> Iterator[str]:
    query = asked.call.query
    if not is_plain(query):
        yield "SRCH-13"
    if occurs(query, asked.files[path]):
        yield "SRCH-06"
    if any(occurs(query, text) for text in _private(asked.model, path)):
        yield "SRCH-28"
    if any(occurs(query, text) for text in asked.model.texts.get(path, ())):
        yield "SRCH-21"
