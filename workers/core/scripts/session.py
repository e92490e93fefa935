"""Plays a script: gives the calls that wait, takes what the agents said, and says how it ended.

    async with Session(script, question) as session:
        async for calls in session.calls():
            ...  # ask them side by side, then for each
            session.answer(number, message)
    session.result

A team that is data is played in this process. Any other script runs in the sandbox and reaches its
agents over the channel alone (`channel.py`, `inside.py`). Only its own time counts, not that of its
agents. However it ends, nothing of it is left running.
"""

import asyncio
import contextlib
import json
import marshal
import time
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Self
from weakref import WeakKeyDictionary

from workers.core.events.scripts import ScriptEnding, ScriptProblem
from workers.core.scripts.blocks import Block, Call, Message, Playing, Same, alike
from workers.core.scripts.channel import Failed, Garbage, Turn, read_turn
from workers.core.scripts.meaning import Meaning
from workers.core.tools.base import ToolLimits
from workers.core.tools.sandbox import Warm, sandbox_status, start_sandbox
from workers.core.tools.sandbox_command import bubblewrap_path, handed_over
from workers.core.tools.sandbox_memory import outgrown
from workers.core.tools.sandbox_process import end_process

START_SECONDS = 30.0
"""A sandbox may need these to start on a busy machine. They are not the script's."""
_PROCESSES = 4
"""The script's own and those that bubblewrap needs."""


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    """Of one script. `seconds`: its own time, without that of its agents. `calls`: of agents.
    `line_bytes`: of a line that leaves the sandbox, so of what one call may read of the script's
    own. `message_chars`: what the script sees of a message at most; agents read all of it.
    `printed_chars`: kept of what it prints."""

    seconds: float = 5.0
    calls: int = 64
    line_bytes: int = 786_432
    message_chars: int = 20_000
    memory_mib: int = 256
    printed_chars: int = 1_000


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """`message`: what was delivered; its `answer` is None if the script wrote it. Else `problem`
    says why there is none. `seconds`: the script's own."""

    message: Message | None
    ending: ScriptEnding
    problem: ScriptProblem | None
    calls: int
    seconds: float
    printed: str = ""


PROBLEMS: dict[str, tuple[ScriptEnding, str, str]] = {
    "script_too_slow": (
        *("limit", "The script ran longer than {limits.seconds:g} s of its own time."),
        "Look for a loop without an end.",
    ),
    "too_many_calls": (
        *("limit", "The script asked more than {limits.calls} times."),
        "Use fewer agents or fewer rounds.",
    ),
    "message_too_long": (
        *("limit", "A message of the script was longer than {limits.line_bytes:,} bytes."),
        "Pass on messages as they are, or only a part of their text.",
    ),
    "too_much_memory": (
        *("limit", "The script used more than {limits.memory_mib} MiB."),
        "Build smaller texts and lists.",
    ),
    "script_crashed": ("failed", "The script failed: {said}", "Correct this line."),
    "bad_block": ("failed", "{said}", "Correct this line."),
    "unknown_tool": (
        *("failed", "The script gives an agent the tool {said}, which there is not."),
        "Use a tool of the list.",
    ),
    "nothing_delivered": (
        *("failed", "The script ended without an answer."),
        "End it with deliver(…).",
    ),
    "agents_failed": (
        *("failed", "The script delivered the message of agents that all failed."),
        "See why they failed; then run it again.",
    ),
    "script_died": (
        *("broken", "The script's process ended before the script did."),
        "Use the blocks of the language alone.",
    ),
    "channel_garbage": (
        *("broken", "The script wrote to the studio's channel, which it may not: {said}."),
        "Use the blocks of the language alone.",
    ),
    "sandbox_missing": (
        *("broken", "The script can't run here: {said}"),
        "Install bubblewrap, and allow user namespaces.",
    ),
}
"""By code: the ending, what happened, and what to do."""


class _Ended(Exception):
    """It ends with this problem."""

    def __init__(self, code: str, said: str = "", line: int | None = None) -> None:
        super().__init__(code)
        self.code, self.said, self.line = code, said, line


class Session:
    """One script or team on one question. A text is not checked: it is played in the sandbox as it
    is. Raises ScriptError for the meaning of a script that has problems. `tools`: those that its
    agents may have; None: any. `same`: which answers are equal. `lines`: where the script asks a
    team that is data."""

    def __init__(
        self,
        team: str | Block | Meaning,
        question: str,
        limits: ScriptLimits | None = None,
        *,
        same: Same = alike,
        tools: Collection[str] | None = None,
        lines: tuple[int, ...] = (),
    ) -> None:
        if isinstance(team, Meaning):
            team.required()
            team = team.script if team.team is None else team.team
        if isinstance(team, Block) and not team.is_data:
            raise ValueError("A team with functions in it is played as a script.")
        self.lines = lines
        self.limits = limits or ScriptLimits()
        self._question, self._same, self._tools = question, same, tools
        self._player = _Here(team, self) if isinstance(team, Block) else _Sandboxed(team, self)
        self._new: asyncio.Queue[dict[int, Call] | None] = asyncio.Queue()
        self._replies: asyncio.Queue[tuple[int, Message]] = asyncio.Queue()
        self._waiting: dict[int, Call] = {}
        self._settled = asyncio.Event()
        self._driving: asyncio.Task[None] | None = None
        self.said: dict[int, Message] = {}
        """What the agents said, by call."""
        self._calls, self._seconds, self._printed = 0, 0.0, ""
        self._result: ScriptResult | None = None

    @property
    def result(self) -> ScriptResult:
        """How it ended. Raises ValueError before."""
        if self._result is None:
            raise ValueError("The script has not ended yet.")
        return self._result

    async def __aenter__(self) -> Self:
        self._driving = asyncio.create_task(self._drive())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._driving is not None:
            if self._result is None:
                self._driving.cancel()
            await asyncio.wait([self._driving])
            if not self._driving.cancelled():
                self._driving.result()  # a bug is not hidden

    async def calls(self) -> AsyncIterator[dict[int, Call]]:
        """The calls that came up, by number, each once. Ends when the script has ended; calls that
        are still being asked are then no longer wanted."""
        while (new := await self._new.get()) is not None:
            yield new

    async def settled(self) -> dict[int, Call]:
        """Instead of `calls`, for many scripts side by side: all calls that wait, once every answer
        so far was taken. {}: it has ended."""
        await self._settled.wait()
        return {} if self._result else dict(self._waiting)

    def answer(self, number: int, message: Message) -> None:
        """What the agent of this call said. Raises KeyError if the call does not wait. After the
        script's end it is not taken any more."""
        if self._result is None:
            del self._waiting[number]
            self._settled.clear()
            self._replies.put_nowait((number, replace(message, number=number)))

    async def _drive(self) -> None:
        try:
            message = await self._played()
            self._result = self._ended(message, "delivered", None)
        except _Ended as end:
            ending, text, remedy = PROBLEMS[end.code]
            about = text.format(limits=self.limits, said=end.said)
            problem = ScriptProblem(code=end.code, message=about, remedy=remedy, line=end.line)
            self._result = self._ended(None, ending, problem)
        finally:
            self._new.put_nowait(None)
            self._settled.set()
            await self._player.close()

    async def _played(self) -> Message:
        """What is delivered. Raises _Ended."""
        turn = await self._player.start()
        while not isinstance(turn, Message):
            self._ask(turn)
            number, message = await self._player.heard(self._replies.get())
            self.said[number] = message
            turn = await self._player.answer(number, message)
        if not turn.usable:
            raise _Ended("agents_failed")
        return turn

    def _ask(self, calls: Sequence[Call]) -> None:
        """The calls that came up get their numbers."""
        if not calls and not self._waiting and self._replies.empty():
            raise _Ended("channel_garbage", "it waits, and no agent was asked")
        if self._calls + len(calls) > self.limits.calls:
            raise _Ended("too_many_calls", line=calls[0].lines[0] if calls[0].lines else None)
        for call in calls:
            for tool in call.agent.tools:
                if self._tools is not None and tool not in self._tools:
                    raise _Ended("unknown_tool", repr(tool), call.agent.line)
        if calls:
            numbered = dict(enumerate(calls, self._calls + 1))
            self._calls += len(calls)
            self._waiting |= numbered
            self._new.put_nowait(numbered)
        if self._waiting and self._replies.empty():
            self._settled.set()

    def took(self, seconds: float) -> None:
        self._seconds += seconds

    @property
    def seconds_left(self) -> float:
        return self.limits.seconds - self._seconds

    def prints(self, text: str) -> None:
        self._printed = (self._printed + text)[: self.limits.printed_chars]

    def equal(self, answers: Sequence[str]) -> list[list[int]]:
        return self._same(answers)

    @property
    def question(self) -> str:
        return self._question

    def _ended(
        self, message: Message | None, ending: ScriptEnding, problem: ScriptProblem | None
    ) -> ScriptResult:
        seconds = round(self._seconds, 4)
        return ScriptResult(message, ending, problem, self._calls, seconds, self._printed)


async def played(
    session: Session, respond: Callable[[int, Call], Awaitable[Message]]
) -> ScriptResult:
    """Ask everything that waits side by side until the script ends."""

    async def one(number: int, call: Call) -> None:
        session.answer(number, await respond(number, call))

    asked: list[asyncio.Task[None]] = []
    async with session, asyncio.TaskGroup() as group:
        async for calls in session.calls():
            asked += [group.create_task(one(*each)) for each in calls.items()]
        for task in asked:
            task.cancel()
    return session.result


class _Here:
    """Plays a team that is data."""

    def __init__(self, team: Block, session: Session) -> None:
        self._team, self._session, self._told = team, session, 0
        self._playing: Playing | None = None

    async def start(self) -> Message | list[Call]:
        session = self._session
        self._playing = Playing(
            self._team, lines=session.lines, same=session.equal, question=session.question
        )
        return self._turn(self._playing)

    async def heard(self, reply: Awaitable[tuple[int, Message]]) -> tuple[int, Message]:
        return await reply

    async def answer(self, number: int, message: Message) -> Message | list[Call]:
        assert self._playing is not None  # noqa: S101 - it has started
        began = time.perf_counter()
        self._playing.answer(number, message)
        self._session.took(time.perf_counter() - began)
        return self._turn(self._playing)

    def _turn(self, playing: Playing) -> Message | list[Call]:
        if playing.result is not None:
            return playing.result
        new = [call for number, call in playing.waiting().items() if number > self._told]
        self._told = playing.calls
        return new

    async def close(self) -> None:
        """Nothing runs."""


class _Sandboxed:
    """Plays a script in the sandbox, turn by turn."""

    def __init__(self, script: str, session: Session) -> None:
        self._script, self._session = script, session
        self._starting: asyncio.Task[Process] | None = None
        self._process: Process | None = None
        self._reading: asyncio.Task[bytes] | None = None
        self._growing: asyncio.Task[str] | None = None

    async def start(self) -> Message | list[Call]:
        limits = self._session.limits
        ok, detail = await asyncio.to_thread(sandbox_status)
        if not ok:
            raise _Ended("sandbox_missing", detail)
        warm = _warm_of.get(asyncio.get_running_loop())
        ready = warm is not None and warm[0] == limits
        self._starting = asyncio.create_task(
            warm[1].taken() if warm and ready else _started(limits)
        )
        try:
            async with asyncio.timeout(START_SECONDS):
                # not cancelled, so that `close` knows the process in any case
                self._process = await asyncio.shield(self._starting)
                turn = read_turn(await self._line())
        except (TimeoutError, Garbage, _Ended) as error:
            raise _Ended("script_died") from error
        if not turn.ready:
            raise _Ended("script_died")
        memory = outgrown(self._process.pid, limits.memory_mib)
        self._growing = asyncio.create_task(memory)
        given = {"script": self._script, "question": self._session.question}
        return await self._exchanged({**given, "printed_chars": limits.printed_chars})

    async def heard(self, reply: Awaitable[tuple[int, Message]]) -> tuple[int, Message]:
        """The next reply. Nothing may come from the sandbox meanwhile, and it may not grow."""
        assert self._growing is not None  # noqa: S101 - it has started
        waiting = asyncio.ensure_future(reply)
        self._reading = self._reading or asyncio.create_task(self._next_line())
        try:
            ends = {waiting, self._reading, self._growing}
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if self._growing.done():
                raise _Ended("too_much_memory")
            if self._reading.done():
                self._reading.result()  # it may have ended
                raise _Ended("channel_garbage", "it spoke out of turn")
            return waiting.result()
        finally:
            waiting.cancel()

    async def answer(self, number: int, message: Message) -> Message | list[Call]:
        text, most = message.text, self._session.limits.message_chars
        answer = None if message.answer is None else message.answer[:most]
        told = {"name": message.name, "text": text[:most], "answer": answer}
        return await self._exchanged({**told, "usable": message.usable, "number": number})

    async def close(self) -> None:
        for task in filter(None, (self._reading, self._growing)):
            task.cancel()
            await asyncio.wait([task])
        if self._starting is not None:
            with contextlib.suppress(OSError):
                await end_process(await self._starting)

    async def _exchanged(self, told: dict[str, object]) -> Message | list[Call]:
        """One turn of the script: what it says after it was told this. Raises _Ended."""
        began = time.perf_counter()
        assert self._growing is not None  # noqa: S101 - it has started
        taking = asyncio.create_task(self._turn(told))
        try:
            async with asyncio.timeout(max(0.0, self._session.seconds_left)):
                await asyncio.wait({self._growing, taking}, return_when=asyncio.FIRST_COMPLETED)
            if not taking.done():
                raise _Ended("too_much_memory")
            return self._read(taking.result())
        except TimeoutError:
            raise _Ended("script_too_slow") from None
        finally:
            taking.cancel()
            await asyncio.wait({taking})
            self._session.took(time.perf_counter() - began)

    async def _turn(self, told: dict[str, object]) -> Turn:
        """Answers which of its answers are equal, as often as it asks."""
        ends = time.perf_counter() + self._session.seconds_left
        while True:
            await self._tell({**told, "seconds": max(0.001, ends - time.perf_counter())})
            turn = read_turn_or_end(await self._line())
            self._session.prints(turn.printed)
            if turn.same is None:
                return turn
            try:
                told = {"groups": self._session.equal(turn.answers(self._session.said))}
            except Garbage as error:
                raise _Ended("channel_garbage", str(error)) from error

    def _read(self, turn: Turn) -> Message | list[Call]:
        if turn.failed is not None:
            raise _Ended(*_failed(turn.failed))
        if turn.unusable:
            raise _Ended("agents_failed")
        if turn.ready:
            raise _Ended("channel_garbage", "it started twice")
        try:
            delivered = turn.delivers(self._session.said)
            return delivered or turn.called(self._session.said)
        except Garbage as error:
            raise _Ended("channel_garbage", str(error)) from error

    async def _tell(self, told: dict[str, object]) -> None:
        assert self._process is not None  # noqa: S101 - it has started
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with contextlib.suppress(OSError):  # it has ended: its last line says why
            self._process.stdin.write(json.dumps(told).encode() + b"\n")
            await self._process.stdin.drain()

    async def _line(self) -> bytes:
        """The next line: the one that is being read already, if there is. Raises _Ended."""
        reading, self._reading = self._reading, None
        return await (reading or self._next_line())

    async def _next_line(self) -> bytes:
        assert self._process is not None  # noqa: S101 - it has started
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            line = await self._process.stdout.readline()
        except ValueError as error:
            raise _Ended("message_too_long") from error
        if not line.endswith(b"\n"):
            raise _Ended("script_died")
        return line


def read_turn_or_end(line: bytes) -> Turn:
    try:
        return read_turn(line)
    except Garbage as error:
        raise _Ended("channel_garbage", str(error)) from error


def _failed(failed: Failed) -> tuple[str, str, int | None]:
    """What a script says of its own end names one of the problems that are its own."""
    own = (
        *("bad_block", "script_crashed", "nothing_delivered", "too_much_memory"),
        "script_too_slow",
    )
    code = failed.code if failed.code in own else "channel_garbage"
    return code, failed.message, failed.line


async def _started(limits: ScriptLimits) -> Process:
    """A sandbox that waits for its script."""
    bubblewrap = bubblewrap_path()
    assert bubblewrap is not None  # noqa: S101 - `sandbox_status` has found it
    process = await start_sandbox(bubblewrap, line_bytes=limits.line_bytes)
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    held = ToolLimits(seconds=limits.seconds + 2, memory_mib=limits.memory_mib)
    process.stdin.write(handed_over(_program(), "", held, processes=_PROCESSES))
    return process


@lru_cache(maxsize=1)
def _program() -> str:
    """What the sandbox runs, with the blocks compiled: to compile them takes longer than to run."""
    here = Path(__file__)
    blocks = here.with_name("blocks.py").read_text(encoding="utf-8")
    compiled = marshal.dumps(compile(blocks, "/code/workflow.py", "exec", optimize=2))
    inside = here.with_name("inside.py").read_text(encoding="utf-8")
    return inside.replace('WORKFLOW = b""', f"WORKFLOW = {compiled!r}", 1)


_warm_of: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[ScriptLimits, Warm]] = (
    WeakKeyDictionary()
)


@contextlib.asynccontextmanager
async def warm_scripts(count: int, limits: ScriptLimits | None = None) -> AsyncGenerator[None]:
    """Inside, `count` sandboxes wait for the scripts of this event loop that have these limits. For
    work that plays many. None is started before the first script."""
    loop, wanted = asyncio.get_running_loop(), limits or ScriptLimits()
    if loop in _warm_of:
        yield
        return
    warm = Warm(partial(_started, wanted), count)
    _warm_of[loop] = (wanted, warm)
    try:
        yield
    finally:
        del _warm_of[loop]
        await warm.close()
