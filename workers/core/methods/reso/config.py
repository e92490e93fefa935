"""What a run of ReSo may set. Equations are those of ReSo (EMNLP 2025, §3)."""

from __future__ import annotations

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
    """What a run and a training set alike: the task graph, who is searched, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    planner: PlannerKind = Field(
        default="own",
        description=(
            "Who divides the query into subtasks: own, the data set's task graph where it has one "
            "and a model otherwise; llm, always a model."
        ),
    )
    planner_endpoint: EndpointKey | None = Field(
        default=None,
        description="The endpoint whose model writes task graphs; none: the run's own.",
    )
    max_subtasks: int = Field(
        default=10, ge=1, le=MOST_SUBTASKS, description="Subtasks that a model may write. Ours."
    )
    endpoints: tuple[EndpointKey, ...] = Field(
        default=(),
        max_length=MOST_ENDPOINTS,
        description=(
            "Further endpoints: with the run's own, every role on each of them is an agent of the "
            "database."
        ),
    )
    threshold: float = Field(
        default=EXPLORING.threshold,
        ge=-1,
        le=1,
        description=(
            "V_th: the least inner product of a subtask and an agent that suits it (published: "
            "0.4, for other embeddings)."
        ),
    )
    gate: Gate = Field(
        default=EXPLORING.gate,
        description="sim(a, v): H[⟨q, e⟩ − V_th] as in the paper, or the published code's sigmoid.",
    )
    cost_weight: float = Field(
        default=EXPLORING.cost_weight,
        ge=0,
        le=1e6,
        description="β of R(a) − β·C(a); C(a) in dollars an answer.",
    )
    tolerance: float = Field(
        default=TOLERANCE,
        ge=0,
        le=1,
        description="Numbers so close to each other, relative, are one answer (published: 5%).",
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
    """Options of one run: testing, in the paper's words."""

    k: int = Field(
        default=3,
        ge=1,
        le=MOST_CANDIDATES,
        description="Agents that answer a subtask; the answer of most of them counts.",
    )
    exploration: Exploration = Field(
        default="paper", description="√(N / (n + ε)), or the published code's √(ln(N + 1.01) / …)."
    )
    exploration_weight: float = Field(
        default=0.0,
        ge=0,
        le=1e3,
        description=(
            "c of the UCB. A run uses what was learned, so 0: above it, agents that were hardly "
            "tried are asked, too."
        ),
    )
