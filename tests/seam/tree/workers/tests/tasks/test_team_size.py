"""A toy method that learns, through the addresses that people use: trained, run, evaluated, shared.
Its run is left to the test of its page."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.llms.models import Endpoint
from apps.runs.models import Run, RunEvent
from apps.runs.tests.links import links, opened, share
from apps.tasks.models import Dataset, Task
from apps.training.models import TrainingJob
from tests.processes.children import ROOT
from workers.core.testing.stub_process import running_stub
from workers.tasks import training
from workers.tasks.inference import run_execute

pytestmark = pytest.mark.django_db(transaction=True)

FOR_THE_PAGE = ROOT / "frontend/src/families/team-size/tests/run.json"


@pytest.fixture(autouse=True)
def studio(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.DATA_DIR = tmp_path
    with running_stub() as stub:
        Endpoint.objects.create(
            key="stub",
            name="Stub",
            base_url=stub.url,
            model="stub",
            is_default=True,
            allow_private_address=True,
        )
        dataset = Dataset.objects.create(key="sums", name="Sums", digest="d" * 64)
        for split, first in (("train", 0), ("dev", 10)):
            Task.objects.bulk_create(
                Task(
                    dataset=dataset,
                    split=split,
                    index=index,
                    query=f"What is {first + index} + 1?",
                    reference=str(first + index + 1),
                    verifier="numeric",
                )
                for index in range(3)
            )
        yield


def made(client: APIClient, path: str, **body: Any) -> Any:
    answer = client.post(path, body, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_it_is_trained_run_evaluated_and_shared(as_user: Callable[[str], APIClient]) -> None:
    client = as_user("operator")
    [listed] = [one for one in client.get("/api/methods").json() if one["key"] == "team_size"]
    assert listed["learns"]
    [learner] = [
        one for one in client.get("/api/training/methods").json() if one["method"] == "team_size"
    ]
    assert learner["presets"]

    body = {"method": "team_size", "dataset": "sums", "split": "train", "name": "Sizes"}
    job = made(client, "/api/training-jobs", **body)
    assert training.train(TrainingJob.objects.get().pk)
    job = client.get(f"/api/training-jobs/{job['id']}").json()
    assert (job["status"], job["step"]) == ("succeeded", 2), job["failure"]
    samples = client.get(f"/api/training-jobs/{job['id']}/samples").json()
    assert {each["step"] for each in samples} == {1, 2}
    found = client.get("/api/checkpoints?method=team_size").json()["results"]
    assert len(found) == 2

    asked = {"query": "What is 20 + 1?", "method": "team_size", "checkpoint": found[0]["name"]}
    run = made(client, "/api/runs", **asked)
    run_execute(run["id"])
    run = client.get(f"/api/runs/{run['id']}").json()
    assert (run["status"], run["answer"]) == ("succeeded", "21"), run["failure"]
    page = client.get(f"/api/runs/{run['id']}/events").json()["results"]
    assert [one["event"]["event"] for one in page][:3] == [
        "run_started",
        "size_drawn",
        "graph_planned",
    ]
    FOR_THE_PAGE.write_text(
        json.dumps([{**one, "type": "trace", "run": run["id"]} for one in page])
    )

    row = Run.objects.get()
    link = share(client, row)
    assert link.status_code == 201, links(row)
    path = link.json()["path"]
    [seen] = [
        one["event"]
        for one in opened(f"{path}/events").json()["results"]
        if one["event"]["event"] == "size_drawn"
    ]
    stored = RunEvent.objects.get(run=row, kind="size_drawn").payload
    assert seen["probabilities"] == stored["probabilities"]

    arm = {"method": "team_size", "checkpoint": found[0]["name"]}
    call_command(
        "evaluate",
        "--dataset=sums",
        "--split=dev",
        "--inline",
        "--user=operator",
        f"--arm={json.dumps(arm)}",
        "--method=direct",
    )
    [evaluation] = client.get("/api/evaluations").json()["results"]
    summary = client.get(f"/api/evaluations/{evaluation['id']}/summary").json()
    assert [each["accuracy"] for each in summary["arms"]] == [1.0, 1.0]
