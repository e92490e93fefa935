"""Signals as something to wait for: the supervisor's one thread sleeps until one arrives."""

from __future__ import annotations

import contextlib
import select
import signal
import socket
from collections.abc import Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RESTARTING = signal.SIGUSR1
"""`bin/studio restore` asks the running studio to put a loaded backup in place."""


class Signals:
    """While open, signals (and `nudge` from any thread) wake `wait`. `ending` says to stop,
    `restarting` to start the parts again. Inside `interrupting` a stop is raised at once."""

    def __init__(self) -> None:
        self.ending: int | None = None
        self.restarting = False
        self._interrupts = False
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._before: dict[int, object] = {}

    def __enter__(self) -> Signals:
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
                self._before[number] = signal.signal(number, self._end)
        self._before[RESTARTING] = signal.signal(RESTARTING, self._restart)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal() gave us
        self._read.close()
        self._write.close()

    def wait(self, seconds: float) -> None:
        """Sleep until a signal, a nudge, or `seconds` have passed."""
        select.select([self._read], [], [], seconds)
        try:
            while self._read.recv(4096):
                pass
        except BlockingIOError:
            pass

    def nudge(self) -> None:
        # Full: it is awake anyway. Closed: it has ended.
        with contextlib.suppress(OSError):
            self._write.send(b"\0")

    @contextlib.contextmanager
    def interrupting(self) -> Iterator[None]:
        """For work that does not call `wait`: a stop raises KeyboardInterrupt."""
        self._interrupts = True
        try:
            yield
        finally:
            self._interrupts = False

    def _restart(self, _number: int, _frame: FrameType | None) -> None:
        self.restarting = True

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self.ending = number
        if self._interrupts:
            self._interrupts = False  # a second one leaves the tidying up alone
            raise KeyboardInterrupt
