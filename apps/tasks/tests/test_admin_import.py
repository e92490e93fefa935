"""Tasks from a file in the admin: looked at, mapped, stored as shown. Texts are hostile."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.tasks.admin import file_pages
from apps.tasks.models import Dataset, Task
from apps.tasks.services import dataset_update

from .conftest import Rows, jsonl, send, sums

pytestmark = pytest.mark.django_db

HOSTILE = "<img src=x onerror=alert(1)>{{ 7|add:7 }}"
FOREIGN: Rows = [
    {"Frage": "1 + 1?", "Antwort": "2", HOSTILE: HOSTILE},
    {"Frage": "2 + 2?", "Antwort": "4"},
    {"Antwort": "nobody asked"},
]


def address(dataset: Dataset) -> str:
    return f"/admin/tasks/dataset/{dataset.pk}/import_tasks/"


def choose(client: APIClient, dataset: Dataset, rows: Rows, **more: Any) -> Any:
    file = SimpleUploadedFile("a.jsonl", jsonl(rows))
    values = {"file": file, "split": "train", "benchmark": "gsm8k", **more}
    return client.post(address(dataset), values, format="multipart", follow=True)


def again(client: APIClient, shown: Any, button: str, **changes: str) -> Any:
    """The page's form as a browser sends it, with what its user chose."""
    values = {}
    for form in (shown.context["carried"], shown.context["form"]):
        for field in form:
            values[field.html_name] = "" if field.value() is None else str(field.value())
    where = shown.request["PATH_INFO"]
    return client.post(where, {**values, **changes, button: ""}, format="multipart", follow=True)


def test_columns_are_mapped_looked_at_and_stored_as_shown(
    as_user: AsUser, dataset: Dataset
) -> None:
    client = as_user("curator")
    shown = choose(client, dataset, FOREIGN)
    said = shown.content.decode()
    assert "None of the 3 rows can be read as a task" in said
    assert "“Frage”, “Antwort”" in said
    assert "nobody asked" in said
    assert HOSTILE not in said
    assert 'name="import"' not in said
    mapped = again(client, shown, "check", column_0="0", column_1="1")
    said = mapped.content.decode()
    assert "3 rows: 2 new or changed" in said
    assert "Row 3: the column “question” is missing or empty" in said
    assert not Task.objects.exists()
    done = again(client, mapped, "import")
    assert "a.jsonl: 2 imported, 0 unchanged, 0 removed, 1 rows skipped" in done.content.decode()
    assert [task.query for task in dataset.tasks.order_by("index")] == ["1 + 1?", "2 + 2?"]
    assert LogEntry.objects.get().change_message.startswith("Imported a.jsonl")


def test_only_what_was_shown_is_stored(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    shown = choose(client, dataset, sums(1, 2))
    for changes in ({"split": "test"}, {"replace": "True"}, {"column_1": "0"}, {"ticket": "x"}):
        answer = again(client, shown, "import", **changes)
        assert "Something has changed since this preview" in answer.content.decode(), changes
    assert not Task.objects.exists()
    send(client, sums(5))
    told = again(client, shown, "import")
    assert "Something has changed" in told.content.decode()
    assert Task.objects.count() == 1
    assert "2 imported" in again(client, told, "import").content.decode()
    assert Task.objects.count() == 3
    stale = choose(client, dataset, sums(9))
    dataset_update(dataset=dataset, values={"verifier": "latex"})
    assert "Something has changed" in again(client, stale, "import").content.decode()


def test_what_is_wrong_with_a_file_is_said(
    as_user: AsUser, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_user("curator")

    def said(**more: Any) -> str:
        text: str = choose(client, dataset, sums(1), **more).content.decode()
        return text

    assert "Row 1 is not JSON" in said(file=SimpleUploadedFile("a.jsonl", b"{"))
    assert "not one of the available choices" in said(split="x")
    shown = choose(client, dataset, sums(1))
    lost = again(client, shown, "check", content="no base64!")
    assert "did not come back" in lost.content.decode()
    monkeypatch.setattr(file_pages, "MAX_BYTES", 10)
    assert "the limit here is 10" in said()
    assert not Task.objects.exists()


def test_a_page_is_of_a_dataset_that_there_is(as_user: AsUser) -> None:
    assert as_user("curator").get("/admin/tasks/dataset/999/import_tasks/").status_code == 404
