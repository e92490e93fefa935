"""Real processes on data folders of their own, and a look at what is left of them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from studio.launcher.folder import ROOT

# Whoever runs these tests may have a studio of their own, and addresses of it, in the environment.
NOT_INHERITED = ("DATABASE_URL", "REDIS_URL", "STUDIO_LLM_URL", "SECRET_KEY", "ALLOWED_HOSTS")


def clean_environment(data: Path) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    return {**inherited, "STUDIO_DATA_DIR": str(data), "PYTHONPATH": str(ROOT)}


@dataclass(slots=True)
class Launched:
    """A launcher process under test and the folder its children can be known by."""

    process: subprocess.Popen[str]
    data: Path

    def family(self) -> list[int]:
        """Processes started for this data folder, the launcher itself left out."""
        numbers = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        others = (number for number in numbers if number not in (self.process.pid, os.getpid()))
        return [number for number in others if self._belongs(number)]

    def _belongs(self, number: int) -> bool:
        """By environment or by folder: databases overwrite the former with their title."""
        mark = f"STUDIO_DATA_DIR={self.data}".encode()
        try:
            inside = Path(f"/proc/{number}/cwd").readlink().is_relative_to(self.data)
            return inside or mark in Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    def kill(self, number: int) -> None:
        os.kill(self.process.pid, number)


def eventually(condition: Callable[[], bool], *, seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def launch(data: Path) -> Iterator[Callable[..., Launched]]:
    """Start `python -m studio.launcher …` (or a program given as `code`) on `data`."""
    started: list[Launched] = []

    def start(*arguments: str, code: str | None = None, **environment: str) -> Launched:
        program = ["-c", code] if code else ["-m", "studio.launcher"]
        process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=ROOT,
            env={**clean_environment(data), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(Launched(process, data))
        return started[-1]

    yield start
    for launched in started:
        if launched.process.poll() is None:
            launched.kill(signal.SIGTERM)
        launched.process.communicate(timeout=60)
        for left in launched.family():
            os.kill(left, signal.SIGKILL)


@pytest.fixture
def run(data: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a launcher command (or a program given as `code`) to its end."""

    def start(
        *arguments: str, timeout: float = 120, code: str | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        program = ["-c", code] if code else ["-m", "studio.launcher"]
        return subprocess.run(
            [sys.executable, *program, *arguments],
            cwd=ROOT,
            env={**clean_environment(data), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return start


OPEN = """
import sys
from studio.launcher import manage
from studio.launcher.__main__ import main
manage.PROGRAM[:] = [sys.executable, "-c", "pass"]
sys.argv = ["studio", "manage"]
sys.exit(main())
"""


@pytest.fixture
def open_data(data: Path) -> Callable[[], subprocess.CompletedProcess[str]]:
    """Start the databases on `data`, run nothing on them, and stop them."""

    def start() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", OPEN],
            cwd=ROOT,
            env=clean_environment(data),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return start


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port that another program (this one) listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]
