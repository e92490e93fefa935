"""The events that begin and end an agent's turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workers.core.errors import Failure
from workers.core.events import AgentFailed, AgentFinished, AgentStarted
from workers.core.llm.types import ChatMessage
from workers.core.mas.contribution import Contribution
from workers.core.mas.conversation import Meter
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AgentNode

TRIES_TOLD = 8
"""Of an agent's failed tries, those with their causes."""


def started(
    node: AgentNode,
    usable: Sequence[AgentOutcome],
    endpoint: str,
    messages: Sequence[ChatMessage],
    *,
    summary: bool = False,
) -> AgentStarted:
    role = node.role
    return AgentStarted(
        agent_id=node.id,
        role_key=role.key,
        role_name=role.name,
        family=role.family,
        reads=tuple(outcome.agent_id for outcome in usable),
        endpoint=endpoint,
        prompt=tuple({"role": m.role, "content": m.content} for m in messages),
        summary=summary,
    )


def finished(
    node: AgentNode,
    said: Contribution,
    meter: Meter,
    seconds: float,
    *,
    reused: bool = False,
    given: Literal["person"] | None = None,
) -> AgentFinished:
    return AgentFinished(
        agent_id=node.id,
        message=said.text,
        thoughts=said.thoughts,
        answer=said.answer,
        refused=said.refused,
        usage=meter.used(),
        seconds=seconds,
        calls=meter.calls,
        retries=len(meter.failed_tries),
        failed_tries=meter.failed_tries[:TRIES_TOLD],
        cached_calls=meter.calls - meter.uncached,
        cached=meter.calls > 0 and meter.uncached == 0,
        reused=reused,
        truncated=said.truncated,
        cut_calls=meter.cut,
        token_limit=said.limit.tokens if said.limit else None,
        limited_by=said.limit.by if said.limit else None,
        own_temperature=meter.own_temperature,
        given=given,
    )


def failed(node: AgentNode, failure: Failure, meter: Meter, seconds: float) -> AgentFailed:
    return AgentFailed(
        agent_id=node.id,
        failure=failure,
        written=meter.written,
        failed_tries=meter.failed_tries[:TRIES_TOLD],
        usage=meter.used(),
        seconds=seconds,
        cut_calls=meter.cut,
    )
