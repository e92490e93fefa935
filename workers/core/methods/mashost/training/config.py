"""The settings of a MasHost training. Sections and equations are those of arXiv 2506.08507.

`PAPER` is the paper's setting, literally. The defaults are ours, `studio`. The package's docstring
numbers our changes. Each is a field here, so it can be taken back alone.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.methods.mashost.config import MAX_STEPS, Jpss, MasHostConfig
from workers.core.rl.options import Normalise, Weigh

GROUPS = {
    "steps": "Sampling",
    "beta": "Rewards",
    "group_term": "Advantages",
    "rounds": "Policy updates",
    "hidden": "Network of an untrained policy",
    "checkpoint_every": "Checkpoints and samples",
}
"""The first setting of each group → the group's title in a form."""
RUN = MasHostConfig.model_fields


class MasHostTrainingConfig(BaseModel):
    """All settings of a training. If a description names no section, the number is ours."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", json_schema_extra={"groups": dict(GROUPS)}
    )

    # What is sampled.
    steps: int = Field(default=100, ge=1, le=100_000, description="Training steps.")
    queries_per_step: int = Field(
        default=8, ge=1, le=1_024, description="Queries per step (Algorithm 1: 1)."
    )
    systems_per_query: int = Field(
        default=48, ge=2, le=256, description="Systems sampled per query (L; Algorithm 1: 4)."
    )
    redraws: int = Field(
        default=2,
        ge=0,
        le=16,
        description="How many times a system is drawn again if its group already has the same one.",
    )
    explore: float = Field(
        default=0.25,
        ge=0,
        le=0.75,
        description=(
            "Share of a query's systems that explore, rounded down. Each follows another system "
            "up to a random action and draws that action more evenly, so rare actions are "
            "tried, too."
        ),
    )
    explore_power: float = Field(
        default=0.3,
        gt=0,
        le=1,
        description=(
            "How evenly an exploring system draws its action: 1 draws like the policy, near 0 "
            "all allowed actions are equally likely (exponent of the probabilities)."
        ),
    )
    count_draws: bool = Field(
        default=True,
        description=(
            "On: a system counts as often as it was drawn. Off: each system of a group counts "
            "once, so rare ones count more."
        ),
    )
    max_steps: int = Field(
        default=10, ge=2, le=MAX_STEPS, description="Most construction steps (§6.8: 10)."
    )
    max_agents: int = Field(
        default=8, ge=1, le=MAX_STEPS - 1, description="Most agents of a system."
    )
    jpss: Jpss = Field(default="off", description=RUN["jpss"].description)
    feedback_edges: bool = Field(default=False, description=RUN["feedback_edges"].description)
    answer_from: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "Where the answer after each step comes from. agent: the newest agent with an "
            "answer. summary: a summary agent after every step, as in the paper, which costs "
            "more calls (O_t of Eq. 5)."
        ),
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="agent",
        description=(
            "Who gives the answer at the end. agent: the newest agent with an answer. summary: "
            "the summary agent (§4.1: summary)."
        ),
    )
    temperature: float = Field(
        default=0.0,
        ge=0,
        le=2,
        description=(
            "Sampling temperature of every agent. Above 0 no answer is kept, so every system is "
            "paid for again (§6.1: 0)."
        ),
    )

    # What it earns.
    beta: float = Field(
        default=1e-4,
        ge=0,
        description=(
            "Price of a token in reward (β; §6.8: 1e-4 for GSM8K, 1e-5 for the other benchmarks)."
        ),
    )
    alpha: float = Field(
        default=0.1, ge=0, description="Price of a late wrong step in reward (α; §6.8: 0.1)."
    )
    exemption_time: int = Field(
        default=3,
        ge=0,
        description="Number of steps that may be wrong without a price (T_E; §6.6: 3).",
    )
    gamma: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description=(
            "Discount of action rewards. With the value baseline, `trace` is used instead (γ; "
            "§6.8: 0.9)."
        ),
    )

    # How that becomes an advantage.
    group_term: bool = Field(
        default=True,
        description=(
            "On: use the advantage relative to the group (A_G of Eq. 4; off is an ablation of "
            "§6.5)."
        ),
    )
    action_term: bool = Field(
        default=False,
        description="On: use a reward for each action (Eq. 5; off is an ablation of §6.5).",
    )
    normalise: Normalise = Field(
        default="batch",
        description=(
            "What the group advantage is divided by. group: its group's standard deviation. "
            "batch: that of the batch. none: nothing (A_G of Eq. 4: group)."
        ),
    )
    baseline: Literal["group", "value"] = Field(
        default="value",
        description=(
            "What advantages are relative to. group: the mean of the query's systems. value: a "
            "learned value of each state (Eq. 4: group)."
        ),
    )
    trace: float = Field(
        default=0.95,
        ge=0,
        le=1,
        description=(
            "How far the value baseline trusts rewards instead of learned values; 1 trusts only "
            "rewards (λ)."
        ),
    )
    value_count: float | None = Field(
        default=1.0,
        gt=0,
        description=(
            "A state's value is the mean reward of the query's other systems that reached it; "
            "the learned value counts as this many extra systems. None: only the learned value."
        ),
    )
    trust_reward: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description=(
            "Share of the real reward in the final reward. The rest is its learned expectation."
        ),
    )
    centre_luck: bool = Field(
        default=True,
        description=(
            "On: subtract from each reward how much its query's group earned above the learned "
            "value."
        ),
    )

    # How the policy follows it.
    rounds: int = Field(
        default=3, ge=1, le=64, description="Rounds of updates over one sample (n_r; §6.6: 4)."
    )
    minibatches: int = Field(default=6, ge=1, le=256, description="Updates per round.")
    epsilon: float = Field(
        default=0.2,
        gt=0,
        lt=1,
        description=(
            "How far one update may move an action's probability ratio from 1 before it is "
            "clipped (ε; §6.8: 0.1)."
        ),
    )
    learning_rate: float = Field(
        default=6e-4,
        gt=0,
        le=1,
        description=(
            "Adam's learning rate of the policy. With twice as much, training settles on a team "
            "before its luck has averaged out (the paper names none)."
        ),
    )
    learning_rate_end: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="Share of the learning rate that is left at the last step.",
    )
    learning_rate_hold: float = Field(
        default=0.6,
        ge=0,
        lt=1,
        description="Share of the steps with the full learning rate. After them it falls evenly.",
    )
    weigh: Weigh = Field(
        default="action",
        description=(
            "What has equal weight. system: every system, so an action of a longer one counts "
            "less. action: every action (Eq. 7: system)."
        ),
    )
    gradient_limit: float | None = Field(
        default=1.0, gt=0, description="Limit of the gradient's norm. None: no limit."
    )
    importance_limit: float | None = Field(
        default=2.0,
        ge=1,
        description=(
            "Cap on the weight of actions sampled by an older policy. Without it a few actions "
            "dominate the update. None: no cap (importance ratio π_now/π_sampler)."
        ),
    )
    entropy_bonus: float = Field(
        default=0.01,
        ge=0,
        le=10,
        description=(
            "Weight of the entropy bonus, which keeps the policy from becoming certain, if the "
            "schedule below does not adapt it."
        ),
    )
    entropy_start: float | None = Field(
        default=2.0,
        ge=0,
        description=(
            "Entropy of role choices to keep at the start, in nats, at most 60% of an even "
            "choice's. None: the entropy bonus stays fixed."
        ),
    )
    entropy_end: float = Field(
        default=0.7,
        ge=0,
        description=(
            "Entropy of role choices to keep from 85% of the steps on, in nats. Runs take the "
            "most probable action anyway, and without alternatives the policy learns nothing "
            "more."
        ),
    )
    edge_entropy_share: float = Field(
        default=0.25, ge=0, description="Weight of the edges' entropy relative to that of roles."
    )
    average: float = Field(
        default=0.9,
        ge=0,
        lt=1,
        description=(
            "Checkpoints have weights averaged over the steps. This share of the average stays "
            "at each step; 0 takes the newest weights."
        ),
    )
    critic_learning_rate: float = Field(
        default=2e-3, gt=0, le=1, description="Adam's learning rate of the learned values."
    )
    critic_updates: int = Field(
        default=8, ge=1, le=256, description="Updates of the learned values per step."
    )

    # The network, when training begins with an untrained policy.
    hidden: int = Field(
        default=128,
        ge=4,
        le=1_024,
        description="Units of the network (the paper names no architecture).",
    )
    layers: int = Field(default=2, ge=1, le=12, description="Layers of attention over the agents.")
    critic_hidden: int = Field(
        default=64, ge=4, le=1_024, description="Units of the network for the learned values."
    )
    prior_weight: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description=(
            "Weight of an untrained policy's built-in preferences about roles at the start; "
            "those about a role's stage get it twice. With less, training starts with more "
            "varied systems."
        ),
    )
    edge_prior_weight: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Weight of an untrained policy's built-in preferences about who reads whom.",
    )

    # What is kept.
    checkpoint_every: int = Field(default=10, ge=1, description="Steps between checkpoints.")
    lag: int = Field(
        default=1,
        ge=0,
        le=1,
        description=(
            "Steps by which the sampling weights are behind. With 1 the next sample starts "
            "while this one finishes and is learned from, so the endpoint stays busy."
        ),
    )
    held_out: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description=(
            "Tasks of the split that are never trained on. Every checkpoint answers them like "
            "runs, and the best checkpoint is kept."
        ),
    )
    samples_per_step: int = Field(
        default=2, ge=0, le=64, description="Systems kept per step as samples to look at."
    )

    @model_validator(mode="after")
    def _some_term(self) -> MasHostTrainingConfig:
        if not (self.group_term or self.action_term):
            raise ValueError("turn on group_term or action_term: without both there is no reward")
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
        """The settings that runs with the trained policy keep from training."""
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
"""§6.8 has another price of a token for the benchmarks other than GSM8K."""

BEFORE: dict[str, Any] = {
    "count_draws": False,
    "feedback_edges": False,
    "explore": 0.0,
    "value_count": None,
    "learning_rate_hold": 0.0,
}
"""Values of later settings for trainings that began without them."""
