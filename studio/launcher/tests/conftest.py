"""Real processes on data folders of their own, and a look at what is left of them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
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

    def is_gone(self, *, seconds: float = 30.0) -> bool:
        """Once none of them is left."""
        return eventually(lambda: self.family() == [], seconds=seconds)

    def kill(self, number: int) -> None:
        os.kill(self.process.pid, number)


def eventually(condition: Callable[[], bool], *, seconds: float = 30.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def alive(number: int) -> bool:
    """Running or asleep; not gone, and not just waiting for a parent to take note."""
    try:
        return Path(f"/proc/{number}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def command(code: str | None, arguments: tuple[str, ...]) -> list[str]:
    """`python -m studio.launcher …`, or a program given as `code`."""
    return [sys.executable, *(("-c", code) if code else ("-m", "studio.launcher")), *arguments]


def on_services(code: str) -> str:
    """A program: `bin/studio manage`, which runs this code in Django's place."""
    return (
        "import sys\nfrom studio.launcher import manage\n"
        "from studio.launcher.__main__ import main\n"
        f"manage.PROGRAM[:] = [sys.executable, '-c', {code!r}]\n"
        "sys.argv = ['studio', 'manage']\nsys.exit(main())"
    )


def launched(data: Path, *arguments: str, code: str | None = None, **environment: str) -> Launched:
    process = subprocess.Popen(
        command(code, arguments),
        cwd=ROOT,
        env={**clean_environment(data), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return Launched(process, data)


def ran(
    data: Path, *arguments: str, timeout: float = 120, code: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(code, arguments),
        cwd=ROOT,
        env={**clean_environment(data), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def launch(data: Path) -> Iterator[Callable[..., Launched]]:
    """Start a launcher command on `data`."""
    started: list[Launched] = []

    def start(*arguments: str, code: str | None = None, **environment: str) -> Launched:
        started.append(launched(data, *arguments, code=code, **environment))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.kill(signal.SIGTERM)
        each.process.communicate(timeout=60)
        for left in each.family():
            os.kill(left, signal.SIGKILL)


@pytest.fixture
def run(data: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a launcher command to its end."""
    return partial(ran, data)


@pytest.fixture
def open_data(data: Path) -> Callable[[], subprocess.CompletedProcess[str]]:
    """Start the databases on `data`, run nothing on them, and stop them."""
    return partial(ran, data, code=on_services("pass"))


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port that another program (this one) listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]
