"""What a run's events add up to: its graph, usage and answer, and the terminal event they make."""

from __future__ import annotations

import time

from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    EdgesSampled,
    Event,
    Failure,
    GraphPlanned,
    IntermediateAnswer,
    NodeSampled,
    PlannerAsked,
    PlanRejected,
    RevisionAsked,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
    SubtasksPlanned,
)
from workers.core.llm.types import LLMError
from workers.core.mas.control import GraphHeld
from workers.core.mas.graph import add_agent, remove_agent, successors
from workers.core.methods.base import MethodError
from workers.core.specs import Edge, GraphSpec, PoolSpec, RoleSpec, Usage


class RunRecord:
    """Folds events in order. Tokens of an agent or a planner that was stopped in the middle are
    unknown."""

    def __init__(self, pool: PoolSpec | None) -> None:
        self._roles: dict[str, RoleSpec] = {r.key: r for r in pool.roles} if pool else {}
        self._graph = GraphSpec()
        self._usages: list[Usage] = []
        self._active: set[str] = set()
        self._is_planning = False
        self._messages: dict[str, str] = {}
        self._failures: list[Failure] = []
        self._answer: IntermediateAnswer | None = None

    @property
    def graph(self) -> GraphSpec:
        """The agents that are present, and who reads whom."""
        return self._graph

    def take(self, event: Event) -> None:
        if isinstance(event, AgentStarted):
            self._active.add(event.agent_id)
        elif isinstance(event, AgentFinished):
            self._ended(event)
            self._messages[event.agent_id] = event.message
        elif isinstance(event, AgentFailed):
            self._ended(event)
            self._failures.append(event.failure)
        elif isinstance(event, PlannerAsked):
            self._is_planning = True
        elif isinstance(event, PlanRejected | SubtasksPlanned):
            self._is_planning = False
            self._usages.append(event.usage)
        elif isinstance(event, IntermediateAnswer):
            self._answer = event
        elif isinstance(event, GraphPlanned | NodeSampled | EdgesSampled | RevisionAsked):
            self._graph = grown(self._graph, event, self._roles)

    def finished(self, began: float) -> RunFinished | RunFailed:
        """`began`: `time.perf_counter()` at the run's start. Fails when every agent failed."""
        if self._failures and not self._messages:
            return self.failed(self._failures[0], began)
        answer, agent = None, None
        if self._answer is not None:
            answer, agent = self._answer.answer, self._answer.agent_id
        return RunFinished(
            answer=answer,
            message=self._messages.get(agent or "", ""),
            graph=self._graph,
            usage=self.usage(),
            seconds=time.perf_counter() - began,
        )

    def failed(self, failure: Failure, began: float) -> RunFailed:
        seconds = time.perf_counter() - began
        return RunFailed(failure=failure, usage=self.usage(), seconds=seconds)

    def cancelled(self, by: str, began: float) -> RunCancelled:
        return RunCancelled(by=by, usage=self.usage(), seconds=time.perf_counter() - began)

    def paused(self, held: GraphHeld, began: float) -> RunPaused:
        return RunPaused(
            waiting_for=held.waiting,
            asked=held.asked,
            graph=self._graph,
            usage=self.usage(),
            seconds=time.perf_counter() - began,
        )

    def usage(self) -> Usage:
        stopped = [Usage()] if self._active or self._is_planning else []
        return sum([*self._usages, *stopped], start=Usage.zero())

    def _ended(self, event: AgentFinished | AgentFailed) -> None:
        self._active.discard(event.agent_id)
        self._usages.append(event.usage)


def grown(
    graph: GraphSpec,
    event: GraphPlanned | NodeSampled | EdgesSampled | RevisionAsked,
    roles: dict[str, RoleSpec],
) -> GraphSpec:
    """The graph after one construction event. KeyError: a role that the pool does not have."""
    if isinstance(event, GraphPlanned):
        return event.graph
    if isinstance(event, RevisionAsked):
        return _revised(graph, event)
    if event.agent_id is None:
        return graph
    if isinstance(event, NodeSampled):
        if event.kind == "delete":
            return _deleted(graph, event.agent_id)
        return add_agent(graph, agent_id=event.agent_id, role=roles[event.choice])
    chosen = [Edge(source=c.source, target=event.agent_id) for c in event.candidates if c.chosen]
    return GraphSpec(nodes=graph.nodes, edges=(*graph.edges, *chosen))


def _revised(graph: GraphSpec, event: RevisionAsked) -> GraphSpec:
    spoke = next(node for node in graph.nodes if node.id == event.revises)
    node = spoke.model_copy(update={"id": event.agent_id, "round": event.round})
    edges = tuple(Edge(source=source, target=event.agent_id) for source in event.reads)
    return GraphSpec(nodes=(*graph.nodes, node), edges=(*graph.edges, *edges))


def _deleted(graph: GraphSpec, agent_id: str) -> GraphSpec:
    """Without the newest agent. Who reads it are revisions that it asked for, and go with it."""
    for reader in successors(graph).get(agent_id, ()):
        graph = remove_agent(graph, reader)
    return remove_agent(graph, agent_id)


def failure_of(error: MethodError | LLMError) -> Failure:
    return Failure(code=error.code, message=error.message, remedy=error.remedy)


def internal_error(error: Exception) -> Failure:
    """The details go to the log, not to the browser: they may hold a query or a path."""
    return Failure(
        code="internal_error",
        message=f"The run stopped because of a fault in the studio ({type(error).__name__}).",
        remedy="Try again; if it happens again, report it with the worker's log.",
    )
