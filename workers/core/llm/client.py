"""The client to LLM servers: the OpenAI chat API over aiohttp, lean enough for 256 at once."""

from __future__ import annotations

import asyncio
import io
import time
from dataclasses import dataclass

import aiohttp
import orjson

from workers.core.llm import errors, flight
from workers.core.llm.deltas import DeltaGate
from workers.core.llm.lessons import kept, learned
from workers.core.llm.reply import ReplyReader
from workers.core.llm.reported import Reported, read_error
from workers.core.llm.request import request_body
from workers.core.llm.retry import RetryPolicy, read_retry_after
from workers.core.llm.target import Target, read_api_key
from workers.core.llm.transport import from_transport
from workers.core.llm.types import ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.llm.wire import Answer, Garbage
from workers.core.net.guard import AddressRefused, guarded_session
from workers.core.net.outbound import read_limited
from workers.core.specs import EndpointSpec, FailedTry

HEADERS = {
    "Content-Type": "application/json",
    # a compressed reply saves nothing on short texts and could unpack to any size
    "Accept-Encoding": "identity",
    "User-Agent": "mas-studio",
}
ERROR_BYTES = 16_384
LARGE_BODY = 1_000_000
MAX_TARGETS = 512
SLOW_SHARE = 0.5
"""Share of the timeout. A server counts as slow after a reply that took longer."""


@dataclass(slots=True)
class _Call:
    """One question in progress: what all its tries share, and how far the last one came."""

    target: Target
    request: ChatRequest
    key: str
    gate: DeltaGate | None
    failed_tries: tuple[FailedTry, ...] = ()
    began: bool = False
    spoke: bool = False
    retry_after: float | None = None

    @property
    def headers(self) -> dict[str, str] | None:
        return {"Authorization": f"Bearer {self.key}"} if self.key else None

    def streamed(self) -> bool:
        """Whether the reply comes piece by piece.

        A server sends nothing while it writes a whole reply, so a slow one would time out. But
        streams cost more per token, and some servers then do not report usage. So a stream is used
        only if a person reads along, if the server is slow, or after a whole reply timed out.
        """
        timed_out = any(each.code == "timeout" for each in self.failed_tries)
        return self.gate is not None or timed_out or (self.target.slow and self.target.counts)


class OpenAIClient:
    """A `ChatClient` for every OpenAI-compatible server.

    Use one per event loop for all runs. Connections are kept and reused, without a separate limit.
    Each endpoint takes `max_concurrency` tries at once; a call that waits for a retry holds no
    slot. A try ends when the server is silent for `timeout_seconds`, however long it has been
    sending. With `on_delta` the answer is streamed. Without it the answer is fetched whole, or
    streamed from a slow server (`_Call.streamed`). Cancelling a call closes its connection.
    """

    def __init__(self, *, retry: RetryPolicy | None = None) -> None:
        self._retry = retry or RetryPolicy()
        self._targets: dict[EndpointSpec, Target] = {}
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> OpenAIClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        """The model's answer. Raises LLMError with the cause, or asyncio.CancelledError."""
        started = time.perf_counter()
        gate = None if on_delta is None else DeltaGate(on_delta)
        call = _Call(self._target(endpoint), request, read_api_key(endpoint.api_key_env), gate)
        answer = await self._until_answered(call)
        return ChatResult(
            text=answer.text,
            finish_reason=answer.finish_reason,
            usage=answer.usage(endpoint),
            seconds=time.perf_counter() - started,
            failed_tries=call.failed_tries,
            tool_calls=answer.tool_calls,
            reasoning=answer.reasoning,
            refusal=answer.refusal,
            own_temperature=not call.target.dialect.takes(request.temperature),
        )

    async def _until_answered(self, call: _Call) -> Answer:
        while True:
            try:
                flight.waits("A call was still waiting for its turn at the endpoint.")
                async with call.target.slots:
                    return await self._try(call)
            except LLMError as error:
                flight.breaks(error.code, spoke=error.spoke)
                call.target.slow |= error.code == "timeout"
                error.failed_tries = call.failed_tries
                wait = self._retry.wait(error, len(call.failed_tries))
                if wait is None:
                    raise
                call.failed_tries += (FailedTry(code=error.code, message=error.message),)
                flight.waits(
                    f"The next try was waiting {wait:.0f} s because of this error: {error.message}"
                )
            await asyncio.sleep(wait)
            if call.gate is not None:
                call.gate.try_again()

    async def _try(self, call: _Call) -> Answer:
        endpoint = call.target.endpoint
        try:
            return await self._understood(call)
        except (aiohttp.ClientError, AddressRefused, OSError, EOFError) as error:
            # TimeoutError is an OSError; a timeout of the caller's arrives as CancelledError.
            # `from None`: aiohttp's errors carry the request's headers, with the key
            raise from_transport(endpoint, error, began=call.began, spoke=call.spoke) from None
        except Garbage as error:
            raise errors.garbage(endpoint, str(error)) from error
        except orjson.JSONEncodeError as error:
            raise errors.unsendable() from error

    async def _understood(self, call: _Call) -> Answer:
        """Ask. If an error says which parts are not accepted, change them and ask again at once."""
        target, dialect, stream = call.target, call.target.dialect, call.streamed()
        while True:
            body = request_body(
                target.endpoint.model,
                call.request,
                stream=stream,
                dialect=dialect,
                extra=target.endpoint.extra_body,
            )
            try:
                answer = await self._exchange(call, orjson.dumps(body))
            except Reported as reported:
                said, status = reported.said, reported.said.status(reported.http)
                lesson = learned(dialect, said, status, request=call.request, stream=stream)
                if lesson is None or reported.spoke:
                    asked = call.retry_after
                    raise errors.from_report(target.endpoint, reported, call.key, asked) from None
                dialect = lesson
            else:
                target.dialect = kept(target.endpoint.key, target.dialect, dialect)
                target.counts &= not stream or answer.completion_tokens is not None
                return answer

    async def _exchange(self, call: _Call, body: bytes) -> Answer:
        """One request and its reply. Times out when the server is silent for too long."""
        target, seconds = call.target, call.target.endpoint.timeout_seconds
        call.began, call.spoke, call.retry_after = False, False, None
        loop = asyncio.get_running_loop()

        def heard() -> None:
            call.spoke = True
            silence.reschedule(loop.time() + seconds)
            flight.hears()

        await flight.leaves()
        began = loop.time()
        async with (
            asyncio.timeout(seconds) as silence,
            self._session(target.endpoint.allow_private_address).post(
                target.url,
                data=body if len(body) < LARGE_BODY else io.BytesIO(body),
                headers=call.headers,
                timeout=target.timeout,
                allow_redirects=False,
            ) as response,
        ):
            call.retry_after = read_retry_after(response.headers)
            if 200 <= response.status < 300:
                call.began = True
                reader = ReplyReader(target.endpoint, call.request.max_tokens, heard)
                answer = await reader.read(response, call.gate)
                target.slow |= loop.time() - began > SLOW_SHARE * seconds
                return answer
            said, _ = await read_limited(response, ERROR_BYTES)
        raise Reported(read_error(said), http=response.status)

    def _target(self, endpoint: EndpointSpec) -> Target:
        target = self._targets.get(endpoint)
        if target is None:
            try:
                target = Target(endpoint)
            except AddressRefused as error:
                raise from_transport(endpoint, error) from error
            if len(self._targets) >= MAX_TARGETS:
                del self._targets[next(iter(self._targets))]
            self._targets[endpoint] = target
        return target

    def _session(self, allow_private: bool) -> aiohttp.ClientSession:
        session = self._sessions.get(allow_private)
        if session is None:
            session = guarded_session(allow_private=allow_private, headers=HEADERS)
            self._sessions[allow_private] = session
        return session
