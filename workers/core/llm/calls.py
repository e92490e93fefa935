"""Reads tool calls from a stream: finds which piece belongs to which call."""

from dataclasses import dataclass, field
from typing import Any

import orjson

from workers.core.llm.texts import text_of, whole
from workers.core.llm.types import ToolCall

MAX_TOOL_CALLS = 64


def read_call(position: int, raw: dict[str, Any]) -> ToolCall:
    """A complete call. Raises KeyError, TypeError or AttributeError for anything else."""
    function = raw["function"]
    return ToolCall(
        text_of(raw.get("id")) or f"call_{position}",
        whole(str(function["name"])),
        whole(_arguments(function.get("arguments"))),
    )


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    index: int | None = None
    arguments: list[str] = field(default_factory=list)

    def finished(self) -> bool:
        try:
            orjson.loads("".join(self.arguments))
        except ValueError:
            return False
        return True


class CallPieces:
    """Puts streamed calls together.

    In the protocol `index` says which call a piece belongs to. It may be missing, null, or the same
    for all (gateways to Gemini). Then a piece that names a function under another id begins a call.
    Without ids, a piece begins a call if it names a function and the call before it is complete.
    """

    __slots__ = ("_calls", "chars")

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self.chars = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, raw_calls: list[dict[str, Any]]) -> None:
        """The `tool_calls` of one delta. Raises TypeError, AttributeError or ValueError."""
        for position, raw in enumerate(raw_calls):
            function = raw.get("function") or {}
            given, name = text_of(raw.get("id")), text_of(function.get("name"))
            arguments = _arguments(function.get("arguments"))
            call = self._call(_index(raw.get("index")), given, name, position)
            call.id = call.id or given
            call.name = call.name or name
            call.arguments.append(arguments)
            self.chars += len(arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        ordered = sorted(
            enumerate(self._calls), key=lambda at: at[0] if at[1].index is None else at[1].index
        )
        return tuple(
            ToolCall(call.id or f"call_{place}", whole(call.name), whole("".join(call.arguments)))
            for place, call in ordered
        )

    def _call(self, index: int | None, given: str, name: str, position: int) -> _Call:
        known = [call for call in self._calls if index is None or call.index == index]
        current = known[-1] if known else None
        if current is None or self._begins(current, index, given, name, position):
            if len(self._calls) >= MAX_TOOL_CALLS:
                raise ValueError("there are too many tool calls")
            current = _Call(index=index)
            self._calls.append(current)
        return current

    @staticmethod
    def _begins(current: _Call, index: int | None, given: str, name: str, position: int) -> bool:
        """Add a part. Some servers repeat the id or the name in each piece, or give it a new id."""
        if not name or not current.name:
            return False
        if given and current.id:
            return given != current.id
        another = name != current.name or position > 0
        return index is None and (another or current.finished())


def _index(index: object) -> int | None:
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    if index is None:
        return None
    if type(index) is not int or not 0 <= index < MAX_TOOL_CALLS:
        raise ValueError("a tool call has no usable index")
    return index


def _arguments(arguments: object) -> str:
    """The arguments as JSON text. Some servers send an object instead."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
