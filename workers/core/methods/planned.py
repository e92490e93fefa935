"""Executes a graph that is complete before its first agent speaks."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from workers.core.events import Event, GraphPlanned
from workers.core.mas.agent import Team
from workers.core.mas.context import MethodContext
from workers.core.mas.control import Control
from workers.core.mas.execute import execute_graph
from workers.core.mas.summary import SUMMARY_ID, run_summary
from workers.core.methods.outcomes import last_word
from workers.core.methods.plans import Plan
from workers.core.methods.voting import majority
from workers.core.specs import AgentId, GraphSpec

GREEDY_PLAN = Plan()


async def run_planned(
    graph: GraphSpec,
    *,
    query: str,
    context: MethodContext,
    summary: bool,
    plan: Plan = GREEDY_PLAN,
    speakers: Sequence[AgentId] | None = None,
    control: Control | None = None,
) -> AsyncGenerator[Event]:
    """graph_planned · the agents' events, interleaved · the summary agent's · intermediate_answer.

    If the plan has voters, their most frequent answer counts. With `summary` a summary agent reads
    every agent of the graph and answers, unless none left anything to read. Otherwise the last of
    `speakers` with an answer gives it; None: of all agents, in the graph's order.

    Raises MethodError (every agent failed), BudgetExceeded, and under `control` GraphHeld.
    """
    shared = Team(query, context, written=control.spec.written if control else {})
    outcomes = shared.outcomes
    yield GraphPlanned(graph=graph)
    samplings = plan.samplings(context.seed)
    agents = execute_graph(graph, shared, sampling=samplings, control=control)
    async with aclosing(agents):
        async for event in agents:
            yield event
    if plan.voters:
        votes = [outcomes[agent_id] for agent_id in plan.voters]
        yield majority(votes, answer_form=context.answer_form)
        return
    team = [outcomes[node.id] for node in graph.nodes]
    if summary and any(outcome.usable for outcome in team):
        reader = run_summary(team, team=shared, sampling=plan.summary_sampling())
        async with aclosing(reader):
            async for event in reader:
                yield event
    order = [node.id for node in graph.nodes] if speakers is None else speakers
    spoken = [outcomes[agent_id] for agent_id in (*order, SUMMARY_ID) if agent_id in outcomes]
    yield last_word(spoken)
