"""Random graphs: seeded, acyclic, and summed up at the end."""

import pytest

from workers.core.mas.prompts import SUMMARY_ROLE
from workers.core.methods.random_graph import RandomGraphConfig, drawn_graph
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import kinds, large_pool, only, ran_by, small_pool
from workers.core.testing.stub_settings import Rule

METHOD = METHODS["random_graph"]
POOL = large_pool(40).roles


async def test_the_team_works_and_the_summary_answers() -> None:
    rule = Rule(SUMMARY_ROLE.prompt, reply="Answer: 77")
    events, _ = await ran_by(METHOD, (rule,), pool=small_pool(), config={"agents": 3})
    assert kinds(events)[0] == "graph_planned"
    assert kinds(events)[-3:] == ["agent_started", "agent_finished", "intermediate_answer"]
    [planned] = only(events, "graph_planned")
    assert [node.id for node in planned.graph.nodes] == ["a1", "a2", "a3"]
    started = only(events, "agent_started")
    assert [event.summary for event in started].count(True) == 1
    assert started[-1].agent_id == "summary"
    assert started[-1].reads == ("a1", "a2", "a3")
    answer = only(events, "intermediate_answer")[0]
    assert (answer.answer, answer.agent_id) == ("77", "summary")


async def test_without_a_word_of_the_summary_the_last_answer_counts() -> None:
    rules = (Rule(SUMMARY_ROLE.prompt, reply="REFUSE: no"), Rule("You are", reply="Answer: 5"))
    events, _ = await ran_by(METHOD, rules, pool=small_pool())
    answer = only(events, "intermediate_answer")[0]
    assert (answer.answer, answer.agent_id) == ("5", "a4")


async def test_without_a_summary_the_last_agent_answers_and_no_call_is_added() -> None:
    answer_5 = Rule("You are", reply="Answer: 5")
    config = {"agents": 3, "final_answer": "agent"}
    events, requests = await ran_by(METHOD, [answer_5], pool=small_pool(), config=config)
    assert len(requests) == 3
    assert [event.agent_id for event in only(events, "agent_started") if event.summary] == []
    answer = only(events, "intermediate_answer")[0]
    assert (answer.answer, answer.agent_id) == ("5", "a3")


async def test_a_team_that_refuses_is_not_summed_up() -> None:
    config = {"agents": 2, "edge_probability": 0}
    refuse = Rule("You are", reply="REFUSE: no")
    events, _ = await ran_by(METHOD, [refuse], pool=small_pool(), config=config)
    assert not any(event.summary for event in only(events, "agent_started"))
    assert only(events, "intermediate_answer")[0].answer is None


def test_the_seed_fixes_the_graph() -> None:
    config = RandomGraphConfig(agents=6)
    graphs = [drawn_graph(POOL, config, seed=seed) for seed in (1, 1, 2)]
    assert graphs[0] == graphs[1] != graphs[2]
    assert [n.role.key for n in graphs[0].nodes] != [n.role.key for n in graphs[2].nodes]


@pytest.mark.parametrize(("probability", "share"), [(0.0, 0.0), (0.3, 0.3), (1.0, 1.0)])
def test_edges_come_with_their_probability_and_lead_forward(
    probability: float, share: float
) -> None:
    config = RandomGraphConfig(agents=5, edge_probability=probability)
    graphs = [drawn_graph(POOL, config, seed=seed) for seed in range(200)]
    edges = [edge for graph in graphs for edge in graph.edges]
    assert all(edge.source < edge.target for edge in edges)
    assert len(edges) / (200 * 10) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize(
    ("agents", "sizes"), [(1, {1}), (1.75, {1, 2}), (2.3, {2, 3}), (4, {4}), (15.5, {15, 16})]
)
def test_the_mean_size_is_met_by_the_two_numbers_next_to_it(agents: float, sizes: set[int]) -> None:
    config = RandomGraphConfig(agents=agents)
    drawn = [len(drawn_graph(POOL, config, seed=seed).nodes) for seed in range(1_000)]
    assert set(drawn) == sizes
    assert sum(drawn) / 1_000 == pytest.approx(agents, abs=0.06)  # 4 deviations


def test_the_size_draws_nothing_else() -> None:
    """A graph of two agents is the start of one of three, whatever the mean was."""
    small, large = (
        drawn_graph(POOL, RandomGraphConfig(agents=agents), seed=0) for agents in (2, 3)
    )
    assert large.nodes[:2] == small.nodes
    assert {edge for edge in large.edges if edge.target != "a3"} == set(small.edges)


def test_every_role_comes_about_equally_often_and_none_twice() -> None:
    config = RandomGraphConfig(agents=4)
    counts = dict.fromkeys((role.key for role in POOL), 0)
    for seed in range(1_000):
        keys = [node.role.key for node in drawn_graph(POOL, config, seed=seed).nodes]
        assert len(set(keys)) == 4
        for key in keys:
            counts[key] += 1
    assert 60 <= min(counts.values()) <= max(counts.values()) <= 145  # 100 ± 4.5 deviations


def test_a_pool_that_is_used_up_begins_anew() -> None:
    graph = drawn_graph(POOL[:3], RandomGraphConfig(agents=8), seed=0)
    keys = [node.role.key for node in graph.nodes]
    assert len(set(keys[:3])) == len(set(keys[3:6])) == 3
    assert len(set(keys[6:])) == 2
