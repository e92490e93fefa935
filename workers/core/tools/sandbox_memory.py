"""Limits the memory of a whole sandbox.

The kernel limits each process (`RLIMIT_AS`), so a program that forks could use the limit many
times. A control group would prevent that, but needs rights that a worker seldom has. So the
processes' memory is added up while they run, with their page tables. The files of /tmp are counted,
because the kernel uses memory for each. The system call filter denies what can't be seen.
"""

import asyncio
import contextlib
import os
from pathlib import Path

from workers.core.tools.sandbox_command import FILES, FOLDER, MIB, TMP_MIB

LOOK_SECONDS = 0.1
_KIB = 1024


async def outgrown(pid: int, limit_mib: int) -> str:
    """Returns the reason when `pid` and all its descendants together use too much."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if why := await asyncio.to_thread(_too_much, pid, limit_mib):
            return why


def _too_much(pid: int, limit_mib: int) -> str:
    pids = family(pid)
    if sum(map(_held, pids)) > limit_mib * MIB:
        return f"all its processes together held more than {limit_mib} MiB"
    if _files(pids) > FILES:
        return f"it kept more than {FILES:,} files"
    return ""


def _held(pid: int) -> int:
    """Bytes of one process. Each of n processes that share a page counts 1/n of it."""
    return _proportional(pid) + _tables(pid)


def _files(pids: list[int]) -> int:
    """Files in /tmp of the sandbox, which all its processes see. During set-up there is none: /tmp
    may then be the host's."""
    for pid in reversed(pids):
        root = Path(f"/proc/{pid}/root")
        with contextlib.suppress(OSError):
            (root / FOLDER[1:]).lstat()
            tmp = os.statvfs(root / "tmp")
            if tmp.f_blocks * tmp.f_frsize == TMP_MIB * MIB:
                return tmp.f_files - tmp.f_ffree
    return 0


def family(pid: int) -> list[int]:
    """`pid` and all its descendants, parents before children."""
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
    """Proportional set size, or the resident size if the kernel does not show that."""
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/smaps_rollup"), b"Pss:")
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/status"), b"VmRSS:")
    return 0


def _tables(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/status"), b"VmPTE:")
    return 0


def _field(path: Path, name: bytes) -> int:
    """A value in bytes. The file is not read as text: a program may give itself a name that is not
    text."""
    for line in path.read_bytes().split(b"\n"):
        if line.startswith(name):
            return int(line.split()[1]) * _KIB
    raise ValueError(f"{path} has no {name!r}")
