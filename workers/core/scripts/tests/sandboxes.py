"""Which sandboxes of this process run."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.core.tools import sandbox_command

MARK = f"scripts of the tests in process {os.getpid()}"
"""Stands in the command line of each process of these tests' sandboxes, also of orphans."""


@contextmanager
def marked() -> Iterator[None]:
    launcher = f"{sandbox_command.launcher()}\n# {MARK}\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox_command, "launcher", lambda: launcher)
        yield


def running() -> int:
    """How many of their processes there are on this machine."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += MARK.encode() in entry.read_bytes()
        except OSError:  # it ended meanwhile
            continue
    return count


async def none_left() -> bool:
    """Whether there is none, or none soon: the kernel takes a moment to end a killed process."""
    for _ in range(100):
        if not running():
            return True
        await asyncio.sleep(0.02)
    return False
