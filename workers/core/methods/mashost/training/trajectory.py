"""Sampled constructions as data and as tensors.

Legend: B queries, L systems per query, T actions of a system (padded), N actions of all systems.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.masks import allowed_actions
from workers.core.methods.mashost.state import ConstructionState, collate, distinct
from workers.core.methods.mashost.steps import Steps


@dataclass(frozen=True, slots=True)
class Action:
    """a_t with its state.

    `correct`: whether O_t, the answer after it, is right. `tokens`: the system's tokens after it.
    `reads` and `sends` are positions of agents that the new one reads, and sends back to.
    """

    state: ConstructionState
    action: int
    reads: tuple[int, ...]
    correct: bool
    tokens: float
    sends: tuple[int, ...] = ()

    @property
    def done(self) -> Hashable:
        return self.action, self.reads, self.sends


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One constructed system M_i. `correct` and `tokens` are its own, including the summary.

    `draws`: how often it was drawn, see `counted_with`. So counts show how often the policy builds
    what, although rows are more varied. `explored`: place of the action that was drawn more evenly
    than the policy draws; before it the system follows another one of its group.
    """

    actions: tuple[Action, ...]
    correct: bool
    tokens: float
    draws: int = 1
    explored: int | None = None

    @property
    def built(self) -> Hashable | None:
        """The construction, with its edges, whatever its outcome. None for a system that explored:
        the policy did not draw it, so it represents none that it did."""
        if self.explored is not None:
            return None
        return tuple(action.done for action in self.actions)


def exploring_at(place: int, system: Trajectory) -> Trajectory:
    """The system as one that explored there. One that ended earlier does not count: only short ones
    can."""
    draws = system.draws if place < len(system.actions) else 0
    return replace(system, explored=place, draws=draws)


Group = Sequence[Trajectory]
"""L systems sampled for the same query."""


def repeats(built: Sequence[Hashable | None]) -> dict[int, int]:
    """Members of a group that are built exactly like an earlier one → the first such.

    None repeats no other: there the endpoint failed, and it represents no other.
    """
    first: dict[Hashable, int] = {}
    again = {}
    for member, construction in enumerate(built):
        if construction is not None and first.setdefault(construction, member) != member:
            again[member] = first[construction]
    return again


def shares_of(groups: Sequence[Group], *, as_drawn: bool = True, explorers: bool = False) -> Tensor:
    """The weight of each system, of L in its group, by how often it was drawn or once each: (B, L).

    Every group counts equally (Eq. 7), even if its systems were drawn again more often. Only a
    group without drawn systems does not count. Only what the policy drew counts, unless `explorers`
    is set.
    """
    draws = torch.tensor([[float(system.draws) for system in group] for group in groups])
    counts = draws if as_drawn else draws.clamp(max=1)
    if not explorers:
        counts = counts * torch.tensor([[s.explored is None for s in group] for group in groups])
    return counts * counts.shape[1] / counts.sum(dim=1, keepdim=True).clamp(min=1)


def counted_with(system: Trajectory, repeat: Trajectory) -> Trajectory:
    """The system after a repeat of it is drawn again: it keeps the count of draws."""
    return replace(system, draws=system.draws + repeat.draws)


def tensors_of(actions: Sequence[Action], *, role_count: int, config: MasHostConfig) -> Steps:
    """All actions as one batch: N steps."""
    states, where = distinct([action.state for action in actions])
    batch = collate(states, role_count=role_count)
    width = batch.present.shape[1]
    edges = [
        (row, column)
        for row, action in enumerate(actions)
        for column in (*action.reads, *(width + target for target in action.sends))
    ]
    chosen = torch.zeros(len(actions), config.edges_per_agent * width, dtype=torch.bool)
    if edges:
        chosen[tuple(torch.tensor(edges).T)] = True
    return Steps(
        states=batch,
        where=where,
        allowed=allowed_actions(states, role_count=role_count, config=config),
        actions=torch.tensor([action.action for action in actions]),
        chosen=chosen,
    )


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of all systems' N actions when each system is a row of T."""

    present: Tensor  # (B·L, T) bool

    def spread(self, flat: Tensor) -> Tensor:
        """(N,) → (B·L, T), 0 where padded."""
        rows = torch.zeros(self.present.shape, dtype=flat.dtype)
        rows[self.present] = flat
        return rows

    def gather(self, rows: Tensor) -> Tensor:
        """(B·L, T) → (N,)."""
        return rows[self.present]

    def counts(self, counts: Tensor) -> Tensor:
        """The weight of each action from its system's: (B·L,) → (N,)."""
        return self.gather(counts.unsqueeze(1).expand(self.present.shape))


def layout_of(systems: Sequence[Trajectory]) -> Layout:
    lengths = torch.tensor([len(system.actions) for system in systems])
    return Layout(torch.arange(int(lengths.max())) < lengths.unsqueeze(1))


def states_of(groups: Sequence[Group]) -> Tensor:
    """Which of the N actions were taken in the same state of the same query: (N,) int64, a number
    for each state. A state is the actions before it. If a model's answers are random, messages of
    the same state may differ."""
    numbers: list[int] = []
    known: dict[Hashable, int] = {}
    for place, group in enumerate(groups):
        for system in group:
            before: Hashable = place
            for action in system.actions:
                number = known.setdefault(before, len(known))
                numbers.append(number)
                before = ("after", number, action.done)
    return torch.tensor(numbers)


def steps_since_explored(systems: Sequence[Trajectory], layout: Layout) -> Tensor:
    """For each of the N actions: (N,) int64, negative before its system's explored action, above 0
    after it and in systems that did not explore."""
    explored = torch.tensor([[-1 if s.explored is None else s.explored] for s in systems])
    places = torch.arange(layout.present.shape[1]).expand(layout.present.shape)
    return layout.gather(places - explored)


def rows_of(systems: Sequence[Trajectory], value: Callable[[Action], float]) -> Tensor:
    """(B·L, T): a number of every action, 0 where padded."""
    longest = max(len(system.actions) for system in systems)
    rows = torch.zeros(len(systems), longest)
    for row, system in enumerate(systems):
        rows[row, : len(system.actions)] = torch.tensor([value(a) for a in system.actions])
    return rows
