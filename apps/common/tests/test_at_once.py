"""`at_once` itself: a test of a race is worth nothing when its calls come one after the other."""

import threading
import time

import pytest

from apps.common.tests.at_once import at_once


@pytest.mark.django_db(transaction=True)
def test_no_call_begins_before_all_threads_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    start = threading.Thread.start

    def start_slowly(thread: threading.Thread) -> None:
        if not thread.name.startswith("ThreadPoolExecutor"):
            return start(thread)  # one of the connection pool
        told.append("thread")
        start(thread)
        time.sleep(0.1)

    def call(number: int) -> int:
        told.append("call")
        return number

    monkeypatch.setattr(threading.Thread, "start", start_slowly)
    assert at_once(call, 3) == [0, 1, 2]
    assert told == ["thread"] * 3 + ["call"] * 3
