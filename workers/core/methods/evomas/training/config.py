"""The settings of an EvoMAS training. Sections and equations are those of arXiv 2605.08769."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from workers.core.methods.base import Sweep
from workers.core.methods.evomas.config import EvoMasConfig, SolvingConfig

GROUPS = {
    "agents": "Agents and stages",
    "steps": "Sampling",
    "process_reward": "Rewards and baseline",
    "learning_rate": "Updates",
    "width": "Adapter, if it is untrained",
    "checkpoint_every": "Checkpoints and samples",
}
"""The first setting of each group → the group's title in a form."""


class EvoMasTrainingConfig(SolvingConfig):
    """All settings of a training. If a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    mass: float = Field(
        default=0.6, gt=0, le=1, description=SolvingConfig.model_fields["mass"].description
    )

    steps: int = Field(default=50, ge=1, le=100_000, description="Training steps.")
    tasks_per_step: int = Field(
        default=4, ge=1, le=1_024, description="Tasks per step (Algorithm 1: 1)."
    )
    rollouts_per_task: int = Field(
        default=4,
        ge=1,
        le=64,
        description="How often each task of a step is solved, with other draws (Algorithm 1: 1).",
    )

    process_reward: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description=(
            "Weight of the evaluator's verdicts in the reward. Above 0 it helps where right "
            "answers are too rare to learn from (§4.4: off in the main results)."
        ),
    )
    baseline: Literal["none", "moving", "group", "progress"] = Field(
        default="progress",
        description=(
            "What is subtracted from a return. none: nothing (Eq. 16). moving: the mean of earlier "
            "returns. group: the mean of the same task's other rollouts. progress: the mean of "
            "stages with as many open subtasks and stages left."
        ),
    )
    baseline_kept: float = Field(
        default=0.9,
        ge=0,
        lt=1,
        description="Share of the moving and the progress baseline that stays at each step.",
    )
    trace: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description=(
            "With the baseline “progress”: how much a stage is judged by what became of the task "
            "later. 0: only by the progress that it made. 1: only by the final result."
        ),
    )

    learning_rate: float = Field(
        default=6e-3, gt=0, le=1, description="Adam's learning rate (the paper names none)."
    )
    final_rate: float = Field(
        default=0.1,
        gt=0,
        le=1,
        description="Share of the learning rate at the last step. It falls evenly; 1: it stays.",
    )
    entropy_bonus: float = Field(
        default=0.02,
        ge=0,
        le=10,
        description=(
            "What a layer earns for each nat of its entropy at the first step, which keeps choices "
            "open. It falls evenly to 0 at the last step."
        ),
    )
    gradient_limit: float | None = Field(
        default=1.0, gt=0, description="Limit of the gradient's norm. None: no limit."
    )

    width: int = Field(
        default=256, ge=1, le=1_024, description="Width of queries and keys in the attention."
    )
    heads: int = Field(
        default=8,
        ge=1,
        le=32,
        description=(
            "Heads of the attention, which share the width. One head (Eq. 24 and 25) tells at most "
            "as many kinds of states apart as there are agents."
        ),
    )

    checkpoint_every: int = Field(default=10, ge=1, description="Steps between checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description=(
            "Tasks that are never learned from. Every checkpoint answers them like runs, and the "
            "best checkpoint is kept."
        ),
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Rollouts kept per step as samples to look at."
    )

    @model_validator(mode="after")
    def _something_to_learn(self) -> Self:
        if self.workflow:
            raise ValueError("workflow is fixed, so there is nothing to learn: leave it empty")
        if self.baseline == "group" and self.rollouts_per_task == 1:
            raise ValueError("the baseline “group” needs 2 or more rollouts_per_task")
        if self.process_reward and not self.state:
            raise ValueError("process_reward needs the evaluator: turn state on")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads can't share a width of {self.width} evenly")
        return self

    def run_config(self) -> EvoMasConfig:
        """The options of runs with what was learned."""
        return EvoMasConfig(**{name: getattr(self, name) for name in SolvingConfig.model_fields})


PAPER: dict[str, Any] = {
    "agents": "7",
    "layers": 3,
    "exit_ends": "task",
    "planner": "always",
    "tasks_per_step": 1,
    "rollouts_per_task": 1,
    "process_reward": 0.0,
    "baseline": "none",
    "final_rate": 1.0,
    "entropy_bonus": 0.0,
    "gradient_limit": None,
    "width": 64,
    "heads": 1,
}
"""Algorithm 1 and Eq. 16 to the letter. T, λ, ρ and the learning rate are not in the paper."""

PRESETS: dict[str, dict[str, Any]] = {"studio": {}, "paper": PAPER}

SWEEPS: dict[str, Sweep] = {
    "process reward": Sweep(preset="studio", values={"off": {}, "on": {"process_reward": 0.5}}),
    "agents": Sweep(preset="studio", values={"seven": {}, "four": {"agents": "4"}}),
    "baseline": Sweep(
        preset="studio",
        values={
            "of the progress": {},
            "of the group": {"baseline": "group"},
            "moving": {"baseline": "moving"},
            "none": {"baseline": "none"},
        },
    ),
}
