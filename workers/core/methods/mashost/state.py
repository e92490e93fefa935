"""The state s_t = {Q, M_t, MESSAGE(M_t)} of the construction, as values and as tensors.

Legend: B states, N agents (padded), K roles, S stages, D embedding, H hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class AgentState:
    """One agent of M_t. `reads` are positions in `ConstructionState.agents`, all before its own.

    `silent`: it refused, failed or wrote nothing, so nobody can use its message. `answered`: its
    message commits to an answer; a plan does not, nor a program that failed.
    """

    agent_id: str
    role_index: int
    reads: tuple[int, ...]
    message: Tensor  # (D,), zeros when silent
    silent: bool = False
    answered: bool = True


@dataclass(frozen=True, slots=True)
class ConstructionState:
    """Immutable. `step` is the number of the action about to be decided, from 1.

    `removed` are the roles of deleted agents, in order of deletion.
    """

    query: Tensor  # (D,)
    agents: tuple[AgentState, ...] = ()
    removed: tuple[int, ...] = ()
    step: int = 1

    def added(self, agent: AgentState) -> ConstructionState:
        """s_{t+1} after a role was chosen and its agent has run."""
        return replace(self, agents=(*self.agents, agent), step=self.step + 1)

    def deleted(self) -> ConstructionState:
        """s_{t+1} after DELETE: the newest agent is gone, and every edge that touched it."""
        *kept, newest = self.agents
        last = len(kept)
        agents = tuple(replace(a, reads=tuple(r for r in a.reads if r != last)) for a in kept)
        return replace(
            self,
            agents=agents,
            removed=(*self.removed, newest.role_index),
            step=self.step + 1,
        )


@dataclass(frozen=True, slots=True)
class StateBatch:
    """B states over one pool. Where `present` is False an agent is padding and must stay inert."""

    query: Tensor  # (B, D)
    roles: Tensor  # (B, N) int64
    messages: Tensor  # (B, N, D)
    silent: Tensor  # (B, N) bool
    answered: Tensor  # (B, N) bool, False where silent
    present: Tensor  # (B, N) bool
    reads: Tensor  # (B, N, N) bool, [b, i, j]: i reads j
    removed: Tensor  # (B, K) float, how often each role was deleted
    step: Tensor  # (B,) int64


def collate(
    states: Sequence[ConstructionState], *, role_count: int, width: int | None = None
) -> StateBatch:
    """One batch of the states, padded to `width` agents or to the largest state."""
    rows = len(states)
    agents = max((len(state.agents) for state in states), default=0)
    columns = agents if width is None else width
    if columns < agents:
        raise ValueError(f"width {columns} cannot hold a state of {agents} agents")
    dimension = states[0].query.shape[-1]
    batch = StateBatch(
        query=torch.stack([state.query for state in states]),
        roles=torch.zeros(rows, columns, dtype=torch.int64),
        messages=torch.zeros(rows, columns, dimension),
        silent=torch.zeros(rows, columns, dtype=torch.bool),
        answered=torch.zeros(rows, columns, dtype=torch.bool),
        present=torch.zeros(rows, columns, dtype=torch.bool),
        reads=torch.zeros(rows, columns, columns, dtype=torch.bool),
        removed=torch.zeros(rows, role_count),
        step=torch.tensor([state.step for state in states]),
    )
    for row, state in enumerate(states):
        _fill(batch, row, state)
    return batch


def _fill(batch: StateBatch, row: int, state: ConstructionState) -> None:
    count = len(state.agents)
    for role in state.removed:
        batch.removed[row, role] += 1.0
    if not count:
        return
    batch.present[row, :count] = True
    batch.roles[row, :count] = torch.tensor([agent.role_index for agent in state.agents])
    batch.silent[row, :count] = torch.tensor([agent.silent for agent in state.agents])
    answered = [agent.answered and not agent.silent for agent in state.agents]
    batch.answered[row, :count] = torch.tensor(answered)
    batch.messages[row, :count] = torch.stack([agent.message for agent in state.agents])
    for position, agent in enumerate(state.agents):
        for source in agent.reads:
            batch.reads[row, position, source] = True
