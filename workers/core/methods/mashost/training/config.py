"""What a training of MasHost may set. Sections and equations are those of arXiv 2506.08507.

`PAPER` is the paper's setting, literally; the defaults are `studio`, ours. What ours changes is
numbered in the package's docstring, and a field here, so that each can be taken back alone.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.methods.mashost.config import MAX_STEPS, Jpss, MasHostConfig
from workers.core.rl.options import Normalise, Weigh

GROUPS = {
    "steps": "What is sampled",
    "beta": "What it earns",
    "group_term": "How that becomes an advantage",
    "rounds": "How the policy follows it",
    "hidden": "The network of an untrained policy",
    "checkpoint_every": "What is kept",
}
"""The first setting of each group → its title: a form shows the settings in these groups."""


class MasHostTrainingConfig(BaseModel):
    """All settings of a training. Where a description names no section, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    # What is sampled.
    steps: int = Field(default=100, ge=1, le=100_000, description="Training steps.")
    queries_per_step: int = Field(
        default=8, ge=1, le=1_024, description="Queries of one step (Algorithm 1: 1)."
    )
    systems_per_query: int = Field(
        default=48, ge=2, le=256, description="L: systems sampled per query (Algorithm 1: 4)."
    )
    redraws: int = Field(
        default=2,
        ge=0,
        le=16,
        description="How often a system is drawn anew that its group has already.",
    )
    explore: float = Field(
        default=0.25,
        ge=0,
        le=0.75,
        description=(
            "Share of a query's systems, rounded down, that follow another of them up to a random "
            "action, and draw that one more evenly: what the policy seldom does is tried too."
        ),
    )
    explore_power: float = Field(
        default=0.3,
        gt=0,
        le=1,
        description=(
            "Power of the probabilities that such an action is drawn with: 1 as the policy draws, "
            "near 0 all that is allowed alike."
        ),
    )
    count_draws: bool = Field(
        default=True,
        description=(
            "A system counts as often as it was drawn; off counts each of a group once, so that "
            "rare ones count for more than the policy draws them."
        ),
    )
    max_steps: int = Field(
        default=10, ge=2, le=MAX_STEPS, description="Construction steps at most (§6.8: 10)."
    )
    max_agents: int = Field(default=8, ge=1, le=MAX_STEPS - 1, description="Agents at most.")
    jpss: Jpss = Field(
        default="off",
        description=(
            "Edge probability: p · sigmoid as in Eq. 3 (joint), p / max p · sigmoid (relative), "
            "or the sigmoid alone (off, the ablation of §6.5)."
        ),
    )
    feedback_edges: bool = Field(
        default=False,
        description=(
            "Let a new agent also send its message back to earlier ones, each of which then "
            "revises its own once: any directed graph (§5), for a further call each time."
        ),
    )
    answer_from: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "O_t of Eq. 5: that of the newest agent that has one, or of a summary agent that is "
            "called after every step, as in the paper, dearer."
        ),
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "Who answers at EXIT: the newest agent that has an answer, or the summary agent (§4.1)."
        ),
    )
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description=(
            "Of every agent's answers (§6.1: 0). Above 0 no answer is kept, so that every system "
            "is paid for anew."
        ),
    )

    # What it earns.
    beta: float = Field(
        default=1e-4,
        ge=0,
        description=("β, price of a token (§6.8: 1e-4 for GSM8K, 1e-5 for the other benchmarks)."),
    )
    alpha: float = Field(
        default=0.1, ge=0, description="α, price of a late wrong step (§6.8: 0.1)."
    )
    exemption_time: int = Field(default=3, ge=0, description="T_E: free steps (§6.6: 3).")
    gamma: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="γ of action rewards (§6.8: 0.9); with the value baseline `trace` is asked.",
    )

    # How that becomes an advantage.
    group_term: bool = Field(default=True, description="A_G of Eq. 4; off is an ablation (§6.5).")
    action_term: bool = Field(
        default=False, description="The action-wise rewards of Eq. 5; off is an ablation (§6.5)."
    )
    normalise: Normalise = Field(
        default="batch",
        description="What divides A_G: its group's deviation (Eq. 4), the batch's, or nothing.",
    )
    baseline: Literal["group", "value"] = Field(
        default="value",
        description="A_G relative to the group (Eq. 4), or to a learned value of each state.",
    )
    trace: float = Field(
        default=0.95, ge=0, le=1, description="λ of the value baseline: 1 trusts rewards alone."
    )
    value_count: float | None = Field(
        default=1.0,
        gt=0,
        description=(
            "A state is worth what its query's other systems earned that came to the same state; "
            "its learned value counts as so many systems more. None: the learned value alone."
        ),
    )
    trust_reward: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of the real reward at the end, the rest is its learned expectation.",
    )
    centre_luck: bool = Field(
        default=True,
        description="Take from each reward what its query's group got above its value.",
    )

    # How the policy follows it.
    rounds: int = Field(default=3, ge=1, le=64, description="n_r: rounds over a sample (§6.6: 4).")
    minibatches: int = Field(default=6, ge=1, le=256, description="Updates of each round.")
    epsilon: float = Field(
        default=0.2, gt=0, lt=1, description="ε: clipping of the ratio (§6.8: 0.1)."
    )
    learning_rate: float = Field(
        default=6e-4,
        gt=0,
        le=1,
        description=(
            "Adam's, of the policy; the paper names none. Twice as much settles on a team before "
            "its luck has evened out."
        ),
    )
    learning_rate_end: float = Field(
        default=0.1, ge=0, le=1, description="Share of the learning rate left at the last step."
    )
    learning_rate_hold: float = Field(
        default=0.6,
        ge=0,
        lt=1,
        description="Share of the steps with the whole learning rate; then it falls evenly.",
    )
    weigh: Weigh = Field(
        default="action",
        description=(
            "What counts alike: every system, as in Eq. 7, where an action of a longer one counts "
            "for less, or every action."
        ),
    )
    gradient_limit: float | None = Field(
        default=1.0, gt=0, description="The gradient's norm at most; None lets it be."
    )
    importance_limit: float | None = Field(
        default=2.0,
        ge=1,
        description=(
            "What an action counts at most that an older policy sampled, by how likely it is for "
            "the policy of now; above it a few would make up most of an update. None: no limit."
        ),
    )
    entropy_bonus: float = Field(
        default=0.01, ge=0, le=10, description="Price of certainty, where it is not adapted."
    )
    entropy_start: float | None = Field(
        default=2.0,
        ge=0,
        description=(
            "Node entropy (nats) to keep at the start, at most 60% of that of an even choice; None "
            "keeps the bonus fixed."
        ),
    )
    entropy_end: float = Field(
        default=0.7,
        ge=0,
        description=(
            "And from 85% of the steps on. Runs take the most probable action, so certainty is "
            "worth nothing, and without alternatives nothing more is learned."
        ),
    )
    edge_entropy_share: float = Field(
        default=0.25, ge=0, description="Weight of the edges' entropy beside the nodes'."
    )
    average: float = Field(
        default=0.9,
        ge=0,
        lt=1,
        description=(
            "What checkpoints hold: weights averaged over the steps, of which this share stays at "
            "each; 0 takes the newest."
        ),
    )
    critic_learning_rate: float = Field(
        default=2e-3, gt=0, le=1, description="Adam's, of the learned values."
    )
    critic_updates: int = Field(
        default=8, ge=1, le=256, description="Updates of the critic a step."
    )

    # The network, when training begins with an untrained policy.
    hidden: int = Field(
        default=128, ge=4, le=1_024, description="Units; the paper names no architecture."
    )
    layers: int = Field(default=2, ge=1, le=12, description="Attention over the agents.")
    critic_hidden: int = Field(
        default=64, ge=4, le=1_024, description="Units of the learned values' network."
    )
    prior_weight: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description=(
            "What an untrained policy's own beliefs about roles count at the start, and once more "
            "those that a role's stage has: with less, training begins with more varied systems."
        ),
    )
    edge_prior_weight: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="What an untrained policy's own beliefs about who reads whom count.",
    )

    # What is kept.
    checkpoint_every: int = Field(default=10, ge=1, description="Steps between checkpoints.")
    lag: int = Field(
        default=1,
        ge=0,
        le=1,
        description=(
            "Steps by which the weights that sample are behind: with 1 the next sample begins "
            "while this one ends and is learned from, so that the endpoint has work meanwhile."
        ),
    )
    held_out: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description=(
            "Tasks of the split that are never trained on: every checkpoint answers them as people "
            "would be answered, and the best one is kept."
        ),
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Systems kept per step to be looked at."
    )

    @model_validator(mode="after")
    def _some_term(self) -> MasHostTrainingConfig:
        if not (self.group_term or self.action_term):
            raise ValueError("with neither the group term nor the action term there is no reward")
        return self

    @model_validator(mode="after")
    def _no_setting_without_effect(self) -> MasHostTrainingConfig:
        if self.baseline == "value" and not self.group_term:
            raise ValueError("group_term can be off only with the baseline “group”, not “value”")
        if self.baseline == "value" and self.normalise == "group":
            raise ValueError("normalise “group” needs the baseline “group”; use “batch” or “none”")
        return self

    @property
    def explorers(self) -> int:
        """How many of L systems explore."""
        return int(self.systems_per_query * self.explore)

    def inference_options(self) -> dict[str, Any]:
        """What a run with the trained policy should keep from training."""
        kept = {"max_steps", "max_agents", "jpss", "answer_from", "final_answer", "temperature"}
        if self.feedback_edges:
            kept.add("feedback_edges")
        return self.run_config().model_dump(mode="json", include=kept)

    def run_config(self) -> MasHostConfig:
        """How systems are sampled while training."""
        return MasHostConfig(
            max_steps=self.max_steps,
            max_agents=self.max_agents,
            greedy=False,
            jpss=self.jpss,
            feedback_edges=self.feedback_edges,
            edge_mode="sample",
            answer_from=self.answer_from,
            final_answer=self.final_answer,
            temperature=self.temperature,
        )


PAPER: dict[str, Any] = {
    "systems_per_query": 4,
    "redraws": 0,
    "explore": 0.0,
    "max_steps": 10,
    "max_agents": 9,
    "jpss": "joint",
    "feedback_edges": False,
    "answer_from": "summary",
    "final_answer": "summary",
    "temperature": 0.0,
    "beta": 1e-4,
    "alpha": 0.1,
    "exemption_time": 3,
    "gamma": 0.9,
    "group_term": True,
    "action_term": True,
    "normalise": "group",
    "baseline": "group",
    "rounds": 4,
    "minibatches": 1,
    "epsilon": 0.1,
    "learning_rate": 1e-3,
    "learning_rate_end": 1.0,
    "learning_rate_hold": 0.0,
    "entropy_bonus": 0.0,
    "entropy_start": None,
    "gradient_limit": None,
    "importance_limit": None,
    "weigh": "system",
    "average": 0.0,
    "prior_weight": 1.0,
    "lag": 0,
}

PAPER_OTHERS: dict[str, Any] = PAPER | {"beta": 1e-5}
"""§6.8 has another price of a token for the benchmarks that are not GSM8K."""

BEFORE: dict[str, Any] = {
    "count_draws": False,
    "feedback_edges": False,
    "explore": 0.0,
    "value_count": None,
    "learning_rate_hold": 0.0,
}
"""Of settings that came later: what trainings did that began without them."""
