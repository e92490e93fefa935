"""What is wrong with a design, agent by agent, and the way out of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from workers.core.designs.spec import DesignAgent, DesignSpec
from workers.core.mas.agent import WITHOUT_MODEL
from workers.core.mas.summary import SUMMARY_ID
from workers.core.specs import AgentId
from workers.core.tools.person import PERSON_TOOL
from workers.core.tools.vote import VOTE_TOOL

if TYPE_CHECKING:
    import networkx as nx

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
    names = names_of(design)
    read = {edge.target for edge in design.edges}
    found = [
        *_empty(design),
        *_taken_id(design, names),
        *(
            problem
            for agent in design.agents
            for problem in (
                *_of_agent(agent, names[agent.id], endpoints=endpoints, tools=tools),
                *_of_turn(agent, names[agent.id], reads=agent.id in read),
            )
        ),
        *_of_edges(design, names),
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


def _taken_id(design: DesignSpec, names: Mapping[str, str]) -> Iterator[Problem]:
    """Only a file can name an agent so."""
    if design.summary and SUMMARY_ID in names:
        yield Problem(
            severity="error",
            code="taken_id",
            message=f"{names[SUMMARY_ID]} has the id “{SUMMARY_ID}”, which is the summary agent's.",
            remedy="Take a copy of it and delete it, or let no summary agent answer.",
            agent_id=SUMMARY_ID,
        )


def _of_agent(
    agent: DesignAgent, name: str, *, endpoints: Collection[str], tools: Collection[str]
) -> Iterator[Problem]:
    role = agent.role

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


def _of_turn(agent: DesignAgent, name: str, *, reads: bool) -> Iterator[Problem]:
    """Of an agent whose turn is one thing: what a person writes, a count, trials of programs."""
    whole = [key for key in agent.role.tools if key in WITHOUT_MODEL]
    turn = PERSON_TOOL if PERSON_TOOL in agent.role.tools else next(iter(whole), None)
    if turn is None:
        return
    if turn != PERSON_TOOL and not reads:
        what = "counts the answers" if turn == VOTE_TOOL else "tries the programs"
        yield Problem(
            severity="error",
            code="reads_nobody",
            message=f"{name} {what} of those it reads, and it reads nobody.",
            remedy="Let it read others, or take that tool away.",
            agent_id=agent.id,
        )
    idle = [f"“{key}”" for key in agent.role.tools if key != turn]
    if idle:
        yield Problem(
            severity="warning",
            code="idle_tools",
            message=f"{name} never uses {', '.join(idle)}: the tool “{turn}” is its whole turn.",
            remedy=f"Leave it “{turn}” alone, or take that away.",
            agent_id=agent.id,
        )


def _of_edges(design: DesignSpec, names: Mapping[AgentId, str]) -> Iterator[Problem]:
    import networkx as nx

    graph: Arrows = nx.DiGraph()
    graph.add_nodes_from(agent.id for agent in design.agents)
    graph.add_edges_from((edge.source, edge.target) for edge in design.edges)
    cyclic = _in_cycles(graph)
    for agent in design.agents:
        if agent.id in cyclic:
            yield Problem(
                severity="error",
                code="cycle",
                message=f"{names[agent.id]} waits for its own message: it is part of a cycle.",
                remedy="Remove one of the cycle's edges.",
                agent_id=agent.id,
            )
    yield from _of_answers(design, graph, names)


def _of_answers(
    design: DesignSpec, graph: Arrows, names: Mapping[AgentId, str]
) -> Iterator[Problem]:
    """Where all agents are read by a summary agent, everybody is heard."""
    import networkx as nx

    if design.summary:
        return
    last = [agent for agent in design.agents if graph.out_degree(agent.id) == 0]
    answering = set(design.vote) if design.answer_from is None else {design.answer_from}
    if not answering:
        for agent in last if len(last) > 1 else ():
            yield Problem(
                severity="warning",
                code="several_answers",
                message=f"Nobody reads {names[agent.id]}, and it is not the only one: the answer "
                "is that of the last of them.",
                remedy="Choose whose answer counts, or let one agent read the others.",
                agent_id=agent.id,
            )
        return
    heard = answering.union(*(nx.ancestors(graph, agent_id) for agent_id in answering))
    whom = "an agent that votes" if design.vote else "the agent that answers"
    for agent in design.agents:
        if agent.id not in heard:
            yield Problem(
                severity="warning",
                code="unheard",
                message=f"What {names[agent.id]} says never reaches {whom}.",
                remedy="Connect it, or remove it: it costs tokens for nothing.",
                agent_id=agent.id,
            )


def names_of(design: DesignSpec) -> dict[AgentId, str]:
    """What a person calls each agent; its id tells it from others of the same name."""
    called = {agent.id: agent.role.name.strip() or agent.id for agent in design.agents}
    shared = Counter(called.values())
    return {
        agent_id: f"“{name}” ({agent_id})" if shared[name] > 1 else f"“{name}”"
        for agent_id, name in called.items()
    }


def _in_cycles(graph: Arrows) -> set[str]:
    import networkx as nx

    return {
        agent_id
        for component in nx.strongly_connected_components(graph)
        if len(component) > 1 or any(graph.has_edge(i, i) for i in component)
        for agent_id in component
    }
