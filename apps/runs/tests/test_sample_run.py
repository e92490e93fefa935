"""The sample run that comes with the pages, and the command that records one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.runs.management.commands.sample_run import SAMPLE
from apps.runs.models import Run, RunEvent
from workers.core.events import EVENT_ADAPTER, RunStarted

MakeRun = Callable[..., Run]

NO_GRAPH: dict[str, list[Any]] = {"nodes": [], "edges": []}
STARTED = RunStarted(method="direct", query="1 + 1?", seed=1, endpoint="stub", model="stub")


def read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())
    return found


@pytest.mark.django_db
def test_a_run_is_recorded_as_strangers_see_it(stored: MakeRun, tmp_path: Path) -> None:
    run, out = stored(), tmp_path / "sample.json"
    with pytest.raises(CommandError, match="is cancelled"):
        call_command("sample_run", str(run.id), out=out)
    Run.objects.filter(id=run.id).update(status="succeeded", answer="2")
    payload = {**STARTED.model_dump(mode="json"), "secret": "operator"}
    RunEvent.objects.create(
        run=run, attempt=1, seq=1, kind="run_started", payload=payload, at=timezone.now()
    )
    call_command("sample_run", str(run.id), out=out)
    sample = read(out)
    assert set(sample) == {"run", "method", "trained_config", "role_names", "origins", "events"}
    assert sample["run"]["answer"] == "2"
    assert sample["method"]["key"] == "direct"
    assert STARTED.model_dump(mode="json") in [each["event"] for each in sample["events"]]
    assert "operator" not in out.read_text()


STEPS = {
    "mashost": {"node_sampled", "edges_sampled"},
    "reso": {"subtasks_planned", "candidates_scored", "subtask_answered"},
}


@pytest.mark.parametrize(
    ("file", "method"), [(SAMPLE, "mashost"), (SAMPLE.with_name("sample-reso.json"), "reso")]
)
def test_a_sample_is_a_whole_run_in_today_s_words(file: Path, method: str) -> None:
    sample = read(file)
    run, events = sample["run"], [each["event"] for each in sample["events"]]
    assert (run["method"], run["status"], run["created_by"]) == (method, "succeeded", None)
    assert run["agent_count"] == len(run["graph"]["nodes"]) > 1
    for event in events:  # a graph's roles have no prompts for strangers
        known = {**event, "graph": NO_GRAPH} if "graph" in event else event
        EVENT_ADAPTER.validate_python(known)
    kinds = {event["event"] for event in events}
    assert events[0]["event"] == "run_started"
    assert kinds >= {*STEPS[method], "agent_finished", "run_finished"}
    assert not any(event.get("cached") for event in events), "recorded as it was asked first"
    sampled = [event for event in events if event["event"] == "node_sampled"]
    actions = {each["action"] for event in sampled for each in event["candidates"]}
    assert actions - {"DELETE", "EXIT"} <= set(sample["role_names"])
