"""What is asked of an evaluation."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workers.core.specs import Budget, Spec

MAX_ARMS = 30
MAX_REPEATS = 100
MAX_CELLS = 100_000
MAX_CONCURRENCY = 64
LABEL_CHARS = 120


class ArmRequest(Spec):
    """One way of answering. None means: the studio's default."""

    label: str | None = None
    method: str
    method_config: dict[str, Any] = Field(default_factory=dict)
    checkpoint: str | None = None
    endpoint: str | None = None
    pool: str | None = None

    def default_label(self) -> str:
        name = f"{self.method} · {self.checkpoint}" if self.checkpoint else self.method
        return name[:LABEL_CHARS]


class EvaluationRequest(Spec):
    """The body of `POST /api/evaluations`. `budget` is that of one answer.

    `seed` is 0 by default, not a random one: asked twice, an evaluation answers the same.
    """

    dataset: str
    split: str
    arms: tuple[ArmRequest, ...]
    name: str | None = None
    limit: int | None = Field(default=None, ge=1)
    repeats: int = Field(default=1, ge=1, le=MAX_REPEATS)
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    budget: Budget = Budget()
    concurrency: int = Field(default=4, ge=1, le=MAX_CONCURRENCY)
