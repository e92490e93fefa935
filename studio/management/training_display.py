"""Shows a training in the terminal: a bar with the time left, and the last metrics below."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from apps.common.progress import duration
from apps.common.serializers import Row

FIRST = ("reward", "accuracy", "tokens")
SHOWN = 12
LOG_SECONDS = 30.0


class Display:
    """Draws rows of the API. If the output is not a terminal, it writes a line now and then."""

    def __init__(self, out: TextIO) -> None:
        self._console = Console(file=out)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[steps]}"),
            TextColumn("{task.fields[left]}"),
            console=self._console,
        )
        self._bar = self._progress.add_task("", total=None, left="", steps="")
        self._live: Live | None = None
        self._logged: tuple[float, float] = (0.0, -1.0)

    @contextmanager
    def shown(self) -> Iterator[None]:
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, refresh_per_second=4) as self._live:
            yield

    def draw(self, row: Row, *, last: bool = False) -> None:
        if self._live is None:
            self._log(row, last)
            return
        self._progress.update(
            self._bar,
            description=row["status"],
            completed=row["step"] + row["step_share"],
            total=row["total_steps"] or None,
            left=_left(row),
            steps=f"{row['step']:,}/{row['total_steps']:,}{_share(row)}",
        )
        self._live.update(Group(self._progress, _table(row["latest"])))

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def _log(self, row: Row, last: bool) -> None:
        now, step = time.monotonic(), row["step"] + row["step_share"]
        at, logged = self._logged
        if not last and (step == logged or now - at < LOG_SECONDS):
            return
        self._logged = (now, step)
        values = "  ".join(f"{name} {row['latest'][name]:.4g}" for name in _names(row["latest"]))
        steps = f"{row['step']:,}/{row['total_steps']:,}{_share(row)}"
        self.say(f"{row['status']}  step {steps}{_left(row)}  {values}")


def _share(row: Row) -> str:
    return f" + {row['step_share']:.0%} of the next" if row["step_share"] else ""


def _left(row: Row) -> str:
    seconds = row["eta_seconds"]
    return "" if seconds is None else f", about {duration(seconds)} left"


def _names(latest: dict[str, float]) -> list[str]:
    """The most wanted metrics first, then others. The many shares of roles are left out."""
    rest = sorted(name for name in latest if name not in FIRST and "/" not in name)
    return [*(name for name in FIRST if name in latest), *rest][:SHOWN]


def _table(latest: dict[str, float]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name in _names(latest):
        table.add_row(name.replace("_", " "), f"{latest[name]:.5g}")
    return table
