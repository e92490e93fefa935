"""What a training of ReSo may set. Equations are those of ReSo (EMNLP 2025, §3)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from workers.core.methods.base import Sweep
from workers.core.methods.reso.config import MOST_CANDIDATES, ReSoConfig, SearchConfig
from workers.core.methods.reso.scoring import Exploration
from workers.core.specs import EndpointKey, Slug

GROUPS = {
    "planner": "The task graph",
    "endpoints": "The agents, and who suits a subtask",
    "steps": "What is asked",
    "reward": "What an answer is worth",
    "checkpoint_every": "What is kept",
}
"""The first setting of each group → its title: a form shows the settings in these groups."""


class ReSoTrainingConfig(SearchConfig):
    """All settings of a training. Where a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    # What is asked.
    steps: int = Field(default=25, ge=1, le=100_000, description="Training steps.")
    queries_per_step: int = Field(
        default=4,
        ge=1,
        le=1_024,
        description=(
            "Queries that are solved with what was known before the step; what their answers "
            "earned counts from the next one on. The paper's code takes 1."
        ),
    )
    k: int = Field(
        default=2,
        ge=1,
        le=MOST_CANDIDATES,
        description="Agents that answer a subtask (published: 1).",
    )
    exploration: Exploration = Field(
        default="paper", description="√(N / (n + ε)), or the published code's √(ln(N + 1.01) / …)."
    )
    exploration_weight: float = Field(
        default=0.3, ge=0, le=1e3, description="c of the UCB (published: 0.3)."
    )

    # What an answer is worth.
    reward: Literal["rule", "judge"] = Field(
        default="rule",
        description=(
            "Who says what an answer is worth: rule, the subtask's known answer; judge, a model "
            "on an endpoint."
        ),
    )
    judge_endpoint: EndpointKey | None = Field(
        default=None, description="The judge's endpoint; none: the training's own."
    )

    # What is kept.
    checkpoint_every: int = Field(default=5, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Tasks answered as runs are at each checkpoint, and never learned from.",
    )
    held_out_k: int = Field(
        default=3, ge=1, le=MOST_CANDIDATES, description="Agents that answer a subtask there."
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Queries of a step that are kept to be looked at."
    )

    @model_validator(mode="after")
    def _judge_is_used(self) -> ReSoTrainingConfig:
        if self.judge_endpoint is not None and self.reward != "judge":
            raise ValueError("judge_endpoint is named, but reward is not “judge”")
        return self

    def named_endpoints(self) -> tuple[Slug, ...]:
        judge = () if self.judge_endpoint is None else (self.judge_endpoint,)
        return tuple(dict.fromkeys((*super().named_endpoints(), *judge)))

    def run_config(self) -> ReSoConfig:
        """Under which runs use what was learned: they explore no more."""
        shared = {name: getattr(self, name) for name in SearchConfig.model_fields}
        return ReSoConfig(**shared, k=self.held_out_k, exploration=self.exploration)


STUDIO: dict[str, Any] = {"exploration": "log"}
"""See 3 of the package's page."""
PAPER: dict[str, Any] = {"queries_per_step": 1, "k": 1, "threshold": 0.4}
PUBLISHED: dict[str, Any] = {**PAPER, "exploration": "log", "gate": "sigmoid"}
"""The published code's settings, where they are not those of the paper."""

PRESETS: dict[str, dict[str, Any]] = {"studio": STUDIO, "paper": PAPER, "published": PUBLISHED}

SWEEPS: dict[str, Sweep] = {
    "exploration": Sweep(
        preset="studio",
        values={
            "logarithm": {},
            "as in the paper": {"exploration": "paper"},
            "none": {"exploration_weight": 0.0},
        },
    ),
    "candidates": Sweep(
        preset="studio",
        values={f"k = {k}": {"k": k, "held_out_k": k} for k in (1, 2, 3, 5)},
    ),
    "gate": Sweep(
        preset="studio",
        values={
            "threshold 0.1": {"threshold": 0.1},
            "threshold 0.2": {},
            "threshold 0.4": {"threshold": 0.4},
            "smooth": {"gate": "sigmoid"},
        },
    ),
}
