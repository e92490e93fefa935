"""Trainings over HTTP, as every member of the cast, with good and bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from apps.llms.models import Endpoint
from apps.tasks.models import Dataset, Task
from apps.training.checkpoints import checkpoint_promote
from apps.training.folders import training_folder
from apps.training.models import Checkpoint, Metric, TrainingJob, TrainingSample
from apps.training.tests.conftest import MakeCheckpoint, MakeJob

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
BODY: dict[str, Any] = {"method": "learner", "dataset": "sums"}
GROUPS = ("anonymous", "outsider", "viewer", "operator", "curator", "admin")
READS = {"anonymous": 401, "outsider": 403}
FIELDS = {
    *("id", "name", "method", "status", "attempt", "preset", "config", "seed", "code_version"),
    *("pool", "pool_version", "dataset", "dataset_digest", "split", "limit", "endpoint", "model"),
    *("start_from", "budget", "per_system", "keep_checkpoints", "step", "total_steps"),
    "step_share",
    *("eta_seconds", "tokens", "cost", "latest", "notices", "end_reason", "failure"),
    *("checkpoints", "created_by", "created_at", "started_at", "finished_at"),
    "cancel_requested_at",
}


def address(job: TrainingJob, more: str = "") -> str:
    return f"/api/training-jobs/{job.id}{more}"


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


def in_status(job: TrainingJob, status: str) -> TrainingJob:
    ended = status in ("succeeded", "failed", "cancelled")
    cause = {"code": "c", "message": "m", "remedy": "r"}
    TrainingJob.objects.filter(id=job.id).update(
        status=status,
        finished_at=timezone.now() if ended else None,
        failure=cause if status == "failed" else None,
    )
    return job


class TestWhoMayDoWhat:
    @pytest.mark.parametrize("who", GROUPS)
    def test_reads(
        self,
        as_user: AsUser,
        curve: TrainingJob,
        make_checkpoint: MakeCheckpoint,
        who: str,
    ) -> None:
        make_checkpoint("brought")
        sample = curve.samples.get(step=2)
        for read in (
            "/api/training-jobs",
            address(curve),
            address(curve, "/metrics"),
            address(curve, "/samples"),
            address(curve, f"/samples/{sample.id}"),
            "/api/training/methods",
            "/api/checkpoints",
            "/api/checkpoints/brought",
        ):
            assert as_user(who).get(read).status_code == READS.get(who, 200), read

    @pytest.mark.parametrize(
        ("who", "creates", "changes"),
        [
            ("anonymous", 401, 401),
            ("outsider", 403, 403),
            ("viewer", 403, 403),
            ("operator", 201, 200),
            ("curator", 201, 403),
            ("admin", 201, 200),
        ],
    )
    def test_writes(
        self, as_user: AsUser, make_job: MakeJob, who: str, creates: int, changes: int
    ) -> None:
        job, client = make_job("operator"), as_user(who)
        assert client.post("/api/training-jobs", BODY).status_code == creates
        for action in ("pause", "resume", "cancel"):
            assert client.post(address(job, f"/{action}")).status_code == changes, action
        deleted = client.delete(address(job)).status_code
        assert deleted == (204 if changes == 200 else changes)

    @pytest.mark.parametrize("who", GROUPS)
    def test_checkpoints_are_curated(
        self, as_user: AsUser, make_checkpoint: MakeCheckpoint, who: str
    ) -> None:
        make_checkpoint("brought")
        make_checkpoint("default", is_default=True)
        allowed = {"anonymous": 401, "curator": 200, "admin": 200}.get(who, 403)
        client, one = as_user(who), "/api/checkpoints/brought"
        assert client.patch(one, {"label": "New"}).status_code == allowed
        assert client.post(f"{one}/promote").status_code == allowed
        Checkpoint.objects.filter(name="brought").update(is_default=False)
        assert client.delete(one).status_code == (204 if allowed == 200 else allowed)

    @pytest.mark.parametrize("read", ["", "/metrics", "/samples", "/samples/1"])
    def test_one_that_is_not_there(self, as_user: AsUser, read: str) -> None:
        assert as_user("viewer").get(f"/api/training-jobs/{uuid4()}{read}").status_code == 404

    def test_nothing_to_do_with_one_that_is_not_there(self, as_user: AsUser) -> None:
        client, missing = as_user("admin"), f"/api/training-jobs/{uuid4()}"
        for action in ("pause", "resume", "cancel"):
            assert client.post(f"{missing}/{action}").status_code == 404
        assert client.delete(missing).status_code == 404
        assert client.get("/api/checkpoints/none").status_code == 404
        assert client.post("/api/checkpoints/none/promote").status_code == 404


class TestCreate:
    def test_it_comes_back_whole(
        self,
        as_user: AsUser,
        dataset: Dataset,
        endpoint: Endpoint,
        sent: list[Any],
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        body = {**BODY, "preset": "short", "config": {"ask": True}, "budget": {"max_tokens": 500}}
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_user("operator").post("/api/training-jobs", body)
        assert answer.status_code == 201
        job = answer.json()
        assert set(job) == FIELDS
        assert (job["status"], job["step"], job["total_steps"]) == ("queued", 0, 3)
        assert (job["name"], job["split"], job["endpoint"]) == ("learner on sums", "train", "stub")
        assert (job["dataset"], job["dataset_digest"]) == ("sums", "d" * 64)
        assert job["config"] == {**METHOD_DEFAULTS, "steps": 3, "ask": True}
        assert job["budget"] == {"max_tokens": 500, "max_cost": None}
        assert job["per_system"]["max_tokens"] == 60_000
        assert job["code_version"].startswith("0.1.0")
        assert 0 <= job["seed"] < 2**31
        assert (job["created_by"], job["pool"], job["failure"]) == ("operator", None, None)
        assert sent == [("training", job["id"])]
        assert as_user("viewer").get(f"/api/training-jobs/{job['id']}").json() == job
        assert as_user("viewer").get("/api/training-jobs").json()["results"] == [job]

    def test_the_first_preset_is_the_default(self, make_job: MakeJob) -> None:
        assert make_job().preset == "plain"

    @pytest.mark.parametrize(
        ("change", "field"),
        [
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
        ],
    )
    def test_what_is_wrong_is_named(
        self,
        as_user: AsUser,
        dataset: Dataset,
        endpoint: Endpoint,
        change: dict[str, Any],
        field: str,
    ) -> None:
        Endpoint.objects.create(
            key="off", name="Off", base_url="http://x/v1", model="m", enabled=False
        )
        answer = as_user("operator").post("/api/training-jobs", {**BODY, **change})
        assert answer.status_code == 400, answer.content
        error = answer.json()["error"]
        assert field in [item["field"] for item in error["fields"]], error
        assert error["remedy"]
        assert TrainingJob.objects.count() == 0

    def test_every_wrong_field_is_named_at_once(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint
    ) -> None:
        body = {
            **BODY,
            "dataset": "nope",
            "endpoint": "nope",
            "start_from": "nope",
            "config": {"steps": 0, "step_seconds": -1, "nope": 1},
        }
        fields = as_user("operator").post("/api/training-jobs", body).json()["error"]["fields"]
        assert {item["field"] for item in fields} == {
            *("dataset", "endpoint", "start_from"),
            *("config.steps", "config.step_seconds", "config.nope"),
        }

    def test_a_cost_that_nobody_knows_cannot_be_limited(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint
    ) -> None:
        body = {**BODY, "budget": {"max_cost": 1.0}}
        assert as_user("operator").post("/api/training-jobs", body).status_code == 201
        Endpoint.objects.update(prompt_price=None)
        error = as_user("operator").post("/api/training-jobs", body).json()["error"]
        assert error["fields"][0]["field"] == "budget.max_cost"
        assert error["code"] == "price_unknown"

    def test_a_method_that_does_not_learn_says_which_do(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint
    ) -> None:
        answer = as_user("operator").post("/api/training-jobs", {**BODY, "method": "direct"})
        error = answer.json()["error"]
        assert error["code"] == "method_learns_nothing"
        assert "learner" in error["message"]

    def test_tasks_that_nobody_judges_teach_nothing(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint
    ) -> None:
        Task.objects.update(verifier="")
        error = as_user("operator").post("/api/training-jobs", BODY).json()["error"]
        assert (error["code"], error["fields"][0]["field"]) == ("no_verifier", "split")

    def test_a_checkpoint_of_another_method(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint, data_dir: Path
    ) -> None:
        from workers.core.checkpoints import ensure_initial

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


METHOD_DEFAULTS = {
    "steps": 10,
    "checkpoint_every": 5,
    "step_seconds": 0.0,
    "stall": False,
    "fail_at": None,
    "crash_at": None,
    "not_finite_at": None,
    "ask": False,
    "peak": None,
    "hostile": False,
}


class TestList:
    def test_filters(self, as_user: AsUser, make_job: MakeJob) -> None:
        mine, other = make_job("operator", name="Alpha"), make_job("admin", name="Beta")
        TrainingJob.objects.filter(id=other.id).update(status="paused")

        def found(query: str) -> set[str]:
            results = as_user("operator").get(f"/api/training-jobs?{query}").json()["results"]
            return {job["name"] for job in results}

        assert found("") == {"Alpha", "Beta"}
        assert found("mine=true") == {mine.name}
        assert found("status=paused&status=failed") == {"Beta"}
        assert found("q=alp") == {"Alpha"}
        assert found("method=learner&dataset=sums") == {"Alpha", "Beta"}
        assert found("method=mashost") == set()
        assert as_user("operator").get("/api/training-jobs?status=nope").status_code == 400

    def test_a_long_list_costs_a_few_queries(
        self,
        as_user: AsUser,
        make_job: MakeJob,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for _ in range(4):
            make_job()
        client = as_user("viewer")
        with django_assert_max_num_queries(6):
            assert len(client.get("/api/training-jobs").json()["results"]) == 4


class TestStates:
    @pytest.mark.parametrize(
        ("status", "outcomes"),
        [
            ("queued", {"pause": "paused", "cancel": "cancelled"}),
            ("running", {"pause": "pausing", "cancel": "running"}),
            ("pausing", {"cancel": "pausing"}),
            ("paused", {"resume": "queued", "cancel": "cancelled"}),
            ("succeeded", {"delete": None}),
            ("failed", {"resume": "queued", "delete": None}),
            ("cancelled", {"delete": None}),
        ],
    )
    @pytest.mark.parametrize("action", ["pause", "resume", "cancel", "delete"])
    def test_what_each_allows(
        self, as_user: AsUser, make_job: MakeJob, status: str, outcomes: dict[str, Any], action: str
    ) -> None:
        job = in_status(make_job(), status)
        client = as_user("operator")
        if action == "delete":
            answer = client.delete(address(job))
        else:
            answer = client.post(address(job, f"/{action}"))
        if action not in outcomes:
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (409, f"training_{status}")
            assert error["remedy"]
        elif action == "delete":
            assert answer.status_code == 204
        else:
            assert (answer.status_code, answer.json()["status"]) == (200, outcomes[action])

    def test_a_running_one_is_asked_to_stop(self, as_user: AsUser, make_running: MakeJob) -> None:
        job = make_running()
        body = as_user("operator").post(address(job, "/cancel")).json()
        assert (body["status"], body["cancel_requested_at"] is not None) == ("running", True)
        answer = as_user("operator").post(address(job, "/pause"))
        assert answer.status_code == 409
        assert "being cancelled" in answer.json()["error"]["message"]
        assert as_user("operator").post(address(job, "/cancel")).status_code == 200

    def test_resuming_takes_the_endpoint_as_it_is_now(
        self, as_user: AsUser, make_job: MakeJob, endpoint: Endpoint
    ) -> None:
        job = make_job()
        as_user("operator").post(address(job, "/pause"))
        endpoint.base_url = "http://127.0.0.1:10/v1"
        endpoint.save()
        assert as_user("operator").post(address(job, "/resume")).status_code == 200
        job.refresh_from_db()
        assert job.endpoint_spec is not None
        assert job.endpoint_spec["base_url"] == "http://127.0.0.1:10/v1"

    def test_not_on_an_endpoint_that_is_switched_off(
        self, as_user: AsUser, make_job: MakeJob, endpoint: Endpoint
    ) -> None:
        job = make_job()
        as_user("operator").post(address(job, "/pause"))
        Endpoint.objects.update(enabled=False)
        answer = as_user("operator").post(address(job, "/resume"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "endpoint_disabled")

    @pytest.mark.parametrize(
        ("budget", "code"),
        [
            (None, 409),
            ({"max_tokens": 100}, 409),
            ({"max_tokens": 101}, 200),
            ({"max_tokens": None}, 200),
            ({"max_tokens": "x"}, 400),
        ],
    )
    def test_a_spent_budget_needs_a_larger_one(
        self, as_user: AsUser, make_job: MakeJob, budget: Any, code: int
    ) -> None:
        job = make_job()
        TrainingJob.objects.update(
            status="succeeded",
            end_reason="budget",
            finished_at=timezone.now(),
            budget={"max_tokens": 100, "max_cost": None},
        )
        body = {} if budget is None else {"budget": budget}
        answer = as_user("operator").post(address(job, "/resume"), body)
        assert answer.status_code == code, answer.content
        if code == 200:
            assert answer.json()["budget"]["max_tokens"] == budget["max_tokens"]
            assert (answer.json()["status"], answer.json()["end_reason"]) == ("queued", None)


class TestDelete:
    def test_what_is_promoted_or_used_stays(
        self,
        as_user: AsUser,
        make_job: MakeJob,
        make_checkpoint: MakeCheckpoint,
        data_dir: Path,
        django_capture_on_commit_callbacks: Any,
    ) -> None:
        job = make_job()
        TrainingJob.objects.update(status="succeeded", finished_at=timezone.now())
        folder = training_folder(job.id)
        folder.mkdir(parents=True)
        make_checkpoint("plain", job=job, step=1)
        make_checkpoint("kept", job=job, step=2, promoted=True)
        make_checkpoint("used", job=job, step=3)
        make_job(start_from="used")
        with django_capture_on_commit_callbacks(execute=True):
            assert as_user("operator").delete(address(job)).status_code == 204
        assert not folder.exists()
        left = {(checkpoint.name, checkpoint.job) for checkpoint in Checkpoint.objects.all()}
        assert left == {
            ("kept", None),
            ("used", None),
        }
        assert not (data_dir / "checkpoints" / "plain").exists()
        assert (data_dir / "checkpoints" / "kept").is_dir()


class TestCurves:
    def test_metrics_page_by_page(self, as_user: AsUser, curve: TrainingJob) -> None:
        client = as_user("viewer")
        page = client.get(address(curve, "/metrics?page_size=2")).json()
        assert [row["step"] for row in page["results"]] == [1, 2]
        assert page["results"][0]["values"] == {"reward": 0.1}
        assert page["next_after"] == 2
        page = client.get(address(curve, "/metrics?after=2")).json()
        assert ([row["step"] for row in page["results"]], page["next_after"]) == ([3], 3)
        page = client.get(address(curve, "/metrics?after=3")).json()
        assert page == {"results": [], "next_after": None}

    @pytest.mark.parametrize(
        "query", ["after=x", "after=-1", "after=99999999999", "page_size=0", "page_size=5001"]
    )
    def test_bad_places(self, as_user: AsUser, curve: TrainingJob, query: str) -> None:
        assert as_user("viewer").get(address(curve, f"/metrics?{query}")).status_code == 400

    def test_samples_of_a_step(self, as_user: AsUser, curve: TrainingJob) -> None:
        client = as_user("viewer")
        (sample,) = client.get(address(curve, "/samples?step=2")).json()
        assert sample == {
            "id": sample["id"],
            "step": 2,
            "index": 0,
            "query": "q",
            "reference": "r",
            "correct": True,
            "reward": 0.25,
            "tokens": 9,
            "agents": 1,
        }
        assert [row["step"] for row in client.get(address(curve, "/samples")).json()] == [3, 2, 1]
        assert client.get(address(curve, "/samples?step=9")).json() == []
        assert client.get(address(curve, "/samples?step=x")).status_code == 400
        whole = client.get(address(curve, f"/samples/{sample['id']}")).json()
        assert whole["events"][0]["event"] == "intermediate_answer"
        assert whole["reward_parts"] == {"group": 0.25, "action": [1.0], "advantage": [0.5]}
        assert sample.items() <= whole.items()

    def test_a_sample_is_its_job_s(
        self, as_user: AsUser, curve: TrainingJob, make_job: MakeJob
    ) -> None:
        sample = curve.samples.get(step=1)
        other = address(make_job(), f"/samples/{sample.id}")
        assert as_user("viewer").get(other).status_code == 404


class TestMethods:
    def test_presets_are_whole(self, as_user: AsUser) -> None:
        rows = {row["method"]: row for row in as_user("viewer").get("/api/training/methods").json()}
        learner = rows["learner"]
        assert list(learner["presets"]) == ["plain", "short", "long"]
        assert learner["presets"]["short"] == {**METHOD_DEFAULTS, "steps": 3}
        assert learner["config_schema"]["properties"]["steps"]["minimum"] == 1
        assert "direct" not in rows


class TestCheckpoints:
    def test_the_list_and_what_compares_them(
        self, as_user: AsUser, make_checkpoint: MakeCheckpoint, make_job: MakeJob
    ) -> None:
        job = make_job(name="J")
        make_checkpoint("a", job=job, step=4, metrics={"reward": 0.5}, recipe={"seed": 1})
        make_checkpoint("b", promoted=True)
        make_checkpoint("c", label="Older")
        client = as_user("viewer")

        def names(query: str) -> set[str]:
            results = client.get(f"/api/checkpoints?{query}").json()["results"]
            return {row["name"] for row in results}

        assert names("") == {"a", "b", "c"}
        assert names("names=a,c") == {"a", "c"}
        assert names(f"job={job.id}") == {"a"}
        assert names("promoted=true") == {"b"}
        assert names("method=mashost") == set()
        assert names("q=older") == {"c"}
        one = client.get("/api/checkpoints/a").json()
        assert (one["job"], one["job_name"], one["step"]) == (str(job.id), "J", 4)
        assert (one["metrics"], one["recipe"]) == ({"reward": 0.5}, {"seed": 1})
        assert len(one["digest"]) == 64
        assert one["size_bytes"] > 0

    def test_what_may_be_changed(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        make_checkpoint("a")
        client, one = as_user("curator"), "/api/checkpoints/a"
        body = client.patch(one, {"label": "Good", "promoted": True, "digest": "x", "name": "z"})
        assert (body.json()["label"], body.json()["promoted"]) == ("Good", True)
        assert (body.json()["name"], body.json()["digest"] == "x") == ("a", False)
        assert client.patch(one, {"label": ""}).status_code == 400
        assert client.patch(one, {"promoted": False}).json()["promoted"] is False

    def test_a_default_one_stays(self, as_user: AsUser, make_checkpoint: MakeCheckpoint) -> None:
        checkpoint_promote(checkpoint=make_checkpoint("a"))
        client = as_user("curator")
        for answer in (
            client.delete("/api/checkpoints/a"),
            client.patch("/api/checkpoints/a", {"promoted": False}),
        ):
            assert answer.status_code == 409
            assert answer.json()["error"]["code"] == "checkpoint_is_default"

    def test_one_that_a_run_used_stays(
        self, as_user: AsUser, make_checkpoint: MakeCheckpoint, endpoint: Endpoint
    ) -> None:
        make_checkpoint("a")
        run = {"query": "q", "method": "learner", "checkpoint": "a"}
        assert as_user("operator").post("/api/runs", run).status_code == 201
        answer = as_user("curator").delete("/api/checkpoints/a")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "checkpoint_in_use")
