"""Execution model of a graph.

- Every agent starts as soon as all agents that it reads have ended; sources start at once. There
  are no waves: a slow agent holds up its own readers and nobody else.
- Each agent is one asyncio task that puts its events into one queue, in the order in which they
  happen, and starts its readers when it ends. How fast the events are read delays no agent.
- A failed or refused agent contributes nothing. Its readers go on when at least one other of their
  predecessors left a message, else they fail with `no_input` without being started.
- Every agent ends in exactly one `agent_finished` or `agent_failed`. The exceptions are
  BudgetExceeded and bugs: both stop the agents still running and are raised to the reader.
- Closing or cancelling the stream cancels every task and waits for it; nothing is left running.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping

from workers.core.events import Event
from workers.core.mas.agent import Messages, Team, perform_agent
from workers.core.mas.graph import predecessors, successors
from workers.core.mas.outcome import GREEDY, AgentOutcome, Sampling
from workers.core.mas.pool import MessagePool
from workers.core.mas.streaming import TaskStream
from workers.core.methods.base import MethodContext
from workers.core.specs import AgentNode, GraphSpec
from workers.core.tools.base import Tool
from workers.core.tools.registry import TOOLS


async def execute_graph(
    graph: GraphSpec,
    *,
    query: str,
    context: MethodContext,
    outcomes: dict[str, AgentOutcome],
    message_pool: Messages | None = None,
    sampling: Sampling | Mapping[str, Sampling] = GREEDY,
    tools: Mapping[str, Tool] = TOOLS,
) -> AsyncGenerator[Event]:
    """The events of all agents; `outcomes` holds each agent's end by id (see `mas.agent`).

    `sampling` is one for all agents or a mapping by agent id, where who is missing is greedy.
    Raises BudgetExceeded.
    """
    team = Team(query, context, message_pool or MessagePool(), outcomes, tools)
    stream = TaskStream()
    try:
        _Schedule(graph, team, stream, sampling).start()
        async for event in stream:
            yield event
    finally:
        await stream.close()


class _Schedule:
    """Counts down what each agent still waits for."""

    def __init__(
        self,
        graph: GraphSpec,
        team: Team,
        stream: TaskStream,
        sampling: Sampling | Mapping[str, Sampling],
    ) -> None:
        self._nodes = {node.id: node for node in graph.nodes}
        self._reads = predecessors(graph)
        self._readers = successors(graph)
        self._waiting = {agent_id: len(read) for agent_id, read in self._reads.items()}
        self._team = team
        self._stream = stream
        self._sampling = sampling

    def start(self) -> None:
        for agent_id, waiting in self._waiting.items():
            if waiting == 0:
                self._stream.spawn(self._play(self._nodes[agent_id]))

    async def _play(self, node: AgentNode) -> None:
        outcomes = self._team.outcomes
        await perform_agent(
            node,
            [outcomes[source] for source in self._reads[node.id]],
            team=self._team,
            emit=self._stream.emit,
            sampling=self._sampling_of(node.id),
        )
        for reader in self._readers[node.id]:
            self._waiting[reader] -= 1
            if self._waiting[reader] == 0:
                self._stream.spawn(self._play(self._nodes[reader]))

    def _sampling_of(self, agent_id: str) -> Sampling:
        if isinstance(self._sampling, Sampling):
            return self._sampling
        return self._sampling.get(agent_id, GREEDY)
