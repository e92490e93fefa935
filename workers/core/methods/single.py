"""Runs one agent, planned in advance, for methods that make one call."""

from collections.abc import AsyncGenerator

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.planned import run_planned
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, TaskSpec


def answer_alone(role: RoleSpec, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
    """graph_planned · the agent's events · intermediate_answer. Raises MethodError on failure."""
    graph = GraphSpec(nodes=(AgentNode(id="a1", role=role),))
    return run_planned(graph, query=task.query, context=context, summary=False)
