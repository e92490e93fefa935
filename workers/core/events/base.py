"""What every event has, and marks that say what an event does: who reads a mark knows no names."""

import time
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from workers.core.events.shown import Shown
from workers.core.specs import AgentNode, GraphSpec, RoleSpec, Spec, Usage


class EventBase(Spec):
    """`at`: Unix seconds when the thing happened.

    `shown`: what somebody without an account sees of it in a shared run, beside its kind and time.
    `roles_at`: where it names roles of the pool, as a JSON path; "" nowhere.
    """

    shown: ClassVar[Shown] = {}
    roles_at: ClassVar[str] = ""

    at: float = Field(default_factory=time.time)


class Grows(EventBase):
    """The graph is another one after it."""

    def grown(self, graph: GraphSpec, roles: Mapping[str, RoleSpec]) -> GraphSpec:
        """`roles`: those of the run's pool, by key."""
        raise NotImplementedError


class Settles(EventBase):
    """What came before it is finished. If the worker is lost later, the next attempt takes it over
    and continues after it. The method gets those events in `MethodContext.earlier`."""


class Placed(EventBase):
    """An agent is asked at a place in its team's work that does not depend on time."""

    node: AgentNode
    place: tuple[int, ...] = ()


class Asks(EventBase):
    """A model is about to be asked by the method itself, as no agent. `Replied` says what came of
    it, unless the run breaks off: then nobody knows what was used."""


class Replied(EventBase):
    """The reply to `Asks`. `truncated`: it stopped at its token limit; None: not told."""

    usage: Usage
    truncated: bool | None = Field(
        default=None, description="the reply stopped at its token limit; null: not told"
    )
