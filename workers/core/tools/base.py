"""Defines a tool that an agent may call: one small protocol, a registry id, limits from outside."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from workers.core.specs import Source, Usage

JsonSchema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Limits of one call: wall-clock `seconds`, memory in MiB, output in characters."""

    seconds: float = 10.0
    memory_mib: int = 512
    output_chars: int = 4_000


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`output` is text for the model. If not `ok`, it says what to change.

    `foreign`: the output is what a page or file says. The model gets it fenced as data, with the
    studio's own `note` before the fence. `cached`: the run had asked the same before. `cut`: there
    was more than the tool may read. `fetched`: bytes that came over the network. `usage`: that of a
    model that the tool asked; None: it asked none. `picture`: the id of what people see of the
    page, where it is kept.
    """

    ok: bool
    output: str
    note: str = ""
    foreign: bool = False
    sources: tuple[Source, ...] = ()
    cached: bool = False
    cut: bool = False
    fetched: int = 0
    usage: Usage | None = None
    picture: UUID | None = None

    @property
    def whole(self) -> str:
        """What people read: the note, then the output."""
        return "\n\n".join(filter(None, (self.note, self.output)))


def whole_number(value: object) -> int | None:
    """A number as models write it, also 2.0 or "2"; None if it is none."""
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() else None


def object_schema(properties: JsonSchema, *required: str) -> JsonSchema:
    """The schema of a tool's arguments: these and no others."""
    schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


class Tool(Protocol):
    """Never raises for bad arguments or a failing call: both give a `ToolResult` that is not ok."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> JsonSchema: ...

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult: ...


@dataclass(frozen=True, slots=True)
class WholeTurn:
    """A tool that is a role's whole turn. No model is offered it, and called by itself it refuses:
    outside an agent's turn it has nothing to do."""

    key: str
    name: str
    description: str
    refusal: str

    @property
    def parameters(self) -> JsonSchema:
        return object_schema({})

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        return ToolResult(ok=False, output=self.refusal)
