"""Designs as people make them."""

from typing import Any

import pytest

from apps.llms.models import Endpoint


@pytest.fixture
def endpoint(db: None) -> Endpoint:
    return Endpoint.objects.create(
        key="stub", name="Stub", base_url="http://127.0.0.1:9/v1", model="stub", is_default=True
    )


def agent(agent_id: str, **role: Any) -> dict[str, Any]:
    known = {"key": agent_id, "name": agent_id.upper(), "prompt": f"You are {agent_id}."}
    return {"id": agent_id, "role": known | role}


def draft(agents: str, edges: str = "", **more: Any) -> dict[str, Any]:
    """`draft("abc", "ab bc")`: a is read by b, b by c."""
    return {
        "agents": [agent(agent_id) for agent_id in agents],
        "edges": [{"source": pair[0], "target": pair[1]} for pair in edges.split()],
        **more,
    }
