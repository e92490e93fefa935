"""Small designs to try things on."""

from typing import Any

from workers.core.designs.spec import DesignAgent, DesignSpec, DraftRole
from workers.core.specs import Edge


def drawn(agent_id: str, **role: Any) -> DesignAgent:
    """An agent that could run."""
    said = {"key": agent_id, "name": agent_id.upper(), "prompt": f"You are {agent_id}.", **role}
    return DesignAgent(id=agent_id, role=DraftRole(**said))


def design(agents: str, edges: str = "", **more: Any) -> DesignSpec:
    """`design("abc", "ab bc")`: a is read by b, b by c."""
    return DesignSpec(
        agents=tuple(drawn(agent_id) for agent_id in agents),
        edges=tuple(Edge(source=pair[0], target=pair[1]) for pair in edges.split()),
        **more,
    )
