"""Renders the catalogue as the page that people read.

To bring the page up to date: `python -m pytest_memory_store.clauses.reference > docs/clauses.md`.
Must not know: where the page is kept, checks, stores, pytest.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_memory_store.clauses import CATALOGUE, GROUPS, Clause, Level, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_INTRODUCTION = """\
# The clauses of the contract

Every promise of the `MemoryStore` protocol that this kit knows, one clause each. This page is generated from
`pytest_memory_store.clauses`; change it there.

A clause has a **level**, in the sense of RFC 2119:

- **MUST**: a store that breaks it is not conformant.
- **SHOULD**: a store that breaks it gets an advisory, which does not change the verdict.
- **MAY**: a permitted variation, reported and never judged.

and a **status**, which says what this version of the kit does about it:

- **checked**: a check puts it to the test. A run in which that did not happen reports it as *not exercised*.
- **planned**: part of the contract, not judged yet, and without part in a verdict.
- **informational**: reported, never judged.

Where a sentence has two levels, the weaker half has the same number and a `b`. A clause that is *the same as*
another shares its check and its evidence. A level may hold only *since* a release of the protocol; a store
that follows an earlier one says so with the claim `protocol`.
"""

_CLAIMS = """\
## Claims

A store says of itself what cannot be seen from outside. A clause that *needs* a claim applies only with it; a
claim may *waive* a clause, which then does not apply, or *relax* it, which leaves a part of it in force.
`search` and `metadata` are judged by presence. A store with `search` is `lexical` unless it claims
`semantic`.
"""


def render() -> str:
    """Return the page as Markdown, ending in a newline."""
    sections = [_INTRODUCTION, _overview(), _CLAIMS + "\n" + _claims(), *map(_group, GROUPS)]
    return "\n".join(section.rstrip() + "\n" for section in sections)


def _overview() -> str:
    head = ["## Groups", "", "| group | about | MUST | SHOULD | MAY | checked |", "|---|---|--:|--:|--:|--:|"]
    return "\n".join([*head, *map(_overview_row, GROUPS)])


def _overview_row(group: str) -> str:
    members = _members(group)
    levels = Counter(clause.level for clause in members)
    checked = sum(clause.status is Status.CHECKED for clause in members)
    counts = " | ".join(str(levels[level]) for level in Level)
    return f"| [{group}](#{_anchor(_title(group))}) | {GROUPS[group]} | {counts} | {checked} |"


def _claims() -> str:
    relations: tuple[Callable[[Clause], frozenset[str]], ...] = (
        lambda clause: clause.needs,
        lambda clause: clause.waived_by,
        lambda clause: clause.relaxed_by,
    )
    claims = sorted({claim for clause in CATALOGUE.values() for relation in relations for claim in relation(clause)})
    rows = ["| claim | needed by | waives | relaxes |", "|---|---|---|---|"]
    for claim in claims:
        cells = (_ids(c for c in CATALOGUE.values() if claim in relation(c)) for relation in relations)
        rows.append(f"| `{claim}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def _ids(clauses: Iterable[Clause]) -> str:
    """Link the clauses, a whole group or a run of neighbours as one."""
    chosen = {clause.id for clause in clauses}
    return ", ".join(link for group in GROUPS for link in _links(group, chosen))


def _links(group: str, chosen: set[str]) -> Iterator[str]:
    members = [clause.id for clause in _members(group)]
    if chosen.issuperset(members):
        yield f"[all of {group}](#{_anchor(_title(group))})"
        return
    for is_chosen, neighbours in groupby(members, chosen.__contains__):
        run = list(neighbours)
        if is_chosen and len(run) > 2:
            yield f"{_link(run[0])} to {_link(run[-1])}"
        elif is_chosen:
            yield from map(_link, run)


def _group(group: str) -> str:
    return "\n".join([f"## {_title(group)}", *map(_entry, _members(group))])


def _entry(clause: Clause) -> str:
    sentence = clause.sentence[0].upper() + clause.sentence[1:]
    facts = " · ".join(_facts(clause))
    return f"\n### {clause.id}\n\n{sentence}.\n\n{facts}\n\nWhy it matters: {clause.why} *({clause.source})*"


def _facts(clause: Clause) -> Iterator[str]:
    yield f"**{clause.level}**"
    if clause.since:
        yield f"since {clause.since}, {clause.level_before} before"
    yield clause.status
    if clause.same_as:
        yield f"the same as {_link(clause.same_as)}"
    for relation, claims in (
        ("needs", clause.needs),
        ("waived by", clause.waived_by),
        ("relaxed by", clause.relaxed_by),
    ):
        if claims:
            yield f"{relation} {', '.join(f'`{claim}`' for claim in sorted(claims))}"


def _members(group: str) -> list[Clause]:
    return [clause for clause in CATALOGUE.values() if clause.group == group]


def _title(group: str) -> str:
    return f"{group}: {GROUPS[group]}"


def _link(clause_id: str) -> str:
    return f"[{clause_id}](#{_anchor(clause_id)})"


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading: punctuation dropped, spaces as hyphens."""
    kept = (character for character in heading.lower() if character.isalnum() or character in " -")
    return "".join(kept).replace(" ", "-")


if __name__ == "__main__":
    print(render(), end="")
