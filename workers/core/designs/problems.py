"""What is wrong with a design, agent by agent, and the way out of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, TypeAlias

import networkx as nx
from pydantic import BaseModel, ConfigDict

from workers.core.designs.spec import DesignAgent, DesignSpec
from workers.core.specs import AgentId

Severity = Literal["error", "warning"]
Arrows: TypeAlias = "nx.DiGraph[str]"


class Problem(BaseModel):
    """An error keeps the design from running, a warning does not. `agent_id` None: it concerns the
    whole design."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    severity: Severity
    code: str
    message: str
    remedy: str
    agent_id: AgentId | None = None


def find_problems(
    design: DesignSpec, *, endpoints: Collection[str], tools: Collection[str]
) -> tuple[Problem, ...]:
    """Errors before warnings, each in the order of the agents.

    `endpoints` and `tools` are the keys of those that may be used.
    """
    found = [
        *_empty(design),
        *(
            problem
            for agent in design.agents
            for problem in _of_agent(agent, endpoints=endpoints, tools=tools)
        ),
        *_of_edges(design),
    ]
    return tuple(sorted(found, key=lambda problem: problem.severity))


def has_errors(problems: Collection[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _empty(design: DesignSpec) -> Iterator[Problem]:
    if not design.agents:
        yield Problem(
            severity="error",
            code="empty",
            message="There is no agent yet.",
            remedy="Drag a role from the pool onto the canvas.",
        )


def _of_agent(
    agent: DesignAgent, *, endpoints: Collection[str], tools: Collection[str]
) -> Iterator[Problem]:
    role = agent.role
    name = name_of(agent)

    def error(code: str, message: str, remedy: str) -> Problem:
        return Problem(
            severity="error", code=code, message=message, remedy=remedy, agent_id=agent.id
        )

    if not role.name.strip():
        yield error("no_name", f"The agent {agent.id} has no name.", "Give it one.")
    if not role.prompt.strip():
        yield error("no_prompt", f"{name} has no prompt.", "Say what the agent is to do.")
    for tool in role.tools:
        if tool not in tools:
            yield error(
                "unknown_tool",
                f"{name} has the tool “{tool}”, which this studio does not have.",
                f"Use some of: {', '.join(sorted(tools))}.",
            )
    if agent.endpoint is not None and agent.endpoint not in endpoints:
        yield error(
            "unknown_endpoint",
            f"{name} asks the endpoint “{agent.endpoint}”, which is not there or switched off.",
            f"Choose the run's endpoint, or one of: {', '.join(sorted(endpoints)) or 'none yet'}.",
        )


def _of_edges(design: DesignSpec) -> Iterator[Problem]:
    graph: Arrows = nx.DiGraph()
    graph.add_nodes_from(agent.id for agent in design.agents)
    graph.add_edges_from((edge.source, edge.target) for edge in design.edges)
    cyclic = _in_cycles(graph)
    for agent in design.agents:
        if agent.id in cyclic:
            yield Problem(
                severity="error",
                code="cycle",
                message=f"{name_of(agent)} waits for its own message: it is part of a cycle.",
                remedy="Remove one of the cycle's edges.",
                agent_id=agent.id,
            )
    if not cyclic:
        yield from _of_answers(design, graph)


def _of_answers(design: DesignSpec, graph: Arrows) -> Iterator[Problem]:
    """Where all agents are read by a summary agent, everybody is heard."""
    if design.summary:
        return
    last = [agent for agent in design.agents if graph.out_degree(agent.id) == 0]
    if design.answer_from is None:
        for agent in last if len(last) > 1 else ():
            yield Problem(
                severity="warning",
                code="several_answers",
                message=f"Nobody reads {name_of(agent)}, and it is not the only one: the answer is "
                "that of the last of them.",
                remedy="Choose whose answer counts, or let one agent read the others.",
                agent_id=agent.id,
            )
        return
    heard = nx.ancestors(graph, design.answer_from) | {design.answer_from}
    for agent in design.agents:
        if agent.id not in heard:
            yield Problem(
                severity="warning",
                code="unheard",
                message=f"What {name_of(agent)} says never reaches the agent that answers.",
                remedy="Connect it, or remove it: it costs tokens for nothing.",
                agent_id=agent.id,
            )


def name_of(agent: DesignAgent) -> str:
    return f"“{agent.role.name.strip() or agent.id}”"


def _in_cycles(graph: Arrows) -> set[str]:
    return {
        agent_id
        for component in nx.strongly_connected_components(graph)
        if len(component) > 1 or any(graph.has_edge(i, i) for i in component)
        for agent_id in component
    }
