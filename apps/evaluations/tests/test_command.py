"""`manage.py evaluate`: what it asks for, what it says, and what it refuses before it stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from apps.common.progress import Progress, duration
from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, fail_run, under_way

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _answered_at_once(monkeypatch: pytest.MonkeyPatch, sent: list[Any]) -> None:
    """Workers that answer between two looks of the command."""

    def answer(_: float) -> None:
        for evaluation in Evaluation.objects.filter(status__in=("queued", "running")):
            advance(evaluation.id)
            for run in under_way(evaluation):
                end_run(run, correct=run.method == "direct")
            advance(evaluation.id)

    monkeypatch.setattr("studio.management.commands.evaluate.sleep", answer)


@pytest.mark.usefixtures("dataset", "endpoint")
class TestEvaluate:
    def test_it_waits_prints_and_writes_a_file(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        out = tmp_path / "results.json"
        call_command(
            "evaluate",
            "--dataset=sums",
            "--method=direct",
            "--method=chain_of_thought",
            "--limit=4",
            f"--out={out}",
        )
        said = capsys.readouterr()
        assert "8/8 answers" in said.err
        table = said.out.splitlines()
        assert [line.split()[:2] for line in table[1:3]] == [
            ["direct", "100.0%"],
            ["chain_of_thought", "0.0%"],
        ]
        assert "+100.0 points" in table[3]
        assert len(json.loads(out.read_text())["cells"]) == 8

    def test_arms_as_json_take_the_common_endpoint(self) -> None:
        arm = {"method": "self_consistency", "label": "vote", "method_config": {"k": 3}}
        call_command(
            "evaluate",
            "--dataset=sums",
            f"--arm={json.dumps(arm)}",
            "--endpoint=stub",
            "--limit=1",
            '--budget={"max_tokens": 77}',
            "--seed=5",
        )
        evaluation = Evaluation.objects.get()
        found = evaluation.arms.get()
        assert (found.label, found.method_config["k"], found.endpoint_key) == ("vote", 3, "stub")
        assert (evaluation.seed, evaluation.budget["max_tokens"]) == (5, 77)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--method=direct"], "--dataset"),
            (["--dataset=nope", "--method=direct"], "no dataset “nope”"),
            (["--dataset=sums", "--method=nope"], "no method “nope”"),
            (["--dataset=sums"], "Give 1 to 30 arms"),
            (["--dataset=sums", "--method=direct", "--repeats=0"], "repeats"),
            (["--dataset=sums", "--method=direct", f"--name={'x' * 121}"], "1 to 120 printable"),
            (["--dataset=sums", "--method=direct", "--name=a\x00b"], "1 to 120 printable"),
            (["--dataset=sums", "--arm={"], "--arm is not JSON"),
            (["--dataset=sums", "--arm=[]"], "must be a JSON object"),
            (["--dataset=sums", "--arm={}"], "method"),
            (["--dataset=sums", "--method=direct", "--out=x.xlsx"], "must end in"),
            (
                ["--dataset=sums", "--method=direct", "--out=/none/x.csv"],
                "folder /none does not exist",
            ),
            (["--dataset=sums", "--method=direct", "--user=nobody"], "no user"),
            ([f"--resume={uuid4()}"], "no evaluation"),
        ],
    )
    def test_what_cannot_be_done_is_said_and_nothing_is_stored(
        self, arguments: list[str], said: str
    ) -> None:
        with pytest.raises(CommandError, match=said):
            call_command("evaluate", *arguments)
        assert Evaluation.objects.count() == 0

    def test_one_that_was_stopped_ends_the_command_with_the_way_on(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        failure = {"code": "endpoint_away", "message": "It is away.", "remedy": "Start it."}

        def stop(_: float) -> None:
            Evaluation.objects.update(status="failed", failure=failure)

        monkeypatch.setattr("studio.management.commands.evaluate.sleep", stop)
        with pytest.raises(CommandError, match=r"It is away\. Start it\.") as error:
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


class Terminal:
    """A stream that says it is a terminal, or not."""

    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal
        self.said = ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.said += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize(("seconds", "said"), [(40, "40 s"), (61, "1 min"), (7_500, "2 h 5 min")])
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_terminal_is_redrawn_and_a_log_gets_lines() -> None:
    log, terminal = Terminal(False), Terminal(True)
    for out in (log, terminal):
        progress = Progress(4, cast("Any", out))  # all of a TextIO that it uses
        progress.draw(1, 90.0)
        progress.draw(2, None)  # too soon after the first
        progress.draw(4, None, last=True)
    assert log.said.splitlines() == [
        "████████······················ 1/4 answers, about 1 min left",
        "██████████████████████████████ 4/4 answers",
    ]
    assert terminal.said.count("\r") == 2
    assert terminal.said.endswith("answers\n")
