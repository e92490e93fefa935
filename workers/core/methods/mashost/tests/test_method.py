"""MasHost end to end: the real embedder, the real client, a stub LLM over HTTP."""

import math
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.policy import MasHostPolicy, initial_policy
from workers.core.methods.mashost.weights import save_initial, save_policy
from workers.core.methods.tests.support import (
    HashEmbedder,
    kinds,
    only,
    ran,
    ran_by,
    role,
    shown,
    small_pool,
)
from workers.core.specs import Edge, GraphSpec, PoolSpec
from workers.core.testing.checkpoints import trained_info
from workers.core.testing.stub_process import RunningStub
from workers.core.testing.stub_settings import Rule

SENT = ["node_sampled", "edges_sampled", "agent_started", "agent_finished", "intermediate_answer"]
SUMMED_UP = ["node_sampled", "agent_started", "agent_finished", "intermediate_answer"]


Run = Callable[..., Awaitable[list[Event]]]


@pytest.fixture
def run(stub: RunningStub, embedder: MiniLMEmbedder) -> Run:
    """Runs MasHost on the small pool; at a stub of its own where there are rules."""

    async def ran_with(
        rules: Sequence[Rule] = (), *, method: MasHost | None = None, **changes: Any
    ) -> list[Event]:
        values = {"pool": small_pool(), "embedder": embedder, **changes}
        if rules:
            return (await ran_by(method or MasHost(), rules, **values))[0]
        return await ran(method or MasHost(), stub.url, **values)

    return ran_with


def graph_of(events: list[Event]) -> tuple[list[str], list[Edge]]:
    """Role keys and edges that the trace leaves, as the driver of a run reads them."""
    roles: dict[str, str] = {}
    edges: list[Edge] = []
    for event in events:
        if event.event == "node_sampled" and event.kind == "delete":
            roles.pop(str(event.agent_id))
            edges = [e for e in edges if event.agent_id not in (e.source, e.target)]
        elif event.event == "node_sampled" and event.kind == "add":
            roles[str(event.agent_id)] = event.choice
        elif event.event == "edges_sampled":
            edges += [
                Edge(source=c.source, target=event.agent_id) for c in event.candidates if c.chosen
            ]
    return list(roles.values()), edges


def eager_policy(**prior: float) -> MasHostPolicy:
    """The initial policy with numbers of its prior set: how a test forces an action."""
    policy = initial_policy(seed=0)
    with torch.no_grad():
        for name, value in prior.items():
            getattr(policy.node_prior, name).fill_(value)
    return policy


def checkpoint(folder: Path, policy: MasHostPolicy) -> Path:
    save_policy(folder, policy, trained_info("mashost"))
    return folder


async def test_the_event_sequence_of_a_team(run: Run) -> None:
    events = await run()
    added = kinds(events).count("edges_sampled")
    assert added >= 2
    assert kinds(events) == SENT * added + SUMMED_UP
    roles, edges = graph_of(events)
    assert all(event.back == () for event in only(events, "edges_sampled"))
    assert roles[0] == "word-problems"
    assert "physician" not in roles
    assert roles[-1] == "critic"
    assert edges
    last = only(events, "intermediate_answer")[-1]
    assert (last.answer, last.agent_id, last.step) == ("102", "summary", added + 1)
    started = only(events, "agent_started")
    assert [event.summary for event in started] == [False] * added + [True]


async def test_every_choice_shows_all_probabilities(run: Run) -> None:
    events = await run()
    keys = [role.key for role in small_pool().roles]
    for event in only(events, "node_sampled"):
        assert [c.action for c in event.candidates] == [*keys, "DELETE", "EXIT"]
        assert math.fsum(c.probability for c in event.candidates) == pytest.approx(1.0, abs=1e-6)
        assert all(c.probability == 0.0 for c in event.candidates if c.masked)
        [chosen] = [c for c in event.candidates if c.action == event.choice]
        assert event.log_probability == pytest.approx(math.log(chosen.probability))
    first = only(events, "node_sampled")[0]
    assert [c.action for c in first.candidates if c.masked] == ["DELETE", "EXIT"]


async def test_what_an_agent_reads_is_what_was_drawn(run: Run) -> None:
    events = await run()
    _, edges = graph_of(events)
    reads = {event.agent_id: event.reads for event in only(events, "agent_started")}
    drawn = {agent: tuple(e.source for e in edges if e.target == agent) for agent in reads}
    assert {a: r for a, r in reads.items() if a != "summary"} == {
        a: r for a, r in drawn.items() if a != "summary"
    }
    assert reads["summary"] == tuple(a for a in reads if a != "summary")
    nodes = tuple({"id": a, "role": small_pool().roles[0]} for a in drawn)
    GraphSpec.model_validate({"nodes": nodes, "edges": edges})


@pytest.mark.parametrize("config", [{}, {"greedy": False, "edge_mode": "sample"}])
async def test_the_same_seed_gives_the_same_events(config: dict[str, Any], run: Run) -> None:
    runs = [await run(seed=5, config=config) for _ in range(2)]
    assert shown(runs[0]) == shown(runs[1])


async def test_seeds_vary_a_sampled_team_and_queries_vary_a_greedy_one(run: Run) -> None:
    method = MasHost()
    config = {"greedy": False, "edge_mode": "sample"}
    sampled = {
        tuple(graph_of(await run(method=method, seed=s, config=config))[0]) for s in range(8)
    }
    assert len(sampled) > 1
    medical = await run(method=method, query="Which medicine helps against fever?")
    assert graph_of(medical)[0][0] == "physician"


async def test_the_pool_may_change_without_the_network(run: Run, tmp_path: Path) -> None:
    save_initial(tmp_path / "one")
    method = MasHost()
    chemist = role("chemist", "Knows which medicine helps against fever, pills, drugs, doses.")
    grown = PoolSpec(key="grown", name="Grown", roles=(chemist, *small_pool().roles[::-1]))
    for pool, first in ((small_pool(), "word-problems"), (grown, "word-problems")):
        events = await run(method=method, pool=pool, checkpoint=tmp_path / "one")
        assert graph_of(events)[0][0] == first
        candidates = only(events, "node_sampled")[0].candidates
        assert [c.action for c in candidates[:-2]] == [role.key for role in pool.roles]


async def test_a_refusal_is_deleted_and_another_role_takes_its_place(run: Run) -> None:
    rules = (Rule("You are the word-problems.", reply="REFUSE: outside my competence"),)
    events = await run(rules)
    chosen = [(event.kind, event.agent_id) for event in only(events, "node_sampled")]
    assert chosen[:2] == [("add", "a1"), ("delete", "a1")]
    assert [event.answer for event in only(events, "intermediate_answer")[:2]] == [None, None]
    roles, edges = graph_of(events)
    assert "word-problems" not in roles
    assert all("a1" not in (edge.source, edge.target) for edge in edges)
    assert only(events, "intermediate_answer")[-1].answer == "102"


async def test_all_refuse_is_no_answer_and_no_failure(run: Run) -> None:
    events = await run((Rule("You are the", reply="REFUSE: no"),), config={"max_steps": 4})
    assert only(events, "intermediate_answer")[-1].answer is None
    assert only(events, "node_sampled")[-1].kind == "exit"
    assert not any(event.summary for event in only(events, "agent_started"))


async def test_the_same_role_with_the_same_inputs_is_not_invoked_twice(
    run: Run, stub: RunningStub, tmp_path: Path
) -> None:
    """A policy that adds one role over and over, with edges from nobody."""
    policy = eager_policy(exit=-1e3, delete=-1e3, repeat=100.0, resemblance=100.0)
    with torch.no_grad():
        policy.edge_prior.bias.fill_(-1e3)
    stub.clear()
    loop = checkpoint(tmp_path / "loop", policy)
    events = await run(checkpoint=loop, config={"max_steps": 5})
    roles, edges = graph_of(events)
    assert len(roles) == 4
    assert len(set(roles)) == 1
    assert edges == []
    finished = only(events, "agent_finished")
    assert [event.reused for event in finished] == [False, True, True, True, False]
    assert len(stub.log()["requests"]) == 2


@pytest.mark.parametrize("temperature", [0.0, 0.7])
async def test_every_agent_and_the_summary_answer_at_the_temperature_asked_for(
    temperature: float, run: Run, stub: RunningStub
) -> None:
    stub.clear()
    events = await run(config={"temperature": temperature})
    asked = [request["temperature"] for request in stub.log()["requests"]]
    assert len(asked) == kinds(events).count("agent_started") > 2
    assert set(asked) == {temperature}


async def test_a_summary_after_every_step_when_asked(run: Run) -> None:
    events = await run(config={"answer_from": "summary"})
    added = kinds(events).count("edges_sampled")
    summaries = [event.agent_id for event in only(events, "agent_started") if event.summary]
    assert summaries == [*(f"summary-{step}" for step in range(1, added + 1)), "summary"]
    answers = only(events, "intermediate_answer")
    assert [event.agent_id for event in answers] == summaries
    assert only(events, "agent_finished")[-1].reused


async def test_the_newest_agent_answers_where_no_summary_is_wanted(run: Run) -> None:
    events = await run(config={"final_answer": "agent"})
    assert not any(event.summary for event in only(events, "agent_started"))
    last = only(events, "intermediate_answer")[-1]
    finished = [event for event in only(events, "agent_finished") if event.answer is not None]
    assert (last.agent_id, last.answer) == (finished[-1].agent_id, finished[-1].answer)


@pytest.mark.parametrize(("second", "answers"), [("$1,020.0", 2), ("31", 3)])
async def test_a_policy_can_stop_at_an_answer_that_was_given_before(
    run: Run, tmp_path: Path, second: str, answers: int
) -> None:
    """However it is written."""
    solver = role("solver", "Solves word problems: prices, loaves and cakes, dollars.")
    adder = role("adder", "Adds and multiplies prices and numbers exactly.")
    third = role("counter", "Counts loaves, cakes and dollars.")
    rules = [
        Rule(one.prompt, reply=f"I think so.\nAnswer: {said}")
        for one, said in ((solver, "1020"), (adder, second), (third, second))
    ]
    policy = eager_policy(exit=-30.0, exit_others=0.0, exit_covered=0.0, exit_support=90.0)
    pool = PoolSpec(key="three", name="Three", roles=(solver, adder, third))
    config = {"final_answer": "agent", "max_agents": 3}
    kept = checkpoint(tmp_path, policy)
    events = await run(rules, pool=pool, config=config, checkpoint=kept)
    assert len(only(events, "agent_finished")) == answers


async def test_the_newest_answer_stands_where_the_summary_has_none(run: Run) -> None:
    nothing = "I cannot say.\n" * 30
    rules = (Rule("You give the final answer of a team", reply=nothing),)
    events = await run(rules)
    last = only(events, "intermediate_answer")[-1]
    assert last.answer == "102"
    assert last.agent_id == only(events, "node_sampled")[-2].agent_id


class TestWhatIsWrong:
    @pytest.mark.parametrize("pool", [None, PoolSpec(key="none", name="None", roles=())])
    async def test_no_roles(self, pool: PoolSpec | None, run: Run) -> None:
        with pytest.raises(MethodError, match="no roles") as caught:
            await run(embedder=HashEmbedder(), pool=pool)
        assert caught.value.code == "empty_pool"

    async def test_no_embedder(self, run: Run) -> None:
        with pytest.raises(MethodError) as caught:
            await run(embedder=None)
        assert caught.value.code == "no_embedder"

    async def test_a_checkpoint_that_is_not_there(self, run: Run, tmp_path: Path) -> None:
        with pytest.raises(MethodError, match="gone") as caught:
            await run(embedder=HashEmbedder(), checkpoint=tmp_path / "gone")
        assert caught.value.code == "checkpoint_missing"
        assert "“mashost-initial” is the untrained one" in caught.value.remedy

    async def test_an_embedder_of_another_width(self, run: Run) -> None:
        narrow = HashEmbedder()
        narrow.dimension = 8
        with pytest.raises(MethodError, match="384") as caught:
            await run(embedder=narrow)
        assert caught.value.code == "wrong_dimension"

    async def test_an_endpoint_that_never_answers_ends_the_run_with_its_cause(
        self, run: Run
    ) -> None:
        events: list[Event] = []
        with pytest.raises(MethodError) as caught:
            await run(model="fault-401", heard=events)
        assert caught.value.remedy
        assert kinds(events).count("agent_failed") == 2
