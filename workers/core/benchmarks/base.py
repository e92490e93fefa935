"""Defines a verifier: it gives an answer a reward and says why."""

from dataclasses import dataclass
from typing import Protocol

from workers.core.errors import CoreError
from workers.core.specs import TaskSpec


@dataclass(frozen=True, slots=True)
class Verdict:
    """`reward` is in [0, 1]; `explanation` is one sentence for people."""

    correct: bool
    reward: float
    explanation: str


class Verifier(Protocol):
    """Compares an answer with a task's reference."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        """`answer` is what was read from `message`; None if it commits to nothing.

        Hostile answers are wrong answers: no answer makes this raise. Raises VerifierError if the
        task itself can't be judged (no reference, no tests, no sandbox).
        """
        ...


class VerifierError(CoreError):
    """The task can't be judged."""
