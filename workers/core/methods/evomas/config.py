"""The settings of an EvoMAS run. Sections and equations are those of arXiv 2605.08769."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from workers.core.mas.tool_rounds import BROWSER_ROUNDS, TOOL_ROUNDS

METHOD_KEY = "evomas"
EXIT = "early_exit"
"""The role that ends a workflow. No model is asked for it."""
ENSEMBLE = "ensemble"
"""The role that chooses one of the solutions it reads, by its letter."""
SINGLE = "single_agent"
"""A role beside those of the pool, with all tools: the baseline of one agent."""
WORKFLOW = r"^$|^[a-z0-9_-]+(\s*[+>]\s*[a-z0-9_-]+)*$"


class AdapterConfig(BaseModel):
    """The adapter's shape."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: int = Field(default=384, ge=1)
    width: int = Field(default=64, ge=1)
    heads: int = Field(default=1, ge=1)
    """Both are divided among them. Checkpoints that do not name it have one."""

    @model_validator(mode="after")
    def _divided_evenly(self) -> Self:
        if self.width % self.heads or self.dimension % self.heads:
            raise ValueError(
                f"{self.heads} heads can't share a width of {self.width} and a dimension of "
                f"{self.dimension}: choose heads that divide both"
            )
        return self


class SolvingConfig(BaseModel):
    """The settings that runs and trainings share. Where the paper is silent, the number is ours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: Literal["7", "4"] = Field(
        default="7",
        description=(
            "The candidate agents. 7: direct answer, several answers, refinement, web search, web "
            "browser, ensemble, early exit. 4: without several answers, refinement and browser "
            "(Table 4). A role pool that a request names replaces them."
        ),
    )
    workflow: str = Field(
        default="",
        max_length=400,
        pattern=WORKFLOW,
        description=(
            "A fixed workflow instead of the learned one: roles of a layer joined by +, layers by "
            ">, such as “io + web_search > ensemble”. “single_agent” is one agent with all tools. "
            "Empty: the adapter chooses."
        ),
    )
    state: bool = Field(
        default=True,
        description=(
            "On: a planner, an evaluator and the task state guide the stages. Off: one stage works "
            "on the whole task (§4.3)."
        ),
    )
    stages: int = Field(
        default=6, ge=1, le=30, description="Most stages of a task (T; the paper names none)."
    )
    layers: int = Field(
        default=3, ge=1, le=6, description="Most layers of a workflow (L; §4.1: 3)."
    )
    temperature: float = Field(
        default=0.1,
        ge=0.001,
        le=10,
        description=(
            "How evenly agents are chosen. Low: nearly always the best scored (λ of Eq. 11; the "
            "paper names none)."
        ),
    )
    mass: float = Field(
        default=0.3,
        gt=0,
        le=1,
        description=(
            "Agents are added to a layer until their probabilities sum to this (ρ of Eq. 29; the "
            "paper names none). A trained adapter's runs have that of its training."
        ),
    )
    layer_agents: int = Field(
        default=7,
        ge=1,
        le=64,
        description=(
            "Most agents of a layer. The paper names none: its pools have at most 7. An untrained "
            "adapter would ask a third of a large pool at once."
        ),
    )
    exit_ends: Literal["workflow", "task"] = Field(
        default="workflow",
        description=(
            "What Early-exit ends. workflow: the layers of this stage, or the task if it stands "
            "alone in the first layer. task: always the task, after this stage (Algorithm 1)."
        ),
    )
    planner: Literal["trouble", "always"] = Field(
        default="trouble",
        description=(
            "When the planner is asked again. trouble: after a stage without success. always: "
            "before every stage (Algorithm 1)."
        ),
    )
    max_subtasks: int = Field(
        default=8, ge=1, le=12, description="Most subtasks of a plan. Further ones are left out."
    )
    evaluator_tools: bool = Field(
        default=True,
        description="On: the evaluator may search, read pages and compute (C.2).",
    )
    tool_rounds: int = Field(
        default=TOOL_ROUNDS,
        ge=1,
        le=50,
        description="How often an agent may use tools before it must answer.",
    )
    browser_rounds: int = Field(
        default=BROWSER_ROUNDS,
        ge=1,
        le=50,
        description="The same for agents that have the browser.",
    )

    @field_validator("workflow")
    @classmethod
    def _tidy(cls, value: str) -> str:
        return " > ".join(" + ".join(layer) for layer in layers_of(value))


class EvoMasConfig(SolvingConfig):
    """The options of one run."""

    greedy: bool = Field(
        default=True,
        description=(
            "On: the likeliest agents are taken. Off: agents are drawn with the run's seed, as in "
            "training."
        ),
    )


def layers_of(workflow: str) -> tuple[tuple[str, ...], ...]:
    """Keys of roles, layer by layer."""
    layers = (layer.split("+") for layer in workflow.split(">"))
    found = (tuple(key.strip() for key in layer if key.strip()) for layer in layers)
    return tuple(layer for layer in found if layer)
