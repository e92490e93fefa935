"""Evaluations over HTTP, as every member of the cast, with good and bad input."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pyarrow.parquet as pq
import pytest
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.selectors import evaluation_row, evaluations_progress
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, fail_run, under_way
from apps.llms.models import Endpoint
from apps.runs.models import Run, RunEvent
from apps.tasks.models import Dataset, Task
from apps.training.models import Checkpoint, TrainingJob
from workers.core.evaluation.summary import ArmSummary

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
BODY: dict[str, Any] = {
    "dataset": "sums",
    "split": "dev",
    "limit": 2,
    "arms": [{"method": "direct"}, {"method": "self_consistency", "method_config": {"k": 3}}],
}
FIELDS = {
    "id",
    "name",
    "status",
    "dataset",
    "split",
    "limit",
    "task_count",
    "repeats",
    "seed",
    "budget",
    "concurrency",
    "arms",
    "done",
    "total",
    "eta_seconds",
    "warnings",
    "failure",
    "created_by",
    "created_at",
    "started_at",
    "finished_at",
}
READS = (
    "",
    "/summary",
    "/rationality",
    "/results",
    "/compare?left=direct&right=chain_of_thought",
    "/export",
)


@pytest.fixture
def ended(make_evaluation: MakeEvaluation) -> Evaluation:
    """`direct` is right on tasks 0–3, `chain_of_thought` on 2–4; it failed on 5."""
    evaluation = make_evaluation(concurrency=12)
    advance(evaluation.id)
    for run in under_way(evaluation):
        index = run.result.task.index
        if run.method == "direct":
            end_run(run, correct=index < 4)
        elif index < 5:
            end_run(run, correct=index >= 2, completion_tokens=220)
        else:
            fail_run(run, {"code": "budget_exceeded", "message": "Spent.", "remedy": "Raise it."})
    advance(evaluation.id)
    evaluation.refresh_from_db()
    assert evaluation.status == "succeeded"
    return evaluation


class TestWhoMayDoWhat:
    @pytest.mark.parametrize(
        ("who", "reads", "creates"),
        [
            ("anonymous", 401, 401),
            ("outsider", 403, 403),
            ("viewer", 200, 403),
            ("operator", 200, 201),
            ("curator", 200, 201),
            ("admin", 200, 201),
        ],
    )
    def test_by_group(
        self, as_user: AsUser, make_evaluation: MakeEvaluation, who: str, reads: int, creates: int
    ) -> None:
        evaluation = make_evaluation("operator")
        client, address = as_user(who), f"/api/evaluations/{evaluation.id}"
        for read in READS:
            assert client.get(address + read).status_code == reads, read
        assert client.get("/api/evaluations").status_code == reads
        assert client.post("/api/evaluations", BODY).status_code == creates
        changes = {"operator": 200, "curator": 403, "admin": 200}
        allowed = changes.get(who, creates)
        assert client.post(f"{address}/cancel").status_code == allowed
        assert client.post(f"{address}/resume").status_code == allowed
        if allowed == 200:
            assert client.post(f"{address}/cancel").status_code == 200
        assert client.delete(address).status_code == (204 if allowed == 200 else allowed)

    @pytest.mark.parametrize("read", READS)
    def test_one_that_is_not_there(self, as_user: AsUser, read: str) -> None:
        assert as_user("viewer").get(f"/api/evaluations/{uuid4()}{read}").status_code == 404

    @pytest.mark.parametrize("action", ["cancel", "resume"])
    def test_nothing_to_do_with_one_that_is_not_there(self, as_user: AsUser, action: str) -> None:
        address = f"/api/evaluations/{uuid4()}"
        assert as_user("admin").post(f"{address}/{action}").status_code == 404
        assert as_user("admin").delete(address).status_code == 404


class TestCreate:
    def test_it_comes_back_whole(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        answer = as_user("operator").post("/api/evaluations", {**BODY, "budget": {"max_tokens": 9}})
        assert answer.status_code == 201
        body = answer.json()
        assert set(body) == FIELDS
        assert (body["status"], body["done"], body["total"]) == ("queued", 0, 4)
        assert (body["dataset"], body["split"], body["task_count"]) == ("sums", "dev", 2)
        assert (body["seed"], body["repeats"], body["created_by"]) == (0, 1, "operator")
        assert body["budget"]["max_tokens"] == 9
        assert body["arms"][1] == {
            "label": "self_consistency",
            "method": "self_consistency",
            "method_config": {"k": 3, "temperature": 0.7},
            "checkpoint": None,
            "endpoint": "stub",
            "model": "stub",
            "pool": None,
            "pool_version": None,
        }
        assert as_user("viewer").get(f"/api/evaluations/{body['id']}").json() == body
        assert as_user("viewer").get("/api/evaluations").json()["results"] == [body]

    def test_arms_of_one_method_get_labels_of_their_own(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        arms = [{"method": "direct"}, {"method": "direct"}, {"method": "direct", "label": "plain"}]
        body = as_user("operator").post("/api/evaluations", {**BODY, "arms": arms}).json()
        assert [arm["label"] for arm in body["arms"]] == ["direct", "direct 2", "plain"]

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"dataset": "nope"}, "dataset"),
            ({"dataset": "\x00"}, "dataset"),
            ({"split": "test"}, "split"),
            ({"split": "nope"}, "split"),
            ({"limit": 0}, "limit"),
            ({"limit": "x"}, "limit"),
            ({"repeats": 101}, "repeats"),
            ({"seed": -1}, "seed"),
            ({"concurrency": 65}, "concurrency"),
            ({"budget": {"max_tokens": 0}}, "budget.max_tokens"),
            ({"arms": []}, "arms"),
            ({"arms": [{"method": "direct"}] * 21}, "arms"),
            ({"arms": [{}]}, "arms.0.method"),
            ({"arms": [{"method": "direct"}, {"method": "nope"}]}, "arms.1.method"),
            ({"arms": [{"method": "direct", "endpoint": "nope"}]}, "arms.0.endpoint"),
            ({"arms": [{"method": "direct", "pool": "nope"}]}, "arms.0.pool"),
            ({"arms": [{"method": "direct", "checkpoint": "x"}]}, "arms.0.checkpoint"),
            ({"arms": [{"method": "mashost"}]}, "arms.0.pool"),
            ({"arms": [{"method": "direct", "checkpoint": "../x"}]}, "arms.0.checkpoint"),
            (
                {"arms": [{"method": "self_consistency", "method_config": {"k": 0}}]},
                "arms.0.method_config.k",
            ),
            (
                {"arms": [{"method": "direct", "label": "a"}, {"method": "direct", "label": "a"}]},
                "arms.1.label",
            ),
            ({"arms": [{"method": "direct", "label": "\u202e"}]}, "arms.0.label"),
            ({"name": "x" * 121}, "name"),
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
        answer = as_user("operator").post("/api/evaluations", {**BODY, **change})
        assert answer.status_code == 400, answer.content
        error = answer.json()["error"]
        assert field in [item["field"] for item in error["fields"]], error
        assert error["remedy"]
        assert Evaluation.objects.count() == 0

    def test_more_cells_than_anybody_waits_for(
        self,
        as_user: AsUser,
        dataset: Dataset,
        endpoint: Endpoint,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("apps.evaluations.plan.MAX_CELLS", 3)
        answer = as_user("operator").post("/api/evaluations", BODY)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"] == "too_many_cells"

    def test_thousands_of_cells_take_few_statements(
        self,
        make_evaluation: MakeEvaluation,
        dataset: Dataset,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        Task.objects.bulk_create(
            Task(dataset=dataset, split="train", index=index, query="?", verifier="numeric")
            for index in range(500)
        )
        with django_assert_max_num_queries(25):
            evaluation = make_evaluation(split="train", repeats=3)
        assert evaluation.results.count() == evaluation.total == 3_000


class TestWarnings:
    @pytest.fixture
    def checkpoint(self, dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Checkpoint:
        monkeypatch.setattr("apps.evaluations.plan.run_plan", _checkpoint_exists())
        Task.objects.create(
            dataset=dataset, split="train", index=0, query="what is 3+4", verifier="numeric"
        )
        job = TrainingJob.objects.create(
            name="j", method="mashost", dataset=dataset, split="train", config={}
        )
        return Checkpoint.objects.create(
            name="trained", method="mashost", path="x", digest="d", trained=True, job=job
        )

    def test_tasks_that_a_checkpoint_was_trained_on_are_told(
        self, as_user: AsUser, checkpoint: Checkpoint, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        arms = [{"method": "direct"}, {"method": "direct", "checkpoint": "trained"}]
        body = {**BODY, "arms": arms, "limit": 6}
        (warning,) = as_user("operator").post("/api/evaluations", body).json()["warnings"]
        assert (warning["code"], warning["arm"]) == ("trained_on_tasks", "direct · trained")
        assert "1 of 6 tasks are in sums/train" in warning["message"]

    def test_a_checkpoint_without_a_job_tells_by_its_recipe(
        self, as_user: AsUser, checkpoint: Checkpoint, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        recipe = {"dataset": "sums", "split": "train"}
        Checkpoint.objects.update(job=None, recipe=recipe)
        arms = [{"method": "direct", "checkpoint": "trained"}]
        body = {**BODY, "arms": arms, "limit": 6}
        assert len(as_user("operator").post("/api/evaluations", body).json()["warnings"]) == 1

    @pytest.mark.usefixtures("endpoint", "sent")
    @pytest.mark.parametrize("kept", [True, False])
    def test_what_its_training_started_from_was_trained_on_counts_too(
        self, as_user: AsUser, checkpoint: Checkpoint, dataset: Dataset, kept: bool
    ) -> None:
        other = Dataset.objects.create(key="other", name="Other")
        job = TrainingJob.objects.create(
            name="k", method="mashost", dataset=other, split="train", start_from="trained"
        )
        Checkpoint.objects.create(
            name="later", method="mashost", path="y", digest="e", trained=True, job=job
        )
        if not kept:  # a lineage that leads back to itself ends, too
            TrainingJob.objects.filter(name="j").update(start_from="later", dataset=other)
        body = {**BODY, "arms": [{"method": "direct", "checkpoint": "later"}], "limit": 6}
        warnings = as_user("operator").post("/api/evaluations", body).json()["warnings"]
        assert [w["code"] for w in warnings] == (["trained_on_tasks"] if kept else [])
        if kept:
            assert "in other/train and sums/train" in warnings[0]["message"]

    def test_the_default_checkpoint_of_an_arm_that_names_none_counts_too(
        self, as_user: AsUser, checkpoint: Checkpoint, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        Checkpoint.objects.update(is_default=True, method="direct")
        body = {**BODY, "arms": [{"method": "direct"}], "limit": 6}
        (warning,) = as_user("operator").post("/api/evaluations", body).json()["warnings"]
        assert (warning["code"], warning["arm"]) == ("trained_on_tasks", "direct")

    def test_tasks_without_a_verifier_are_told(
        self, as_user: AsUser, dataset: Dataset, endpoint: Endpoint, sent: list[Any]
    ) -> None:
        Task.objects.filter(index=1).update(verifier="")
        (warning,) = as_user("operator").post("/api/evaluations", BODY).json()["warnings"]
        assert (warning["code"], warning["arm"]) == ("no_verifier", None)


def _checkpoint_exists() -> Callable[..., Any]:
    """The weights on disk are another matter: here it is about where they come from."""
    from apps.runs.plan import RunPlan, run_plan
    from apps.runs.requests import RunRequest

    def plan(request: RunRequest, errors: Any = ()) -> RunPlan:
        made = run_plan(request.model_copy(update={"checkpoint": None}), errors)
        return replace(made, checkpoint=request.checkpoint or "")

    return plan


class TestStates:
    def test_conflicts_say_why(self, as_user: AsUser, ended: Evaluation) -> None:
        client, address = as_user("operator"), f"/api/evaluations/{ended.id}"
        for action in ("cancel", "resume"):
            answer = client.post(f"{address}/{action}")
            assert answer.status_code == 409
            assert answer.json()["error"]["remedy"]

    def test_one_that_runs_is_not_deleted(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation()
        assert as_user("operator").delete(f"/api/evaluations/{evaluation.id}").status_code == 409
        assert Evaluation.objects.count() == 1

    def test_deleted_it_takes_its_runs_and_traces_along(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
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
            ("q=%00", None),
        ):
            answer = client.get(f"/api/evaluations?{query}")
            if count is None:
                assert answer.status_code == 400
            else:
                assert len(answer.json()["results"]) == count, query


class TestSummary:
    def summary(self, as_user: AsUser, evaluation: Evaluation) -> dict[str, Any]:
        answer = as_user("viewer").get(f"/api/evaluations/{evaluation.id}/summary")
        assert answer.status_code == 200
        body: dict[str, Any] = answer.json()
        return body

    def test_arms_pairs_and_budgets(self, as_user: AsUser, ended: Evaluation) -> None:
        found = self.summary(as_user, ended)
        direct, chain = found["arms"]
        assert set(direct) == set(ArmSummary.__dataclass_fields__)
        assert (direct["label"], direct["n"], direct["correct"]) == ("direct", 6, 4)
        assert direct["accuracy"] == pytest.approx(4 / 6)
        low, high = direct["interval"]
        assert 0 < low < 4 / 6 < high < 1
        assert (direct["tokens_mean"], direct["tokens_interval"]) == (100, [100, 100])
        assert (chain["accuracy"], chain["failures"], chain["unknown_usage"]) == (0.5, 1, 1)
        assert chain["tokens_mean"] == 300
        (pair,) = found["pairs"]
        assert (pair["left"], pair["right"], pair["n"]) == ("direct", "chain_of_thought", 6)
        assert (pair["only_left"], pair["only_right"]) == (2, 1)
        assert pair["mcnemar_p"] == pair["holm_p"] == 1.0
        points = {(p["label"], p["budget"]): p["accuracy"] for p in found["at_equal_tokens"]}
        assert points["direct", 100] == pytest.approx(4 / 6)
        assert points["chain_of_thought", 100] == 0.0
        assert points["chain_of_thought", 300] == 0.5

    def test_before_the_first_answer_nothing_is_known(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        found = self.summary(as_user, make_evaluation())
        assert [arm["accuracy"] for arm in found["arms"]] == [None, None]
        assert [arm["interval"] for arm in found["arms"]] == [None, None]
        assert found["pairs"][0]["mcnemar_p"] is None

    def test_a_new_answer_is_in_the_next_summary(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        assert self.summary(as_user, evaluation)["arms"][0]["n"] == 0
        advance(evaluation.id)
        end_run(under_way(evaluation)[0])
        advance(evaluation.id)
        assert self.summary(as_user, evaluation)["arms"][0]["n"] == 1


class TestResults:
    def cells(self, as_user: AsUser, evaluation: Evaluation, query: str = "") -> list[Any]:
        answer = as_user("viewer").get(f"/api/evaluations/{evaluation.id}/results?{query}")
        assert answer.status_code == 200, answer.content
        cells: list[Any] = answer.json()["results"]
        return cells

    def test_a_cell(self, as_user: AsUser, ended: Evaluation) -> None:
        first = self.cells(as_user, ended)[0]
        run = ended.runs.get(result__position=0)
        task = Task.objects.get(index=0)
        assert first == {
            "id": run.result.id,
            "task": {"id": task.pk, "index": 0, "query": "What is 0 + 1?", "reference": "1"},
            "repeat": 0,
            "arm": "direct",
            "correct": True,
            "reward": 1.0,
            "explanation": "said True",
            "answer": "3",
            "failed": False,
            "failure": None,
            "tokens": 100,
            "prompt_tokens": 80,
            "completion_tokens": 20,
            "cost": pytest.approx(0.00012),
            "seconds": 0.5,
            "run": str(run.id),
            "why": None,
        }

    def test_filters(self, as_user: AsUser, ended: Evaluation) -> None:
        for query, count in (
            ("", 12),
            ("arm=direct", 6),
            ("arm=nobody", 0),
            ("correct=true", 7),
            ("correct=false", 5),
            ("failed=true", 1),
            ("q=is+3", 2),
            ("arm=direct&correct=false", 2),
        ):
            assert len(self.cells(as_user, ended, query)) == count, query

    def test_a_failed_cell_has_its_cause_and_unknown_tokens(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        (cell,) = self.cells(as_user, ended, "failed=true")
        assert cell["failure"]["code"] == "budget_exceeded"
        assert (cell["tokens"], cell["cost"], cell["correct"]) == (None, None, False)

    def test_pages_hold_every_cell_once(self, as_user: AsUser, ended: Evaluation) -> None:
        client, seen = as_user("viewer"), []
        address = f"/api/evaluations/{ended.id}/results?page_size=5"
        while address:
            page = client.get(address).json()
            seen += [cell["id"] for cell in page["results"]]
            address = page["next"]
        assert len(seen) == len(set(seen)) == 12

    def test_cells_under_way_are_no_results_yet(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation()
        advance(evaluation.id)
        assert self.cells(as_user, evaluation) == []


class TestCompare:
    def rows(self, as_user: AsUser, evaluation: Evaluation, more: str = "") -> list[Any]:
        address = f"/api/evaluations/{evaluation.id}/compare"
        answer = as_user("viewer").get(f"{address}?left=direct&right=chain_of_thought{more}")
        assert answer.status_code == 200, answer.content
        rows: list[Any] = answer.json()["results"]
        return rows

    def test_task_by_task(self, as_user: AsUser, ended: Evaluation) -> None:
        rows = self.rows(as_user, ended)
        assert [row["task"]["index"] for row in rows] == list(range(6))
        assert [row["outcome"] for row in rows] == [
            "only_left",
            "only_left",
            "both",
            "both",
            "only_right",
            "neither",
        ]
        assert all(row["left"]["arm"] == "direct" for row in rows)
        assert all(row["right"]["arm"] == "chain_of_thought" for row in rows)
        assert all(row["left"]["task"] == row["right"]["task"] == row["task"] for row in rows)
        assert rows[0]["left"]["run"] != rows[0]["right"]["run"]

    @pytest.mark.parametrize(
        ("outcome", "tasks"),
        [("both", [2, 3]), ("only_left", [0, 1]), ("only_right", [4]), ("neither", [5])],
    )
    def test_by_outcome(
        self, as_user: AsUser, ended: Evaluation, outcome: str, tasks: list[int]
    ) -> None:
        rows = self.rows(as_user, ended, f"&outcome={outcome}")
        assert [row["task"]["index"] for row in rows] == tasks

    @pytest.mark.parametrize(
        "query", ["", "left=direct", "left=x&right=direct", "left=direct&right=direct&outcome=x"]
    )
    def test_what_there_is_not_is_named(
        self, as_user: AsUser, ended: Evaluation, query: str
    ) -> None:
        answer = as_user("viewer").get(f"/api/evaluations/{ended.id}/compare?{query}")
        assert answer.status_code == 400
        assert "Use one of" in answer.json()["error"]["message"]

    def test_a_page_takes_few_statements(
        self,
        as_user: AsUser,
        ended: Evaluation,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        client = as_user("viewer")
        with django_assert_max_num_queries(8):
            client.get(f"/api/evaluations/{ended.id}/compare?left=direct&right=chain_of_thought")


class TestExport:
    def get(self, as_user: AsUser, evaluation: Evaluation, query: str) -> Any:
        return as_user("viewer").get(f"/api/evaluations/{evaluation.id}/export?{query}")

    def test_json(self, as_user: AsUser, ended: Evaluation) -> None:
        answer = self.get(as_user, ended, "")
        assert answer["Content-Type"] == "application/json"
        assert f'filename="evaluation-{ended.id}-cells.json"' in answer["Content-Disposition"]
        body = answer.json()
        assert len(body["cells"]) == 12
        assert body["evaluation"]["dataset"] == "sums"
        assert [arm["label"] for arm in body["summary"]["arms"]] == ["direct", "chain_of_thought"]

    def test_csv_of_cells_and_of_arms(self, as_user: AsUser, ended: Evaluation) -> None:
        cells = list(
            csv.DictReader(io.StringIO(self.get(as_user, ended, "format=csv").content.decode()))
        )
        assert len(cells) == 12
        assert cells[0]["query"] == "What is 0 + 1?"
        arms = self.get(as_user, ended, "format=csv&table=arms").content.decode()
        assert [row["label"] for row in csv.DictReader(io.StringIO(arms))] == [
            "direct",
            "chain_of_thought",
        ]

    def test_parquet(self, as_user: AsUser, ended: Evaluation) -> None:
        answer = self.get(as_user, ended, "format=parquet")
        assert answer["Content-Type"] == "application/vnd.apache.parquet"
        assert pq.read_table(io.BytesIO(answer.content)).num_rows == 12

    @pytest.mark.parametrize("form", ["json", "csv", "parquet"])
    def test_the_same_results_are_the_same_bytes(
        self, as_user: AsUser, ended: Evaluation, form: str
    ) -> None:
        first, again = (self.get(as_user, ended, f"format={form}").content for _ in range(2))
        assert first == again

    @pytest.mark.parametrize("query", ["format=xml", "table=x", "format=%00"])
    def test_other_formats_are_refused(
        self, as_user: AsUser, ended: Evaluation, query: str
    ) -> None:
        answer = self.get(as_user, ended, query)
        assert answer.status_code == 400
        assert answer.json()["error"]["code"].startswith("unknown_")

    def test_a_formula_of_a_model_is_text(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        advance(evaluation.id)
        end_run(under_way(evaluation)[0], answer='=HYPERLINK("http://evil")')
        advance(evaluation.id)
        body = self.get(as_user, evaluation, "format=csv").content.decode()
        (cell,) = csv.DictReader(io.StringIO(body))
        assert cell["answer"].startswith("'=")


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

    def test_one_that_is_asked_again_is_a_person_s_and_is_judged_alike(
        self, as_user: AsUser, ended: Evaluation
    ) -> None:
        run = ended.runs.get(result__position=0)
        again = as_user("admin").post(f"/api/runs/{run.id}/retry").json()
        assert again["evaluation"] is None
        assert Run.objects.get(id=again["id"]).task_details == run.task_details != {}


class TestProgress:
    def test_the_token_changes_with_each_answer(
        self,
        make_evaluation: MakeEvaluation,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        evaluation, other = make_evaluation(concurrency=1), make_evaluation()
        ids = [str(evaluation.id), str(other.id), str(uuid4())]
        tokens = []
        for _ in range(3):
            with django_assert_max_num_queries(1):
                found = evaluations_progress(ids)
            assert set(found) == set(ids[:2])
            tokens.append(found[str(evaluation.id)])
            advance(evaluation.id)
            end_run(under_way(evaluation)[0])
        assert len(set(tokens)) == 3

    def test_the_time_left_is_by_the_pace_since_the_last_resume(
        self, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=4)
        advance(evaluation.id)
        assert evaluation_row(evaluation.id)["eta_seconds"] is None
        for run in under_way(evaluation):
            end_run(run)
        advance(evaluation.id)
        row = evaluation_row(evaluation.id)
        assert row["done"] == 4
        assert row["eta_seconds"] is not None
        Evaluation.objects.filter(id=evaluation.id).update(done_before=4)
        assert evaluation_row(evaluation.id)["eta_seconds"] is None


def test_the_admin_shows_evaluations(
    as_user: AsUser, ended: Evaluation, cast: dict[str, User]
) -> None:
    client = as_user("admin")
    assert client.get("/admin/evaluations/evaluation/").status_code == 200
    assert client.get(f"/admin/evaluations/evaluation/{ended.id}/change/").status_code == 200
    assert as_user("operator").get("/admin/evaluations/evaluation/").status_code in (302, 403)
