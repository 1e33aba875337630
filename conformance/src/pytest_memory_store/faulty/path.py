"""Faulty stores of the PATH group: which paths and prefixes are accepted.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pytest_memory_store.faulty.base import BaseStore, Change
from pytest_memory_store.faulty.registry import faulty

if TYPE_CHECKING:
    from pytest_memory_store.faulty.contract import MemoryFile

_PREFIX_TOO = ("PATH-06", "SRCH-11")
"""A path check that takes too much takes it in prefixes too."""
_LONG_PATHS = ("PATH-10", "PATH-12b")
"""What cannot be seen to hold where long paths are refused."""


@faulty("PATH-01", cause="a rule against hidden files")
class DotFilesRefused(BaseStore):
    """Refuses a segment that begins with a dot, which the contract allows."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment) and not segment.startswith(".")


@faulty("PATH-01", cause="a name rule taken from variable names")
class DigitsRefused(BaseStore):
    """Refuses a segment of digits alone, as many user ids are."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment) and not segment.isdecimal()


@faulty("PATH-01", also=_LONG_PATHS, cause="a fixed number of key columns, one for each segment")
class DeepPathsRefused(BaseStore):
    """Refuses a path of more than six segments."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if path.count("/") >= 6:
            raise ValueError("the path has too many segments")


@faulty("PATH-02", also=_PREFIX_TOO, cause="a path pattern that forgets to exclude spaces")
class SpacesAccepted(BaseStore):
    """Accepts spaces in a path."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment.replace(" ", "_"))


@faulty("PATH-02", also=_PREFIX_TOO, cause=r"a pattern with \w, which takes letters of every script")
class UnicodeLettersAccepted(BaseStore):
    """Accepts letters and digits outside ASCII, because a regular expression says word character."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(re.sub(r"\w", "a", segment))


@faulty("PATH-02", also=_PREFIX_TOO, cause="a length limit that is never checked")
class LongSegmentsAccepted(BaseStore):
    """Accepts a segment of more than 200 characters."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment[:200])


@faulty("PATH-02", also=("OP-08", "PATH-03", "PATH-04"), cause="validation in the write path alone")
class DeleteUnchecked(BaseStore):
    """Deletes without validating the path, so that a bad path is answered as absent."""

    def check_change(self, change: Change) -> None:
        if change.content is not None:
            super().check_change(change)


@faulty("PATH-02", also=("PATH-03", "PATH-04"), cause="an invalid key that is looked up like any other")
class ReadUnchecked(BaseStore):
    """Answers a read of an invalid path with `None` in place of an error."""

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        try:
            return await super().read(path, max_chars=max_chars)
        except ValueError:
            self.check_bound("max_chars", max_chars)
            return None


@faulty("PATH-02", also=_PREFIX_TOO, cause="a web framework or client that decodes the path of a URL")
class PercentDecoded(BaseStore):
    """Decodes percent signs before it judges a path, so that `a%2Fb` is taken for `a/b`."""

    def check_path(self, path: str) -> None:
        super().check_path(unquote(path))

    def key(self, path: str) -> str:
        return unquote(path)


@faulty("PATH-02", also=_PREFIX_TOO, cause="os.path.normpath or a URL library on the path")
class SlashesCollapsed(BaseStore):
    """Takes `a//b` for `a/b`."""

    def check_path(self, path: str) -> None:
        super().check_path(re.sub("/+", "/", path))

    def key(self, path: str) -> str:
        return re.sub("/+", "/", path)


@faulty("PATH-03", also=_PREFIX_TOO, cause="a check against `..` alone")
class DotSegmentAccepted(BaseStore):
    """Accepts a `.` segment, which a file system would drop."""

    def is_segment(self, segment: str) -> bool:
        return segment == "." or super().is_segment(segment)


@faulty("PATH-03", also=_PREFIX_TOO, cause="a segment compared with `..` in place of a search for it")
class DoubleDotInsideAccepted(BaseStore):
    """Accepts `..` inside a longer segment, such as `a..b`."""

    def is_segment(self, segment: str) -> bool:
        return super().is_segment(segment) or (
            segment.strip(".") != "" and super().is_segment(re.sub(r"\.+", ".", segment))
        )


@faulty("PATH-04", also=_PREFIX_TOO, cause="re.match with `$`, which matches before a last newline")
class NewlineAccepted(BaseStore):
    """Accepts a path that ends in a newline."""

    def check_path(self, path: str) -> None:
        super().check_path(path.removesuffix("\n"))


@faulty("PATH-04", also=("PATH-02", *_PREFIX_TOO), cause="a driver or library in C that ends text at NUL")
class PathEndsAtNul(BaseStore):
    """Takes a path up to its first NUL, and ignores the rest."""

    def check_path(self, path: str) -> None:
        super().check_path(self.key(path))

    def key(self, path: str) -> str:
        return path.partition("\x00")[0]


@faulty("PATH-06", cause="a prefix that goes into the query as it is")
class PrefixUnchecked(BaseStore):
    """Lists nothing for an invalid prefix, in place of an error."""

    def check_prefix(self, prefix: str) -> None:
        pass

    def check_search_prefix(self, prefix: str) -> None:
        super().check_prefix(prefix)


@faulty("PATH-06", also=("SRCH-11",), cause="rstrip where removesuffix was meant")
class PrefixSlashesStripped(BaseStore):
    """Accepts a prefix that ends in several slashes."""

    def check_prefix(self, prefix: str) -> None:
        super().check_prefix(prefix.rstrip("/") + "/" if prefix.rstrip("/") else prefix)


@faulty("PATH-07", also=("PATH-06",), cause="a partition key that needs a whole segment")
class PrefixMustEndInSlash(BaseStore):
    """Refuses a prefix without a trailing slash."""

    def check_prefix(self, prefix: str) -> None:
        super().check_prefix(prefix)
        if prefix and not prefix.endswith("/"):
            raise ValueError("the prefix does not end in a slash")


@faulty("PATH-12", also=("PATH-01", *_LONG_PATHS), cause="a VARCHAR(255) column that refuses what is longer")
class PathsOver255Refused(BaseStore):
    """Refuses a path of more than 255 characters."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if len(path) > 255:
            raise ValueError("the path is longer than 255 characters")


@faulty("PATH-12", also=_LONG_PATHS, cause="an error of the driver that nobody translated")
class LongPathIsServerError(BaseStore):
    """Refuses a path of more than 500 characters with an error of the back end."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if len(path) > 500:
            raise RuntimeError("value too long for type character varying(500)")


@faulty("PATH-12b", also=("PATH-10",), cause="a column for 500 characters")
class PathsOver500Refused(BaseStore):
    """Refuses a path of more than 500 characters."""

    def check_path(self, path: str) -> None:
        super().check_path(path)
        if len(path) > 500:
            raise ValueError("the path is longer than 500 characters")


@faulty("PATH-17", also=("SCOPE-01",), cause="a helpful error message that looks through the whole store")
class ErrorsSuggestPaths(BaseStore):
    """Names stored paths, also of other tenants, in the error for an invalid path."""

    def check_path(self, path: str) -> None:
        try:
            super().check_path(path)
        except ValueError as error:
            near = get_close_matches(path, self.files, n=3, cutoff=0)
            raise ValueError(f"{error}; did you mean {', '.join(near)}?") from None


@faulty("PATH-17", cause="an error of the driver, passed on with its connection string")
class ErrorsNameServer(BaseStore):
    """Names its server, user and data directory in the error for an invalid path."""

    def check_path(self, path: str) -> None:
        try:
            super().check_path(path)
        except ValueError as error:
            where = "postgresql://memory:hunter2@db.internal:5432/notes, /var/lib/memory/data"
            raise ValueError(f"{error} ({where})") from None
