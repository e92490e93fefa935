"""The programs of an installation. None runs on without the `bin/studio` that started it.

Each runs in its own process group, which ends with the command. If `bin/studio` itself is killed,
the group's leader ends the group (`guard.py`). The leader inherits the installation's lock, so the
next start waits for it.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studio.launcher.errors import INTERRUPTED, LauncherError

GUARD = Path(__file__).with_name("guard.py")


@dataclass(frozen=True, slots=True)
class Done:
    """How a program ended, and what it printed on stdout and stderr."""

    code: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(slots=True, eq=False)
class Programs:
    """`locks`: open files that hold the installation's lock. `run` may be called in any thread."""

    locks: tuple[int, ...] = ()
    _running: set[subprocess.Popen[str]] = field(default_factory=set)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _ended: bool = False

    def run(
        self,
        command: Sequence[str],
        *,
        folder: Path | None = None,
        environment: dict[str, str] | None = None,
        heard: Callable[[str], object] = lambda _line: None,
    ) -> Done:
        """Run a program to its end; `heard` gets each line at once."""
        process = self._start(command, folder, environment)
        try:
            lines = []
            assert process.stdout is not None  # noqa: S101 - asked for as a pipe
            for line in process.stdout:
                lines.append(line.rstrip())
                heard(lines[-1])
            return Done(process.wait(), lines)
        finally:
            if process.poll() is None:  # interrupted
                kill_group(process)
            with self._guard:
                self._running.discard(process)

    def end(self) -> None:
        """Kill every program with its helpers. No other starts after this."""
        with self._guard:
            self._ended = True
            for process in self._running:
                kill_group(process)

    def _start(
        self, command: Sequence[str], folder: Path | None, environment: dict[str, str] | None
    ) -> subprocess.Popen[str]:
        guard = (sys.executable, "-I", "-S", str(GUARD), str(os.getpid()))
        with self._guard:
            if self._ended:
                raise LauncherError("Stopped.", code=INTERRUPTED)
            process = subprocess.Popen(
                [*guard, *command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                process_group=0,
                pass_fds=self.locks,
            )
            self._running.add(process)
        return process


def kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
