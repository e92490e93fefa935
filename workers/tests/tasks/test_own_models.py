"""A designer and its executors that were trained here: promoted, then asked by runs of people."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.llms import own_models
from apps.llms.models import Endpoint
from apps.runs.tests.traces import spoke
from apps.tasks.models import Dataset, Task
from apps.training.models import TrainingJob
from workers.core.weights.tests.tiny import save_tiny
from workers.tasks import training
from workers.tasks.inference import run_execute

pytestmark = pytest.mark.django_db(transaction=True)

QUERY = "What is 6 times 7?"
TEAM = 'from workflow import agent, deliver\ndeliver(agent("Solver", "Solve it."))'
SMALL: dict[str, Any] = {
    "model": "tiny",
    "rank": 4,
    "cold_steps": 1,
    "cold_questions": 1,
    "steps": 1,
    "questions_per_step": 1,
    "designs": 2,
    "executions": 1,
    "design_tokens": 64,
    "max_tokens": 32,
    "held_out": 0,
}


@pytest.fixture(autouse=True)
def studio(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(tmp_path / "models"))
    save_tiny(tmp_path / "models" / "tiny")
    dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
    task = {"query": QUERY, "reference": "42", "verifier": "numeric"}
    Task.objects.create(dataset=dataset, split="train", index=0, **task)
    said = [("designer", f"```python\n{TEAM}\n```"), ("solver", "Answer: 42")]
    run = {"method": "metaagent_x", "method_config": {"script": ""}}
    spoke(said, **run, query=QUERY, reference="42", correct=True)


@contextmanager
def served() -> Iterator[None]:
    """The studio's own models, at their endpoint."""
    command = [sys.executable, "-m", "workers.core.rollouts.serving", "--port", "0"]
    folder = str(settings.DATA_DIR / "checkpoints")
    process = subprocess.Popen(
        [*command, "--checkpoints", folder, "--threads", "1"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("ready ").strip()
        Endpoint.objects.create(key=own_models.KEY, base_url=url, **own_models.DEFAULTS)
        yield
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0


def made(client: APIClient, path: str, **body: Any) -> Any:
    answer = client.post(path, body, format="json")
    assert answer.status_code in (200, 201), answer.content
    return answer.json()


def events(client: APIClient, run: str, kind: str) -> list[dict[str, Any]]:
    told = client.get(f"/api/runs/{run}/events").json()["results"]
    return [each["event"] for each in told if each["event"]["event"] == kind]


def test_what_was_trained_is_promoted_and_then_asked(as_user: AsUser) -> None:
    """The model is random, so its script can't be used; a given script is played by it."""
    client = as_user("operator")
    asked = {"method": "metaagent_x", "dataset": "sums", "split": "train", "config": SMALL}
    job = made(client, "/api/training-jobs", **asked)
    assert training.train(TrainingJob.objects.get().pk)
    job = client.get(f"/api/training-jobs/{job['id']}").json()
    assert (job["status"], job["step"]) == ("succeeded", 2), job["failure"]
    name = job["checkpoints"][-1]
    made(as_user("curator"), f"/api/checkpoints/{name}/promote")

    short = {"max_completion_tokens_per_call": 32}
    ask = {"query": QUERY, "method": "metaagent_x", "budget": short}
    with served():
        run = made(client, "/api/runs", **ask)
        assert (run["checkpoint"], run["endpoint"]) == (name, own_models.KEY)
        run_execute(run["id"])
        failed = client.get(f"/api/runs/{run['id']}").json()
        given = made(client, "/api/runs", **ask, method_config={"script": TEAM})
        run_execute(given["id"])
        played = client.get(f"/api/runs/{given['id']}").json()

    assert (failed["status"], failed["failure"]["code"]) == ("failed", "unusable_script")
    assert "A larger model as the designer" in failed["failure"]["remedy"]
    tries = events(client, run["id"], "script_read")
    assert [each["agent_id"] for each in tries] == ["designer", "designer-2"]
    assert all(each["script"] and each["problems"] for each in tries)

    assert played["status"] == "succeeded", played["failure"]
    [read] = events(client, given["id"], "script_read")
    assert (read["script"], read["origin"]) == (TEAM, "given")
    [spoken] = events(client, given["id"], "agent_finished")
    assert spoken["agent_id"] == "a1"
