"""`manage.py rationality`: rules, a judge, and trials of structure against the stub LLM."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from apps.evaluations.models import Diagnosis, Evaluation, EvaluationArm, RationalityReport
from apps.evaluations.requests import ArmRequest
from apps.evaluations.subjects import trial_subjects
from apps.evaluations.tests.conftest import MakeEvaluation
from apps.evaluations.tests.traces import JUDGED, RULES, answer_all, make_pool
from apps.llms.models import Endpoint
from apps.runs.models import RunEvent
from workers.core.evaluation.diagnosis import NO_TRACE
from workers.core.testing.stub_llm import RunningStub, running_stub

pytestmark = pytest.mark.django_db(transaction=True)  # kept answers go through another connection
ARMS = (
    ArmRequest(method="direct"),
    ArmRequest(
        method="fixed_graph",
        label="team",
        pool="small",
        method_config={"shape": "chain", "roles": "planner,adder"},
    ),
)


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    with running_stub(rules=(JUDGED, *RULES)) as running:
        yield running


@pytest.fixture
def answered(make_evaluation: MakeEvaluation, endpoint: Endpoint, stub: RunningStub) -> Evaluation:
    Endpoint.objects.update(base_url=stub.url)
    make_pool()
    evaluation = make_evaluation(arms=ARMS, concurrency=12)
    answer_all(evaluation)
    stub.clear()
    return evaluation


def rationality(
    capsys: pytest.CaptureFixture[str], evaluation: Evaluation, *options: str
) -> list[str]:
    call_command("rationality", str(evaluation.id), *options)
    return capsys.readouterr().out.splitlines()


def test_by_rules_no_model_is_asked(
    capsys: pytest.CaptureFixture[str], answered: Evaluation, stub: RunningStub, tmp_path: Path
) -> None:
    file = tmp_path / "report.json"
    lines = rationality(capsys, answered, f"--json={file}")
    assert lines[0].split()[:3] == ["arm", "roles", "match"]
    assert lines[1].split() == ["direct", "–", "–", "–", "–", "3", "0"]
    assert lines[2].split()[:2] == ["team", "100.0%"]
    assert lines[4:7] == [
        "direct: 3 wrong",
        "      1   33.3%  slight deviation, by rule",
        "      2   66.7%  undecided",
    ]
    assert stub.log()["total"] == 0
    report = json.loads(file.read_text())
    assert (report["evaluation"], report["status"]) == (str(answered.id), "ready")
    assert report["arms"][1]["roles"]["share"] == 1.0


def test_a_judge_says_what_no_rule_decides_and_is_named(
    capsys: pytest.CaptureFixture[str], answered: Evaluation, stub: RunningStub
) -> None:
    lines = rationality(capsys, answered, "--judge=stub")
    assert "      1   33.3%  task forgetting, judged by stub" in lines
    assert "      1   33.3%  undecided" in lines  # a reply that is no judgement
    judged = Diagnosis.objects.filter(by="judge")
    assert set(judged.values_list("judge", "reason")) == {("stub", "It forgot \ufffd.")}
    left = Diagnosis.objects.filter(by="unjudged").values_list("reason", flat=True)
    assert set(left) == {"The judge's reply does not have the required form."}
    asked = stub.log()["total"]
    assert rationality(capsys, answered, "--judge=stub") == lines
    assert stub.log()["total"] == asked  # what it said is kept


def test_of_an_answer_whose_trace_is_gone_no_model_is_asked(
    capsys: pytest.CaptureFixture[str], answered: Evaluation, stub: RunningStub
) -> None:
    RunEvent.objects.filter(run__result__arm__label="direct").delete()
    lines = rationality(capsys, answered, "--judge=stub")
    assert lines[4:6] == ["direct: 3 wrong", "      3  100.0%  undecided"]
    gone = Diagnosis.objects.filter(run__result__arm__label="direct", by="unjudged")
    assert set(gone.values_list("reason", flat=True)) == {NO_TRACE.reason}
    asked = [json.dumps(request) for request in stub.log()["requests"]]
    assert asked
    assert all("adder" in request for request in asked)  # a role of the other arm's


def test_m_against_one_agent_less_and_one_more(
    capsys: pytest.CaptureFixture[str], answered: Evaluation, stub: RunningStub, tmp_path: Path
) -> None:
    file = tmp_path / "report.json"
    lines = rationality(capsys, answered, "--structure=4", "--seed=3", f"--json={file}")
    found = lines.index("team: the graph (M), one agent less (M−) and one more (M+), over 4 tasks")
    assert lines[found + 1].startswith("  M ")
    assert lines[found + 4].startswith("  M − M-: +0.0 points")
    structure = json.loads(file.read_text())["structure"]
    assert (structure["tasks"], structure["seed"]) == (4, 3)
    (team,) = structure["arms"]
    assert [variant["n"] for variant in team["variants"]] == [4, 4, 4]
    tokens = [variant["tokens_mean"] for variant in team["variants"]]
    assert tokens[1] < tokens[0] < tokens[2]
    assert [pair["mcnemar_p"] for pair in team["pairs"]] == [1.0, 1.0]
    asked = stub.log()["total"]
    again = rationality(capsys, answered, "--structure=4", "--seed=3")
    assert (again, stub.log()["total"]) == (lines, asked)
    assert RationalityReport.objects.get().structure == structure


def test_the_tasks_of_a_trial_are_the_seed_s(answered: Evaluation) -> None:
    arm = EvaluationArm.objects.get(label="team")
    by_seed = [
        tuple(subject.task for subject in trial_subjects(arm, tasks=2, seed=seed))
        for seed in (*range(8), *range(8))
    ]
    assert by_seed[:8] == by_seed[8:]
    assert len(set(by_seed)) > 2
    assert all(len(set(tasks)) == 2 for tasks in by_seed)
    assert len(trial_subjects(arm, tasks=100, seed=0)) == 6


def test_a_dead_endpoint_stops_a_trial_with_its_cause(answered: Evaluation) -> None:
    arm = EvaluationArm.objects.get(label="team")
    arm.endpoint_spec = {**arm.endpoint_spec, "base_url": "http://127.0.0.1:9/v1"}
    arm.save()
    with pytest.raises(CommandError, match=r"comparison of M, M− and M\+ stopped") as caught:
        call_command("rationality", str(answered.id), "--structure=2")
    assert "127.0.0.1:9" in str(caught.value)
    assert RationalityReport.objects.get().structure is None


def test_what_cannot_be_done_is_said(make_evaluation: MakeEvaluation) -> None:
    evaluation = make_evaluation()
    for option, said in (
        ("--judge=nobody", "no endpoint “nobody”. Use one of: stub"),
        ("--judge=stub", "--judge: .*127.0.0.1:9"),
        ("--structure=0", "at least one task"),
        ("--structure=2", "No arm of this evaluation chooses roles"),
        ("--json=/none/x.json", "folder /none does not exist"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("rationality", str(evaluation.id), option)
    with pytest.raises(CommandError, match="There is no evaluation"):
        call_command("rationality", str(uuid4()))
