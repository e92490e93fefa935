"""Design: runs a graph exactly as a person drew it.

It has no paper. It lets people compare learned methods by hand: take a graph that a policy built,
remove or add an agent, and run both on the same question.

    every agent starts as soon as all that it reads have ended → whose answer counts answers

An agent reads others in the graph's order. If the agent in `answer_from` gives no answer, the last
agent before it with one answers. With `vote` the most frequent answer wins.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.graph import generations
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.planned import run_planned
from workers.core.methods.plans import AgentSampling, Plan
from workers.core.specs import AgentId, GraphSpec, PoolSpec, TaskSpec


class DesignConfig(BaseModel):
    """The graph, how its agents sample, and whose answer counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    graph: GraphSpec = Field(default=GraphSpec(), description="The agents and who reads whom.")
    answer_from: AgentId | None = Field(
        default=None,
        description="The agent whose answer counts. None: the last agent with an answer.",
    )
    summary: bool = Field(
        default=False, description="If on, a summary agent reads all agents and gives the answer."
    )
    summary_temperature: float = Field(
        default=0.0, ge=0, le=2, description="How the summary agent samples."
    )
    vote: tuple[AgentId, ...] = Field(
        default=(),
        description="The agents that vote: their most frequent answer counts. None: no vote.",
    )
    sampling: dict[AgentId, AgentSampling] = Field(
        default_factory=dict,
        description="How agents sample. Agents that are missing here use temperature 0.",
    )

    @model_validator(mode="after")
    def _names_agents_of_the_graph(self) -> DesignConfig:
        ids = {node.id for node in self.graph.nodes}
        answers = () if self.answer_from is None else (self.answer_from,)
        named = {"answer_from": answers, "vote": self.vote, "sampling": self.sampling}
        for option, agents in named.items():
            if unknown := [agent_id for agent_id in agents if agent_id not in ids]:
                raise ValueError(
                    f"{option} names an agent that the graph does not have: {unknown[0]}"
                )
        one_way_to_answer(self.vote, self.answer_from, summary=self.summary)
        return self

    def named_endpoints(self) -> tuple[str, ...]:
        named = (node.endpoint for node in self.graph.nodes if node.endpoint is not None)
        return tuple(dict.fromkeys(named))

    def plan(self) -> Plan:
        return Plan(self.sampling, self.vote, self.summary_temperature)


class Design:
    """A drawn graph, the same for every query."""

    key = "design"
    name = "Design"
    description = "Runs a graph that you drew, or copied from a run and changed."
    source = "drawn by a person"
    needs_pool = False
    learns = False
    config_schema = DesignConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> set[str]:
        drawn = GraphSpec.model_validate(options["graph"])
        return {tool for node in drawn.nodes for tool in node.role.tools}

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events, interleaved · intermediate_answer.

        Raises MethodError (no agent, or every agent failed), BudgetExceeded, and GraphHeld if a
        person leads the run.
        """
        config = read_config(DesignConfig, context.config)
        if not config.graph.nodes:
            raise MethodError(
                code="no_agents",
                message="The design has no agents.",
                remedy="Draw an agent, or choose the design to run.",
            )
        return run_planned(
            config.graph,
            query=task.query,
            context=context,
            summary=config.summary,
            plan=config.plan(),
            speakers=speaking_order(config.graph, last=config.answer_from),
            control=context.control,
        )


def one_way_to_answer(vote: Sequence[AgentId], chosen: AgentId | None, *, summary: bool) -> None:
    """Raise ValueError if a vote is combined with another way to the answer, or an agent votes
    twice."""
    if vote and (summary or chosen is not None):
        raise ValueError("with a vote, choose no answering agent and no summary agent")
    if len(set(vote)) != len(vote):
        raise ValueError("an agent can vote only once")


def speaking_order(graph: GraphSpec, *, last: AgentId | None) -> tuple[AgentId, ...]:
    """The agents in an order in which they can speak, with `last` at the end."""
    spoken = [agent_id for wave in generations(graph) for agent_id in wave]
    return tuple(sorted(spoken, key=lambda agent_id: agent_id == last))
