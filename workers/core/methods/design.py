"""Design: runs a graph that a person drew, as it was drawn.

No paper stands behind it. It is what the learned methods are compared with by hand: take a graph
that a policy built, leave an agent out or add one, and run both on the same question.

    every agent starts as soon as all that it reads have ended → whose answer counts answers

Where `answer_from` gives no answer, the last agent before it that has one answers.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel, ConfigDict, Field, model_validator

from workers.core.events import Event
from workers.core.mas.graph import generations
from workers.core.methods.base import MethodContext, MethodError
from workers.core.methods.configuration import read_config
from workers.core.methods.planned import run_planned
from workers.core.specs import AgentId, GraphSpec, TaskSpec


class DesignConfig(BaseModel):
    """What runs, and whose answer counts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    graph: GraphSpec = Field(default=GraphSpec(), description="Agents and who reads whom.")
    answer_from: AgentId | None = Field(
        default=None, description="Whose answer counts; none: the last agent's that has one."
    )
    summary: bool = Field(default=False, description="A summary agent reads all and answers.")

    @model_validator(mode="after")
    def _answers_from_an_agent(self) -> DesignConfig:
        ids = {node.id for node in self.graph.nodes}
        if self.answer_from is not None and self.answer_from not in ids:
            raise ValueError(f"answer_from names no agent of the graph: {self.answer_from}")
        return self


class Design:
    """A graph of one's own, the same for every query."""

    key = "design"
    name = "Design"
    description = "Runs a graph that you drew, or took over from a run and changed."
    source = "drawn by a person"
    needs_pool = False
    learns = False
    config_schema = DesignConfig

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
        graph = in_order(config.graph, last=config.answer_from)
        events = run_planned(
            graph,
            query=task.query,
            context=context,
            summary=config.summary,
            control=context.control,
        )
        async with aclosing(events):
            async for event in events:
                yield event


def in_order(graph: GraphSpec, *, last: str | None) -> GraphSpec:
    """The same graph, its agents in the order in which they can speak: `last` at the end."""
    places = {
        agent_id: place
        for place, agent_id in enumerate(i for wave in generations(graph) for i in wave)
    }
    nodes = sorted(graph.nodes, key=lambda node: (node.id == last, places[node.id]))
    return GraphSpec(nodes=tuple(nodes), edges=graph.edges)
