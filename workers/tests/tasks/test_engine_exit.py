"""What uses the engine in a process of its own, such as `manage.py evaluate --inline`, and ends."""

import subprocess
import sys
import time

import pytest
from django.conf import settings

from workers.tasks.engine import Engine

# Functions registered first are called last: after the engine's own.
USE_AND_END = """
import atexit, threading
import django; django.setup()
from workers.tasks.engine import engine
turning = lambda: any(thread.name == "engine" for thread in threading.enumerate())
atexit.register(lambda: print("at exit:", turning()))
engine()
print("in use:", turning())
"""


def test_the_engine_has_stopped_before_python_takes_itself_apart() -> None:
    """A loop that still turns then may crash the process, whose exit code is no longer its own."""
    command = [sys.executable, "-c", USE_AND_END]
    ended = subprocess.run(
        command, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == ["in use: True", "at exit: False"]


@pytest.mark.parametrize("moment", range(40))
def test_it_stops_at_any_moment_of_its_start(moment: int) -> None:
    """Also while it connects: a cancellation was lost there in one of fourteen starts."""
    engine = Engine()
    engine.start()
    assert engine._thread is not None
    time.sleep(moment / 2_000)
    engine.stop()
    assert not engine._thread.is_alive()
