"""What agents did in runs. Runs fill in the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Literal, Protocol

from apps.common.slot import Slot
from apps.roles.usage import Figures, kept_a_minute

Step = Literal["day", "week"]


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a week (UTC) from `start` on."""

    start: date
    figures: Figures


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """Of the runs that were begun in the last `days`. `over_time` has no gaps: a period in which
    the agent was not used is there with zeros."""

    days: int
    step: Step
    total: Figures
    over_time: tuple[Period, ...]


class FindAgentUsage(Protocol):
    def __call__(self, agent_id: int, *, days: int) -> AgentUsage: ...


class FindFigures(Protocol):
    def __call__(self, agent_ids: Sequence[int], *, days: int) -> dict[int, Figures]: ...


agent_usage: Slot[FindAgentUsage] = Slot("usage of an agent")
agents_figures: Slot[FindFigures] = Slot("figures of agents")


def agent_usage_kept(agent_id: int, *, days: int) -> AgentUsage:
    """Of one agent, over time too; up to a minute old."""
    found = partial(agent_usage.content, agent_id, days=days)
    return kept_a_minute(f"agent-usage:{agent_id}:{days}", AgentUsage, found)


def agents_figures_kept(agent_ids: Sequence[int], *, days: int) -> dict[int, Figures]:
    """Of the agents of a page of a list, without those that nobody used; up to a minute old."""
    digest = ",".join(map(str, agent_ids))
    found = partial(agents_figures.content, agent_ids, days=days)
    return kept_a_minute(f"agents-figures:{days}:{digest}", dict, found)
