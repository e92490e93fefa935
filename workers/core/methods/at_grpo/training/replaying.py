"""Right runs as demonstrations: their messages, in the prompts that this training's agents get.

A run of another method is one here if one agent's only reply solved the task. It stands in where no
run of such a team is right. Where several agents spoke, they answered each other: their words don't
fit into this team.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.core.environments.base import Environment, Order
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.specs import TaskSpec
from workers.core.training.traces import Trace

Key = tuple[str, str | None]
"""A task's query and reference."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What an agent is asked and says."""

    agent: int
    messages: tuple[Mapping[str, str], ...]
    said: str


@dataclass
class Replays:
    """Plays the traces again, each once."""

    environment: Environment[Any]
    order: Order
    traces: Sequence[Trace]
    _played: dict[Key, list[list[Shown]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._of: dict[Key, list[Trace]] = {}
        for trace in self.traces:
            self._of.setdefault((trace.query, trace.reference), []).append(trace)

    def has(self, task: TaskSpec) -> bool:
        return (task.query, task.reference) in self._of

    async def of(self, task: TaskSpec) -> list[list[Shown]]:
        """Of the traces that solve the task here, those with the fewest messages: in longer ones,
        what was said first was wrong. If there is none: the single replies that solve it."""
        key = task.query, task.reference
        if key not in self._played:
            traces = self._of.get(key, ())
            right = [found for each in traces if (found := await self._replayed(task, each))]
            if not right:
                right = [found for each in traces if (found := await self._alone(task, each))]
            least = min(map(len, right), default=0)
            self._played[key] = [each for each in right if len(each) == least]
        return self._played[key]

    async def _replayed(self, task: TaskSpec, trace: Trace) -> list[Shown]:
        """[] if the messages don't fit this environment's agents, or don't solve the task."""
        environment = self.environment
        roles = [role.key for role in environment.roles]
        state = seen = environment.begin(task)
        shown: list[Shown] = []
        for place, spoken in enumerate(trace.spoken):
            agent = place % len(roles)
            if spoken.role != roles[agent] or environment.ended(state):
                return []
            if agent == 0 and place:
                state = seen = environment.turned(state)
            observed = state if self.order == "sequential" else seen
            shown.append(Shown(agent, messages_for(environment, observed, agent), spoken.message))
            state = (await environment.act(state, agent, spoken.message)).state
        return shown if environment.solved(state) else []

    async def _alone(self, task: TaskSpec, trace: Trace) -> list[Shown]:
        """The only reply of a run, said by the first agent who solves the task with it while the
        others are silent. []: there were more replies, or there is no such agent."""
        environment = self.environment
        start = environment.begin(task)
        for spoken in trace.spoken if len(trace.spoken) == 1 else ():
            for agent in range(len(environment.roles)):
                acted = await environment.act(start, agent, spoken.message)
                if environment.solved(acted.state):
                    return [Shown(agent, messages_for(environment, start, agent), spoken.message)]
        return []
