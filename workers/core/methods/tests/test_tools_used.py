"""Which tools an arm's agents may use."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.mas.tests.support import endpoint, role
from workers.core.methods.tools_used import tools_used
from workers.core.specs import AgentNode, GraphSpec, PoolSpec

POOL = PoolSpec(
    key="p",
    name="P",
    roles=(role("a", tools=("calculator", "program")), role("b", tools=("vote",)), role("c")),
)
GRAPH = GraphSpec(nodes=(AgentNode(id="a1", role=role("a", tools=("web_search",))),))


@pytest.mark.parametrize(
    ("method", "config", "tools"),
    [
        ("direct", {}, ()),
        ("self_consistency", {"program": False}, ()),
        ("self_consistency", {"program": True}, ("program",)),
        ("program", {}, ("program",)),
        ("mashost", {}, ("calculator", "program", "vote")),
        ("design", {"graph": GRAPH.model_dump(mode="json")}, ("web_search",)),
    ],
)
def test_they_are_those_of_the_roles(
    method: str, config: dict[str, Any], tools: tuple[str, ...]
) -> None:
    pooled = method == "mashost"
    pool = POOL if pooled else None
    used = tools_used(method, config, pool=pool, needs_pool=pooled, endpoint=endpoint())
    assert used == tools


@pytest.mark.parametrize(("native", "tools"), [(False, ("program", "vote")), (True, None)])
def test_a_small_model_is_offered_none_in_text(native: bool, tools: tuple[str, ...] | None) -> None:
    small = endpoint(parameters=135_000_000, native_tools=native)
    used = tools_used("mashost", {}, pool=POOL, needs_pool=True, endpoint=small)
    assert used == (tools or ("calculator", "program", "vote"))
