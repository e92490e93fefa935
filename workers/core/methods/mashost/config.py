"""The settings of a MasHost run, and those that a checkpoint fixes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

METHOD_KEY = "mashost"

Jpss = Literal["joint", "relative", "off"]

PRIOR_VERSION = 6
"""Raise it when the prior or the network changes: initial checkpoints are then written again."""

MAX_STEPS = 64
"""Rows of the encoder's step and position tables. No run may take more steps."""


class MasHostConfig(BaseModel):
    """Options of one run. Sections are those of arXiv 2506.08507."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_steps: int = Field(
        default=10,
        ge=2,
        le=MAX_STEPS,
        description="Most construction steps, with the final EXIT (§6.8: “does not exceed 10”).",
    )
    max_agents: int = Field(
        default=9,
        ge=1,
        le=MAX_STEPS - 1,
        description="Most agents of the team. This limits tokens, but not steps (our choice).",
    )
    greedy: bool = Field(
        default=True,
        description=(
            "On: always take the most probable action. Off: draw actions with the run's seed "
            "(§4.1 at inference: on)."
        ),
    )
    jpss: Jpss = Field(
        default="relative",
        description=(
            "How the new role's probability affects its edges. joint: it multiplies them. "
            "relative: divided by the most probable role's, it multiplies them. off: edges do "
            "not depend on it (Eq. 3: joint, p · sigmoid; relative, p / max p · sigmoid; §6.5: "
            "off)."
        ),
    )
    feedback_edges: bool = Field(
        default=False,
        description=(
            "On: a new agent may also send its message back to earlier agents, and each of "
            "these revises its message once. Every edge back costs one more call (§5: any "
            "directed graph)."
        ),
    )
    edge_mode: Literal["threshold", "sample"] = Field(
        default="threshold",
        description=(
            "threshold: keep edges above the threshold. sample: draw each edge with the run's "
            "seed (§4.1)."
        ),
    )
    edge_threshold: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Edges with at least this probability are kept (our choice).",
    )
    answer_from: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "Where the answer after each step comes from. agent: the newest agent with an "
            "answer. summary: a summary agent after every step, which costs more calls (O_t of "
            "Eq. 5)."
        ),
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="summary",
        description=(
            "Who gives the answer at the end. summary: the summary agent, which reads all "
            "agents. agent: the newest agent with an answer, without an extra call (§4.1: "
            "summary)."
        ),
    )
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description=(
            "Sampling temperature of every agent. Above 0 answers vary with the run's seed and "
            "are not kept for other runs (§6.1: 0)."
        ),
    )

    @property
    def edges_per_agent(self) -> int:
        """Decisions per present agent when one is added: whether it is read and, with feedback
        edges, sent back to."""
        return 2 if self.feedback_edges else 1


class PolicyConfig(BaseModel):
    """The network's shape and the sentences with which its prior compares roles, stored with the
    weights.

    The paper gives no architecture. Every number here is ours.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding_dimension: int = Field(default=384, ge=1)
    hidden: int = Field(default=128, ge=4)
    heads: int = Field(default=4, ge=1)
    layers: int = Field(default=2, ge=1, le=12)
    phrases: bool = Field(
        default=False,
        description=(
            "On: a role's fit is the mean of its profile's similarity to the query and that of "
            "its description's nearest phrase. Off: only the profile's similarity."
        ),
    )
    scope: bool = Field(
        default=False,
        description=(
            "On: the weights decide which queries are like those of the training. For other "
            "queries the untrained policy decides."
        ),
    )
    feedback: bool = Field(
        default=False, description="On: the network also decides edges back to earlier agents."
    )
    plan_anchors: tuple[str, ...] = (
        "Planner. Breaks a task into an ordered plan of steps before anyone solves it.",
    )
    combine_anchors: tuple[str, ...] = (
        "Combines several answers into one: counts votes, takes the majority, settles the matter.",
        "Combines several programs into one answer: runs each on the tests of the task and settles "
        "which one is right.",
    )
    check_anchors: tuple[str, ...] = (
        "Checks, verifies, criticises. Is the answer of another agent correct? "
        "Find the mistake, double-check the result.",
        "Reviewer of the team's answers: verifier, checker, critic, devil's advocate.",
        "Critic and verifier of other agents' answers. Finds errors, attacks weak points, "
        "checks that an answer is right.",
    )

    @model_validator(mode="after")
    def _heads_divide_the_width(self) -> PolicyConfig:
        if self.hidden % self.heads:
            raise ValueError(f"hidden ({self.hidden}) must be a multiple of heads ({self.heads})")
        if not all(self.anchor_groups):
            raise ValueError("each stage needs at least one anchor sentence")
        return self

    @property
    def anchor_groups(self) -> tuple[tuple[str, ...], ...]:
        """The anchor sentences of each stage, in the order of the prior's stages."""
        return self.plan_anchors, self.check_anchors, self.combine_anchors

    @property
    def anchors(self) -> tuple[str, ...]:
        """All anchor sentences, stage after stage: the texts to embed for `stage_scores`."""
        return tuple(text for group in self.anchor_groups for text in group)


def initial_recipe() -> dict[str, Any]:
    """How an untrained checkpoint is made. The same recipe and seed give the same weights."""
    return {"kind": "initial", "prior_version": PRIOR_VERSION, "steps": 0}
