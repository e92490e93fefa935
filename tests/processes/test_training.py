"""A training on real processes: its worker killed in the middle, again and again, and stopped."""

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from apps.common.queue import TRAINING
from tests.processes.children import Child, Shell, python, ran, start, until
from tests.processes.database import empty_database, own_database
from tests.processes.studio import SUMS, Studio
from workers.core.llm.types import ChatRequest
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_protocol import Reply, count_usage
from workers.core.testing.stub_replies import default_reply
from workers.tests.tasks.tensorboard import scalars

pytestmark = [pytest.mark.processes, pytest.mark.timeout(600)]

COLUMNS = ("status", "step", "attempt", "lost", "charged_tokens")
LOST_AFTER_SECONDS = "15"
"""Attempts are counted here: a trainer that a busy machine holds up must not be taken for lost."""
READY = """
import django; django.setup()
from apps.accounts.models import User
from apps.training.requests import TrainingRequest
from apps.training.services import training_create, training_pause, training_resume
from workers.core.methods.registry import METHODS
from workers.core.testing.learner import Learner
METHODS["learner"] = Learner()
"""
WORKER = """
from studio.celery import app
app.worker_main(["worker", "-P", "threads", "-c", "1", "-Q", "training", "--without-gossip",
                 "--without-mingle", "-n", "trainer@%h", "-l", "INFO"])
"""
OWNER = "User.objects.get(is_superuser=True)"

TINY: dict[str, Any] = {
    "steps": 6,
    "queries_per_step": 2,
    "systems_per_query": 3,
    "max_agents": 3,
    "max_steps": 4,
    "hidden": 16,
    "layers": 1,
    "critic_hidden": 16,
    "checkpoint_every": 2,
    "lag": 1,
}
"""With a sample under way ahead of the one that is learned from."""


@dataclass(slots=True)
class Training:
    """A studio with one worker that watches, and one that trains."""

    studio: Studio
    stub: RunningStub
    shell: Shell

    def ask(self, method: str, name: str, config: dict[str, Any]) -> str:
        """The new training's id."""
        request = {"method": method, "dataset": "sums", "name": name, "seed": 5, "config": config}
        return self.shell(
            f"training_create(user={OWNER}, request=TrainingRequest(**{request!r})).row.id"
        )

    def pause(self, job: str) -> None:
        self.shell(f"training_pause(user={OWNER}, job_id={job!r}, as_admin=True)")

    def launcher(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return ran(python("-m", "studio.launcher", *arguments), self.studio.env, code=code)

    def trainer(self, *, resumes: str = "") -> Child:
        """One that is ready: that of the test before, if it was not ended. `resumes`: a job."""
        child = self.studio.children.get("trainer")
        if child is None or child.process.poll() is not None:
            resume = f"training_resume(user={OWNER}, job_id={resumes!r}, as_admin=True)"
            code = READY + (resume if resumes else "") + WORKER
            child = start(
                "trainer", python("-c", code), env=self.studio.env, folder=self.studio.folder
            )
            self.studio.children["trainer"] = child
            until(lambda: " ready." in child.said(), seconds=60, what="the trainer is ready")
        return child

    def row(self, job: str) -> dict[str, Any]:
        statement = f"SELECT {', '.join(COLUMNS)} FROM training_trainingjob WHERE id = %s"  # noqa: S608 our own
        (row,) = self.rows(statement, job)
        return dict(zip(COLUMNS, row, strict=True))

    def metrics(self, job: str) -> list[tuple[Any, ...]]:
        return self.rows(
            "SELECT step, values FROM training_metric WHERE job_id = %s ORDER BY step", job
        )

    def rewards(self, job: str) -> list[tuple[Any, ...]]:
        """What the agent database has of it."""
        return self.rows(
            "SELECT step, position, agent_id, reward, cost FROM agents_agentreward "
            "WHERE job_id = %s ORDER BY step, position",
            job,
        )

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.studio.database_url) as connection:
            return connection.execute(statement, values).fetchall()

    def reaches(self, job: str, step: int) -> None:
        until(lambda: self.row(job)["step"] >= step, seconds=120, what=f"step {step}")

    def ends(self, job: str, status: str = "succeeded") -> None:
        until(lambda: self.row(job)["status"] == status, seconds=240, what=f"it is {status}")

    def folder(self, job: str) -> Path:
        return self.studio.folder / "data" / "training" / job

    def weights(self, name: str) -> list[str]:
        """The files of a checkpoint; their names are their digests."""
        place = self.studio.folder / "data" / "checkpoints" / name
        return [file.name for file in place.glob("weights-*")]

    def forget(self) -> None:
        """Of a test that failed the next one finds no job, in a trainer or in the queue."""
        left = self.rows(
            "UPDATE training_trainingjob SET status = 'cancelled', finished_at = now() "
            "WHERE finished_at IS NULL AND status <> 'paused' RETURNING id"
        )
        if left:
            self.studio.children["trainer"].kill()
            self.studio.redis().delete(TRAINING)


@pytest.fixture(scope="module")
def _watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Training]:
    # Slow enough to be killed in the middle of a step.
    with running_stub(latency=0.2) as stub, own_database("training") as url:
        studio = Studio(tmp_path_factory.mktemp("training"), url)
        try:
            studio.prepare(stub.url, SUMS)
            studio.env["RUN_LOST_AFTER_SECONDS"] = LOST_AFTER_SECONDS
            studio.start_worker("worker1")
            studio.start_beat()
            with Shell(READY, studio.env) as shell:
                studio.worker_ready("worker1")
                yield Training(studio, stub, shell)
        finally:
            studio.stop()


@pytest.fixture
def training(_watched: Training) -> Iterator[Training]:
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
            yield Training(there, training.stub, training.shell)
        finally:
            there.stop()


def test_killed_again_and_again_and_stopped_it_ends_as_if_nothing_had_happened(
    training: Training,
) -> None:
    """What its trainers asked counts for its budget, also a question that was with the server when
    one died."""
    training.stub.clear()
    trainer = training.trainer()
    assert "libtorch" not in Path(f"/proc/{trainer.pid}/maps").read_text()
    config = {"steps": 40, "step_seconds": 0.1, "checkpoint_every": 10, "ask": True}
    job = training.ask("learner", "Killed", config)
    for step in (4, 17):  # before the first checkpoint, and after it
        training.reaches(job, step)
        until(lambda: training.stub.log()["active"], seconds=60, what="a question is under way")
        trainer.kill()
        trainer = training.trainer()
    training.reaches(job, 24)
    trainer.process.send_signal(signal.SIGTERM)
    trainer.ended(10)
    assert training.row(job)["status"] == "queued", "handed over at once"
    training.trainer()
    training.ends(job)
    row = training.row(job)
    assert (row["attempt"], row["lost"]) == (4, 0)
    served = sum(map(_tokens, training.stub.log()["requests"]))
    most = 3 * (ChatRequest(()).max_tokens + 20)
    assert 0 < served <= row["charged_tokens"] <= served + most

    straight = training.ask("learner", "Straight", {**config, "step_seconds": 0})
    training.ends(straight)
    metrics = training.metrics(job)
    assert [step for step, _ in metrics] == list(range(1, 41))
    assert metrics == training.metrics(straight)
    state = [(training.folder(one) / "state.json").read_text() for one in (job, straight)]
    assert state[0] == state[1]
    written = {step: values["value"] for step, values in metrics}
    assert scalars(training.folder(job), "value") == written
    assert training.weights("killed-step-000040")


def _tokens(request: dict[str, Any]) -> int:
    """What the stub takes for it, whether anybody waits for the answer or not."""
    said = request["messages"]
    text = default_reply(said[-1]["content"])
    return count_usage(said, Reply(text, (), "stop").cut(request["max_tokens"]))["total_tokens"]


def test_mashost_killed_paused_and_restored_elsewhere_learns_what_it_would_have_learned(
    training: Training, elsewhere: Training, tmp_path: Path
) -> None:
    """Into an empty database that DATABASE_URL names, on a machine that has nothing yet."""
    trainer = training.trainer()
    job = training.ask("mashost", "Moved", TINY)
    training.reaches(job, 2)
    trainer.kill()  # within a step
    training.trainer()
    training.reaches(job, 3)
    assert training.row(job)["attempt"] == 2
    training.stub.process.send_signal(signal.SIGSTOP)  # or it ends before, on a busy machine
    training.pause(job)
    training.stub.process.send_signal(signal.SIGCONT)
    training.ends(job, "paused")
    backup = str(tmp_path / "backup")
    assert " training" in training.launcher("backup", backup).stdout

    with psycopg.connect(elsewhere.studio.database_url, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE training_metric_id_seq")
        assert "already exists" in elsewhere.launcher("restore", backup, code=1).stderr
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(tables).fetchone() == (0,), "nothing half loaded"
        assert not (elsewhere.studio.folder / "data" / "restored").exists()
        connection.execute("DROP SEQUENCE training_metric_id_seq")
    moved = elsewhere.launcher("restore", backup)
    assert "studio_before" not in moved.stdout, "no database of the studio's own is kept aside"
    assert "is not empty" in elsewhere.launcher("restore", backup, code=1).stderr
    assert elsewhere.metrics(job) == training.metrics(job) != []

    elsewhere.trainer(resumes=job)
    straight = training.ask("mashost", "Straight", TINY)
    training.ends(straight)
    elsewhere.ends(job)
    metrics = elsewhere.metrics(job)
    assert [step for step, _ in metrics] == list(range(1, TINY["steps"] + 1))
    assert list(map(_learned, metrics)) == list(map(_learned, training.metrics(straight)))
    weights = elsewhere.weights("moved-step-000006")
    assert weights == training.weights("straight-step-000006") != []


def test_reso_killed_within_a_step_learns_and_tells_each_reward_once(training: Training) -> None:
    config = {"steps": 4, "queries_per_step": 2, "k": 2, "checkpoint_every": 4}
    trainer = training.trainer()
    job = training.ask("reso", "Killed", config)
    training.reaches(job, 2)
    trainer.kill()
    training.trainer()
    training.ends(job)
    straight = training.ask("reso", "Straight", config)
    training.ends(straight)
    metrics, expected = (training.metrics(one) for one in (job, straight))
    assert [step for step, _ in metrics] == list(range(1, 5))
    assert list(map(_learned, metrics)) == list(map(_learned, expected))
    rewards = [training.rewards(one) for one in (job, straight)]
    assert rewards[0] == rewards[1] != []
    assert len(rewards[0]) == metrics[-1][1]["selections"]


def _learned(row: tuple[Any, ...]) -> tuple[int, dict[str, float]]:
    """Without what depends on the clock and on which answers were kept."""
    step, values = row
    told = {"seconds", "endpoint_utilisation", "cache_hits", "tokens_total", "cost_total"}
    return step, {name: value for name, value in values.items() if name not in told}
