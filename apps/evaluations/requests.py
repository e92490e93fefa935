"""What a request for an evaluation may say."""

from typing import Any
from uuid import UUID

from pydantic import Field, field_validator

from apps.setups.wanted import MAX_REPLY_TOKENS
from workers.core.specs import Budget, Spec, SystemBudget

MAX_ARMS = 30
MAX_REPEATS = 100
MAX_CELLS = 100_000
MAX_TEXT_BYTES = 64 * 1024 * 1024
"""Limit on the text of its tasks: while an evaluation is made, a web process holds up to ten times
as much."""
MAX_CONCURRENCY = 64
LABEL_CHARS = 120


class ArmRequest(Spec):
    """One way of answering. None means the studio's default; for the limit of one reply, the limit
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
    """The body of `POST /api/evaluations`. `budget` limits one answer.

    `seed` is 0 by default, not random, so that a repeated evaluation gives the same answers.
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
        """Answers wait for the endpoint together, and their number at once must not make some of
        them wrong. So the default time limit is wider. A limit that a person set stays."""
        return SystemBudget.model_validate(budget.model_dump(exclude_unset=True))
