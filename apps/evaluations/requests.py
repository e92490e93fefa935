"""What is asked of an evaluation."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field, field_validator

from apps.setups.wanted import MAX_REPLY_TOKENS
from workers.core.specs import Budget, Spec, SystemBudget

MAX_ARMS = 30
MAX_REPEATS = 100
MAX_CELLS = 100_000
MAX_TEXT_BYTES = 64 * 1024 * 1024
"""Of its tasks: while it is made, a web process holds up to ten times as much."""
MAX_CONCURRENCY = 64
LABEL_CHARS = 120


class ArmRequest(Spec):
    """One way of answering. None means: the studio's default, and for the limit of one reply that
    of the evaluation's budget."""

    label: str | None = None
    method: str
    method_config: dict[str, Any] = Field(default_factory=dict)
    checkpoint: str | None = None
    endpoint: str | None = None
    pool: str | None = None
    design: UUID | None = None
    design_version: int | None = None
    max_completion_tokens_per_call: int | None = Field(default=None, ge=1, le=MAX_REPLY_TOKENS)

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
    budget: Budget = SystemBudget()
    concurrency: int = Field(default=4, ge=1, le=MAX_CONCURRENCY)

    @field_validator("budget")
    @classmethod
    def _may_wait(cls, budget: Budget) -> SystemBudget:
        """Answers wait for the endpoint with each other: how many are asked for at once must not
        make some of them wrong. Seconds that somebody set are meant."""
        return SystemBudget.model_validate(budget.model_dump(exclude_unset=True))
