"""What the tests of the API ask for, and what they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.test import APIClient

from apps.training.models import TrainingJob

AsUser = Callable[[str], APIClient]
BODY: dict[str, Any] = {"method": "learner", "dataset": "sums"}
GROUPS = ("anonymous", "outsider", "viewer", "operator", "curator", "admin")
READS = {"anonymous": 401, "outsider": 403}
FIELDS = {
    *("id", "name", "method", "status", "attempt", "preset", "config", "seed", "code_version"),
    *("pool", "pool_version", "dataset", "dataset_digest", "split", "limit", "endpoint", "model"),
    *("start_from", "budget", "per_system", "keep_checkpoints", "step", "total_steps"),
    "step_share",
    *(
        "eta_seconds",
        "tokens",
        "cost",
        "charged_tokens",
        "charged_cost",
        "latest",
        "notices",
        "end_reason",
        "failure",
    ),
    *("checkpoints", "created_by", "created_at", "started_at", "finished_at"),
    "cancel_requested_at",
}
METHOD_DEFAULTS = {
    "steps": 10,
    "checkpoint_every": 5,
    "step_seconds": 0.0,
    "stall": False,
    "fail_at": None,
    "crash_at": None,
    "not_finite_at": None,
    "ask": False,
    "peak": None,
    "hostile": False,
}


def address(job: TrainingJob, more: str = "") -> str:
    return f"/api/training-jobs/{job.id}{more}"
