"""The bytes of the OpenAI chat protocol, as the stub LLM sends them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

DONE = b"data: [DONE]\n\n"
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says; `tool_calls` are `(name, JSON arguments)` pairs."""

    text: str
    tool_calls: tuple[tuple[str, str], ...] = ()
    finish: str = "stop"

    def cut(self, max_tokens: int) -> Reply:
        """Stop at the token limit, as a server does."""
        chars = max_tokens * CHARS_PER_TOKEN
        return self if len(self.text) <= chars else Reply(self.text[:chars], (), "length")


def completion(model: str, reply: Reply, usage: dict[str, int] | None) -> bytes:
    """The body of a non-streamed answer."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [_tool_call(i, *call) for i, call in enumerate(reply.tool_calls)]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    body = {"id": "stub", "object": "chat.completion", "model": model, "choices": [choice]}
    return orjson.dumps(body if usage is None else {**body, "usage": usage})


def stream(model: str, reply: Reply, chunk_chars: int) -> list[bytes]:
    """The frames of a streamed answer up to its finish reason. Usage and [DONE] come after."""
    text = reply.text
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [
        {"content": text[start : start + chunk_chars]} for start in range(0, len(text), chunk_chars)
    ]
    for index, (name, arguments) in enumerate(reply.tool_calls):
        head = {"index": index, **_tool_call(index, name, arguments[:2])}
        rest = {"index": index, "function": {"arguments": arguments[2:]}}
        deltas += [{"tool_calls": [head]}, {"tool_calls": [rest]}]
    return [frame(model, delta) for delta in deltas] + [frame(model, {}, reply.finish)]


def frame(model: str, delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"object": "chat.completion.chunk", "model": model, "choices": [choice]})


def event(body: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(body) + b"\n\n"


def usage_frame(model: str, usage: dict[str, int]) -> bytes:
    return event({"model": model, "choices": [], "usage": usage})


def count_usage(messages: list[dict[str, Any]], reply: Reply) -> dict[str, int]:
    """Tokens of a text: four characters each, at least one. Close to a real tokenizer, and
    predictable."""
    chars = sum(len(text_of(message)) for message in messages)
    prompt = max(1, chars // CHARS_PER_TOKEN)
    completed = max(1, len(reply.text) // CHARS_PER_TOKEN)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completed,
        "total_tokens": prompt + completed,
    }


def text_of(message: dict[str, Any]) -> str:
    """Of a message with pictures, its parts of text."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def error(message: str, code: str | None = None, kind: str = "invalid_request_error") -> bytes:
    return orjson.dumps({"error": {"message": message, "type": kind, "code": code}})


def _tool_call(index: int, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{index}", "type": "function", "function": function}
