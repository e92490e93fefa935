"""Execution model of a graph.

- Every agent starts as soon as all agents that it reads have ended; sources start at once. There
  are no waves: a slow agent delays only its own readers.
- Each agent is one asyncio task. It puts its events into one queue, in order, and starts its
  readers when it ends. A slow reader of the events delays no agent.
- A failed or refused agent contributes nothing. Its readers continue if at least one other
  predecessor left a message. Otherwise they fail with `no_input` without being started.
- Under a person's control (`mas.control`) an agent may be held, and an agent's earlier message is
  kept instead of asked for. When only held agents are left, GraphHeld is raised.
- Every agent ends in exactly one `agent_finished` or `agent_failed`. The exceptions are
  BudgetExceeded and bugs: both stop the agents still running and are raised to the reader.
- Closing or cancelling the stream cancels every task and waits for it; nothing is left running.
"""

from collections.abc import AsyncGenerator, Mapping

from workers.core.events import Event
from workers.core.graph import predecessors, successors
from workers.core.mas.agent import AgentTurn, Team
from workers.core.mas.control import Control, GraphHeld, asks_person, outcome_of
from workers.core.mas.outcome import GREEDY, Sampling
from workers.core.mas.streaming import TaskStream
from workers.core.specs import AgentNode, GraphSpec


async def execute_graph(
    graph: GraphSpec,
    team: Team,
    *,
    sampling: Mapping[str, Sampling] | None = None,
    control: Control | None = None,
) -> AsyncGenerator[Event]:
    """The events of all agents. Agents missing in `sampling` are greedy.

    Raises BudgetExceeded, and under `control` GraphHeld.
    """
    stream = TaskStream()
    schedule = _Schedule(graph, team, stream, sampling or {}, control)
    try:
        schedule.start()
        async for event in stream:
            yield event
        schedule.check_held()
    finally:
        await stream.close()


class _Schedule:
    """Counts down the agents that each agent still waits for."""

    def __init__(
        self,
        graph: GraphSpec,
        team: Team,
        stream: TaskStream,
        sampling: Mapping[str, Sampling],
        control: Control | None,
    ) -> None:
        self._control = control
        self._held: list[AgentNode] = []
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
                self._begin(self._nodes[agent_id])

    def check_held(self) -> None:
        if self._held:
            asked = [node.id for node in self._held if asks_person(node)]
            raise GraphHeld([node.id for node in self._held], asked)

    def _begin(self, node: AgentNode) -> None:
        if self._control and node.id in self._control.kept:
            self._stream.spawn(self._take_over(node, self._control))
        elif self._control and self._control.holds(node) and self._can_speak(node):
            self._held.append(node)
        else:
            self._stream.spawn(self._play(node))

    def _can_speak(self, node: AgentNode) -> bool:
        """Whether to stop before this agent. Stopping before one that will fail without messages is
        useless, unless a person answers for it."""
        reads = [self._team.outcomes[source] for source in self._reads[node.id]]
        return not reads or asks_person(node) or any(outcome.usable for outcome in reads)

    async def _take_over(self, node: AgentNode, control: Control) -> None:
        events = control.kept[node.id]
        self._team.outcomes[node.id] = outcome_of(node, events)
        for event in events:
            self._stream.emit(event)
        self._ended(node)

    async def _play(self, node: AgentNode) -> None:
        inputs = [self._team.outcomes[source] for source in self._reads[node.id]]
        turn = AgentTurn(node, self._team, self._stream.emit)
        await turn.perform(inputs, self._sampling.get(node.id, GREEDY))
        self._ended(node)

    def _ended(self, node: AgentNode) -> None:
        for reader in self._readers[node.id]:
            self._waiting[reader] -= 1
            if self._waiting[reader] == 0:
                self._begin(self._nodes[reader])
