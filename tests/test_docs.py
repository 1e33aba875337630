"""Links between the project's pages lead somewhere.

Must not know: what the pages say. That generated pages are up to date is tested beside what generates them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")


def links(text: str) -> list[str]:
    """Return the targets of the page's links, those in code and those to other sites left out."""
    prose = INLINE_CODE.sub("`code`", FENCED.sub("", text))
    return [target for target in LINK.findall(prose) if not re.match(r"[a-z][a-z0-9+.-]*:", target)]


def slug(heading: str) -> str:
    """Return the anchor that the common Markdown renderers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    """Return what a link to the page may name after its `#`."""
    return {slug(heading) for heading in HEADING.findall(FENCED.sub("", text))} | {*ANCHOR.findall(text)}


def fault(page: Path, target: str) -> str | None:
    """Return what is wrong with a link on `page`, or `None`."""
    name, _, anchor = target.partition("#")
    goal = page.parent / name if name else page
    if not goal.exists():
        return f"{target}: no such file"
    if anchor and anchor not in anchors(goal.read_text(encoding="utf-8")):
        return f"{target}: no such heading"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Each link of a page to another page, or within it, names a file and a heading that exist."""
    faults = [fault(page, target) for target in links(page.read_text(encoding="utf-8"))]
    assert [found for found in faults if found] == []


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("other.md", None),
        ("other.md#two-words", None),
        ("#here", None),
        ("other.md#id", None),
        ("absent.md", "absent.md: no such file"),
        ("other.md#absent", "other.md#absent: no such heading"),
        ("#absent", "#absent: no such heading"),
    ],
)
def test_fault_tells_a_broken_link(tmp_path: Path, target: str, expected: str | None) -> None:
    """A link is at fault where its file or its heading is missing."""
    page = tmp_path / "page.md"
    page.write_text("# Here\n", encoding="utf-8")
    (tmp_path / "other.md").write_text('## Two `words`\n\n<a id="id"></a>\n', encoding="utf-8")
    assert fault(page, target) == expected


def test_links_leave_out_code_and_other_sites() -> None:
    """Only prose has links, and other sites are not asked."""
    text = 'See [a](a.md "A"), `[b](b.md)`, [c](https://example.com/c.md).\n\n```\n[d](d.md)\n```\n'
    assert links(text) == ["a.md"]
