"""Plays a script inside the sandbox. The launcher of `tools/sandbox_inside.py` runs this as its
program, with the module `workflow` (`blocks.py`, compiled) in place of `WORKFLOW`.

The channel is a copy of standard input and output under other numbers. The script's own output goes
to /dev/null, and the first of what it prints goes along with the next line of the channel.
"""

import __future__

import json
import marshal
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.core.scripts import blocks as workflow

WORKFLOW = b""
SCRIPT = "/code/team.py"
ERROR_CHARS = 300
SAYS_SECONDS = 0.2
"""Before its time is over, the script is ended from inside: only here its line is known."""


class TooSlow(Exception):
    """The script's own time is over."""


def too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


class Channel:
    def __init__(self) -> None:
        self._out = os.dup(1)
        self._in = os.fdopen(os.dup(0), "rb")
        nothing = os.open("/dev/null", os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.close(nothing)

    def say(self, **fields: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        told = json.dumps({**fields, "printed": PRINTED.taken()}, ensure_ascii=False)
        data = told.encode(errors="replace") + b"\n"
        while data:
            data = data[os.write(self._out, data) :]

    def hear(self) -> dict[str, Any]:
        line = self._in.readline()
        if not line:
            os._exit(0)  # the studio has ended
        heard: dict[str, Any] = json.loads(line)
        left = heard.pop("seconds")
        signal.setitimer(signal.ITIMER_REAL, max(left - SAYS_SECONDS, 0.5 * left))
        return heard


class Printed:
    """Takes what the script prints, as far as people will read it."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.left, self.text = 0, ""

    def write(self, text: str) -> int:
        kept = text[: self.left]
        self.text += kept
        self.left -= len(kept)
        return len(text)

    def flush(self) -> None:
        """Nothing is kept back."""

    def taken(self) -> str:
        text, self.text = self.text, ""
        return text


PRINTED = Printed()


def loaded() -> ModuleType:
    module = ModuleType("workflow")
    sys.modules["workflow"] = module
    # the sandbox around this process is what makes running it safe
    exec(marshal.loads(WORKFLOW), vars(module))  # noqa: S102, S302 - written by the studio
    return module


if not TYPE_CHECKING:
    workflow = loaded()


class Wire(workflow.Stage):
    """Asks over the channel."""

    def __init__(self, channel: Channel, question: str) -> None:
        super().__init__()
        self._channel, self.question, self._told = channel, question, 0
        self._from: dict[str, int] = {}
        """By answer, a call whose reply has it."""

    def same(self, answers: Sequence[str]) -> list[list[int]]:
        if not self._from.keys() >= set(answers):
            return workflow.alike(answers)  # verdicts among them: those are words
        self._channel.say(same=[self._from[answer] for answer in answers])
        groups: list[list[int]] = self._channel.hear()["groups"]
        return groups

    def replies(self, waiting: "Mapping[int, workflow.Call]") -> "Mapping[int, workflow.Message]":
        new = [waiting[number] for number in sorted(waiting) if number > self._told]
        self._told += len(new)
        self._channel.say(calls=[told(call) for call in new])
        heard = self._channel.hear()
        number = heard.pop("number")
        if heard["usable"]:
            self._from[heard["answer"]] = number
        return {number: workflow.Message(**heard)}

    def delivered(self, message: "workflow.Message") -> None:
        if not message.usable:
            self._channel.say(unusable=True)
        else:
            self._channel.say(delivered=named(message))


def told(call: "workflow.Call") -> dict[str, object]:
    agent = {
        **{"name": call.agent.name, "prompt": call.agent.prompt, "tools": call.agent.tools},
        **{"temperature": call.agent.temperature, "turns": call.agent.turns},
        **{"line": call.agent.line, "place": call.agent.place},
    }
    return {
        **{"agent": agent, "reads": [named(message) for message in call.reads]},
        **{"kind": call.wanted.kind, "choices": call.wanted.choices},
        **{"lines": call.lines, "place": call.place},
    }


def named(message: "workflow.Message") -> int | dict[str, str]:
    return message.number or {"name": message.name, "text": message.text}


def line_of(error: BaseException) -> int | None:
    """The line of the script where it came up."""
    if isinstance(error, SyntaxError):
        return error.lineno or None
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SCRIPT:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def failed(error: Exception) -> dict[str, object]:
    text = f"{error}"[:ERROR_CHARS]
    if isinstance(error, workflow.BlockError):
        return {"code": "bad_block", "message": text, "line": line_of(error)}
    about = f"{type(error).__name__}: {text}" if text else type(error).__name__
    codes = {MemoryError: "too_much_memory", TooSlow: "script_too_slow"}
    code = codes.get(type(error), "script_crashed")
    return {"code": code, "message": about, "line": line_of(error)}


def play() -> None:
    channel = Channel()
    signal.signal(signal.SIGALRM, too_slow)
    channel.say(ready=True)
    given = channel.hear()
    PRINTED.left = given["printed_chars"]
    vars(sys).update(stdout=PRINTED, stderr=PRINTED)
    try:
        workflow.enter(Wire(channel, given["question"]))
        hints_unread = __future__.annotations.compiler_flag
        code = compile(given["script"], SCRIPT, "exec", hints_unread)
        exec(code, {"__name__": "__main__", "__file__": SCRIPT})  # noqa: S102 - as above
    except workflow.Delivered:
        pass
    except SystemExit:
        channel.say(failed={"code": "nothing_delivered", "message": "", "line": None})
    except Exception as error:  # whatever a script raises is what came of it
        channel.say(failed=failed(error))
    else:
        channel.say(failed={"code": "nothing_delivered", "message": "", "line": None})
    os._exit(0)


play()
