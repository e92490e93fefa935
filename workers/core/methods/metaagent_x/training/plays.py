"""One execution of a design: the calls that wait, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from workers.core.errors import MethodError
from workers.core.events.scripts import ScriptEnding, ScriptProblem
from workers.core.scripts.blocks import Agent, Call, Message, Playing, Same
from workers.core.scripts.session import ScriptLimits, ScriptResult, Session

if TYPE_CHECKING:
    from workers.core.methods.metaagent_x.training.worlds import World
    from workers.core.scripts.blocks import Block
    from workers.core.scripts.meaning import Meaning
    from workers.core.specs import TaskSpec

AGENTS_FAILED, SANDBOX_MISSING = "agents_failed", "sandbox_missing"
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


WRITER = Agent("Script", "It writes.", line=1)
"""Stands in for the script where it delivers a text of its own."""


async def answer_of(world: World, task: TaskSpec, delivered: Message) -> str | None:
    """A text that the script wrote is read like a message; without an answer it is one."""
    if delivered.number:
        return delivered.answer
    said = await world.said(task, Call(WRITER), delivered.text)
    return said.answer if said.answer is not None else delivered.text.strip() or None


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

    meaning: Meaning
    same: Same
    question: str
    limits: ScriptLimits
    _session: Session | None = None
    _ended: Ended | None = None

    async def waiting(self) -> Mapping[int, Call]:
        """Raises MethodError if there is no sandbox: no script is to blame for that."""
        if self._session is None:
            meaning = self.meaning
            self._session = Session(
                meaning.script, self.question, self.limits, same=self.same, tools=meaning.tools
            )
            await self._session.__aenter__()
        calls = await self._session.settled()
        if not calls:
            self._ended = _ended(self._session.result)
        return calls

    async def answer(self, said: Mapping[int, Message]) -> None:
        if self._session is not None:
            for number, message in said.items():
                self._session.answer(number, message)

    @property
    def ended(self) -> Ended | None:
        return self._ended

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.__aexit__()


def _ended(result: ScriptResult) -> Ended:
    problem = result.problem
    if problem is not None and problem.code == SANDBOX_MISSING:
        raise MethodError(code=problem.code, message=problem.message, remedy=problem.remedy)
    by_agents = problem is None or problem.code == AGENTS_FAILED
    return Ended(result.ending, result.message, problem, result.printed, by_agents)


def play_of(
    meaning: Meaning, same: Same, question: str, *, max_calls: int
) -> TeamPlay | ScriptPlay:
    if meaning.team is not None:
        return TeamPlay(meaning.team, same, question)
    return ScriptPlay(meaning, same, question, script_limits(max_calls))


def script_limits(max_calls: int) -> ScriptLimits:
    return ScriptLimits(calls=max_calls)
