"""Defines an environment: who acts when, on what observation, and for which rewards."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from workers.core.specs import RoleSpec, TaskSpec

Order = Literal["sequential", "parallel"]
"""Whether an agent reads what the agents before it did in the same turn, or all act at once."""


@dataclass(frozen=True, slots=True)
class Reward:
    """What one message earns, part by part. `team` parts are what the team as a whole is there for,
    `local` parts are the agent's own (§4, “agent-wise credit assignment”)."""

    team: Mapping[str, float] = field(default_factory=dict)
    local: Mapping[str, float] = field(default_factory=dict)

    def mixed(self, alpha: float) -> float:
        """r = α · r_team + r_local (Eq. 3)."""
        return alpha * sum(self.team.values()) + sum(self.local.values())


S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Acted(Generic[S]):
    """`read` is what was read of the message, for people."""

    state: S
    reward: Reward
    read: str


class Environment(Protocol[S]):
    """A state is a value: acting makes a new one, so that branches of one state can be tried side
    by side."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...

    @property
    def roles(self) -> tuple[RoleSpec, ...]:
        """The agents, in the order in which they act in each turn."""
        ...

    def begin(self, task: TaskSpec) -> S:
        """Raises EpisodeError for a task that is no episode of this environment. What rewards need,
        such as a reference, may be missing: a run plays without them."""
        ...

    def require_rewards(self, task: TaskSpec) -> None:
        """Raises EpisodeError for a task that lacks what rewards need."""
        ...

    def observation(self, state: S, agent: int) -> str:
        """The message that the agent answers. Its role's prompt stands before it."""
        ...

    def heard(self, agent: int, *, order: Order, later: bool) -> Sequence[int]:
        """The most characters of each text that an observation of the agent has beside those of its
        first one of an episode, in the first turn or a `later` one: messages, what programs
        printed, and what went wrong."""
        ...

    async def act(self, state: S, agent: int, message: str) -> Acted[S]:
        """What the agent's message does. Never raises for a message, however hostile. Raises
        MethodError if no program can run here."""
        ...

    def demonstration(
        self, state: S, agent: int, generator: random.Random, *, weak: bool
    ) -> str | None:
        """A message that solves the rest of the episode; with `weak`, one of the same form by a
        player who knows only half of the rules. None: there is no such player, or no solution."""
        ...

    @property
    def undemonstrated(self) -> str:
        """What to do where no task has a demonstration, as a sentence."""
        ...

    def turned(self, state: S) -> S:
        """The state at the start of the next turn, once all agents have acted."""
        ...

    def ended(self, state: S) -> str | None:
        """Why the episode is over (“solved”); None: it goes on. Asked after each agent. It never
        depends on what only rewards need."""
        ...

    def solved(self, state: S) -> bool:
        """Whether the team's answer is right, as far as the task says."""
        ...

    def answer(self, state: S) -> str:
        """The answer that the team has come to so far, in the form that the task's verifier
        reads; "": none."""
        ...

    def picture(self, state: S) -> dict[str, Any]:
        """The state as JSON, for people."""
        ...


UNCUT = 10**9
"""Characters of a text that is shown as it is."""


class EpisodeError(ValueError):
    """A task that is no episode of the environment. The message says why."""


def about(task: TaskSpec) -> str:
    """Names the task in an error."""
    return f"The task “{task.query[:60]}”"


def cut(text: str, chars: int) -> str:
    """The text, or its first `chars` characters and a mark."""
    return text if len(text) <= chars else f"{text[:chars]}…"
