"""Compares expressions in child processes, so no expression can block a worker or fill its memory.

The libraries stop themselves by signals, which only the main thread of a process gets. So each
thread here has one child that compares in its main thread, within limits of time and memory. A
child that is silent for too long is killed, and the next comparison starts another.

Hard expressions of one task do not delay the others: tasks take turns, by their references. Each
comparison first gets QUICK_SECONDS in one of PROCESSES quick children. If it is not done then, it
continues in the one slow child with SLOW_SECONDS. What was too much work there is remembered.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workers.core.benchmarks.base import VerifierError

PROCESSES = 2
QUICK_SECONDS = 1.0
SLOW_SECONDS = 4.0
"""Seconds of processor time for each of two parses and one comparison."""
REMEMBERED = 2_000
ANSWER_SECONDS = 120.0
"""Wall-clock seconds, for a child that hangs without computing. The child's own limits count
processor time and stop what is too much work."""
START_SECONDS = 60.0
_SCRIPT = Path(__file__).with_name("latex_process.py")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`timed_out`: too much work to decide. `side`: the expression that alone is too much work, or
    ""."""

    equal: bool
    timed_out: bool = False
    side: str = ""


TOO_MUCH = Comparison(equal=False, timed_out=True)


async def expressions_equal(reference: str, answer: str) -> Comparison:
    """Whether two LaTeX expressions mean the same. Raises VerifierError if comparing is not
    possible here. Safe in any thread and any event loop."""
    if _hard.knows(reference, answer):
        return TOO_MUCH
    found = await asyncio.wrap_future(_quick.submit(reference, answer))
    if not found.timed_out:
        return found
    if not _hard.knows(reference, answer):
        found = await asyncio.wrap_future(_slow.submit(reference, answer))
    return TOO_MUCH if found.timed_out else found


class _Hard:
    """The most recent expressions and pairs that were too much work."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], None] = OrderedDict()
        self._lock = threading.Lock()

    def knows(self, reference: str, answer: str) -> bool:
        with self._lock:
            return any(k in self._known for k in ((reference,), (answer,), (reference, answer)))

    def learn(self, reference: str, answer: str, side: str) -> None:
        alone = {"reference": (reference,), "answer": (answer,)}
        with self._lock:
            self._known[alone.get(side, (reference, answer))] = None
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)


class _Lane:
    """Threads with a child each. References take turns: one with many waiting answers delays the
    others by at most one comparison per child."""

    def __init__(self, name: str, processes: int, seconds: float, *, last: bool) -> None:
        self._seconds = seconds
        self._last = last
        self._threads = ThreadPoolExecutor(processes, thread_name_prefix=name)
        self._waiting: OrderedDict[str, deque[tuple[str, Future[Comparison]]]] = OrderedDict()
        self._lock = threading.Lock()

    def submit(self, reference: str, answer: str) -> Future[Comparison]:
        future: Future[Comparison] = Future()
        with self._lock:
            self._waiting.setdefault(reference, deque()).append((answer, future))
        self._threads.submit(self._work)
        return future

    def _work(self) -> None:
        reference, answer, future = self._next()
        if not future.set_running_or_notify_cancel():
            return
        try:
            known = _hard.knows(reference, answer)
            future.set_result(TOO_MUCH if known else self._compare(reference, answer))
        except BaseException as error:  # the waiting coroutine raises it
            future.set_exception(error)

    def _next(self) -> tuple[str, str, Future[Comparison]]:
        with self._lock:
            reference, waiting = self._waiting.popitem(last=False)
            answer, future = waiting.popleft()
            if waiting:
                self._waiting[reference] = waiting
        return reference, answer, future

    def _compare(self, reference: str, answer: str) -> Comparison:
        child: _Child | None = getattr(_own, "child", None)
        if child is None or not child.alive:
            child = _own.child = _Child()
        found, certain = child.ask(reference, answer, self._seconds)
        if self._last and found.timed_out and certain:
            _hard.learn(reference, answer, found.side)
        return found


_own = threading.local()
_hard = _Hard()
_quick = _Lane("latex", PROCESSES, QUICK_SECONDS, last=False)
_slow = _Lane("latex-slow", 1, SLOW_SECONDS, last=True)


class _Gone(Exception):
    """The child ended or is silent for too long."""


class _Child:
    def __init__(self) -> None:
        """Raises VerifierError if the child does not start."""
        self._rest = b""
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8"},
        )
        try:
            self._line(START_SECONDS)
        except _Gone as error:
            self._kill()
            raise VerifierError(
                code="latex_unavailable",
                message="LaTeX expressions can't be compared: the process for it does not start.",
                remedy="Install math-verify in the workers' environment.",
            ) from error

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, reference: str, answer: str, seconds: float) -> tuple[Comparison, bool]:
        """The comparison, and whether it is certain: a child may also end for another reason."""
        try:
            self._send(json.dumps([reference, answer, seconds]).encode() + b"\n")
            reply = json.loads(self._line(ANSWER_SECONDS))
        except (_Gone, OSError):
            self._kill()
            return TOO_MUCH, self._process.returncode == -signal.SIGXCPU
        return Comparison(**reply), True

    def _send(self, line: bytes) -> None:
        assert self._process.stdin  # noqa: S101  always a pipe here
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _line(self, seconds: float) -> bytes:
        """The next line from the child. Raises _Gone."""
        assert self._process.stdout  # noqa: S101  always a pipe here
        deadline = time.monotonic() + seconds
        waiting = select.poll()  # not select.select, which fails beyond 1,024 open files
        waiting.register(self._process.stdout, select.POLLIN)
        while b"\n" not in self._rest:
            readable = waiting.poll(max(deadline - time.monotonic(), 0) * 1000)
            chunk = os.read(self._process.stdout.fileno(), 65_536) if readable else b""
            if not chunk:
                raise _Gone
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
