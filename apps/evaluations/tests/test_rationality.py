"""Answers looked at by a worker, and what the API says of them before, while and after."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps as registry
from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, connections
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.evaluations.diagnoses import diagnoses_store, traces_of, undiagnosed
from apps.evaluations.models import Diagnosis, Evaluation, EvaluationResult, RationalityReport
from apps.evaluations.outcomes import forget
from apps.evaluations.rationality import report_store
from apps.evaluations.requests import ArmRequest
from apps.evaluations.tests.conftest import SPENT, MakeEvaluation, end_run, fail_run, one_round
from apps.evaluations.tests.traces import RULES, answer_all, make_pool
from apps.llms.models import Endpoint
from apps.runs.models import Run, RunEvent
from workers.core.evaluation.diagnosis import Diagnosis as Found
from workers.core.evaluation.failures import FailureCategory
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.tasks import rationality as looking
from workers.tasks.evaluation import evaluation_diagnose
from workers.tasks.rationality import look_at_answers

pytestmark = pytest.mark.django_db

Sent = list[tuple[str, str]]
CHAIN = {"shape": "chain", "roles": "adder,planner"}
ARMS = (
    ArmRequest(method="direct"),
    ArmRequest(method="fixed_graph", label="fit", pool="small", method_config=CHAIN),
    ArmRequest(
        method="fixed_graph",
        label="strange",
        pool="small",
        method_config={**CHAIN, "roles": "gardener,beekeeper,chemist"},
    ),
)


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub(rules=RULES) as running:
        yield running


@pytest.fixture
def answered(make_evaluation: MakeEvaluation, endpoint: Endpoint, stub: RunningStub) -> Evaluation:
    """Six sums by three arms: one without roles, one with fitting ones, one with strangers."""
    Endpoint.objects.update(base_url=stub.url)
    make_pool()
    evaluation = make_evaluation(arms=ARMS, concurrency=18)
    answer_all(evaluation)
    assert evaluation.status == "succeeded"
    return evaluation


def rationality(client: APIClient, evaluation: Evaluation) -> dict[str, Any]:
    answer = client.get(f"/api/evaluations/{evaluation.id}/rationality")
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def counts(arm: dict[str, Any]) -> dict[tuple[str | None, str], int]:
    return {(found["category"], found["by"]): found["count"] for found in arm["categories"]}


class TestReport:
    def test_pending_then_a_worker_looks_then_ready(
        self, as_user: AsUser, answered: Evaluation, sent: Sent
    ) -> None:
        sent.clear()
        before = rationality(as_user("viewer"), answered)
        assert (before["status"], before["answers"], before["looked_at"]) == ("pending", 18, 0)
        assert (before["arms"], before["structure"]) == ([], None)
        assert sent == [("evaluation", str(answered.id))]
        evaluation_diagnose(str(answered.id))
        after = rationality(as_user("viewer"), answered)
        assert (after["status"], after["looked_at"]) == ("ready", 18)
        assert [arm["label"] for arm in after["arms"]] == ["direct", "fit", "strange"]
        assert len(sent) == 1

    def test_a_report_of_what_an_upgrade_took_away_is_made_anew(
        self, as_user: AsUser, answered: Evaluation
    ) -> None:
        evaluation_diagnose(str(answered.id))
        before = rationality(as_user("viewer"), answered)
        for name in ("0008_diagnoses_anew.forget_rules", "0010_reports_anew.forget_sums"):
            module, _, function = name.partition(".")
            found = import_module(f"apps.evaluations.migrations.{module}")
            getattr(found, function)(registry, None)
        assert rationality(as_user("viewer"), answered)["status"] == "pending"
        evaluation_diagnose(str(answered.id))
        assert rationality(as_user("viewer"), answered) == before

    def test_roles_and_categories_of_each_arm_in_a_few_small_statements(
        self,
        as_user: AsUser,
        answered: Evaluation,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        look_at_answers(answered.id)
        viewer = as_user("viewer")
        with django_assert_max_num_queries(7):
            direct, fit, strange = rationality(viewer, answered)["arms"]
        assert direct["roles"] is None
        assert (fit["roles"]["tasks"], fit["roles"]["share"]) == (6, 1.0)
        assert fit["roles"]["share_interval"][0] > 0.5
        assert (strange["roles"]["share"], strange["roles"]["share_interval"][0]) == (0.0, 0.0)
        low, high = fit["roles"]["similarity_interval"]
        assert low <= fit["roles"]["similarity"] <= high
        assert fit["roles"]["similarity"] > strange["roles"]["similarity"] + 0.2
        assert [arm["wrong"] for arm in (direct, fit, strange)] == [3, 3, 3]
        near: dict[tuple[str | None, str], int] = {("slight_deviation", "rule"): 1}
        assert counts(direct) == counts(fit) == {**near, (None, "unjudged"): 2}
        assert counts(strange) == {**near, ("incorrect_role_selection", "rule"): 2}

    def test_the_answers_behind_a_number(self, as_user: AsUser, answered: Evaluation) -> None:
        client, address = as_user("viewer"), f"/api/evaluations/{answered.id}/results"
        undecided = client.get(f"{address}?category=undecided").json()["results"]
        assert (len(undecided), undecided[0]["why"]) == (9, None)  # nobody has looked
        look_at_answers(answered.id)
        (cell,) = client.get(f"{address}?arm=fit&category=slight_deviation").json()["results"]
        assert cell["task"]["index"] == 1
        assert cell["why"] == {
            "category": "slight_deviation",
            "by": "rule",
            "judge": None,
            "reason": "30 differs from 3 by a power of ten.",
        }
        undecided = client.get(f"{address}?category=undecided").json()["results"]
        assert {(row["task"]["index"], row["arm"]) for row in undecided} == {
            (index, arm) for index in (2, 4) for arm in ("direct", "fit")
        }
        assert {row["why"]["by"] for row in undecided} == {"unjudged"}
        right = client.get(f"{address}?correct=true").json()["results"]
        assert {row["why"] for row in right} == {None}
        assert client.get(f"{address}?category=bad_luck").status_code == 400

    def test_who_asks_often_sends_one_message(
        self, as_user: AsUser, answered: Evaluation, sent: Sent
    ) -> None:
        sent.clear()
        for _ in range(5):
            rationality(as_user("viewer"), answered)
        assert len(sent) == 1
        cache.clear()  # the while is over, and the message may have been lost
        rationality(as_user("viewer"), answered)
        assert len(sent) == 2

    def test_before_the_first_answer_there_is_nothing_to_wait_for(
        self, as_user: AsUser, make_evaluation: MakeEvaluation, sent: Sent
    ) -> None:
        evaluation = make_evaluation()
        sent.clear()
        assert rationality(as_user("viewer"), evaluation)["status"] == "ready"
        assert sent == []


class TestWhileItRuns:
    def test_a_new_answer_is_pending_until_it_is_looked_at(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=1)
        for looked_at in (1, 2):
            one_round(evaluation, lambda run: end_run(run, correct=False))
            body = rationality(as_user("viewer"), evaluation)
            assert (body["status"], body["looked_at"]) == ("pending", looked_at - 1)
            look_at_answers(evaluation.id)
            body = rationality(as_user("viewer"), evaluation)
            assert (body["status"], body["looked_at"]) == ("ready", looked_at)

    def test_failed_answers_are_counted_apart(
        self, as_user: AsUser, make_evaluation: MakeEvaluation
    ) -> None:
        evaluation = make_evaluation(concurrency=2)
        one_round(evaluation, lambda run: fail_run(run, SPENT))
        look_at_answers(evaluation.id)
        for arm in rationality(as_user("viewer"), evaluation)["arms"]:
            assert (arm["wrong"], arm["failed"], arm["categories"]) == (0, 1, [])

    def test_one_that_is_answered_again_is_looked_at_again(
        self, as_user: AsUser, answered: Evaluation
    ) -> None:
        look_at_answers(answered.id)
        cell = answered.results.get(arm__label="direct", task__index=1)
        forget([cell])
        Evaluation.objects.update(status="running", done=17)
        one_round(answered)
        assert rationality(as_user("viewer"), answered)["status"] == "pending"
        look_at_answers(answered.id)
        body = rationality(as_user("viewer"), answered)
        assert body["status"] == "ready"
        assert ("slight_deviation", "rule") not in counts(body["arms"][0])

    def test_a_deleted_trace_leaves_the_answer_undecided(
        self, as_user: AsUser, answered: Evaluation
    ) -> None:
        Run.objects.filter(result__arm__label="strange").delete()
        look_at_answers(answered.id)
        body = rationality(as_user("viewer"), answered)
        assert body["status"] == "ready"
        strange = body["arms"][2]
        assert (strange["roles"], counts(strange)) == (None, {(None, "unjudged"): 3})


class TestWorker:
    def test_it_takes_turns_with_others(
        self, answered: Evaluation, sent: Sent, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(looking, "BATCH", 4)
        monkeypatch.setattr("workers.tasks.evaluation.DIAGNOSE_SECONDS", 0.0)
        sent.clear()
        evaluation_diagnose(str(answered.id))
        assert sent == [("evaluation", str(answered.id))]
        assert RationalityReport.objects.get().looked_at < 18
        monkeypatch.setattr("workers.tasks.evaluation.DIAGNOSE_SECONDS", 60.0)
        evaluation_diagnose(str(answered.id))
        assert RationalityReport.objects.get().looked_at == Diagnosis.objects.count() == 18
        assert len(sent) == 1

    def test_a_second_one_leaves_it_to_the_first(self, answered: Evaluation) -> None:
        other = connections.create_connection(DEFAULT_DB_ALIAS)
        key = answered.id.int & (2**63 - 1)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [key])
            assert look_at_answers(answered.id)
            assert Diagnosis.objects.count() == 0
            cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
        other.close()
        look_at_answers(answered.id)
        assert Diagnosis.objects.count() == 18

    def test_looked_at_twice_it_is_stored_once_and_gone_it_is_left_out(
        self, answered: Evaluation
    ) -> None:
        cells = undiagnosed(answered.id, 3)
        found = [
            Found(None, FailureCategory("slight_deviation", "rule", "half \ud800 and \x00"))
        ] * 3
        Run.objects.filter(result=cells[0]).delete()
        diagnoses_store(cells, found)
        diagnoses_store(cells, found)
        reasons = Diagnosis.objects.values_list("reason", flat=True)
        assert list(reasons) == ["half \ufffd and \ufffd"] * 2

    def test_of_an_evaluation_that_is_gone_nothing_is_kept(
        self, as_user: AsUser, answered: Evaluation
    ) -> None:
        gone = answered.id
        look_at_answers(gone)
        assert as_user("operator").delete(f"/api/evaluations/{gone}").status_code == 204
        assert look_at_answers(gone)
        assert report_store(gone) is None
        assert Diagnosis.objects.count() == RationalityReport.objects.count() == 0

    def test_a_trace_that_cannot_be_read_is_no_reason_to_stop(self, answered: Evaluation) -> None:
        RunEvent.objects.filter(kind="agent_started").update(payload={"event": "agent_started"})
        look_at_answers(answered.id)
        unread = Diagnosis.objects.filter(by="unjudged", reason__contains="can't be read")
        assert unread.count() == 9

    def test_only_the_last_attempt_counts(self, answered: Evaluation) -> None:
        cell = EvaluationResult.objects.get(arm__label="direct", task__index=1)
        first = RunEvent.objects.get(run__result=cell, kind="intermediate_answer")
        again = {"kind": first.kind, "payload": {**first.payload, "answer": "1000"}}
        RunEvent.objects.create(run_id=first.run_id, attempt=2, seq=1, at=first.at, **again)
        (trace,) = traces_of([EvaluationResult.objects.get(pk=cell.pk)])
        assert len([event for event in trace.events if event.event == first.kind]) == 1

    def test_thousands_of_right_answers_take_few_statements(
        self, make_evaluation: MakeEvaluation, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        evaluation = make_evaluation(repeats=20)
        runs = Run.objects.bulk_create(
            Run(
                evaluation=evaluation,
                status="succeeded",
                finished_at=evaluation.created_at,
                **{"method": "direct", "endpoint_key": "stub", "endpoint_spec": {}, "query": "?"},
            )
            for _ in range(evaluation.total)
        )
        cells = list(evaluation.results.all())
        for cell, run in zip(cells, runs, strict=True):
            cell.run, cell.correct, cell.recorded_at = run, True, evaluation.created_at
        EvaluationResult.objects.bulk_update(cells, ["run", "correct", "recorded_at"])
        with django_assert_max_num_queries(40):
            look_at_answers(evaluation.id)
        assert Diagnosis.objects.count() == evaluation.total == 240
