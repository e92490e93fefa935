"""What the benchmark of a large step is measured on."""

from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.services import admin_ensure
from bench import branches
from bench.branches import FORMATS, REQUESTS, writing
from bench.common.branch_step import STEP, rows, store


@pytest.mark.django_db
def test_every_request_finds_something(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    address = f"/api/training-jobs/{store(320, 3).id}/branches"
    client = APIClient()
    client.force_authenticate(admin_ensure()[0])
    for name, query in REQUESTS.items():
        told = client.get(f"{address}/{STEP}{query.format(last=30, middle=2)}").json()
        assert told.get("results") or told.get("branches"), name
    for form in FORMATS:
        assert client.get(f"{address}/{STEP}/file?format={form}").getvalue()


def test_writing_is_timed_alone_and_beside_an_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "PRODUCTS", 1)
    written = writing([*rows(80, 3)])
    assert written.alone > 0
    assert written.megabytes > 0
