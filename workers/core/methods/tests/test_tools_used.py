"""Which tools an arm's agents may use."""

from typing import Any

import pytest

from workers.core.mas.tests.support import endpoint, role
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import only, ran
from workers.core.methods.tools_used import tools_used
from workers.core.specs import AgentNode, GraphSpec, PoolSpec
from workers.core.testing.stub_process import RunningStub

POOL = PoolSpec(
    key="p",
    name="P",
    roles=(role("a", tools=("calculator", "program")), role("b", tools=("vote",)), role("c")),
)
ANY_TASK = [
    key
    for key, one in METHODS.items()
    # These need a graph, an episode, an embedder, and a script.
    if not one.needs_pool and key not in ("design", "at_grpo", "evomas", "metaagent_x")
]
SCRIPT = """\
from workflow import agent, deliver
deliver(agent("Solver", "Compute it.", tools=["python"]))"""
GRAPH = GraphSpec(nodes=(AgentNode(id="a1", role=role("a", tools=("web_search",))),))


@pytest.mark.parametrize(
    ("method", "config", "tools"),
    [
        ("direct", {}, ()),
        ("self_consistency", {"program": False}, ()),
        ("self_consistency", {"program": True}, ("program",)),
        ("program", {}, ("program",)),
        ("at_grpo", {}, ("program",)),
        ("at_grpo", {"proposes": "answer"}, ()),
        (
            "evomas",
            {},
            ("browser", "calculator", "python", "read_file", "read_page", "web_search"),
        ),
        ("metaagent_x", {"tools": "python, calculator"}, ("calculator", "python")),
        ("metaagent_x", {"script": SCRIPT}, ("python",)),
        ("mashost", {}, ("calculator", "program", "vote")),
        ("fixed_graph", {"roles": ""}, ("calculator", "program", "vote")),
        ("fixed_graph", {"roles": "c, b"}, ("vote",)),
        ("design", {"graph": GRAPH.model_dump(mode="json")}, ("web_search",)),
    ],
)
def test_they_are_those_of_the_roles(
    method: str, config: dict[str, Any], tools: tuple[str, ...]
) -> None:
    pool = POOL if METHODS[method].needs_pool else None
    used = tools_used(method, config, pool=pool, endpoint=endpoint())
    assert used == tools


@pytest.mark.parametrize("method", ANY_TASK)
@pytest.mark.parametrize("program", [False, True])
async def test_they_are_those_of_the_agents_that_a_method_plays(
    method: str, program: bool, stub: RunningStub
) -> None:
    has_it = "program" in METHODS[method].config_schema.model_fields
    config = {"program": program} if has_it else {}
    events = await ran(METHODS[method], stub.url, config=config)
    plans = [event.graph for event in only(events, "graph_planned")]
    played = {tool for plan in plans for node in plan.nodes for tool in node.role.tools}
    used = tools_used(method, config, pool=None, endpoint=endpoint())
    assert set(used) == played


@pytest.mark.parametrize(("native", "tools"), [(False, ("program", "vote")), (True, None)])
def test_a_small_model_is_offered_none_in_text(native: bool, tools: tuple[str, ...] | None) -> None:
    small = endpoint(parameters=135_000_000, native_tools=native)
    used = tools_used("mashost", {}, pool=POOL, endpoint=small)
    assert used == (tools or ("calculator", "program", "vote"))
