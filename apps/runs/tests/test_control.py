"""Who may lead a run, and what is refused: `/continue`, `/fork`, breakpoints."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import OWNED, AsUser
from apps.common.errors import ApplicationError
from apps.designs.models import Design
from apps.designs.services import design_create
from apps.designs.tests.conftest import draft
from apps.evaluations.plan import evaluation_plan
from apps.evaluations.requests import ArmRequest, EvaluationRequest
from apps.llms.models import Endpoint
from apps.runs.control import control_spec
from apps.runs.models import Run, RunEvent
from apps.tasks.models import Dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]

TEXTS = ("key", "name", "description", "prompt")

SPENT = {"usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": None}, "seconds": 3.0}
GRAPH = {
    "nodes": [
        {"id": i, "role": {"family": "test", **dict.fromkeys(TEXTS, i)}, "endpoint": None}
        for i in "abp"
    ],
    "edges": [{"source": "a", "target": "b"}],
}


DIRECT = {"method": "direct", "design": None}


@pytest.fixture
def design(cast: dict[str, User], endpoint: Endpoint, sent: list[str]) -> Design:
    return design_create(user=cast["operator"], name="Mine", draft=draft("ab", "ab"))


@pytest.fixture
def waiting(cast: dict[str, User], endpoint: Endpoint, sent: list[str]) -> Run:
    """a has spoken, b is held, p is a person."""
    run = Run.objects.create(
        status="waiting",
        attempt=1,
        method="design",
        method_config={"graph": GRAPH, "answer_from": None, "summary": False},
        endpoint=endpoint,
        endpoint_key="stub",
        endpoint_spec=endpoint.spec().model_dump(mode="json"),
        query="1 + 1?",
        created_by=cast["operator"],
    )
    add(run, {"event": "graph_planned", "graph": GRAPH})
    add(run, {"event": "agent_started", **SAYS, "endpoint": "stub"})
    add(run, {"event": "agent_finished", "agent_id": "a", "message": "1", **SPENT})
    pause = {"waiting_for": ["b", "p"], "asked": ["p"], "graph": GRAPH, **SPENT}
    add(run, {"event": "run_paused", **pause})
    return run


SAYS = {"agent_id": "a", "role_key": "a", "role_name": "a", "family": "test"}


def post(client: APIClient, run: Run, what: str, body: dict[str, Any], **more: Any) -> Any:
    return client.post(f"/api/runs/{run.id}/{what}", body, format="json", **more)


def errors_of(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.content
    return [(error["field"], error["code"]) for error in answer.json()["error"]["fields"]]


def add(run: Run, payload: dict[str, Any]) -> None:
    seq = run.events.count() + 1
    RunEvent.objects.create(
        run=run,
        attempt=run.attempt,
        seq=seq,
        kind=payload["event"],
        payload={"at": 100.0 + seq, **payload},
        at=datetime.fromtimestamp(100.0 + seq, UTC),
    )


@pytest.mark.parametrize(("who", "goes_on"), OWNED)
def test_all_fork_and_the_owner_and_admins_go_on(
    as_user: AsUser, waiting: Run, who: str, goes_on: int
) -> None:
    assert post(as_user(who), waiting, "fork", {"messages": {"a": "2"}}).status_code == 201
    assert post(as_user(who), waiting, "continue", {}).status_code == goes_on


def test_it_is_queued_again_with_what_it_took_over(as_user: AsUser, waiting: Run) -> None:
    body = {"mode": "step", "agents": ["b"], "messages": {"p": "Mine."}}
    told = post(as_user("operator"), waiting, "continue", body).json()
    assert told["status"] == "queued"
    run = Run.objects.get(id=waiting.id)
    assert run.max_attempts == waiting.max_attempts + 1, "waiting is no try"
    run.attempt = 2
    control = control_spec(run)
    assert control is not None
    assert (control.step, control.released, control.written) == (True, ("b",), {"p": "Mine."})
    assert [event["event"] for event in control.kept] == ["agent_started", "agent_finished"]
    assert (control.paused_at, control.seconds) == (104.0, 3.0)
    again = post(as_user("operator"), waiting, "continue", body)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "run_not_waiting")


def test_what_does_not_fit_leaves_it_waiting(as_user: AsUser, waiting: Run) -> None:
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"agents": []}, "messages", "nothing_to_go_on_with"),
        ({"mode": "say"}, "messages", "nothing_to_go_on_with"),
        ({"agents": ["a"]}, "agents", "not_held"),
        ({"agents": ["p"]}, "agents", "not_held"),
        ({"agents": ["no such id"]}, "agents.0", "invalid"),
        ({"mode": "back"}, "mode", "invalid_choice"),
        ({"messages": {"no such id": "x"}}, "messages.no such id.[key]", "string_pattern_mismatch"),
        ({"agents": ["b"] * 501}, "agents", "max_length"),
        ({"messages": {"p": "  "}}, "messages.p", "empty"),
        ({"messages": {"b": "It is held."}}, "messages.b", "unknown_agent"),
        ({"messages": {"p": "nul \x00"}}, "messages.p", "null_characters_not_allowed"),
        ({"messages": {"p": "x" * 100_001}}, "messages.p", "too_long"),
    ]
    for body, field, code in wrong:
        assert (field, code) in errors_of(post(as_user("operator"), waiting, "continue", body))
    waiting.refresh_from_db()
    assert waiting.status == "waiting"


def test_forks_that_are_none(as_user: AsUser, waiting: Run) -> None:
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({}, "messages", "no_change"),
        ({"messages": {"b": "It has not spoken."}}, "messages.b", "unknown_agent"),
        ({"messages": {"a": ""}}, "messages.a", "empty"),
        ({"messages": {"a": "2"}, "breakpoints": ["z"]}, "breakpoints", "unknown_agent"),
        ({"messages": {"a b": "2"}}, "messages.a b.[key]", "string_pattern_mismatch"),
    ]
    for body, field, code in wrong:
        assert errors_of(post(as_user("operator"), waiting, "fork", body)) == [(field, code)]


def test_a_fork_is_made_once_under_a_key(as_user: AsUser, waiting: Run) -> None:
    client, key = as_user("curator"), {"Idempotency-Key": "k"}
    body = {"messages": {"a": "2"}, "step": True}
    made = [post(client, waiting, "fork", body, headers=key) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 200]
    assert made[0].json()["id"] == made[1].json()["id"]
    told = made[0].json()
    assert (told["fork_of"], told["created_by"]) == (str(waiting.id), "curator")
    control = control_spec(Run.objects.get(id=told["id"]))
    assert control is not None
    assert [event.get("given") for event in control.kept] == [None, "edited"]
    assert control.kept[1]["message"] == "2"
    assert control.step


@pytest.mark.parametrize(
    ("wanted", "stops"), [({}, ("b",)), ({"breakpoints": []}, ()), ({"breakpoints": ["p"]}, ("p",))]
)
def test_a_fork_stops_where_the_run_would_have_stopped(
    as_user: AsUser, waiting: Run, wanted: dict[str, Any], stops: tuple[str, ...]
) -> None:
    Run.objects.filter(id=waiting.id).update(control={"breakpoints": ["b"], "released": ["b"]})
    body = {"messages": {"a": "2"}, **wanted}
    told = post(as_user("operator"), waiting, "fork", body).json()
    control = control_spec(Run.objects.get(id=told["id"]))
    assert control is not None
    assert (control.breakpoints, control.released) == (stops, ())


def test_nothing_is_forked_while_it_runs(as_user: AsUser, waiting: Run) -> None:
    Run.objects.filter(id=waiting.id).update(status="running")
    answer = post(as_user("operator"), waiting, "fork", {"messages": {"a": "2"}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_under_way")


def test_breakpoints_that_nothing_has(as_user: AsUser, design: Design) -> None:
    for body, error in (
        ({"breakpoints": ["z"]}, ("breakpoints", "unknown_agent")),
        ({**DIRECT, "step": True}, ("step", "no_design")),
        ({**DIRECT, "breakpoints": ["a"]}, ("breakpoints", "no_design")),
    ):
        whole = {"query": "1?", "method": "design", "design": str(design.id), **body}
        assert errors_of(as_user("operator").post("/api/runs", whole, format="json")) == [error]


def test_an_evaluation_asks_no_person(cast: dict[str, User], endpoint: Endpoint) -> None:
    asks = draft("ab", "ab")
    asks["agents"][0]["role"]["tools"] = ["person"]
    design = design_create(user=cast["operator"], name="Asks", draft=asks)
    dataset = Dataset.objects.create(key="d", name="D", benchmark="gsm8k")
    arm = ArmRequest(method="design", design=design.id)
    with pytest.raises(ApplicationError) as refused:
        evaluation_plan(EvaluationRequest(dataset=dataset.key, split="dev", arms=(arm,)))
    assert ("arms.0.design", "asks_person") in [(e.field, e.code) for e in refused.value.fields]


def test_the_trace_of_a_run_that_waits_goes_on(as_user: AsUser, waiting: Run) -> None:
    page = as_user("viewer").get(f"/api/runs/{waiting.id}/events").json()
    assert page["results"][-1]["event"]["event"] == "run_paused"
    assert page["ended"] is False


def test_a_run_that_waits_counts_for_the_limit(
    as_user: AsUser, waiting: Run, settings: Settings
) -> None:
    settings.RUN_MAX_ACTIVE_PER_USER = 1
    body = {"query": "1?", "method": "direct"}
    answer = as_user("operator").post("/api/runs", body, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_runs")


def test_cancelled_before_it_goes_on_it_keeps_what_it_used(as_user: AsUser, waiting: Run) -> None:
    Run.objects.filter(id=waiting.id).update(agent_count=3, prompt_tokens=10, seconds=3.0)
    post(as_user("operator"), waiting, "continue", {})
    told = post(as_user("operator"), waiting, "cancel", {}).json()
    assert (told["status"], told["seconds"]) == ("cancelled", 3.0)
    assert told["usage"]["prompt_tokens"] == 10
    last = Run.objects.get(id=waiting.id).events.order_by("seq").last()
    assert last is not None
    assert last.payload["usage"]["prompt_tokens"] == 10
