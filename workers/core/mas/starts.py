"""The first look-ups of an agent whose model can't call tools.

A small model writes no tool call (`mas.small_models`), so without these an agent that searches
would know nothing. The studio opens the files that the agent's question names; without any it
searches for the question and reads the first page. What they say stands before the question, fenced
as data.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.core.fit import fit_tokens
from workers.core.mas.streaming import Emit
from workers.core.mas.tool_use import Wanted, fenced, use_tool
from workers.core.specs import Source
from workers.core.tools.base import Tool, ToolResult
from workers.core.tools.foreign_text import excerpt
from workers.core.tools.read_file import READ_FILE
from workers.core.tools.run_tool import OpenedTool

RESULT_TOKENS = 800
"""Limit of what is shown of one result: a small model loses the question in a long page."""

_LINK = re.compile(r"\[([^\]\n]*)\]\([^()\s]*\)")
"""Of a link only its words are shown: a model that can't call tools can't follow it."""


def starting(tools: Sequence[Tool]) -> tuple[OpenedTool, ...]:
    """Those that can be called before the model says anything: files first, then in the role's
    order."""
    found = [tool for tool in tools if isinstance(tool, OpenedTool) and tool.about.can_start]
    return tuple(sorted(found, key=lambda tool: tool.key != READ_FILE.key))


async def looked_up(
    tools: Sequence[OpenedTool], about: str, *, agent_id: str, emit: Emit, room_tokens: int
) -> tuple[str, list[ToolResult]]:
    """What the tools say about the question, within the room, and their results. Each call is in
    the trace."""
    results: list[ToolResult] = []
    found: list[Source] = []
    texts: list[str] = []
    for tool in tools:
        for arguments in tool.starts(about, found):
            wanted = Wanted(f"start-{len(results) + 1}", tool.key, dict(arguments))
            result = await use_tool(wanted, tools=tools, agent_id=agent_id, emit=emit)
            results.append(result)
            found += result.sources
            room = min(RESULT_TOKENS, room_tokens - sum(map(fit_tokens, texts)))
            if result.ok and room > 0:
                text = excerpt(_LINK.sub(r"\1", result.output), about, room)
                # Its note tells the caller how to go on, which is not the model.
                texts.append(fenced(wanted.tool, replace(result, note=""), text))
    return "\n\n".join(texts), results
