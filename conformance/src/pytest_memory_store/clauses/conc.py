"""CONC: many callers at once, cancelled calls, failing back ends.

Must not know: checks, stores, pytest.
"""

from __future__ import annotations

from pytest_memory_store.clauses.clause import Clause, Status
from pytest_memory_store.clauses.rows import Rows

_any_store = Rows(status=Status.PLANNED)
_writing = Rows(status=Status.PLANNED, waived_by=("read_only",))

CLAUSES: tuple[Clause, ...] = (
    _writing.must(
        "CONC-01",
        "lands each of several concurrent appends, repeated until they succeed, exactly once",
        why="Notes of parallel runs are lost or doubled.",
        source="derived: the toolset's loop over any store",
    ),
    _writing.must(
        "CONC-02",
        "lets concurrent writes to different paths all succeed",
        why="Users who have nothing to do with one another make each other fail.",
        source="derived: the version check is on one path",
    ),
    _writing.must(
        "CONC-03",
        "leaves a cancelled call either applied with its receipt or not applied, and stays usable",
        why="A cancelled request leaves a lock behind, and the next call waits for ever.",
        source="derived: cancellation is routine in a server",
    ),
    _writing.must(
        "CONC-04",
        "completes every call of a mixed load of reads, listings, searches, writes and deletes",
        why="Two calls wait for each other and every run stands still.",
        source="derived: a call returns",
    ),
    _writing.must(
        "CONC-05",
        "stays correct with two instances over one storage, unless it claims `single_writer`",
        why="Two workers both save from one version, and one text is lost.",
        source="README: Persistence and concurrency",
        needs=("shared",),
        waived_by=("single_writer",),
    ),
    _writing.may(
        "CONC-05b",
        "supports one writer at a time, and then claims `single_writer`",
        why="An application that starts a second worker loses notes unwarned.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "CONC-06",
        "stays correct with several processes over one storage",
        why="Edits are lost as soon as the application runs two workers.",
        source="README: Persistence and concurrency",
        needs=("shared",),
        waived_by=("single_writer",),
        same_as="CAS-20",
    ),
    _any_store.should(
        "CONC-07",
        "works from several event loops, one after another",
        why="The second synchronous run of an agent fails.",
        source="derived: `run_sync` starts a loop per call",
    ),
    _any_store.may(
        "CONC-08",
        "supports several threads at once",
        why="An application with threads has to know whether it needs a store for each.",
        source="derived: the protocol is silent",
    ),
    _any_store.should(
        "CONC-09",
        "leaves the event loop free while it waits for its storage",
        why="One slow disk or server stops every run of the process.",
        source="derived: coroutines share a thread",
    ),
    _any_store.should(
        "CONC-10",
        "completes where more calls are under way than it has connections or threads",
        why="A busy hour makes calls fail that only had to wait.",
        source="derived: pools are small",
    ),
    _any_store.must(
        "CONC-11",
        "raises when its storage fails, and never answers with `None`, an empty list or success instead",
        why="An outage looks like an empty memory and is overwritten.",
        source="README: Persistence and concurrency",
    ),
    _writing.must(
        "CONC-12",
        "orders concurrent calls on one path as if they ran one at a time",
        why="A lost note shows up only later, when nobody can say which call lost it.",
        source="README: Persistence and concurrency",
        same_as="CAS-15",
    ),
    _any_store.should(
        "CONC-13",
        "lets reads and writes through while a long search runs",
        why="One search holds up every other user.",
        source="derived: a lock held for a whole search",
        needs=("search",),
    ),
    _any_store.may(
        "CONC-14",
        "works under trio",
        why="An application on trio has to try it out.",
        source="derived: upstream tests run on asyncio",
    ),
)
