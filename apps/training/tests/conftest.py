"""A method that learns to count, a dataset of sums, an endpoint, and jobs that nobody executes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from pytest_django import Settings

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.evaluations.tests.conftest import endpoint, sent, sums
from apps.llms.models import Endpoint
from apps.tasks.models import Dataset
from apps.training.lifecycle import training_claim
from apps.training.models import Metric, TrainingJob, TrainingSample
from apps.training.requests import TrainingRequest
from apps.training.services import training_create
from workers.core import checkpoints
from workers.core.checkpoints import CheckpointInfo
from workers.core.methods.registry import METHODS
from workers.core.testing.checkpoints import trained_info
from workers.core.testing.learner import Learner

__all__ = ["endpoint", "sent"]

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
def dataset(db: None) -> Dataset:
    return sums("train", digest="d" * 64)


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
