"""A run of one agent, planned in advance: what `direct` and `chain_of_thought` share."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from workers.core.events import Event, GraphPlanned, IntermediateAnswer
from workers.core.mas.context import MethodContext
from workers.core.mas.execute import execute_graph
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.outcomes import stopping_failure
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, TaskSpec

AGENT_ID = "a1"


async def answer_alone(
    role: RoleSpec, task: TaskSpec, context: MethodContext
) -> AsyncGenerator[Event]:
    """graph_planned · the agent's events · intermediate_answer. Raises MethodError on failure."""
    graph = GraphSpec(nodes=(AgentNode(id=AGENT_ID, role=role),))
    outcomes: dict[str, AgentOutcome] = {}
    yield GraphPlanned(graph=graph)
    events = execute_graph(graph, query=task.query, context=context, outcomes=outcomes)
    async with aclosing(events):
        async for event in events:
            yield event
    failure = stopping_failure([outcomes[AGENT_ID]])
    if failure is not None:
        raise failure
    yield IntermediateAnswer(step=1, answer=outcomes[AGENT_ID].answer, agent_id=AGENT_ID)
