"""Progress on stderr: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import TextIO

TERMINAL_SECONDS, PLAIN_SECONDS = 0.2, 2.5


class Job:
    """One running job: its name, what it does now, and when it started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.note = ""
        self.started = time.monotonic()

    def __str__(self) -> str:
        elapsed = f"{time.monotonic() - self.started:.0f} s"
        return " · ".join(part for part in (self.name, self.note, elapsed) if part)


class Progress:
    """Shows running jobs until they end. No job is silent for more than three seconds.

    When a job ends, its last line stays. Jobs may run in threads; the display has its own thread.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.jobs: list[Job] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Progress:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.thread.join()
        with self.lock:
            self._clear()

    def begin(self, name: str) -> Job:
        job = Job(name)
        with self.lock:
            self.jobs.append(job)
        return job

    def end(self, job: Job, outcome: str = "") -> None:
        """Remove the job. `outcome`, if any, is printed with the job's seconds."""
        with self.lock:
            if job in self.jobs:
                self.jobs.remove(job)
        if outcome:
            self.say(f"{outcome} ({time.monotonic() - job.started:.1f} s)")

    def say(self, line: str) -> None:
        with self.lock:
            self._clear()
            self.stream.write(f"{line}\n")
            self.stream.flush()

    def _tick(self) -> None:
        while not self.closing.wait(TERMINAL_SECONDS if self.live else PLAIN_SECONDS):
            with self.lock:
                self._show("   ".join(str(job) for job in self.jobs))

    def _show(self, text: str) -> None:
        if not text:
            return
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r\x1b[K{text[:width]}")
        else:
            self.stream.write(f"  … {text}\n")
        self.stream.flush()

    def _clear(self) -> None:
        if self.live:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
