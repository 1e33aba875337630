"""Faulty stores of the PATH group: which path is which file, and which paths a prefix finds.

Must not know: the kit.
"""

# ruff: noqa: D102 - an override does what its class says

from __future__ import annotations

import re

from pytest_memory_store.faulty.base import BaseStore, Change, Stored
from pytest_memory_store.faulty.registry import faulty

_ALIASES = ("PATH-10", "SCOPE-01", "SCOPE-11")
"""What breaks where two paths are one file."""
_FOREIGN = ("SCOPE-01", "LIST-08", "SRCH-02")
"""What breaks where a prefix matches too much, in listings and in search."""


@faulty("PATH-05", also=_ALIASES, cause="a Windows file system, which drops trailing dots")
class TrailingDotsDropped(BaseStore):
    """Takes `notes.` for `notes`: trailing dots of a segment are dropped."""

    def key(self, path: str) -> str:
        return "/".join(segment.rstrip(".") or segment for segment in path.split("/"))


@faulty("PATH-09", also=("PATH-05", "PATH-09b", *_ALIASES), cause="a case-insensitive collation or file system")
class CaseIgnored(BaseStore):
    """Takes paths that differ only in case for one file, and does not claim it."""

    def key(self, path: str) -> str:
        return path.lower()


@faulty("PATH-09b", claims={"case_insensitive": True}, cause="a case-insensitive file system, honestly claimed")
class CaseIgnoredByClaim(BaseStore):
    """Takes paths that differ only in case for one file, and claims `case_insensitive`."""

    def key(self, path: str) -> str:
        return path.lower()


@faulty("PATH-07", also=("LIST-09",), cause="prefixes taken for directories, as on a file system")
class PrefixIsDirectory(BaseStore):
    """Takes the prefix `u1` for the directory `u1/`, so that `u1.md` and `u10/x` are missing."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return path == prefix or path.startswith(prefix.removesuffix("/") + "/" if prefix else "")


@faulty(
    "PATH-07", also=("LIST-07", "PATH-06"), cause="a partition for each first segment, which a query must name in full"
)
class PrefixNeedsFirstSegment(BaseStore):
    """Finds nothing for a prefix that stops within the first segment of a path."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return path.startswith(prefix) and (not prefix or path.partition("/")[0] == prefix.partition("/")[0])


@faulty("PATH-08", also=_FOREIGN, cause="a LIKE pattern with an unescaped underscore")
class UnderscoreIsWildcard(BaseStore):
    """Takes `_` in a prefix for any character."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return re.match(re.escape(prefix).replace("_", "."), path) is not None


@faulty("PATH-08", also=_FOREIGN, cause="a prefix put into a regular expression as it is")
class DotIsWildcard(BaseStore):
    """Takes `.` in a prefix for any character."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return re.match(prefix, path) is not None


@faulty("PATH-08", also=(*_FOREIGN, "PATH-09"), cause="LIKE of SQLite, which ignores the case of ASCII letters")
class PrefixIgnoresCase(BaseStore):
    """Matches prefixes in either case, while paths keep theirs."""

    def has_prefix(self, path: str, prefix: str) -> bool:
        return path.lower().startswith(prefix.lower())


@faulty("PATH-10", also=("PATH-12", "PATH-12b"), cause="a VARCHAR(255) column or index that cuts what is longer")
class PathCutAt255(BaseStore):
    """Cuts a path after 255 characters, so that longer ones that begin alike are one file."""

    def key(self, path: str) -> str:
        return path[:255]


@faulty("PATH-10", also=("SCOPE-01", "SCOPE-11", "PATH-11b", "DEL-11"), cause="keys made flat by replacing `/`")
class SlashIsUnderscore(BaseStore):
    """Takes `a/b` for `a_b`."""

    def key(self, path: str) -> str:
        return path.replace("/", "_")


@faulty(
    "PATH-10", also=("PATH-01", "SCOPE-01", "SCOPE-11"), cause="a unique index on the joined name, beside the exact key"
)
class JoinedNamesCollide(BaseStore):
    """Refuses to create `ab/c` beside `a/bc`: an index without the separators must be unique."""

    def put(self, change: Change, current: Stored | None) -> str:
        joined = change.path.replace("/", "")
        if current is None and any(path.replace("/", "") == joined for path in self.files):
            raise RuntimeError("duplicate key value violates unique constraint")
        return super().put(change, current)


@faulty("PATH-10", also=("SCOPE-01", "SCOPE-11"), cause="names made safe by replacing punctuation")
class PunctuationIsUnderscore(BaseStore):
    """Takes `a.b`, `a-b` and `a_b` for one file."""

    def key(self, path: str) -> str:
        return re.sub(r"[.-]", "_", path)


@faulty("PATH-11", also=("PATH-11b", "DEL-11"), cause="a rename onto a directory whose failure is ignored")
class NoteLostInDirectory(BaseStore):
    """Answers a write of `a` beside `a/b` with success, and keeps nothing."""

    def put(self, change: Change, current: Stored | None) -> str:
        below = f"{change.path}/"
        if current is None and any(path.startswith(below) for path in self.files):
            return self.new_version(change, current)
        return super().put(change, current)


@faulty("PATH-11", also=("PATH-11b", "DEL-11"), cause="a parent directory that is made at any price")
class FileReplacedByDirectory(BaseStore):
    """Removes the file `a` to make room for `a/b`."""

    def put(self, change: Change, current: Stored | None) -> str:
        parts = change.path.split("/")
        for length in range(1, len(parts)):
            self.files.pop("/".join(parts[:length]), None)
        return super().put(change, current)


@faulty("PATH-11b", also=("DEL-11",), cause="files and directories of one name, as on a file system")
class FileAndDirectoryRefused(BaseStore):
    """Refuses `a` beside `a/b`, and does not claim `no_file_and_directory`."""

    def put(self, change: Change, current: Stored | None) -> str:
        parts = change.path.split("/")
        taken = any("/".join(parts[:length]) in self.files for length in range(1, len(parts)))
        if taken or (current is None and any(path.startswith(f"{change.path}/") for path in self.files)):
            raise ValueError("a file and a directory cannot have one name")
        return super().put(change, current)


@faulty("PATH-13", also=("LIST-01", "LIST-05", "LIST-09"), cause="a glob that skips hidden files")
class DotFilesHidden(BaseStore):
    """Keeps a file whose name begins with a dot, and never lists it."""

    def listing(self, prefix: str) -> list[str]:
        return [path for path in super().listing(prefix) if "/." not in f"/{path}"]


@faulty("PATH-13", claims={"reserved_names": ".index"}, cause="a name check in write alone")
class ReservedNameReadable(BaseStore):
    """Refuses its reserved name `.index` in write, and answers a read or delete of it as absent."""

    def check_change(self, change: Change) -> None:
        super().check_change(change)
        if change.content is not None and ".index" in change.path.split("/"):
            raise ValueError("the name .index is reserved")


@faulty("PATH-14", also=("LIST-06", "LIST-10"), cause="receipts kept as files beside the notes")
class ReceiptsListed(BaseStore):
    """Lists a receipt file in each directory that an operation wrote to."""

    def listing(self, prefix: str) -> list[str]:
        paths = super().listing(prefix)
        receipts = {s.directory + ".receipts" for s in self.files.values() if s.operation_id and s.path in paths}
        return self.order([*paths, *(path for path in receipts if self.has_prefix(path, prefix))])


@faulty("PATH-14", also=("PATH-10", "SRCH-03", "LIST-06", "SRCH-21"), cause="backup copies kept beside the notes")
class BackupsListed(BaseStore):
    """Keeps a replaced file as `.bak` beside it, where listings and search see it."""

    def put(self, change: Change, current: Stored | None) -> str:
        if current is not None:
            backup = f"{current.path}.bak"
            self.files[self.key(backup)] = Stored(backup, current.content, current.version)
        return super().put(change, current)
