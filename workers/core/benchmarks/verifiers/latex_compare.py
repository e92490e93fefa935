"""Comparing expressions in child processes, so that no expression can hang or fill a worker.

The libraries stop themselves by signals, which only the main thread of a process gets. So each of
`PROCESSES` threads here owns one child that compares in its main thread, within limits of time and
memory; a child that is silent for too long is killed and the next comparison starts another.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from workers.core.benchmarks.base import VerifierError

PROCESSES = 2
ANSWER_SECONDS = 120.0
"""By the clock, for a child that hangs without computing; the child's own limits, which end what is
too much work, count processor time."""
START_SECONDS = 60.0
_SCRIPT = Path(__file__).with_name("latex_process.py")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`timed_out`: too much work to tell."""

    equal: bool
    timed_out: bool = False


async def expressions_equal(reference: str, answer: str) -> Comparison:
    """Whether two LaTeX expressions mean the same. Raises VerifierError when nothing can be
    compared here; safe in any thread and any event loop."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads, _compare, reference, answer)


_threads = ThreadPoolExecutor(PROCESSES, thread_name_prefix="latex")
_own = threading.local()


def _compare(reference: str, answer: str) -> Comparison:
    child: _Child | None = getattr(_own, "child", None)
    if child is None or not child.alive:
        child = _own.child = _Child()
    return child.ask(reference, answer)


class _Gone(Exception):
    """The child ended or is silent for too long."""


class _Child:
    def __init__(self) -> None:
        """Raises VerifierError when the child does not come up."""
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
                message="Expressions cannot be compared here: their process does not start.",
                remedy="Install math-verify in the workers' environment.",
            ) from error

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, reference: str, answer: str) -> Comparison:
        try:
            self._send(json.dumps([reference, answer]).encode() + b"\n")
            reply = json.loads(self._line(ANSWER_SECONDS))
        except (_Gone, OSError):
            self._kill()
            return Comparison(equal=False, timed_out=True)
        return Comparison(**reply)

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
