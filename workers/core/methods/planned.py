"""Executing a graph that is whole before its first agent speaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from workers.core.events import Event, GraphPlanned
from workers.core.mas.agent import Messages
from workers.core.mas.control import Control
from workers.core.mas.execute import execute_graph
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.summary import SUMMARY_ID, run_summary
from workers.core.methods.base import MethodContext
from workers.core.methods.outcomes import last_word
from workers.core.specs import GraphSpec


async def run_planned(
    graph: GraphSpec,
    *,
    query: str,
    context: MethodContext,
    summary: bool,
    control: Control | None = None,
) -> AsyncGenerator[Event]:
    """graph_planned · the agents' events, interleaved · the summary agent's · intermediate_answer.

    With `summary` a summary agent reads every agent of the graph and answers, unless none of them
    left anything to read. Whoever is last and has an answer gives it.

    Raises MethodError (every agent failed), BudgetExceeded, and under `control` GraphHeld.
    """
    outcomes: dict[str, AgentOutcome] = {}
    messages: Messages = MessagePool()
    yield GraphPlanned(graph=graph)
    agents = execute_graph(
        graph,
        query=query,
        context=context,
        outcomes=outcomes,
        message_pool=messages,
        control=control,
    )
    async with aclosing(agents):
        async for event in agents:
            yield event
    team = [outcomes[node.id] for node in graph.nodes]
    if summary and any(outcome.usable for outcome in team):
        reader = run_summary(
            query=query,
            inputs=team,
            context=context,
            message_pool=messages,
            outcomes=outcomes,
            agent_id=SUMMARY_ID,
        )
        async with aclosing(reader):
            async for event in reader:
                yield event
        team.append(outcomes[SUMMARY_ID])
    yield last_word(team)
