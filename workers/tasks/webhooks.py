"""Notifies webhooks about what has ended.

Teller              in every worker that answers people: one round every few seconds
webhooks_tell()     one round: finds what ended, sends what is due
deliveries_sweep() every hour: deletes deliveries that ended long ago

A round is not a task: its message would wait behind all questions of people, and expire.
"""

import logging
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import Error

from apps.common.connections import connection_release
from apps.runs.feed import Outage
from apps.webhooks import delivering, reasons
from apps.webhooks.finding import endings_find
from apps.webhooks.selectors import any_active

log = logging.getLogger(__name__)

STOP_SECONDS = reasons.SECONDS + 2
"""Time to note a delivery that is just being sent. If it is stopped earlier, it is sent twice."""


class Teller:
    """A thread of this process that notifies until it is stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._tell, name="webhooks", daemon=True)
            self._thread.start()

    def leave(self) -> None:
        """Start no other round. Returns at once; safe in a signal handler."""
        self._stopping.set()

    def stop(self) -> None:
        self.leave()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _tell(self) -> None:
        outage = Outage(log, "the database is away; no webhook is notified")
        while not self._stopping.wait(settings.WEBHOOK_TICK_SECONDS):
            try:
                webhooks_tell(self._stopping)
                outage.over()
            except Error as error:
                outage.goes_on(error)
            except Exception:  # a bug in the way of one round is not the end of all of them
                log.exception("a round of webhooks stopped with an error")
            finally:
                connection_release()


def webhooks_tell(stopping: threading.Event | None = None) -> int:
    """Run one round and return how many deliveries were tried. Rounds may run at the same time.
    Without any webhook a round is a single look-up."""
    if not any_active():
        return 0
    if found := endings_find():
        log.info("webhooks: %d endings to notify", found)
    return delivering.deliveries_send(stopping)


@shared_task(name="workers.tasks.webhooks.deliveries_sweep", ignore_result=True)
def deliveries_sweep() -> int:
    """Delete old deliveries and return how many."""
    removed = delivering.deliveries_sweep()
    if removed:
        log.info("removed %d deliveries of webhooks that ended long ago", removed)
    return removed


_teller = Teller()


@worker_ready.connect(weak=False)
def begin_to_tell(sender: Any, **_: object) -> None:
    """Not in a worker only for trainings: its machine may not reach the receivers."""
    if settings.CELERY_TASK_DEFAULT_QUEUE in sender.app.amqp.queues.consume_from:
        _teller.start()


@worker_shutting_down.connect(weak=False)
def leave_telling(**_: object) -> None:
    _teller.leave()


@worker_shutdown.connect(weak=False)
def stop_telling(**_: object) -> None:
    _teller.stop()
