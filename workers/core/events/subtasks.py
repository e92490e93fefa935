"""A query divided into subtasks, and who answers each (ReSo, EMNLP 2025)."""

from typing import ClassVar, Literal

from pydantic import Field

from workers.core.events.agents import AnswerGroup
from workers.core.events.base import Asks, EventBase, Replied
from workers.core.events.shown import USAGE, Shown, whole
from workers.core.specs import AgentId, Slug, Spec, TaskGraphSpec, Usage


class SubtasksPlanned(Replied):
    """The query as subtasks and who depends on whom (ReSo's f_task). `own`: the data set's graph;
    `repaired`: the planner's first reply was none; `usage`: of the reply that is one."""

    event: Literal["subtasks_planned"] = "subtasks_planned"
    shown: ClassVar[Shown] = {
        "task_graph": {"subtasks": whole("id", "text", "depends_on", "reference")},
        "usage": USAGE,
        **whole("planner", "repaired", "truncated"),
    }
    planner: Literal["llm", "own"]
    task_graph: TaskGraphSpec
    repaired: bool = False
    usage: Usage = Usage.zero()


class PlannerAsked(Asks):
    """A model is about to be asked to divide the query. What it replies is told by `plan_rejected`
    or `subtasks_planned`; neither comes where its endpoint fails or the budget is spent.
    `ordinal` 2: its first reply was no task graph."""

    event: Literal["planner_asked"] = "planner_asked"
    shown: ClassVar[Shown] = whole("endpoint", "model", "ordinal")
    endpoint: Slug
    model: str
    ordinal: int = Field(default=1, ge=1)


class PlanRejected(Replied):
    """A planner's reply that is no task graph: `problem` is what it was told, `remedy` what people
    can do about it, `reply` what it wrote, cut. `ordinal` is that of the call."""

    event: Literal["plan_rejected"] = "plan_rejected"
    shown: ClassVar[Shown] = {
        "usage": USAGE,
        **whole("endpoint", "ordinal", "reply", "problem", "remedy", "truncated"),
    }
    endpoint: Slug
    ordinal: int = Field(default=1, ge=1)
    reply: str
    problem: str
    remedy: str = ""
    usage: Usage


class CandidateScore(Spec):
    """Why an agent of the database was found for a subtask: UCB(a, v) = similarity · performance +
    exploration. `inner_product` is ⟨q_v, e_a⟩, of which `similarity` is the gate; `reward`, `cost`
    and `count` are its dynamic profile then."""

    agent_id: AgentId
    role_key: Slug
    endpoint: Slug
    inner_product: float
    similarity: float
    performance: float
    exploration: float
    score: float
    reward: float
    cost: float
    count: int = Field(ge=0)


class CandidatesScored(EventBase):
    """The agents that are asked a subtask, best first. `selections`: of all agents so far;
    `nearest`: the highest inner product among them, or where none reaches `threshold`, of any agent
    of the database: below it, too, nobody is made for the subtask."""

    event: Literal["candidates_scored"] = "candidates_scored"
    shown: ClassVar[Shown] = {
        "candidates": whole(
            "agent_id",
            "role_key",
            "endpoint",
            "inner_product",
            "similarity",
            "performance",
            "exploration",
            "score",
            "reward",
            "cost",
            "count",
        ),
        **whole("subtask", "selections", "nearest", "threshold"),
    }
    subtask: AgentId
    candidates: tuple[CandidateScore, ...]
    selections: int = Field(ge=0)
    nearest: float
    threshold: float


class CandidateReward(Spec):
    """What a candidate's answer is worth, 0..1; None: nobody could judge it, `problem` says why."""

    agent_id: AgentId
    value: float | None
    reason: str = ""
    problem: str = ""


class SubtaskAnswered(EventBase):
    """Whose answer to a subtask counts: by the reward model while a method learns, else by the
    largest group. None: nobody's. `correct`: that answer beside the subtask's reference; None where
    one of them is not known. `solved`: whether the best reward is good enough for the method to go
    on; None where nothing was rewarded."""

    event: Literal["subtask_answered"] = "subtask_answered"
    shown: ClassVar[Shown] = {
        # What a judge's server answered may name it: no `problem`.
        "rewards": whole("agent_id", "value", "reason"),
        "groups": whole("answer", "agent_ids"),
        **whole("subtask", "agent_id", "answer", "correct", "solved"),
    }
    subtask: AgentId
    agent_id: AgentId | None
    answer: str | None
    rewards: tuple[CandidateReward, ...] = ()
    groups: tuple[AnswerGroup, ...] = ()
    correct: bool | None = None
    solved: bool | None = None
