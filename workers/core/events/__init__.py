"""The append-only typed record of a run: a discriminated union on `event`, a module a family.

Core yields only these. Its caller adds run, attempt and seq.
The browser's types are generated from this module (`python -m workers.export_types`), so a rename
here is a rename everywhere. A method with events of its own adds a module and its lines below.
"""

from typing import Annotated, get_args

from pydantic import Field, TypeAdapter

from workers.core.events.agents import (
    AgentDelta,
    AgentFailed,
    AgentFinished,
    AgentStarted,
    AnswerGroup,
    IntermediateAnswer,
    LimitedBy,
    ToolCalled,
    ToolReturned,
)
from workers.core.events.base import Asks, EventBase, Grows, Placed, Replied, Settles
from workers.core.events.construction import (
    ActionProbability,
    BackProbability,
    EdgeProbability,
    EdgesSampled,
    GraphPlanned,
    NodeSampled,
    RevisionAsked,
)
from workers.core.events.episodes import EpisodeMoved, EpisodeStarted
from workers.core.events.run import (
    AnswerVerified,
    AttemptLost,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
    RunStarted,
    RunTakenUp,
)
from workers.core.events.scripts import (
    BlockCalled,
    DrawnBlock,
    DrawnEdge,
    ScriptDrawing,
    ScriptEnded,
    ScriptProblem,
    ScriptRead,
)
from workers.core.events.stages import (
    Assessment,
    LayerSampled,
    RoleProbability,
    StageAssessed,
    StageEnded,
    StagePlanned,
    StageRecord,
    StageSubtask,
    TaskState,
)
from workers.core.events.subtasks import (
    CandidateReward,
    CandidateScore,
    CandidatesScored,
    PlannerAsked,
    PlanRejected,
    SubtaskAnswered,
    SubtasksPlanned,
)
from workers.core.events.training import (
    AgentReward,
    AgentsRewarded,
    CheckpointSaved,
    Place,
    Selection,
    TrainingEnded,
    TrainingMetric,
    TrainingSample,
)

__all__ = (
    "CLOSING_EVENTS",
    "EVENTS",
    "EVENT_ADAPTER",
    "SETTLING_EVENTS",
    "TERMINAL_EVENTS",
    "TRANSIENT_EVENTS",
    "ActionProbability",
    "AgentDelta",
    "AgentFailed",
    "AgentFinished",
    "AgentReward",
    "AgentStarted",
    "AgentsRewarded",
    "AnswerGroup",
    "AnswerVerified",
    "Asks",
    "Assessment",
    "AttemptLost",
    "BackProbability",
    "BlockCalled",
    "CandidateReward",
    "CandidateScore",
    "CandidatesScored",
    "CheckpointSaved",
    "DrawnBlock",
    "DrawnEdge",
    "EdgeProbability",
    "EdgesSampled",
    "EpisodeMoved",
    "EpisodeStarted",
    "Event",
    "EventBase",
    "GraphPlanned",
    "Grows",
    "IntermediateAnswer",
    "LayerSampled",
    "LimitedBy",
    "NodeSampled",
    "Place",
    "Placed",
    "PlanRejected",
    "PlannerAsked",
    "Replied",
    "RevisionAsked",
    "RoleProbability",
    "RunCancelled",
    "RunFailed",
    "RunFinished",
    "RunPaused",
    "RunStarted",
    "RunTakenUp",
    "ScriptDrawing",
    "ScriptEnded",
    "ScriptProblem",
    "ScriptRead",
    "Selection",
    "Settles",
    "StageAssessed",
    "StageEnded",
    "StagePlanned",
    "StageRecord",
    "StageSubtask",
    "SubtaskAnswered",
    "SubtasksPlanned",
    "TaskState",
    "ToolCalled",
    "ToolReturned",
    "TrainingEnded",
    "TrainingMetric",
    "TrainingSample",
)

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
    | StagePlanned
    | LayerSampled
    | StageAssessed
    | StageEnded
    | ScriptRead
    | BlockCalled
    | ScriptEnded
    | EpisodeStarted
    | EpisodeMoved
    | AgentStarted
    | AgentDelta
    | ToolCalled
    | ToolReturned
    | AgentFinished
    | AgentFailed
    | IntermediateAnswer
    | AnswerVerified
    | AttemptLost
    | RunTakenUp
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

EVENTS: dict[str, type[EventBase]] = {
    each.model_fields["event"].default: each for each in get_args(get_args(Event)[0])
}
"""By kind."""

SETTLING_EVENTS = frozenset(kind for kind, each in EVENTS.items() if issubclass(each, Settles))
"""A later attempt may continue after one of these."""

TERMINAL_EVENTS = frozenset({"run_finished", "run_failed", "run_cancelled"})
"""After one of these nothing more is appended to a run."""

CLOSING_EVENTS = TERMINAL_EVENTS | {"attempt_lost", "run_paused"}
"""After one of these nothing more is appended to an attempt, but that the run was cancelled."""

TRANSIENT_EVENTS = frozenset({"agent_delta"})
"""Streamed through Redis, never stored."""
