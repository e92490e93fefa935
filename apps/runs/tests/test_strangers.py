"""What a link shows to somebody without an account."""

import json
import re
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.tests.cast import AsUser
from apps.checkpoints.models import Checkpoint
from apps.corpora.models import Corpus, Document
from apps.roles.models import RolePool
from apps.roles.publishing import pool_publish
from apps.roles.services import role_create
from apps.runs.models import Run
from apps.runs.selectors import Position, StoredEvent, run_row
from apps.runs.strangers import OF_EVERY_EVENT, for_strangers, shared_row, shown_of
from apps.runs.tests.conftest import role_values
from apps.runs.tests.links import opened, share
from apps.runs.tests.traces import tell
from workers.core.events import (
    EVENT_ADAPTER,
    ActionProbability,
    AgentFinished,
    BackProbability,
    EdgeProbability,
    EdgesSampled,
    Event,
    GraphPlanned,
    NodeSampled,
    RevisionAsked,
)
from workers.core.events.shown import Shape
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, Usage

MakeRun = Callable[..., Run]

SCHEMA = EVENT_ADAPTER.json_schema()
MODELS = {
    kind: place.rsplit("/", 1)[-1] for kind, place in SCHEMA["discriminator"]["mapping"].items()
}
OF_NO_STORED_RUN = {
    *("agents_rewarded", "agent_delta", "checkpoint_saved"),
    *("training_metric", "training_sample", "training_ended"),
}
ROLE_TEXTS = ("description", "output_form", "prompt", "refuse_condition")
OF_ROLES = ("capabilities", "tools", *ROLE_TEXTS)
HIDDEN_OF_ROLES = {f"graph.nodes.role.{name}" for name in OF_ROLES}
HIDDEN = {
    "attempt_lost": {f"spent.tools.{name}" for name in ("calls", "seconds", "fetched")},
    "graph_planned": HIDDEN_OF_ROLES,
    "run_paused": HIDDEN_OF_ROLES,
    "subtask_answered": {"rewards.problem"},
    "block_called": {f"node.role.{name}" for name in OF_ROLES},
    "run_finished": HIDDEN_OF_ROLES,
}
REWRITTEN = {"failure", "failed_tries"}


def names_of(model: str) -> set[str]:
    """Every value that an event holds, by its dotted name."""
    found = set()
    for name, field in SCHEMA["$defs"][model]["properties"].items():
        parts = re.findall(r"#/\$defs/(\w+)", json.dumps(field)) if name not in REWRITTEN else ()
        found |= {f"{name}.{inner}" for part in parts for inner in names_of(part)} or {name}
    return found


def names_in(shape: Shape) -> set[str]:
    found = set()
    for name, part in () if callable(shape) else shape.items():
        found |= {f"{name}.{inner}" for inner in names_in(part)} or {name}
    return found


def test_whoever_adds_a_kind_of_event_decides_whether_strangers_see_it() -> None:
    assert {kind for kind in MODELS if not shown_of(kind)} == OF_NO_STORED_RUN


@pytest.mark.parametrize("kind", sorted(set(MODELS) - OF_NO_STORED_RUN))
def test_whoever_adds_a_field_of_an_event_decides_whether_strangers_see_it(kind: str) -> None:
    held, shown = names_of(MODELS[kind]), names_in({**OF_EVERY_EVENT, **shown_of(kind)})
    assert shown <= held
    assert held - shown == HIDDEN.get(kind, set())


def read_by_strangers(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    shown = for_strangers(StoredEvent(Position(1, 1), kind, orjson.dumps(payload)))
    assert (shown.position, shown.kind) == (Position(1, 1), kind)
    read: dict[str, Any] = orjson.loads(shown.payload)
    return read


TOLD = {"code": "no_input", "message": "Nobody wrote.", "remedy": "Write."}
ROLE = RoleSpec(key="solver", name="Solver", family="maths", description="Solves.", prompt="Solve.")
PLANNED = GraphPlanned(
    graph=GraphSpec(
        nodes=(AgentNode(id="a1", role=ROLE), AgentNode(id="a2", role=ROLE, endpoint="other")),
        edges=(Edge(source="a1", target="a2"),),
    )
)


@pytest.mark.parametrize(
    "event",
    [
        EdgesSampled(
            step=2,
            agent_id="a2",
            candidates=(EdgeProbability(source="a1", probability=0.7, chosen=True),),
            log_probability=-0.5,
            back=(BackProbability(target="a1", probability=0.4, chosen=True),),
        ),
        RevisionAsked(
            step=2, agent_id="a1-2", revises="a1", sender="a2", reads=("a1", "a2"), round=2
        ),
        NodeSampled(
            step=1,
            candidates=(
                ActionProbability(action="solver", probability=1.0),
                ActionProbability(action="DELETE", probability=0.0, masked=True),
            ),
            kind="add",
            choice="solver",
            log_probability=-0.5,
            greedy=False,
            agent_id="a1",
        ),
        AgentFinished(agent_id="a1", message="2", usage=Usage.zero(), seconds=0.5, given="kept"),
    ],
)
def test_what_is_named_passes_as_it_is(event: Event) -> None:
    payload = event.model_dump(mode="json")
    assert read_by_strangers(event.event, payload) == payload


def test_a_planned_graph_tells_who_reads_whom() -> None:
    shown = read_by_strangers("graph_planned", PLANNED.model_dump(mode="json"))
    role = {"key": "solver", "name": "Solver", "family": "maths"}
    assert shown["graph"] == {
        "nodes": [
            {"id": "a1", "endpoint": None, "round": None, "role": role},
            {"id": "a2", "endpoint": "other", "round": None, "role": role},
        ],
        "edges": [{"source": "a1", "target": "a2"}],
    }


@pytest.mark.parametrize(
    ("kind", "payload", "shown"),
    [
        ("added_later", {"note": "secret"}, {}),
        ("agent_started", {"agent_id": "a1", "worker": "secret"}, {"agent_id": "a1"}),
        ("run_failed", {"usage": "secret"}, {"usage": None}),
        ("edges_sampled", {"candidates": ["secret"]}, {"candidates": [None]}),
        ("run_failed", {"failure": {**TOLD, "host": "secret"}}, {"failure": TOLD}),
        (
            "agent_finished",
            {"failed_tries": [{"code": "timeout", "message": "secret"}]},
            {"failed_tries": [{"code": "timeout", "message": ""}]},
        ),
    ],
)
def test_what_is_not_named_in_an_event_is_not_shown(
    kind: str, payload: dict[str, Any], shown: dict[str, Any]
) -> None:
    common = {"event": kind, "at": 1.5}
    assert read_by_strangers(kind, {**common, **payload}) == {**common, **shown}


@pytest.mark.django_db
def test_a_link_shows_the_run_and_its_trace_without_people(
    as_user: AsUser, stored: MakeRun, pool: RolePool
) -> None:
    run = stored(method="mashost", reference="2")
    client = as_user("operator")
    client.put(f"/api/runs/{run.id}/annotation", {"comment": "Between us."}, format="json")
    path = share(client, run).json()["path"]
    answer = opened(path)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    shown = answer.json()
    whole = client.get(f"/api/runs/{run.id}").json()
    hidden = {name for name in whole if shown["run"][name] != whole[name]}
    # Of the endpoint strangers see the names that events tell; the rest is not even loaded.
    assert hidden == {"created_by", "annotations", "asked_model"}
    assert shown["run"]["query"] == run.query
    assert shown["method"]["key"] == "mashost"
    trace = opened(f"{path}/events").json()
    assert trace["ended"] is True
    assert [each["event"]["event"] for each in trace["results"]] == ["run_cancelled"]
    whole_trace = client.get(f"/api/runs/{run.id}/events").json()["results"]
    assert whole_trace[0]["event"]["by"] == "operator"
    for body in (answer.content, opened(f"{path}/events").content):
        assert b'"operator"' not in body
        assert b"Between us." not in body


@pytest.mark.django_db
def test_a_prompt_of_a_design_that_was_never_sent_is_not_shown(
    as_user: AsUser, stored: MakeRun
) -> None:
    texts = dict.fromkeys(("prompt", "description", "refuse_condition"), "secret text")
    secret = ROLE.model_copy(update={**texts, "tools": ("calculator",)})
    graph = GraphSpec(nodes=(AgentNode(id="a1", role=secret),)).model_dump(mode="json")
    config = {"graph": graph, "answer_from": "a1", "summary": False, "new": {"key": "secret"}}
    run = stored()
    Run.objects.filter(id=run.id).update(method="design", method_config=config)
    answer = opened(share(as_user("operator"), run).json()["path"])
    role = {"key": "solver", "name": "Solver", "family": "maths"}
    assert answer.json()["run"]["method_config"] == {
        "graph": {
            "nodes": [{"id": "a1", "endpoint": None, "round": None, "role": role}],
            "edges": [],
        },
        "answer_from": "a1",
        "summary": False,
    }
    assert b"secret" not in answer.content


@pytest.mark.django_db
def test_of_the_pool_only_the_roles_that_the_run_had_or_chose_among(
    as_user: AsUser, stored: MakeRun, pool: RolePool
) -> None:
    role_create(pool=pool, values=role_values("critic"))
    pool_publish(pool=pool, by=None)
    run = stored(method="mashost")
    client = as_user("operator")
    path = share(client, run).json()["path"]
    assert opened(path).json()["role_names"] == {}
    solver = {"id": "a1", "role_key": "solver", "role_name": "Solver", "family": "maths"}
    Run.objects.filter(id=run.id).update(graph={"nodes": [solver], "edges": []})
    tell(run, "node_sampled", candidates=[{"action": "planner"}, {"action": "EXIT"}])
    assert opened(path).json()["role_names"] == {"planner": "Planner", "solver": "Solver"}


@pytest.mark.django_db
def test_of_the_corpora_only_where_the_pages_came_from_that_agents_read(
    as_user: AsUser, stored: MakeRun
) -> None:
    corpus = Corpus.objects.create(key="wiki", name="Wiki")

    def add(key: str, url: str) -> None:
        Document.objects.create(corpus=corpus, key=key, title=key, text="t", digest=key, url=url)

    add("Rhône", "https://example.org/Rh%C3%B4ne")
    add("a/b", "https://example.org/ab")
    add("unread", "https://example.org/unread")
    add("file", "file:///etc/hosts")
    run = stored()
    read = ["/corpus/wiki/Rh%C3%B4ne", "/corpus/wiki/a/b", "/corpus/wiki/file", "/corpus/wiki/gone"]
    sources = [{"title": "", "address": each} for each in [*read, "https://example.org/unread"]]
    path = share(as_user("operator"), run).json()["path"]
    assert opened(path).json()["origins"] == {}
    tell(run, "tool_returned", sources=sources)
    tell(run, "tool_returned", sources=sources[:1])
    assert opened(path).json()["origins"] == {
        "/corpus/wiki/Rh%C3%B4ne": "https://example.org/Rh%C3%B4ne",
        "/corpus/wiki/a/b": "https://example.org/ab",
    }


@pytest.mark.django_db
def test_settings_of_its_checkpoint_and_the_form_of_its_answer_are_shown(
    as_user: AsUser, stored: MakeRun
) -> None:
    run = stored()
    path = share(as_user("operator"), run).json()["path"]
    plain = opened(path).json()
    assert (plain["trained_config"], plain["run"]["answer_form"]) == ({}, None)
    trained = {"max_steps": 4, "graph": {"nodes": [{"prompt": "secret"}]}, "sampling": {"top": 1}}
    Checkpoint.objects.create(name="best", method="mashost", run_config=trained)
    details = {"answer_form": "code", "metadata": {"tests": ["secret"]}}
    Run.objects.filter(id=run.id).update(checkpoint="best", task_details=details)
    told = opened(path)
    assert told.json()["run"]["answer_form"] == "code"
    assert told.json()["trained_config"]["max_steps"] == 4
    assert "sampling" not in told.json()["trained_config"]
    assert b"secret" not in told.content


@pytest.mark.django_db
def test_what_else_the_run_holds_is_not_even_loaded(as_user: AsUser, stored: MakeRun) -> None:
    """`control` may hold every event of the run that it forks."""
    path = share(as_user("operator"), stored()).json()["path"]
    for address, unread in (
        (path, ("control", "endpoint_spec", "task_details")),
        (f"{path}/events", ("control", "graph", "method_config")),
    ):
        with CaptureQueriesContext(connection) as asked:
            assert opened(address).status_code == 200
        sent = " ".join(query["sql"] for query in asked)
        assert "runs_share" in sent
        for part in ("-> 'answer_form'", "#> '{metadata,files}'"):  # nothing else of them
            sent = sent.replace(f'task_details" {part}', "")
        for column in unread:
            assert f'"{column}"' not in sent


@pytest.mark.django_db
def test_what_is_not_named_as_public_is_not_shown(
    stored: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = stored().id
    known = run_row(run_id)
    failure = {"code": "server_error", "message": "secret", "remedy": "secret"}
    row = {**dict.fromkeys(known, "secret"), "failure": failure, "added_later": "secret"}
    monkeypatch.setattr("apps.runs.strangers.run_row", lambda _: row)
    shown = shared_row(run_id)
    hidden = {name for name in row if shown[name] is None}
    assert hidden == {
        *("created_by__username", "retry_of_id", "fork_of_id", "added_later"),
        *("design_id", "design__name", "design_version"),
        *("evaluation_id", "evaluation__name", "result__task__index"),
    }
    assert shown["notes"] == []
    assert "secret" not in str(shown["failure"])


@pytest.mark.django_db
def test_of_a_failure_its_kind_alone(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    said = "Nothing listens at http://10.0.3.7:8000/v1, asked by worker web-3:17:abc of operator."
    failure = {"code": "endpoint_failing", "message": said, "remedy": "Set OUR_SECRET_KEY."}
    Run.objects.filter(id=run.id).update(status="failed", failure=failure)
    for kind in ("agent_failed", "attempt_lost", "run_failed"):
        tell(run, kind, failure=failure)
    path = share(as_user("operator"), run).json()["path"]
    run_said, trace_said = opened(path).content, opened(f"{path}/events").content
    for body in (run_said, trace_said):
        for word in (b"10.0.3.7", b"web-3", b"SECRET", b"operator"):
            assert word not in body
    assert run_said.count(b"It failed: endpoint failing.") == 1
    assert trace_said.count(b"It failed: endpoint failing.") == 3


@pytest.mark.django_db
def test_a_failure_that_holds_only_numbers_is_told(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    failure = {"code": "budget_exceeded", "message": "400 of 300 tokens.", "remedy": "More."}
    Run.objects.filter(id=run.id).update(status="failed", failure=failure)
    shown = opened(share(as_user("operator"), run).json()["path"]).json()
    assert shown["run"]["failure"] == failure
