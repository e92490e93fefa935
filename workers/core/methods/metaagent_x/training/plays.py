"""One execution of a design: the calls that wait, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from workers.core.events.scripts import ScriptEnding, ScriptProblem
from workers.core.scripts.blocks import Call, Message, Playing, Same

if TYPE_CHECKING:
    from workers.core.scripts.blocks import Block
    from workers.core.scripts.session import Session

AGENTS_FAILED = "agents_failed"
NOTHING_DELIVERED = ScriptProblem(
    code=AGENTS_FAILED,
    message="The message of agents that all failed was to be delivered.",
    remedy="Let several agents answer, so that one that fails does no harm.",
)
TOO_MANY_CALLS = ScriptProblem(
    code="too_many_calls",
    message="The team asked for more agent calls than an execution may have.",
    remedy="Design a smaller team, or raise max_calls.",
)


@dataclass(frozen=True, slots=True)
class Ended:
    """`by_agents`: it ended so because of what the agents said, not of what the script does."""

    ending: ScriptEnding
    message: Message | None = None
    problem: ScriptProblem | None = None
    printed: str = ""
    by_agents: bool = True


class Play(Protocol):
    """A team at work. It is closed at its end, or when it is not needed any more."""

    async def waiting(self) -> Mapping[int, Call]:
        """The calls to answer next, by number; none: it has ended."""
        ...

    async def answer(self, said: Mapping[int, Message]) -> None: ...

    @property
    def ended(self) -> Ended | None: ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class TeamPlay:
    """Of a team that is data: no script runs."""

    team: Block
    same: Same
    question: str
    _playing: Playing = field(init=False)

    def __post_init__(self) -> None:
        self._playing = Playing(self.team, same=self.same, question=self.question)

    async def waiting(self) -> Mapping[int, Call]:
        return self._playing.waiting()

    async def answer(self, said: Mapping[int, Message]) -> None:
        for number, message in said.items():
            self._playing.answer(number, message)

    @property
    def ended(self) -> Ended | None:
        result = self._playing.result
        if result is None:
            return None
        if not result.usable:
            return Ended("failed", problem=NOTHING_DELIVERED)
        return Ended("delivered", result)

    async def close(self) -> None:
        """There is nothing to close."""


@dataclass(slots=True)
class ScriptPlay:
    """Of a script, in the sandbox."""

    script: str
    same: Same
    question: str
    max_calls: int
    _session: Session | None = None
    _ended: Ended | None = None

    async def waiting(self) -> Mapping[int, Call]:
        from workers.core.scripts.session import ScriptLimits, Session

        if self._session is None:
            limits = ScriptLimits(calls=self.max_calls)
            self._session = Session(self.script, self.question, limits, same=self.same)
            await self._session.__aenter__()
        calls = await self._session.settled()
        if not calls:
            result = self._session.result
            self._ended = Ended(
                result.ending,
                result.message,
                result.problem,
                result.printed,
                by_agents=_by_agents(result.problem),
            )
        return calls

    async def answer(self, said: Mapping[int, Message]) -> None:
        if self._session is not None:
            for number, message in said.items():
                self._session.answer(number, message)

    @property
    def ended(self) -> Ended | None:
        return self._ended

    async def close(self) -> None:
        if self._session is not None:
            await self._session.__aexit__()


def _by_agents(problem: ScriptProblem | None) -> bool:
    return problem is None or problem.code == AGENTS_FAILED
