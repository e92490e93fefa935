"""The OpenAI chat protocol as bytes: a request out, a whole answer or a stream of events in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from workers.core.llm.types import ChatMessage, ChatRequest, ToolCall
from workers.core.specs import EndpointSpec, Usage

MAX_TOOL_CALLS = 64


class Garbage(ValueError):
    """The bytes are no chat completion; the message says why."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server turned out not to understand, learned from its 400s."""

    stream_options: bool = True
    response_format: bool = True
    max_tokens_field: str = "max_tokens"


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion. Token counts are None when the server reports none."""

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    tool_calls: tuple[ToolCall, ...] = ()

    def usage(self, endpoint: EndpointSpec) -> Usage:
        prompt, completion = self.prompt_tokens, self.completion_tokens
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=cost(endpoint, prompt, completion),
        )


def cost(
    endpoint: EndpointSpec, prompt_tokens: int | None, completion_tokens: int | None
) -> float | None:
    """USD from prices per million tokens; None if a price or a count that matters is unknown."""
    prompt = _part(endpoint.prompt_price, prompt_tokens)
    completion = _part(endpoint.completion_price, completion_tokens)
    return None if prompt is None or completion is None else prompt + completion


def _part(price: float | None, tokens: int | None) -> float | None:
    if price == 0:
        return 0.0
    return None if price is None or tokens is None else price * tokens / 1_000_000


def encode_request(
    model: str, request: ChatRequest, *, stream: bool, dialect: Dialect = Dialect()
) -> bytes:
    """The JSON body of POST /chat/completions."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "temperature": request.temperature,
        dialect.max_tokens_field: request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    if request.tools:
        body["tools"] = list(request.tools)
    if request.response_schema is not None and dialect.response_format:
        schema = {"name": "reply", "schema": request.response_schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if stream:
        body["stream"] = True
        if dialect.stream_options:
            body["stream_options"] = {"include_usage": True}
    return orjson.dumps(body)


def _message(message: ChatMessage) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_call_id:
        body["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    return body


def decode_answer(body: bytes) -> Answer:
    """The answer in a non-streamed body. Raises Garbage."""
    data = decode(body)
    try:
        choice = data["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
        calls = [_call(index, raw) for index, raw in enumerate(message.get("tool_calls") or ())]
        finish = choice.get("finish_reason")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Garbage("the JSON has no choices[0].message") from error
    prompt, completion = read_usage(data.get("usage"), spoke=bool(text or calls))
    return Answer(text, _finish(finish, calls), prompt, completion, tuple(calls[:MAX_TOOL_CALLS]))


def decode(body: bytes) -> dict[str, Any]:
    """A JSON object. Raises Garbage with what it is instead."""
    if not body.strip():
        raise Garbage("the body is empty")
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        kind = "a web page" if body.lstrip()[:1] == b"<" else "not JSON"
        raise Garbage(f"the body is {kind}") from error
    if not isinstance(data, dict):
        raise Garbage("the JSON is no object")
    return data


def read_usage(usage: object, *, spoke: bool) -> tuple[int | None, int | None]:
    """`(prompt, completion)` tokens; a server that counts nothing reports zeros: unknown."""
    if not isinstance(usage, dict):
        return None, None
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    return prompt or None, (completion or None) if spoke else completion


def _count(usage: dict[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value < 2**53 else None


def _text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    raise TypeError("content is neither text nor parts")


def _call(index: int, raw: dict[str, Any]) -> ToolCall:
    function = raw["function"]
    return ToolCall(
        _call_id(index, raw.get("id")), str(function["name"]), _arguments(function.get("arguments"))
    )


def _call_id(index: int, given: object) -> str:
    return given if isinstance(given, str) and given else f"call_{index}"


def _arguments(arguments: object) -> str:
    """Some servers send the arguments as an object where the protocol has its JSON text."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()


def _finish(reason: object, calls: object) -> str:
    if isinstance(reason, str) and reason:
        return reason
    return "tool_calls" if calls else "stop"


@dataclass(slots=True)
class _PartialCall:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class StreamAssembler:
    """Puts the chunks of a stream together. `chars` is the length of the text so far.

    `complete` once a finish reason or [DONE] was seen; a stream that ends before was cut.
    """

    __slots__ = ("_calls", "_finish", "_parts", "_usage", "chars", "complete", "done")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._calls: dict[int, _PartialCall] = {}
        self._finish: object = None
        self._usage: object = None
        self.chars = 0
        self.complete = self.done = False

    def take(self, data: dict[str, Any]) -> str:
        """The text of one chunk, empty if it has none. Raises Garbage."""
        usage = data.get("usage")
        if usage is not None:
            self._usage = usage
        try:
            choices = data["choices"]
            if not choices:
                return ""
            choice = choices[0]
            delta = choice.get("delta") or {}
            text = _text(delta.get("content"))
            if delta.get("tool_calls"):
                self._take_calls(delta["tool_calls"])
            finish = choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise Garbage("a chunk has no choices[0].delta") from error
        if finish is not None:
            self._finish, self.complete = finish, True
        if text:
            self._parts.append(text)
            self.chars += len(text)
        return text

    def answer(self) -> Answer:
        text = "".join(self._parts)
        prompt, completion = read_usage(self._usage, spoke=bool(text or self._calls))
        calls = tuple(
            ToolCall(_call_id(index, call.id), call.name, "".join(call.arguments))
            for index, call in sorted(self._calls.items())
        )
        return Answer(text, _finish(self._finish, calls), prompt, completion, calls)

    def _take_calls(self, raw_calls: list[dict[str, Any]]) -> None:
        for position, raw in enumerate(raw_calls):
            index = raw.get("index", position)
            if type(index) is not int or not 0 <= index < MAX_TOOL_CALLS:
                raise Garbage("a tool call has no usable index")
            call = self._calls.setdefault(index, _PartialCall())
            function = raw.get("function") or {}
            call.id = call.id or str(raw.get("id") or "")
            call.name = call.name or str(function.get("name") or "")
            arguments = _arguments(function.get("arguments"))
            call.arguments.append(arguments)
            self.chars += len(arguments)
