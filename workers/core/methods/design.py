"""Design: runs a graph that a person drew, as it was drawn.

No paper stands behind it. It is what the learned methods are compared with by hand: take a graph
that a policy built, leave an agent out or add one, and run both on the same question.

    every agent starts as soon as all that it reads have ended → whose answer counts answers

An agent reads others in the order in which they stand in the graph. Where `answer_from` gives no
answer, the last agent before it that has one answers; with `vote` the most frequent answer does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

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
    """What runs, how its agents sample, and whose answer counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    graph: GraphSpec = Field(default=GraphSpec(), description="Agents and who reads whom.")
    answer_from: AgentId | None = Field(
        default=None, description="Whose answer counts; none: the last agent's that has one."
    )
    summary: bool = Field(default=False, description="A summary agent reads all and answers.")
    summary_temperature: float = Field(
        default=0.0, ge=0, le=2, description="How the summary agent samples."
    )
    vote: tuple[AgentId, ...] = Field(
        default=(), description="Whose most frequent answer counts; none: nobody votes."
    )
    sampling: dict[AgentId, AgentSampling] = Field(
        default_factory=dict, description="How agents sample; who is missing does at 0."
    )

    @model_validator(mode="after")
    def _names_agents_of_the_graph(self) -> DesignConfig:
        ids = {node.id for node in self.graph.nodes}
        answers = () if self.answer_from is None else (self.answer_from,)
        named = {"answer_from": answers, "vote": self.vote, "sampling": self.sampling}
        for option, agents in named.items():
            if unknown := [agent_id for agent_id in agents if agent_id not in ids]:
                raise ValueError(f"{option} names no agent of the graph: {unknown[0]}")
        one_way_to_answer(self.vote, self.answer_from, summary=self.summary)
        return self

    def named_endpoints(self) -> tuple[str, ...]:
        named = (node.endpoint for node in self.graph.nodes if node.endpoint is not None)
        return tuple(dict.fromkeys(named))

    def plan(self) -> Plan:
        return Plan(self.sampling, self.vote, self.summary_temperature)


class Design:
    """A graph of one's own, the same for every query."""

    key = "design"
    name = "Design"
    description = "Runs a graph that you drew, or took over from a run and changed."
    source = "drawn by a person"
    needs_pool = False
    learns = False
    config_schema = DesignConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> set[str]:
        drawn = GraphSpec.model_validate(options["graph"])
        return {tool for node in drawn.nodes for tool in node.role.tools}

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events, interleaved · intermediate_answer.

        Raises MethodError (no agent, or every agent failed), BudgetExceeded, and GraphHeld where
        a person leads the run.
        """
        config = read_config(DesignConfig, context.config)
        if not config.graph.nodes:
            raise MethodError(
                code="no_agents",
                message="The design has no agent.",
                remedy="Draw one, or name the design that is to run.",
            )
        events = run_planned(
            config.graph,
            query=task.query,
            context=context,
            summary=config.summary,
            plan=config.plan(),
            speakers=speaking_order(config.graph, last=config.answer_from),
            control=context.control,
        )
        async with aclosing(events):
            async for event in events:
                yield event


def one_way_to_answer(vote: Sequence[AgentId], chosen: AgentId | None, *, summary: bool) -> None:
    """Raises ValueError where a vote stands beside another way to the answer, or counts twice."""
    if vote and (summary or chosen is not None):
        raise ValueError("a vote gives the answer alone: choose no agent and no summary beside it")
    if len(set(vote)) != len(vote):
        raise ValueError("an agent votes once")


def speaking_order(graph: GraphSpec, *, last: AgentId | None) -> tuple[AgentId, ...]:
    """The agents in the order in which they can speak: `last` at the end."""
    spoken = [agent_id for wave in generations(graph) for agent_id in wave]
    return tuple(sorted(spoken, key=lambda agent_id: agent_id == last))
