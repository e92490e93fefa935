"""What agents do, whatever method asked them."""

from typing import Any, ClassVar, Literal
from uuid import UUID

from pydantic import Field

from workers.core.errors import Failure
from workers.core.events.base import EventBase
from workers.core.events.shown import USED, Shown, codes, kind_alone, whole
from workers.core.specs import AgentId, FailedTry, Slug, Source, Spec, Usage

LimitedBy = Literal["call", "context", "run"]
"""What limits a reply: the budget's limit of one reply, half of the endpoint's context, or what is
left of the run's tokens or cost."""


class AgentStarted(EventBase):
    event: Literal["agent_started"] = "agent_started"
    shown: ClassVar[Shown] = whole(
        "agent_id", "role_key", "role_name", "family", "reads", "endpoint", "prompt", "summary"
    )
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
    shown: ClassVar[Shown] = whole("agent_id", "call_id", "tool", "arguments", "truncated")
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
    shown: ClassVar[Shown] = {
        "sources": whole("title", "address"),
        **whole("agent_id", "call_id", "tool", "ok", "output", "seconds"),
        **whole("cached", "cut", "fetched", "picture"),
    }
    agent_id: AgentId
    call_id: str
    tool: Slug
    ok: bool
    output: str
    seconds: float = Field(ge=0)
    sources: tuple[Source, ...] = Field(default=(), description="pages and files that it read")
    cached: bool = Field(default=False, description="the run had asked the same before")
    cut: bool = Field(default=False, description="there was more than the tool may read")
    fetched: int = Field(default=0, ge=0, description="bytes that came over the network")
    picture: UUID | None = Field(
        default=None,
        description="of the page, as people see it: the id of one of the run's pictures",
    )


class AgentFinished(EventBase):
    """`reused`: the pool already held this role's message for these inputs; no call was made."""

    event: Literal["agent_finished"] = "agent_finished"
    shown: ClassVar[Shown] = {
        **USED,
        "failed_tries": codes,
        **whole(
            "agent_id",
            "message",
            "thoughts",
            "answer",
            "refused",
            "calls",
            "retries",
            "cached_calls",
            "cached",
            "reused",
            "truncated",
            "cut_calls",
            "token_limit",
            "limited_by",
            "own_temperature",
            "given",
        ),
    }
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
    shown: ClassVar[Shown] = {
        "failure": kind_alone,
        "failed_tries": codes,
        **USED,
        **whole("agent_id", "written", "cut_calls"),
    }
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


class AnswerGroup(Spec):
    """Agents whose answers a vote counts as one, in the spelling of the first."""

    answer: str
    agent_ids: tuple[AgentId, ...]


class IntermediateAnswer(EventBase):
    """O_t: the answer the system would give after construction step t; None is no answer. `groups`:
    how the votes for it were counted; empty where no vote was held."""

    event: Literal["intermediate_answer"] = "intermediate_answer"
    shown: ClassVar[Shown] = {
        "groups": whole("answer", "agent_ids"),
        **whole("step", "answer", "agent_id"),
    }
    step: int = Field(ge=0)
    answer: str | None
    agent_id: AgentId | None = None
    groups: tuple[AnswerGroup, ...] = ()
