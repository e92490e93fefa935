"""Appends to a run's trace, and ends it, from web and watchdog.

Workers write their events through `workers.tasks.sink`. Here are the few events that other
processes write. Every function needs the caller to hold the lock on the run's row, so that no other
process appends at the same time.
"""

from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from apps.runs.dispatch import queue_of, run_enqueue
from apps.runs.feed import StatusEntry, publish, trace_entry
from apps.runs.models import Run, RunEvent
from workers.core.events import AttemptLost, RunCancelled, RunFailed
from workers.core.specs import Usage


def event_append(*, run: Run, event: AttemptLost | RunFailed | RunCancelled) -> None:
    """Stores the event as the next event of this attempt; announces it on commit."""
    last = run.events.filter(attempt=run.attempt).aggregate(last=Max("seq"))["last"] or 0
    RunEvent.objects.create(
        run=run,
        attempt=run.attempt,
        seq=last + 1,
        kind=event.event,
        payload=event.model_dump(mode="json"),
        at=datetime.fromtimestamp(event.at, UTC),
    )
    payload = event.model_dump_json().encode()
    entry = trace_entry(str(run.id), run.attempt, last + 1, [payload], event.event)
    transaction.on_commit(partial(publish, entry))


def run_end(*, run: Run, event: RunFailed | RunCancelled) -> None:
    """Writes the terminal event and the row together."""
    run.status = Run.Status.FAILED if isinstance(event, RunFailed) else Run.Status.CANCELLED
    run.failure = event.failure.model_dump() if isinstance(event, RunFailed) else None
    run.finished_at = Now()
    run.seconds = event.seconds or run.seconds
    run.save(update_fields=["status", "failure", "finished_at", "seconds"])
    event_append(run=run, event=event)


def run_queue_again(run: Run, *changed: str) -> None:
    """Saves the run, with other `changed` fields, as one that waits for a worker, and sends it to
    the workers on commit."""
    run.status, run.worker = Run.Status.QUEUED, ""
    run.heartbeat_at, run.enqueued_at = None, Now()
    run.save(update_fields=["status", "worker", "heartbeat_at", "enqueued_at", *changed])
    status_announce(run)
    queue = queue_of(run.evaluation_id)
    transaction.on_commit(partial(run_enqueue, run.id, queue), robust=True)


def so_far(run: Run) -> dict[str, Any]:
    """What a run that once waited had used so far: `usage` and `seconds` for an end that no worker
    reports."""
    if run.agent_count is None:
        return {}
    used = Usage(
        prompt_tokens=run.prompt_tokens, completion_tokens=run.completion_tokens, cost=run.cost
    )
    return {"usage": used, "seconds": run.seconds or 0.0}


def status_announce(run: Run) -> None:
    transaction.on_commit(partial(publish, StatusEntry(str(run.id))))
