"""A training from claim to end, with a method that speaks the whole protocol of learning."""

import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.management import call_command
from pytest_django import Settings

from apps.accounts.models import User
from apps.checkpoints.models import Checkpoint
from apps.llms.models import CachedAnswer, Endpoint
from apps.tasks.models import Dataset, Task
from apps.training import lifecycle
from apps.training.folders import training_folder
from apps.training.lifecycle import trainings_recover
from apps.training.models import TrainingJob
from apps.training.requests import TrainingRequest
from apps.training.services import training_cancel, training_create, training_pause, training_resume
from workers.core.checkpoints import CheckpointInfo, load
from workers.core.events import Event, TrainingEnded
from workers.core.methods.registry import METHODS
from workers.core.rollouts.base import BrokenOff
from workers.core.rollouts.branches import steps_kept
from workers.core.rollouts.vllm.tests.served import served
from workers.core.specs import TaskSpec, TrainingBudget
from workers.core.testing.learner import BEGUN, Learner
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.training.context import TrainingContext
from workers.core.training.engines import PUBLISHED
from workers.core.training.resumable import has_state
from workers.core.weights.nano import NanoConfig, make_nano
from workers.tasks import training
from workers.tasks.learning import session as session_module
from workers.tasks.learning.folder import locked
from workers.tests.tasks.conftest import default_endpoint, in_background, until
from workers.tests.tasks.tensorboard import scalars

pytestmark = pytest.mark.django_db(transaction=True)

Train = Callable[..., TrainingJob]


@pytest.fixture(scope="module")
def model() -> Iterator[RunningStub]:
    with running_stub() as stub:
        yield stub


@pytest.fixture(autouse=True)
def quick(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.RUN_HEARTBEAT_SECONDS = 0.05
    monkeypatch.setitem(METHODS, Learner.key, Learner())


@pytest.fixture
def language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of this name."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    shape = NanoConfig(layers=1, width=32, heads=2, rows=4)
    make_nano(tmp_path / "models" / "language", shape, seed=0)


@pytest.fixture
def owner(make_user: Callable[..., User]) -> User:
    return make_user("owner", "operator")


@pytest.fixture
def ask(owner: User, model: RunningStub) -> Train:
    """A queued job that no message of the broker belongs to."""
    default_endpoint(model, prompt_price=1.0, completion_price=1.0)
    dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
    for index in range(3):
        Task.objects.create(
            dataset=dataset, split="train", index=index, query=f"{index} + 1?", reference="1"
        )

    def make(config: dict[str, Any] | None = None, **values: Any) -> TrainingJob:
        asked = {"method": "learner", "dataset": "sums", "seed": 7, "name": "My job", **values}
        request = TrainingRequest(**asked, config=config or {})
        return training_create(user=owner, request=request, enqueue=False).row

    return make


def done(job: TrainingJob) -> TrainingJob:
    """After one attempt."""
    assert training.train(job.id)
    job.refresh_from_db()
    return job


def resumed(job: TrainingJob, owner: User, **values: Any) -> TrainingJob:
    """After one more attempt."""
    training_resume(user=owner, job_id=job.id, as_admin=False, enqueue=False, **values)
    return done(job)


def begun(job: TrainingJob, condition: Callable[[TrainingJob], bool]) -> threading.Thread:
    """In another thread, at the moment of the condition."""
    thread = in_background(lambda: training.train(job.id))
    until(job, condition)
    return thread


def joined(job: TrainingJob, thread: threading.Thread) -> TrainingJob:
    thread.join(30)
    assert not thread.is_alive()
    job.refresh_from_db()
    return job


def failed(job: TrainingJob) -> dict[str, str]:
    """The failure of a job that has one."""
    assert job.status == "failed"
    cause: dict[str, str] | None = job.failure
    assert cause is not None
    return cause


def steps(job: TrainingJob) -> list[int]:
    return list(job.metrics.order_by("step").values_list("step", flat=True))


def state(job: TrainingJob, tmp_path: Path) -> str:
    return (tmp_path / "training" / str(job.id) / "state.json").read_text()


class TestToItsEnd:
    def test_everything_that_it_tells_is_stored(self, ask: Train, tmp_path: Path) -> None:
        job = done(ask({"steps": 7, "checkpoint_every": 3}))
        assert (job.status, job.end_reason, job.failure) == ("succeeded", "completed", None)
        assert (job.step, job.total_steps, job.attempt) == (7, 7, 1)
        assert steps(job) == [1, 2, 3, 4, 5, 6, 7]
        assert job.latest == job.metrics.get(step=7).values
        assert job.metrics.get(step=7).at.timestamp() == 1_700_000_007
        assert job.samples.count() == 7
        sample = job.samples.get(step=2)
        assert (sample.agents, sample.correct, sample.tokens) == (1, True, 7)
        assert sample.payload["trace"][0]["answer"] == "a sample"
        names = [f"my-job-step-{step:06d}" for step in (3, 6, 7)]
        assert [c.name for c in job.checkpoints.order_by("step")] == names
        assert scalars(tmp_path / "training" / str(job.id), "value") == {
            metric.step: metric.values["value"] for metric in job.metrics.all()
        }

    def test_a_checkpoint_holds_the_weights_and_how_they_came_to_be(
        self, ask: Train, tmp_path: Path
    ) -> None:
        job = done(ask({"steps": 4}))
        row = job.checkpoints.get()
        info, tensors = load(tmp_path / "checkpoints" / row.name, method="learner")
        assert tensors["value"].item() == job.latest["value"]
        assert (row.digest, row.trained) == (info.sha256, True)
        assert row.metrics == {"reward": 0.0, "held_out_reward": 0.0}
        assert row.recipe == info.recipe
        recipe = {"dataset": "sums", "split": "train", "seed": 7, "preset": "plain"}
        assert recipe.items() <= row.recipe.items()
        assert row.recipe["config"]["steps"] == 4
        files = (tmp_path / "checkpoints" / row.name).iterdir()
        assert row.size_bytes == sum(file.stat().st_size for file in files)
        assert not list((tmp_path / "checkpoints" / ".staging").iterdir())

    def test_it_begins_from_a_checkpoint(self, ask: Train) -> None:
        first = done(ask({"steps": 3}))
        after = done(ask({"steps": 1}, start_from=first.checkpoints.get().name, name="After"))
        untrained = done(ask({"steps": 1}, name="Untrained"))
        assert after.latest["value"] == (first.latest["value"] * 31 + 1 + 7) % 1_000_003
        assert untrained.latest["value"] == 8

    def test_tokens_and_cost_are_those_of_the_endpoint(
        self, ask: Train, model: RunningStub
    ) -> None:
        model.clear()
        job = done(ask({"steps": 6, "ask": True}))
        assert model.log()["total"] == 4 == CachedAnswer.objects.count()
        assert job.tokens is not None
        assert job.tokens > 0
        assert job.cost == pytest.approx(job.tokens * 1e-6)
        model.clear()
        again = done(ask({"steps": 6, "ask": True}))
        assert model.log()["total"] == 0  # all of it kept by the first one, in Postgres
        assert (again.tokens, again.cost) == (0, 0.0)

    def test_what_postgres_refuses_becomes_harmless(self, ask: Train) -> None:
        job = done(ask({"steps": 2, "hostile": True, "not_finite_at": 1}))
        assert job.status == "succeeded"
        assert job.samples.get(step=1).payload["trace"][0]["answer"].startswith("nul \ufffd")
        assert job.checkpoints.get().recipe["said"] == "nul \ufffd"
        assert "loss" not in job.metrics.get(step=1).values
        assert [notice["code"] for notice in job.notices] == ["not_finite"]

    def test_two_jobs_of_one_name_do_not_take_each_other_s_checkpoints(self, ask: Train) -> None:
        first, second = done(ask({"steps": 2})), done(ask({"steps": 2}))
        assert first.checkpoints.get().name == "my-job-step-000002"
        assert second.checkpoints.get().name == f"my-job-{second.id.hex[:8]}-step-000002"

    def test_only_the_best_the_last_and_a_few_more_are_kept(
        self, ask: Train, tmp_path: Path
    ) -> None:
        job = done(ask({"steps": 8, "checkpoint_every": 1, "peak": 2}, keep_checkpoints=3))
        assert sorted(job.checkpoints.values_list("step", flat=True)) == [2, 7, 8]
        names = {f"my-job-step-{step:06d}" for step in (2, 7, 8)} | {".staging"}
        assert {folder.name for folder in (tmp_path / "checkpoints").iterdir()} == names
        removed = [notice["message"] for notice in job.notices]
        assert removed[0] == "Removed these checkpoints to free space: my-job-step-000001."
        assert len(removed) == 5


class TestItGoesOn:
    def test_after_a_pause_as_if_there_had_been_none(
        self, ask: Train, owner: User, tmp_path: Path
    ) -> None:
        job = ask({"steps": 30, "step_seconds": 0.03, "checkpoint_every": 10})
        thread = begun(job, lambda job: job.step >= 3)
        training_pause(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert job.status == "paused"
        assert 3 <= job.step < 30
        assert steps(job) == list(range(1, job.step + 1))
        job = resumed(job, owner)
        assert (job.status, job.attempt) == ("succeeded", 2)
        straight = done(ask({"steps": 30}, name="Straight"))
        assert state(job, tmp_path) == state(straight, tmp_path)
        assert list(job.metrics.values_list("step", "values")) == list(
            straight.metrics.values_list("step", "values")
        )
        assert scalars(tmp_path / "training" / str(job.id), "value") == {
            metric.step: metric.values["value"] for metric in straight.metrics.all()
        }

    def test_a_step_stored_in_its_folder_alone_is_told_again(
        self, ask: Train, tmp_path: Path
    ) -> None:
        """The worker died between the method's own state and Postgres."""
        job = done(ask({"steps": 5, "checkpoint_every": 5}))
        TrainingJob.objects.filter(id=job.id).update(
            status="queued", finished_at=None, end_reason="", step=4
        )
        job.metrics.filter(step=5).delete()
        job.samples.filter(step=5).delete()
        Checkpoint.objects.filter(job=job).delete()
        job = done(job)
        assert (job.status, job.step, steps(job)) == ("succeeded", 5, [1, 2, 3, 4, 5])
        assert job.samples.count() == 5
        assert job.checkpoints.get().name == "my-job-step-000005"

    def test_tasks_stay_as_they_were(self, ask: Train, owner: User) -> None:
        job = done(ask({"steps": 4, "fail_at": 2}))
        Task.objects.all().update(query="Changed?")
        (training_folder(job.id) / "mended").touch()
        assert resumed(job, owner).status == "succeeded"
        assert not job.samples.filter(query="Changed?").exists()

    def test_by_a_newer_version_which_its_checkpoints_name_from_then_on(
        self, ask: Train, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lifecycle, "code_version", lambda: "1+gold")
        job = done(ask({"steps": 4, "checkpoint_every": 2, "fail_at": 3}))
        (training_folder(job.id) / "mended").touch()
        monkeypatch.setattr(lifecycle, "code_version", lambda: "1+gnew")
        job = resumed(job, owner)
        recipes = job.checkpoints.order_by("step").values_list("recipe", flat=True)
        assert [recipe["code_version"] for recipe in recipes] == ["1+gold", "1+gnew"]
        (notice,) = job.notices
        assert notice["code"] == "version_changed"
        assert "after step 2 with version 1+gnew instead of 1+gold" in notice["message"]

    def test_after_its_budget_with_a_larger_one(self, ask: Train, owner: User) -> None:
        config = {"steps": 20, "ask": True, "checkpoint_every": 20}
        job = done(ask(config, budget=TrainingBudget(max_tokens=60)))
        assert (job.status, job.end_reason) == ("succeeded", "budget")
        stopped_at = job.step
        assert 0 < stopped_at < 20
        assert job.checkpoints.get().step == stopped_at  # what it has paid for
        budget = TrainingBudget(max_tokens=1_000_000)
        job = resumed(job, owner, budget=budget)
        assert (job.status, job.end_reason, job.step) == ("succeeded", "completed", 20)
        assert steps(job) == list(range(1, 21))

    @pytest.mark.parametrize("limit", [{"max_tokens": 60}, {"max_cost": 60e-6}])
    def test_with_what_is_left_of_its_budget_where_usage_is_unknown(
        self, ask: Train, owner: User, limit: dict[str, Any]
    ) -> None:
        asked: dict[str, Any] = {"budget": TrainingBudget(**limit)}
        with running_stub(usage=False) as silent:
            Endpoint.objects.update(base_url=silent.url)
            straight = ask({"steps": 20, "ask": True}, **asked)
            broken = ask({"steps": 20, "ask": True, "fail_at": 3}, **asked)
            straight = done(straight)
            CachedAnswer.objects.all().delete()
            assert done(broken).status == "failed"
            (training_folder(broken.id) / "mended").touch()
            broken = resumed(broken, owner)
        assert (straight.end_reason, straight.tokens, straight.cost) == ("budget", None, None)
        assert 3 < straight.step < 20
        assert (broken.end_reason, broken.attempt, broken.step) == ("budget", 2, straight.step)
        assert broken.charged_tokens == straight.charged_tokens >= 60
        assert broken.charged_cost == pytest.approx(straight.charged_tokens * 1e-6)


class TestFailures:
    def test_the_method_s_own_cause_and_remedy(
        self, ask: Train, owner: User, tmp_path: Path
    ) -> None:
        job = done(ask({"steps": 5, "fail_at": 3}))
        cause = {"code": "dead_end", "message": "Step 3 fails.", "remedy": "Mend it."}
        assert (failed(job), job.step) == (cause, 2)
        (tmp_path / "training" / str(job.id) / "mended").touch()
        job = resumed(job, owner)
        assert (job.status, job.failure, steps(job)) == ("succeeded", None, [1, 2, 3, 4, 5])

    def test_a_bug_is_no_silence(self, ask: Train) -> None:
        job = done(ask({"steps": 5, "crash_at": 2}))
        failure = failed(job)
        assert (failure["code"], job.step) == ("internal_error", 1)
        assert "ZeroDivisionError" in failure["message"]
        assert "a bug of the learner" not in failure["message"]  # it may hold a query or a path

    def test_an_endpoint_that_dies_in_the_middle(
        self, ask: Train, owner: User, model: RunningStub
    ) -> None:
        with running_stub() as mortal:
            Endpoint.objects.update(base_url=mortal.url)
            job = ask({"steps": 30, "ask": True, "step_seconds": 0.05})
            thread = begun(job, lambda job: job.step >= 3)
        joined(job, thread)
        failure = failed(job)
        assert failure["code"] == "connection_refused"
        assert mortal.url in failure["message"]
        assert 3 <= job.step < 30
        assert steps(job) == list(range(1, job.step + 1))
        Endpoint.objects.update(base_url=model.url)
        job = resumed(job, owner)  # the endpoint as it is set up now
        assert (job.status, steps(job)) == ("succeeded", list(range(1, 31)))

    def test_a_disk_that_refuses_a_checkpoint_loses_nothing(
        self, ask: Train, owner: User, tmp_path: Path
    ) -> None:
        (tmp_path / "checkpoints").write_text("in the way")
        job = done(ask({"steps": 6, "checkpoint_every": 3}))
        assert (failed(job)["code"], job.step) == ("checkpoint_not_written", 3)
        assert job.checkpoints.count() == 0
        (tmp_path / "checkpoints").unlink()
        job = resumed(job, owner)
        assert job.status == "succeeded"
        assert sorted(job.checkpoints.values_list("step", flat=True)) == [3, 6]
        assert steps(job) == [1, 2, 3, 4, 5, 6]

    def test_a_checkpoint_to_start_from_that_went_away(self, ask: Train, tmp_path: Path) -> None:
        first = done(ask({"steps": 2}))
        name = first.checkpoints.get().name
        job = ask({"steps": 2}, start_from=name)
        (tmp_path / "checkpoints" / name / "checkpoint.json").unlink()
        assert failed(done(job))["code"] == "checkpoint_missing"

    def test_a_data_set_emptied_before_the_start(self, ask: Train) -> None:
        job = ask({"steps": 2})
        Task.objects.all().delete()
        assert failed(done(job))["code"] == "dataset_empty"

    def test_a_data_set_changed_before_the_start_is_told(self, ask: Train) -> None:
        job = ask({"steps": 2})
        Dataset.objects.update(digest="e" * 64)
        job = done(job)
        assert (job.status, job.dataset_digest) == ("succeeded", "e" * 64)
        assert [notice["code"] for notice in job.notices] == ["dataset_changed"]


class TestWhoHasIt:
    def test_a_second_message_does_nothing(self, ask: Train) -> None:
        job = done(ask({"steps": 2}))
        assert not training.train(job.id)
        training.training_execute(str(job.id))
        job.refresh_from_db()
        assert job.attempt == 1

    def test_a_zombie_stores_nothing_and_stops(self, ask: Train) -> None:
        job = ask({"steps": 1_000, "step_seconds": 0.02})
        thread = begun(job, lambda job: job.step >= 2)
        TrainingJob.objects.filter(id=job.id).update(attempt=5, worker="another")
        joined(job, thread)
        stored = steps(job)
        assert (job.status, job.attempt, job.worker) == ("running", 5, "another")
        assert stored == list(range(1, job.step + 1))

    def test_the_folder_is_one_process_s_at_a_time(
        self, ask: Train, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = ask({"steps": 2})
        monkeypatch.setattr("workers.tasks.learning.folder.LOCK_SECONDS", 0.1)
        with locked(training_folder(job.id)):
            assert failed(done(job))["code"] == "training_folder_in_use"

    def test_a_worker_told_to_stop_gives_it_back(self, ask: Train, sent: list[str]) -> None:
        job = ask({"steps": 1_000, "step_seconds": 0.05})
        thread = begun(job, lambda job: job.step >= 2)
        training.give_trainings_back()
        joined(job, thread)
        assert (job.status, job.worker, job.lost, sent) == ("queued", "", 0, [str(job.id)])
        assert steps(job) == list(range(1, job.step + 1))

    def test_once_it_has_ended_nobody_can_take_it_away(
        self, ask: Train, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def end(**told: Any) -> None:
            lifecycle.training_end(**told)
            training.give_trainings_back()

        monkeypatch.setattr(session_module, "training_end", end)
        job = done(ask({"steps": 2}))
        assert (job.status, job.notices) == ("succeeded", [])
        assert "taken away" not in caplog.text

    def test_a_long_step_is_no_sign_of_death(self, ask: Train) -> None:
        job = ask({"steps": 1, "step_seconds": 2.0, "stall": True})
        beats = set()

        def beaten_thrice(job: TrainingJob) -> bool:
            if job.heartbeat_at is not None and job.step == 0:
                beats.add(job.heartbeat_at)
            return len(beats) >= 3

        thread = begun(job, beaten_thrice)
        assert trainings_recover().requeued == 0
        joined(job, thread)
        assert (job.status, job.attempt) == ("succeeded", 1)


class TestCancel:
    def test_after_the_step(self, ask: Train, owner: User) -> None:
        job = ask({"steps": 1_000, "step_seconds": 0.05})
        thread = begun(job, lambda job: job.step >= 2)
        training_cancel(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert job.status == "cancelled"
        assert job.finished_at is not None

    def test_a_step_that_takes_too_long_is_cut_off(
        self, ask: Train, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(session_module, "GRACE_SECONDS", 0.1)
        job = ask({"steps": 2, "step_seconds": 60})
        thread = begun(job, lambda job: job.status == "running")
        training_cancel(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert (job.status, job.step) == ("cancelled", 0)

    @pytest.mark.usefixtures("language")
    @pytest.mark.parametrize(
        "silent", ["/v1/models", "/v1/load_lora_adapter", "/inference/v1/generate"]
    )
    def test_no_server_that_hangs_holds_it_up(
        self, ask: Train, owner: User, settings: Settings, silent: str
    ) -> None:
        with served("language") as server:
            settings.VLLM_URLS = (server.url,)
            server.faults.silent = {silent}
            job = of_language(ask)
            stopped_soon(job, lambda: training_cancel(user=owner, job_id=job.id, as_admin=False))
        assert (job.status, job.step, job.failure) == ("cancelled", 1, None)


class TestPause:
    def test_a_step_that_an_endpoint_was_paid_for_comes_to_its_end(
        self, ask: Train, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(session_module, "GRACE_SECONDS", 0.05)
        job = ask({"steps": 5, "step_seconds": 1.0})
        second = training_folder(job.id) / BEGUN.format(2)
        thread = begun(job, lambda _: second.exists())
        training_pause(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert (job.status, job.step) == ("paused", 2)

    @pytest.mark.parametrize("holds_the_loop", [False, True])
    def test_a_step_of_an_own_model_is_broken_off(
        self,
        ask: Train,
        owner: User,
        monkeypatch: pytest.MonkeyPatch,
        holds_the_loop: bool,
    ) -> None:
        monkeypatch.setattr(session_module, "GRACE_SECONDS", 0.1)
        monkeypatch.setitem(METHODS, Learner.key, Waiting() if holds_the_loop else OwnModels())
        job = ask({"steps": 2, "step_seconds": 60})
        thread = begun(job, lambda job: job.status == "running")
        TrainingJob.objects.filter(id=job.id).update(step_share=0.5)
        training_pause(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert (job.status, job.step, job.step_share) == ("paused", 0, 0.0)
        assert (job.failure, job.notices) == (None, [])

    def test_a_cancellation_meanwhile_wins(
        self, ask: Train, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(session_module, "GRACE_SECONDS", 0.5)
        monkeypatch.setitem(METHODS, Learner.key, OwnModels())
        job = ask({"steps": 2, "step_seconds": 60})
        thread = begun(job, lambda job: job.status == "running")
        training_pause(user=owner, job_id=job.id, as_admin=False)
        training_cancel(user=owner, job_id=job.id, as_admin=False)
        joined(job, thread)
        assert job.status == "cancelled"

    @pytest.mark.usefixtures("language")
    def test_no_server_that_hangs_holds_it_up_and_nothing_is_lost(
        self, ask: Train, owner: User, settings: Settings
    ) -> None:
        with served("language") as server:
            settings.VLLM_URLS = (server.url,)
            straight = done(of_language(ask))
            for silent in ("/v1/load_lora_adapter", "/inference/v1/generate"):
                server.faults.silent = {silent}
                job = of_language(ask)
                stopped_soon(
                    job, partial(training_pause, user=owner, job_id=job.id, as_admin=False)
                )
                assert (job.status, job.step, job.failure) == ("paused", 1, None), silent
                server.faults.silent = set()
                job = resumed(job, owner)
                assert (job.status, job.attempt, steps(job)) == ("succeeded", 2, [1, 2, 3, 4])
                assert learned(job) == learned(straight), silent
                assert steps_kept(training_folder(job.id)) == [2, 3, 4]


class OwnModels(Learner):
    """Its trainings ask no endpoint."""

    def asks_own_models(self, checkpoint: CheckpointInfo) -> bool:
        return True


class Waiting(OwnModels):
    """Its engine never answers, and holds up the event loop."""

    async def train(
        self, tasks: Sequence[TaskSpec], context: TrainingContext
    ) -> AsyncGenerator[Event]:
        if context.stop.broken_off.wait(60):
            raise BrokenOff
        yield TrainingEnded(step=0, reason="completed")


def of_language(ask: Train) -> TrainingJob:
    """A training that samples by vLLM: a supervised step, then three others."""
    drawn = ("plan_path", "ways", "--split", "train:6", "--set", "size=3")
    if not Dataset.objects.filter(key="ways").exists():
        call_command("make_episodes", *drawn)
    config = {"model": "language", "rank": 8, "engine": "vllm", "optimiser": "adamw"}
    config |= {"proposes": "answer", "wording": "letters", "cold_steps": 1, "steps": 3}
    config |= {"episodes_per_step": 2, "branches": 2, "held_out": 0, "cold_episodes": 2}
    config |= {"turns": 2, "max_tokens": 10}
    return ask(config, method="at_grpo", dataset="ways", preset="studio")


def stopped_soon(job: TrainingJob, stop: Callable[[], object]) -> None:
    """While its server hangs. The worker has given up the folder, and nothing stays of the step."""
    thread = begun(job, lambda job: job.step == 1)
    time.sleep(1.0)  # it waits for the server
    stop()
    began = time.monotonic()
    joined(job, thread)
    assert time.monotonic() - began < session_module.GRACE_SECONDS + 4
    folder = training_folder(job.id)
    assert not list(folder.rglob("*.new"))
    assert not (folder / PUBLISHED).exists()
    assert not steps_kept(folder)
    with locked(folder):
        assert has_state(folder)


def learned(job: TrainingJob) -> tuple[list[dict[str, float]], list[str]]:
    """What its steps told, but for their seconds, and the weights of its checkpoints."""
    told = [
        {name: value for name, value in values.items() if not name.startswith("seconds")}
        for values in job.metrics.order_by("step").values_list("values", flat=True)
    ]
    return told, list(job.checkpoints.order_by("step").values_list("digest", flat=True))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    ids: list[str] = []

    def take(task: str, args: tuple[str], queue: str, **_: object) -> None:
        assert queue == "training"
        ids.append(args[0])

    monkeypatch.setattr(current_app, "send_task", take)
    return ids
