"""The append-only typed record of a run: a discriminated union on `event`.

Core yields these and nothing else; whoever drives core stamps run, attempt and seq on the envelope.
The browser's types are generated from this module (`python -m workers.export_types`), so a rename
here is a rename everywhere.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from workers.core.specs import (
    AgentId,
    AttemptSpent,
    FailedTry,
    GraphSpec,
    Slug,
    TaskGraphSpec,
    Usage,
)


class EventBase(BaseModel):
    """`at`: Unix seconds when the thing happened."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: float = Field(default_factory=time.time)


class Failure(BaseModel):
    """What went wrong and the way out. `code` is stable; the sentences are for people."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: Slug
    message: str
    remedy: str = ""


LimitedBy = Literal["call", "context", "run"]
"""What limits a reply: the budget's limit of one reply, half of the endpoint's context, or what is
left of the run's tokens or cost."""


class RunStarted(EventBase):
    event: Literal["run_started"] = "run_started"
    method: Slug
    query: str
    seed: int
    endpoint: Slug
    model: str
    pool: Slug | None = None
    pool_version: int | None = None
    checkpoint: str | None = None
    trained: bool | None = Field(default=None, description="False: an untrained policy's weights")


class GraphPlanned(EventBase):
    """The graph of a method, before the agents in it start; a later one adds to it."""

    event: Literal["graph_planned"] = "graph_planned"
    graph: GraphSpec


class ActionProbability(BaseModel):
    """`action` is a role key, or DELETE or EXIT; `masked` actions have probability 0."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: str
    probability: float = Field(ge=0, le=1)
    masked: bool = False


class NodeSampled(EventBase):
    """One node action a_n with the probabilities of all K + 2 actions."""

    event: Literal["node_sampled"] = "node_sampled"
    step: int = Field(ge=1)
    candidates: tuple[ActionProbability, ...]
    kind: Literal["add", "delete", "exit"]
    choice: str
    log_probability: float
    greedy: bool
    agent_id: AgentId | None = Field(default=None, description="the agent added or deleted")
    out_of_scope: bool = Field(
        default=False,
        description="the untrained policy decided: the query is unlike the checkpoint's training",
    )


class EdgeProbability(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    source: AgentId
    probability: float = Field(ge=0, le=1)
    chosen: bool


class BackProbability(BaseModel):
    """An edge back: whether the new agent sends its message to `target`, which then revises."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: AgentId
    probability: float = Field(ge=0, le=1)
    chosen: bool


class EdgesSampled(EventBase):
    """Which existing agents the new agent reads, by the messages of theirs that stand; with
    feedback edges also whom it sends its own message back to (`back`)."""

    event: Literal["edges_sampled"] = "edges_sampled"
    step: int = Field(ge=1)
    agent_id: AgentId
    candidates: tuple[EdgeProbability, ...]
    log_probability: float
    back: tuple[BackProbability, ...] = ()


class RevisionAsked(EventBase):
    """An earlier agent was sent a message back and is about to revise its own, once. `agent_id` is
    the revision, which speaks for the same agent in the next `round`: it reads what the agent read
    before, `revises`, its message until now, and last the message of `sender`."""

    event: Literal["revision_asked"] = "revision_asked"
    step: int = Field(ge=1)
    agent_id: AgentId
    revises: AgentId
    sender: AgentId
    reads: tuple[AgentId, ...]
    round: int = Field(ge=2)


class SubtasksPlanned(EventBase):
    """The query as subtasks and who depends on whom (ReSo's f_task). `own`: the data set's graph;
    `repaired`: the planner's first reply was none; `usage`: of the reply that is one."""

    event: Literal["subtasks_planned"] = "subtasks_planned"
    planner: Literal["llm", "own"]
    task_graph: TaskGraphSpec
    repaired: bool = False
    usage: Usage = Usage.zero()
    truncated: bool | None = Field(
        default=None, description="the reply stopped at its token limit; null: not told"
    )


class PlannerAsked(EventBase):
    """A model is about to be asked to divide the query. What it replies is told by `plan_rejected`
    or `subtasks_planned`; neither comes where its endpoint fails or the budget is spent.
    `ordinal` 2: its first reply was no task graph."""

    event: Literal["planner_asked"] = "planner_asked"
    endpoint: Slug
    model: str
    ordinal: int = Field(default=1, ge=1)


class PlanRejected(EventBase):
    """A planner's reply that is no task graph: `problem` is what it was told, `remedy` what people
    can do about it, `reply` what it wrote, cut. `ordinal` is that of the call."""

    event: Literal["plan_rejected"] = "plan_rejected"
    endpoint: Slug
    ordinal: int = Field(default=1, ge=1)
    reply: str
    problem: str
    remedy: str = ""
    usage: Usage
    truncated: bool | None = Field(
        default=None, description="the reply stopped at its token limit; null: not told"
    )


class CandidateScore(BaseModel):
    """Why an agent of the database was found for a subtask: UCB(a, v) = similarity · performance +
    exploration. `inner_product` is ⟨q_v, e_a⟩, of which `similarity` is the gate; `reward`, `cost`
    and `count` are its dynamic profile then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    subtask: AgentId
    candidates: tuple[CandidateScore, ...]
    selections: int = Field(ge=0)
    nearest: float
    threshold: float


class CandidateReward(BaseModel):
    """What a candidate's answer is worth, 0..1; None: nobody could judge it, `problem` says why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent_id: AgentId
    value: float | None
    reason: str = ""
    problem: str = ""


class AnswerGroup(BaseModel):
    """Agents whose answers a vote counts as one, in the spelling of the first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer: str
    agent_ids: tuple[AgentId, ...]


class SubtaskAnswered(EventBase):
    """Whose answer to a subtask counts: by the reward model while a method learns, else by the
    largest group. None: nobody's. `correct`: that answer beside the subtask's reference; None where
    one of them is not known. `solved`: whether the best reward is good enough for the method to go
    on; None where nothing was rewarded."""

    event: Literal["subtask_answered"] = "subtask_answered"
    subtask: AgentId
    agent_id: AgentId | None
    answer: str | None
    rewards: tuple[CandidateReward, ...] = ()
    groups: tuple[AnswerGroup, ...] = ()
    correct: bool | None = None
    solved: bool | None = None


class AgentStarted(EventBase):
    event: Literal["agent_started"] = "agent_started"
    agent_id: AgentId
    role_key: Slug
    role_name: str
    family: Slug
    reads: tuple[AgentId, ...] = ()
    endpoint: Slug
    prompt: tuple[dict[str, str], ...] = Field(
        default=(), description="the chat messages sent first: [{role, content}]"
    )
    summary: bool = Field(default=False, description="the summary agent, called at the end")


class AgentDelta(EventBase):
    """Streamed text, through Redis alone; `offset` counts the agent's characters before it."""

    event: Literal["agent_delta"] = "agent_delta"
    agent_id: AgentId
    text: str
    offset: int = Field(ge=0)


class ToolCalled(EventBase):
    event: Literal["tool_called"] = "tool_called"
    agent_id: AgentId
    call_id: str
    tool: Slug
    arguments: dict[str, Any]
    truncated: bool | None = Field(
        default=None,
        description="the reply that asked for it stopped at its token limit; null: not told",
    )


class ToolReturned(EventBase):
    event: Literal["tool_returned"] = "tool_returned"
    agent_id: AgentId
    call_id: str
    tool: Slug
    ok: bool
    output: str
    seconds: float = Field(ge=0)


class AgentFinished(EventBase):
    """`reused`: the pool already held this role's message for these inputs; no call was made."""

    event: Literal["agent_finished"] = "agent_finished"
    agent_id: AgentId
    message: str
    thoughts: str = Field(default="", description="what the model thought; no other agent reads it")
    answer: str | None = None
    refused: bool = False
    usage: Usage
    seconds: float = Field(ge=0)
    calls: int = Field(default=1, ge=0, description="LLM calls, tool rounds included")
    retries: int = Field(default=0, ge=0)
    failed_tries: tuple[FailedTry, ...] = Field(
        default=(), description="why calls were made again, the first ones of `retries`"
    )
    cached_calls: int | None = Field(
        default=None, ge=0, description="of the calls, those that kept answers gave; null: not told"
    )
    cached: bool = Field(default=False, description="all of its calls were")
    reused: bool = False
    truncated: bool = Field(default=False, description="the message stopped at its token limit")
    cut_calls: int | None = Field(
        default=None,
        ge=0,
        description="of the calls, those whose reply stopped at its token limit; null: not told",
    )
    token_limit: int | None = Field(
        default=None, ge=1, description="tokens that its last reply might have; null: not told"
    )
    limited_by: LimitedBy | None = Field(
        default=None, description="which limit that was; null: not told"
    )
    own_temperature: bool = Field(
        default=False, description="the server did not take the temperature and used its own"
    )
    given: Literal["kept", "edited", "person"] | None = Field(
        default=None,
        description="not said in this run: kept from the one that it forks, edited, or a person's",
    )


class AgentFailed(EventBase):
    event: Literal["agent_failed"] = "agent_failed"
    agent_id: AgentId
    failure: Failure
    written: str = Field(default="", description="what it had streamed until then")
    failed_tries: tuple[FailedTry, ...] = Field(
        default=(), description="why calls were made again before that, the first ones"
    )
    usage: Usage = Usage()
    seconds: float = Field(default=0.0, ge=0)
    cut_calls: int | None = Field(
        default=None,
        ge=0,
        description="of its calls, those whose reply stopped at its token limit; null: not told",
    )


class IntermediateAnswer(EventBase):
    """O_t: the answer the system would give after construction step t; None is no answer. `groups`:
    how the votes for it were counted; empty where no vote was held."""

    event: Literal["intermediate_answer"] = "intermediate_answer"
    step: int = Field(ge=0)
    answer: str | None
    agent_id: AgentId | None = None
    groups: tuple[AnswerGroup, ...] = ()


class AnswerVerified(EventBase):
    """The run's answer beside the task's reference; the last event before `run_finished`."""

    event: Literal["answer_verified"] = "answer_verified"
    verifier: Slug
    correct: bool
    reward: float
    explanation: str


class AttemptLost(EventBase):
    """A worker vanished mid-run; the run is taken up again from its start, or fails for good."""

    event: Literal["attempt_lost"] = "attempt_lost"
    failure: Failure
    will_retry: bool
    spent: AttemptSpent | None = Field(
        default=None, description="what the attempt used; the next one has that much less"
    )


class RunPaused(EventBase):
    """Nobody goes on before a person releases an agent of `waiting_for`, or writes for one of
    `asked`; ends the attempt, not the run."""

    event: Literal["run_paused"] = "run_paused"
    waiting_for: tuple[AgentId, ...]
    asked: tuple[AgentId, ...] = ()
    graph: GraphSpec
    usage: Usage
    seconds: float = Field(ge=0)


class RunFinished(EventBase):
    event: Literal["run_finished"] = "run_finished"
    answer: str | None
    message: str = Field(description="the text the answer was read from")
    graph: GraphSpec
    usage: Usage
    seconds: float = Field(ge=0)


class RunFailed(EventBase):
    event: Literal["run_failed"] = "run_failed"
    failure: Failure
    usage: Usage = Usage()
    seconds: float = Field(default=0.0, ge=0)


class RunCancelled(EventBase):
    event: Literal["run_cancelled"] = "run_cancelled"
    by: str = ""
    usage: Usage = Usage()
    seconds: float = Field(default=0.0, ge=0)


class TrainingMetric(EventBase):
    """All metrics of one training step; a value that does not exist at a step is left out."""

    event: Literal["training_metric"] = "training_metric"
    step: int = Field(ge=1)
    values: dict[str, float]


class AgentReward(BaseModel):
    """What an agent's answer was worth, 0..1, and what it cost (USD)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    `advantages` and `action_rewards` have an entry per action, in order.
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
    advantages: tuple[float, ...]
    action_rewards: tuple[float, ...]
    graph: GraphSpec
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


Event = Annotated[
    RunStarted
    | GraphPlanned
    | NodeSampled
    | EdgesSampled
    | RevisionAsked
    | PlannerAsked
    | PlanRejected
    | SubtasksPlanned
    | CandidatesScored
    | SubtaskAnswered
    | AgentStarted
    | AgentDelta
    | ToolCalled
    | ToolReturned
    | AgentFinished
    | AgentFailed
    | IntermediateAnswer
    | AnswerVerified
    | AttemptLost
    | RunPaused
    | RunFinished
    | RunFailed
    | RunCancelled
    | TrainingMetric
    | TrainingSample
    | AgentsRewarded
    | CheckpointSaved
    | TrainingEnded,
    Field(discriminator="event"),
]

EVENT_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)

TERMINAL_EVENTS = frozenset({"run_finished", "run_failed", "run_cancelled"})
"""After one of these nothing more is appended to a run."""

CLOSING_EVENTS = TERMINAL_EVENTS | {"attempt_lost", "run_paused"}
"""After one of these nothing more is appended to an attempt, but that the run was cancelled."""

TRANSIENT_EVENTS = frozenset({"agent_delta"})
"""Streamed through Redis, never stored."""
