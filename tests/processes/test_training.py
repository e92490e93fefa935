"""A training on real processes: its worker killed in the middle, again and again, and stopped."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from apps.common.queue import TRAINING
from tests.processes.children import ROOT, Child, python, start, until
from tests.processes.database import empty_database, own_database
from tests.processes.studio import Studio
from workers.core.llm.types import ChatRequest
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_protocol import Reply, count_usage
from workers.core.testing.stub_replies import default_reply
from workers.tests.tasks.tensorboard import scalars

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

COLUMNS = ("status", "step", "attempt", "lost", "charged_tokens")
LOST_AFTER_SECONDS = "15"
"""Attempts are counted here: a trainer that a busy machine holds up must not be taken for lost."""
WITH_LEARNER = """
import django; django.setup()
from workers.core.methods.registry import METHODS
from workers.core.testing.learner import Learner
METHODS["learner"] = Learner()
"""
WORKER = f"""{WITH_LEARNER}
from studio.celery import app
app.worker_main(["worker", "-P", "threads", "-c", "1", "-Q", "training", "--without-gossip",
                 "--without-mingle", "-n", "trainer@%h", "-l", "INFO"])
"""
ASK = f"""{WITH_LEARNER}
from apps.accounts.models import User
from apps.tasks.models import Dataset, Task
from apps.training.requests import TrainingRequest
from apps.training.services import training_create, training_pause
dataset, made = Dataset.objects.get_or_create(key="sums", defaults={{"name": "Sums"}})
if made:
    Task.objects.bulk_create(
        Task(dataset=dataset, split="train", index=i, query=f"What is {{i}} + 1?",
             reference=str(i + 1), verifier="numeric", metadata={{"task_graph": {{"subtasks": [
                 {{"id": "p1", "text": f"What is {{i}} + 1?", "reference": str(i + 1)}},
                 {{"id": "final", "text": "What is it?", "depends_on": ["p1"],
                   "reference": str(i + 1)}}]}}}})
        for i in range(4)
    )
request = TrainingRequest(method="%s", dataset="sums", name="%s", seed=5, config=%r)
user = User.objects.get(is_superuser=True)
job = training_create(user=user, request=request).row
print(job.id)
"""
THEN_PAUSE = """
import time
while job.step < 1:
    time.sleep(0.02)
    job.refresh_from_db()
training_pause(user=user, job_id=job.id, as_admin=True)
"""
RESUME = """
import django; django.setup()
from apps.accounts.models import User
from apps.training.services import training_resume
training_resume(user=User.objects.get(is_superuser=True), job_id="%s", as_admin=True)
"""

TINY: dict[str, Any] = {
    "steps": 4,
    "queries_per_step": 2,
    "systems_per_query": 3,
    "max_agents": 3,
    "max_steps": 4,
    "hidden": 16,
    "layers": 1,
    "critic_hidden": 16,
    "checkpoint_every": 2,
}


@dataclass(slots=True)
class Training:
    """A studio with one worker that watches, and one that trains."""

    studio: Studio
    stub: RunningStub

    def ask(self, name: str, steps: int, step_seconds: float) -> str:
        """The id of a training of a method that does next to nothing."""
        config = {"steps": steps, "step_seconds": step_seconds, "checkpoint_every": 10}
        return self.ask_of("learner", name, config)

    def ask_of(self, method: str, name: str, config: dict[str, Any], *, then: str = "") -> str:
        asked = self.python(ASK % (method, name, config) + then)
        assert asked.returncode == 0, asked.stderr
        return asked.stdout.strip()

    def resume(self, job: str) -> None:
        done = self.python(RESUME % job)
        assert done.returncode == 0, done.stderr

    def launcher(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = f"import sys; from studio.launcher.__main__ import main; sys.argv[1:] = {arguments}"
        return self.python(f"{code}; sys.exit(main())")

    def python(self, code: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            python("-c", code),
            cwd=ROOT,
            env={**os.environ, **self.studio.env},
            capture_output=True,
            text=True,
            check=False,
        )

    def trainer(self) -> Child:
        child = start(
            "trainer", python("-c", WORKER), env=self.studio.env, folder=self.studio.folder
        )
        self.studio.children["trainer"] = child
        until(lambda: " ready." in child.said(), seconds=60, what="the trainer is ready")
        return child

    def row(self, job: str) -> dict[str, Any]:
        with psycopg.connect(self.studio.database_url) as connection:
            cursor = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM training_trainingjob WHERE id = %s",  # noqa: S608 our own
                (job,),
            )
            row = cursor.fetchone()
        assert row is not None
        return dict(zip(COLUMNS, row, strict=True))

    def metrics(self, job: str) -> list[tuple[int, Any]]:
        with psycopg.connect(self.studio.database_url) as connection:
            return connection.execute(
                "SELECT step, values FROM training_metric WHERE job_id = %s ORDER BY step", (job,)
            ).fetchall()

    def rewards(self, job: str) -> list[tuple[Any, ...]]:
        """What the agent database has of it."""
        with psycopg.connect(self.studio.database_url) as connection:
            return connection.execute(
                "SELECT step, position, agent_id, reward, cost FROM agents_agentreward "
                "WHERE job_id = %s ORDER BY step, position",
                (job,),
            ).fetchall()

    def reaches(self, job: str, step: int) -> None:
        until(lambda: self.row(job)["step"] >= step, seconds=120, what=f"step {step}")

    def ends(self, job: str, status: str) -> None:
        until(lambda: self.row(job)["status"] == status, seconds=240, what=f"it is {status}")

    def folder(self, job: str) -> Path:
        return self.studio.folder / "data" / "training" / job

    def forget(self) -> None:
        """Leaves the next test no trainer, and no job that its own trainer would take up."""
        if trainer := self.studio.children.pop("trainer", None):
            trainer.kill()
        with psycopg.connect(self.studio.database_url) as connection:
            connection.execute(
                "UPDATE training_trainingjob SET status = 'cancelled', finished_at = now() "
                "WHERE finished_at IS NULL"
            )
        self.studio.redis().delete(TRAINING)


@pytest.fixture(scope="module")
def _watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    # Slow enough to be killed in the middle of a step.
    with running_stub(latency=0.2) as stub, own_database("training") as url:
        studio = Studio(tmp_path_factory.mktemp("training"), url)
        try:
            studio.prepare(stub.url)
            studio.env["RUN_LOST_AFTER_SECONDS"] = LOST_AFTER_SECONDS
            studio.start_worker("worker1")
            studio.start_beat()
            studio.worker_ready("worker1")
            yield Training(studio, stub)
        finally:
            studio.stop()


@pytest.fixture
def training(_watched: Training) -> Iterator[Training]:
    """With nobody who trains yet."""
    yield _watched
    _watched.forget()


@pytest.fixture
def elsewhere(training: Training, tmp_path: Path) -> Iterator[Training]:
    """Another machine, with an empty database and a number of its own in Redis."""
    here = training.studio
    with empty_database("elsewhere") as url:
        env = {
            **here.env,
            "DATABASE_URL": url,
            "REDIS_URL": here.env["REDIS_URL"].replace("/0", "/1"),
            "STUDIO_DATA_DIR": str(tmp_path / "data"),
        }
        there = Studio(tmp_path, url, env=env)
        try:
            yield Training(there, training.stub)
        finally:
            there.stop()


def test_what_one_test_leaves_the_next_does_not_find(training: Training) -> None:
    job = training.ask("Left", steps=60, step_seconds=0.1)
    assert training.studio.redis().llen(TRAINING) == 1
    training.forget()
    assert training.row(job)["status"] == "cancelled"
    assert training.studio.redis().llen(TRAINING) == 0


def test_killed_again_and_again_it_ends_as_if_nothing_had_happened(training: Training) -> None:
    trainer = training.trainer()
    job = training.ask("Killed", steps=30, step_seconds=0.1)
    for step in (4, 17):  # before the first checkpoint, and after it
        training.reaches(job, step)
        trainer.kill()
        trainer = training.trainer()
    training.ends(job, "succeeded")
    row = training.row(job)
    assert (row["attempt"], row["lost"]) == (3, 0)
    straight = training.ask("Straight", steps=30, step_seconds=0)
    training.ends(straight, "succeeded")
    metrics = training.metrics(job)
    assert [step for step, _ in metrics] == list(range(1, 31))
    assert metrics == training.metrics(straight)
    state = [(training.folder(one) / "state.json").read_text() for one in (job, straight)]
    assert state[0] == state[1]
    written = {step: values["value"] for step, values in metrics}
    assert scalars(training.folder(job), "value") == written
    assert (training.studio.folder / "data" / "checkpoints" / "killed-step-000030").is_dir()


def test_mashost_killed_within_a_step_learns_what_it_would_have_learned(training: Training) -> None:
    """With a sample under way ahead of the one that is learned from."""
    config = {**TINY, "lag": 1}
    trainer = training.trainer()
    job = training.ask_of("mashost", "Killed", config)
    training.reaches(job, 2)
    trainer.kill()
    training.trainer()
    training.ends(job, "succeeded")
    assert training.row(job)["attempt"] == 2
    straight = training.ask_of("mashost", "Straight", config)
    training.ends(straight, "succeeded")
    metrics, expected = (training.metrics(one) for one in (job, straight))
    assert [step for step, _ in metrics] == list(range(1, TINY["steps"] + 1))
    assert list(map(_learned, metrics)) == list(map(_learned, expected))
    checkpoints = training.studio.folder / "data" / "checkpoints"
    weights = [
        [file.name for file in (checkpoints / f"{name}-step-000004").glob("weights-*")]
        for name in ("killed", "straight")
    ]
    assert weights[0] == weights[1] != []  # their names are their digests


def test_what_a_killed_trainer_had_asked_counts_for_its_budget(training: Training) -> None:
    """Also the question that was with the server when it died."""
    training.stub.clear()
    trainer = training.trainer()
    job = training.ask_of("learner", "Spends", {"steps": 4_000, "ask": True})
    training.reaches(job, 5)
    until(lambda: training.stub.log()["active"], seconds=60, what="a question is under way")
    trainer.kill()
    trainer = training.trainer()
    training.reaches(job, training.row(job)["step"] + 3)
    trainer.process.send_signal(signal.SIGTERM)
    trainer.process.wait(10)
    served = sum(map(_tokens, training.stub.log()["requests"]))
    most = 2 * (ChatRequest(()).max_tokens + 20)
    assert 0 < served <= training.row(job)["charged_tokens"] <= served + most


def _tokens(request: dict[str, Any]) -> int:
    """What the stub takes for it, whether anybody waits for the answer or not."""
    said = request["messages"]
    text = default_reply(said[-1]["content"])
    return count_usage(said, Reply(text, (), "stop").cut(request["max_tokens"]))["total_tokens"]


def test_reso_killed_within_a_step_learns_and_tells_each_reward_once(training: Training) -> None:
    config = {"steps": 5, "queries_per_step": 2, "k": 2, "checkpoint_every": 5}
    trainer = training.trainer()
    job = training.ask_of("reso", "Killed", config)
    training.reaches(job, 2)
    trainer.kill()
    training.trainer()
    training.ends(job, "succeeded")
    straight = training.ask_of("reso", "Straight", config)
    training.ends(straight, "succeeded")
    metrics, expected = (training.metrics(one) for one in (job, straight))
    assert [step for step, _ in metrics] == list(range(1, 6))
    assert list(map(_learned, metrics)) == list(map(_learned, expected))
    rewards = [training.rewards(one) for one in (job, straight)]
    assert rewards[0] == rewards[1] != []
    assert len(rewards[0]) == metrics[-1][1]["selections"]


def test_paused_backed_up_and_restored_elsewhere_it_learns_what_it_would_have_learned(
    training: Training, elsewhere: Training, tmp_path: Path
) -> None:
    """Into an empty database that DATABASE_URL names, on a machine that has nothing yet."""
    training.trainer()
    config = {**TINY, "steps": 6}
    job = training.ask_of("mashost", "Moved", config, then=THEN_PAUSE)
    training.ends(job, "paused")
    backup = str(tmp_path / "backup")
    made = training.launcher("backup", backup)
    assert (made.returncode, " training" in made.stdout) == (0, True), made.stderr

    with psycopg.connect(elsewhere.studio.database_url, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE training_metric_id_seq")
        failed = elsewhere.launcher("restore", backup)
        assert (failed.returncode, "already exists" in failed.stderr) == (1, True), failed
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(tables).fetchone() == (0,), "nothing half loaded"
        assert not (elsewhere.studio.folder / "data" / "restored").exists()
        connection.execute("DROP SEQUENCE training_metric_id_seq")
    moved = elsewhere.launcher("restore", backup)
    assert moved.returncode == 0, moved.stderr
    assert "studio_before" not in moved.stdout, "no database of the studio's own is kept aside"
    again = elsewhere.launcher("restore", backup)
    assert (again.returncode, "is not empty" in again.stderr) == (1, True), again
    assert elsewhere.metrics(job) == training.metrics(job) != []

    elsewhere.trainer()
    for each in (training, elsewhere):
        each.resume(job)
    for each in (training, elsewhere):
        each.ends(job, "succeeded")
    here, there = (each.metrics(job) for each in (training, elsewhere))
    assert [step for step, _ in there] == list(range(1, config["steps"] + 1))
    assert list(map(_learned, there)) == list(map(_learned, here))
    weights = [
        [
            file.name
            for folder in (each.studio.folder / "data" / "checkpoints").glob("moved-step-*6")
            for file in folder.glob("weights-*")
        ]
        for each in (training, elsewhere)
    ]
    assert weights[0] == weights[1] != []  # their names are their digests


def _learned(row: tuple[int, dict[str, float]]) -> tuple[int, dict[str, float]]:
    """Without what depends on the clock and on which answers were kept."""
    step, values = row
    told = {"seconds", "endpoint_utilisation", "cache_hits", "tokens_total", "cost_total"}
    return step, {name: value for name, value in values.items() if name not in told}


def test_one_that_is_stopped_hands_its_job_over_at_once(training: Training) -> None:
    trainer = training.trainer()
    assert "libtorch" not in Path(f"/proc/{trainer.pid}/maps").read_text()
    job = training.ask("Stopped", steps=40, step_seconds=0.1)
    training.reaches(job, 3)
    trainer.process.send_signal(signal.SIGTERM)
    trainer.process.wait(10)
    assert training.row(job)["status"] == "queued"
    training.trainer()
    training.ends(job, "succeeded")
    assert [step for step, _ in training.metrics(job)] == list(range(1, 41))
    assert training.row(job)["attempt"] == 2
