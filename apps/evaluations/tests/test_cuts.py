"""Cut answers of an evaluation: what cells, arms, warnings and files tell of them."""

import csv
import io
from typing import Any

import pytest

from apps.accounts.tests.cast import AsUser
from apps.agents.tests.profiles import make_endpoint
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation, EvaluationArm
from apps.evaluations.requests import ArmRequest
from apps.evaluations.services import evaluation_resume
from apps.evaluations.statistics import evaluation_file, evaluation_summary
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, one_round
from apps.evaluations.tests.support import BODY
from apps.llms.models import Endpoint
from apps.runs.models import Run
from apps.tasks.models import Dataset
from studio.management.report import report_lines
from workers.core.specs import REPLY_TOKENS, Budget

LABEL = "Chain of thought"
ARMS = (
    ArmRequest(method="direct"),
    ArmRequest(method="chain_of_thought", label=LABEL, max_completion_tokens_per_call=192),
)


def cut_of(*, cut: bool) -> dict[str, Any]:
    agents = ["a1"] if cut else []
    return {"replies": 1, "cut_replies": int(cut), "cut_agents": agents, "final_cut": cut}


@pytest.fixture
def cut(make_evaluation: MakeEvaluation) -> Evaluation:
    """Three of six answers of the second arm are cut, none of the first."""

    def end(run: Run) -> None:
        is_cut = run.method == "chain_of_thought" and run.result.task.index < 3
        end_run(run, correct=not is_cut, **cut_of(cut=is_cut))

    evaluation = make_evaluation(arms=ARMS, concurrency=12)
    one_round(evaluation, end)
    return evaluation


MESSAGE = (
    f"50% of the answers of “{LABEL}” were cut at 192 tokens. The comparison favours short answers."
)


def test_an_arm_has_its_own_limit(cut: Evaluation) -> None:
    limits = cut.runs.values_list("method", "budget__max_completion_tokens_per_call").distinct()
    assert dict(limits) == {"direct": REPLY_TOKENS, "chain_of_thought": 192}
    others = {**cut.budget}
    del others["max_completion_tokens_per_call"]
    assert all(others.items() <= run.budget.items() for run in cut.runs.all())


def test_the_summary_warns_of_the_arm_and_says_what_has_room(cut: Evaluation) -> None:
    summary = evaluation_summary(cut)
    direct, chain = summary["arms"]
    assert (direct["cut_share"], direct["cut_final_share"]) == (0.0, 0.0)
    assert (chain["replies"], chain["cut_replies"], chain["cut_share"]) == (6, 3, 0.5)
    assert (chain["finals"], chain["cut_finals"], chain["cut_final_share"]) == (6, 3, 0.5)
    (warning,) = summary["cut_warnings"]
    assert warning["message"] == MESSAGE
    assert (warning["limit"], warning["suggested_limit"]) == (192, 1_024)
    assert f"Warning: {MESSAGE}" in list(report_lines(summary))


def test_at_its_end_the_evaluation_itself_warns(cut: Evaluation) -> None:
    assert cut.warnings == [{"code": "cut_answers", "message": MESSAGE, "arm": LABEL}]
    Evaluation.objects.update(status="cancelled")
    assert cut.created_by is not None
    resumed = evaluation_resume(
        user=cut.created_by, evaluation_id=cut.id, as_admin=True, enqueue=False
    )
    assert resumed.warnings == []
    advance(cut.id)
    cut.refresh_from_db()
    assert [warning["code"] for warning in cut.warnings] == ["cut_answers"]


def test_without_cut_answers_nothing_is_warned_of(ended: Evaluation) -> None:
    """Runs of an older studio, which counted nothing: unknown, and no warning."""
    summary = evaluation_summary(ended)
    assert summary["cut_warnings"] == []
    assert [arm["cut_share"] for arm in summary["arms"]] == [None, None]
    assert [arm["cuts_unknown"] for arm in summary["arms"]] == [6, 6]
    assert not [w for w in ended.warnings if w["code"] == "cut_answers"]


def test_the_files_tell_each_answer(cut: Evaluation, ended: Evaluation) -> None:
    def rows(evaluation: Evaluation, table: Any) -> list[dict[str, str]]:
        body = b"".join(evaluation_file(evaluation, "csv", table)).decode()
        return list(csv.DictReader(io.StringIO(body, newline="")))

    cells = [row for row in rows(cut, "cells") if row["arm"] == LABEL]
    assert [row["final_cut"] for row in cells] == ["true"] * 3 + ["false"] * 3
    assert [row["cut_replies"] for row in cells] == ["1"] * 3 + ["0"] * 3
    arms = rows(cut, "arms")
    assert [arm["cut_share"] for arm in arms] == ["0.0", "0.5"]
    assert {row["final_cut"] for row in rows(ended, "cells")} == {""}
    assert {arm["cut_share"] for arm in rows(ended, "arms")} == {""}


def test_the_api_tells_cells_arms_and_differences(cut: Evaluation, as_user: AsUser) -> None:
    client = as_user("viewer")
    body = client.get(f"/api/evaluations/{cut.id}").json()
    own = [arm["max_completion_tokens_per_call"] for arm in body["arms"]]
    assert own == [None, 192]
    assert [arm["reply_tokens"] for arm in body["arms"]] == [REPLY_TOKENS, 192]
    assert body["differences"] == ["limit"]
    summary = client.get(f"/api/evaluations/{cut.id}/summary").json()
    assert [warning["label"] for warning in summary["cut_warnings"]] == [LABEL]
    first = client.get(f"/api/evaluations/{cut.id}/results?arm={LABEL}").json()["results"][0]
    assert (first["replies"], first["cut_replies"], first["final_cut"]) == (1, 1, True)


def test_arms_may_differ_in_endpoint_and_tools(
    make_evaluation: MakeEvaluation, endpoint: Endpoint, as_user: AsUser
) -> None:
    make_endpoint("other", model="larger")
    arms = (ArmRequest(method="direct"), ArmRequest(method="program", endpoint="other"))
    evaluation = make_evaluation(arms=arms)
    client = as_user("viewer")
    body = client.get(f"/api/evaluations/{evaluation.id}").json()
    assert body["differences"] == ["endpoint", "tools"]
    assert [arm["tools"] for arm in body["arms"]] == [[], ["program"]]
    EvaluationArm.objects.update(tools=None)
    body = client.get(f"/api/evaluations/{evaluation.id}").json()
    assert body["differences"] == ["endpoint"]
    same = make_evaluation(arms=(ArmRequest(method="direct"), ArmRequest(method="self_refine")))
    assert client.get(f"/api/evaluations/{same.id}").json()["differences"] == []


def test_a_methods_shorter_replies_are_the_arms_limit_unless_somebody_sets_one(
    make_evaluation: MakeEvaluation, endpoint: Endpoint, as_user: AsUser
) -> None:
    Endpoint.objects.update(parameters=135_000_000, parameters_from="person")
    arms = (ArmRequest(method="evomas"), ArmRequest(method="direct"))
    evaluation = make_evaluation(arms=arms)
    body = as_user("viewer").get(f"/api/evaluations/{evaluation.id}").json()
    assert [arm["reply_tokens"] for arm in body["arms"]] == [512, REPLY_TOKENS]
    assert "limit" in body["differences"]
    roomy = ArmRequest(method="evomas", max_completion_tokens_per_call=512)
    for evaluation in (
        make_evaluation(arms=(roomy,)),
        make_evaluation(arms=arms[:1], budget=Budget(max_completion_tokens_per_call=512)),
    ):
        (arm,) = evaluation.arms.all()
        assert arm.reply_tokens(evaluation) == 512


def test_a_context_that_is_too_short_for_the_limit_is_told_at_once(
    make_evaluation: MakeEvaluation, endpoint: Endpoint, as_user: AsUser
) -> None:
    Endpoint.objects.update(context_length=1_000)
    evaluation = make_evaluation(arms=ARMS)
    (warning,) = evaluation.warnings
    assert (warning["code"], warning["arm"]) == ("reply_limited_by_context", "direct")
    assert "500 tokens instead of 1,024" in warning["message"]
    body = as_user("viewer").get(f"/api/evaluations/{evaluation.id}").json()
    assert [arm["reply_tokens"] for arm in body["arms"]] == [500, 192]


def test_a_limit_that_is_none_is_refused_at_the_field(as_user: AsUser, dataset: Dataset) -> None:
    for limit in (0, -1, 100_001, "much"):
        arms = [{"method": "direct", "max_completion_tokens_per_call": limit}]
        refused = as_user("operator").post("/api/evaluations", {**BODY, "arms": arms})
        assert refused.status_code == 400
        fields = [field["field"] for field in refused.json()["error"]["fields"]]
        assert fields == ["arms.0.max_completion_tokens_per_call"]
