"""Limits the memory of a whole sandbox.

The kernel limits each process (`RLIMIT_AS`), so a program that forks could use the limit many
times. A control group would prevent that, but needs rights that a worker seldom has. So the
processes' memory is added up while they run, with their page tables, and with what lies in swap or
in huge pages. Mappings and the files of /tmp are counted, because the kernel uses memory for each.
The system call filter denies what can't be seen.
"""

import asyncio
import contextlib
import os
from pathlib import Path

from workers.core.tools.sandbox_command import FILES, FOLDER, MIB, TMP_MIB

LOOK_SECONDS = 0.1
MAPPINGS = 10_000
"""Limit of mappings of all processes. The kernel uses about half a KiB for each, and more after
forks. A program needs some hundred."""
_CHUNK = 65_536
_KIB = 1024


async def outgrown(pid: int, limit_mib: int, *, mappings: int = MAPPINGS) -> str:
    """Returns the reason when `pid` and all its descendants together use too much."""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if why := await asyncio.to_thread(_too_much, pid, limit_mib, mappings):
            return why


def _too_much(pid: int, limit_mib: int, mappings: int) -> str:
    pids = family(pid)
    if _mappings(pids, mappings) > mappings:
        return f"it kept more than {mappings:,} mappings of memory"
    if sum(map(_held, pids)) > limit_mib * MIB:
        return f"all its processes together held more than {limit_mib} MiB"
    if _files(pids) > FILES:
        return f"it kept more than {FILES:,} files"
    return ""


def _held(pid: int) -> int:
    """Bytes of one process. Each of n processes that share a page counts 1/n of it."""
    return _proportional(pid) + _bytes_of(f"/proc/{pid}/status", b"VmPTE:", b"HugetlbPages:")


def _mappings(pids: list[int], most: int) -> int:
    """How many mappings the processes have together. It stops to count above `most`."""
    found = 0
    for pid in pids:
        with contextlib.suppress(OSError), Path(f"/proc/{pid}/maps").open("rb", 0) as maps:
            while found <= most and (chunk := maps.read(_CHUNK)):
                found += chunk.count(b"\n")
    return found


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
    return _bytes_of(f"/proc/{pid}/smaps_rollup", b"Pss:", b"SwapPss:") or _bytes_of(
        f"/proc/{pid}/status", b"VmRSS:", b"VmSwap:"
    )


def _bytes_of(path: str, *names: bytes) -> int:
    """Sum of these fields. 0 if they can't be read, as of a process that has ended. The file is not
    read as text: a program may give itself a name that is not text."""
    with contextlib.suppress(OSError):
        lines = Path(path).read_bytes().split(b"\n")
        return sum(int(line.split()[1]) * _KIB for line in lines if line.startswith(names))
    return 0
