"""Trains on the queue `training`: claims a job and learns in this thread.

Importing it does not load torch, so a worker that waits for jobs stays small.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
from typing import TYPE_CHECKING
from uuid import UUID

from celery import shared_task
from celery.signals import worker_init, worker_shutting_down

from apps.common.version import code_version
from apps.training.dispatch import training_enqueue
from apps.training.lifecycle import training_claim

if TYPE_CHECKING:
    from workers.tasks.learning.session import Session

log = logging.getLogger(__name__)

NICENESS = 10

_sessions: set[Session] = set()
_stopping = threading.Event()


@shared_task(name="workers.tasks.training.training_execute", ignore_result=True)
def training_execute(job_id: str) -> None:
    """One attempt at a training. A second message for the same job does nothing."""
    if _stopping.is_set():
        training_enqueue(UUID(job_id))
        return
    _let_people_first()
    train(UUID(job_id))


def train(job_id: UUID) -> bool:
    """One attempt, in this thread. False if another process has the job or it was cancelled."""
    from workers.tasks.learning.session import Session

    name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
    job = training_claim(job_id=job_id, worker=name)
    if job is None:
        return False
    session = Session(job)
    _sessions.add(session)
    try:
        if _stopping.is_set():
            session.give_back()
        session.run()
    finally:
        _sessions.discard(session)
    return True


def give_trainings_back() -> None:
    """Make every training of this process leave at once, so another worker can continue it."""
    for session in tuple(_sessions):
        session.give_back()


@worker_init.connect(weak=False)
def remember_version(**_: object) -> None:
    """The version of the loaded code: the checkout may be updated while this worker runs."""
    code_version()


@worker_shutting_down.connect(weak=False)
def stop_training(**_: object) -> None:
    """On SIGTERM and Ctrl-C Celery waits for its tasks, so make them end now."""
    _stopping.set()
    give_trainings_back()


def _let_people_first() -> None:
    """Lower this thread's priority: what people wait for gets the processor first. Linux counts
    niceness per thread, and threads that this one starts, such as torch's, inherit it."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
    except (AttributeError, OSError) as error:
        log.info("the training's priority could not be lowered: %s", error)
