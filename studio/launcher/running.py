"""`status` and `stop`, for a running studio. They need only the standard library."""

import os
import signal
import sys
import time

from studio.launcher.errors import FAILED
from studio.launcher.folder import Folder

STOP_SECONDS = 45.0
NOT_RUNNING = 4


def status() -> int:
    """Say what runs. Return 0 if a studio is up and 4 if none is."""
    folder = Folder()
    running = folder.running()
    if running is None:
        print(f"MAS Studio is not running (data in {folder.path}).")
        return NOT_RUNNING
    how = f"up at {running.address}" if running.ready else "starting or stopping"
    print(f"MAS Studio is {how} (process {running.pid or '?'}, data in {folder.path}).")
    return 0


def stop() -> int:
    """Stop the running studio and wait until it has released its data."""
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
                f"Process {running.pid} did not stop within {STOP_SECONDS:.0f} s. To end it: "
                f"kill -9 {running.pid}",
                file=sys.stderr,
            )
            return FAILED
        time.sleep(0.1)
    print("MAS Studio is stopped.")
    return 0
