"""The interface between agents and LLM servers: one request, one result, one protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from workers.core.errors import CoreError
from workers.core.llm.finish import LENGTH
from workers.core.specs import REPLY_TOKENS, EndpointSpec, FailedTry, Usage


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """`reasoning` is what the model thought before it wrote this. Few servers want it back.
    `images`: JPEGs in base64, after the text."""

    role: str
    content: str
    tool_call_id: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asked for through the native `tools` field. `arguments` is its JSON text.
    `extra` is JSON that the server wants back with the call: Gemini's signature of a thought."""

    id: str
    name: str
    arguments: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    messages: tuple[ChatMessage, ...]
    temperature: float = 0.0
    max_tokens: int = REPLY_TOKENS
    seed: int | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    response_schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ChatResult:
    """`seconds` is wall time over all tries. `failed_tries` are those before the last.

    `finish_reason` is one of `llm.finish`, or a server's own word for an end. `reasoning` is text
    that the server keeps apart from the answer. `refusal` is why the model gave no answer. `limit`:
    the reply's token limit, if a budget left less than was requested. `own_temperature`: the server
    did not accept the request's temperature and used its own.
    """

    text: str
    finish_reason: str
    usage: Usage
    seconds: float
    failed_tries: tuple[FailedTry, ...] = ()
    cached: bool = False
    tool_calls: tuple[ToolCall, ...] = field(default=())
    reasoning: str = ""
    refusal: str = ""
    limit: int | None = None
    own_temperature: bool = False

    @property
    def cut(self) -> bool:
        """Whether the reply ended at its token limit."""
        return self.finish_reason == LENGTH


class LLMError(CoreError):
    """A call that gave no answer. `permanent`: trying again can't help. `failed_tries` are those
    before the last failure. `retry_after` is the wait in seconds that the server asked for.
    `spoke`: a part of an answer had come, so it used tokens."""

    failed_tries: tuple[FailedTry, ...] = ()
    retry_after: float | None = None
    spoke: bool = False

    def __init__(self, *, code: str, message: str, remedy: str = "", permanent: bool) -> None:
        super().__init__(code=code, message=message, remedy=remedy)
        self.permanent = permanent


class BudgetExceeded(Exception):
    """A run's limit of tokens, cost or seconds is used up. `limit` names which one."""

    def __init__(self, *, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit
        self.message = message


OnDelta = Callable[[str], None]
"""Receives streamed text. A plain function never gets a text twice: see `RestartableDelta`."""


class RestartableDelta(Protocol):
    """An `OnDelta` that can take back what it was given, if a retry writes something else.

    If a stream breaks and the retry's text differs from what was delivered, `restart` is called and
    the text follows from its start. An `OnDelta` without `restart` then gets nothing more.
    `ChatResult.text` is always the whole answer.
    """

    def __call__(self, text: str, /) -> None: ...

    def restart(self) -> None: ...


class ChatClient(Protocol):
    """Asks one endpoint one question. Raises LLMError, BudgetExceeded or asyncio.CancelledError."""

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult: ...
