"""Executes runs: claims one, passes it to the engine, waits."""

from __future__ import annotations

import gc
import logging
from typing import TYPE_CHECKING
from uuid import UUID

from celery import shared_task
from celery.signals import worker_process_shutdown, worker_shutdown, worker_shutting_down
from django.db import close_old_connections
from pydantic import ValidationError

from apps.agents.services import profiles_ensure
from apps.evaluations.coordinator import run_ended
from apps.runs.dispatch import queue_of, run_enqueue
from apps.runs.lifecycle import run_claim, run_fail, run_give_back, runs_follow
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from workers.core.errors import Failure

if TYPE_CHECKING:
    from workers.tasks.engine import Engine

log = logging.getLogger(__name__)

STOPPED = Failure(
    code="worker_stopped",
    message="The worker is stopping and gave the run back.",
    remedy="You need not do anything. Another worker continues it. This does not count as a try.",
)


@shared_task(name="workers.tasks.inference.run_execute", ignore_result=True)
def run_execute(run_id: str) -> None:
    """Execute one run to its end. A second message for the same run does nothing. A message also
    does nothing while the owner's other runs must end first."""
    from workers.tasks.engine import engine

    motor = engine()
    if motor.stopping:
        _pass_on(UUID(run_id))
        return
    run = run_claim(run_id=UUID(run_id), worker=motor.name)
    if run is not None:
        _execute(run, motor)
        run_ended(run)
        runs_follow(run)


def _execute(run: Run, motor: Engine) -> None:
    from workers.tasks.engine import EngineStopped, Job, Verdict

    try:
        job = Job(str(run.id), run.attempt, run_spec(run))
    except ValidationError as error:
        run_fail(run_id=run.id, attempt=run.attempt, failure=_unreadable(error))
        return
    try:
        executing = motor.submit(job)
        # Its connection would wait with this thread: more threads than the pool has would stop all.
        close_old_connections()
        report = executing.result()
    except EngineStopped:
        report = None
    if report is None or report.verdict is Verdict.GIVEN_BACK:
        run_give_back(run_id=run.id, attempt=run.attempt, reason=STOPPED)
    elif report.verdict is Verdict.ENDED and run.pool_version and report.played:
        profiles_ensure(pool_key=run.pool_version.key, agents=report.played)


def _pass_on(run_id: UUID) -> None:
    for evaluation_id in Run.objects.filter(id=run_id).values_list("evaluation_id", flat=True):
        run_enqueue(run_id, queue_of(evaluation_id))


def _unreadable(error: ValidationError) -> Failure:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    return Failure(
        code="unreadable_run",
        message=f"This version can't read the stored run: {where}: {first['msg']}",
        remedy="Ask the question again.",
    )


@worker_shutting_down.connect(weak=False)
def give_runs_back(**_: object) -> None:
    """On SIGTERM and Ctrl-C Celery waits for its tasks, so make them end now."""
    from workers.tasks.engine import engine_if_started

    engine_if_started().give_everything_back()


@worker_shutdown.connect(weak=False)
@worker_process_shutdown.connect(weak=False)
def stop_engine(**_: object) -> None:
    from workers.tasks.engine import engine_if_started

    engine_if_started().stop()
    # Whoever stops a worker waits for it: without this, Python walks all of torch before it exits.
    gc.freeze()
