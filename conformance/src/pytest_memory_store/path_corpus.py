"""Paths as data: valid ones that stores refuse, invalid ones that they take, and pairs that they confuse.

Must not know: stores, the rig, checks. Names are relative to a scope; `outside` holds whole paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from pytest_memory_store import strategies as draw

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

UNCOMMON = (
    ".a",
    ".hidden/a.md",
    "-",
    "-rf",
    "_",
    "a.",
    "0",
    "007",
    "1e5",
    "123456789012345678901",
    "CON",
    "nul.md",
    "null",
    "None",
    "true",
    "NaN",
    "__proto__",
    "constructor",
    "a",
    "A-Z_a-z.0-9",
    "zz/z.z",
    "s" * 200,
    f"{'s' * 200}/{'n' * 40}",
    "d/" * 7 + "d",
    "d/" * 99 + "d",
)
"""Valid names of which some back end makes something else: flags, numbers, devices, depth (PATH-01)."""

CONTROL_CHARS = tuple(map(chr, (*range(32), 0x7F, 0x85, 0x2028, 0x2029)))
"""What a careless pattern or `strip` forgives at the end of a path (PATH-04)."""

STRIPPED = ("\n", "\x00", "\r", "\t")
"""The control characters that most often reach a store, tried on a file that exists (PATH-04)."""

INVALID = (
    "",
    " ",
    "a b.md",
    " a.md",
    "a.md ",
    "a//b.md",
    "a/b.md/",
    "a/ /b.md",
    "a\\b.md",
    "a%2Fb.md",
    "a%2fb.md",
    "%61.md",
    "a+b.md",
    "a:b.md",
    "a*.md",
    "a?.md",
    "a#b.md",
    "a&b=c.md",
    "a@b.md",
    "a~",
    "a,b.md",
    "a;b.md",
    "a'b.md",
    'a"b.md',
    "a`b.md",
    "a$b.md",
    "a|b.md",
    "<a>.md",
    "{a}.md",
    "[a].md",
    "é.md",
    "e\u0301.md",
    "漢.md",
    "\uff41.md",
    "\u0661.md",
    "\u212a.md",
    "\U0001f600.md",
    "a\u200b.md",
    "a\u00a0.md",
    "a\ufeff.md",
    "\ud800.md",
    "a\nb.md",
    "a\x00b.md",
    "a.md\x00.md",
    "s" * 201,
    f"a/{'s' * 201}/b.md",
)
"""Invalid names: white space, separators, escapes, letters of other scripts, segments too long (PATH-02)."""

DOTTED = (
    ".",
    "..",
    "...",
    "./a.md",
    "a/./b.md",
    "a/.",
    "../a.md",
    "a/../b.md",
    "a/..",
    "a..b",
    "..a",
    "a..",
    "a/...",
    "sub/a../b.md",
)
"""Names with a `.` segment, or with `..` anywhere (PATH-03). All of them stay below the scope's parent."""


def outside(scope: str, token: str) -> tuple[str, ...]:
    """Invalid whole paths that a store might take out of the scope; `token` makes each a name that nobody has."""
    return (
        f"/{scope}/{token}.md",
        f"//{scope}/{token}.md",
        f"\\{scope}\\{token}.md",
        f"C:\\{token}.md",
        f"file:///{scope}/{token}.md",
        f"%2e%2e%2f{token}.md",
        f"~{token}/a.md",
    )


def traversals(scope: str, token: str) -> tuple[str, ...]:
    """Paths that climb out of the scope or of the store; `token` makes each a name that nobody has."""
    return (
        f"{scope}/../{token}.md",
        f"{scope}/../{token}/a.md",
        f"{scope}/a/../../{token}.md",
        f"../{token}.md",
        f"../../{token}.md",
        f"./{token}.md",
    )


LIKE_NORMAL = (
    ("notes", "notes."),
    ("a.md", "a.md."),
    ("dir/a.md", "dir./a.md"),
    ("7", "007"),
    ("1", "1.0"),
    ("1000", "1e3"),
    ("a.md", "a.txt"),
    ("a", "a.md"),
    ("a_b", "a__b"),
    ("a--b", "a-b"),
    ("a", "-a"),
    ("a", "_a"),
    ("a", ".a"),
    ("x/b", "x.2Fb"),
    ("x/b", "x_2F_b"),
    ("x/b", "x-2fb"),
)
"""Pairs that are one name to what trims, counts, shortens or unescapes (PATH-05)."""

LIKE_IN_CASE = (("A.md", "a.md"), ("Sub/a.md", "sub/a.md"), ("I", "i"), ("notes.MD", "notes.md"))
"""Pairs that differ in case (PATH-09)."""

LIKE_IN_SHAPE = (
    ("a/b", "a_b"),
    ("a/b", "a.b"),
    ("a/b", "a-b"),
    ("a/b", "ab"),
    ("a.b", "a_b"),
    ("a-b", "a_b"),
    ("a/bc", "ab/c"),
    ("a/b/c", "a/b_c"),
    ("x/a.md", "y/a.md"),
    ("x/y/a.md", "y/x/a.md"),
    (f"{'s' * 199}a", f"{'s' * 199}b"),
    (f"a{'s' * 199}", f"b{'s' * 199}"),
)
"""Pairs that are one key to what replaces separators, joins parts, keeps base names or cuts (PATH-10)."""


def name_of_length(scope: str, length: int, last: str = "p") -> str:
    """A name that ends in `last` and whose whole path below `scope` has `length` code points, or a few more."""
    rest = max(length - len(scope) - 1, 1)
    segments = [("p" * 99 + "/") * (rest // 100), "p" * (rest % 100)]
    name = "".join(segments)
    return name[:-1] + last


@st.composite
def _alike(draw_from: st.DrawFn) -> tuple[str, str]:
    path = draw_from(draw.paths)
    position = draw_from(st.integers(0, len(path) - 1))
    added = draw_from(st.sampled_from("aZ0_-"))
    return path, path[:position] + added + path[position:]


alike: SearchStrategy[tuple[str, str]] = _alike()
"""A valid path and the same with one character more, anywhere (PATH-10)."""

invalid_chars: SearchStrategy[str] = st.characters(exclude_characters="/").filter(
    lambda c: not (c.isascii() and (c.isalnum() or c in "_.-"))
)
"""Any character that no path may hold (PATH-02)."""

BOOKKEEPING = (
    ".memory-operations.json",
    ".memory-operations.jsonx",
    ".memory-operations.json.tmp",
    ".memory-tmp-x.md",
    ".memory.sqlite3",
    ".memory-lock",
    ".index",
    ".index.json",
    ".git",
    ".git/config",
    ".lock",
    ".a.md.swp",
    ".trash/a.md",
    ".tombstones",
    ".receipts",
    ".operations/a",
    ".versions/a",
    ".metadata.json",
    ".DS_Store",
    ".gitkeep",
    "_receipts",
    "_operations/a",
    "_index",
    "__meta__",
    "_design/a",
    "memory.sqlite3-wal",
    "journal.json",
    "index.json",
    "a.md.tmp",
    "a.md.lock",
    "a.md.bak",
    "a.md.meta",
    "tmp/a.md",
)
"""Names that stores take for their own records (PATH-13)."""

INVALID_PREFIXES = (
    "/",
    "//",
    ".",
    "..",
    "../",
    "{}//",
    "{}/.",
    "{}/./",
    "{}/..",
    "{}/../",
    "{}/a..b",
    "{}/a b/",
    "{}/ ",
    "{} ",
    "{}%",
    "{}/u%",
    "{}/*",
    "{}/?",
    "{}\n",
    "{}/\n",
    "{}\x00",
    "{}/é",
    "/{}",
    "/{}/",
    "{}\\",
    "{}/a//b",
    "{}/" + "s" * 201,
)
"""Invalid prefixes, `{}` standing for the scope (PATH-06)."""

LIKE_PATTERNS = ("a_b", "a.b", "a-b", "axb", "a__b", "axyb", "ab", "a_", "a.", "ax", "aXb")
"""Names that a pattern language confuses (PATH-08); no two differ in case alone but the last and the fourth."""
