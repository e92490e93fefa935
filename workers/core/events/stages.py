"""A task solved stage by stage, with a workflow chosen for each (EvoMAS, arXiv 2605.08769)."""

from typing import ClassVar, Literal

from pydantic import Field

from workers.core.events.base import EventBase, Settles
from workers.core.events.shown import Shape, Shown, whole
from workers.core.specs import AgentId, Slug, Spec

Status = Literal["TODO", "DONE", "FAILED", "NEED-REFINE"]
Verdict = Literal["success", "fail", "refine"]
Ending = Literal["completed", "early_exit", "out_of_stages", "out_of_time", "unassessed"]
"""unassessed: no evaluator is asked, so one stage is all."""
Origin = Literal["model", "repaired", "fallback", "given"]
"""Of a plan or a verdict: the model's reply, its second one, what is done without a usable reply,
or what needs no model."""


class StageSubtask(Spec):
    """A part of the task. `artifact`: what its last attempt that left anything left, by the agent
    `by`; `attempts`: stages spent on it."""

    id: AgentId
    text: str
    status: Status = "TODO"
    artifact: str = ""
    by: AgentId | None = None
    attempts: int = Field(default=0, ge=0)


class Assessment(Spec):
    """What the evaluator says of a stage (Eq. 20)."""

    verdict: Verdict
    confidence: float = Field(ge=0, le=1)
    feedback: str = ""


class StageRecord(Spec):
    """A line of the compact history: which roles worked on which subtask, layer by layer."""

    stage: int = Field(ge=1)
    subtask: AgentId
    layers: tuple[tuple[Slug, ...], ...]
    verdict: Verdict


class TaskState(Spec):
    """s̃: the progress of the task. `active`: the subtask of the next stage; None: all are done.
    `trouble`: why attempts at it did not succeed, the newest last. `hint`: for the next stage."""

    objective: str
    subtasks: tuple[StageSubtask, ...]
    active: AgentId | None
    assessment: Assessment | None = None
    trouble: tuple[str, ...] = ()
    history: tuple[StageRecord, ...] = ()
    hint: str = ""


STATE: dict[str, Shape] = {
    "subtasks": whole("id", "text", "status", "artifact", "by", "attempts"),
    "assessment": whole("verdict", "confidence", "feedback"),
    "history": whole("stage", "subtask", "layers", "verdict"),
    **whole("objective", "active", "trouble", "hint"),
}


class StagePlanned(EventBase):
    """A stage begins: the state s̃ that its workflow is chosen for, after the planner's work.

    `compact`: the texts of it that the adapter reads. `origin`: whose plan it is; `problem`: why it
    is not the planner's first reply. `left_out`: subtasks beyond the limit. `agent_id`: the
    planner; None: no model was asked.
    """

    event: Literal["stage_planned"] = "stage_planned"
    shown: ClassVar[Shown] = {
        "state": STATE,
        **whole("stage", "compact", "origin", "problem", "left_out", "agent_id"),
    }
    stage: int = Field(ge=1)
    state: TaskState
    compact: tuple[str, ...]
    origin: Origin
    problem: str = ""
    left_out: int = Field(default=0, ge=0)
    agent_id: AgentId | None = None


class RoleProbability(Spec):
    """`rank`: its place among the chosen ones, from 1; None: not chosen."""

    role: Slug
    name: str
    probability: float = Field(ge=0, le=1)
    rank: int | None = Field(default=None, ge=1)


class LayerSampled(EventBase):
    """The agents of a layer: all of the pool with their probabilities (Eq. 11). `mass`: the
    threshold ρ. `most`: the most agents of a layer; None: the run was made without that limit.
    `greedy`: the likeliest were taken, without a draw. `fixed`: the settings name the workflow, so
    there are no probabilities. `agents`: of the chosen ones, those that run."""

    event: Literal["layer_sampled"] = "layer_sampled"
    shown: ClassVar[Shown] = {
        "candidates": whole("role", "name", "probability", "rank"),
        **whole("stage", "layer", "log_probability", "mass", "most", "greedy", "fixed", "agents"),
    }
    stage: int = Field(ge=1)
    layer: int = Field(ge=1)
    candidates: tuple[RoleProbability, ...]
    log_probability: float
    mass: float
    most: int | None = None
    greedy: bool
    fixed: bool = False
    agents: tuple[AgentId, ...] = ()


class StageAssessed(EventBase):
    """The evaluator's verdict on the active subtask. `origin` fallback: its reply had no verdict,
    and `problem` says so; given: there was nothing to assess. `agent_id`: the evaluator."""

    event: Literal["stage_assessed"] = "stage_assessed"
    shown: ClassVar[Shown] = {
        "assessment": whole("verdict", "confidence", "feedback"),
        **whole("stage", "subtask", "origin", "problem", "agent_id"),
    }
    stage: int = Field(ge=1)
    subtask: AgentId
    assessment: Assessment
    origin: Origin
    problem: str = ""
    agent_id: AgentId | None = None


class StageEnded(Settles):
    """The state after the updater (Eq. 7). `ending`: why no stage follows; None: one does."""

    event: Literal["stage_ended"] = "stage_ended"
    shown: ClassVar[Shown] = {"state": STATE, **whole("stage", "ending")}
    stage: int = Field(ge=1)
    state: TaskState
    ending: Ending | None = None
