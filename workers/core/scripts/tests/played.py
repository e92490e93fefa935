"""Plays scripts and teams at once, with agents whose replies are made up."""

import random
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from workers.core.scripts import blocks
from workers.core.scripts.blocks import Block, Call, Delivered, Message, Playing, Stage

Said = Callable[[Call], Message]
TraceFunction = Callable[[FrameType, str, Any], "TraceFunction | None"]


@dataclass
class Played:
    """Who was asked, with what was read, and what was delivered."""

    calls: list[Call] = field(default_factory=list)
    delivered: Message | None = None

    @property
    def asked(self) -> list[tuple[str, tuple[str, ...]]]:
        """Sorted: calls that need not wait for each other have no order."""
        return sorted((c.agent.name, tuple(m.text for m in c.reads)) for c in self.calls)


def echoing(call: Call) -> Message:
    """What it says depends on all that it reads, so that a lost or swapped message shows."""
    heard = "|".join(message.text for message in call.reads)
    text = f"{call.agent.name}({zlib.crc32(heard.encode()):x}) {call.wanted.kind}"
    return Message(call.agent.name, text, answer=str(zlib.crc32(text.encode()) % 3))


def chance(seed: int, words: tuple[str, ...] = ("yes", "no", "done", "")) -> Said:
    generator = random.Random(seed)

    def said(call: Call) -> Message:
        word = generator.choice(words)
        return Message(call.agent.name, word, answer=word or None, usable=generator.random() > 0.1)

    return said


class _TestStage(Stage):
    question = "What is 2 + 2?"

    def __init__(self, played: Played, said: Said) -> None:
        super().__init__()
        self._played, self._said = played, said

    def replies(self, waiting: Mapping[int, Call]) -> Mapping[int, Message]:
        if len(self._played.calls) > 300:
            raise TimeoutError
        number, call = next(iter(waiting.items()))
        self._played.calls.append(call)
        return {number: self._said(call)}

    def delivered(self, message: Message) -> None:
        self._played.delivered = message


def script_played(script: str, said: Said = echoing) -> Played:
    """Runs a script of these tests as Python does. What it raises is raised; TimeoutError after
    5,000 lines or 300 calls."""
    played = Played()
    before = blocks._stage, blocks.question
    blocks.enter(_TestStage(played, said))
    names = {name: getattr(blocks, name) for name in blocks.NAMES}
    lines = script.split("\n")
    code = "\n".join("" if line.startswith("from workflow") else line for line in lines)
    left = 5_000

    def counted(frame: FrameType, event: str, _: Any) -> TraceFunction | None:
        nonlocal left
        if frame.f_code.co_filename != "script":
            return None
        left -= event == "line"
        if left < 0:
            raise TimeoutError
        return counted

    tracing = sys.gettrace()
    sys.settrace(counted)
    try:
        exec(compile(code, "script", "exec"), dict(names))  # noqa: S102  our own scripts
    except Delivered:
        pass
    finally:
        sys.settrace(tracing)
        blocks._stage, blocks.question = before
    return played


def team_played(team: Block, said: Said = echoing) -> Played:
    played = Played()
    playing = Playing(team, question=_TestStage.question)
    while playing.result is None:
        number, call = next(iter(playing.waiting().items()))
        played.calls.append(call)
        playing.answer(number, said(call))
    played.delivered = playing.result
    return played
