"""Several threads that ask the database for the same thing at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")
TOGETHER_SECONDS = 30.0


def at_once(call: Callable[[int], Result], times: int) -> list[Result]:
    """What each of the calls returned, in the order of their numbers; raises what one raised.

    None begins before all are connected: otherwise the first may be over when the last starts. Each
    thread gives its connection back: a test's database is not dropped while one is open.
    """
    together = threading.Barrier(times, timeout=TOGETHER_SECONDS)

    def own(number: int) -> Result:
        try:
            connection.ensure_connection()
            together.wait()
            return call(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(own, range(times)))
