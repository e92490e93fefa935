"""Collects what a run's events store in its row and in its agents' rows."""

from dataclasses import dataclass, field
from typing import Any

from workers.core.events import Event, RunCancelled, RunFailed, RunFinished, RunPaused
from workers.core.mas.cut_answers import CutAnswers
from workers.core.mas.record import AgentRecord, RunRecord
from workers.core.plain_text import dump
from workers.core.specs import GraphSpec

Last = RunFinished | RunFailed | RunCancelled | RunPaused
"""The outcome of an attempt."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The columns of the run's row and of its agents' rows, as JSON."""

    row: bytes
    agents: bytes


@dataclass(slots=True)
class Outcome:
    """Folds events as they pass. `end` turns a terminal event into what is stored with it."""

    record: RunRecord
    endpoint_key: str
    _cuts: CutAnswers = field(default_factory=CutAnswers)

    @property
    def played(self) -> set[tuple[str, str]]:
        """Keys of endpoint and role of the agents that have started."""
        started = (agent for agent in self.record.agents.values() if agent.started)
        return {(agent.endpoint or self.endpoint_key, agent.role_key) for agent in started}

    def take(self, event: Event) -> None:
        self._cuts.take(event)
        self.record.take(event)

    def end(self, event: Last) -> RunEnd:
        """Count the agents once the run has ended, not each time it waits."""
        graph = _columns(self.record.graph)
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
        return RunEnd(dump(row), dump([] if isinstance(event, RunPaused) else self._agents()))

    def _judgement(self) -> dict[str, Any]:
        verdict = self.record.verdict
        return {"correct": verdict.correct, "reward": verdict.reward} if verdict else {}

    def _agents(self) -> list[dict[str, Any]]:
        """The agents, without those whose message was taken over: statistics already have it."""
        return [
            self._row(agent_id, agent)
            for agent_id, agent in self.record.agents.items()
            if not agent.taken_over
        ]

    def _row(self, agent_id: str, agent: AgentRecord) -> dict[str, Any]:
        """A row of `RunAgent`."""
        return {
            "agent_id": agent_id,
            "role_key": agent.role_key,
            "role_name": agent.role_name,
            "family": agent.family,
            "endpoint_key": agent.endpoint or self.endpoint_key,
            "outcome": agent.outcome,
            "prompt_tokens": agent.usage.prompt_tokens,
            "completion_tokens": agent.usage.completion_tokens,
            "cost": agent.usage.cost,
            "seconds": agent.seconds,
            "cached": agent.cached,
        }


STATUS = {
    "run_finished": "succeeded",
    "run_failed": "failed",
    "run_cancelled": "cancelled",
    "run_paused": "waiting",
}


def _columns(graph: GraphSpec) -> dict[str, Any]:
    return {
        "nodes": [
            {
                "id": node.id,
                "role_key": node.role.key,
                "role_name": node.role.name,
                "family": node.role.family,
            }
            for node in graph.nodes
        ],
        "edges": [{"source": edge.source, "target": edge.target} for edge in graph.edges],
    }
