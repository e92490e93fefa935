"""Runs a database and a Redis while one command needs them, and the command itself."""

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from studio.launcher.console import Progress
from studio.launcher.errors import LauncherError
from studio.launcher.folder import ROOT, Folder
from studio.launcher.parts import services
from studio.launcher.process import tied
from studio.launcher.signals import Signals
from studio.launcher.supervisor import Supervisor

STOP_SECONDS = 15.0


@dataclass(slots=True)
class Session:
    """Running services and the environment variables that name them."""

    environment: dict[str, str]
    supervisor: Supervisor
    signals: Signals

    def run(self, argv: list[str], *, more: Mapping[str, str] | None = None) -> int:
        """Run a command in this terminal and return its exit code. Signals end it first."""
        process = self.begin(argv, more=more)
        self.wait_for_one([process])
        return process.returncode

    def begin(
        self,
        argv: list[str],
        *,
        more: Mapping[str, str] | None = None,
        output: IO[bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command beside others. Without `output` it writes to this terminal."""
        return subprocess.Popen(
            [*tied(), *argv],
            env={**self.environment, **(more or {})},
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )

    def wait_for_one(self, processes: Iterable[subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        """Wait until one of them ends and return it. Signals end all of them first."""
        waiting = list(processes)
        try:
            while True:
                if ended := next((each for each in waiting if each.poll() is not None), None):
                    return ended
                self.supervisor.step(seconds=1.0)
        except LauncherError:
            for process in waiting:
                self._end(process)
            raise

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        # A terminal's Ctrl-C reaches the command by itself; a second one would cut its tidying up.
        by_terminal = self.signals.ending == signal.SIGINT and sys.stdin.isatty()
        if not by_terminal:
            process.send_signal(self.signals.ending or signal.SIGTERM)
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def session(folder: Folder, *, durable: bool) -> Iterator[Session]:
    """PostgreSQL and Redis on this data folder. They always stop at the end."""
    folder.make()
    with Signals() as signals:
        folder.claim()
        plan = services(folder, durable=durable)
        supervisor: Supervisor | None = None
        try:
            with Progress() as progress:
                supervisor = Supervisor(plan.parts, signals, progress.say)
                job = progress.begin("Starting the database")
                supervisor.run_until(supervisor.ready)
                progress.end(job)
            yield Session(plan.shared, supervisor, signals)
        finally:
            if supervisor is not None:
                supervisor.stop()
            folder.release()


@contextmanager
def private_session() -> Iterator[Session]:
    """Services on an empty temporary data folder, never on the user's."""
    place = Path(tempfile.mkdtemp(prefix="mas-studio-"))
    try:
        with session(Folder(place / "data"), durable=False) as running:
            yield running
    finally:
        shutil.rmtree(place, ignore_errors=True)
