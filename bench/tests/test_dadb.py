"""The benchmark of ReSo's agent database, at two small sizes."""

import os
from urllib.parse import urlsplit

import pytest
from django.db import connection

from bench import dadb
from bench.tests.conftest import Ran


@pytest.mark.django_db
def test_its_last_line_tells_the_time_and_what_was_found(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The one that there is beside a test: `bench` makes another.
    there = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    monkeypatch.setenv("DATABASE_URL", there.geturl())
    sizes = ("--agents", "100", "10000", "--searches", "40", "--hnsw", "1000")
    found, said = ran(dadb.main, *sizes)
    assert found["bench"] == "dadb"
    assert found["recall"] >= 0.99
    assert said.count("HNSW") == len(dadb.CASES) - 1
    times = ("p95_ms_100", "p95_ms_10000", "p95_ms_10000_log", "row_by_row_ms_10000")
    assert all(found[name] > 0 for name in times)
