"""The memory of a sandbox as a whole.

The kernel limits each process (`RLIMIT_AS`), so a program that forks could hold the limit many
times over. A control group would end that, but needs rights that a worker seldom has; so the
processes' memory is added up while they run.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

LOOK_SECONDS = 0.1
_KIB = 1024


async def outgrown(pid: int, limit_bytes: int) -> None:
    """Returns when `pid` and all its descendants together hold more than `limit_bytes`."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if await asyncio.to_thread(memory_of, pid) > limit_bytes:
            return


def memory_of(pid: int) -> int:
    """Bytes of a process and its descendants; a page shared by n of them counts n times 1/n."""
    return sum(_proportional(each) for each in _family(pid))


def _family(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        found.append(parent)
        # a process may end at any moment, and its files with it
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                with contextlib.suppress(OSError):
                    waiting += map(int, (task / "children").read_text().split())
    return found


def _proportional(pid: int) -> int:
    """Proportional set size; the resident size where the kernel does not let us see that."""
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/smaps_rollup"), b"Pss:")
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/status"), b"VmRSS:")
    return 0


def _field(path: Path, name: bytes) -> int:
    """In bytes. The file is not read as text: a program may give itself a name that is none."""
    for line in path.read_bytes().split(b"\n"):
        if line.startswith(name):
            return int(line.split()[1]) * _KIB
    raise ValueError(f"{path} has no {name!r}")
