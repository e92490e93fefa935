"""A run whose worker is killed in its second stage continues there. Real processes and signals."""

from functools import partial
from typing import Any

import pytest

from tests.processes.children import until
from tests.processes.studio import Studio
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.processes


def events_of(studio: Studio, run_id: str, attempt: int) -> list[dict[str, Any]]:
    results = studio.read(f"runs/{run_id}/events")["results"]
    return [each["event"] for each in results if each["attempt"] == attempt]


def is_at_work(studio: Studio, run_id: str, agent: str) -> bool:
    events = events_of(studio, run_id, 1)
    return ("agent_started", agent) in {(each["event"], each.get("agent_id")) for each in events}


def plain(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: each[name] for name in each if name != "at"} for each in events]


def asked(llm: RunningStub, question: str) -> list[str]:
    """Who was asked about the question, in order."""
    told = [
        "\n".join(str(message["content"]) for message in body["messages"])
        for body in llm.log()["requests"]
    ]
    marks = {
        "subtasks that it takes": "planner",
        "You judge whether": "evaluator",
        "You give the final answer": "final",
        "nothing else:\nFind the first length": "stage 1",
        "nothing else:\nFind the slow length": "stage 2",
    }
    return [
        next(who for mark, who in marks.items() if mark in text)
        for text in told
        if question in text
    ]


def test_finished_stages_are_not_asked_again(studio: Studio, llm: RunningStub) -> None:
    options = {"method": "evomas", "method_config": {"workflow": "io"}}
    run_id = studio.ask("[stages] Which is longer?", **options)
    question = studio.run(run_id)["query"]
    until(partial(is_at_work, studio, run_id, "s2l1a1"), seconds=60, what="stage 2 is at work")
    studio.children[studio.holder(run_id)].kill()
    run = studio.wait(run_id, "succeeded", "failed", seconds=60)
    assert (run["status"], run["attempt"], run["answer"]) == ("succeeded", 2, "2")
    calls = asked(llm, question)
    assert calls == [
        *("planner", "stage 1", "evaluator", "stage 2"),
        *("stage 2", "evaluator", "final"),
    ]
    first, second = events_of(studio, run_id, 1), events_of(studio, run_id, 2)
    place = next(at for at, each in enumerate(second) if each["event"] == "run_taken_up")
    assert (second[place]["attempt"], second[place]["parts"]) == (1, 1)
    assert second[place - 1]["event"] == "stage_ended"
    assert plain(second[1:place]) == plain(first[1:place])
    [lost] = [each for each in first if each["event"] == "attempt_lost"]
    usage = [each["usage"] for each in second if each["event"] == "agent_finished"]
    assert run["usage"]["prompt_tokens"] == sum(each["prompt_tokens"] for each in usage)
    before = sum(each["prompt_tokens"] + each["completion_tokens"] for each in usage[:3])
    assert (lost["spent"]["tokens"], lost["spent"]["unknown"]) == (before, 1)
