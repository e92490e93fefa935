"""What leaves the sandbox of a script: one JSON line at a time, from a process that may be hostile.

The two sides take turns. The studio sends the script or a reply, and the sandbox answers with one
line: the calls that came up (maybe none), what is delivered, or why it failed. In between it may
ask which answers are equal, which is answered at once. The studio counts the calls itself: a line
can name no number but those of messages that were sent into the sandbox.
"""

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import ConfigDict, Field, StringConstraints, ValidationError, model_validator

from workers.core.scripts.blocks import (
    MOST_AGENTS,
    MOST_PASSES,
    NAME_CHARS,
    PROMPT_CHARS,
    Agent,
    BlockError,
    Call,
    Kind,
    Message,
    Wanted,
    agent,
)
from workers.core.specs import Spec

_MOST = 1_000
Line = Annotated[int, Field(ge=1, le=1_000_000)]
Name = Annotated[str, StringConstraints(max_length=NAME_CHARS)]


class Garbage(Exception):
    """A line that the sandbox may not send."""


class _Said(Spec):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _Agent(_Said):
    name: Name
    prompt: Annotated[str, StringConstraints(max_length=PROMPT_CHARS)]
    tools: list[Name] = Field(max_length=64)
    temperature: float
    turns: int | None
    line: Line
    place: int = Field(ge=0, le=1_000_000)

    def made(self) -> Agent:
        """Raises Garbage: the constructor in the sandbox would have refused it."""
        try:
            return agent(
                self.name,
                self.prompt,
                self.tools,
                self.temperature,
                self.turns,
                line=self.line,
                place=self.place,
            )
        except BlockError as error:
            raise Garbage(str(error)) from error


class _Own(_Said):
    """A message that the script wrote."""

    name: Name
    text: str


class _Call(_Said):
    agent: _Agent
    reads: list[int | _Own] = Field(max_length=_MOST)
    kind: Kind
    choices: list[Name] = Field(max_length=_MOST)
    lines: list[Line] = Field(max_length=4 * MOST_PASSES)
    place: list[Line] = Field(max_length=_MOST)

    def read(self, said: Mapping[int, Message]) -> Call:
        wanted = Wanted(self.kind, tuple(self.choices))
        reads = tuple(_message(each, said) for each in self.reads)
        return Call(self.agent.made(), reads, wanted, tuple(self.lines), tuple(self.place))


class Failed(_Said):
    """An error of the script's own. `code` is one of `session.PROBLEMS`."""

    code: Annotated[str, StringConstraints(max_length=40)]
    message: Annotated[str, StringConstraints(max_length=1_000)]
    line: Line | None


class Turn(_Said):
    """A line from the sandbox. Exactly one field is set, beside what was printed since the last."""

    ready: bool = False
    calls: list[_Call] | None = Field(default=None, max_length=_MOST)
    same: list[int] | None = Field(default=None, max_length=MOST_AGENTS)
    delivered: int | _Own | None = None
    unusable: bool = False
    failed: Failed | None = None
    printed: str = ""

    @model_validator(mode="after")
    def _one(self) -> Self:
        there = [self.calls, self.same, self.delivered, self.failed]
        if sum(each is not None for each in there) + self.ready + self.unusable != 1:
            raise ValueError("a line says one thing")
        return self

    def called(self, said: Mapping[int, Message]) -> list[Call]:
        return [call.read(said) for call in self.calls or ()]

    def answers(self, said: Mapping[int, Message]) -> list[str]:
        """Of the messages that it asks about."""
        found = [_message(each, said).answer for each in self.same or ()]
        if None in found:
            raise Garbage("it asks about a message without an answer")
        return [answer for answer in found if answer is not None]

    def delivers(self, said: Mapping[int, Message]) -> Message | None:
        return None if self.delivered is None else _message(self.delivered, said)


def read_turn(line: bytes) -> Turn:
    """Raises Garbage."""
    try:
        return Turn.model_validate_json(line)
    except (ValidationError, RecursionError) as error:
        raise Garbage("the line is none of the channel's") from error


def _message(each: int | _Own, said: Mapping[int, Message]) -> Message:
    if isinstance(each, _Own):
        return Message(each.name, each.text)
    if each not in said or not said[each].usable:
        raise Garbage(f"it names message {each}, which there is not")
    return said[each]
