"""The summary agent: reads what the team wrote and gives the system's one answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence

from workers.core.events import Event
from workers.core.mas.agent import Messages, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import GREEDY, AgentOutcome, Sampling
from workers.core.mas.prompts import SUMMARY_ROLE
from workers.core.specs import AgentNode
from workers.core.tools.base import Tool
from workers.core.tools.registry import TOOLS

SUMMARY_ID = "summary"


async def run_summary(
    *,
    query: str,
    inputs: Sequence[AgentOutcome],
    context: MethodContext,
    message_pool: Messages,
    outcomes: dict[str, AgentOutcome],
    agent_id: str = SUMMARY_ID,
    sampling: Sampling = GREEDY,
    tools: Mapping[str, Tool] = TOOLS,
) -> AsyncGenerator[Event]:
    """Events of the summary agent over the usable `inputs`; `outcomes[agent_id]` is its end.

    With no usable input, or no input at all, it answers nothing and fails with `no_input`: a team
    that said nothing has no answer to sum up. Summing up twice in a run takes two `agent_id`s.
    """
    silent = [AgentOutcome("nobody", "nobody")]
    events = run_agent(
        AgentNode(id=agent_id, role=SUMMARY_ROLE),
        query=query,
        inputs=inputs or silent,
        context=context,
        message_pool=message_pool,
        outcomes=outcomes,
        sampling=sampling,
        tools=tools,
        summary=True,
    )
    try:
        async for event in events:
            yield event
    finally:
        await events.aclose()
