"""Which tools the agents of a method may use: two arms of an evaluation may differ in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workers.core.mas.agent import NOT_OFFERED
from workers.core.specs import EndpointSpec, GraphSpec, PoolSpec, RoleSpec
from workers.core.tools.program import PROGRAM_TOOL

PROGRAMS = ("program", "cascade")
"""Methods without a pool whose agents always write programs."""


def tools_used(
    method: str,
    config: dict[str, Any],
    *,
    pool: PoolSpec | None,
    needs_pool: bool,
    endpoint: EndpointSpec,
) -> tuple[str, ...]:
    """Sorted. For a method that chooses roles from a pool, the tools of every role that it may
    choose, or of those that its `roles` name. A small model is offered none in text
    (`workers.core.mas.small_models`)."""
    drawn = GraphSpec.model_validate(config["graph"]) if config.get("graph") else None
    if drawn is not None:
        named = _of_roles(node.role for node in drawn.nodes)
    elif needs_pool:
        keys = {key.strip() for key in config.get("roles", "").split(",")} - {""}
        roles = pool.roles if pool else ()
        named = _of_roles(role for role in roles if not keys or role.key in keys)
    else:
        named = {PROGRAM_TOOL} if method in PROGRAMS or config.get("program") else set()
    in_text = not endpoint.is_small or endpoint.native_tools
    return tuple(sorted(tool for tool in named if in_text or tool in NOT_OFFERED))


def _of_roles(roles: Iterable[RoleSpec]) -> set[str]:
    return {tool for role in roles for tool in role.tools}
