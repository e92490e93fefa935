"""An episode that a team plays in an environment, turn by turn (AT-GRPO, arXiv 2510.11062)."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from workers.core.events.base import EventBase
from workers.core.events.shown import Shown, whole
from workers.core.specs import AgentId, Slug


class EpisodeStarted(EventBase):
    """`picture`: the state as JSON. `turns`: how many there may be."""

    event: Literal["episode_started"] = "episode_started"
    shown: ClassVar[Shown] = whole("environment", "name", "picture", "turns")
    environment: Slug
    name: str
    picture: dict[str, Any]
    turns: int = Field(ge=1)


class EpisodeMoved(EventBase):
    """What an agent's message did. `read`: what was read of it. `team` and `local`: what it earned,
    part by part. `ended`: why the episode is over with it; None: it goes on."""

    event: Literal["episode_moved"] = "episode_moved"
    shown: ClassVar[Shown] = whole("agent_id", "turn", "read", "team", "local", "picture", "ended")
    agent_id: AgentId
    turn: int = Field(ge=1)
    read: str
    team: dict[str, float]
    local: dict[str, float]
    picture: dict[str, Any]
    ended: str | None = None
