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
        _extra(raw),
    )


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    index: int | None = None
    arguments: list[str] = field(default_factory=list)
    extra: str = ""

    def begun(self) -> bool:
        return any(piece.strip() for piece in self.arguments)

    def is_again(self, piece: "_Call") -> bool:
        same = (piece.id, piece.name) == (self.id, self.name) and all((self.id, self.name))
        return same and piece.finished() and "".join(self.arguments) == piece.arguments[0]

    def finished(self) -> bool:
        try:
            orjson.loads("".join(self.arguments))
        except ValueError:
            return False
        return True


class CallPieces:
    """Puts streamed calls together.

    In the protocol `index` says which call a piece belongs to. It may be missing, null, or the same
    for all (gateways to Gemini). Then a piece belongs to the call with its id. A piece that names a
    function begins a call if its id is new, or if the call before it is complete.
    """

    __slots__ = ("_calls", "chars")

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self.chars = 0

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, raw_calls: object) -> None:
        """The `tool_calls` of one delta. Raises TypeError, AttributeError or ValueError."""
        for position, raw in enumerate(as_list(raw_calls)):
            function = raw.get("function") or {}
            arguments = _arguments(function.get("arguments"))
            piece = _Call(
                text_of(raw.get("id")),
                text_of(function.get("name")),
                _index(raw.get("index")),
                [arguments],
                _extra(raw),
            )
            if any(call.is_again(piece) for call in self._calls):
                continue  # some servers send each call whole once more at the end
            call = self._call(piece, position)
            if call is not piece:
                call.id = call.id or piece.id
                call.name = call.name or piece.name
                call.arguments += piece.arguments
                call.extra = call.extra or piece.extra
            self.chars += len(arguments)

    def calls(self) -> tuple[ToolCall, ...]:
        ordered = sorted(
            enumerate(self._calls), key=lambda at: at[0] if at[1].index is None else at[1].index
        )
        return tuple(
            ToolCall(
                call.id or f"call_{place}",
                whole(call.name),
                whole("".join(call.arguments)),
                call.extra,
            )
            for place, call in ordered
        )

    def _call(self, piece: _Call, position: int) -> _Call:
        """The call that the piece belongs to; the piece itself if it begins one."""
        known = [c for c in self._calls if piece.index is None or c.index == piece.index]
        own = [call for call in known if piece.id and call.id == piece.id]
        current = next(reversed(own or known), None)
        if current is not None and not _begins(current, piece, position):
            return current
        if len(self._calls) >= MAX_TOOL_CALLS:
            raise ValueError("there are too many tool calls")
        self._calls.append(piece)
        return piece


def _begins(current: _Call, piece: _Call, position: int) -> bool:
    """Whether the piece begins a call after the current one. Some servers repeat the id or the name
    in each piece, or give it a new id."""
    if not piece.name or not current.name:
        return False
    another = piece.name != current.name
    if piece.id and current.id and piece.id != current.id:
        return another or not current.begun() or current.finished()
    if current.finished() and (another or piece.begun()):
        return True
    return piece.index is None and (another or (position > 0 and not piece.id))


def _extra(raw: dict[str, Any]) -> str:
    """Gemini refuses a history whose calls lack the `thought_signature` that stands here."""
    extra = raw.get("extra_content")
    return orjson.dumps(extra).decode() if isinstance(extra, dict) and extra else ""


def as_list(raw_calls: object) -> list[dict[str, Any]]:
    """The calls of a message. Some servers send a single one without its list."""
    calls = [raw_calls] if isinstance(raw_calls, dict) else raw_calls
    if not isinstance(calls, list):
        raise TypeError("the calls are no list")
    return calls


def _index(index: object) -> int | None:
    """A place of a call; None if the server gives none, or a negative one for all calls."""
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    if isinstance(index, float) and index.is_integer():
        index = int(index)
    if index is None or (type(index) is int and index < 0):
        return None
    if type(index) is not int or index >= MAX_TOOL_CALLS:
        raise ValueError("a tool call has no usable index")
    return index


def _arguments(arguments: object) -> str:
    """The arguments as JSON text. Some servers send an object instead."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
