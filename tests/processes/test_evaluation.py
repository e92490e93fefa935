"""Evaluations on real processes: killed in the middle, on a dead endpoint, and twice the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import requests

from apps.webhooks.tests.receiver import Receiver, receiving
from tests.processes.children import ROOT, Child, held_port, python, start, until
from tests.processes.database import own_database
from tests.processes.studio import LOST_AFTER_SECONDS, Studio
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

pytestmark = pytest.mark.processes

DATASET = """
import django; django.setup()
from apps.tasks.models import Dataset, Task
dataset = Dataset.objects.create(key="sums", name="Sums")
Task.objects.bulk_create(
    Task(dataset=dataset, split=split, index=i, query=f"{mark}What is {i} + {i + 1}?",
         reference=str(2 * i + 1 + i % 3 // 2), verifier="numeric")
    for split, mark in (("dev", ""), ("test", "[slowly] ")) for i in range(12)
)
"""
"""In both splits every third reference is wrong, so that not every answer is right."""

PLANS = {
    "[prose]": "First I would add them.",
    "[cycle]": '{"subtasks": [{"id": "a", "text": "A?", "depends_on": ["b"]},'
    ' {"id": "b", "text": "B?", "depends_on": ["a"]}]}',
    "[none]": '{"subtasks": []}',
    "[500]": json.dumps({"subtasks": [{"id": f"s{n}", "text": "1?"} for n in range(500)]}),
    "[nan]": '{"subtasks": [{"id": "a", "text": "What is NaN?", "depends_on": NaN}]}',
    "[plan]": '{"subtasks": [{"id": "a", "text": "What is 1 + 2?"}]}',
}
"""What a planner says of a question with this mark."""
MARKED = f"""
import django; django.setup()
from apps.tasks.models import Dataset, Task
dataset = Dataset.objects.create(key="marked", name="Marked")
Task.objects.bulk_create(
    Task(dataset=dataset, split="dev", index=i, query=f"{{mark}} What is 1 + 2?",
         reference="3", verifier="numeric")
    for i, mark in enumerate({list(PLANS)})
)
"""

BOOTSTRAP = """
import django; django.setup()
from django.core.management import call_command
call_command("studio_bootstrap", cli_token=True, login_link=False)
"""
WEBHOOK = """
from apps.accounts.models import User
from apps.webhooks.models import Webhook
owner = User.objects.get(is_superuser=True)
Webhook.objects.create(owner=owner, name="Builds", url={url!r}, allow_private_address=True)
"""
EVALUATE = ("evaluate", "--dataset", "sums", "--method", "direct", "--method", "chain_of_thought")
CELLS = """
SELECT r.position, count(*) FILTER (WHERE r.recorded_at IS NOT NULL), bool_or(r.failed)
FROM evaluations_evaluationresult r WHERE r.evaluation_id = %s GROUP BY r.position
"""


@dataclass(slots=True)
class Bare:
    """A database with tasks and a stub LLM; nobody but the command runs."""

    folder: Path
    url: str
    env: dict[str, str]

    def python(self, code: str) -> None:
        ran = subprocess.run(
            python("-c", code),
            cwd=ROOT,
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr

    def evaluate(self, *arguments: str, name: str = "evaluate") -> Child:
        command = python("manage.py", *arguments, "--inline")
        return start(name, command, env=self.env, folder=self.folder)

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(statement, values).fetchall()

    def forget_answers(self) -> None:
        """So that the endpoint is asked again, and not what was kept of it."""
        with psycopg.connect(self.url) as connection:
            kept = connection.execute("DELETE FROM llms_cachedanswer").rowcount
        assert kept > 0

    def last(self) -> str:
        rows = self.rows("SELECT id FROM evaluations_evaluation ORDER BY created_at DESC LIMIT 1")
        return str(rows[0][0])

    def recorded(self) -> int:
        (row,) = self.rows("SELECT coalesce(sum(done), 0) FROM evaluations_evaluation")
        return int(row[0])


@pytest.fixture(scope="module")
def model() -> Iterator[RunningStub]:
    """“[slowly]” takes a second."""
    plans = (Rule(mark, reply) for mark, reply in PLANS.items())
    with running_stub(rules=(Rule("[slowly]", latency=1.0), *plans)) as stub:
        yield stub


@pytest.fixture(scope="module")
def seeded(model: RunningStub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bare]:
    """What every test gets a copy of."""
    folder = tmp_path_factory.mktemp("seeded")
    with own_database("evaluation") as url:
        env = {
            "DATABASE_URL": url,
            "SECRET_KEY": uuid4().hex,
            "STUDIO_DATA_DIR": str(folder),
            "STUDIO_LLM_URL": model.url,
            "STUDIO_LLM_MODEL": "stub",
            "DJANGO_SETTINGS_MODULE": "studio.settings",
            "RUN_HEARTBEAT_SECONDS": "0.4",
            "RUN_LOST_AFTER_SECONDS": str(LOST_AFTER_SECONDS),
            "RUN_WATCHDOG_SECONDS": "0.5",
        }
        made = Bare(folder, url, env)
        made.python(BOOTSTRAP + DATASET)
        yield made


@pytest.fixture
def bare(seeded: Bare, tmp_path: Path) -> Iterator[Bare]:
    shutil.copytree(seeded.folder, tmp_path, dirs_exist_ok=True)
    with own_database("evaluation", like=seeded.url) as url:
        here = {"DATABASE_URL": url, "STUDIO_DATA_DIR": str(tmp_path)}
        yield Bare(tmp_path, url, {**seeded.env, **here})


def numbers(file: Path) -> tuple[Any, ...]:
    """Everything of an export but times, ids, and what the answers of before made faster."""
    body = json.loads(file.read_text())
    told = {"run", "seconds", "cached_share"}
    cells = [{k: v for k, v in cell.items() if k not in told} for cell in body["cells"]]
    arms = [
        {k: v for k, v in arm.items() if not k.startswith(("seconds", "timed", "cached"))}
        for arm in body["summary"].pop("arms")
    ]
    return cells, (arms, body["summary"])


def test_without_workers_and_twice_the_same_numbers(bare: Bare) -> None:
    found = []
    for turn in ("first", "second"):
        out = bare.folder / f"{turn}.json"
        child = bare.evaluate(*EVALUATE, "--out", str(out), name=turn)
        assert child.process.wait(120) == 0, child.said()
        assert not re.search("Traceback|Fatal Python error|Exception ignored", child.said())
        found.append(numbers(out))
        bare.forget_answers()
        assert "24/24 answers" in child.said()
        assert "direct − chain_of_thought" in child.said()
    assert found[0] == found[1]
    cells, (arms, _) = found[0]
    assert len(cells) == 24
    assert {cell["correct"] for cell in cells} == {True, False}
    assert [arm["accuracy"] for arm in arms] == [pytest.approx(8 / 12)] * 2
    assert all(arm["tokens_mean"] > 0 and arm["failures"] == 0 for arm in arms)


def test_teams_that_a_policy_builds_are_the_same_again(bare: Bare) -> None:
    """Whatever the order in which answers come, and states are decided together."""
    asked = ("--dataset", "sums", "--method", "mashost", "--limit", "6", "--concurrency", "3")
    found = []
    for turn in ("first", "second"):
        out = bare.folder / f"{turn}.json"
        child = bare.evaluate("evaluate", *asked, "--out", str(out), name=turn)
        assert child.process.wait(180) == 0, child.said()
        found.append(numbers(out))
        bare.forget_answers()
        (graphs,) = bare.rows(
            "SELECT json_agg(graph ORDER BY position) FROM runs_run run "
            "JOIN evaluations_evaluationresult result ON result.run_id = run.id "
            "WHERE result.evaluation_id = %s",
            bare.last(),
        )
        found[-1] += graphs
    assert found[0] == found[1]
    cells, _, graphs = found[0]
    assert len(cells) == len(graphs) == 6
    assert any(len(graph["nodes"]) > 1 for graph in graphs)


def test_killed_in_the_middle_it_goes_on_without_a_lost_or_doubled_cell(bare: Bare) -> None:
    child = bare.evaluate(*EVALUATE, "--split", "test", "--concurrency", "3", name="killed")
    until(lambda: bare.recorded() >= 4, seconds=60, what="four cells are recorded")
    child.kill()
    recorded = bare.recorded()
    assert 4 <= recorded < 24
    child = bare.evaluate("evaluate", "--resume", bare.last(), name="resumed")
    assert child.process.wait(120) == 0, child.said()
    cells = bare.rows(CELLS, bare.last())
    assert sorted(cells) == [(position, 1, False) for position in range(24)]
    (runs,) = bare.rows(
        "SELECT count(*), count(*) FILTER (WHERE status = 'succeeded') FROM runs_run"
    )
    assert runs == (24, 24)


def test_killed_with_its_last_cells_under_way_it_ends_all_the_same(bare: Bare) -> None:
    """Nothing is left to take up then: only the watchdog finds the cells that nobody answers."""
    asked = ("--split", "test", "--limit", "2", "--concurrency", "4")
    child = bare.evaluate(*EVALUATE, *asked, name="killed")
    under_way = "SELECT count(*) FROM runs_run WHERE status = 'running'"
    until(lambda: bare.rows(under_way) == [(4,)], seconds=60, what="all cells are under way")
    child.kill()
    child = bare.evaluate("evaluate", "--resume", bare.last(), name="resumed")
    assert child.process.wait(60) == 0, child.said()
    assert sorted(bare.rows(CELLS, bare.last())) == [(place, 1, False) for place in range(4)]


def test_stopped_by_ctrl_c_it_leaves_its_slots_to_another_and_goes_on_when_resumed(
    bare: Bare, model: RunningStub
) -> None:
    child = bare.evaluate(*EVALUATE, "--split", "test", "--concurrency", "16", name="stopped")
    active = "SELECT count(*) FROM runs_run WHERE status IN ('queued', 'running')"
    until(lambda: bare.rows(active) == [(16,)], seconds=60, what="all slots are taken")
    model.process.send_signal(signal.SIGSTOP)  # no cell ends meanwhile, however busy the machine
    child.process.send_signal(signal.SIGINT)
    code = child.process.wait(60)
    model.process.send_signal(signal.SIGCONT)
    stopped = bare.last()
    assert code == 130
    assert f"--resume {stopped} --inline" in child.said()
    assert "Traceback" not in child.said()
    assert bare.rows(active) == [(0,)]
    child = bare.evaluate(*EVALUATE, "--limit", "1", name="another")
    assert child.process.wait(60) == 0, child.said()
    child = bare.evaluate("evaluate", "--resume", stopped, name="resumed")
    assert child.process.wait(60) == 0, child.said()
    assert sorted(bare.rows(CELLS, stopped)) == [(place, 1, False) for place in range(24)]


def test_a_dead_endpoint_stops_it_with_the_cause_and_a_repaired_one_goes_on(bare: Bare) -> None:
    move = "UPDATE llms_endpoint SET base_url = %s RETURNING id"
    (alive,) = bare.rows("SELECT base_url FROM llms_endpoint")
    bare.rows(move, f"http://127.0.0.1:{held_port()}/v1")
    child = bare.evaluate(*EVALUATE, name="dead")
    assert child.process.wait(120) == 1
    assert "connection was refused" in child.said()
    assert f"--resume {bare.last()}" in child.said()
    assert bare.recorded() == 0
    (runs,) = bare.rows("SELECT count(*) FROM runs_run")
    assert runs[0] < 24
    bare.rows(move, alive[0])
    child = bare.evaluate("evaluate", "--resume", bare.last(), name="repaired")
    assert child.process.wait(120) == 0, child.said()
    assert sorted(bare.rows(CELLS, bare.last())) == [(place, 1, False) for place in range(24)]


def test_planners_that_write_no_task_graph_fail_their_cells_with_the_cause_and_no_other(
    bare: Bare,
) -> None:
    bare.python(MARKED)
    asked = ("--dataset", "marked", "--method", "reso", "--method", "direct", "--concurrency", "4")
    child = bare.evaluate("evaluate", *asked, name="marked")
    assert child.process.wait(120) == 0, child.said()
    assert not re.search("Traceback|Fatal Python error|Exception ignored", child.said())
    found = bare.rows(
        "SELECT run.query, run.status, run.failure->>'code', run.correct, "
        "count(event.id) FILTER (WHERE event.kind = 'plan_rejected') "
        "FROM runs_run run JOIN runs_runevent event ON event.run_id = run.id "
        "WHERE run.method = 'reso' GROUP BY run.id"
    )
    told = {query.split()[0]: tuple(row) for query, *row in found}
    refused = ("failed", "no_task_graph", None, 2)
    assert told == {**dict.fromkeys(PLANS, refused), "[plan]": ("succeeded", None, True, 0)}
    failed = "SELECT count(*) FROM runs_run WHERE method = 'direct' AND status <> 'succeeded'"
    assert bare.rows(failed) == [(0,)]
    assert bare.rows("SELECT count(*) FROM agents_agentreward") == [(0,)]
    learned = "SELECT count(*) FROM agents_agentprofile WHERE count > 0 OR reward <> 0"
    assert bare.rows(learned) == [(0,)]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def test_workers_that_are_killed_lose_no_cell_and_tell_of_the_end(
    studio: Studio, receiver: Receiver
) -> None:
    seeded = subprocess.run(
        python("-c", DATASET + WEBHOOK.format(url=receiver.url)),
        cwd=ROOT,
        env={**os.environ, **studio.env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert seeded.returncode == 0, seeded.stderr
    address = f"{studio.url()}/api/evaluations"
    body: dict[str, Any] = {
        "dataset": "sums",
        "split": "dev",
        "arms": [{"method": "direct"}, {"method": "chain_of_thought"}],
        "repeats": 4,
        "concurrency": 2,
    }
    made = requests.post(address, json=body, headers=studio.headers, timeout=20)
    assert made.status_code == 201, made.text
    address = f"{address}/{made.json()['id']}"

    def now() -> dict[str, Any]:
        row: dict[str, Any] = requests.get(address, headers=studio.headers, timeout=20).json()
        return row

    until(lambda: now()["done"] >= 2, seconds=60, what="two cells are recorded")
    for name in ("worker1", "worker2"):
        studio.children[name].kill()
    asked = studio.ask("1 + 1?")
    assert now()["status"] == "running"
    for name in ("worker1", "worker2"):
        studio.start_worker(name)
    until(lambda: now()["status"] == "succeeded", seconds=90, what="the evaluation ends")
    assert studio.wait(asked, "succeeded")["answer"] == "2"
    row = now()
    assert (row["done"], row["total"], row["failure"]) == (96, 96, None)
    with psycopg.connect(studio.database_url) as connection:
        cells = connection.execute(CELLS, (made.json()["id"],)).fetchall()
    assert sorted(cells) == [(position, 1, False) for position in range(96)]
    until(lambda: receiver.received, seconds=20, what="the webhook is told")
    assert json.loads(receiver.received[0].body)["job"]["id"] == made.json()["id"]
