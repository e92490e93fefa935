"""What the commands that make a dataset read and show."""

import sys
import time

from django.core.management.base import CommandError

from apps.common.progress import Progress
from apps.tasks.progress import Phase


class PhaseBars:
    """Shows each phase as a separate bar."""

    def __init__(self) -> None:
        self._phase: Phase | None = None
        self._began = 0.0

    def __call__(self, phase: Phase, done: int, total: int) -> None:
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._began = phase, now
            self._bar = Progress(total, sys.stderr, unit=f"tasks, {phase}")
        left = (now - self._began) / done * (total - done) if done else None
        self._bar.draw(done, left, last=done == total)


def split_counts(given: list[str]) -> dict[str, int]:
    """Of `SPLIT:COUNT` each. Raises CommandError."""
    found: dict[str, int] = {}
    for each in given:
        split, _, count = each.partition(":")
        if not count.isdecimal() or split in found:
            raise CommandError(f"--split takes SPLIT:COUNT, with each split once, not {each!r}.")
        found[split] = int(count)
    return found
