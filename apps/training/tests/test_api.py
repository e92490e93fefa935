"""Trainings over HTTP as every member of the cast, and their states."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.checkpoints.models import Checkpoint
from apps.llms.models import Endpoint
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from apps.training.tests.conftest import MakeCheckpoint, MakeJob
from apps.training.tests.support import (
    BODY,
    GROUPS,
    READS,
    AsUser,
    address,
)
from workers.core.specs import TrainingBudget

pytestmark = pytest.mark.django_db


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

    def test_not_with_another_model(
        self, as_user: AsUser, make_job: MakeJob, endpoint: Endpoint
    ) -> None:
        job = make_job()
        as_user("operator").post(address(job, "/pause"))
        Endpoint.objects.update(model="cleverer", base_url="http://127.0.0.1:10/v1")
        answer = as_user("operator").post(address(job, "/resume"))
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (409, "endpoint_other_model")
        assert "“cleverer”" in error["message"]
        job.refresh_from_db()
        assert job.status == "paused"

    def test_not_with_a_limited_cost_that_nobody_can_count(
        self, as_user: AsUser, make_job: MakeJob
    ) -> None:
        job = make_job(budget=TrainingBudget(max_cost=1.0))
        as_user("operator").post(address(job, "/pause"))
        Endpoint.objects.update(completion_price=None)
        answer = as_user("operator").post(address(job, "/resume"))
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (409, "price_unknown")
        assert [field["field"] for field in error["fields"]] == ["budget.max_cost"]
        assert "“stub” has no prices" in error["message"]
        assert "prices" in error["remedy"]
        job.refresh_from_db()
        assert (job.status, (job.endpoint_spec or {})["completion_price"]) == ("paused", 2.0)
        tokens_alone = {"budget": {"max_tokens": 1_000}}
        assert as_user("operator").post(address(job, "/resume"), tokens_alone).status_code == 200

    def test_nor_with_a_new_limit_of_that_kind(self, as_user: AsUser, make_job: MakeJob) -> None:
        job = make_job()
        as_user("operator").post(address(job, "/pause"))
        Endpoint.objects.update(prompt_price=None)
        limited = {"budget": {"max_cost": 1.0}}
        answer = as_user("operator").post(address(job, "/resume"), limited)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "price_unknown")
        Endpoint.objects.update(prompt_price=0.0)  # a price, too
        assert as_user("operator").post(address(job, "/resume"), limited).status_code == 200

    @pytest.mark.parametrize(
        ("budget", "code"),
        [
            (None, 409),
            ({"max_tokens": 120}, 409),
            ({"max_tokens": 121}, 200),
            ({"max_tokens": 121, "max_cost": 0.5}, 409),
            ({"max_tokens": 121, "max_cost": 0.51}, 200),
            ({"max_cost": 0.51}, 200),
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
            charged_tokens=120,
            charged_cost=0.5,
        )
        body = {} if budget is None else {"budget": budget}
        answer = as_user("operator").post(address(job, "/resume"), body)
        assert answer.status_code == code, answer.content
        if code == 409:
            (field,) = answer.json()["error"]["fields"]
            assert "more than the 120 tokens and $0.500000" in field["message"]
        if code == 200:
            assert answer.json()["budget"] == {"max_tokens": None, "max_cost": None, **budget}
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
