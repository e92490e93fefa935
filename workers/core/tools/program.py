"""Runs the program that an agent wrote into its message. No model ever calls it.

A role that lists `program` answers with a program: when its message is complete, its last Python
block runs once (`workers.core.mas.contribution`). So even a model that is too small to use tools
can compute.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.core.tools.base import JsonSchema, ToolLimits, ToolResult, object_schema
from workers.core.tools.sandbox import PythonSandbox

PROGRAM_TOOL = "program"


@dataclass(frozen=True, slots=True)
class ProgramRunner:
    key: str = PROGRAM_TOOL
    name: str = "Program in the message"
    description: str = "Runs the last Python block of an agent's message once, in the sandbox."

    @property
    def parameters(self) -> JsonSchema:
        code = {"type": "string", "description": "the whole program"}
        return object_schema({"code": code}, "code")

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        """Like `PythonSandbox.run`: without the sandbox it refuses."""
        return await PythonSandbox().run({"code": arguments.get("code")}, limits)
