"""The state s_t = {Q, M_t, MESSAGE(M_t)} of the construction, as values and as tensors.

Legend: B states, N agents (padded), Q queries, U messages, K roles, D embedding.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent of M_t. `reads` are positions in `ConstructionState.agents`, all before its own.

    `silent`: it refused, failed or wrote nothing, so no agent can use its message. `answered`: its
    message has an answer; a plan or a failed program has none. `agrees`: positions, all before its
    own, of agents that gave the same answer.

    With feedback edges: `sends`, positions before its own of agents that its message was sent back
    to; `revisions`, the ids of the messages that it wrote when others sent back to it, of which the
    last counts; `before`, the agent before that revision.
    """

    agent_id: str
    role_index: int
    reads: tuple[int, ...]
    message: Tensor  # (D,), zeros when silent
    silent: bool = False
    answered: bool = True
    agrees: tuple[int, ...] = ()
    sends: tuple[int, ...] = ()
    revisions: tuple[str, ...] = ()
    before: AgentState | None = None

    @property
    def said(self) -> str:
        """The id of its current message."""
        return self.revisions[-1] if self.revisions else self.agent_id


@dataclass(frozen=True, slots=True)
class ConstructionState:
    """Immutable. `step` is the number of the next action to decide, from 1.

    `removed` are the roles of deleted agents, in order of deletion.
    """

    query: Tensor  # (D,)
    agents: tuple[AgentState, ...] = ()
    removed: tuple[int, ...] = ()
    step: int = 1

    def added(self, agent: AgentState) -> ConstructionState:
        """s_{t+1} after a role was chosen and its agent has run."""
        return replace(self, agents=(*self.agents, agent), step=self.step + 1)

    def revised(self, position: int, agent: AgentState) -> ConstructionState:
        """The same step after the newest agent sent back to that one and it revised."""
        agents = list(self.agents)
        newest = agents[-1]
        agents[-1] = replace(newest, sends=(*newest.sends, position))
        agents[position] = replace(agent, before=agents[position])
        return replace(self, agents=tuple(agents))

    def agreeing(self, agrees: Sequence[tuple[int, ...]]) -> ConstructionState:
        """The same step with, for each agent, the agents known to have given the same answer."""
        pairs = zip(self.agents, agrees, strict=True)
        return replace(self, agents=tuple(replace(a, agrees=same) for a, same in pairs))

    def deleted(self) -> ConstructionState:
        """s_{t+1} after DELETE: without the newest agent, its edges, and what others revised
        because it sent back to them."""
        *kept, newest = self.agents
        last = len(kept)
        back = [a.before or a if place in newest.sends else a for place, a in enumerate(kept)]
        agents = tuple(replace(a, reads=tuple(r for r in a.reads if r != last)) for a in back)
        return replace(
            self,
            agents=agents,
            removed=(*self.removed, newest.role_index),
            step=self.step + 1,
        )


@dataclass(frozen=True, slots=True)
class StateBatch:
    """B states over one pool. If `present` is False, an agent is padding and must have no effect.

    A message is in many states, of its own system and of others. So `texts` has each one once,
    after a row of zeros for missing agents. `queries` also has each query once.
    """

    queries: Tensor  # (Q, D)
    query: Tensor  # (B,) int64, rows of `queries`
    roles: Tensor  # (B, N) int64
    texts: Tensor  # (1 + U, D)
    messages: Tensor  # (B, N) int64, rows of `texts`
    silent: Tensor  # (B, N) bool
    answered: Tensor  # (B, N) bool, False where silent
    support: Tensor  # (B, N) int64, how many others present gave the same answer
    revised: Tensor  # (B, N) int64, how often it has revised its message
    present: Tensor  # (B, N) bool
    reads: Tensor  # (B, N, N) bool, [b, i, j]: i reads j, or j sent its message back to i
    removed: Tensor  # (B, K) float, how often each role was deleted
    step: Tensor  # (B,) int64

    def __len__(self) -> int:
        return self.query.shape[0]

    def take(self, rows: Tensor) -> StateBatch:
        """The states at these rows. They share queries and messages."""
        names = [field.name for field in fields(self) if field.name not in {"queries", "texts"}]
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def narrow(self, width: int) -> StateBatch:
        """The same states padded only to `width` agents, which must be enough for all present
        ones."""
        names = ("roles", "messages", "silent", "answered", "support", "revised", "present")
        columns = {name: getattr(self, name)[:, :width] for name in names}
        return replace(self, **columns, reads=self.reads[:, :width, :width])


def distinct(states: Sequence[ConstructionState]) -> tuple[list[ConstructionState], Tensor]:
    """The states without repeats, and the position of each given state among them: (N,).

    Systems of one query start the same, so most states of a sample occur many times.
    """
    numbers = TextNumbers()
    first: dict[Hashable, int] = {}
    kept: list[ConstructionState] = []
    where = []
    for state in states:
        place = first.setdefault(content_of(state, numbers), len(kept))
        if place == len(kept):
            kept.append(state)
        where.append(place)
    return kept, torch.tensor(where)


class TextNumbers:
    """A number for each text, from 0, for any of the tensors with its embedding."""

    def __init__(self) -> None:
        self._by_content: dict[bytes, int] = {}
        self._by_tensor: dict[int, tuple[int, Tensor]] = {}  # kept, so that no id is used again

    def __call__(self, text: Tensor) -> int:
        known = self._by_tensor.get(id(text))
        if known is None:
            new = len(self._by_content)
            known = self._by_content.setdefault(text.numpy().tobytes(), new), text
            self._by_tensor[id(text)] = known
        return known[0]


def content_of(state: ConstructionState, numbers: TextNumbers) -> Hashable:
    """All that a policy sees of the state: equal if nothing that it sees differs."""
    agents = tuple(
        (
            *(agent.role_index, agent.reads, numbers(agent.message)),
            *(agent.silent, agent.answered, agent.agrees, agent.sends, len(agent.revisions)),
        )
        for agent in state.agents
    )
    return numbers(state.query), state.step, state.removed, agents


def collate(
    states: Sequence[ConstructionState], *, role_count: int, width: int | None = None
) -> StateBatch:
    """One batch of the states, padded to `width` agents or to the largest state."""
    agents = max((len(state.agents) for state in states), default=0)
    columns = agents if width is None else width
    if columns < agents:
        raise ValueError(f"width {columns} is too small for a state of {agents} agents")
    shape = (len(states), columns)
    where, queries = _places(states), _Texts()
    known = _Texts(torch.zeros_like(states[0].query))
    present = torch.zeros(shape, dtype=torch.bool)
    present[where] = True
    everybody = [agent for state in states for agent in state.agents]

    def placed(values: list[int] | list[bool]) -> Tensor:
        rows = torch.zeros(shape, dtype=torch.int64)
        rows[where] = torch.tensor(values, dtype=torch.int64)
        return rows

    return StateBatch(
        query=torch.tensor([queries.row(state.query) for state in states]),
        queries=torch.stack(queries.rows),
        messages=placed([known.row(agent.message) for agent in everybody]),
        texts=torch.stack(known.rows),
        roles=placed([agent.role_index for agent in everybody]),
        silent=placed([agent.silent for agent in everybody]).bool(),
        answered=placed([agent.answered and not agent.silent for agent in everybody]).bool(),
        support=placed([others for state in states for others in _support(state)]),
        revised=placed([len(agent.revisions) for agent in everybody]),
        present=present,
        reads=_reads(states, columns),
        removed=_removed(states, role_count),
        step=torch.tensor([state.step for state in states]),
    )


class _Texts:
    """Texts in order of occurrence, each once, after those already there."""

    def __init__(self, *before: Tensor) -> None:
        self.rows = [*before]
        self._before = len(before)
        self._number = TextNumbers()

    def row(self, text: Tensor) -> int:
        row = self._before + self._number(text)
        if row == len(self.rows):
            self.rows.append(text)
        return row


def _places(states: Sequence[ConstructionState]) -> tuple[list[int], list[int]]:
    """Row and column of every agent."""
    rows = [row for row, state in enumerate(states) for _ in state.agents]
    return rows, [column for state in states for column in range(len(state.agents))]


def _support(state: ConstructionState) -> list[int]:
    """For each agent how many others gave the same answer."""
    others = [len(agent.agrees) for agent in state.agents]
    for agent in state.agents:
        for earlier in agent.agrees:
            others[earlier] += 1
    return others


def _reads(states: Sequence[ConstructionState], width: int) -> Tensor:
    """(B, N, N)."""
    edges = [
        edge
        for row, state in enumerate(states)
        for place, agent in enumerate(state.agents)
        for edge in (
            *((row, place, source) for source in agent.reads),
            *((row, target, place) for target in agent.sends),
        )
    ]
    reads = torch.zeros(len(states), width, width, dtype=torch.bool)
    if edges:
        reads[tuple(torch.tensor(edges).T)] = True
    return reads


def _removed(states: Sequence[ConstructionState], role_count: int) -> Tensor:
    """(B, K)."""
    removed = torch.zeros(len(states), role_count)
    for row, state in enumerate(states):
        for role in state.removed:
            removed[row, role] += 1.0
    return removed
