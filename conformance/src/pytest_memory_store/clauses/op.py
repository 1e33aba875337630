"""OP: receipts, which make a repeated operation apply once.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows()
_writing = Rows(waived_by=("read_only",))
_interrupted = Rows(status=Status.PLANNED, waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _any_store.must(
        "OP-01",
        "returns `None` from `get_operation` for an unknown operation",
        why="No operation can be applied for the first time.",
        source="protocol docstring: get_operation",
    ),
    _interrupted.must(
        "OP-02",
        "records the receipt in the same atomic step as the write or delete",
        why="A crash between the two duplicates the note, or makes its id unusable for ever.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "OP-03",
        "answers a repeated operation with the first version and `existed`, sets `replayed`, and changes nothing",
        why="A retried tool call appends the same note twice.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "OP-04",
        "returns the same answer from `get_operation` as from the repeated call",
        why="A caller that asks first is told something else than one that repeats.",
        source="upstream tests",
    ),
    _writing.must(
        "OP-05",
        "raises `MemoryOperationConflictError` for a known id with another fingerprint in `get_operation`,"
        " write and delete, and changes nothing",
        why="A different edit is reported as done and never made.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "OP-06",
        "looks for the receipt before it checks the version: a repeated operation with a stale version is"
        " answered by its receipt",
        why="A retry after success is told that it conflicts, and the model writes the note again.",
        source="bundled stores",
    ),
    _writing.must(
        "OP-07",
        "reports another fingerprint as `MemoryOperationConflictError`, also where the version is stale as well",
        why="The caller reads again and retries what can never succeed.",
        source="bundled stores",
    ),
    _writing.must(
        "OP-08",
        "refuses an invalid path before it looks for a receipt",
        why="Whether a bad path is refused depends on what was written before.",
        source="bundled stores",
    ),
    _writing.should(
        "OP-08b",
        "refuses every other invalid argument before it looks for a receipt",
        why="A mistake in a retry goes unnoticed until the receipt is gone.",
        source="bundled stores",
    ),
    _writing.must(
        "OP-09",
        "leaves no receipt of a refused call, and its id stays usable",
        why="A write that failed later counts as done.",
        source="derived: a receipt stands for an effect",
    ),
    _writing.must(
        "OP-10",
        "takes the same operation again, with new content and a new version, after each conflict, and applies it once",
        why="An append is lost as soon as another writer is faster.",
        source="toolset: the loop of write_memory",
    ),
    _interrupted.must(
        "OP-11",
        "applies an operation once when it is called several times at once, and answers the other calls"
        " with `replayed`",
        why="A run ends because its engine dispatched one call twice.",
        source="README: Persistence and concurrency",
    ),
    _interrupted.must(
        "OP-12",
        "keeps receipts across a reopen",
        why="Restarting a worker repeats the calls that it had already made.",
        source="README: Persistence and concurrency",
        needs=("durable",),
    ),
    _writing.must(
        "OP-13",
        "keeps the receipts of at least the 1,024 most recent operations",
        why="A retry that comes late is applied a second time.",
        source="README: Persistence and concurrency",
    ),
    _writing.may(
        "OP-13b",
        "claims how many receipts it keeps (`receipt_retention`)",
        why="An application cannot tell how late a retry is still safe.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "OP-14",
        "finds receipts by the exact id, neither shortened, case-folded nor parsed, and accepts ids of 64"
        " hexadecimal digits",
        why="Two operations of different tenants are taken for one, and the second edit is never made.",
        source="toolset: ids are digests",
    ),
    _writing.should(
        "OP-14b",
        "accepts as id any text of 1 to 200 characters, also with NUL or lone surrogates",
        why="An application with ids of its own meets an error of the driver.",
        source="upstream tests",
    ),
    _writing.must(
        "OP-15",
        "records no receipt for a call without an operation",
        why="Calls that were meant to be separate are taken for repeats.",
        source="protocol docstring: write",
    ),
    _writing.must(
        "OP-16",
        "records a receipt for a delete too, also where there was nothing to delete",
        why="A retried delete removes a note that was written in between.",
        source="upstream tests",
    ),
    _writing.must(
        "OP-17",
        "returns the first receipt also after others changed or deleted the file, and does not restore it",
        why="A late retry brings back what the user deleted.",
        source="README: Write metadata",
    ),
    _writing.may(
        "OP-18",
        "answers with the recorded receipt where id and fingerprint come back for another path or kind of call",
        why="The fingerprint is the caller's to choose: one that leaves out the path loses an edit.",
        source="bundled stores; toolset",
    ),
    _interrupted.must(
        "OP-19",
        "answers after any interruption with `None` (not applied) or the receipt (applied), and a retry"
        " ends with the operation applied exactly once",
        why="An id that was interrupted once fails for ever, and with it every retry of the run.",
        source="README: Persistence and concurrency",
    ),
    _interrupted.must(
        "OP-20",
        "never applies an interrupted operation a second time because the file was edited in between; it"
        " returns the receipt or raises `MemoryConflictError`",
        why="A line appears twice beside the edit of a person.",
        source="README: Persistence and concurrency",
        needs=("fs",),
    ),
    _interrupted.must(
        "OP-21",
        "decides by what was really committed when the back end failed without saying so",
        why="A timeout after the commit makes the retry append the note again.",
        source="derived: an ambiguous failure",
    ),
    _writing.must(
        "OP-22",
        "keeps in a receipt id, fingerprint, version and `existed`, and no content",
        why="A deleted note lives on in the journal.",
        source="bundled stores",
    ),
    _interrupted.must(
        "OP-23",
        "survives a damaged receipt file: warns, starts a fresh one and keeps serving the notes",
        why="A damaged journal makes the whole memory unusable.",
        source="README: Persistence and concurrency",
        needs=("fs",),
    ),
    _writing.must(
        "OP-24",
        "compares fingerprints exactly, including case, spaces and Unicode forms",
        why="A different edit is taken for a repeat and never made.",
        source="protocol docstring: get_operation",
    ),
    _writing.must(
        "OP-25",
        "leaves the version that readers see as it is when it replays",
        why="A harmless retry makes the edits of others conflict.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "OP-26",
        "sets `replayed` to false when it applies an operation for the first time",
        why="The agent takes its own edit for an old one.",
        source="protocol fields; upstream tests",
    ),
    _writing.must(
        "OP-27",
        "drops no receipt within the retention that it claims",
        why="A retry that the application was told is safe is applied twice.",
        source="README: Persistence and concurrency",
        same_as="OP-13",
    ),
    _writing.should(
        "OP-27b",
        "offers the application a safe way to drop old receipts",
        why="The receipts grow without end.",
        source="README: Persistence and concurrency",
        status=Status.PLANNED,
    ),
    _writing.must(
        "OP-28",
        "keeps receipts apart: recording or dropping one never affects another",
        why="One tenant's retry is answered with the result of another's.",
        source="derived: ids that begin alike",
    ),
)
