"""Teams that speak without a model: what each agent says is looked up."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from workers.core.scripts.blocks import Agent, Block, Call, Message, Playing, agent

Says = Callable[[Call], Message | str | None]
"""A message, the text of one (its last word is its answer), or None: the agent failed."""


@dataclass
class Played:
    """What came of it, and every call: who, what was read, what was asked for."""

    result: Message
    calls: list[Call] = field(default_factory=list)

    @property
    def who(self) -> str:
        return " ".join(call.agent.name for call in self.calls)

    def reads(self, name: str, time: int = 0) -> list[str]:
        """The texts that the agent read when it was asked this time."""
        return [m.text for m in [c for c in self.calls if c.agent.name == name][time].reads]


def one(name: str) -> Agent:
    return agent(name, f"You are {name}.")


def several(names: str) -> list[Agent]:
    return [one(name) for name in names.split()]


def message_of(call: Call, said: Message | str | None) -> Message:
    if said is None:
        return Message(call.agent.name, "", usable=False)
    if isinstance(said, str):
        words = said.split()
        return Message(call.agent.name, said, words[-1] if words else None)
    return said


def played(block: Block, says: Says, reads: tuple[Message, ...] = ()) -> Played:
    """Answers whatever waits, the lowest number first."""
    playing = Playing(block, reads, question="How many?")
    calls: list[Call] = []
    while playing.result is None:
        number, call = min(playing.waiting().items())
        calls.append(call)
        playing.answer(number, message_of(call, says(call)))
    return Played(playing.result, calls)


def saying(replies: Mapping[str, Sequence[str | None] | str | None]) -> Says:
    """Each agent's replies by its name: one for all times, or a list, of which the last stays."""
    times: dict[str, int] = {}

    def says(call: Call) -> str | None:
        name = call.agent.name
        said = replies[name]
        if said is None or isinstance(said, str):
            return said
        times[name] = times.get(name, 0) + 1
        return said[min(times[name], len(said)) - 1]

    return says
