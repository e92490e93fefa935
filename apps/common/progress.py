"""Progress on a terminal: one line that is redrawn. Elsewhere: a new line now and then."""

import time
from typing import TextIO

WIDTH = 30
TERMINAL_SECONDS = 0.2
LOG_SECONDS = 30.0


class Progress:
    """Counts `total` steps. Draws no more often than its kind of output can use."""

    def __init__(self, total: int, out: TextIO, *, unit: str = "answers") -> None:
        self._total = total
        self._out = out
        self._unit = unit
        self._terminal = out.isatty()
        self._drawn_at = 0.0
        self._drawn = ""

    def draw(self, done: int, eta_seconds: float | None, *, last: bool = False) -> None:
        now = time.monotonic()
        pause = TERMINAL_SECONDS if self._terminal else LOG_SECONDS
        if not last and now - self._drawn_at < pause:
            return
        self._drawn_at = now
        line = self._line(done, eta_seconds)
        if line != self._drawn:
            self._drawn = line
            self._out.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
        if last and self._terminal:
            self._out.write("\n")
        self._out.flush()

    def _line(self, done: int, eta_seconds: float | None) -> str:
        share = done / self._total if self._total else 1.0
        filled = round(share * WIDTH)
        left = f", about {duration(eta_seconds)} left" if eta_seconds is not None else ""
        bar = "█" * filled + "·" * (WIDTH - filled)
        return f"{bar} {done:,}/{self._total:,} {self._unit}{left}"


def duration(seconds: float) -> str:
    """`2 h 5 min`, `3 min`, `40 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{rest} s"
