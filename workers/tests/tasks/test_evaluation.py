"""Threads that answer an evaluation's cells share the few connections of the database's pool."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from uuid import uuid4

import pytest
from django.db import connection

from workers.tasks.evaluation import _answer_cells


class Watched(Event):
    """Ends at the first wait, and keeps whether the thread held a connection then."""

    held: bool | None = None

    def wait(self, timeout: float | None = None) -> bool:
        self.held = connection.connection is not None
        self.set()
        return True


@pytest.mark.django_db(transaction=True)
def test_a_thread_without_a_cell_holds_no_connection_while_it_waits() -> None:
    stop = Watched()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_answer_cells, uuid4(), stop).result()
    assert stop.held is False
