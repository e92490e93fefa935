"""Threads that answer an evaluation's cells share the few connections of the database's pool."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection

from workers.tasks.evaluation import _answer_cell


@pytest.mark.django_db(transaction=True)
def test_a_thread_without_a_cell_holds_no_connection() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(_answer_cell, uuid4()).result()
        assert pool.submit(lambda: connection.connection).result() is None
