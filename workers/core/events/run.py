"""How a run begins, pauses and ends."""

from typing import ClassVar, Literal

from pydantic import Field

from workers.core.errors import Failure
from workers.core.events.base import EventBase
from workers.core.events.shown import GRAPH, USED, Shown, kind_alone, nobody, whole
from workers.core.specs import AgentId, AttemptSpent, GraphSpec, Slug, Usage


class RunStarted(EventBase):
    event: Literal["run_started"] = "run_started"
    shown: ClassVar[Shown] = whole(
        "method",
        "query",
        "seed",
        "endpoint",
        "model",
        "pool",
        "pool_version",
        "checkpoint",
        "trained",
    )
    method: Slug
    query: str
    seed: int
    endpoint: Slug
    model: str
    pool: Slug | None = None
    pool_version: int | None = None
    checkpoint: str | None = None
    trained: bool | None = Field(default=None, description="False: an untrained policy's weights")


class AnswerVerified(EventBase):
    """The run's answer beside the task's reference; the last event before `run_finished`."""

    event: Literal["answer_verified"] = "answer_verified"
    shown: ClassVar[Shown] = whole("verifier", "correct", "reward", "explanation")
    verifier: Slug
    correct: bool
    reward: float
    explanation: str


class AttemptLost(EventBase):
    """A worker vanished mid-run. The run is taken up again, from its start or after what it had
    finished (`run_taken_up`), or fails for good."""

    event: Literal["attempt_lost"] = "attempt_lost"
    shown: ClassVar[Shown] = {
        "failure": kind_alone,
        "spent": whole("tokens", "cost", "seconds", "unknown"),
        **whole("will_retry"),
    }
    failure: Failure
    will_retry: bool
    spent: AttemptSpent | None = Field(
        default=None, description="what the attempt used; the next one has that much less"
    )


class RunTakenUp(EventBase):
    """This attempt continues a lost one. The `events` before this one, without `run_started`, are
    what the lost attempt had finished: `parts` of its work. They are dated as if they had just
    happened."""

    event: Literal["run_taken_up"] = "run_taken_up"
    shown: ClassVar[Shown] = whole("attempt", "events", "parts")
    attempt: int = Field(ge=1, description="the lost attempt")
    events: int = Field(ge=1)
    parts: int = Field(ge=1)


class RunPaused(EventBase):
    """The run waits until a person releases an agent of `waiting_for`, or writes for one of
    `asked`; ends the attempt, not the run."""

    event: Literal["run_paused"] = "run_paused"
    shown: ClassVar[Shown] = {"graph": GRAPH, **USED, **whole("waiting_for", "asked")}
    waiting_for: tuple[AgentId, ...]
    asked: tuple[AgentId, ...] = ()
    graph: GraphSpec
    usage: Usage
    seconds: float = Field(ge=0)


class RunFinished(EventBase):
    event: Literal["run_finished"] = "run_finished"
    shown: ClassVar[Shown] = {"graph": GRAPH, **USED, **whole("answer", "message")}
    answer: str | None
    message: str = Field(description="the text the answer was read from")
    graph: GraphSpec
    usage: Usage
    seconds: float = Field(ge=0)


class RunFailed(EventBase):
    event: Literal["run_failed"] = "run_failed"
    shown: ClassVar[Shown] = {"failure": kind_alone, **USED}
    failure: Failure
    usage: Usage = Usage()
    seconds: float = Field(default=0.0, ge=0)


class RunCancelled(EventBase):
    event: Literal["run_cancelled"] = "run_cancelled"
    shown: ClassVar[Shown] = {"by": nobody, **USED}
    by: str = ""
    usage: Usage = Usage()
    seconds: float = Field(default=0.0, ge=0)
