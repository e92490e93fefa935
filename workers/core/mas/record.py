"""Adds up a run's events: its graph, agents, usage and answer, and the terminal event."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from workers.core.errors import Failure
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    AnswerVerified,
    Asks,
    Event,
    Grows,
    IntermediateAnswer,
    Replied,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunPaused,
)
from workers.core.mas.control import GraphHeld
from workers.core.specs import GraphSpec, PoolSpec, RoleSpec, Usage


@dataclass(slots=True)
class AgentRecord:
    """The sum of one agent's events. `endpoint` None: the run's own. An `outcome` of cancelled: it
    never ended. `taken_over`: its message is from another run, or a person's edit of it."""

    role_key: str = "unknown"
    role_name: str = "Unknown"
    family: str = "unknown"
    endpoint: str | None = None
    summary: bool = False
    started: bool = False
    outcome: Literal["answered", "refused", "failed", "cancelled"] = "cancelled"
    usage: Usage = field(default_factory=Usage.zero)
    seconds: float = 0.0
    cached: bool = False
    taken_over: bool = False


class RunRecord:
    """Folds events in order. If the run broke off before the reply, the tokens of an agent, or of a
    model that the method asked itself, are unknown.

    `graph`: the present agents, and who reads whom. `agents`: all that started or failed, by id.
    `messages`: those of agents that finished. `failures`: those of agents. `answer`: the last one
    given. `verdict`: the verifier's verdict on it.
    """

    def __init__(self, pool: PoolSpec | None) -> None:
        self._roles: dict[str, RoleSpec] = {r.key: r for r in pool.roles} if pool else {}
        self._replies = Usage.zero()
        self._active: set[str] = set()
        self._is_asking = False
        self.graph = GraphSpec()
        self.agents: dict[str, AgentRecord] = {}
        self.messages: dict[str, str] = {}
        self.failures: list[Failure] = []
        self.answer: IntermediateAnswer | None = None
        self.verdict: AnswerVerified | None = None

    def take(self, event: Event) -> None:
        if isinstance(event, AgentStarted):
            self._started(event)
        elif isinstance(event, AgentFinished):
            agent = self._ended(event, "refused" if event.refused else "answered")
            agent.cached = event.cached or event.reused
            agent.taken_over = event.given in ("kept", "edited")
            self.messages[event.agent_id] = event.message
        elif isinstance(event, AgentFailed):
            self._ended(event, "failed")
            self.failures.append(event.failure)
        elif isinstance(event, Asks):
            self._is_asking = True
        elif isinstance(event, Replied):
            self._is_asking = False
            self._replies += event.usage
        elif isinstance(event, IntermediateAnswer):
            self.answer = event
        elif isinstance(event, AnswerVerified):
            self.verdict = event
        elif isinstance(event, Grows):
            self.graph = event.grown(self.graph, self._roles)

    def finished(self, began: float) -> RunFinished | RunFailed:
        """`began`: `time.perf_counter()` at the run's start. The run fails if every agent
        failed."""
        if self.failures and not self.messages:
            return self.failed(self.failures[0], began)
        return RunFinished(
            answer=self.answer.answer if self.answer else None,
            message=self.message(),
            graph=self.graph,
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
            graph=self.graph,
            usage=self.usage(),
            seconds=time.perf_counter() - began,
        )

    def message(self) -> str:
        """The agent that gave the last answer."""
        return self.messages.get((self.answer and self.answer.agent_id) or "", "")

    def usage(self) -> Usage:
        used: Iterable[Usage] = (agent.usage for agent in self.agents.values())
        stopped = [Usage()] if self._active or self._is_asking else []
        return sum([*used, *stopped], start=self._replies)

    def _started(self, event: AgentStarted) -> None:
        self._active.add(event.agent_id)
        agent = self.agents.setdefault(event.agent_id, AgentRecord())
        agent.role_key, agent.role_name = event.role_key, event.role_name
        agent.family, agent.endpoint = event.family, event.endpoint
        agent.summary, agent.started = event.summary, True

    def _ended(
        self, event: AgentFinished | AgentFailed, outcome: Literal["answered", "refused", "failed"]
    ) -> AgentRecord:
        """Add an agent's usage, also if an event comes twice for it."""
        self._active.discard(event.agent_id)
        agent = self.agents.get(event.agent_id)
        if agent is None:  # it failed before it began: nobody had left it a message to read
            agent = self.agents[event.agent_id] = self._of_graph(event.agent_id)
        agent.outcome = outcome
        agent.usage += event.usage
        agent.seconds += event.seconds
        return agent

    def _of_graph(self, agent_id: str) -> AgentRecord:
        node = next((node for node in self.graph.nodes if node.id == agent_id), None)
        if node is None:
            return AgentRecord()
        role = node.role
        return AgentRecord(role.key, role.name, role.family, node.endpoint)
