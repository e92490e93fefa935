"""Compares two states of an agent database: two checkpoints, or a checkpoint and the live
agents."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.core.agents.database import AgentKey, Statistics

MOST_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Difference:
    """`left` or `right` is None if the agent is not there. The changes are right − left."""

    key: AgentKey
    left: Statistics | None
    right: Statistics | None

    @property
    def change(self) -> Statistics | None:
        if self.left is None or self.right is None:
            return None
        return Statistics(
            reward=self.right.reward - self.left.reward,
            cost=self.right.cost - self.left.cost,
            count=self.right.count - self.left.count,
        )


@dataclass(frozen=True, slots=True)
class Differences:
    """The first `MOST_ROWS` of `count`."""

    rows: tuple[Difference, ...]
    count: int
    only_left: int
    only_right: int


def differences(
    left: Mapping[AgentKey, Statistics], right: Mapping[AgentKey, Statistics]
) -> Differences:
    """Rows by |ΔR|, largest first, then agents that only one side has, most rewarded first. An
    agent that was never rewarded counts as missing, unless the other side has it."""
    keys = {key for side in (left, right) for key, each in side.items() if each.count}
    found = [Difference(key, left.get(key), right.get(key)) for key in keys]
    found.sort(key=_order)
    return Differences(
        rows=tuple(found[:MOST_ROWS]),
        count=len(found),
        only_left=sum(each.right is None for each in found),
        only_right=sum(each.left is None for each in found),
    )


def _order(row: Difference) -> tuple[bool, float, int, str, str]:
    change = row.change
    counts = [side.count for side in (row.left, row.right) if side is not None]
    size = 0.0 if change is None else abs(change.reward)
    return (change is None, -size, -max(counts), row.key.role, row.key.endpoint)
