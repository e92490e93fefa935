"""One attempt at a training: a method learns on its own loop, and its events are stored.

    claim ──▶ lock the folder ──▶ method.train(tasks, context) ──▶ event ──▶ Postgres ──▶ next step
                    │                                                           │
                    └── heart: signs of life; what people want ── StopSwitch ───┘

An event is stored before the method continues. So the method is at most one step ahead of what
people see, and it stops at once if it is fenced off. If Postgres is away, the training waits for
it, however long.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from functools import partial
from typing import Any, Literal, TypeVar

from django.db import InterfaceError, OperationalError, connection

from apps.runs.feed import Outage
from apps.setups.learning import asks_endpoint
from apps.training.folders import training_folder
from apps.training.lifecycle import (
    Fenced,
    training_end,
    training_fail,
    training_give_back,
    training_heartbeat,
    training_stopped,
)
from apps.training.models import Metric, TrainingJob
from apps.training.records import RECORDERS
from workers.core.concurrency import to_its_end
from workers.core.errors import Failure, MethodError
from workers.core.events import Event, TrainingEnded, TrainingMetric
from workers.core.llm.spending import JOB, Spent
from workers.core.llm.types import BudgetExceeded
from workers.core.methods.base import Method
from workers.core.methods.registry import METHODS
from workers.core.plain_text import clean
from workers.core.rollouts.base import BrokenOff
from workers.core.specs import TaskSpec
from workers.core.training.context import Pulse, StopSwitch, TrainingContext
from workers.tasks.learning.context import Equipment, equipped, spent_before, training_context
from workers.tasks.learning.failures import failure_of
from workers.tasks.learning.folder import locked, tasks_of, traces_of
from workers.tasks.learning.heart import Heart, Wish
from workers.tasks.learning.tensorboard import Step, TensorBoard

log = logging.getLogger(__name__)

GRACE_SECONDS = 3.0
"""Seconds after a wish at which an unfinished step is broken off: by a cancellation always, by a
pause only where no endpoint was paid for the step."""

AWAY_SECONDS = 1.0

T = TypeVar("T")


class Session:
    """`run` blocks its thread. `give_back` may be called from any thread."""

    def __init__(self, job: TrainingJob, methods: Mapping[str, Method] = METHODS) -> None:
        self.stop = StopSwitch()
        self._pulse = Pulse()
        self._job = job
        self._methods = methods
        self._step = job.step
        self._folder = training_folder(job.id)
        self._board = TensorBoard(self._folder, job.attempt)
        self._equipment: Equipment | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._training: asyncio.Task[None] | None = None
        self._leaving: Literal["lost", "given back", "cut off"] | None = None
        self._over = False

    def run(self) -> None:
        """Returns when the attempt ends. Its outcome is stored unless it lost the job."""
        job = self._job
        heart = Heart(job, spent=self._spent, share=lambda: self._pulse.share, hear=self._hear)
        heart.start()
        try:
            asyncio.run(self._main())
        except Fenced:
            log.warning("training %s was taken away from this worker", job.id)
        finally:
            heart.stop()

    def give_back(self) -> None:
        """Stop at once. The current step is lost; the next worker repeats it."""
        self._leave("given back")

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._training = asyncio.create_task(self._train())
        if self._leaving:
            self._training.cancel()
        await asyncio.wait([self._training])
        await self._close(self._training)

    async def _close(self, training: asyncio.Task[None]) -> None:
        """Store the attempt's outcome. Raises Fenced."""
        if self._over:
            return
        job_id, attempt = self._job.id, self._job.attempt
        error = None if training.cancelled() else training.exception()
        if isinstance(error, Fenced) or self._leaving == "lost":
            raise Fenced
        if training.cancelled() or (self._leaving and isinstance(error, BrokenOff)):
            end = training_stopped if self._leaving == "cut off" else training_give_back
            await self._tell_spent()
            await stored(partial(end, job_id=job_id, attempt=attempt))
        elif error is not None:
            failure = failure_of(error)
            if failure.code == "internal_error":
                log.error("training %s stopped with an error", job_id, exc_info=error)
            failure = Failure.model_validate(clean(failure.model_dump()))
            await self._tell_spent()
            await stored(partial(training_fail, job_id=job_id, attempt=attempt, failure=failure))

    async def _train(self) -> None:
        job, folder = self._job, self._folder
        lock = locked(folder)
        await asyncio.to_thread(lock.__enter__)
        try:
            tasks = await stored(partial(tasks_of, job, folder))
            traces = await stored(partial(traces_of, job, folder, tasks))
            await stored(self._fill_board)
            async with equipped(job) as self._equipment:
                context = training_context(
                    job, folder, self._equipment, traces, stop=self.stop, pulse=self._pulse
                )
                await self._learn(tasks, context)
        finally:
            self._board.close()
            lock.__exit__(None, None, None)

    async def _learn(self, tasks: list[TaskSpec], context: TrainingContext) -> None:
        method = self._methods.get(self._job.method)
        if method is None or not hasattr(method, "train"):
            raise MethodError(
                code="method_learns_nothing",
                message=f"This version of the worker has no learning method “{self._job.method}”.",
                remedy="Update the worker, then resume.",
            )
        events = method.train(tasks, context)
        if not isinstance(events, AsyncGenerator):
            raise TypeError(f"{type(method).__name__}.train must be an async generator")
        try:
            async with aclosing(events):
                async for event in events:
                    await self._take(event)
                    if isinstance(event, TrainingEnded):
                        return
        except BudgetExceeded as error:
            if error.limit != JOB:
                raise
            await self._take(TrainingEnded(step=self._step, reason="budget"))
            return
        raise RuntimeError(f"{type(method).__name__}.train ended without training_ended")

    async def _take(self, event: Event) -> None:
        """Store the event. Raises Fenced, NotPublished."""
        job = self._job
        told: dict[str, Any] = {"job_id": job.id, "attempt": job.attempt, "event": event}
        if (record := RECORDERS.get(type(event))) is not None:
            await stored(partial(record, **told, spent=self._spent()))
        if isinstance(event, TrainingMetric):
            self._step = event.step
            await to_its_end(self._board.add, event.step, event.at, event.values)
        elif isinstance(event, TrainingEnded):
            await self._tell_spent()
            await stored(partial(self._end, **told))

    def _end(self, **told: Any) -> None:
        training_end(**told)
        self._over = True

    async def _tell_spent(self) -> None:
        """Also store the last calls: the next attempt's limit counts from there. Raises Fenced."""
        job, spent = self._job, self._spent()
        await stored(partial(training_heartbeat, job_id=job.id, attempt=job.attempt, spent=spent))

    def _spent(self) -> Spent:
        if self._equipment is not None:
            return self._equipment.client.spent
        return spent_before(self._job)

    def _fill_board(self) -> None:
        rows = Metric.objects.filter(job_id=self._job.id).order_by("step")
        self._board.begin(map(_step, rows.iterator(1_000)))

    # -- what is heard from other threads

    def _hear(self, wish: Wish) -> None:
        if wish == "lost":
            self._leave("lost")
        elif wish != self.stop.wanted:
            self.stop.wanted = wish
            if wish == "cancelled" or not asks_endpoint(self._methods.get(self._job.method)):
                # No timer of the loop: the loop itself may wait for processes that hang.
                timer = threading.Timer(GRACE_SECONDS, self._leave, ["cut off"])
                timer.daemon = True
                timer.start()

    def _leave(self, how: Literal["lost", "given back", "cut off"]) -> None:
        self._leaving = self._leaving or how
        if self._loop is not None and self._training is not None:
            with suppress(RuntimeError):  # the loop has ended by itself just now
                self._loop.call_soon_threadsafe(self._training.cancel)
        self.stop.broken_off.set()  # last: the cancellation comes before what threads then raise


async def stored(write: Callable[[], T]) -> T:
    """Write outside the loop, and again while Postgres is away; every write may be repeated. A
    write that has begun always finishes: some also go to the job's folder."""
    outage = Outage(log, "Postgres is away; the training waits")
    while True:
        try:
            return await to_its_end(_in_database, write)
        except (OperationalError, InterfaceError) as error:
            outage.goes_on(error)
            await asyncio.sleep(AWAY_SECONDS)


def _in_database(write: Callable[[], T]) -> T:
    try:
        return write()
    finally:
        connection.close()


def _step(metric: Metric) -> Step:
    return metric.step, metric.at.timestamp(), metric.values
