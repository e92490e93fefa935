"""Attempts of a run that tell their events, and whose workers can be lost at any time."""

from datetime import UTC, datetime, timedelta
from typing import Any

from apps.runs.lifecycle import run_claim
from apps.runs.models import Run
from apps.runs.tests import traces

USED = {"prompt_tokens": 30, "completion_tokens": 12, "cost": 0.5}
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def claim(run: Run) -> Run:
    claimed = run_claim(run_id=run.id, worker="w")
    assert claimed is not None
    Run.objects.filter(id=run.id).update(heartbeat_at=BEGAN)
    return claimed


def tell(run: Run, kind: str, second: float = 0, **payload: Any) -> None:
    traces.tell(run, kind, attempt=run.attempt, at=BEGAN + timedelta(seconds=second), **payload)
