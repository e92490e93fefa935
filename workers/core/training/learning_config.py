"""Settings that trainings of language models have in common. Light: it loads no torch."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from workers.core.rollouts.base import Normaliser, OptimiserName
from workers.core.training.levels import Level, adapter_rank

Ratios = Literal["samples", "all"]


class LearningConfig(BaseModel):
    """How policies are updated, and what is kept. A method's config names it first among its bases,
    so in forms these settings follow its own."""

    if TYPE_CHECKING:  # the method's own settings, each with its default there
        model: str = ""
        level: Level = "shared"
        rank: int = 0
        cold_steps: int = 0
        cold_rate: float = 0.0
        steps: int = 0

        def run_config(self) -> BaseModel: ...

    # Updates.
    optimiser: OptimiserName = Field(
        default="adamw",
        description=(
            "adamw, or muon: its steps follow all directions of a matrix's gradient alike. For "
            "trainings of all weights."
        ),
    )
    learning_rate: float = Field(gt=0, le=1)
    final_rate: float = Field(
        default=0.1,
        gt=0,
        le=1,
        description=(
            "Share of the learning rate that is left at the end. It falls evenly (published: 1)."
        ),
    )
    warmup: int = Field(
        default=10, ge=0, le=10_000, description="Steps in which the rate rises to its full value."
    )
    updates: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Optimiser steps per step, each on a part of what was sampled.",
    )
    epsilon: float = Field(
        default=0.2, gt=0, lt=1, description="Clip of the ratio: 1 − ε to 1 + ε."
    )
    kl: float = Field(
        default=0.0,
        ge=0,
        le=100,
        description="Weight of the KL divergence from the policy that sampling began with.",
    )
    exact: bool = Field(
        default=False,
        description=(
            "The model below adapters has numbers of 32 bits even where 16 are faster: on GPUs, "
            "and on CPUs with AMX for models as wide as Qwen2.5-0.5B. What samples and what "
            "learns then agree to a hundred-thousandth; with 16 bits they differ by about a "
            "hundredth of a token's log-probability. All weights always have 32."
        ),
    )
    normaliser: Normaliser = Field(
        default="sequence",
        description="What has equal weight in a policy's loss: each reply, or each token.",
    )

    # What is kept.
    checkpoint_every: int = Field(default=25, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="Tasks that are never learned from. Every checkpoint does them.",
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Sampled runs kept per step to be looked at."
    )
    branches_kept: int = Field(
        default=1_000,
        ge=0,
        le=100_000,
        description="The latest steps of which every token is kept to be looked at. 0: none.",
    )
    ratios: Ratios = Field(
        default="samples",
        description=(
            "Which of the kept tokens have their ratio π after ÷ π when sampled. samples: those of "
            "the sampled runs. all: every token; a step takes up to a third of its update longer, "
            "and its file is up to twice as large."
        ),
    )

    def with_ratios(self, count: int) -> int:
        """Of a step's `count` episodes or questions, how many have ratios: the first ones."""
        return count if self.ratios == "all" else min(count, self.samples_per_step)

    def adapter_rank(self) -> int:
        """0: all weights are trained."""
        return adapter_rank(self.level, self.rank)

    def total_steps(self) -> int:
        """At least 1: policies that were trained alone are joined in a step."""
        return max(1, self.cold_steps + self.steps)

    def first_steps(self) -> int:
        return self.cold_steps if self.steps else 0
