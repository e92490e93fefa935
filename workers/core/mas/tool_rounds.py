"""How often an agent may use tools in one turn before it must answer."""

from collections.abc import Collection

from workers.core.tools.browser import BROWSER_TOOL

TOOL_ROUNDS = 4
BROWSER_ROUNDS = 12
"""A page takes several calls: open it, follow links, fill in forms, read on."""


def tool_rounds(
    tools: Collection[str], *, usual: int = TOOL_ROUNDS, browsing: int = BROWSER_ROUNDS
) -> int:
    """`browsing` for an agent whose `tools` include the browser, else `usual`."""
    return browsing if BROWSER_TOOL in tools else usual
