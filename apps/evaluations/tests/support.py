"""What the tests of the API ask for, and the fields of what they get."""

from typing import Any

BODY: dict[str, Any] = {
    "dataset": "sums",
    "split": "dev",
    "limit": 2,
    "arms": [{"method": "direct"}, {"method": "self_consistency", "method_config": {"k": 3}}],
}
FIELDS = {
    *("id", "name", "status", "dataset", "split", "limit", "task_count", "repeats", "seed"),
    *("budget", "concurrency", "arms", "differences", "done", "total", "eta_seconds"),
    *("warnings", "failure", "created_by", "created_at", "started_at", "finished_at"),
}
