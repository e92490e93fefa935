"""Evaluations on real processes: killed in the middle, on a dead endpoint, and twice the same."""

import json
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import requests

from apps.webhooks.tests.receiver import Receiver
from tests.processes.children import Child, held_port, python, ran, start, until
from tests.processes.database import own_database
from tests.processes.studio import LOST_AFTER_SECONDS, SEED, SUMS, Studio
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

pytestmark = pytest.mark.processes

EVALUATE = ("--dataset", "sums", "--method", "direct", "--method", "chain_of_thought")
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

    def evaluate(self, *arguments: str, name: str) -> Child:
        command = python("manage.py", "evaluate", *arguments, "--inline")
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

    def active(self) -> int:
        """Cells that hold a slot."""
        (row,) = self.rows("SELECT count(*) FROM runs_run WHERE status IN ('queued', 'running')")
        return int(row[0])


@pytest.fixture(scope="module")
def model() -> Iterator[RunningStub]:
    """“[slowly]” takes a second, “[slower]” four."""
    with running_stub(rules=(Rule("[slowly]", latency=1.0), Rule("[slower]", latency=4.0))) as stub:
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
        ran(python("-c", SEED + SUMS), env)
        yield Bare(folder, url, env)


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


def test_without_workers_and_twice_the_same_numbers_and_teams(bare: Bare) -> None:
    """Whatever the order in which answers come, and which of a policy's states are decided
    together."""
    asked = (*EVALUATE, "--method", "mashost", "--limit", "6", "--concurrency", "9")
    found = []
    for turn in ("first", "second"):
        out = bare.folder / f"{turn}.json"
        child = bare.evaluate(*asked, "--out", str(out), name=turn)
        assert child.ended(180) == 0, child.said()
        assert not re.search("Traceback|Fatal Python error|Exception ignored", child.said())
        assert "18/18 answers" in child.said()
        assert "direct − chain_of_thought" in child.said()
        (graphs,) = bare.rows(
            "SELECT json_agg(graph ORDER BY position) FROM runs_run run "
            "JOIN evaluations_evaluationresult result ON result.run_id = run.id "
            "WHERE result.evaluation_id = %s",
            bare.last(),
        )
        found.append(numbers(out) + graphs)
        bare.forget_answers()
    assert found[0] == found[1]
    cells, (arms, _), graphs = found[0]
    assert len(cells) == len(graphs) == 18
    assert {cell["correct"] for cell in cells} == {True, False}
    assert [arm["accuracy"] for arm in arms[:2]] == [pytest.approx(4 / 6)] * 2
    assert all(arm["tokens_mean"] > 0 and arm["failures"] == 0 for arm in arms)
    assert any(len(graph["nodes"]) > 1 for graph in graphs)


def test_after_a_dead_endpoint_kills_and_ctrl_c_each_cell_is_there_once(
    bare: Bare, model: RunningStub
) -> None:
    move = "UPDATE llms_endpoint SET base_url = %s RETURNING id"
    bare.rows(move, f"http://127.0.0.1:{held_port()}/v1")
    child = bare.evaluate(*EVALUATE, "--split", "test", name="dead")
    assert child.ended(120) == 1
    evaluation = bare.last()
    assert "connection was refused" in child.said()
    assert f"--resume {evaluation}" in child.said()
    assert bare.recorded() == 0
    (runs,) = bare.rows("SELECT count(*) FROM runs_run")
    assert runs[0] < 24

    bare.rows(move, model.url)
    child = bare.evaluate("--resume", evaluation, name="killed in the middle")
    until(lambda: bare.recorded() >= 4, seconds=60, what="four cells are recorded")
    child.kill()
    assert 4 <= bare.recorded() < 20

    child = bare.evaluate("--resume", evaluation, name="stopped by Ctrl-C")
    until(lambda: bare.recorded() >= 10, seconds=60, what="ten cells are recorded")
    model.process.send_signal(signal.SIGSTOP)  # no cell ends meanwhile, however busy the machine
    child.process.send_signal(signal.SIGINT)
    code = child.ended(60)
    model.process.send_signal(signal.SIGCONT)
    assert code == 130
    assert f"--resume {evaluation} --inline" in child.said()
    assert "Traceback" not in child.said()
    assert bare.active() == 0

    child = bare.evaluate("--resume", evaluation, name="killed at the end")
    last = "all cells that are left are under way"
    until(lambda: bare.recorded() == 20 and bare.active() == 4, seconds=60, what=last)
    child.kill()

    # Nothing is left to take up: only the watchdog finds the cells that nobody answers.
    child = bare.evaluate("--resume", evaluation, name="resumed")
    assert child.ended(120) == 0, child.said()
    assert sorted(bare.rows(CELLS, evaluation)) == [(place, 1, False) for place in range(24)]
    answered = "SELECT count(*) FROM runs_run WHERE status = 'succeeded'"
    assert bare.rows(answered) == [(24,)]


def test_workers_that_are_killed_lose_no_cell_and_tell_of_the_end(
    studio: Studio, receiver: Receiver
) -> None:
    body: dict[str, Any] = {
        "dataset": "sums",
        "split": "dev",
        "arms": [{"method": "direct"}, {"method": "chain_of_thought"}],
        "repeats": 2,
        "concurrency": 2,
    }
    address = f"{studio.url()}/api/evaluations"
    made = requests.post(address, json=body, headers=studio.headers, timeout=20)
    assert made.status_code == 201, made.text
    evaluation = made.json()["id"]

    def now() -> dict[str, Any]:
        return studio.read(f"evaluations/{evaluation}")

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
    assert (row["done"], row["total"], row["failure"]) == (48, 48, None)
    with psycopg.connect(studio.database_url) as connection:
        cells = connection.execute(CELLS, (evaluation,)).fetchall()
    assert sorted(cells) == [(position, 1, False) for position in range(48)]
    until(lambda: receiver.received, seconds=20, what="the webhook is told")
    assert json.loads(receiver.received[0].body)["job"]["id"] == evaluation
