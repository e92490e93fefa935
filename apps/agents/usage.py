"""What agents did in runs. The app of runs provides the figures."""

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
    """Figures of the runs that started in the last `days`. `over_time` has no gaps: a period
    without the agent is there with zeros."""

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
    """Usage of one agent, also over time; up to a minute old."""
    found = partial(agent_usage.content, agent_id, days=days)
    return kept_a_minute(f"agent-usage:{agent_id}:{days}", AgentUsage, found)


def agents_figures_kept(agent_ids: Sequence[int], *, days: int) -> dict[int, Figures]:
    """Figures of the agents on a page of a list, without unused agents; up to a minute old."""
    digest = ",".join(map(str, agent_ids))
    found = partial(agents_figures.content, agent_ids, days=days)
    return kept_a_minute(f"agents-figures:{days}:{digest}", dict, found)
