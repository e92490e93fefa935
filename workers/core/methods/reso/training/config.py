"""What a training of ReSo may set. Equations are those of ReSo (EMNLP 2025, §3)."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.agents.scoring import EXPLORING, MOST_CANDIDATES, Exploration
from workers.core.methods.base import Sweep
from workers.core.methods.reso.config import ReSoConfig, SearchConfig
from workers.core.methods.reso.tuning.config import RewardForm, TuningConfig
from workers.core.specs import EndpointKey, Slug
from workers.core.weights.files import MODEL_NAME

GROUPS = {
    "learns": "What learns",
    "planner": "The task graph",
    "endpoints": "The agents, and who suits a subtask",
    "steps": "What the agents are asked",
    "reward": "What an answer is worth",
    "checkpoint_every": "What is kept",
    "model": "LoRA, where a planner or a reward model learns",
}
"""The first setting of each group → its title: a form shows the settings in these groups."""


class _Learns(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    learns: Literal["agents", "planner", "reward_model"] = Field(
        default="agents",
        description=(
            "agents: the database, from what answers earn. planner: a model, from task graphs, "
            "those of the data set or of the endpoint's model. reward_model: a model, from the "
            "agents' answers to subtasks whose right answer is known."
        ),
    )


class _AgentsConfig(SearchConfig):
    """How the database learns."""

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
        default=EXPLORING.exploration_weight,
        ge=0,
        le=1e3,
        description="c of the UCB (published: 0.3).",
    )

    # What an answer is worth.
    reward: Literal["rule", "judge", "model"] = Field(
        default="rule",
        description=(
            "Who says what an answer is worth: rule, the subtask's known answer; judge, a model "
            "on an endpoint; model, one that gives a number, in the trainer's own process."
        ),
    )
    judge_endpoint: EndpointKey | None = Field(
        default=None, description="The judge's endpoint; none: the training's own."
    )
    reward_model: str = Field(
        default="",
        pattern=MODEL_NAME,
        description=(
            "The reward model: a folder's name below that of local models, or owner/name on the "
            "hub, with a head of one or two labels, of the kind of Qwen2.5-Math-PRM, or a language "
            "model that says + or − of each step. Never with code of its own."
        ),
    )
    reward_form: RewardForm = Field(
        default="auto",
        description=(
            "How a language model says its reward: step_tag, as + or − at a mark after each step "
            "(Math-Shepherd); chat_turns, as + or − in a turn of its own (RLHFlow). auto: the "
            "model's head says it, or its name is known."
        ),
    )
    reward_checkpoint: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,119})?$",
        description="Instead of it, the checkpoint that the training of a reward model left.",
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
    def _who_rewards_is_named(self) -> Self:
        if self.judge_endpoint is not None and self.reward != "judge":
            raise ValueError("judge_endpoint is named, but reward is not “judge”")
        named = bool(self.reward_model) + bool(self.reward_checkpoint)
        if named and self.reward != "model":
            raise ValueError("a reward model is named, but reward is not “model”")
        if named != 1 and self.reward == "model":
            raise ValueError("name either reward_model or reward_checkpoint")
        if self.reward_form != "auto" and not self.reward_model:
            raise ValueError("reward_form is told, but no reward_model is named")
        return self

    def named_endpoints(self) -> tuple[Slug, ...]:
        judge = () if self.judge_endpoint is None else (self.judge_endpoint,)
        return tuple(dict.fromkeys((*super().named_endpoints(), *judge)))

    def named_checkpoints(self) -> tuple[str, ...]:
        return (self.reward_checkpoint,) if self.reward_checkpoint else ()

    def run_config(self) -> ReSoConfig:
        """Under which runs use what was learned: they explore no more."""
        shared = {name: getattr(self, name) for name in SearchConfig.model_fields}
        return ReSoConfig(**shared, k=self.held_out_k, exploration=self.exploration)


class ReSoTrainingConfig(TuningConfig, _AgentsConfig, _Learns):
    """All settings of a training. Where a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    checkpoint_every: int = Field(default=5, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description=(
            "Tasks that are never learned from: answered as runs are at each checkpoint, or what a "
            "tuned model is tried on."
        ),
    )

    def total_steps(self) -> int:
        """0: how many depends on the examples that are found."""
        return self.steps if self.learns == "agents" else 0

    def tuning(self) -> TuningConfig:
        return TuningConfig(**{name: getattr(self, name) for name in TuningConfig.model_fields})


STUDIO: dict[str, Any] = {"exploration": EXPLORING.exploration}
"""See 3 of the package's page."""
PAPER: dict[str, Any] = {"queries_per_step": 1, "k": 3, "threshold": 0.4}
"""The paper names no k. Its fine search chooses among k answers, so k is above 1."""
PUBLISHED: dict[str, Any] = {**PAPER, "k": 1, "exploration": "log", "gate": "sigmoid"}
"""The published code's settings, where they are not those of the paper. With its k of 1 the fine
search has nothing to choose among."""

SMALL_MODEL = "Qwen/Qwen2.5-0.5B-Instruct"
PRESETS: dict[str, dict[str, Any]] = {
    "studio": STUDIO,
    "paper": PAPER,
    "published": PUBLISHED,
    "planner": {"learns": "planner", "model": SMALL_MODEL, "checkpoint_every": 25},
    "reward-model": {
        **STUDIO,
        "learns": "reward_model",
        "model": SMALL_MODEL,
        "checkpoint_every": 25,
    },
}

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
