"""`manage.py evaluate`: what it asks for, what it says, and what it refuses before it stores."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from apps.common.progress import Progress, duration
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.tests.conftest import (
    REFUSED,
    MakeEvaluation,
    end_run,
    fail_run,
    one_round,
    under_way,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answered_at_once(monkeypatch: pytest.MonkeyPatch, sent: list[Any]) -> None:
    """Workers that answer between two looks of the command."""

    def answer(_: float) -> None:
        for evaluation in Evaluation.objects.filter(status__in=("queued", "running")):
            one_round(evaluation, lambda run: end_run(run, correct=run.method == "direct"))

    monkeypatch.setattr("studio.management.commands.evaluate.sleep", answer)


@pytest.mark.usefixtures("dataset", "endpoint")
class TestEvaluate:
    def test_it_waits_prints_and_writes_a_file(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        out = tmp_path / "results.json"
        arms = ("--method=direct", "--method=chain_of_thought")
        call_command("evaluate", "--dataset=sums", *arms, "--limit=4", f"--out={out}")
        said = capsys.readouterr()
        assert "8/8 answers" in said.err
        table = said.out.splitlines()
        rows = [line.split()[:2] for line in table[1:3]]
        assert rows == [["direct", "100.0%"], ["chain_of_thought", "0.0%"]]
        assert "+100.0 points" in table[3]
        assert len(json.loads(out.read_text())["cells"]) == 8

    def test_arms_as_json_take_the_common_endpoint(self) -> None:
        arm = {"method": "self_consistency", "label": "vote", "method_config": {"k": 3}}
        more = ("--endpoint=stub", "--limit=1", '--budget={"max_tokens": 77}', "--seed=5")
        call_command("evaluate", "--dataset=sums", f"--arm={json.dumps(arm)}", *more)
        evaluation = Evaluation.objects.get()
        found = evaluation.arms.get()
        assert (found.label, found.method_config["k"], found.endpoint_key) == ("vote", 3, "stub")
        assert (evaluation.seed, evaluation.budget["max_tokens"]) == (5, 77)

    def test_what_cannot_be_done_is_said_and_nothing_is_stored(self) -> None:
        sums = ("--dataset=sums", "--method=direct")
        wrong: list[tuple[tuple[str, ...], str]] = [
            (("--method=direct",), "--dataset"),
            (("--dataset=nope", "--method=direct"), "no dataset “nope”"),
            (("--dataset=sums", "--method=nope"), "no method “nope”"),
            (("--dataset=sums",), "Give 1 to 30 arms"),
            ((*sums, "--repeats=0"), "repeats"),
            ((*sums, f"--name={'x' * 121}"), "1 to 120 printable"),
            ((*sums, "--name=a\x00b"), "1 to 120 printable"),
            (("--dataset=sums", "--arm={"), "--arm is not JSON"),
            (("--dataset=sums", "--arm=[]"), "must be a JSON object"),
            (("--dataset=sums", "--arm={}"), "method"),
            ((*sums, "--out=x.xlsx"), "must end in"),
            ((*sums, "--out=/none/x.csv"), "folder /none does not exist"),
            ((*sums, "--user=nobody"), "no user"),
            ((f"--resume={uuid4()}",), "no evaluation"),
        ]
        for arguments, said in wrong:
            with pytest.raises(CommandError, match=said):
                call_command("evaluate", *arguments)
        assert Evaluation.objects.count() == 0

    def test_one_that_was_stopped_ends_the_command_with_the_way_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stop(_: float) -> None:
            Evaluation.objects.update(status="failed", failure=REFUSED)

        monkeypatch.setattr("studio.management.commands.evaluate.sleep", stop)
        with pytest.raises(CommandError, match=r"/v1\. Start the server\.") as error:
            call_command("evaluate", "--dataset=sums", "--method=direct")
        assert f"--resume {Evaluation.objects.get().id}" in str(error.value)

    def test_ctrl_c_leaves_it_to_the_workers_and_says_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(_: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("studio.management.commands.evaluate.sleep", interrupted)
        with pytest.raises(CommandError, match="Workers continue") as error:
            call_command("evaluate", "--dataset=sums", "--method=direct")
        assert error.value.returncode == 130
        assert f"--resume {Evaluation.objects.get().id}" in str(error.value)


def test_what_an_endpoint_left_out_is_told_at_the_end_with_the_way_on(
    make_evaluation: MakeEvaluation,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    evaluation = make_evaluation(concurrency=12)
    advance(evaluation.id)

    def end(_: float) -> None:
        first, *others = under_way(evaluation)
        fail_run(first)
        for run in others:
            end_run(run)
        advance(evaluation.id)

    monkeypatch.setattr("studio.management.commands.evaluate.sleep", end)
    call_command("evaluate", f"--resume={evaluation.id}", "--user=operator")
    told = capsys.readouterr().err
    assert "Warning: Answers of “direct” that the endpoint did not give: 1." in told
    assert f"manage.py evaluate --resume {evaluation.id}" in told


def test_one_that_runs_is_only_waited_for_and_one_that_is_done_is_shown(
    make_evaluation: MakeEvaluation, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evaluation = make_evaluation()
    advance(evaluation.id)
    call_command("evaluate", f"--resume={evaluation.id}", "--user=operator")
    evaluation.refresh_from_db()
    assert (evaluation.status, Evaluation.objects.count()) == ("succeeded", 1)
    told, out = capsys.readouterr().out, tmp_path / "out.csv"
    again = [f"--resume={evaluation.id}", "--inline", f"--out={out}", "--user=operator"]
    call_command("evaluate", *again)
    assert capsys.readouterr().out == told
    assert len(out.read_text().splitlines()) == 1 + evaluation.total


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("seconds", "said"), [(40, "40 s"), (61, "1 min"), (7_500, "2 h 5 min")])
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_terminal_is_redrawn_and_a_log_gets_lines() -> None:
    log, terminal = StringIO(), Terminal()
    for out in (log, terminal):
        progress = Progress(4, out)
        progress.draw(1, 90.0)
        progress.draw(2, None)  # too soon after the first
        progress.draw(4, None, last=True)
    assert log.getvalue().splitlines() == [
        "████████······················ 1/4 answers, about 1 min left",
        "██████████████████████████████ 4/4 answers",
    ]
    assert terminal.getvalue().count("\r") == 2
    assert terminal.getvalue().endswith("answers\n")
