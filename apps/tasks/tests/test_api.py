"""Datasets over HTTP, as every member of the cast."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.accounts.tests.cast import AsUser
from apps.tasks.builtin import tiny_ship
from apps.tasks.imports import ImportOptions, dataset_import
from apps.tasks.models import Dataset, Task
from apps.tasks.services import dataset_create
from apps.tasks.source import Source
from apps.training.models import TrainingJob
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.benchmarks.tiny import TINY_SPLITS, tiny_path

from .conftest import send, sums

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset")]


def test_the_known_benchmarks(as_user: AsUser) -> None:
    found = {row["key"]: row for row in as_user("viewer").get("/api/benchmarks").json()}
    assert found.keys() == BENCHMARKS.keys()
    gsm8k = found["gsm8k"]
    assert gsm8k["hub_id"] == "openai/gsm8k"
    assert gsm8k["hub_splits"] == {"train": "train", "test": "test"}
    assert (gsm8k["verifier"], gsm8k["answer_form"], gsm8k["licence"]) == ("numeric", "text", "MIT")
    assert [column["name"] for column in gsm8k["columns"]] == ["question", "answer"]
    assert [column["also"][0] for column in gsm8k["columns"]] == ["problem", "solution"]
    assert found["mbpp"]["answer_form"] == "code"
    assert found["custom"]["hub_id"] is None


def test_a_new_data_set_is_empty_and_knows_its_benchmark(as_user: AsUser) -> None:
    body = {"key": "mine", "name": "Mine", "benchmark": "mbpp"}
    made = as_user("curator").post("/api/datasets", body)
    assert made.status_code == 201
    found = made.json()
    assert found["splits"] == {"train": 0, "dev": 0, "test": 0}
    assert (found["licence"], found["digest"]) == ("CC BY 4.0", "")
    assert found["description"] == BENCHMARKS["mbpp"].description


@pytest.mark.parametrize(
    ("body", "field", "status"),
    [
        ({"key": "sums"}, "key", 409),
        ({"key": "No Slug"}, "key", 400),
        ({"key": "x" * 64}, "key", 400),
        ({"name": ""}, "name", 400),
        ({"name": "x" * 121}, "name", 400),
        ({"name": "a\0b"}, "name", 400),
        ({"benchmark": "magic"}, "benchmark", 400),
        ({"verifier": "magic"}, "verifier", 400),
        ({"description": "x" * 10_001}, "description", 400),
    ],
)
def test_bad_data_sets_are_refused_at_the_field(
    as_user: AsUser, body: dict[str, str], field: str, status: int
) -> None:
    refused = as_user("curator").post("/api/datasets", {"key": "new", "name": "New", **body})
    assert refused.status_code == status, refused.content
    error = refused.json()["error"]
    assert error["remedy"]
    assert field in [item["field"] for item in error["fields"]]
    assert Dataset.objects.count() == 1


def test_a_change_keeps_the_key_and_the_digest(as_user: AsUser) -> None:
    client = as_user("curator")
    changes = {"key": "other", "digest": "x", "name": "More", "verifier": "latex", "source": "us"}
    found = client.patch("/api/datasets/sums", changes).json()
    assert (found["key"], found["digest"], found["name"]) == ("sums", "", "More")
    assert (found["verifier"], found["source"]) == ("latex", "us")
    assert client.patch("/api/datasets/sums", {"verifier": ""}).json()["verifier"] == ""
    assert client.patch("/api/datasets/sums", {"benchmark": "no"}).status_code == 400


def test_a_data_set_with_training_jobs_stays(as_user: AsUser, dataset: Dataset) -> None:
    TrainingJob.objects.create(method="mashost", dataset=dataset)
    refused = as_user("curator").delete("/api/datasets/sums")
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "dataset_in_use"
    assert Dataset.objects.filter(key="sums").exists()


def test_lists_ask_the_database_the_same_however_many_there_are(
    as_user: AsUser, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        dataset_create(values={"key": f"d{number}", "name": "D"})
    client = as_user("viewer")
    with django_assert_max_num_queries(6):
        assert len(client.get("/api/datasets").json()["results"]) == 6


class TestTasks:
    @pytest.fixture(autouse=True)
    def _tasks(self, dataset: Dataset) -> None:
        rows = [("train", n) for n in range(60)] + [("test", n) for n in range(100, 103)]
        Task.objects.bulk_create(
            Task(dataset=dataset, split=split, index=n, query=f"{n} + 1?", reference=str(n + 1))
            for split, n in rows
        )

    def found(self, client: Any, query: str = "") -> list[tuple[str, int]]:
        answer = client.get(f"/api/datasets/sums/tasks?{query}")
        assert answer.status_code == 200, answer.content
        return [(task["split"], task["index"]) for task in answer.json()["results"]]

    def test_they_come_in_order(self, as_user: AsUser) -> None:
        client = as_user("viewer")
        first = [("test", n) for n in range(100, 103)] + [("train", n) for n in range(47)]
        assert self.found(client) == first
        page = client.get("/api/datasets/sums/tasks?split=train&page_size=40").json()
        assert page["results"][0] | {"id": 0} == {
            "id": 0,
            "split": "train",
            "index": 0,
            "query": "0 + 1?",
            "reference": "1",
            "verifier": "numeric",
            "domain": "",
        }
        rest = client.get(page["next"]).json()["results"]
        assert [task["index"] for task in rest] == list(range(40, 60))

    def test_long_texts_are_cut_in_the_list_alone(
        self, as_user: AsUser, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        texts = {"query": "q" * 100_000, "reference": "r" * 100_000}
        Task.objects.filter(split="test").update(**texts, metadata={"tests": "t" * 100_000})
        client = as_user("viewer")
        with django_assert_max_num_queries(8):
            answer = client.get("/api/datasets/sums/tasks?split=test")
        assert len(answer.content) < 10_000
        task = answer.json()["results"][0]
        assert (task["query"], task["reference"]) == ("q" * 300, "r" * 300)
        whole = client.get(f"/api/datasets/sums/tasks/{task['id']}").json()
        assert whole == {**task, **texts, "metadata": {"tests": "t" * 100_000}}

    def test_a_task_is_its_data_set_s(self, as_user: AsUser) -> None:
        dataset_create(values={"key": "other", "name": "Other"})
        task = Task.objects.get(split="test", index=102)
        statuses = {
            f"sums/tasks/{task.pk}": 200,
            f"other/tasks/{task.pk}": 404,
            f"nope/tasks/{task.pk}": 404,
            "sums/tasks/0": 404,
            f"sums/tasks/{'9' * 40}": 404,
        }
        for path, status in statuses.items():
            assert as_user("viewer").get(f"/api/datasets/{path}").status_code == status, path
        for who, status in (("anonymous", 401), ("outsider", 403)):
            assert as_user(who).get(f"/api/datasets/sums/tasks/{task.pk}").status_code == status

    def test_filters(self, as_user: AsUser) -> None:
        client = as_user("viewer")
        assert self.found(client, "split=dev") == []
        assert self.found(client, "q=102 %2B") == [("test", 102)]
        assert self.found(client, "split=train&q=59") == [("train", 59)]
        assert self.found(client, "q=%25") == []
        task = Task.objects.get(split="test", index=102)
        assert self.found(client, f"id={task.pk}") == [("test", 102)]
        assert self.found(client, f"id={task.pk}&split=train") == []

    @pytest.mark.parametrize(
        "query", ["split=nope", "q=%00", "q=" + "x" * 501, "cursor=garbage", "page_size=x"]
    )
    def test_bad_queries_are_no_fault_of_ours(self, as_user: AsUser, query: str) -> None:
        answer = as_user("viewer").get(f"/api/datasets/sums/tasks?{query}")
        assert answer.status_code in ((200,) if query == "page_size=x" else (400, 404))

    def test_of_an_unknown_data_set(self, as_user: AsUser) -> None:
        for path in ("nope", "nope/tasks", "x" * 300):
            assert as_user("viewer").get(f"/api/datasets/{path}").status_code == 404


def test_counts_and_digest_follow_the_tasks(as_user: AsUser) -> None:
    client = as_user("curator")
    assert send(client, sums(1, 2)).status_code == 200
    assert send(client, sums(3), split="test").status_code == 200
    found = client.get("/api/datasets/sums").json()
    assert found["splits"] == {"train": 2, "dev": 0, "test": 1}
    assert len(found["digest"]) == 64
    assert found["source"] == "a.jsonl"


def test_the_same_tasks_have_the_same_digest_wherever_they_are() -> None:
    tiny_ship()
    other = dataset_create(values={"key": "again", "name": "Again"})
    for split in reversed(TINY_SPLITS):
        source = Source((tiny_path(split),), name="x")
        dataset_import(dataset=other, source=source, options=ImportOptions(split=split))
    other.refresh_from_db()
    assert other.digest == Dataset.objects.get(key="tiny").digest
