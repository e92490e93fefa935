"""The settings of a ReSo training. Equations are those of ReSo (EMNLP 2025, §3)."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.agents.scoring import EXPLORING, MOST_CANDIDATES, Exploration
from workers.core.methods.base import Sweep
from workers.core.methods.reso.config import ReSoConfig, SearchConfig
from workers.core.methods.reso.tuning.config import RewardForm, TuningConfig
from workers.core.specs import EndpointKey, Slug
from workers.core.weights.files import MODEL_NAME

GROUPS = {
    "learns": "What is trained",
    "planner": "Task graph",
    "endpoints": "Agents and their scores",
    "steps": "Steps and exploration",
    "reward": "Rewards",
    "checkpoint_every": "Checkpoints and samples",
    "model": "LoRA, for a planner or a reward model",
}
"""The first setting of each group → the group's title in a form."""


class _Learns(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    learns: Literal["agents", "planner", "reward_model"] = Field(
        default="agents",
        description=(
            "What is trained. agents: the database, from the rewards of answers. planner: a "
            "model, from task graphs of the dataset or of the endpoint's model. reward_model: a "
            "model, from the agents' answers to subtasks whose right answer is known."
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
            "Queries per step. They are solved with what was known before the step. Their "
            "rewards count from the next step on (the paper's code: 1)."
        ),
    )
    k: int = Field(
        default=2,
        ge=1,
        le=MOST_CANDIDATES,
        description="Number of agents that answer each subtask (published: 1).",
    )
    exploration: Exploration = Field(
        default="paper", description=ReSoConfig.model_fields["exploration"].description
    )
    exploration_weight: float = Field(
        default=EXPLORING.exploration_weight,
        ge=0,
        le=1e3,
        description=(
            "How strongly rarely tried agents are preferred. 0: no exploration (c of the UCB; "
            "published: 0.3)."
        ),
    )

    # What an answer is worth.
    reward: Literal["rule", "judge", "model"] = Field(
        default="rule",
        description=(
            "Who judges an answer. rule: the subtask's known answer. judge: a model on an "
            "endpoint. model: a reward model in the trainer's own process."
        ),
    )
    judge_endpoint: EndpointKey | None = Field(
        default=None, description="The judge's endpoint. None: the training's own endpoint."
    )
    reward_model: str = Field(
        default="",
        pattern=MODEL_NAME,
        description=(
            "The reward model: a folder below the local models, or owner/name on the hub. It "
            "has a head with one or two labels, is of the kind of Qwen2.5-Math-PRM, or is a "
            "language model that writes + or − after each step. Code that comes with a model is "
            "never run."
        ),
    )
    reward_form: RewardForm = Field(
        default="auto",
        description=(
            "How a language model gives its reward. step_tag: as + or − at a mark after each "
            "step (Math-Shepherd). chat_turns: as + or − in its own turn (RLHFlow). auto: by "
            "the model's head, or by its name if it is known."
        ),
    )
    reward_checkpoint: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,119})?$",
        description="The checkpoint of a trained reward model, instead of reward_model.",
    )

    # What is kept. `ReSoTrainingConfig` says what these two are.
    checkpoint_every: int
    held_out: int
    held_out_k: int = Field(
        default=3,
        ge=1,
        le=MOST_CANDIDATES,
        description=(
            "Number of agents that answer each subtask of held-out tasks, and of runs with the "
            "result."
        ),
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Queries kept per step as samples to look at."
    )

    @model_validator(mode="after")
    def _who_rewards_is_named(self) -> Self:
        if self.judge_endpoint is not None and self.reward != "judge":
            raise ValueError("judge_endpoint is set, but reward is not “judge”")
        named = bool(self.reward_model) + bool(self.reward_checkpoint)
        if named and self.reward != "model":
            raise ValueError("a reward model is set, but reward is not “model”")
        if named != 1 and self.reward == "model":
            raise ValueError("set either reward_model or reward_checkpoint")
        if self.reward_form != "auto" and not self.reward_model:
            raise ValueError("reward_form is set, but reward_model is not")
        return self

    def named_endpoints(self) -> tuple[Slug, ...]:
        judge = () if self.judge_endpoint is None else (self.judge_endpoint,)
        return tuple(dict.fromkeys((*super().named_endpoints(), *judge)))

    def named_checkpoints(self) -> tuple[str, ...]:
        return (self.reward_checkpoint,) if self.reward_checkpoint else ()

    def run_config(self) -> ReSoConfig:
        """The options of runs that use what was learned. They don't explore."""
        shared = {name: getattr(self, name) for name in SearchConfig.model_fields}
        return ReSoConfig(**shared, k=self.held_out_k, exploration=self.exploration)


class ReSoTrainingConfig(TuningConfig, _AgentsConfig, _Learns):
    """All settings of a training. If a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    checkpoint_every: int = Field(default=5, ge=1, description="Steps between two checkpoints.")
    held_out: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description=(
            "Tasks that are never learned from. Every checkpoint answers them like runs; a "
            "tuned model is tested on them."
        ),
    )

    def total_steps(self) -> int:
        """0: the number depends on the examples that are found."""
        return self.steps if self.learns == "agents" else 0

    def tuning(self) -> TuningConfig:
        return TuningConfig(**{name: getattr(self, name) for name in TuningConfig.model_fields})


STUDIO: dict[str, Any] = {"exploration": EXPLORING.exploration}
"""See 3 of the package's page."""
PAPER: dict[str, Any] = {"queries_per_step": 1, "k": 3, "threshold": 0.4}
"""The paper names no k. Its fine search chooses among k answers, so k is above 1."""
PUBLISHED: dict[str, Any] = {**PAPER, "k": 1, "exploration": "log", "gate": "sigmoid"}
"""The published code's settings, if they differ from the paper's. With its k of 1 the fine search
has only one candidate."""

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
