"""Real child processes that never outlive the tests."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)
_held: list[socket.socket] = []
T = TypeVar("T")


def _die_with_the_tests() -> None:
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(slots=True)
class Child:
    """A process and the file that it writes to."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    before: int

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        """As `kill -9` or the kernel short of memory does it."""
        self.process.kill()
        self.process.wait(10)

    def ended(self, seconds: float) -> int:
        """Its exit code. If it does not end, all its threads' stacks are in the error."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)
            self.process.wait(10)
            message = f"{self.name} did not end within {seconds:g} s:\n{self.said()}"
            raise AssertionError(message) from None

    def said(self) -> str:
        """What this process has written, without that of its predecessors."""
        return self.log.read_bytes()[self.before :].decode(errors="replace")


def start(name: str, command: list[str], *, env: dict[str, str], folder: Path) -> Child:
    log = folder / f"{name}.log"
    before = log.stat().st_size if log.exists() else 0
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONFAULTHANDLER": "1", **env},
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_die_with_the_tests,  # noqa: PLW1509  a C call, before any thread of ours
        )
    return Child(name, process, log, before)


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def ran(
    command: list[str], env: dict[str, str], *, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """One that has run to its end, and ended with this code."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


class Shell:
    """A Python process that evaluates one expression after another: most of the time of a process
    that evaluates one goes into importing Django. `ready`: code that runs once before."""

    def __init__(self, ready: str, env: dict[str, str]) -> None:
        loop = "import sys\nfor line in sys.stdin: print(eval(line), flush=True)"
        self.process = subprocess.Popen(
            python("-c", ready + loop),
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            self.process.kill()

    def __call__(self, expression: str) -> str:
        """What it prints, which is one line."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{expression}\n")
        self.process.stdin.flush()
        printed: str = self.process.stdout.readline()
        assert printed, f"this raised: {expression}"
        return printed.strip()


def held_port() -> int:
    """A TCP port of the tests' own until they end. A server that allows address reuse, as uvicorn
    and Redis do, may listen on it, be killed and come back; no other process, and no connection
    to somewhere else, gets it meanwhile."""
    hold = socket.socket()
    hold.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    hold.bind(("127.0.0.1", 0))
    _held.append(hold)
    port: int = hold.getsockname()[1]
    return port


def until(condition: Callable[[], T], *, seconds: float, what: str) -> T:
    """The first true value; AssertionError that says what did not happen. It is asked for less and
    less often: what is waited for needs the cores that asking takes."""
    deadline = time.monotonic() + seconds
    pause = 0.03
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(pause)
        pause = min(1.2 * pause, 0.25)
    raise AssertionError(f"within {seconds:g} s this did not happen: {what}")
