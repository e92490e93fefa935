"""The events of a training."""

from typing import Any, Literal

from pydantic import Field

from workers.core.events.base import EventBase
from workers.core.specs import GraphSpec, Slug, Spec

Place = Literal["first", "middle", "last"]
"""Of a stage in its task. A task of one stage has a first one alone."""


class Selection(Spec):
    """How roles were chosen for one layer of a step's tasks, in stages at this place: how often
    (`count`), and the mean probability of each role."""

    place: Place
    layer: int = Field(ge=1)
    count: int = Field(ge=1)
    probabilities: dict[Slug, float]


class TrainingMetric(EventBase):
    """All metrics of one training step; a value that does not exist at a step is left out.
    `selections`: of a method that chooses roles (`SelectsRoles`)."""

    event: Literal["training_metric"] = "training_metric"
    step: int = Field(ge=1)
    values: dict[str, float]
    selections: tuple[Selection, ...] = ()


class AgentReward(Spec):
    """What an agent's answer was worth, 0..1, and what it cost (USD)."""

    role_key: Slug
    endpoint: Slug
    reward: float = Field(ge=0, le=1)
    cost: float = Field(ge=0, allow_inf_nan=False)


class AgentsRewarded(EventBase):
    """What a training step's answers earned, in the order in which they count."""

    event: Literal["agents_rewarded"] = "agents_rewarded"
    step: int = Field(ge=1)
    rewards: tuple[AgentReward, ...]


class TrainingSample(EventBase):
    """One of the systems that a training step sampled, kept to be looked at.

    `trace` holds the events of its construction and execution as JSON, deltas left out.
    `advantages` and `action_rewards` have an entry per action, in order; an advantage is None where
    who acted was frozen. `details`: what a method's
    samples have beside that, as JSON.
    """

    event: Literal["training_sample"] = "training_sample"
    step: int = Field(ge=1)
    index: int = Field(ge=0)
    query: str
    reference: str | None
    answer: str | None
    correct: bool
    reward: float
    tokens: int = Field(ge=0)
    advantages: tuple[float | None, ...]
    action_rewards: tuple[float, ...]
    graph: GraphSpec
    details: dict[str, Any] = Field(default_factory=dict)
    trace: tuple[dict[str, Any], ...]


class CheckpointSaved(EventBase):
    """`name` is the checkpoint's folder below the job's; `metrics` are those of its step."""

    event: Literal["checkpoint_saved"] = "checkpoint_saved"
    step: int = Field(ge=0)
    name: str
    sha256: str
    metrics: dict[str, float] = Field(default_factory=dict)


class TrainingEnded(EventBase):
    """The last event of a training: all steps done, the budget spent, or asked to stop."""

    event: Literal["training_ended"] = "training_ended"
    step: int = Field(ge=0)
    reason: Literal["completed", "budget", "paused", "cancelled"]
