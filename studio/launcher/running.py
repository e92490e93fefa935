"""`status` and `stop`: about a studio that runs already. The standard library is all they need."""

from __future__ import annotations

import os
import signal
import sys
import time

from studio.launcher.errors import FAILED
from studio.launcher.folder import Folder

STOP_SECONDS = 45.0
NOT_RUNNING = 4


def status() -> int:
    """Say what runs; 0 when a studio is up, 4 when none is."""
    folder = Folder()
    running = folder.running()
    if running is None:
        print(f"MAS Studio is not running (data in {folder.path}).")
        return NOT_RUNNING
    how = f"up at {running.address}" if running.ready else "starting or stopping"
    print(f"MAS Studio is {how} (process {running.pid or '?'}, data in {folder.path}).")
    return 0


def stop() -> int:
    """Stop the running studio and wait until it has let go of its data."""
    folder = Folder()
    running = folder.running()
    if running is None:
        print("MAS Studio is not running.")
        return 0
    if running.pid:
        os.kill(running.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while folder.running() is not None:
        if time.monotonic() > deadline:
            print(
                f"Process {running.pid} has not stopped in {STOP_SECONDS:.0f} s.", file=sys.stderr
            )
            return FAILED
        time.sleep(0.1)
    print("MAS Studio is stopped.")
    return 0
