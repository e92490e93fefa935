"""Finds the problems of a design, agent by agent, each with its remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from workers.core.designs.spec import DesignAgent, DesignSpec
from workers.core.events.scripts import ScriptProblem
from workers.core.mas.agent import WITHOUT_MODEL
from workers.core.mas.summary import SUMMARY_ID
from workers.core.scripts.meaning import meaning_of
from workers.core.specs import AgentId
from workers.core.tools.examples import EXAMPLES_TOOL
from workers.core.tools.person import PERSON_TOOL
from workers.core.tools.registry import TOOLS
from workers.core.tools.vote import VOTE_TOOL

if TYPE_CHECKING:
    import networkx as nx

NOT_IN_SCRIPTS: Mapping[str, str] = {
    PERSON_TOOL: "A person writes the message of {}. In a script only models speak.",
    VOTE_TOOL: "{} counts the answers that it reads. In a script an ensemble counts them.",
    EXAMPLES_TOOL: "{} tries the programs that it reads. A script has no such agent.",
}
"""Tools that are a whole turn, which an agent of a script can't have, and why."""
SCRIPT_TOOLS = frozenset(TOOLS) - NOT_IN_SCRIPTS.keys()

Severity = Literal["error", "warning"]
Arrows: TypeAlias = "nx.DiGraph[str]"


class Problem(BaseModel):
    """An error stops the design from running, a warning does not. `agent_id` None: it concerns the
    whole design. `line`: of the script, if the design is one, from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    severity: Severity
    code: str
    message: str
    remedy: str
    agent_id: AgentId | None = None
    line: int | None = None

    @property
    def where(self) -> str:
        return "" if self.line is None else f"Line {self.line}: "

    @property
    def placed(self) -> str:
        """The message with its line, and the remedy: “Line 2: … Write …”"""
        return f"{self.where}{self.message} {self.remedy}"


def find_problems(
    design: DesignSpec, *, endpoints: Collection[str], tools: Collection[str]
) -> tuple[Problem, ...]:
    """The problems: errors before warnings, each in the order of the agents, or of the lines.

    `endpoints` and `tools` are the allowed keys.
    """
    if design.script is not None:
        return _of_script(design.script, tools)
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


def problem_of(problem: ScriptProblem) -> Problem:
    return Problem(severity="error", **problem.model_dump())


def _of_script(script: str, tools: Collection[str]) -> tuple[Problem, ...]:
    if not script.strip():
        return (
            Problem(
                severity="error",
                code="empty",
                message="The script is empty.",
                remedy="Write a team. Its last line is deliver(team).",
            ),
        )
    meaning = meaning_of(script, SCRIPT_TOOLS & set(tools))
    return tuple(map(problem_of, meaning.problems))


def has_errors(problems: Collection[Problem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def _empty(design: DesignSpec) -> Iterator[Problem]:
    if not design.agents:
        yield Problem(
            severity="error",
            code="empty",
            message="The design has no agents.",
            remedy="Drag a role from the pool onto the canvas.",
        )


def _taken_id(design: DesignSpec, names: Mapping[str, str]) -> Iterator[Problem]:
    """Only a file can name an agent so."""
    if design.summary and SUMMARY_ID in names:
        yield Problem(
            severity="error",
            code="taken_id",
            message=f"{names[SUMMARY_ID]} has the id “{SUMMARY_ID}”, which is the summary agent's.",
            remedy="Copy the agent and delete the original, or turn the summary agent off.",
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
        yield error("no_name", f"The agent {agent.id} has no name.", "Give it a name.")
    if not role.prompt.strip():
        yield error("no_prompt", f"{name} has no prompt.", "Write what the agent should do.")
    for tool in role.tools:
        if tool not in tools:
            yield error(
                "unknown_tool",
                f"{name} has the tool “{tool}”, which this studio does not have.",
                f"Remove it. This studio has: {', '.join(sorted(tools))}.",
            )
    if agent.endpoint is not None and agent.endpoint not in endpoints:
        yield error(
            "unknown_endpoint",
            f"{name} uses the endpoint “{agent.endpoint}”, which does not exist or is turned off.",
            "Choose the run's endpoint, or one of: "
            f"{', '.join(sorted(endpoints)) or 'no other endpoint exists'}.",
        )


def _of_turn(agent: DesignAgent, name: str, *, reads: bool) -> Iterator[Problem]:
    """Problems of an agent whose whole turn is one thing: a person's text, a count, or trials."""
    whole = [key for key in agent.role.tools if key in WITHOUT_MODEL]
    turn = PERSON_TOOL if PERSON_TOOL in agent.role.tools else next(iter(whole), None)
    if turn is None:
        return
    if turn != PERSON_TOOL and not reads:
        what = "counts the answers" if turn == VOTE_TOOL else "tries the programs"
        yield Problem(
            severity="error",
            code="reads_nobody",
            message=f"{name} {what} of the agents it reads, but it reads no agent.",
            remedy="Connect agents to it, or remove that tool.",
            agent_id=agent.id,
        )
    idle = [f"“{key}”" for key in agent.role.tools if key != turn]
    if idle:
        yield Problem(
            severity="warning",
            code="idle_tools",
            message=(
                f"{name} never uses {', '.join(idle)}, because the tool “{turn}” is its whole turn."
            ),
            remedy=f"Keep only “{turn}”, or remove it.",
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
                message=f"{names[agent.id]} is part of a cycle, so it waits for its own message.",
                remedy="Remove one of the cycle's edges.",
                agent_id=agent.id,
            )
    yield from _of_answers(design, graph, names)


def _of_answers(
    design: DesignSpec, graph: Arrows, names: Mapping[AgentId, str]
) -> Iterator[Problem]:
    """Warnings about answers that do not count. With a summary agent all agents are read."""
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
                message=(
                    f"No agent reads {names[agent.id]}, and it is not the only one. The last of "
                    "these agents gives the answer."
                ),
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
                message=f"The message of {names[agent.id]} never reaches {whom}.",
                remedy="Connect it, or remove it: it uses tokens without effect.",
                agent_id=agent.id,
            )


def names_of(design: DesignSpec) -> dict[AgentId, str]:
    """The name of each agent for people, with its id if others have the same name."""
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
