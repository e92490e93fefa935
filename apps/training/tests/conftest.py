"""A method that learns to count, a dataset of sums, an endpoint, and jobs that nobody executes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from celery import current_app
from pytest_django import Settings

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.llms.models import Endpoint
from apps.tasks.models import Dataset, Task
from apps.training.lifecycle import training_claim
from apps.training.models import Metric, TrainingJob, TrainingSample
from apps.training.requests import TrainingRequest
from apps.training.services import training_create
from workers.core import checkpoints
from workers.core.checkpoints import CheckpointInfo
from workers.core.methods.registry import METHODS
from workers.core.testing.checkpoints import trained_info
from workers.core.testing.learner import Learner

MakeJob = Callable[..., TrainingJob]
MakeCheckpoint = Callable[..., Checkpoint]


@pytest.fixture(autouse=True)
def learner(monkeypatch: pytest.MonkeyPatch) -> Learner:
    """One more entry of the mapping that everybody looks methods up in."""
    method = Learner()
    monkeypatch.setitem(METHODS, Learner.key, method)
    return method


@pytest.fixture(autouse=True)
def data_dir(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return Endpoint.objects.create(
        key="stub",
        name="Stub",
        base_url="http://127.0.0.1:9/v1",
        model="stub",
        prompt_price=1.0,
        completion_price=2.0,
        is_default=True,
        allow_private_address=True,
    )


@pytest.fixture
def dataset(db: None) -> Dataset:
    dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
    Task.objects.bulk_create(
        Task(
            dataset=dataset,
            split="train",
            index=index,
            query=f"What is {index} + {index + 1}?",
            reference=str(2 * index + 1),
            verifier="numeric",
        )
        for index in range(6)
    )
    return dataset


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(queue, id) of what is handed to the broker; nothing executes it."""
    messages: list[tuple[str, str]] = []

    def take(task: str, args: tuple[str], queue: str, **_: object) -> None:
        messages.append((queue, args[0]))

    monkeypatch.setattr(current_app, "send_task", take)
    return messages


@pytest.fixture
def make_job(
    cast: dict[str, User], endpoint: Endpoint, dataset: Dataset, sent: list[tuple[str, str]]
) -> MakeJob:
    def make(user: str = "operator", **values: Any) -> TrainingJob:
        asked = {"method": "learner", "dataset": "sums", "seed": 3, **values}
        return training_create(user=cast[user], request=TrainingRequest(**asked)).row

    return make


@pytest.fixture
def make_running(make_job: MakeJob) -> MakeJob:
    """Held by a worker that does nothing more."""

    def make(user: str = "operator", **values: Any) -> TrainingJob:
        claimed = training_claim(job_id=make_job(user, **values).id, worker="tests:1:aa")
        assert claimed is not None
        return claimed

    return make


def save_checkpoint(folder: Path, value: float = 1.0, method: str = "learner") -> CheckpointInfo:
    info = trained_info(method, label=f"Value {value:g}")
    return checkpoints.save(folder, {"value": torch.tensor([value])}, info)


@pytest.fixture
def make_checkpoint(db: None, data_dir: Path) -> MakeCheckpoint:
    """One on disk, with its row."""

    def make(name: str = "brought", value: float = 1.0, **values: Any) -> Checkpoint:
        save_checkpoint(data_dir / "checkpoints" / name, value)
        checkpoints_register()
        Checkpoint.objects.filter(name=name).update(**values)
        return Checkpoint.objects.get(name=name)

    return make


@pytest.fixture
def curve(make_running: MakeJob) -> TrainingJob:
    """Three steps, with a sample each."""
    job = make_running()
    for step in (1, 2, 3):
        Metric.objects.create(job=job, step=step, values={"reward": step / 10})
        TrainingSample.objects.create(
            job=job,
            step=step,
            index=0,
            query="q",
            reference="r",
            correct=step > 1,
            reward=0.25,
            tokens=9,
            agents=1,
            payload={
                "answer": "a",
                "graph": {"nodes": [], "edges": []},
                "advantages": [0.5],
                "action_rewards": [1.0],
                "trace": [{"event": "intermediate_answer", "step": 1, "answer": "a", "at": 1.0}],
            },
        )
    return job
