"""A graph that a run built, or a training sampled, taken into the designer."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.tests.cast import AsUser
from apps.roles.models import RolePool
from apps.runs.models import Run, RunEvent
from apps.runs.tests.conftest import endpoint, make_run, pool, sent
from apps.training.models import TrainingJob, TrainingSample
from workers.core.designs.spec import design_of
from workers.core.events import (
    AgentFinished,
    AgentStarted,
    BlockCalled,
    EdgeProbability,
    EdgesSampled,
    EventBase,
    GraphPlanned,
    IntermediateAnswer,
    NodeSampled,
    RevisionAsked,
)
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, Usage

__all__ = ["endpoint", "make_run", "pool", "sent"]
pytestmark = pytest.mark.django_db
MakeRun = Callable[..., Run]

ROLE = RoleSpec(key="solver", name="Solver", family="maths", description="Solves.", prompt="Solve.")
GRAPH = GraphSpec(
    nodes=(AgentNode(id="a1", role=ROLE), AgentNode(id="a2", role=ROLE)),
    edges=(Edge(source="a1", target="a2"),),
)


def traced(run: Run, *events: EventBase) -> Run:
    known = run.events.count()
    for seq, event in enumerate(events, known + 1):
        payload: dict[str, Any] = event.model_dump(mode="json")
        told = {"kind": payload["event"], "payload": payload, "at": timezone.now()}
        RunEvent.objects.create(run=run, attempt=run.attempt, seq=seq, **told)
    return run


def node(step: int, kind: str, choice: str, agent_id: str) -> NodeSampled:
    sampled: dict[str, Any] = {"candidates": (), "log_probability": 0.0, "greedy": True}
    return NodeSampled(step=step, kind=kind, choice=choice, agent_id=agent_id, **sampled)


def reads(step: int, agent_id: str, source: str) -> EdgesSampled:
    read = EdgeProbability(source=source, probability=0.9, chosen=True)
    return EdgesSampled(step=step, agent_id=agent_id, candidates=(read,), log_probability=0.0)


def taken(as_user: AsUser, run: Run) -> dict[str, Any]:
    answer = as_user("operator").post("/api/designs", {"from_run": str(run.id)})
    assert answer.status_code == 201, answer.json()
    body: dict[str, Any] = answer.json()
    return body


def test_a_planned_graph_with_whoever_answered(as_user: AsUser, make_run: MakeRun) -> None:
    said = IntermediateAnswer(step=1, answer="2", agent_id="a1")
    run = traced(make_run(query="What is\n1 + 1?"), GraphPlanned(graph=GRAPH), said)
    body = taken(as_user, run)
    assert body["draft"] == design_of(GRAPH, answer_from="a1").model_dump(mode="json")
    assert (body["name"], body["from_run"]) == ("What is 1 + 1?", str(run.id))
    assert {problem["code"] for problem in body["problems"]} == {"unheard"}
    run.delete()
    later = as_user("viewer").get(f"/api/designs/{body['id']}").json()
    assert (later["origin"], later["from_run"]) == ("run", None)


def test_of_a_script_its_calls_are_taken_over_and_a_fork_asks_them_again(
    as_user: AsUser, make_run: MakeRun
) -> None:
    """MetaAgent-X: its designer, which no agent reads, is in neither."""
    run = make_run(query="What is\n1 + 1?", method="metaagent_x")
    spoke = [
        event
        for agent in ("designer", "a1", "a2")
        for event in (
            AgentStarted(
                agent_id=agent, role_key="solver", role_name="Solver", family="x", endpoint="e"
            ),
            AgentFinished(agent_id=agent, message="2", answer="2", usage=Usage.zero(), seconds=1),
        )
    ]
    first, second = GRAPH.nodes
    traced(
        run,
        *spoke[:2],
        BlockCalled(node=first, line=2, call=1),
        BlockCalled(node=second, reads=("a1",), line=3, call=2),
        *spoke[2:],
        IntermediateAnswer(step=2, answer="2", agent_id="a2"),
    )
    body = taken(as_user, run)
    assert body["draft"] == design_of(GRAPH, answer_from="a2").model_dump(mode="json")
    assert "calls_as_graph" in {problem["code"] for problem in body["problems"]}
    ended = {"status": Run.Status.SUCCEEDED, "finished_at": timezone.now()}
    Run.objects.filter(id=run.id).update(**ended)
    client = as_user("operator")
    answer = client.post(f"/api/runs/{run.id}/fork", {"messages": {"a1": "3"}}, format="json")
    assert (answer.status_code, answer.json()["method"]) == (201, "design")
    kept = Run.objects.get(id=answer.json()["id"]).control["kept"]
    assert {event["agent_id"] for event in kept} == {"a1"}
    wrong = {"messages": {"designer": "3"}}
    refused = client.post(f"/api/runs/{run.id}/fork", wrong, format="json")
    assert refused.status_code == 400


def test_a_revision_is_taken_over_as_an_agent_that_reads_what_it_was_sent(
    as_user: AsUser, make_run: MakeRun, pool: RolePool
) -> None:
    """MasHost with feedback edges: the design has no cycle, and whoever revised answers."""
    config = {"feedback_edges": True, "final_answer": "agent"}
    run = make_run(method="mashost", method_config=config)
    assert run.pool_version is not None
    key = run.pool_version.spec["roles"][0]["key"]

    traced(
        run,
        node(1, "add", key, "a1"),
        node(1, "add", key, "a2"),
        reads(2, "a2", "a1"),
        RevisionAsked(
            step=2, agent_id="a1-2", revises="a1", sender="a2", reads=("a1", "a2"), round=2
        ),
        IntermediateAnswer(step=3, answer="2", agent_id="a1-2"),
    )
    body = taken(as_user, run)
    draft = body["draft"]
    assert [agent["id"] for agent in draft["agents"]] == ["a1", "a2", "a1-2"]
    assert draft["agents"][2]["role"]["key"] == key
    edges = {(edge["source"], edge["target"]) for edge in draft["edges"]}
    assert edges == {("a1", "a2"), ("a1", "a1-2"), ("a2", "a1-2")}
    assert draft["answer_from"] == "a1-2"
    assert not [problem for problem in body["problems"] if problem["severity"] == "error"]
    for form in ("json", "graphml", "mermaid", "python"):
        told = as_user("viewer").get(f"/api/designs/{body['id']}/export?format={form}")
        assert told.status_code == 200, form


def test_samples_and_their_vote_stay_what_they_were(as_user: AsUser, make_run: MakeRun) -> None:
    said = IntermediateAnswer(step=1, answer="2", agent_id="a2")
    run = make_run(method="self_consistency", method_config={"k": 2, "temperature": 0.4})
    graph = GraphSpec(nodes=GRAPH.nodes)
    body = taken(as_user, traced(run, GraphPlanned(graph=graph), said))
    sampled = [(agent["temperature"], agent["sample"]) for agent in body["draft"]["agents"]]
    assert sampled == [(0.4, 0), (0.4, 1)]
    assert (body["draft"]["vote"], body["draft"]["answer_from"]) == (["a1", "a2"], None)
    assert body["problems"] == []
    fork = {"messages": {"a1": "It is 3.\nAnswer: 3"}}
    ended = {"status": Run.Status.SUCCEEDED, "finished_at": timezone.now()}
    Run.objects.filter(id=run.id).update(**ended)
    spoken = AgentFinished(agent_id="a1", message="2", usage=Usage(), seconds=1)
    traced(run, spoken)
    made = as_user("operator").post(f"/api/runs/{run.id}/fork", fork, format="json").json()
    config = Run.objects.get(id=made["id"]).method_config
    assert config["vote"] == ["a1", "a2"]
    assert config["sampling"]["a2"] == {"temperature": 0.4, "sample": 1}


def test_a_design_that_ran_is_taken_over_as_it_was_drawn(
    as_user: AsUser, make_run: MakeRun
) -> None:
    config = {"graph": GRAPH.model_dump(mode="json"), "vote": ["a2"]}
    said = IntermediateAnswer(step=1, answer="2", agent_id="a2")
    run = traced(make_run(method="design", method_config=config), GraphPlanned(graph=GRAPH), said)
    draft = taken(as_user, run)["draft"]
    assert (draft["vote"], draft["answer_from"]) == (["a2"], None)


def test_what_differs_from_the_run_is_told_even_when_the_run_is_gone(
    as_user: AsUser, make_run: MakeRun
) -> None:
    run = traced(make_run(method="self_refine"), GraphPlanned(graph=GRAPH))
    Run.objects.filter(id=run.id).update(task_details={"answer_form": "code"})
    body = taken(as_user, run)
    unlike = [each for each in body["problems"] if each["code"] == "feedback_as_answer"]
    client, draft = as_user("operator"), body["draft"]
    checked = client.post("/api/designs/check", {"design": body["id"], "draft": draft}).json()
    assert checked["problems"] == body["problems"]
    assert not client.post("/api/designs/check", {"draft": draft}).json()["problems"]
    assert [(each["severity"], each["agent_id"]) for each in unlike] == [("warning", None)]
    run.delete()
    later = as_user("viewer").get(f"/api/designs/{body['id']}").json()
    assert later["problems"] == body["problems"]


def test_a_summary_agent_stays_one(as_user: AsUser, make_run: MakeRun) -> None:
    said = IntermediateAnswer(step=1, answer="2", agent_id="summary")
    body = taken(as_user, traced(make_run(), GraphPlanned(graph=GRAPH), said))
    assert (body["draft"]["summary"], body["draft"]["answer_from"]) == (True, None)


def test_a_graph_that_a_policy_built_with_what_it_deleted_left_out(
    as_user: AsUser, make_run: MakeRun, pool: RolePool
) -> None:
    run = traced(
        make_run(method="mashost"),
        node(1, "add", "planner", "a1"),
        node(2, "add", "solver", "a2"),
        reads(2, "a2", "a1"),
        node(3, "add", "solver", "a3"),
        node(4, "delete", "DELETE", "a3"),
    )
    spec = taken(as_user, run)["draft"]
    assert [agent["role"]["key"] for agent in spec["agents"]] == ["planner", "solver"]
    assert spec["edges"] == [{"source": "a1", "target": "a2"}]
    assert spec["agents"][0]["role"]["prompt"] == "You are the planner."


def code(as_user: AsUser, **wanted: Any) -> str:
    """What is wrong with the beginning that is asked for."""
    answer = as_user("operator").post("/api/designs", wanted)
    assert answer.status_code == 400
    found: str = answer.json()["error"]["fields"][0]["code"]
    return found


def test_a_run_without_a_graph_or_of_long_ago(as_user: AsUser, make_run: MakeRun) -> None:
    run = make_run()
    begin = str(run.id)
    assert code(as_user, from_run=begin) == "no_graph"
    run.delete()
    assert code(as_user, from_run=begin) == "unknown_run"
    assert code(as_user, from_run=begin, draft={}) == "two_beginnings"


def sampled(trace: list[EventBase]) -> TrainingSample:
    job = TrainingJob.objects.create(name="t", method="mashost")
    payload = {"trace": [event.model_dump(mode="json") for event in trace], "answer": "2"}
    counts = {"step": 1, "index": 0, "reward": 1.0, "tokens": 9, "agents": 2}
    return TrainingSample.objects.create(
        job=job, query="What is\n1 + 1?", correct=True, payload=payload, **counts
    )


def test_a_system_that_a_training_sampled(as_user: AsUser) -> None:
    said = IntermediateAnswer(step=1, answer="2", agent_id="a1")
    sample = sampled([GraphPlanned(graph=GRAPH), said])
    answer = as_user("operator").post("/api/designs", {"from_sample": sample.id})
    assert answer.status_code == 201, answer.json()
    body = answer.json()
    assert body["draft"] == design_of(GRAPH, answer_from="a1").model_dump(mode="json")
    assert (body["name"], body["from_run"]) == ("What is 1 + 1?", None)
    assert body["origin"] == "sample"
    assert as_user("viewer").post("/api/designs", {"from_sample": sample.id}).status_code == 403


def test_no_graph_of_a_sampled_system_or_none_any_more(as_user: AsUser, make_run: MakeRun) -> None:
    sample = sampled([])
    gone, run = sample.id, str(make_run().id)
    assert code(as_user, from_sample=gone) == "no_graph"
    assert code(as_user, from_sample=gone, from_run=run) == "two_beginnings"
    sample.delete()
    assert code(as_user, from_sample=gone) == "unknown_sample"
    assert code(as_user, from_sample=2**63) == "max_value"
