"""The settings of an AT-GRPO training. Sections and equations are those of arXiv 2510.11062.

`PAPER` is the paper's setting. The defaults are ours. The package's docstring numbers our changes.
"""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from workers.core.methods.at_grpo.config import AtGrpoConfig, PlayConfig
from workers.core.methods.at_grpo.trees import Grouping, Scale, TreeOptions
from workers.core.methods.base import Beginning, Replayed, Sweep
from workers.core.training.learning_config import LearningConfig
from workers.core.training.levels import Engine, Level, require_fitting
from workers.core.weights import nano
from workers.core.weights.files import MODEL_NAME

GROUPS = {
    "turns": "Episodes",
    "model": "What is trained",
    "cold_steps": "Cold start",
    "steps": "Sampling",
    "alpha": "Rewards and advantages",
    "optimiser": "Updates",
    "checkpoint_every": "Checkpoints and samples",
}
"""The first setting of each group → the group's title in a form."""

GroupFilter = Literal["none", "deviation", "mean"]
Shown = Literal["solutions", "runs"]


class _Sampling(PlayConfig):
    """What is trained, on which episodes, and how they are rewarded."""

    # What is trained.
    model: str = Field(
        default="nano",
        pattern=MODEL_NAME,
        description=(
            "The model to begin with: nano, a small one that reads nothing but games' letters, a "
            "folder below the local models, or owner/name on the hub. Code that comes with a "
            "model is never run."
        ),
    )
    level: Level = Field(
        default="shared",
        description=(
            "shared: one model plays all agents, by their prompts (L1). adapters: one model with "
            "an adapter for each agent (L2). models: a model for each agent (L3)."
        ),
    )
    rank: int = Field(
        default=16,
        ge=0,
        le=512,
        description=(
            "Rank of the LoRA adapters (published: 16). 0: all weights are trained, as always "
            "with a model for each agent."
        ),
    )
    lora_alpha: int = Field(
        default=32, ge=1, le=4_096, description="Scale of the LoRA adapters (published: 32)."
    )
    joined: str = Field(
        default="",
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,119})?$",
        description=(
            "The checkpoint from which the second agent's weights are taken. The first agent has "
            "those that the training starts from. For agents that were trained alone."
        ),
    )

    # Cold start.
    cold_steps: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="Supervised steps on demonstrations, before anything is sampled.",
    )
    cold_episodes: int = Field(
        default=64, ge=1, le=4_096, description="Episodes that a supervised step demonstrates."
    )
    cold_rate: float = Field(
        default=1e-3,
        gt=0,
        le=1,
        description="Learning rate of the supervised steps. It falls evenly to a tenth.",
    )
    cold_from: Shown = Field(
        default="solutions",
        description=(
            "What the cold start shows. solutions: a solver's, or the task's own. runs: what the "
            "agents said in the studio's runs of this method that were right on the same tasks, "
            "whatever model they asked. If a task has none, a right run of another method is shown "
            "(not in letters), but only one agent's only reply: several agents answer each other, "
            "in words that this team never says."
        ),
    )
    cold_weak: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description=(
            "Share of the demonstrations by a player who knows the form of an answer, but only "
            "half of the rules. The others are what cold_from says. Only games have such a player: "
            "0 for other tasks."
        ),
    )
    cold_astray: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description=(
            "Share of the demonstrations that begin where a weak player's turn has ended, and show "
            "how to go on after a mistake. Only games have such a player."
        ),
    )

    # Sampling.
    steps: int = Field(
        default=100,
        ge=0,
        le=100_000,
        description=(
            "Steps of reinforcement learning, after the cold start (published: 200). 0, as for "
            "cold_steps: the model stays as it is, to be compared with."
        ),
    )
    episodes_per_step: int = Field(
        default=32, ge=1, le=4_096, description="Episodes per step (E; published: 32)."
    )
    branches: int = Field(
        default=8,
        ge=1,
        le=256,
        description="Answers of each agent in each turn, of which the best is played (K; "
        "the paper: 4, published: 8).",
    )
    max_tokens: int = Field(
        default=64,
        ge=1,
        le=32_768,
        description="Most tokens of an answer (published: 2,048).",
    )
    engine: Engine = Field(
        default="in_process",
        description=(
            "What samples. in_process: the training itself. vllm: the vLLM servers that an "
            "operator has set up for this model, for adapters of rank 8, 16, 32 or 64."
        ),
    )

    # Rewards and advantages.
    alpha: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="Weight of the team's reward beside the agent's own (α, Eq. 3; the paper: 1).",
    )
    grouping: Grouping = Field(
        default="both",
        description=(
            "Which answers are compared: those of one agent in one turn (both), of one agent, of "
            "one turn, or all of an episode (none)."
        ),
    )
    scale: Scale = Field(
        default="group",
        description=(
            "What an advantage is divided by: the deviation of its group's rewards (Eq. 1), or "
            "that of the whole step, so that groups whose rewards hardly differ count for "
            "little."
        ),
    )
    filter_groups: GroupFilter = Field(
        default="none",
        description=(
            "Which groups are left out: those with the least deviation of rewards, those with "
            "the lowest mean, or none."
        ),
    )
    filter_share: float = Field(
        default=0.0, ge=0, lt=1, description="The share of groups that is left out."
    )


class AtGrpoTrainingConfig(LearningConfig, _Sampling):
    """All settings of a training. If a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    learning_rate: float = Field(
        default=5e-4,
        gt=0,
        le=1,
        description="Learning rate (published, for billions of parameters: 1e-6).",
    )
    epsilon: float = Field(
        default=0.2, gt=0, lt=1, description="Clip of the ratio: 1 − ε to 1 + ε (Eq. 2)."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        require_fitting(self.level, self.rank, self.optimiser, self.engine)
        if self.model == nano.NAME and self.level != "models" and self.rank:
            raise ValueError(
                f"{nano.NAME} begins with random weights, which adapters would leave as they are. "
                "Set rank to 0 to train all of its weights, or choose another model"
            )
        if self.reads_runs() and self.cold_weak == 1:
            raise ValueError(
                "cold_from is “runs”, but with a cold_weak of 1 no run is shown. Lower cold_weak"
            )
        if self.filter_share and self.filter_groups == "none":
            raise ValueError("filter_share is set, but filter_groups is “none”")
        if self.filter_groups != "none" and not self.filter_share:
            raise ValueError("filter_groups is set, but a filter_share of 0 leaves out no group")
        if self.steps and self.branches == 1 and self.grouping == "both":
            raise ValueError(
                "with one branch no answer is compared with another, so nothing is learned. Set "
                "branches to 2 or more"
            )
        if self.joined and self.level == "shared":
            raise ValueError("joined needs a level at which each agent has weights of its own")
        return self

    def reads_runs(self) -> bool:
        return self.cold_steps > 0 and self.cold_from == "runs"

    def shown_runs(self) -> dict[str, Any]:
        return {}

    def reads_single_replies(self) -> bool:
        """They are written in words."""
        return self.wording == "sentences"

    def named_checkpoints(self) -> tuple[str, ...]:
        return (self.joined,) if self.joined else ()

    def tree_options(self) -> TreeOptions:
        return TreeOptions(
            branches=self.branches,
            turns=self.turns,
            alpha=self.alpha,
            order=self.order,
            grouping=self.grouping,
            scale=self.scale,
            max_tokens=self.max_tokens,
        )

    def run_config(self) -> AtGrpoConfig:
        """The options of runs that use what was learned."""
        return AtGrpoConfig(**self.play())


NANO: dict[str, Any] = {
    "model": "nano",
    "rank": 0,
    "proposes": "answer",
    "wording": "letters",
    "cold_steps": 1_000,
    "cold_episodes": 16,
    "cold_rate": 2e-3,
    "cold_weak": 0.5,
    "cold_astray": 0.5,
    "steps": 1_000,
    "max_tokens": 32,
    "scale": "step",
    "optimiser": "muon",
    "learning_rate": 5e-4,
    "updates": 2,
    "kl": 0.02,
}
SMALL_MODEL = "Qwen/Qwen2.5-Coder-0.5B-Instruct"
LANGUAGE: dict[str, Any] = {
    "model": SMALL_MODEL,
    "proposes": "answer",
    "turns": 2,
    "cold_steps": 100,
    "cold_episodes": 16,
    "cold_rate": 3e-4,
    "cold_weak": 0.0,
    "cold_astray": 0.5,
    "steps": 100,
    "episodes_per_step": 8,
    "max_tokens": 128,
    "scale": "step",
    "learning_rate": 1e-4,
}
"""Games for a language model that knows words, by adapters. So few boards as these steps play teach
little, so the cold start shows a solver's ways alone."""
WORDS: dict[str, Any] = {
    "model": SMALL_MODEL,
    "turns": 2,
    "cold_weak": 0.0,
    "cold_rate": 1e-4,
    "episodes_per_step": 8,
    "branches": 4,
    "max_tokens": 512,
    "learning_rate": 2e-5,
}
"""For a small model that reads words, on few cores or one GPU."""
PAPER: dict[str, Any] = {
    "branches": 4,
    "turns": 4,
    "steps": 200,
    "max_tokens": 2_048,
    "learning_rate": 1e-6,
    "final_rate": 1.0,
    "warmup": 0,
    "rank": 0,
}
"""The paper's K and T, with the published code's steps, limit of an answer and learning rate. It
needs a model of billions of parameters, and names none here."""

PRESETS: dict[str, dict[str, Any]] = {
    "studio": NANO,
    "language": LANGUAGE,
    "math": WORDS | {"level": "shared"},
    "code": WORDS | {"level": "adapters"},
    "paper": PAPER,
}
"""The paper finds one model better for its small team in mathematics, and a model for each role in
code (§5.2)."""


def preset_for(environment: str) -> str:
    """The preset of a language model that is trained in the environment."""
    return environment if environment in ("math", "code") else "language"


UNTRAINED: dict[str, Any] = {"cold_steps": 0, "steps": 0}
MODELS: dict[str, Any] = {"level": "models"}
SWEEPS: dict[str, Sweep] = {
    "level": Sweep(preset="studio", values={"shared (L1)": {}, "models (L3)": MODELS}),
    "level in words": Sweep(
        preset="language",
        values={"shared (L1)": {}, "adapters (L2)": {"level": "adapters"}},
    ),
    "grouping": Sweep(
        preset="studio",
        values={
            "agent and turn": {},
            "agent": {"grouping": "agent"},
            "turn": {"grouping": "turn"},
            "none": {"grouping": "none"},
        },
    ),
    "alpha": Sweep(preset="studio", values={"α = 1": {}, "α = 0": {"alpha": 0.0}}),
    "team": Sweep(
        preset="studio",
        values={
            "two agents": {},
            "one agent": {"plays": "planner"},
            "two agents, untrained": UNTRAINED,
            "one agent, untrained": UNTRAINED | {"plays": "planner"},
        },
    ),
    "roles": Sweep(
        preset="studio",
        values={"own roles": MODELS},
        replayed={"roles swapped": Replayed("own roles", {"swapped": True})},
    ),
    "joined": Sweep(
        preset="studio",
        values={
            "trained together": MODELS,
            "proposer alone": {"plays": "proposer"},
            "planner alone": {"plays": "planner"},
            "trained alone, then joined": MODELS | UNTRAINED,
        },
        begins={
            "trained alone, then joined": Beginning("proposer alone", {"joined": "planner alone"})
        },
    ),
    "mathematics": Sweep(
        preset="math",
        values={
            "reasoner and tool user": {},
            "reasoner alone": {"plays": "reasoner"},
            "tool user alone": {"plays": "tool_user"},
            "untrained": UNTRAINED,
        },
    ),
    "code": Sweep(
        preset="code",
        values={
            "coder and tester": {},
            "coder alone": {"plays": "coder"},
            "untrained": UNTRAINED,
        },
    ),
    "cold start": Sweep(
        preset="studio",
        values={"with sampling": {}, "supervised alone": {"cold_steps": 4_000, "steps": 0}},
    ),
}
"""The baselines. Adapters (L2) on nano's random weights would learn nothing, so words have a sweep
of levels of their own."""
