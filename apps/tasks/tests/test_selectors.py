"""Which tasks an evaluation or a training job gets."""

from __future__ import annotations

import pytest

from apps.tasks.models import Dataset, Task
from apps.tasks.selectors import dataset_tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks(dataset: Dataset) -> Dataset:
    for split in ("train", "test"):
        Task.objects.bulk_create(
            Task(dataset=dataset, split=split, index=n, query=f"{n}?") for n in range(200)
        )
    return dataset


def places(dataset: Dataset, limit: int | None = None, seed: int | None = None) -> list[int]:
    found = dataset_tasks(dataset, "train", limit, seed)
    assert {task.split for task in found} <= {"train"}
    return [task.index for task in found]


def test_without_a_seed_they_come_in_the_order_of_the_file(tasks: Dataset) -> None:
    assert places(tasks) == list(range(200))
    assert places(tasks, 3) == [0, 1, 2]


def test_a_seed_gives_the_same_sample_every_time(tasks: Dataset) -> None:
    sample = places(tasks, 50, seed=1)
    assert sample == places(tasks, 50, seed=1)
    assert sample != places(tasks, 50, seed=2)
    assert sorted(places(tasks, seed=1)) == list(range(200))
    assert places(tasks, seed=1)[:50] == sample
    assert 60 < sum(sample) / 50 < 140


def test_the_sample_does_not_depend_on_the_rows_ids(tasks: Dataset) -> None:
    before = places(tasks, 20, seed=3)
    tasks.tasks.filter(split="train").delete()
    Task.objects.bulk_create(
        Task(dataset=tasks, split="train", index=n, query=f"{n}?") for n in reversed(range(200))
    )
    assert places(tasks, 20, seed=3) == before


def test_more_than_there_are_and_none(tasks: Dataset) -> None:
    assert len(places(tasks, 1_000, seed=1)) == 200
    assert dataset_tasks(tasks, "dev") == []
