"""Finds the tools that a method's agents may use: two arms of an evaluation may differ in them."""

from workers.core.mas.agent import NOT_OFFERED
from workers.core.methods.base import OffersTools, Options
from workers.core.methods.registry import METHODS
from workers.core.specs import EndpointSpec, PoolSpec
from workers.core.tools.registry import TOOLS
from workers.core.tools.run_tool import RunTool

STARTING = frozenset(
    tool.key for tool in TOOLS.values() if isinstance(tool, RunTool) and tool.can_start
)


def tools_used(
    key: str, options: Options, *, pool: PoolSpec | None, endpoint: EndpointSpec
) -> tuple[str, ...]:
    """The tools of the method with this key, sorted. A small model is not offered tools in text
    (`workers.core.mas.small_models`); the studio makes the first calls for it."""
    method = METHODS[key]
    if isinstance(method, OffersTools):
        named = set(method.tools(options, pool))
    else:
        roles = pool.roles if pool and method.needs_pool else ()
        named = {tool for role in roles for tool in role.tools}
    in_text = not endpoint.is_small or endpoint.native_tools
    return tuple(
        sorted(tool for tool in named if in_text or tool in NOT_OFFERED or tool in STARTING)
    )
