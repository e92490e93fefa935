"""`manage.py train`: the same job without the queue; Ctrl-C pauses, --resume goes on."""

import random
import re
import signal
import threading
import time
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.utils import timezone

from apps.accounts.models import User
from apps.checkpoints.folders import checkpoint_folder
from apps.llms.models import Endpoint
from apps.runs.tests.traces import spoke
from apps.runs.traces import MOST_OF_A_TASK
from apps.tasks.models import Task
from apps.training import lifecycle
from apps.training.folders import training_folder
from apps.training.models import TrainingJob
from apps.training.selectors import job_row
from apps.training.tests.conftest import MakeJob
from studio.management import training as driving
from studio.management import training_display as display
from workers.core.checkpoints import read_info
from workers.core.environments.games import PlanPathTeam
from workers.core.rollouts.designs import steps_kept
from workers.core.specs import TaskSpec
from workers.core.testing.stub_process import running_stub
from workers.core.weights.nano import NAME, NanoConfig, make_nano
from workers.core.weights.tests.tiny import save_tiny
from workers.tasks.learning.folder import traces_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("dataset", "endpoint"),
]
HERE = ("--method", "learner", "--dataset", "sums")


@pytest.fixture(autouse=True)
def _quick(settings: Any) -> None:
    settings.RUN_HEARTBEAT_SECONDS = 0.05


def train(*arguments: str) -> str:
    said = StringIO()
    call_command("train", *arguments, stdout=said)
    return said.getvalue()


def test_it_trains_and_says_what_it_left() -> None:
    said = train(*HERE, "--preset", "short", "--set", "checkpoint_every=2", "--seed", "4")
    job = TrainingJob.objects.get()
    assert (job.status, job.step, job.seed, job.preset) == ("succeeded", 3, 4, "short")
    assert job.created_by == User.objects.get(is_superuser=True)
    assert f"Training {job.id}: Learner on Sums" in said
    assert "succeeded  step 3/3  reward 0  value" in said
    assert "Checkpoints: learner-on-sums-step-000002, learner-on-sums-step-000003" in said


def test_a_training_that_changes_a_model_needs_no_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Endpoint.objects.all().delete()
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    make_nano(tmp_path / NAME, NanoConfig(layers=1, width=32, heads=2, rows=4), seed=0)
    drawn = ("plan_path", "ways", "--split", "train:8", "--set", "size=3")
    call_command("make_episodes", *drawn, stdout=StringIO(), stderr=StringIO())
    config = ("cold_steps=1", "steps=2", "episodes_per_step=2", "branches=2", "samples_per_step=0")
    changes = [part for value in config for part in ("--set", value)]
    train("--method", "at_grpo", "--dataset", "ways", *changes)
    job = TrainingJob.objects.get()
    assert (job.status, job.endpoint_spec) == ("succeeded", None)
    told = job_row(job.id)
    assert told["tokens"] == job.latest["tokens_total"] > 0
    recipe = read_info(checkpoint_folder(told["checkpoints"][-1])).recipe
    assert (recipe["endpoint"], recipe["model"]) == (None, "nano")


def test_a_training_shows_the_right_runs_as_they_were_when_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    make_nano(tmp_path / NAME, NanoConfig(layers=1, width=32, heads=2, rows=4), seed=0)
    drawn = ("plan_path", "ways", "--split", "train:4", "--set", "size=3")
    call_command("make_episodes", *drawn, stdout=StringIO(), stderr=StringIO())
    config = ("cold_from=runs", "cold_steps=1", "cold_weak=0", "steps=0")
    changes = [part for value in config for part in ("--set", value)]
    command = ("--method", "at_grpo", "--dataset", "ways", *changes)
    with pytest.raises(CommandError, match="Evaluate AT-GRPO on this split first"):
        train(*command)
    team = PlanPathTeam(proposes="answer", wording="letters")
    task = Task.objects.get(dataset__key="ways", index=2).spec()
    way = team.demonstration(team.begin(task), 0, random.Random(0), weak=False)
    assert way
    said = [(role.key, way) for role in team.roles]
    run = spoke(said, query=task.query, reference=task.reference, correct=True)
    train(*command)
    job = TrainingJob.objects.latest("created_at")
    assert (job.status, job.latest["answers"]) == ("succeeded", 32.0), "16 episodes, two agents"
    run.delete()
    assert [trace.query for trace in traces_of(job, training_folder(job.id), [task])] == [
        task.query
    ]


@pytest.mark.parametrize(("wording", "found"), [("sentences", 1), ("letters", 0)])
def test_other_methods_single_replies_are_shown_to_who_reads_words(
    tmp_path: Path, wording: str, found: int
) -> None:
    task = TaskSpec(query="What is 1 + 1?", reference="2")
    direct = {"method": "direct", "agent_count": 1, "replies": 1, "correct": True}
    spoke([("direct", "Answer: 2")], query=task.query, reference=task.reference, **direct)
    config = {"rank": 0, "cold_from": "runs", "cold_steps": 1, "cold_weak": 0, "wording": wording}
    job = TrainingJob(method="at_grpo", config=config)
    assert len(traces_of(job, tmp_path, [task])) == found


TEAM = (
    "```python\nfrom workflow import agent, deliver, reflection\n"
    'solver = agent("Solver", "Solve it.")\ncritic = agent("Critic", "Check it.")\n'
    "deliver(reflection(solver, critic))\n```"
)


def test_one_command_trains_designer_and_executor_on_right_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And then by their own rollouts, which can't succeed: the model is random."""
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path))
    save_tiny(tmp_path / "tiny")
    sizes = ("questions_per_step=2", "designs=2", "executions=1", "cold_questions=2", "held_out=0")
    small = ("model=tiny", "rank=4", "cold_steps=1", "steps=1", "design_tokens=512", *sizes)
    changes = [part for value in small for part in ("--set", value)]
    command = ("--method", "metaagent_x", "--dataset", "sums", *changes)
    with pytest.raises(CommandError, match="Evaluate MetaAgent-X on this split first"):
        train(*command)
    task = Task.objects.filter(dataset__key="sums", split="train").first()
    assert task is not None
    said = [
        ("designer", TEAM),
        ("solver", f"Answer: {task.reference}"),
        ("critic", "Verdict: correct"),
    ]
    of_task = {"query": task.query, "reference": task.reference, "correct": True}
    spoke(said, method="metaagent_x", method_config={"script": ""}, **of_task)
    for _ in range(MOST_OF_A_TASK):  # later runs of a given script show no designer
        spoke(said[1:], method="metaagent_x", method_config={"script": "…"}, **of_task)
    train(*command)
    job = TrainingJob.objects.latest("created_at")
    assert (job.status, job.step, job.endpoint_spec) == ("succeeded", 2, None)
    assert steps_kept(training_folder(job.id)) == [2]
    saved = read_info(checkpoint_folder(job_row(job.id)["checkpoints"][-1]))
    assert saved.config["agents"] == ["shared", "shared"]
    assert saved.run["max_calls"] == 16


def test_every_wrong_option_is_named() -> None:
    with pytest.raises(CommandError) as caught:
        train("--method", "learner", "--dataset", "nope", "--set", "steps=0", "--set", "nope=x")
    for field in ("dataset: ", "config.steps: ", "config.nope: "):
        assert field in str(caught.value)
    with pytest.raises(CommandError, match="KEY=VALUE"):
        train(*HERE, "--set", "steps")
    with pytest.raises(CommandError, match="--dataset"):
        train("--method", "learner")
    with pytest.raises(CommandError, match="There is no user"):
        train(*HERE, "--user", "nobody")
    with pytest.raises(CommandError, match="limit"):
        train(*HERE, "--limit", "0")


def test_a_failure_is_told_with_the_way_on() -> None:
    with pytest.raises(CommandError, match=r"Step 2 fails\. Mend it\.") as caught:
        train(*HERE, "--set", "fail_at=2", "--set", "steps=3")
    job = TrainingJob.objects.get()
    assert f"manage.py train --resume {job.id}" in str(caught.value)
    (training_folder(job.id) / "mended").touch()
    assert "succeeded  step 3/3" in train("--resume", str(job.id))


def test_gone_on_with_by_newer_code_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "code_version", lambda: "1+gold")
    with pytest.raises(CommandError, match="Step 2 fails"):
        train(*HERE, "--set", "fail_at=2", "--set", "steps=3")
    job = TrainingJob.objects.get()
    assert (job.code_version, job.notices) == ("1+gold", [])
    (training_folder(job.id) / "mended").touch()
    monkeypatch.setattr(lifecycle, "code_version", lambda: "1+gnew")
    train("--resume", str(job.id))
    job.refresh_from_db()
    assert job.code_version == "1+gnew"
    assert [notice["code"] for notice in job.notices] == ["version_changed"]


def test_ctrl_c_pauses_after_the_step_and_resume_goes_on() -> None:
    interrupt = threading.Thread(target=interrupt_at_step, args=(2,))
    interrupt.start()
    said = train(*HERE, "--set", "steps=200", "--set", "step_seconds=0.05")
    interrupt.join()
    job = TrainingJob.objects.get()
    assert job.status == "paused"
    assert 2 <= job.step < 200
    assert "Pausing after this step" in said
    assert f"manage.py train --resume {job.id}" in said
    TrainingJob.objects.update(config={**job.config, "steps": job.step + 2, "step_seconds": 0})
    train("--resume", str(job.id))
    job.refresh_from_db()
    assert job.status == "succeeded"
    assert list(job.metrics.values_list("step", flat=True)) == list(range(1, job.step + 1))


def test_a_second_ctrl_c_leaves_at_once() -> None:
    interrupt = threading.Thread(target=interrupt_at_step, args=(0, 2))
    interrupt.start()
    began = time.monotonic()
    train(*HERE, "--set", "step_seconds=100")
    interrupt.join()
    assert time.monotonic() - began < 20
    assert TrainingJob.objects.get().status == "paused"


def interrupt_at_step(step: int, times: int = 1) -> None:
    try:
        running = TrainingJob.objects.filter(status="running", step__gte=step)
        while not running.exists():
            time.sleep(0.02)
        for _ in range(times):
            time.sleep(0.3)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("limits", "advised"),
    [
        (("--budget-cost", "0.00005"), "--budget-cost MORE"),
        (("--budget-cost", "0.00005", "--budget-tokens", "9999"), "--budget-cost MORE"),
        (("--budget-cost", "9", "--budget-tokens", "50"), "--budget-tokens MORE"),
    ],
)
def test_a_spent_limit_is_named_and_raising_it_keeps_the_others(
    limits: tuple[str, ...], advised: str
) -> None:
    with running_stub() as stub:
        Endpoint.objects.update(base_url=stub.url)
        said = train(*HERE, "--set", "ask=true", "--set", "steps=12", *limits)
        job = TrainingJob.objects.get()
        assert said.endswith(f"--resume {job.id} {advised}\n")
        other = ("--budget-tokens", "8888") if "cost" in advised else ("--budget-cost", "8")
        with pytest.raises(CommandError, match="Allow more than"):
            train("--resume", str(job.id), *other)
        raised = ("--budget-cost", "7") if "cost" in advised else ("--budget-tokens", "7777")
        with pytest.raises(CommandError, match=r"budget\.max_tokens"):
            train("--resume", str(job.id), "--budget-tokens", "0")
        train("--resume", str(job.id), *raised)
    before = job.budget
    job.refresh_from_db()
    assert (job.status, job.end_reason) == ("succeeded", "completed")
    changed = {"max_cost": 7.0} if "cost" in advised else {"max_tokens": 7777}
    assert job.budget == {**before, **changed}


def test_one_that_waits_is_taken_up_here(make_job: MakeJob) -> None:
    job = make_job(config={"steps": 2})
    assert "succeeded" in train("--resume", str(job.id), "--user", "admin")


@pytest.mark.parametrize("budget", [(), ("--budget-tokens", "7777")])
def test_one_whose_process_was_killed_goes_on_at_once(
    make_running: MakeJob, budget: tuple[str, ...]
) -> None:
    job = make_running(config={"steps": 2})
    before = job.budget
    silent = timezone.now() - timedelta(seconds=settings.RUN_LOST_AFTER_SECONDS + 1)
    TrainingJob.objects.update(heartbeat_at=silent)
    assert "succeeded  step 2/2" in train("--resume", str(job.id), "--user", "admin", *budget)
    job.refresh_from_db()
    assert [notice["code"] for notice in job.notices] == ["worker_lost"]
    assert job.budget == {**before, **({"max_tokens": 7777} if budget else {})}


def test_one_that_another_process_trains_is_left_alone(make_running: MakeJob) -> None:
    job = make_running()
    with pytest.raises(CommandError, match="running"):
        train("--resume", str(job.id), "--user", "admin")
    with pytest.raises(CommandError, match="There is no training"):
        train("--resume", "00000000-0000-0000-0000-000000000000", "--user", "admin")


def test_a_terminal_gets_a_bar_with_the_time_left_and_the_metrics() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    latest = {"reward": 0.5, "entropy_nodes": 1.25, "role/planner": 0.1}
    row: dict[str, Any] = {
        "status": "running",
        "step": 3,
        "step_share": 0.25,
        "total_steps": 10,
        "eta_seconds": 150.0,
        "latest": latest,
    }
    shown = display.Display(out)
    with shown.shown():
        shown.draw(row)
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    steps = "3/10 + 25% of the next"
    for part in ("running", steps, "about 2 min left", "reward", "0.5", "entropy nodes", "1.25"):
        assert part in said
    assert "planner" not in said


def test_a_database_that_is_away_stops_the_picture_and_not_the_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = []

    def away_at_first(job_id: Any) -> dict[str, Any]:
        looks.append(job_id)
        if len(looks) < 3:
            raise OperationalError("the database system is shutting down")
        return job_row(job_id)

    monkeypatch.setattr(driving, "job_row", away_at_first)
    monkeypatch.setattr(driving, "LOOK_SECONDS", 0.01)
    said = train(*HERE, "--preset", "short", "--set", "step_seconds=0.2")
    assert len(looks) >= 3
    assert "succeeded" in said
