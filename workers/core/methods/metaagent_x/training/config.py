"""The settings of a MetaAgent-X training. Sections are those of arXiv 2605.14212.

`PAPER` has what the paper and its published code say. The defaults are ours.
"""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from workers.core.methods.base import Sweep
from workers.core.methods.metaagent_x.config import (
    PROMPT_TOKENS,
    MetaAgentXConfig,
    PlayConfig,
)
from workers.core.methods.metaagent_x.training.worlds import Role
from workers.core.tools.program import PROGRAM_TOOL
from workers.core.training.learning_config import LearningConfig
from workers.core.training.levels import Engine, Level, require_fitting
from workers.core.weights import nano
from workers.core.weights.files import MODEL_NAME

GROUPS = {
    "tools": "Teams",
    "model": "What is trained",
    "cold_steps": "Cold start",
    "steps": "Sampling",
    "delivery": "Rewards",
    "schedule": "Which role learns",
    "optimiser": "Updates",
    "checkpoint_every": "Checkpoints and samples",
}
"""The first setting of each group → the group's title in a form."""

Schedule = Literal["stagewise", "joint", "designer", "executor"]
Freeze = Literal["hard", "rates"]


class _Sampling(PlayConfig):
    """What is trained, on which teams, how they are rewarded, and which role learns."""

    # Teams.
    tools: str = Field(
        default=PROGRAM_TOOL,
        max_length=400,
        description=(
            "Tools that a design may give its agents, separated by commas. A training runs the "
            "program in an agent's message (program), and has no other tool. Empty: no tools."
        ),
    )
    max_calls: int = Field(
        default=16,
        ge=1,
        le=256,
        description="Most agent calls of an execution. One that asks for more has failed.",
    )

    # What is trained.
    model: str = Field(
        default="Qwen/Qwen2.5-Coder-0.5B-Instruct",
        pattern=MODEL_NAME,
        description=(
            "The model to begin with: a folder below the local models, or owner/name on the hub. "
            "It must be able to write Python. Code that comes with a model is never run."
        ),
    )
    level: Level = Field(
        default="shared",
        description=(
            "shared: one model designs and plays, by its prompts (the paper's main setting). "
            "adapters: one model with an adapter for each of the two roles. models: a model for "
            "each role."
        ),
    )
    rank: int = Field(
        default=16,
        ge=0,
        le=512,
        description=(
            "Rank of the LoRA adapters. 0: all weights are trained, as always with a model for "
            "each role."
        ),
    )
    lora_alpha: int = Field(default=32, ge=1, le=4_096, description="Scale of the LoRA adapters.")

    # Cold start.
    cold_steps: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description=(
            "Supervised steps of both roles on what the studio's runs of this method said that "
            "were right on the same tasks, whatever model they asked. They come before anything "
            "is sampled."
        ),
    )
    cold_questions: int = Field(
        default=16, ge=1, le=4_096, description="Questions that a supervised step demonstrates."
    )
    cold_rate: float = Field(
        default=1e-4,
        gt=0,
        le=1,
        description="Learning rate of the supervised steps. It falls evenly to a tenth.",
    )

    # Sampling.
    steps: int = Field(
        default=100,
        ge=0,
        le=100_000,
        description="Steps of reinforcement learning, after the cold start.",
    )
    questions_per_step: int = Field(default=8, ge=1, le=4_096, description="Questions of a step.")
    designs: int = Field(
        default=4,
        ge=1,
        le=256,
        description="Designs of each question (N), compared with each other.",
    )
    executions: int = Field(
        default=4,
        ge=1,
        le=256,
        description="Executions of each design (M). Its reward is their mean.",
    )
    design_tokens: int = Field(
        default=512, ge=1, le=32_768, description="Most tokens of the designer's reply."
    )
    max_tokens: int = Field(
        default=256, ge=1, le=32_768, description="Most tokens of an agent's reply."
    )
    prompt_tokens: int = Field(
        default=PROMPT_TOKENS,
        ge=128,
        le=131_072,
        description="Room for an agent's prompt. Longer questions and messages are shortened.",
    )
    engine: Engine = Field(
        default="in_process",
        description=(
            "What samples. in_process: the training itself. vllm: the vLLM servers that an "
            "operator has set up for this model, for adapters of rank 8, 16, 32 or 64."
        ),
    )

    # Rewards.
    delivery: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description=(
            "Reward of an execution whose script delivered a message, beside the 1 of a right "
            "answer (published: 0.4)."
        ),
    )
    format: float = Field(
        default=0.0,
        ge=0,
        le=10,
        description="Reward of an execution whose message has an answer (published: 0.4).",
    )
    call_cost: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description=(
            "What each agent call takes from the designer's reward of an execution, which stays "
            "at least 0. 0.01: ten calls cost a tenth of a right answer."
        ),
    )

    # Which role learns.
    schedule: Schedule = Field(
        default="stagewise",
        description=(
            "stagewise: the roles take turns (§3.3). joint: both learn in each step. designer or "
            "executor: this one alone learns."
        ),
    )
    first: Role = Field(
        default="executor", description="The role of the first stage (the paper's)."
    )
    stage_steps: int = Field(
        default=10,
        ge=1,
        le=100_000,
        description="Steps of a stage (published: 10 with rates, 30 with a hard freeze).",
    )
    freeze: Freeze = Field(
        default="hard",
        description=(
            "hard: the inactive role teaches nothing (the paper). rates: it goes on with a "
            "fraction of the rate (published)."
        ),
    )
    inactive_rate: float = Field(
        default=2e-4,
        ge=0,
        le=1,
        description=(
            "With freeze “rates”: the inactive role's share of the learning rate (published: "
            "1e-9 of 5e-6). Where one model has both roles, its share of the gradient."
        ),
    )


class MetaAgentXTrainingConfig(LearningConfig, _Sampling):
    """All settings of a training. If a description names no source, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    learning_rate: float = Field(
        default=2e-5, gt=0, le=1, description="Learning rate (published, for 8B: 5e-6)."
    )
    epsilon: float = Field(
        default=0.2, gt=0, lt=1, description="Clip of the ratio: 1 − ε to 1 + ε (§3.1)."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        require_fitting(self.level, self.rank, self.optimiser, self.engine)
        if self.model == nano.NAME:
            raise ValueError(
                f"{nano.NAME} reads the letters of games and can't write a script. Choose a "
                "language model"
            )
        if others := [tool for tool in self.tool_keys if tool != PROGRAM_TOOL]:
            raise ValueError(f"a training has no tool “{others[0]}”. Set tools to {PROGRAM_TOOL}")
        if self.cold_steps + self.steps == 0:
            raise ValueError("either cold_steps or steps must be at least 1")
        return self

    def reads_runs(self) -> bool:
        return self.cold_steps > 0

    def shown_runs(self) -> dict[str, Any]:
        """A run whose script was given has no designer."""
        return {"script": ""}

    def run_config(self) -> MetaAgentXConfig:
        """The options of runs that use what was learned."""
        return MetaAgentXConfig(tools=self.tools, max_calls=self.max_calls)


STUDIO: dict[str, Any] = {"cold_steps": 60, "steps": 60}
"""For a small model that writes Python, on few cores or one GPU: it first learns the language."""
PAPER: dict[str, Any] = {
    "delivery": 0.4,
    "format": 0.4,
    "stage_steps": 30,
    "freeze": "hard",
    "learning_rate": 5e-6,
    "final_rate": 1.0,
    "warmup": 0,
    "rank": 0,
    "design_tokens": 2_048,
    "max_tokens": 2_048,
}
"""The published rewards, stages and rate. It needs a model of billions of parameters, and names
none here. Nor has it a cold start: the published one shows 11,000 right traces of one large model.
`cold_steps` shows those that the studio has."""

PRESETS: dict[str, dict[str, Any]] = {"studio": STUDIO, "paper": PAPER}

SWEEPS: dict[str, Sweep] = {
    "schedule": Sweep(
        preset="studio",
        values={
            "stagewise": {},
            "joint": {"schedule": "joint"},
            "designer alone": {"schedule": "designer"},
            "executor alone": {"schedule": "executor"},
        },
    ),
    "freeze": Sweep(preset="studio", values={"hard": {}, "rates": {"freeze": "rates"}}),
    "level": Sweep(preset="studio", values={"shared": {}, "adapters": {"level": "adapters"}}),
    "rollouts": Sweep(
        preset="studio",
        values={
            "4 × 4": {},
            "16 × 1": {"designs": 16, "executions": 1},
            "2 × 8": {"designs": 2, "executions": 8},
        },
    ),
    "cold start": Sweep(
        preset="studio", values={"with sampling": {}, "supervised alone": {"steps": 0}}
    ),
}
