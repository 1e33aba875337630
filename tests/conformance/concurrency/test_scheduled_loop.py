"""The scheduled loop: the order of steps is what the schedule says, time is virtual, and stuck runs are named."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from pytest_memory_store.concurrency.schedule import Chooser, Replay, Schedule, schedules
from pytest_memory_store.concurrency.scheduled_loop import DeadlockError, Decides, LivelockError, ScheduledLoop

if TYPE_CHECKING:
    from collections.abc import Iterator


async def three_tasks(steps: int = 3) -> str:
    """Three tasks that each write their name and yield."""
    order: list[str] = []

    async def work(name: str) -> None:
        for _ in range(steps):
            order.append(name)
            await asyncio.sleep(0)

    await asyncio.gather(*(asyncio.create_task(work(name), name=name) for name in "abc"))
    return "".join(order)


def run(coroutine: Any, chooser: Decides, **keywords: Any) -> Any:
    """Run to the end on a loop of this chooser, and close the loop."""
    loop = ScheduledLoop(chooser, **keywords)
    try:
        return loop.run_until_complete(coroutine)
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.set_exception_handler(lambda *_: None)
        loop.close()


def test_the_empty_schedule_is_asyncios_own_order() -> None:
    """Without priorities the tasks take turns as they do on asyncio's loop."""
    assert run(three_tasks(), Chooser(Schedule())) == asyncio.run(three_tasks())


def test_the_highest_priority_runs_to_its_end() -> None:
    """A task of the highest priority goes on whenever it can."""
    order = run(three_tasks(), Chooser(Schedule(priorities=(0, 1, 2))))
    assert order == "cccbbbaaa"


def test_a_demotion_puts_the_running_task_last() -> None:
    """From its demotion on, a task waits for all others."""
    order = run(three_tasks(), Chooser(Schedule(demotions=(2,))))
    assert order.startswith("a")
    assert order.endswith("b" * 3)


@given(schedules)
def test_every_schedule_replays_from_its_trace(schedule: Schedule) -> None:
    """The decisions of a run, replayed, give the same order."""
    chooser = Chooser(schedule)
    first = run(three_tasks(), chooser)
    assert run(three_tasks(), Replay(chooser.trace)) == first
    assert sorted(first) == sorted("abc" * 3)


def test_time_is_virtual() -> None:
    """A sleep of a day takes none."""

    async def sleeper() -> float:
        before = asyncio.get_running_loop().time()
        await asyncio.sleep(86_400)
        return asyncio.get_running_loop().time() - before

    began = time.monotonic()
    assert run(sleeper(), Chooser(Schedule())) == 86_400
    assert time.monotonic() - began < 5


def test_a_timeout_strikes() -> None:
    """`asyncio.timeout` works in virtual time."""

    async def waiting() -> str:
        try:
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        except TimeoutError:
            return "timed out"
        return "went on"

    assert run(waiting(), Chooser(Schedule())) == "timed out"


def test_executor_jobs_run_inline() -> None:
    """A job for a thread runs on the loop's own thread, and its error is the caller's."""

    async def jobs() -> tuple[int, str]:
        thread = await asyncio.to_thread(threading.get_ident)
        try:
            await asyncio.to_thread(int, "x")
        except ValueError:
            return thread, "ValueError"
        return thread, ""

    assert run(jobs(), Chooser(Schedule())) == (threading.get_ident(), "ValueError")


def test_a_deadlock_names_who_waits() -> None:
    """Where nothing can go on, the waiting tasks are named."""

    async def stuck() -> None:
        await asyncio.create_task(asyncio.Event().wait(), name="waits-for-ever")

    with pytest.raises(DeadlockError, match="waits-for-ever"):
        run(stuck(), Chooser(Schedule()))


def test_a_livelock_names_who_runs() -> None:
    """Tasks that yield for ever are ended after the most steps, and named."""

    async def spin() -> None:
        while True:  # noqa: ASYNC110 - the point
            await asyncio.sleep(0)

    async def spinning() -> None:
        await asyncio.create_task(spin(), name="spins")

    with pytest.raises(LivelockError, match="spins"):
        run(spinning(), Chooser(Schedule()), max_steps=500)


def test_before_step_sees_every_step_of_a_task() -> None:
    """The hook is called once per step, with the task that takes it."""
    seen: list[str] = []
    loop = ScheduledLoop(Chooser(Schedule()))
    loop.before_step = lambda task: seen.append(task.get_name())
    try:
        loop.run_until_complete(three_tasks(steps=2))
    finally:
        loop.close()
    assert [seen.count(name) for name in "abc"] == [3, 3, 3]


@pytest.fixture(autouse=True)
def _no_loop_left() -> Iterator[None]:
    """No test leaves a loop behind as the current one."""
    yield
    asyncio.set_event_loop(None)
