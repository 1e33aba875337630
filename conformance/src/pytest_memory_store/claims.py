"""What a store claims of itself, from a closed list, and what follows from it.

Must not know: pytest, checks. A claim is a flag (`durable`) or a value (`max_path_chars=300`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FLAGS: Mapping[str, str] = {
    "search": "has `search`, judged by presence",
    "metadata": "has `write_with_metadata`, judged by presence",
    "semantic": "ranks by meaning: literal matching is not judged",
    "durable": "keeps everything across close and reopen",
    "shared": "is safe from several handles and processes at once",
    "single_writer": "is written by one handle at a time, by its documentation",
    "fs": "keeps its files where people can edit them",
    "read_only": "refuses every write",
    "bound": "serves one tenant only; the value is the prefix that it accepts",
    "content_versions": "derives versions from the content",
    "case_insensitive": "takes paths that differ in case for one",
    "non_atomic_writes": "may show a half-written file",
    "no_file_and_directory": "cannot keep `a` beside `a/b`",
    "process_lifetime": "keeps nothing across a restart",
}
VALUES: Mapping[str, tuple[type, str]] = {
    "protocol": (str, "the protocol release that the store follows, such as 0.62"),
    "receipt_retention": (int, "how many recent receipts are kept"),
    "max_path_chars": (int, "the longest path accepted, in code points"),
    "max_content_chars": (int, "the longest content accepted, in code points"),
    "max_metadata_chars": (int, "the longest metadata accepted, in code points of its JSON"),
    "max_staleness_s": (float, "how many seconds another instance may lag behind"),
    "reserved_names": (str, "file names that the store refuses, separated by `:`"),
}
PROTOCOL = "0.62"
"""The newest protocol release that this kit knows."""


class ClaimError(ValueError):
    """A claim that is not in the closed list, or has a value of the wrong kind."""


@dataclass(frozen=True)
class Claims:
    """A store's claims. `flags` are the claims in force, `values` what goes with those that have one."""

    flags: frozenset[str] = frozenset()
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __contains__(self, name: str) -> bool:
        return name in self.flags

    def number(self, name: str, default: int) -> int:
        """The value of a numeric claim, or `default`."""
        return int(self.values.get(name, default))

    @property
    def protocol(self) -> tuple[int, ...]:
        """The claimed protocol release as numbers, the newest known one by default."""
        return release(str(self.values.get("protocol", PROTOCOL)))

    @property
    def reserved_names(self) -> frozenset[str]:
        """File names that the store refuses by its own word."""
        return frozenset(name for name in str(self.values.get("reserved_names", "")).split(":") if name)

    def as_dict(self) -> dict[str, Any]:
        """The claims as plain data, sorted by name."""
        return {name: self.values.get(name, True) for name in sorted(self.flags)}


def release(text: str) -> tuple[int, ...]:
    """A release number as a tuple: `0.62.0` gives `(0, 62)`; further parts do not count."""
    return tuple(int(part) for part in text.split(".")[:2])


def parse(text: str) -> dict[str, Any]:
    """Claims as given on the command line: `durable,max_path_chars=300`.

    Raises:
        ClaimError: a name that is not in the list, or a value of the wrong kind.
    """
    return dict(_pair(item) for part in text.split(",") if (item := part.strip()))


def _pair(item: str) -> tuple[str, Any]:
    name, separator, value = item.partition("=")
    return name.strip(), value.strip() if separator else True


def collect(*sources: Mapping[str, Any]) -> Claims:
    """Claims from several sources, later ones over earlier ones; `False` takes a claim back.

    Raises:
        ClaimError: a name that is not in the list, or a value of the wrong kind.
    """
    merged: dict[str, Any] = {}
    for source in sources:
        merged.update({name: _checked(name, value) for name, value in source.items()})
    kept = {name: value for name, value in merged.items() if value is not False and value is not None}
    return Claims(frozenset(kept), kept)


def _checked(name: str, value: Any) -> Any:
    if name in FLAGS:
        if name != "bound" and not isinstance(value, bool):
            raise ClaimError(f"claim {name}={value!r}: this claim takes no value; give `{name}` alone")
        return value
    if name not in VALUES:
        near = get_close_matches(name, [*FLAGS, *VALUES], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ClaimError(f"unknown claim {name!r}{hint} (claims are: {', '.join([*FLAGS, *VALUES])})")
    kind, meaning = VALUES[name]
    try:
        checked = kind(value) if value is not True else None
        if name == "protocol" and checked is not None:
            release(checked)
    except (TypeError, ValueError):
        checked = None
    if checked is None:
        raise ClaimError(f"claim {name}={value!r}: expected {name}=<{kind.__name__}>, {meaning}")
    return checked


def present(store: Any) -> frozenset[str]:
    """The capabilities that a store has by its methods: `search` and `metadata`."""
    methods: Iterable[tuple[str, str]] = (("search", "search"), ("metadata", "write_with_metadata"))
    return frozenset(claim for claim, method in methods if callable(getattr(store, method, None)))
