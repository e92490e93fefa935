"""The seam between a training and what it trains on: what the two roles read, and what their
answers are worth. The studio's own world is `language.py`; a bench may pass another one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from workers.core.rollouts.base import Messages
from workers.core.specs import TaskSpec

if TYPE_CHECKING:
    from workers.core.scripts.blocks import Call
    from workers.core.scripts.meaning import Meaning

Role = Literal["designer", "executor"]
DESIGNER: Role = "designer"
EXECUTOR: Role = "executor"
ROLES: tuple[Role, Role] = (DESIGNER, EXECUTOR)


@dataclass(frozen=True, slots=True)
class Said:
    """What others read of an executor's reply. Not `usable`: as from an agent that failed."""

    text: str
    answer: str | None
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Shown:
    """What a role is asked and says in a demonstration."""

    role: Role
    messages: Messages
    said: str


class World(Protocol):
    """All messages and answers of a training go through it. Its methods must be functions of their
    arguments alone (randomness: `generator`), or a resumed training would be another one."""

    @property
    def key(self) -> str:
        """Names the world in checkpoints (a slug)."""
        ...

    def require(self, tasks: Sequence[TaskSpec]) -> None:
        """Raises MethodError for tasks that can't be rewarded."""
        ...

    def designer_messages(self, task: TaskSpec) -> Messages: ...

    def executor_messages(
        self, task: TaskSpec, call: Call, generator: random.Random
    ) -> Messages: ...

    def script(self, task: TaskSpec, reply: str) -> str:
        """The script in the designer's reply. Raises ScriptError if there is none."""
        ...

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        """What the script means. Raises ScriptError, or has problems, if it can't be used."""
        ...

    async def said(self, task: TaskSpec, call: Call, reply: str) -> Said:
        """What is read of the executor's reply. `answer`: in the form that `correct` takes."""
        ...

    def same(self, task: TaskSpec, answers: Sequence[str]) -> list[list[int]]:
        """The places of equal answers, a group each (for votes and consensus)."""
        ...

    async def correct(self, task: TaskSpec, answer: str | None) -> bool:
        """Whether the answer that a team delivered is right."""
        ...

    def demonstrates(self, task: TaskSpec) -> bool:
        """Whether `demonstrated` has something for the task."""
        ...

    async def demonstrated(self, task: TaskSpec, generator: random.Random) -> Sequence[Shown]:
        """For the cold start: a designer's reply and what the executors of its team say, each in
        the prompt that this training gives. () if there is none. `demonstrating.played` makes it
        from a reply and a function that speaks for the executors."""
        ...
