"""The settings of a ReSo run. Equations are those of ReSo (EMNLP 2025, §3)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.agents.scoring import (
    EXPLORING,
    MOST_CANDIDATES,
    MOST_ENDPOINTS,
    Exploration,
    Gate,
    Scoring,
)
from workers.core.methods.reso.rewards import TOLERANCE
from workers.core.specs import EndpointKey, Slug

METHOD_KEY = "reso"

MOST_SUBTASKS = 50

PlannerKind = Literal["own", "llm"]


class SearchConfig(BaseModel):
    """The settings that runs and trainings share: the task graph, the agents, and how they are
    searched."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    planner: PlannerKind = Field(
        default="own",
        description=(
            "Who divides the question into subtasks. own: the dataset's task graph if there is "
            "one, otherwise a model. llm: always a model."
        ),
    )
    planner_endpoint: EndpointKey | None = Field(
        default=None,
        json_schema_extra={"writes": "plan"},
        description=(
            "The endpoint whose model divides questions into subtasks. None: the run's or "
            "training's own endpoint."
        ),
    )
    max_subtasks: int = Field(
        default=10,
        ge=1,
        le=MOST_SUBTASKS,
        description="Most subtasks that a model may write (our choice).",
    )
    endpoints: tuple[EndpointKey, ...] = Field(
        default=(),
        max_length=MOST_ENDPOINTS,
        description=(
            "More endpoints to choose agents from. Every role on each of them, and on the own "
            "endpoint, is an agent of the database."
        ),
    )
    threshold: float = Field(
        default=EXPLORING.threshold,
        ge=-1,
        le=1,
        description=(
            "How similar a subtask and an agent must be at least, so that the agent suits the "
            "subtask (V_th, an inner product of embeddings; published: 0.4, for other "
            "embeddings)."
        ),
    )
    gate: Gate = Field(
        default=EXPLORING.gate,
        description=(
            "How similarity counts. heaviside: fully from the threshold on, below it not at "
            "all. sigmoid: it rises smoothly around the threshold, as in the published code "
            "(sim(a, v); in the paper H[⟨q, e⟩ − V_th])."
        ),
    )
    cost_weight: float = Field(
        default=EXPLORING.cost_weight,
        ge=0,
        le=1e6,
        description=(
            "How much an agent's average cost, in dollars per answer, lowers its score. 0: cost "
            "doesn't count (β of R(a) − β·C(a))."
        ),
    )
    tolerance: float = Field(
        default=TOLERANCE,
        ge=0,
        le=1,
        description=(
            "Numbers that differ by at most this share count as the same answer (published: 5%)."
        ),
    )

    def named_endpoints(self) -> tuple[Slug, ...]:
        planner = () if self.planner_endpoint is None else (self.planner_endpoint,)
        return tuple(dict.fromkeys((*self.endpoints, *planner)))

    def agents_on(self) -> tuple[Slug, ...]:
        return tuple(self.endpoints)

    def scoring(self, *, weight: float, exploration: Exploration) -> Scoring:
        return Scoring(
            threshold=self.threshold,
            exploration_weight=weight,
            cost_weight=self.cost_weight,
            exploration=exploration,
            gate=self.gate,
        )


class ReSoConfig(SearchConfig):
    """The options of one run (testing, in the paper's words)."""

    k: int = Field(
        default=3,
        ge=1,
        le=MOST_CANDIDATES,
        description="Number of agents that answer each subtask. The answer of most of them counts.",
    )
    exploration: Exploration = Field(
        default="paper",
        description=(
            "How exploration grows with the number of rewards so far. paper: with its square "
            "root. log: with the square root of its logarithm, as in the published code (√(N / "
            "(n + ε)), √(ln(N + 1.01) / (n + ε)))."
        ),
    )
    exploration_weight: float = Field(
        default=0.0,
        ge=0,
        le=1e3,
        description=(
            "How strongly rarely tried agents are preferred. 0: only what was learned counts. "
            "Above 0, rarely tried agents are asked, too (c of the UCB)."
        ),
    )
