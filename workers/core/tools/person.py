"""Asks a person: a role that lists `person` says what somebody writes for it.

The role's whole turn is that text: the run waits for it, for as long as it takes, and no model is
asked. Only a run that a person started can ask (`workers.core.mas.control`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult

PERSON_TOOL = "person"


@dataclass(frozen=True, slots=True)
class PersonAsked:
    key: str = PERSON_TOOL
    name: str = "A person answers"
    description: str = (
        "The run waits until somebody writes what the role says; the role then asks no model."
    )

    @property
    def parameters(self) -> JsonSchema:
        return {"type": "object", "properties": {}, "additionalProperties": False}

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        """Refuses: nobody can be asked outside an agent's turn."""
        return ToolResult(ok=False, output="A person is asked for a role that lists this tool.")
