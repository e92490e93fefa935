"""Datasets in the admin: seen, made, changed and deleted as everywhere; tasks only read."""

from typing import Any

import pytest

from apps.accounts.tests.cast import AsUser
from apps.tasks.models import Dataset, Task
from apps.training.models import TrainingJob

from .conftest import send, sums

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset")]
ADD = "/admin/tasks/dataset/add/"


def post(client: Any, address: str, **values: str) -> str:
    answer = client.post(address, values, format="multipart", follow=True)
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text


def test_a_preview_and_the_counts_are_shown(as_user: AsUser, dataset: Dataset) -> None:
    client = as_user("curator")
    send(client, sums(21, 22))
    page = client.get(f"/admin/tasks/dataset/{dataset.pk}/change/").content.decode()
    assert "21 + 21?" in page
    assert "train 2" in page
    assert "train 2" in client.get("/admin/tasks/dataset/").content.decode()
    assert "22 + 22?" in client.get("/admin/tasks/task/").content.decode()


def test_a_data_set_is_made_changed_and_deleted(as_user: AsUser) -> None:
    client = as_user("curator")
    post(client, ADD, key="mine", name="Mine", benchmark="gsm8k")
    dataset = Dataset.objects.get(key="mine")
    assert dataset.licence == "MIT"
    address = f"/admin/tasks/dataset/{dataset.pk}"
    post(client, f"{address}/change/", name="Ours", benchmark="gsm8k", verifier="numeric")
    dataset.refresh_from_db()
    assert (dataset.key, dataset.name, dataset.verifier) == ("mine", "Ours", "numeric")
    post(client, f"{address}/delete/", post="yes")
    assert not Dataset.objects.filter(pk=dataset.pk).exists()


def test_tasks_are_only_read(as_user: AsUser) -> None:
    client = as_user("admin")
    send(client, sums(1))
    task = Task.objects.get()
    assert client.get(f"/admin/tasks/task/{task.pk}/change/").status_code == 200
    assert client.post(f"/admin/tasks/task/{task.pk}/change/", {"query": "x"}).status_code == 403
    assert client.post(f"/admin/tasks/task/{task.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_data_set_in_use_is_not_deleted(as_user: AsUser, dataset: Dataset) -> None:
    TrainingJob.objects.create(method="mashost", dataset=dataset)
    client = as_user("curator")
    page = client.get(f"/admin/tasks/dataset/{dataset.pk}/delete/").content.decode()
    assert "protected" in page
    assert Dataset.objects.exists()
