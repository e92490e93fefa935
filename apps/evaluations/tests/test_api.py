"""Evaluations over HTTP as every member of the cast, their states and their progress."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.tests.cast import OWNED, AsUser
from apps.evaluations.coordinator import HANDOVER_SECONDS, advance
from apps.evaluations.leaders import best_arms
from apps.evaluations.models import Evaluation
from apps.evaluations.selectors import evaluation_row
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, under_way
from apps.llms.models import Endpoint
from apps.runs.models import Run, RunEvent
from apps.tasks.models import Dataset, Task

pytestmark = pytest.mark.django_db


class TestWhoMayDoWhat:
    @pytest.mark.parametrize(("who", "allowed"), OWNED)
    def test_the_owner_and_admins_change_it(
        self, as_user: AsUser, make_evaluation: MakeEvaluation, who: str, allowed: int
    ) -> None:
        evaluation = make_evaluation("operator")
        client, address = as_user(who), f"/api/evaluations/{evaluation.id}"
        assert client.post(f"{address}/cancel").status_code == allowed
        assert client.post(f"{address}/resume").status_code == allowed
        if allowed == 200:
            assert client.delete(address).status_code == 409, "it runs"
            assert client.post(f"{address}/cancel").status_code == 200
        assert client.delete(address).status_code == (204 if allowed == 200 else allowed)


class TestStates:
    def test_conflicts_say_why(self, as_user: AsUser, ended: Evaluation) -> None:
        client, address = as_user("operator"), f"/api/evaluations/{ended.id}"
        for action in ("cancel", "resume"):
            answer = client.post(f"{address}/{action}")
            assert answer.status_code == 409
            assert answer.json()["error"]["remedy"]

    def test_the_admin_shows_it_and_deleted_it_takes_its_runs_and_traces_along(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        for page in ("", f"{ended.id}/change/"):
            address = f"/admin/evaluations/evaluation/{page}"
            assert as_user("admin").get(address).status_code == 200
            assert as_user("operator").get(address).status_code in (302, 403)
        assert RunEvent.objects.exists()
        assert as_user("operator").delete(f"/api/evaluations/{ended.id}").status_code == 204
        assert not Run.objects.exists()
        assert not RunEvent.objects.exists()
        assert Task.objects.exists()

    def test_the_data_set_can_be_deleted_and_the_results_stay(
        self, as_user: AsUser, ended: Evaluation, dataset: Dataset
    ) -> None:
        dataset.delete()
        client, address = as_user("viewer"), f"/api/evaluations/{ended.id}"
        assert client.get(address).json()["dataset"] == "sums"
        first = client.get(f"{address}/results").json()["results"][0]
        assert (first["task"]["id"], first["task"]["query"]) == (None, "What is 0 + 1?")
        assert client.get(f"{address}/export?format=csv").status_code == 200

    def test_filters_of_the_list(self, as_user: AsUser, ended: Evaluation) -> None:
        client = as_user("curator")
        for query, count in (
            ("status=succeeded", 1),
            ("status=running", 0),
            ("dataset=sums", 1),
            ("dataset=other", 0),
            ("mine=true", 0),
            ("q=SUMS", 1),
        ):
            answer = client.get(f"/api/evaluations?{query}")
            assert len(answer.json()["results"]) == count, query
        assert client.get("/api/evaluations?q=%00").status_code == 400


class TestTheBestArmOfAList:
    def best(self, as_user: AsUser) -> list[Any]:
        rows = as_user("viewer").get("/api/evaluations").json()["results"]
        return [row["best"] for row in rows]

    def test_is_that_of_the_summary(self, as_user: AsUser, ended: Evaluation) -> None:
        address = f"/api/evaluations/{ended.id}/summary"
        direct, _ = as_user("viewer").get(address).json()["arms"]
        (best,) = self.best(as_user)
        assert best["label"] == "direct"
        assert best["accuracy"] == pytest.approx(direct["accuracy"])
        assert best["interval"] == pytest.approx(direct["interval"])

    def test_is_none_before_the_first_judged_answer(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        make_evaluation()
        assert self.best(as_user) == [None]

    def test_follows_an_evaluation_that_went_on(self, as_user: AsUser, ended: Evaluation) -> None:
        assert self.best(as_user)[0]["label"] == "direct"
        ended.results.filter(arm__label="chain_of_thought").update(correct=True, failed=False)
        assert self.best(as_user)[0]["label"] == "direct", "kept while nothing happens"
        Evaluation.objects.filter(id=ended.id).update(finished_at=timezone.now())
        assert self.best(as_user)[0]["label"] == "chain_of_thought"

    def test_takes_one_statement_however_many_there_are(
        self,
        as_user: AsUser,
        ended: Evaluation,
        make_evaluation: MakeEvaluation,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        others = [make_evaluation() for _ in range(3)]
        for one in others:
            one.done = 1
        with django_assert_num_queries(1):
            found = best_arms([ended, *others])
        assert set(found) == {ended.id, *(one.id for one in others)}


class TestRunsOfEvaluations:
    def test_the_list_of_runs_is_people_s_and_an_evaluation_s_on_request(
        self, as_user: AsUser, ended: Evaluation, endpoint: Endpoint
    ) -> None:
        client = as_user("operator")
        asked = client.post("/api/runs", {"query": "1 + 1?", "method": "direct"}).json()
        assert asked["evaluation"] is None
        assert [run["id"] for run in client.get("/api/runs").json()["results"]] == [asked["id"]]
        found = client.get(f"/api/runs?evaluation={ended.id}").json()["results"]
        assert len(found) == 12
        assert {run["evaluation"] for run in found} == {str(ended.id)}
        assert client.get(f"/api/runs?evaluation={uuid4()}").json()["results"] == []
        assert client.get("/api/runs?evaluation=x").status_code == 400
        assert len(client.get("/api/runs?method=direct").json()["results"]) == 1
        assert len(client.get("/api/runs?answers=true").json()["results"]) == 13
        assert len(client.get("/api/runs?answers=false").json()["results"]) == 1
        of_one = f"/api/runs?answers=true&evaluation={ended.id}"
        assert len(client.get(of_one).json()["results"]) == 12

    def test_one_that_is_asked_again_is_a_person_s_and_is_judged_alike(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        run = ended.runs.get(result__position=0)
        again = as_user("admin").post(f"/api/runs/{run.id}/retry").json()
        assert again["evaluation"] is None
        assert Run.objects.get(id=again["id"]).task_details == run.task_details != {}


class TestProgress:
    def test_the_time_left_leaves_out_a_night_in_which_nobody_answered(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=4)
        advance(evaluation.id)
        assert evaluation_row(evaluation.id)["eta_seconds"] is None
        for began, seconds in ((timedelta(minutes=2), 120.0), (timedelta(hours=9), 60.0)):
            before = timezone.now() - began
            Evaluation.objects.filter(id=evaluation.id).update(going_since=before, freed_at=before)
            for run in under_way(evaluation):
                end_run(run, seconds=seconds)
            advance(evaluation.id)
        row = evaluation_row(evaluation.id)
        assert (row["done"], row["total"]) == (8, 12)
        assert row["eta_seconds"] == pytest.approx((120 + 60) / 8 * 4, abs=HANDOVER_SECONDS)
