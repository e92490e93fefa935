"""A dataset of sums, and files to import."""

import json
from io import BytesIO
from typing import Any

import pyarrow
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pyarrow import parquet
from rest_framework.test import APIClient

from apps.tasks.models import Dataset
from apps.tasks.services import dataset_create

Rows = list[dict[str, Any]]


def sums(*numbers: int) -> Rows:
    """Rows of the benchmark GSM8K."""
    return [{"question": f"{n} + {n}?", "answer": f"It is {2 * n}.\n#### {2 * n}"} for n in numbers]


def jsonl(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows: Rows) -> bytes:
    lines = [",".join(rows[0])] + [",".join(f'"{cell}"' for cell in row.values()) for row in rows]
    return "\n".join(lines).encode()


def as_parquet(rows: Rows) -> bytes:
    buffer = BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


@pytest.fixture
def dataset(db: None) -> Dataset:
    return dataset_create(values={"key": "sums", "name": "Sums", "benchmark": "gsm8k"})


def send(
    client: APIClient,
    content: bytes | Rows,
    *,
    name: str = "a.jsonl",
    key: str = "sums",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Any:
    """An upload as a browser sends it; `mapping` as JSON text."""
    body = content if isinstance(content, bytes) else jsonl(content)
    fields = {"file": SimpleUploadedFile(name, body), "split": "train", **more}
    if "mapping" in fields:
        fields["mapping"] = json.dumps(fields["mapping"])
    return client.post(
        f"/api/datasets/{key}/import", fields, format="multipart", headers=headers or {}
    )
