"""The columns of a file that is not imported yet."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.accounts.tests.cast import AsUser
from apps.tasks.models import Task

from .conftest import Rows, as_csv, as_parquet, jsonl

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset")]


def ask(client: Any, content: bytes, name: str = "a.jsonl") -> Any:
    body = {"file": SimpleUploadedFile(name, content), "split": "train"}
    return client.post("/api/datasets/sums/import/columns", body, format="multipart")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
def test_they_come_with_their_first_values(as_user: AsUser, name: str) -> None:
    rows: Rows = [{"q": str(n), "a": "" if n < 2 else "x" * 200} for n in range(30)]
    write = {"a.jsonl": jsonl, "a.csv": as_csv, "a.parquet": as_parquet}[name]
    found = ask(as_user("curator"), write(rows), name).json()
    assert found == [
        {"name": "q", "examples": ["0", "1", "2"]},
        {"name": "a", "examples": ["x" * 120 + "…"] * 3},
    ]
    assert not Task.objects.exists()


def test_of_hostile_files(as_user: AsUser) -> None:
    client = as_user("curator")
    odd = {"\ud800": "x", "a\0b": "x", "n": {"deep": [1, None]}, "t": "a\ud800\0b"}
    found = ask(client, json.dumps(odd).encode()).json()
    assert found == [
        {"name": "n", "examples": ['{"deep": [1, null]}']},
        {"name": "t", "examples": ["a  b"]},
    ]
    many = jsonl([{f"{n}-{m}": 1 for m in range(200)} for n in range(20)])
    assert len(ask(client, many).json()) == 1_000
    for content, said in ((b"", "empty"), (b"{", "Row 1"), (b"{}\n", "no rows")):
        refused = ask(client, content)
        assert refused.status_code == 400
        assert said in json.dumps(refused.json())
