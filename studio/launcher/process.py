"""One child process: started in a group of its own, logged to a file, stopped as a group."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SHIM = Path(__file__).with_name("shim.py")
KEEP_LOG_BYTES = 5_000_000
LOG_LIMIT_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Command:
    """What to run. `stop_signal` asks it to end. `death_signal` is sent if the supervisor dies."""

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    log: Path
    stop_signal: int = signal.SIGTERM
    death_signal: int = signal.SIGKILL
    stop_seconds: float = 8.0
    account: str = "-"
    pass_fds: tuple[int, ...] = ()
    output: Path | None = None
    folder: Path | None = None


def tied(death_signal: int = signal.SIGKILL, account: str = "-") -> list[str]:
    """What to put before a command, so that it ends with this process; see `shim.py`."""
    shim = [sys.executable, "-I", "-S", str(SHIM)]
    return [*shim, str(os.getpid()), str(int(death_signal)), account]


class Child:
    """A started command. Start it in the main thread: Linux ties children to their thread."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.started = time.monotonic()
        rotate(command.log, KEEP_LOG_BYTES)
        self.log_start = command.log.stat().st_size if command.log.exists() else 0
        log = os.open(command.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        out = os.open(command.output, OUTPUT_FLAGS, 0o600) if command.output else os.dup(log)
        try:
            self.process = subprocess.Popen(
                [*tied(command.death_signal, command.account), *command.argv],
                env=dict(command.environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                process_group=0,
                pass_fds=command.pass_fds,
                cwd=command.folder,
            )
        finally:
            os.close(log)
            os.close(out)

    def poll(self) -> int | None:
        return self.process.poll()

    def ask_to_stop(self) -> None:
        self._signal(self.command.stop_signal)

    def last_words(self) -> list[str]:
        """The last lines that this process logged, without lines of an earlier one."""
        return tail(self.command.log, start=self.log_start)

    def kill(self) -> None:
        """Kill what is left of the group and reap the process."""
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: int) -> None:
        try:
            # A clean stop is asked of the leader alone: it knows the order of its own helpers.
            if number == signal.SIGKILL:
                os.killpg(self.process.pid, number)
            elif self.process.poll() is None:
                os.kill(self.process.pid, number)
        except ProcessLookupError:
            pass


OUTPUT_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def stop_all(children: list[Child]) -> None:
    """Ask all to end, wait for each as long as its command allows, then kill what is left."""
    asked = time.monotonic()
    for child in children:
        child.ask_to_stop()
    for child in children:
        left = asked + child.command.stop_seconds - time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(timeout=max(left, 0.01))
        child.kill()


def rotate(log: Path, limit: int) -> None:
    """Keep one older log. A process may keep appending to the emptied file."""
    try:
        if log.stat().st_size <= limit:
            return
    except FileNotFoundError:
        return
    older = log.with_suffix(".log.1")
    with log.open("rb") as source, older.open("wb") as target:
        source.seek(-limit, os.SEEK_END)
        target.write(source.read())
    os.truncate(log, 0)


def tail(log: Path, *, start: int = 0, size: int = 6000) -> list[str]:
    """The last non-empty lines of a log after byte `start`, oldest first; empty without a log."""
    try:
        with log.open("rb") as file:
            end = log.stat().st_size
            emptied_meanwhile = end < start
            file.seek(max(0 if emptied_meanwhile else start, end - size))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]
