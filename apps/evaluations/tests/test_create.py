"""What may be asked for, what is refused, and what a warning says."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries, Settings

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.registering import checkpoints_register
from apps.checkpoints.services import checkpoint_promote
from apps.common.tests.at_once import at_once
from apps.designs.services import design_create
from apps.evaluations.cuts import Notice
from apps.evaluations.models import Evaluation, EvaluationTask
from apps.evaluations.plan import EvaluationPlan
from apps.evaluations.requests import ArmRequest, EvaluationRequest
from apps.evaluations.services import evaluation_create
from apps.evaluations.tests.conftest import MakeEvaluation
from apps.evaluations.tests.support import BODY, FIELDS
from apps.evaluations.tests.traces import make_pool
from apps.tasks.models import Dataset, Task
from apps.training.models import TrainingJob
from workers.core.benchmarks.compositional import compose, problems_of
from workers.core.benchmarks.sameness import query_hash
from workers.core.checkpoints import save
from workers.core.specs import Budget, TaskSpec
from workers.core.testing.checkpoints import trained_info

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dataset", "endpoint", "sent")]


def warned(as_user: AsUser, body: dict[str, Any]) -> list[dict[str, Any]]:
    made = as_user("operator").post("/api/evaluations", body)
    warnings: list[dict[str, Any]] = made.json()["warnings"]
    return warnings


def of_checkpoint(name: str) -> dict[str, Any]:
    return {**BODY, "arms": [{"method": "direct", "checkpoint": name}], "limit": 6}


class TestCreate:
    def test_it_comes_back_whole(self, as_user: AsUser) -> None:
        answer = as_user("operator").post("/api/evaluations", {**BODY, "budget": {"max_tokens": 9}})
        assert answer.status_code == 201
        body = answer.json()
        assert set(body) == FIELDS
        assert (body["status"], body["done"], body["total"]) == ("queued", 0, 4)
        assert (body["dataset"], body["split"], body["task_count"]) == ("sums", "dev", 2)
        assert (body["seed"], body["repeats"], body["created_by"]) == (0, 1, "operator")
        assert body["budget"]["max_tokens"] == 9
        assert body["arms"][1] == {
            **dict.fromkeys(("label", "method"), "self_consistency"),
            "method_config": {"k": 3, "temperature": 0.7, "program": False},
            **dict.fromkeys(("endpoint", "model"), "stub"),
            **dict.fromkeys(("checkpoint", "pool", "pool_version", "design", "design_version")),
            **{"max_completion_tokens_per_call": None, "reply_tokens": 1_024},
            **{"further_endpoints": [], "tools": []},
        }
        assert as_user("viewer").get(f"/api/evaluations/{body['id']}").json() == body
        listed = as_user("viewer").get("/api/evaluations").json()["results"]
        assert listed == [{**body, "best": None}]

    @pytest.mark.parametrize(
        ("budget", "seconds"),
        [({}, 86_400.0), ({"max_tokens": 9}, 86_400.0), ({"max_seconds": 300.0}, 300.0)],
    )
    def test_answers_may_wait_for_a_busy_endpoint_unless_somebody_sets_their_seconds(
        self, as_user: AsUser, budget: dict[str, Any], seconds: float
    ) -> None:
        answer = as_user("operator").post("/api/evaluations", {**BODY, "budget": budget})
        body = answer.json()
        assert body["budget"]["max_seconds"] == seconds
        again = as_user("operator").post("/api/evaluations", {**BODY, "budget": body["budget"]})
        assert again.json()["budget"] == body["budget"]
        asked = EvaluationRequest(dataset="sums", split="dev", arms=(), budget=Budget(**budget))
        assert asked.budget.max_seconds == seconds

    def test_arms_of_one_method_get_labels_of_their_own(self, as_user: AsUser) -> None:
        arms = [{"method": "direct"}, {"method": "direct"}, {"method": "direct", "label": "plain"}]
        body = as_user("operator").post("/api/evaluations", {**BODY, "arms": arms}).json()
        assert [arm["label"] for arm in body["arms"]] == ["direct", "direct 2", "plain"]

    def test_a_design_that_is_a_script_is_an_arm_under_its_name(
        self, as_user: AsUser, cast: dict[str, User]
    ) -> None:
        script = 'from workflow import agent, deliver\ndeliver(agent("A", "Solve it."))\n'
        made = design_create(user=cast["operator"], name="Script", draft={"script": script})
        arms = [{"method": "design", "design": str(made.id)}]
        [arm] = as_user("operator").post("/api/evaluations", {**BODY, "arms": arms}).json()["arms"]
        assert (arm["label"], arm["method"]) == ("Script", "metaagent_x")
        assert (arm["design"], arm["method_config"]["script"]) == (str(made.id), script)

    def test_what_is_wrong_is_named(self, as_user: AsUser) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
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
            ({"arms": [{"method": "direct"}] * 31}, "arms"),
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
        ]
        for change, field in wrong:
            answer = as_user("operator").post("/api/evaluations", {**BODY, **change})
            assert answer.status_code == 400, change
            error = answer.json()["error"]
            assert field in [item["field"] for item in error["fields"]], change
            assert error["remedy"]
        assert Evaluation.objects.count() == 0

    def test_too_many_are_refused_before_a_task_is_read(
        self, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("apps.evaluations.plan.MAX_CELLS", 3)
        whole_split = {name: value for name, value in BODY.items() if name != "limit"}
        with CaptureQueriesContext(connection) as asked:
            answer = as_user("operator").post("/api/evaluations", whole_split)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "too_many_cells")
        assert "12 answers" in error["message"]
        assert not [query for query in asked.captured_queries if "reference" in query["sql"]]

    def test_more_text_than_fits_in_memory_is_refused_before_a_task_is_read(
        self, as_user: AsUser, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("apps.evaluations.plan.MAX_TEXT_BYTES", 10_000)
        dataset.tasks.filter(index=0).update(query="ü" * 4_000)
        dataset.tasks.filter(index=1).update(reference="x" * 500, metadata={"tests": "y" * 500})
        assert as_user("operator").post("/api/evaluations", BODY).status_code == 201
        dataset.tasks.filter(index=1).update(metadata={"tests": "y" * 2_000})
        with CaptureQueriesContext(connection) as asked:
            answer = as_user("operator").post("/api/evaluations", BODY)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "too_much_text")
        assert error["fields"][0]["field"] == "limit"
        assert not [one for one in asked.captured_queries if '"domain"' in one["sql"]]
        assert as_user("operator").post("/api/evaluations", {**BODY, "limit": 1}).status_code == 201

    def test_a_limit_takes_the_first_tasks(self, as_user: AsUser) -> None:
        for limit, count in ((None, 6), (4, 4), (7, 6)):
            body = {**BODY, "arms": [{"method": "direct"}], "limit": limit}
            made = as_user("operator").post("/api/evaluations", body).json()
            assert (made["task_count"], made["total"]) == (count, count)
            tasks = EvaluationTask.objects.filter(evaluation=made["id"])
            assert list(tasks.values_list("index", flat=True)) == list(range(count))

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


class TestTwice:
    def test_the_same_key_gives_the_same_evaluation(self, as_user: AsUser) -> None:
        client, key = as_user("operator"), {"Idempotency-Key": "k"}
        first, again = (client.post("/api/evaluations", BODY, headers=key) for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert Evaluation.objects.count() == 1

    @pytest.mark.django_db(transaction=True)
    def test_also_at_the_same_moment_and_at_the_limit(
        self, cast: dict[str, User], settings: Settings
    ) -> None:
        settings.EVALUATION_MAX_ACTIVE_PER_USER = 1
        arms = (ArmRequest(method="direct"),)
        request = EvaluationRequest(dataset="sums", split="dev", arms=arms)

        def create(_: int) -> bool:
            return evaluation_create(
                user=cast["operator"], request=request, idempotency_key="k"
            ).created

        assert sorted(at_once(create, 3)) == [False, False, True]
        assert Evaluation.objects.count() == 1

    def test_nobody_has_more_under_way_than_the_limit(
        self, as_user: AsUser, make_evaluation: MakeEvaluation, settings: Settings
    ) -> None:
        settings.EVALUATION_MAX_ACTIVE_PER_USER = 2
        first, _ = make_evaluation(), make_evaluation()
        answer = as_user("operator").post("/api/evaluations", BODY)
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_evaluations")
        assert answer["Retry-After"]
        assert as_user("admin").post("/api/evaluations", BODY).status_code == 201
        address = f"/api/evaluations/{first.id}"
        assert as_user("operator").post(f"{address}/cancel").status_code == 200
        assert as_user("operator").post("/api/evaluations", BODY).status_code == 201
        assert as_user("operator").post(f"{address}/resume").status_code == 429


class TestWarnings:
    @pytest.mark.usefixtures("checkpoint")
    def test_a_checkpoint_deleted_while_tasks_were_compared_is_told(
        self, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def notices(plan: EvaluationPlan) -> list[Notice]:
            Checkpoint.objects.all().delete()
            return []

        monkeypatch.setattr("apps.evaluations.services.plan_notices", notices)
        answer = as_user("operator").post("/api/evaluations", of_checkpoint("trained"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "checkpoint_gone")
        assert not Evaluation.objects.exists()

    @pytest.fixture
    def checkpoint(self, dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Checkpoint:
        monkeypatch.setattr("apps.evaluations.plan.set_up_plan", _checkpoint_exists())
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
        self, as_user: AsUser, checkpoint: Checkpoint
    ) -> None:
        arms = [{"method": "direct"}, {"method": "direct", "checkpoint": "trained"}]
        body = {**BODY, "arms": arms, "limit": 6}
        (warning,) = warned(as_user, body)
        assert (warning["code"], warning["arm"]) == ("trained_on_tasks", "direct · trained")
        assert "1 of 6 tasks are in sums/train" in warning["message"]

    def test_a_checkpoint_without_a_job_tells_by_its_recipe(
        self, as_user: AsUser, checkpoint: Checkpoint
    ) -> None:
        recipe = {"dataset": "sums", "split": "train"}
        Checkpoint.objects.update(job=None, recipe=recipe)
        assert len(warned(as_user, of_checkpoint("trained"))) == 1

    @pytest.mark.usefixtures("checkpoint")
    def test_one_from_elsewhere_tells_of_its_tasks_itself(
        self, as_user: AsUser, settings: Settings, tmp_path: Path
    ) -> None:
        settings.DATA_DIR = tmp_path
        info = trained_info(
            "direct",
            recipe={"dataset": "not here", "split": "train"},
            trained_on=(query_hash("What is 3+4?"), query_hash("What is 3+4000?")),
        )
        save(tmp_path / "checkpoints" / "brought", {}, info)
        checkpoints_register()
        (warning,) = warned(as_user, of_checkpoint("brought"))
        assert "1 of 6 tasks are in not here/train" in warning["message"]

    def test_an_arm_that_names_none_has_the_default_one(
        self, as_user: AsUser, settings: Settings, tmp_path: Path
    ) -> None:
        settings.DATA_DIR = tmp_path
        make_pool()
        info = trained_info("mashost", trained_on=(query_hash("What is 3+4?"),))
        save(tmp_path / "checkpoints" / "mine", {"value": torch.zeros(1)}, info)
        checkpoints_register()
        checkpoint_promote(checkpoint=Checkpoint.objects.get(name="mine"))
        body = {**BODY, "arms": [{"method": "mashost", "pool": "small"}], "limit": 6}
        made = as_user("operator").post("/api/evaluations", body).json()
        assert [arm["checkpoint"] for arm in made["arms"]] == ["mine"]
        (warning,) = made["warnings"]
        assert (warning["code"], warning["arm"]) == ("trained_on_tasks", made["arms"][0]["label"])

    @pytest.mark.usefixtures("checkpoint")
    @pytest.mark.parametrize("trained_on", ["composed", "base"])
    def test_composed_tasks_are_known_by_their_problems(
        self, as_user: AsUser, dataset: Dataset, trained_on: str
    ) -> None:
        base = [
            TaskSpec(query=f"{who} has {n} eggs?", reference=str(n), verifier="numeric")
            for n, who in enumerate(("Ann", "Bo of the hill", "Cy", "Di"), start=3)
        ]
        Task.objects.all().delete()
        _store(dataset, "dev", compose(problems_of(base), count=2, nodes=3, seed=1))
        again = compose(problems_of(base), count=2, nodes=3, seed=2)
        _store(dataset, "train", again if trained_on == "composed" else base)
        body = of_checkpoint("trained")
        (warning,) = warned(as_user, body)
        assert warning["code"] == "trained_on_tasks"
        assert (
            "2 of 2 tasks are in sums/train, 2 of them with a problem that they are composed of"
            in warning["message"]
        )
        _store(dataset, "test", base[:2])
        (warning,) = warned(as_user, {**body, "split": "test"})
        assert "2 of 2 tasks are in sums/train. The checkpoint" in warning["message"]

    @pytest.mark.parametrize("kept", [True, False])
    def test_what_its_training_started_from_was_trained_on_counts_too(
        self, as_user: AsUser, checkpoint: Checkpoint, kept: bool
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
        warnings = warned(as_user, of_checkpoint("later"))
        assert [w["code"] for w in warnings] == (["trained_on_tasks"] if kept else [])
        if kept:
            assert "in other/train and sums/train" in warnings[0]["message"]

    @pytest.mark.parametrize("is_there", [True, False])
    @pytest.mark.usefixtures("checkpoint")
    def test_what_its_rewards_were_trained_on_counts_too(
        self, as_user: AsUser, is_there: bool
    ) -> None:
        """Also where its training is not there any more: its recipe is."""
        other = Dataset.objects.create(key="other", name="Other")
        config = {"reward": "model", "reward_checkpoint": "trained"}
        job = TrainingJob.objects.create(
            name="k", method="reso", dataset=other, split="train", config=config
        )
        recipe = {"method": "reso", "dataset": "other", "split": "train", "config": config}
        of = {"method": "reso", "path": "y", "digest": "e", "trained": True, "recipe": recipe}
        Checkpoint.objects.create(name="later", job=job if is_there else None, **of)
        (warning,) = warned(as_user, of_checkpoint("later"))
        assert warning["code"] == "trained_on_tasks"
        assert "in other/train and sums/train" in warning["message"]

    @pytest.mark.usefixtures("checkpoint")
    def test_what_was_too_much_to_compare_is_told(
        self, as_user: AsUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("apps.evaluations.notices.CHARS", 5)
        (warning,) = warned(as_user, of_checkpoint("trained"))
        assert (warning["code"], warning["arm"]) == ("leak_check_partial", "direct · trained")
        assert "sums/train" in warning["message"]

    def test_tasks_without_a_verifier_are_told(self, as_user: AsUser) -> None:
        Task.objects.filter(index=1).update(verifier="")
        (warning,) = warned(as_user, BODY)
        assert (warning["code"], warning["arm"]) == ("no_verifier", None)


def _store(dataset: Dataset, split: str, tasks: Iterable[TaskSpec]) -> None:
    for index, task in enumerate(tasks):
        Task.objects.create(
            dataset=dataset,
            split=split,
            index=index,
            query=task.query,
            reference=task.reference or "",
            metadata=task.metadata,
        )


def _checkpoint_exists() -> Callable[..., Any]:
    """The weights on disk are another matter: here it is about where they come from."""
    from apps.setups.plan import SetUpPlan, set_up_plan
    from apps.setups.wanted import SetUpWanted

    def plan(request: SetUpWanted, errors: Any = ()) -> SetUpPlan:
        made = set_up_plan(request.model_copy(update={"checkpoint": None}), errors)
        return replace(made, checkpoint=request.checkpoint or "")

    return plan
