"""bubblewrap as a process that is started and ended whole.

A bubblewrap that is killed while it starts can leave its child behind, which then waits forever and
holds the pipes (containers/bubblewrap#633). So it leads a process group, and its child is killed by
its number.
"""

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Sequence
from typing import Any

from workers.core.tools.sandbox_memory import family


async def begin_process(command: Sequence[str], **options: Any) -> Process:
    """`options`: those of `asyncio.create_subprocess_exec`. If it is cancelled, nothing runs."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(*command, start_new_session=True, **options)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # asyncio would kill bubblewrap alone
        await end_process(await starting)
        raise


async def end_process(process: Process) -> None:
    """End bubblewrap, the process namespace and everything that runs inside."""
    if process.returncode is None:
        _kill(process.pid)
    # what is still in a pipe must be read, else its end is never seen and the transport stays
    for pipe in (process.stdout, process.stderr):
        while pipe is not None and await pipe.read(65_536):
            pass
    await process.wait()


def _kill(pid: int) -> None:
    """Kill it and all that descends from it: by number, or by its group what is too young to be
    listed. Not by `Process.kill`, which takes the exit code from asyncio if the process has just
    ended."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGSTOP)  # it starts no more
    for each in reversed(family(pid)):
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
