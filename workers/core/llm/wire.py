"""Incoming answers of the OpenAI chat protocol: a whole answer, its usage and its cost."""

from dataclasses import dataclass
from typing import Any

from workers.core.llm.calls import MAX_TOOL_CALLS, as_list, read_call
from workers.core.llm.finish import FAILED, FILTERED, STOP, TOOL_CALLS, read_finish
from workers.core.llm.reported import Reported, Said, find_error, find_words
from workers.core.llm.texts import load_json, text_of, whole
from workers.core.llm.types import ToolCall
from workers.core.specs import EndpointSpec, Usage

_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Fields where servers put the reasoning: DeepSeek and vLLM, OpenRouter and Groq, Ollama."""


_MARKS = (b'"choices"', b"chat.completion")
"""Bytes that only a chat completion has."""


class Garbage(ValueError):
    """The bytes are not a chat completion; the message says why."""


class Damaged(Garbage):
    """The bytes begin like a chat completion, and are broken."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion. Token counts are None if the server reports none."""

    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    refusal: str = ""

    def usage(self, endpoint: EndpointSpec) -> Usage:
        prompt, completion = self.prompt_tokens, self.completion_tokens
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=cost(endpoint, prompt, completion),
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """A message or a piece of one: text, reasoning and refusal."""

    text: str
    reasoning: str
    refusal: str


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


def decode_answer(body: bytes) -> Answer:
    """The answer in a non-streamed body. Raises Garbage, or Reported for an error in its place."""
    data = decode(body)
    if (said := find_error(data)) is not None:
        raise Reported(said)
    if "choices" in data and not data["choices"]:
        raise Reported(Said("The reply has no answer: its list of choices is empty."))
    try:
        choice = data["choices"][0]
        finish = read_finish(choice.get("finish_reason"))
        # What was filtered may come without a message.
        message = choice.get("message") or ({} if finish == FILTERED else choice["message"])
        parts = read_parts(message)
        raw_calls = as_list(message.get("tool_calls") or [])[:MAX_TOOL_CALLS]
        calls = tuple(read_call(place, raw) for place, raw in enumerate(raw_calls))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise Garbage("the JSON has no choices[0].message") from error
    if finish == FAILED:
        raise Reported(broken_off(choice["finish_reason"]), spoke=bool(parts.text))
    prompt, completion = read_usage(
        data.get("usage"), spoke=bool(parts.text or parts.reasoning or calls)
    )
    return Answer(
        whole(parts.text),
        finish or ended(calls),
        prompt,
        completion,
        calls,
        whole(parts.reasoning),
        whole(parts.refusal),
    )


def broken_off(reason: object) -> Said:
    """The error that a finish reason reports without other words."""
    return Said(f"The answer ended with the reason “{reason}”.")


def ended(calls: object) -> str:
    """The finish reason of a complete answer that has none."""
    return TOOL_CALLS if calls else STOP


def decode(body: bytes) -> dict[str, Any]:
    """A JSON object. Its strings may contain half a character (`texts`). Raises Garbage, which says
    what it is instead, or Reported for a text that speaks of an error."""
    if not body.strip():
        raise Garbage("the body is empty")
    try:
        data = load_json(body)
    except ValueError as error:
        start = body.lstrip()
        if start.startswith(b"<"):
            raise Garbage("the body is a web page") from error
        if not start.startswith(b"{"):
            _check_words(body)
        elif any(mark in start for mark in _MARKS):
            raise Damaged("its JSON is broken") from error
        raise Garbage("the body is not JSON") from error
    match data:
        case [{"error": _} as only]:  # Gemini's errors
            data = only
    if isinstance(data, str):
        _check_words(body)
    if not isinstance(data, dict):
        raise Garbage("the JSON is not an object")
    return data


def _check_words(body: bytes) -> None:
    if (said := find_words(body)) is not None:
        raise Reported(said)


def read_usage(usage: object, *, spoke: bool) -> tuple[int | None, int | None]:
    """`(prompt, completion)` tokens. Zeros from a server that does not count mean unknown."""
    if not isinstance(usage, dict):
        return None, None
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    completion = _count(usage, "completion_tokens", "output_tokens")
    return prompt or None, (completion or None) if spoke else completion


def _count(usage: dict[str, Any], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if type(value) is int and 0 <= value < 2**53:
            return value
    return None


def read_parts(message: dict[str, Any]) -> Parts:
    """Read a message. Raises TypeError or AttributeError for anything else."""
    content, refusal = message.get("content"), message.get("refusal")
    thought = ""
    for name in _REASONING:
        if name in message and (thought := text_of(message[name])):
            break
    else:
        thought = _detailed(message.get("reasoning_details"))
    if isinstance(content, dict):
        content = [content]
    if content is None or isinstance(content, str):
        return Parts(content or "", thought, text_of(refusal))
    if not isinstance(content, list):
        raise TypeError("content is neither text nor parts")
    said, refused = "", text_of(refusal)
    for part in content:
        if not isinstance(part, dict):
            said += text_of(part)
            continue
        kind = text_of(part.get("type"))
        if "think" in kind or "reason" in kind:
            thought += _thought(part)
        else:
            said += text_of(part.get("text"))
            refused += text_of(part.get("refusal"))
    return Parts(said, thought, refused)


def _detailed(details: object) -> str:
    """OpenRouter's reasoning from its parts, or their summaries."""
    parts = details if isinstance(details, list) else []
    return "".join(
        text_of(part.get("text")) or text_of(part.get("summary"))
        for part in parts
        if isinstance(part, dict)
    )


def _thought(part: dict[str, Any]) -> str:
    """Mistral's thinking part holds parts of its own."""
    inner = part.get("thinking", part.get("text"))
    if isinstance(inner, list):
        return "".join(text_of(each.get("text")) for each in inner if isinstance(each, dict))
    return text_of(inner)
