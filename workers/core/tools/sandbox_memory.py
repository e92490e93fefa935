"""The memory of a sandbox as a whole.

The kernel limits each process (`RLIMIT_AS`), so a program that forks could hold the limit many
times over. A control group would end that, but needs rights that a worker seldom has; so the
processes' memory is added up while they run, with their page tables, and the files of /tmp are
counted, as the kernel holds memory for each. The filter of system calls denies what cannot be seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path

from workers.core.tools.sandbox_command import FILES, MIB, PROGRAM, TMP_MIB

LOOK_SECONDS = 0.1
_KIB = 1024


async def outgrown(pid: int, limit_mib: int) -> str:
    """Returns, with the reason, when `pid` and all its descendants together hold too much."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if why := await asyncio.to_thread(_too_much, pid, limit_mib):
            return why


def _too_much(pid: int, limit_mib: int) -> str:
    family = _family(pid)
    if sum(map(_held, family)) > limit_mib * MIB:
        return f"all its processes together held more than {limit_mib} MiB"
    if _files(family) > FILES:
        return f"it kept more than {FILES:,} files"
    return ""


def _held(pid: int) -> int:
    """Bytes of one process; a page that n of them share counts n times 1/n."""
    return _proportional(pid) + _tables(pid)


def _files(family: list[int]) -> int:
    """In /tmp of the sandbox, which all its processes see. While it is being set up there is none:
    what is called /tmp then may be the host's."""
    for pid in reversed(family):
        root = Path(f"/proc/{pid}/root")
        with contextlib.suppress(OSError):
            (root / PROGRAM[1:]).lstat()
            tmp = os.statvfs(root / "tmp")
            if tmp.f_blocks * tmp.f_frsize == TMP_MIB * MIB:
                return tmp.f_files - tmp.f_ffree
    return 0


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


def _tables(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return _field(Path(f"/proc/{pid}/status"), b"VmPTE:")
    return 0


def _field(path: Path, name: bytes) -> int:
    """In bytes. The file is not read as text: a program may give itself a name that is none."""
    for line in path.read_bytes().split(b"\n"):
        if line.startswith(name):
            return int(line.split()[1]) * _KIB
    raise ValueError(f"{path} has no {name!r}")
