"""What a run's events leave in its row and in its agents' rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workers.core.cut_answers import CutAnswers
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    AnswerVerified,
    Event,
    GraphPlanned,
    NodeSampled,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
)
from workers.core.plain_text import dump
from workers.core.specs import AgentNode, GraphSpec, Usage

Last = RunFinished | RunFailed | RunCancelled | RunPaused
"""Of an attempt."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """JSON of the columns of the row, and of the rows of its agents."""

    row: bytes
    agents: bytes


@dataclass(slots=True)
class _Agent:
    """A row of `RunAgent`."""

    agent_id: str
    role_key: str
    role_name: str
    family: str
    endpoint_key: str
    outcome: str = "cancelled"
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    cached: bool = False
    taken_over: bool = field(default=False, repr=False)
    """Its message is that of another run, or a person's edit of it: statistics have it already."""

    def ended(self, outcome: str, usage: Usage, seconds: float) -> None:
        """Adds what the agent used, also when an event comes twice for one id."""
        before = Usage(
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost=self.cost,
        )
        total = before + usage
        self.outcome = outcome
        self.prompt_tokens = total.prompt_tokens
        self.completion_tokens = total.completion_tokens
        self.cost = total.cost
        self.seconds += seconds


@dataclass(slots=True)
class Outcome:
    """Folds events as they pass. `end` turns a terminal one into what is stored with it."""

    endpoint_key: str
    played: set[tuple[str, str]] = field(default_factory=set)
    _agents: dict[str, _Agent] = field(default_factory=dict)
    _nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    _edges: dict[str, list[str]] = field(default_factory=dict)
    _planned: dict[str, AgentNode] = field(default_factory=dict)
    _verified: AnswerVerified | None = None
    _cuts: CutAnswers = field(default_factory=CutAnswers)

    def take(self, event: Event) -> None:
        self._cuts.take(event)
        if isinstance(event, AgentStarted):
            self._started(event)
        elif isinstance(event, AgentFinished):
            agent = self._agents.get(event.agent_id)
            if agent is not None:
                outcome = "refused" if event.refused else "answered"
                agent.ended(outcome, event.usage, event.seconds)
                agent.cached = event.cached or event.reused
                agent.taken_over = event.given in ("kept", "edited")
        elif isinstance(event, AgentFailed):
            self._agent_of_failure(event).ended("failed", event.usage, event.seconds)
        elif isinstance(event, AnswerVerified):
            self._verified = event
        elif isinstance(event, GraphPlanned):
            self._plan(event.graph)
        elif isinstance(event, NodeSampled) and event.kind == "delete" and event.agent_id:
            self._delete(event.agent_id)

    def end(self, event: Last) -> RunEnd:
        """Its agents are counted once the run has ended, not whenever it waits."""
        graph = self._graph(event)
        row: dict[str, Any] = {
            "status": STATUS[event.event],
            "message": "",
            "graph": graph,
            "agent_count": len(graph["nodes"]),
            "prompt_tokens": event.usage.prompt_tokens,
            "completion_tokens": event.usage.completion_tokens,
            "cost": event.usage.cost,
            "seconds": event.seconds,
            "replies": self._cuts.answers,
            "cut_replies": self._cuts.cut,
            "cut_agents": self._cuts.agents,
            "final_cut": self._cuts.final,
        }
        if isinstance(event, RunFinished):
            row |= {"answer": event.answer, "message": event.message, **self._judgement()}
        elif isinstance(event, RunFailed):
            row["failure"] = event.failure.model_dump()
        spoke = [agent for agent in self._agents.values() if not agent.taken_over]
        return RunEnd(dump(row), dump([] if isinstance(event, RunPaused) else spoke))

    def _judgement(self) -> dict[str, Any]:
        if self._verified is None:
            return {}
        return {"correct": self._verified.correct, "reward": self._verified.reward}

    def _started(self, event: AgentStarted) -> None:
        self.played.add((event.endpoint, event.role_key))
        if event.agent_id not in self._agents:
            self._agents[event.agent_id] = _Agent(
                agent_id=event.agent_id,
                role_key=event.role_key,
                role_name=event.role_name,
                family=event.family,
                endpoint_key=event.endpoint,
            )
        if not event.summary:
            self._nodes[event.agent_id] = {
                "id": event.agent_id,
                "role_key": event.role_key,
                "role_name": event.role_name,
                "family": event.family,
            }
            self._edges[event.agent_id] = list(event.reads)

    def _agent_of_failure(self, event: AgentFailed) -> _Agent:
        """An agent may fail before it starts, when nobody left it a message to read."""
        if event.agent_id not in self._agents:
            node = self._planned.get(event.agent_id)
            self._agents[event.agent_id] = _Agent(
                agent_id=event.agent_id,
                role_key=node.role.key if node else "unknown",
                role_name=node.role.name if node else "Unknown",
                family=node.role.family if node else "unknown",
                endpoint_key=(node.endpoint if node else None) or self.endpoint_key,
            )
        return self._agents[event.agent_id]

    def _plan(self, graph: GraphSpec) -> None:
        self._planned = {node.id: node for node in graph.nodes}
        self._nodes = {node.id: _node(node) for node in graph.nodes}
        self._edges = {node.id: [] for node in graph.nodes}
        for edge in graph.edges:
            self._edges[edge.target].append(edge.source)

    def _delete(self, agent_id: str) -> None:
        """With the revisions that it asked for: no other agent reads the newest one."""
        asked_for = [reader for reader, reads in self._edges.items() if agent_id in reads]
        for gone in (agent_id, *asked_for):
            self._nodes.pop(gone, None)
            self._edges.pop(gone, None)

    def _graph(self, event: Last) -> dict[str, Any]:
        """The final graph; for a run that broke off, as far as it had grown."""
        if isinstance(event, RunFinished | RunPaused):
            self._plan(event.graph)
        return {
            "nodes": list(self._nodes.values()),
            "edges": [
                {"source": source, "target": target}
                for target, sources in self._edges.items()
                for source in sources
                if source in self._nodes
            ],
        }


STATUS = {
    "run_finished": "succeeded",
    "run_failed": "failed",
    "run_cancelled": "cancelled",
    "run_paused": "waiting",
}


def _node(node: AgentNode) -> dict[str, str]:
    role = node.role
    return {"id": node.id, "role_key": role.key, "role_name": role.name, "family": role.family}
