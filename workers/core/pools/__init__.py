"""Role pools: the built-in one, and pools as YAML."""

from functools import cache
from importlib.resources import files

from workers.core.pools.dump import dump_pool_yaml
from workers.core.pools.errors import Issue, PoolFormatError
from workers.core.pools.families import FAMILIES
from workers.core.pools.parse import MAX_ROLES, PoolFile, parse_pool_yaml
from workers.core.pools.plain_yaml import MAX_BYTES
from workers.core.specs import PoolSpec

__all__ = [
    "BUILTIN_POOLS",
    "BUILTIN_TOOLS",
    "FAMILIES",
    "MAX_BYTES",
    "MAX_ROLES",
    "WEB_TOOLS",
    "Issue",
    "PoolFile",
    "PoolFormatError",
    "builtin_pool_yaml",
    "dump_pool_yaml",
    "load_builtin_pool",
    "parse_pool_yaml",
]

BUILTIN_POOLS = ("general", "evomas")
BUILTIN_TOOLS = frozenset({"calculator", "examples", "program", "python", "vote"})
"""The registry ids that the general pool may name."""
WEB_TOOLS = frozenset({"browser", "read_file", "read_page", "web_search"})
"""The ids that other built-in pools may name, too. An agent is offered those of the registry."""


def builtin_pool_yaml(key: str) -> str:
    """The text of a built-in pool. Raises LookupError, which lists the keys."""
    if key not in BUILTIN_POOLS:
        raise LookupError(
            f"There is no built-in pool “{key}”. Use one of: {', '.join(BUILTIN_POOLS)}."
        )
    return (files(__name__) / f"{key}.yaml").read_text(encoding="utf-8")


@cache
def load_builtin_pool(key: str) -> PoolSpec:
    """A built-in pool. Raises LookupError for an unknown key."""
    return parse_pool_yaml(builtin_pool_yaml(key), known_tools=BUILTIN_TOOLS | WEB_TOOLS).spec
