"""What the tests of the API ask for, and what they get."""

from typing import Any

from apps.training.models import TrainingJob

BODY: dict[str, Any] = {"method": "learner", "dataset": "sums"}
FIELDS = {
    *("id", "name", "method", "status", "attempt", "preset", "config", "seed", "code_version"),
    *("pool", "pool_version", "dataset", "dataset_digest", "split", "limit", "endpoint", "model"),
    *("start_from", "budget", "per_system", "keep_checkpoints", "step", "total_steps"),
    *("step_share", "eta_seconds", "tokens", "cost", "charged_tokens", "charged_cost", "latest"),
    *("notices", "end_reason", "failure", "cancel_requested_at"),
    *("checkpoints", "created_by", "created_at", "started_at", "finished_at"),
}
METHOD_DEFAULTS = {
    **{"steps": 10, "checkpoint_every": 5, "step_seconds": 0.0, "beside": ""},
    **dict.fromkeys(("stall", "ask", "hostile"), False),
    **dict.fromkeys(("fail_at", "crash_at", "not_finite_at", "peak")),
}


def address(job: TrainingJob, more: str = "") -> str:
    return f"/api/training-jobs/{job.id}{more}"
