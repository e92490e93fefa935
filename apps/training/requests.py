"""What a request for a training may say."""

from typing import Any

from pydantic import Field

from workers.core.methods.registry import DEFAULT_METHOD
from workers.core.specs import Spec, SystemBudget, TrainingBudget

MAX_KEPT = 1_000


class TrainingRequest(Spec):
    """The body of `POST /api/training-jobs`. None means the studio's default.

    `config` replaces values of the `preset` (None: the method's first), and the preset replaces
    defaults. `per_system` limits one sampled system, `budget` the whole training.
    """

    method: str = DEFAULT_METHOD
    dataset: str
    split: str = "train"
    limit: int | None = Field(default=None, ge=1)
    name: str | None = None
    preset: str | None = None
    config: dict[str, Any] = Field(default_factory=dict)
    endpoint: str | None = None
    pool: str | None = None
    seed: int | None = Field(default=None, ge=0, le=2**31 - 1)
    start_from: str | None = None
    budget: TrainingBudget = TrainingBudget()
    per_system: SystemBudget = SystemBudget()
    keep_checkpoints: int = Field(default=5, ge=1, le=MAX_KEPT)
