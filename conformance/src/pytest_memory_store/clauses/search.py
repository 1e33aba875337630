"""SRCH: bounded search, for stores that have it.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Level, Status
from pytest_memory_store.clauses.rows import Rows

_searchable = Rows(needs=("search",))
_writing = Rows(needs=("search",), waived_by=("read_only",))
_lexical = Rows(needs=("search", "lexical"), waived_by=("read_only",))
_later = Rows(status=Status.PLANNED, needs=("search",), waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "SRCH-01",
        "searches only the files directly below a prefix that ends in `/`, and never returns a deeper path",
        why="The run ends with an error, or an agent reads the notes of a scope nested in its own.",
        source="README: Search",
        since="0.62",
        level_before=Level.SHOULD,
    ),
    _writing.must(
        "SRCH-02",
        "never returns a path outside the prefix",
        why="Another tenant's text is put before the model.",
        source="protocol docstring: search",
        same_as="SCOPE-01",
    ),
    _writing.must(
        "SRCH-03",
        "looks at no more than `max_files` files, all in the scope, and reports in `scanned` how many they were",
        why="A search costs more than its caller allows, or tells how many files others have.",
        source="README: Search",
    ),
    _writing.must(
        "SRCH-04",
        "returns at most `limit` matches",
        why="More text than planned reaches the prompt.",
        source="README: Search",
    ),
    _writing.should(
        "SRCH-04b",
        "takes a `limit`, `max_files`, `max_chars` or `max_file_chars` above 2**31-1 as no bound",
        why="A caller that asks for everything with a very large number gets an error of the back end.",
        source="derived: integer columns and C interfaces",
    ),
    _writing.must(
        "SRCH-05",
        "keeps the names within the scope and the snippets together within `max_chars` characters",
        why="Results overrun the budget of the prompt.",
        source="README: Search",
    ),
    _writing.must(
        "SRCH-06",
        "never matches or quotes text beyond the first `max_file_chars` characters of a file",
        why="One huge file takes up the whole search.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "SRCH-07",
        "sets `truncated` where a file was not looked at, a match was left out or a file was cut",
        why="The model takes a partial search for proof that nothing is known.",
        source="bundled stores",
    ),
    _writing.must(
        "SRCH-08",
        "leaves `truncated` false where the search was complete",
        why="The model searches again and again for what is not there.",
        source="upstream tests",
    ),
    _searchable.must(
        "SRCH-09",
        "answers an empty or blank query with no matches, `scanned=0` and `truncated=False`",
        why="A blank query returns every note, or ends the run.",
        source="upstream tests",
    ),
    _searchable.must(
        "SRCH-10",
        "answers a bound of zero or less with the same empty result, and does not raise",
        why="A budget that is used up ends the run.",
        source="bundled stores; upstream tests",
    ),
    _searchable.must(
        "SRCH-11",
        "refuses an invalid prefix with `ValueError`",
        why="A mistyped scope is searched as if it existed.",
        source="bundled stores",
    ),
    _searchable.should(
        "SRCH-11b",
        "refuses an invalid prefix also where the query is empty or a bound is used up",
        why="The mistake is found only once somebody searches for something.",
        source="bundled stores",
    ),
    _writing.must(
        "SRCH-12",
        "lets the text of the prefix play no part in match, score or budget",
        why="Every note matches a query that happens to name the tenant.",
        source="README: Search",
    ),
    _lexical.must(
        "SRCH-13",
        "matches ASCII letters in either case, and every other character as itself: wildcards, quotes and"
        " search operators are text",
        why="A query with a quote ends the run, or `%` finds everything.",
        source="README: Search",
    ),
    _lexical.should(
        "SRCH-13b",
        "matches other letters in either case too, where upper and lower case are one character each",
        why="Who searches for `École` does not find `école`.",
        source="README: Search",
    ),
    _lexical.must(
        "SRCH-14",
        "matches a file that holds any of the query's words, also inside a longer word",
        why="A note is reported as missing although a word of the query is in it.",
        source="bundled stores",
    ),
    _lexical.should(
        "SRCH-15",
        "orders matches by score, highest first, then by path; the score counts each word in the content"
        " once and in the name twice",
        why="The best note is cut off by the limit.",
        source="bundled stores",
    ),
    _lexical.must(
        "SRCH-16",
        "matches a file by its name alone",
        why="A note named after its subject is not found by it.",
        source="README: Search",
    ),
    _writing.must(
        "SRCH-17",
        "takes a snippet from the content of its own file, with at most `...` added where it was cut",
        why="The model is shown text that is not in the note it is told to open.",
        source="derived: a snippet quotes its file",
    ),
    _lexical.must(
        "SRCH-18",
        "gives every match a finite score above zero",
        why="Matches cannot be compared, or one that should lead comes last.",
        source="bundled stores",
    ),
    _writing.must(
        "SRCH-19",
        "returns each path once",
        why="One note fills the places of several.",
        source="derived: a match is a file",
    ),
    _later.must(
        "SRCH-20",
        "tolerates files that vanish while it searches",
        why="Deleting a note ends the searches of others.",
        source="upstream tests",
    ),
    _later.should(
        "SRCH-20b",
        "leaves vanished files out of `scanned` and sets `truncated`",
        why="The model cannot tell that the search missed something.",
        source="upstream tests",
    ),
    _writing.must(
        "SRCH-21",
        "finds new text at once, and replaced or deleted text no longer",
        why="A secret that the user had deleted is quoted back.",
        source="derived: search without lag",
        relaxed_by=("max_staleness_s",),
    ),
    _writing.must(
        "SRCH-22",
        "leaves bookkeeping out of matches and counts",
        why="Receipts are quoted to the model.",
        source="derived: bookkeeping is no file",
        same_as="PATH-14",
    ),
    _searchable.must(
        "SRCH-23",
        "returns a result with a list of matches, an integer `scanned` and a boolean `truncated`",
        why="The search tool fails on an attribute.",
        source="protocol fields",
    ),
    _writing.should(
        "SRCH-24",
        "leaves out files whose names the agent's tools cannot address",
        why="One `_notes.md` written by another program ends every search.",
        source="toolset: names of files",
    ),
    _searchable.may(
        "SRCH-25",
        "ranks by meaning instead of words, and then claims `semantic`",
        why="What a query finds is up to the store; tenants and bounds are not.",
        source="README: Search",
    ),
    _later.should(
        "SRCH-26",
        "lets other tasks run while it searches within the default bounds",
        why="One search holds up every other run of the process.",
        source="README: Search",
    ),
    _lexical.should(
        "SRCH-27",
        "finds what the toolset's own scan would find in the same files, with the same flags",
        why="The agent knows other things after a change of store.",
        source="derived: the toolset's fallback",
    ),
    _writing.must(
        "SRCH-28",
        "never matches or quotes metadata or receipts",
        why="Private ids of a user interface reach the prompt.",
        source="README: Write metadata",
    ),
    _later.should(
        "SRCH-29",
        "skips a file that it cannot read, and sets `truncated`",
        why="One damaged note makes all others unfindable.",
        source="derived: unreadable files on disk",
        needs=("fs",),
    ),
)
