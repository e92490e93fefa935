"""What may be asked of a training, and what is refused."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from apps.accounts.tests.cast import AsUser
from apps.llms.models import Endpoint
from apps.tasks.models import Task
from apps.training.models import TrainingJob
from apps.training.tests.conftest import MakeJob
from apps.training.tests.support import BODY, FIELDS, METHOD_DEFAULTS, address

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("dataset", "endpoint")
class TestCreate:
    def test_it_comes_back_whole(
        self, as_user: AsUser, sent: list[Any], django_capture_on_commit_callbacks: Any
    ) -> None:
        body = {**BODY, "preset": "short", "config": {"ask": True}, "budget": {"max_tokens": 500}}
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_user("operator").post("/api/training-jobs", body)
        assert answer.status_code == 201
        job = answer.json()
        assert set(job) == FIELDS
        assert (job["status"], job["step"], job["total_steps"]) == ("queued", 0, 3)
        assert (job["name"], job["split"], job["endpoint"]) == ("Learner on Sums", "train", "stub")
        assert (job["dataset"], job["dataset_digest"]) == ("sums", "d" * 64)
        assert job["config"] == {**METHOD_DEFAULTS, "steps": 3, "ask": True}
        assert job["budget"] == {"max_tokens": 500, "max_cost": None}
        assert job["per_system"]["max_tokens"] == 60_000
        assert job["code_version"] == ""  # of whoever takes it up
        assert 0 <= job["seed"] < 2**31
        assert (job["created_by"], job["pool"], job["failure"]) == ("operator", None, None)
        assert sent == [("training", job["id"])]
        assert as_user("viewer").get(f"/api/training-jobs/{job['id']}").json() == job
        assert as_user("viewer").get("/api/training-jobs").json()["results"] == [job]

    def test_the_first_preset_is_the_default(self, make_job: MakeJob) -> None:
        assert make_job().preset == "plain"

    def test_what_is_wrong_is_named(self, as_user: AsUser) -> None:
        Endpoint.objects.create(
            key="off", name="Off", base_url="http://x/v1", model="m", enabled=False
        )
        client = as_user("operator")
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"method": "nope"}, "method"),
            ({"method": "direct"}, "method"),
            ({"dataset": "nope"}, "dataset"),
            ({"dataset": "\x00"}, "dataset"),
            ({"split": "dev"}, "split"),
            ({"split": "nope"}, "split"),
            ({"limit": 0}, "limit"),
            ({"name": "\u202e"}, "name"),
            ({"name": "x" * 121}, "name"),
            ({"preset": "nope"}, "preset"),
            ({"config": {"steps": 0}}, "config.steps"),
            ({"config": {"nope": 1}}, "config.nope"),
            ({"config": {"nope": "\x00"}}, "config.nope"),
            ({"config": 3}, "config"),
            ({"endpoint": "nope"}, "endpoint"),
            ({"endpoint": "off"}, "endpoint"),
            ({"pool": "nope"}, "pool"),
            ({"seed": -1}, "seed"),
            ({"start_from": "nope"}, "start_from"),
            ({"start_from": "../x"}, "start_from"),
            ({"budget": {"max_tokens": 0}}, "budget.max_tokens"),
            ({"budget": {"max_cost": -1}}, "budget.max_cost"),
            ({"per_system": {"max_tokens": 0}}, "per_system.max_tokens"),
            ({"keep_checkpoints": 0}, "keep_checkpoints"),
        ]
        for change, field in wrong:
            answer = client.post("/api/training-jobs", {**BODY, **change})
            assert answer.status_code == 400, change
            error = answer.json()["error"]
            assert field in [item["field"] for item in error["fields"]], change
            assert error["remedy"]
        assert TrainingJob.objects.count() == 0

    def test_every_wrong_field_is_named_at_once(self, as_user: AsUser) -> None:
        unknown = dict.fromkeys(("dataset", "endpoint", "start_from"), "nope")
        body = {**BODY, **unknown, "config": {"steps": 0, "step_seconds": -1, "nope": 1}}
        fields = as_user("operator").post("/api/training-jobs", body).json()["error"]["fields"]
        assert {item["field"] for item in fields} == {
            *unknown,
            *("config.steps", "config.step_seconds", "config.nope"),
        }

    def test_a_cost_that_nobody_knows_cannot_be_limited(self, as_user: AsUser) -> None:
        body = {**BODY, "budget": {"max_cost": 1.0}}
        assert as_user("operator").post("/api/training-jobs", body).status_code == 201
        Endpoint.objects.update(prompt_price=None)
        error = as_user("operator").post("/api/training-jobs", body).json()["error"]
        assert error["fields"][0]["field"] == "budget.max_cost"
        assert error["code"] == "price_unknown"

    def test_a_training_that_changes_a_model_asks_no_endpoint(self, as_user: AsUser) -> None:
        Endpoint.objects.update(enabled=False)
        client, body = as_user("operator"), {**BODY, "method": "at_grpo"}
        for field, change in (
            ("endpoint", {"endpoint": "stub"}),
            ("budget.max_tokens", {"budget": {"max_tokens": 500}}),
            ("budget.max_cost", {"budget": {"max_cost": 1.0}}),
        ):
            error = client.post("/api/training-jobs", {**body, **change}).json()["error"]
            assert [item["field"] for item in error["fields"]] == [field]
            assert error["code"] == "no_endpoint_asked"
        told = client.post("/api/training-jobs", body).json()
        assert (told["endpoint"], told["model"], told["tokens"]) == (None, "nano", 0)
        job = TrainingJob.objects.get()
        assert job.endpoint_spec is None
        TrainingJob.objects.update(status=TrainingJob.Status.PAUSED)
        resume, limit = f"/api/training-jobs/{job.id}/resume", {"budget": {"max_tokens": 500}}
        assert client.post(resume, limit).json()["error"]["code"] == "no_endpoint_asked"
        assert client.post(resume).status_code == 200
        assert client.post(address(job, "/pause")).json()["status"] == "paused"
        assert client.post(address(job, "/resume")).json()["status"] == "queued"

    def test_a_method_that_does_not_learn_says_which_do(self, as_user: AsUser) -> None:
        answer = as_user("operator").post("/api/training-jobs", {**BODY, "method": "direct"})
        error = answer.json()["error"]
        assert error["code"] == "method_learns_nothing"
        assert "learner" in error["message"]

    def test_tasks_that_nobody_judges_teach_nothing(self, as_user: AsUser) -> None:
        Task.objects.update(verifier="")
        error = as_user("operator").post("/api/training-jobs", BODY).json()["error"]
        assert (error["code"], error["fields"][0]["field"]) == ("no_verifier", "split")

    def test_a_checkpoint_of_another_method(self, as_user: AsUser, data_dir: Path) -> None:
        from workers.core.methods.mashost.initial import ensure_initial

        ensure_initial(data_dir / "checkpoints")
        body = {**BODY, "start_from": "mashost-initial"}
        error = as_user("operator").post("/api/training-jobs", body).json()["error"]
        assert "was made by mashost" in error["message"]

    def test_one_user_s_jobs_are_limited(
        self, as_user: AsUser, make_job: MakeJob, settings: Settings
    ) -> None:
        settings.TRAINING_MAX_ACTIVE_PER_USER = 1
        job = make_job("operator")
        answer = as_user("operator").post("/api/training-jobs", BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_trainings")
        as_user("operator").post(address(job, "/cancel"))
        assert as_user("operator").post("/api/training-jobs", BODY).status_code == 201
        failure = {"code": "c", "message": "m", "remedy": "r"}
        TrainingJob.objects.filter(id=job.id).update(status="failed", failure=failure)
        answer = as_user("operator").post(address(job, "/resume"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_trainings")

    def test_one_nested_too_deep(self, as_user: AsUser) -> None:
        deep: Any = 1
        for _ in range(400):
            deep = [deep]
        answer = as_user("operator").post("/api/training-jobs", {**BODY, "config": {"beta": deep}})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "too_deep")


class TestTwice:
    @pytest.mark.usefixtures("dataset", "endpoint", "sent")
    def test_the_same_key_gives_the_same_training(self, as_user: AsUser) -> None:
        client, key = as_user("operator"), {"Idempotency-Key": "k"}
        first, again = (client.post("/api/training-jobs", BODY, headers=key) for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert TrainingJob.objects.count() == 1
