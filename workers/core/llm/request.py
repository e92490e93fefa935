"""Outgoing requests of the OpenAI chat protocol: the body of POST /chat/completions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from workers.core.llm.types import ChatMessage, ChatRequest, ToolCall

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How requests are adapted to one server (`lessons` learns it).

    `without` names the fields that are left out. `refused_temperatures` are not sent. `history`
    names what is done to the messages:

    - `system`: the system message is put in front of the first user message (Gemma's template);
    - `alternate`: a message with the same role as the one before, or of the user after a tool, is
      joined to the one before (Mistral);
    - `tools`: called tools are declared, but none may be called (Anthropic via LiteLLM);
    - `reasoning`: the model's reasoning is sent back with its turns (DeepSeek).
    """

    without: frozenset[str] = frozenset()
    refused_temperatures: frozenset[float] = frozenset()
    history: frozenset[str] = frozenset()
    max_tokens_field: str = "max_tokens"

    def takes(self, temperature: float) -> bool:
        return "temperature" not in self.without and temperature not in self.refused_temperatures

    def __str__(self) -> str:
        left = [*sorted(self.without), *(f"temperature {t:g}" for t in self.refused_temperatures)]
        parts = [f"without {name}" for name in left]
        parts += [f"history changed by “{name}”" for name in sorted(self.history)]
        return ", ".join([*parts, f"token limit as {self.max_tokens_field}"])


def request_body(
    model: str,
    request: ChatRequest,
    *,
    stream: bool,
    dialect: Dialect = Dialect(),
    extra: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """The JSON object of POST /chat/completions. `extra` is sent as it is, but replaces nothing."""
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request.messages, dialect),
        "temperature": request.temperature,
        dialect.max_tokens_field: request.max_tokens,
    }
    if not dialect.takes(request.temperature):
        del body["temperature"]
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    if request.tools:
        body["tools"] = list(request.tools)
    elif "tools" in dialect.history and (called := _called(request.messages)):
        body |= {"tools": called, "tool_choice": "none"}
    if request.response_schema is not None:
        schema = {"name": "reply", "schema": request.response_schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if stream and "stream" not in dialect.without:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    sent = {name: value for name, value in body.items() if name not in dialect.without}
    return {**extra, **sent}


def _called(messages: Iterable[ChatMessage]) -> list[dict[str, Any]]:
    names = dict.fromkeys(call.name for message in messages for call in message.tool_calls)
    parameters = {"type": "object", "properties": {}}
    return [
        {"type": "function", "function": {"name": name, "parameters": parameters}} for name in names
    ]


def _messages(messages: Sequence[ChatMessage], dialect: Dialect) -> list[dict[str, Any]]:
    if "system" in dialect.history:
        messages = _without_system(messages)
    if "alternate" in dialect.history:
        messages = _alternating(messages)
    reasoning = "reasoning" in dialect.history
    return [_message(message, reasoning=reasoning) for message in messages]


def _without_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    system = [message.content for message in messages if message.role == "system"]
    told = "\n\n".join(text for text in system if text)
    rest = [message for message in messages if message.role != "system"]
    place = next((at for at, message in enumerate(rest) if message.role == "user"), None)
    if not told:
        return rest
    if place is None:
        return [ChatMessage("user", told), *rest]
    return [*rest[:place], _joined(ChatMessage("user", told), rest[place]), *rest[place + 1 :]]


def _alternating(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    kept: list[ChatMessage] = []
    for message in messages:
        before = kept[-1] if kept else None
        plain = message.role in {"user", "assistant"} and not message.tool_calls
        if before is not None and plain and _same_turn(before, message):
            kept[-1] = _joined(before, message)
        elif message.role != "system" or message.content:
            kept.append(message)
    return kept


def _same_turn(before: ChatMessage, message: ChatMessage) -> bool:
    if before.role == "tool":
        return message.role == "user"
    return before.role == message.role and not before.tool_calls


def _joined(first: ChatMessage, second: ChatMessage) -> ChatMessage:
    text = f"{first.content}\n\n{second.content}".strip()
    return replace(first, content=text, images=first.images + second.images)


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    if not message.images:
        return message.content
    urls = (f"data:image/jpeg;base64,{image}" for image in message.images)
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": message.content}, *images]


def _message(message: ChatMessage, *, reasoning: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.tool_call_id:
        body["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        body["tool_calls"] = [_call(call) for call in message.tool_calls]
    if reasoning and message.role == "assistant":
        body["reasoning_content"] = message.reasoning
    return body


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    body: dict[str, Any] = {"id": call.id, "type": "function", "function": function}
    return body | {"extra_content": orjson.loads(call.extra)} if call.extra else body
