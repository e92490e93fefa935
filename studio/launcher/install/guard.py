"""Runs an installation's program and kills all of it if `bin/studio` dies, even by `kill -9`.

    python -I -S guard.py PARENT COMMAND…

It leads a process group. When its parent is gone, it kills the group: helpers of an installer would
otherwise keep writing into what the next start makes. Linux signals that the parent is gone, and
the guard also checks.
"""

import ctypes
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

PR_SET_PDEATHSIG = 1
LOOK_SECONDS = 1.0


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]

    def look(_number: int, _frame: FrameType | None) -> None:
        if os.getppid() != parent:
            end()

    signal.signal(signal.SIGTERM, lambda *_: end())
    signal.signal(signal.SIGALRM, look)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        end()
    try:
        child = os.posix_spawnp(
            command[0], command, os.environ, setsigdef=[signal.SIGTERM, signal.SIGALRM]
        )
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.setitimer(signal.ITIMER_REAL, 0)  # or it kills the interpreter on its way out
    sys.exit(code if code >= 0 else 128 - code)


def end() -> NoReturn:
    os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
