"""Fixed graphs: their shapes, and who stands in them."""

from typing import Any

import pytest

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.errors import MethodError
from workers.core.graph import depth, predecessors
from workers.core.methods.fixed_graph import shaped
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import (
    HashEmbedder,
    kinds,
    large_pool,
    only,
    ran,
    ran_by,
    small_pool,
)
from workers.core.testing.stub_process import RunningStub
from workers.core.testing.stub_settings import Rule

METHOD = METHODS["fixed_graph"]
ROLES = large_pool(16).roles


@pytest.mark.parametrize(
    ("shape", "reads"),
    [
        ("chain", [[], [1], [2], [3], [4], [5]]),
        ("star", [[], [], [], [], [], [1, 2, 3, 4, 5]]),
        ("tree", [[], [], [], [1], [2, 3], [4, 5]]),
    ],
)
def test_shapes(shape: Any, reads: list[list[int]]) -> None:
    graph = shaped(shape, ROLES[:6])
    assert list(predecessors(graph).values()) == [tuple(f"a{i}" for i in read) for read in reads]
    assert [node.role for node in graph.nodes] == list(ROLES[:6])


@pytest.mark.parametrize("shape", ["chain", "star", "tree"])
@pytest.mark.parametrize("count", range(1, 17))
@pytest.mark.parametrize("branching", [2, 3, 8])
def test_everybody_is_read_once_except_the_last(shape: Any, count: int, branching: int) -> None:
    graph = shaped(shape, ROLES[:count], branching=branching)
    assert [edge.source for edge in graph.edges] == [f"a{i}" for i in range(1, count)]
    assert all(int(edge.source[1:]) < int(edge.target[1:]) for edge in graph.edges)
    if shape == "tree":
        assert max(map(len, predecessors(graph).values())) <= branching
        full = sum(branching**level for level in range(depth(graph) - 1))
        assert full < count, "no level is begun before the one above is full"


async def test_the_nearest_role_answers_last(stub: RunningStub, embedder: MiniLMEmbedder) -> None:
    given: dict[str, Any] = {"pool": small_pool(), "embedder": embedder}
    events = await ran(METHOD, stub.url, config={"agents": 2}, **given)
    [planned] = only(events, "graph_planned")
    assert [node.role.key for node in planned.graph.nodes] == ["arithmetic", "word-problems"]
    assert kinds(events) == [
        "graph_planned",
        "agent_started",
        "agent_finished",
        "agent_started",
        "agent_finished",
        "intermediate_answer",
    ]
    answer = only(events, "intermediate_answer")[0]
    assert (answer.answer, answer.agent_id) == ("102", "a2")


async def test_a_small_pool_begins_anew(stub: RunningStub) -> None:
    given: dict[str, Any] = {"pool": small_pool(), "embedder": HashEmbedder()}
    events = await ran(METHOD, stub.url, config={"agents": 7, "shape": "star"}, **given)
    keys = [node.role.key for node in only(events, "graph_planned")[0].graph.nodes]
    assert sorted(keys[2:]) == sorted(role.key for role in small_pool().roles)
    assert keys[:2] == keys[5:]


async def test_named_roles_stand_in_their_order_and_need_no_embedder(stub: RunningStub) -> None:
    config = {"roles": "planner, arithmetic,critic,", "shape": "chain", "agents": 9}
    events = await ran(METHOD, stub.url, config=config, pool=small_pool())
    keys = [node.role.key for node in only(events, "graph_planned")[0].graph.nodes]
    assert keys == ["planner", "arithmetic", "critic"]
    assert only(events, "intermediate_answer")[0].agent_id == "a3"


async def test_when_the_last_one_refuses_the_one_before_answers() -> None:
    rules = (Rule("You are the critic.", reply="REFUSE: no"), Rule("planner", reply="Answer: 9"))
    config = {"roles": "planner,critic"}
    events, _ = await ran_by(METHOD, rules, config=config, pool=small_pool())
    answer = only(events, "intermediate_answer")[0]
    assert (answer.answer, answer.agent_id) == ("9", "a1")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "no_embedder"),
        ({"config": {"roles": "planner,nobody"}}, "unknown_role"),
    ],
)
async def test_what_cannot_be_built_is_named(
    given: dict[str, Any], code: str, stub: RunningStub
) -> None:
    with pytest.raises(MethodError) as caught:
        await ran(METHOD, stub.url, pool=small_pool(), **given)
    assert caught.value.code == code
    assert caught.value.remedy
