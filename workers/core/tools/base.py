"""What an agent may call: one small protocol, named by registry id, limited from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Ceilings of one call: wall-clock `seconds`, memory in MiB, output in characters."""

    seconds: float = 10.0
    memory_mib: int = 512
    output_chars: int = 4_000


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`output` is text for the model; when not `ok` it says what to change."""

    ok: bool
    output: str


class Tool(Protocol):
    """Never raises for bad arguments or a failing call: both are a `ToolResult` that is not ok."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> JsonSchema: ...

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult: ...
