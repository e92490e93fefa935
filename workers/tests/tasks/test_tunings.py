"""ReSo's tunings as trainings of the studio: a small model's adapter, from the row to the
checkpoint and on to what is rewarded by it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from apps.accounts.models import User
from apps.agents.models import AgentReward
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_create, role_create
from apps.tasks.models import Dataset, Task
from apps.training.models import TrainingJob
from apps.training.requests import TrainingRequest
from apps.training.services import training_create, training_pause, training_resume
from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.weights.tests.tiny import save_tiny
from workers.tasks import training
from workers.tests.tasks.conftest import default_endpoint, in_background, until

pytestmark = pytest.mark.django_db(transaction=True)

Tune = Callable[..., TrainingJob]
SMALL = {"model": "tiny", "batch_size": 2, "learning_rate": 5e-3}
PATIENCE = 60.0
"""Seconds: the first tuning of a process imports torch."""


@pytest.fixture(scope="module")
def model() -> Iterator[RunningStub]:
    with running_stub() as stub:
        yield stub


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    save_tiny(folder / "tiny")
    return folder


@pytest.fixture
def owner(make_user: Callable[..., User]) -> User:
    return make_user("owner", "operator")


@pytest.fixture(autouse=True)
def places(
    models: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    settings.RUN_HEARTBEAT_SECONDS = 0.05
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(models))


@pytest.fixture
def tune(owner: User, model: RunningStub) -> Tune:
    """A queued job of ReSo that no message of the broker belongs to."""
    default_endpoint(model)
    pool = pool_create(values={"key": "p", "name": "P"})
    for key in ("adder", "poet"):
        about = {"family": "code", "description": f"A {key}.", "prompt": f"You are the {key}."}
        role_create(pool=pool, values={"key": key, "name": key.title(), **about})
    pool_publish(pool=pool, by=None)
    dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
    for number in range(6):
        _sum_of_two(dataset, number)

    def make(learns: str, **config: Any) -> TrainingJob:
        asked: dict[str, Any] = {"method": "reso", "dataset": "sums", "pool": "p", "seed": 7}
        request = TrainingRequest(**asked, name=learns, config={"learns": learns, **config})
        return training_create(user=owner, request=request, enqueue=False).row

    return make


def _sum_of_two(dataset: Dataset, number: int) -> None:
    """Every second first subtask has another reference than what it comes to."""
    first = number + 1 + number % 2
    whole = {"reference": str(first + 2)}
    subtasks = [
        {"id": "p1", "text": f"What is {number} + 1?", "reference": str(first)},
        {"id": "final", "text": "What is 2 + the answer of p1?", "depends_on": ["p1"], **whole},
    ]
    Task.objects.create(
        dataset=dataset,
        split="train",
        index=number,
        query=f"What is {number} + 1, and 2 more?",
        verifier="numeric",
        metadata={TASK_GRAPH: {"subtasks": subtasks}},
        **whole,
    )


def done(job: TrainingJob) -> TrainingJob:
    assert training.train(job.id)
    job.refresh_from_db()
    assert job.status == "succeeded", job.failure
    return job


def metrics(job: TrainingJob) -> list[tuple[int, float]]:
    rows = job.metrics.order_by("step").values_list("step", "values")
    return [(step, values["loss"]) for step, values in rows]


def test_a_planner_s_tuning_goes_on_after_a_pause_as_if_there_had_been_none(
    tune: Tune, owner: User
) -> None:
    config = {**SMALL, "epochs": 6, "checkpoint_every": 100}
    job = tune("planner", **config)
    thread = in_background(lambda: training.train(job.id))
    until(job, lambda job: job.step >= 2, PATIENCE)
    training_pause(user=owner, job_id=job.id, as_admin=False)
    thread.join(PATIENCE)
    job.refresh_from_db()
    assert job.status == "paused"
    assert 2 <= job.step < 18
    job = done(training_resume(user=owner, job_id=job.id, as_admin=False, enqueue=False))
    straight = done(tune("planner", **config))
    assert job.attempt == 2
    assert [step for step, _ in metrics(job)] == list(range(1, 19))
    assert metrics(job) == metrics(straight)
    kept = [one.checkpoints.get() for one in (job, straight)]
    assert kept[0].digest == kept[1].digest != ""
    assert (kept[0].recipe["training"]["learns"], kept[0].trained) == ("planner", True)


def test_a_tuned_reward_model_rewards_the_agents_of_the_next_training(tune: Tune) -> None:
    tuned = done(tune("reward_model", **SMALL, epochs=3, threshold=-1, checkpoint_every=100))
    assert tuned.checkpoints.count() == 1
    name = tuned.checkpoints.get().name
    config = {"reward": "model", "reward_checkpoint": name, "steps": 2, "threshold": -1}
    job = done(tune("agents", **config))
    rewards = AgentReward.objects.filter(job=job).values_list("reward", flat=True)
    earned = [reward for reward in rewards if reward is not None]
    assert len(earned) == len(rewards) > 0
    assert all(0 < reward < 1 for reward in earned)
    assert len(set(earned)) > 1  # no rule says so
    assert job.checkpoints.exists()


def test_a_model_that_is_not_there_fails_it_with_the_cause(tune: Tune) -> None:
    job = tune("planner", **{**SMALL, "model": "elsewhere"})
    assert training.train(job.id)
    job.refresh_from_db()
    assert job.status == "failed"
    assert job.failure is not None
    assert "elsewhere" in job.failure["message"]
    assert job.failure["remedy"]
