"""An event loop that runs one ready handle at a time, in the order that a schedule gives, in virtual time.

It overrides `_run_once`, which asyncio keeps private and stable: CPython 3.11 to 3.14. Handles of one task keep
their order; whatever is no step of a task (future callbacks, wake-ups) is one first-in-first-out lane, so that
asyncio's own machinery sees nothing unusual. Jobs for an executor run inline, each a lane of its own. A store
whose calls need a thread or a socket cannot run here: nothing is ready, no timer is due, and `DeadlockError` says
what was waited for; the caller finds that out by a probe, and stresses such a store on a real loop instead.
"""

from __future__ import annotations

import asyncio
import heapq
import selectors
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Hashable, Sequence


class Decides(Protocol):
    """What makes the decisions of a run."""

    def choose(self, tasks: Sequence[Hashable]) -> int:
        """The index of the task that goes on."""
        ...


class DeadlockError(Exception):
    """No task can go on and no timer is due; `waiting` names the tasks that wait."""

    def __init__(self, waiting: Sequence[str]) -> None:
        self.waiting = tuple(waiting)
        super().__init__(f"nothing can go on; waiting: {', '.join(waiting) or 'nobody'}")


class LivelockError(Exception):
    """The tasks took more steps than any of these calls needs; `running` names those that still ran."""

    def __init__(self, steps: int, running: Sequence[str]) -> None:
        self.steps, self.running = steps, tuple(running)
        super().__init__(f"no end after {steps} steps; still running: {', '.join(running)}")


class _Job(asyncio.Handle):
    """An executor's job, run inline: a lane of its own."""


class ScheduledLoop(asyncio.SelectorEventLoop):
    """The loop. `chooser` decides between lanes; `max_steps` is where a run counts as a livelock."""

    if TYPE_CHECKING:  # what BaseEventLoop keeps private
        _ready: deque[asyncio.Handle]
        _scheduled: list[Any]
        _stopping: bool
        _selector: selectors.BaseSelector
        _timer_cancelled_count: int

        def _process_events(self, event_list: Any) -> None: ...

    def __init__(self, chooser: Decides, max_steps: int = 20_000) -> None:
        super().__init__(selectors.SelectSelector())
        self._chooser = chooser
        self._now = 0.0
        self.max_steps = max_steps
        self.steps = 0
        self.before_step: Callable[[asyncio.Task[Any]], None] | None = None
        """Called with the task that is about to take a step: where a cancellation strikes."""

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]  # noqa: ARG002 - asyncio's signature
        """Run the job inline, as a step of its own."""
        future = self.create_future()

        def job() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except BaseException as error:  # noqa: BLE001 - the job's error is the future's
                future.set_exception(error)

        self._ready.append(_Job(job, (), self))
        return future

    def _run_once(self) -> None:
        self._process_events(self._selector.select(0))
        self._take_due_timers()
        lanes = self._lanes()
        if not lanes:
            return
        keys = list(lanes)
        chosen = keys[self._chooser.choose(keys) if len(keys) > 1 else 0]
        handle = lanes[chosen]
        self._ready.remove(handle)
        self.steps += 1
        if self.steps > self.max_steps:
            raise LivelockError(self.max_steps, self._names())
        if self.before_step is not None and isinstance(chosen, asyncio.Task):
            self.before_step(chosen)  # pyright: ignore[reportUnknownArgumentType] - whatever the task returns
        handle._run()  # noqa: SLF001 - what BaseEventLoop does with a ready handle

    def _take_due_timers(self) -> None:
        """Move the timers that are due to the ready handles; where nothing else is ready, the next one is due."""
        timers = self._scheduled
        while timers and timers[0]._cancelled:  # noqa: SLF001 - as BaseEventLoop does
            heapq.heappop(timers)._scheduled = False  # noqa: SLF001 - as above
            self._timer_cancelled_count = max(0, self._timer_cancelled_count - 1)
        if not self._ready and not self._stopping:
            if not timers:
                raise DeadlockError(self._names())
            self._now = max(self._now, timers[0]._when)  # noqa: SLF001 - as above
        while timers and timers[0]._when <= self._now:  # noqa: SLF001 - as above
            timer = heapq.heappop(timers)
            timer._scheduled = False  # noqa: SLF001 - as above
            if not timer._cancelled:  # noqa: SLF001 - as above
                self._ready.append(timer)

    def _lanes(self) -> dict[Hashable, asyncio.Handle]:
        """The first ready handle of each lane, in the order in which the lanes became ready."""
        lanes: dict[Hashable, asyncio.Handle] = {}
        for handle in list(self._ready):
            if handle._cancelled:  # noqa: SLF001 - as BaseEventLoop does
                self._ready.remove(handle)
            else:
                lanes.setdefault(_lane(handle), handle)
        return lanes

    def _names(self) -> list[str]:
        return sorted(task.get_name() for task in asyncio.all_tasks(self))


def _lane(handle: asyncio.Handle) -> Hashable:
    if isinstance(handle, _Job):
        return handle
    callback: Any = getattr(handle, "_callback", None)
    owner = getattr(callback, "__self__", None)  # the task, where this is a task's step
    return cast("Hashable", owner) if isinstance(owner, asyncio.Task) else None
