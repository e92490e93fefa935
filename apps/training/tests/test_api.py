"""Trainings over HTTP as every member of the cast, and their states."""

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.tests.cast import OWNED, AsUser
from apps.checkpoints.models import Checkpoint
from apps.llms.models import Endpoint
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from apps.training.tests.conftest import MakeCheckpoint, MakeJob
from apps.training.tests.support import address
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
    @pytest.mark.parametrize(("who", "changes"), OWNED)
    def test_the_owner_and_admins_change_it(
        self, as_user: AsUser, make_job: MakeJob, who: str, changes: int
    ) -> None:
        job, client = make_job("operator"), as_user(who)
        for action in ("pause", "resume", "cancel"):
            assert client.post(address(job, f"/{action}")).status_code == changes, action
        deleted = client.delete(address(job)).status_code
        assert deleted == (204 if changes == 200 else changes)


def test_jobs_by_status_in_the_admin(as_user: AsUser, make_job: MakeJob) -> None:
    make_job(name="The one")
    address = reverse("admin:training_trainingjob_changelist")
    client = as_user("admin")
    assert "The one" in client.get(f"{address}?status__exact=queued").content.decode()
    assert "The one" not in client.get(f"{address}?status__exact=failed").content.decode()


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
    def test_what_each_allows(
        self, as_user: AsUser, make_job: MakeJob, status: str, outcomes: dict[str, Any]
    ) -> None:
        job, client = make_job(), as_user("operator")
        for action in ("pause", "resume", "cancel", "delete"):
            TrainingJob.objects.update(cancel_requested_at=None, pause_requested_at=None)
            in_status(job, status)
            answer = (
                client.delete(address(job))
                if action == "delete"
                else client.post(address(job, f"/{action}"))
            )
            if action not in outcomes:
                error = answer.json()["error"]
                assert (answer.status_code, error["code"]) == (409, f"training_{status}"), action
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
        self, as_user: AsUser, make_job: MakeJob
    ) -> None:
        job, client = in_status(make_job(), "paused"), as_user("operator")

        def refused() -> dict[str, Any]:
            answer = client.post(address(job, "/resume"))
            job.refresh_from_db()
            assert (answer.status_code, job.status) == (409, "paused")
            error: dict[str, Any] = answer.json()["error"]
            return error

        moved = {"base_url": "http://127.0.0.1:10/v1"}
        Endpoint.objects.update(enabled=False)
        assert refused()["code"] == "endpoint_disabled"
        Endpoint.objects.update(enabled=True, model="cleverer", **moved)
        error = refused()
        assert error["code"] == "endpoint_other_model"
        assert "“cleverer”" in error["message"]
        Endpoint.objects.update(model="stub")
        assert client.post(address(job, "/resume")).status_code == 200
        job.refresh_from_db()
        assert (job.endpoint_spec or {}).items() >= moved.items()

    def test_not_with_a_limited_cost_that_nobody_can_count(
        self, as_user: AsUser, make_job: MakeJob
    ) -> None:
        job = in_status(make_job(budget=TrainingBudget(max_cost=1.0)), "paused")
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
        job = in_status(make_job(), "paused")
        Endpoint.objects.update(prompt_price=None)
        limited = {"budget": {"max_cost": 1.0}}
        answer = as_user("operator").post(address(job, "/resume"), limited)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "price_unknown")
        Endpoint.objects.update(prompt_price=0.0)  # a price, too
        assert as_user("operator").post(address(job, "/resume"), limited).status_code == 200

    def test_a_spent_budget_needs_a_larger_one(self, as_user: AsUser, make_job: MakeJob) -> None:
        job, client = make_job(), as_user("operator")
        spent = {"end_reason": "budget", "charged_tokens": 120, "charged_cost": 0.5}
        allowed: list[tuple[dict[str, Any], int]] = [
            ({"max_tokens": 120}, 409),
            ({"max_tokens": 121}, 200),
            ({"max_tokens": 121, "max_cost": 0.5}, 409),
            ({"max_tokens": 121, "max_cost": 0.51}, 200),
            ({"max_cost": 0.51}, 200),
            ({"max_tokens": None}, 200),
            ({"max_tokens": "x"}, 400),
        ]
        for budget, code in allowed:
            in_status(job, "succeeded")
            TrainingJob.objects.update(**spent, budget={"max_tokens": 100, "max_cost": None})
            assert client.post(address(job, "/resume")).status_code == 409
            answer = client.post(address(job, "/resume"), {"budget": budget})
            assert answer.status_code == code, budget
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
        left = Checkpoint.objects.filter(job=None).values_list("name", flat=True)
        assert set(left) == {"kept", "used"}
        assert Checkpoint.objects.count() == 2
        assert not (data_dir / "checkpoints" / "plain").exists()
        assert (data_dir / "checkpoints" / "kept").is_dir()


def test_a_training_that_changes_a_model_names_that_one(as_user: AsUser, make_job: MakeJob) -> None:
    job = make_job()
    own = {"config": {"model": "nano"}, "tokens": 0, "latest": {"tokens_total": 1234.0}}
    TrainingJob.objects.filter(id=job.id).update(method="at_grpo", **own)
    told = as_user("viewer").get(address(job)).json()
    assert (told["endpoint"], told["model"]) == (None, "nano")
    assert told["tokens"] == 1234, "those that it sampled"
