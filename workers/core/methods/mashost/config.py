"""What a run of MasHost may set, and what a checkpoint fixes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

METHOD_KEY = "mashost"

Jpss = Literal["joint", "relative", "off"]

PRIOR_VERSION = 6
"""Raise it when the prior or the network changes: initial checkpoints are then written anew."""

MAX_STEPS = 64
"""Rows of the step and position tables of the encoder; no run may take more steps."""


class MasHostConfig(BaseModel):
    """Options of one run. Sections are those of arXiv 2506.08507."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_steps: int = Field(
        default=10,
        ge=2,
        le=MAX_STEPS,
        description="Construction steps at most, EXIT included (§6.8: “does not exceed 10”).",
    )
    max_agents: int = Field(
        default=9,
        ge=1,
        le=MAX_STEPS - 1,
        description="Agents in the system at most. Ours: bounds tokens without bounding steps.",
    )
    greedy: bool = Field(
        default=True,
        description="Take the most probable action (§4.1 at inference) instead of drawing, seeded.",
    )
    jpss: Jpss = Field(
        default="relative",
        description=(
            "Edge probability: p · sigmoid as in Eq. 3 (joint), p / max p · sigmoid (relative), "
            "or the sigmoid alone (off, the ablation of §6.5)."
        ),
    )
    feedback_edges: bool = Field(
        default=False,
        description=(
            "Let a new agent also send its message back to earlier ones, each of which then "
            "revises its own once. Any directed graph can be built so (§5); each edge back costs "
            "a further call."
        ),
    )
    edge_mode: Literal["threshold", "sample"] = Field(
        default="threshold",
        description="Keep edges above the threshold, or draw each one, seeded (§4.1).",
    )
    edge_threshold: float = Field(
        default=0.5, gt=0, lt=1, description="An edge at or above this probability is kept. Ours."
    )
    answer_from: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "Where the answer after each step comes from (O_t of Eq. 5): the newest agent that has "
            "one, or a call of the summary agent after every step, dearer."
        ),
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="summary",
        description=(
            "Who answers at EXIT: the summary agent, which reads everybody (§4.1), or the newest "
            "agent that has an answer, without a further call."
        ),
    )
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description=(
            "Of every agent's answers (§6.1: 0). Above 0 they vary with the run's seed, and none "
            "is kept for another run."
        ),
    )

    @property
    def edges_per_agent(self) -> int:
        """Decisions for each agent present when one is added: it is read, and is sent back to."""
        return 2 if self.feedback_edges else 1


class PolicyConfig(BaseModel):
    """Shape of the network and the sentences its prior compares roles with; stored with them.

    The paper gives no architecture; every number here is ours.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding_dimension: int = Field(default=384, ge=1)
    hidden: int = Field(default=128, ge=4)
    heads: int = Field(default=4, ge=1)
    layers: int = Field(default=2, ge=1, le=12)
    phrases: bool = Field(
        default=False,
        description=(
            "How well a role fits the query: the mean of its profile's cosine and of the nearest "
            "phrase of its description, instead of the profile's alone."
        ),
    )
    scope: bool = Field(
        default=False,
        description=(
            "Whether the weights tell which queries are like those of the training. For others the "
            "untrained policy decides."
        ),
    )
    feedback: bool = Field(
        default=False, description="Whether the network also decides edges back to earlier agents."
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
    """How an untrained checkpoint is made; the same recipe and seed give the same weights."""
    return {"kind": "initial", "prior_version": PRIOR_VERSION, "steps": 0}
