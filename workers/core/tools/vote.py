"""Counts answers: a role that lists `vote` gives the most frequent of those it reads.

The role's whole turn is the count (`workers.core.mas.counting`): it costs no tokens, and it cannot
be talked into anything. No model is offered the tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult

VOTE_TOOL = "vote"


@dataclass(frozen=True, slots=True)
class VoteCounter:
    key: str = VOTE_TOOL
    name: str = "Vote over answers"
    description: str = (
        "Counts the answers of the agents that the role reads; the role then asks no model."
    )

    @property
    def parameters(self) -> JsonSchema:
        return {"type": "object", "properties": {}, "additionalProperties": False}

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        """Refuses: there is nothing to count outside an agent's turn."""
        return ToolResult(ok=False, output="Votes are counted for a role that lists this tool.")
