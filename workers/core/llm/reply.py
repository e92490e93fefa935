"""Reads one reply off the connection, whole or streamed as its bytes say, within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import aiohttp

from workers.core.llm import errors
from workers.core.llm.deltas import DeltaGate
from workers.core.llm.reported import Reported
from workers.core.llm.sse import SSEParser, SSETooLong
from workers.core.llm.stream import StreamAssembler
from workers.core.llm.texts import load_json
from workers.core.llm.wire import Answer, Garbage, decode_answer
from workers.core.specs import EndpointSpec

AFTER_DONE_SECONDS = 0.5
BLANK = b" \t\r\n\xef\xbb\xbf"
"""Sent before the answer: blank lines, to keep the connection alive, or a byte order mark."""
EVENT_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")


@dataclass(frozen=True, slots=True)
class ReplyLimits:
    """Bounds of one reply in proportion to the tokens asked for, far above any honest answer."""

    base_chars: int = 16_384
    chars_per_token: int = 32
    base_bytes: int = 1_048_576
    bytes_per_token: int = 2_048

    def chars(self, max_tokens: int) -> int:
        return self.base_chars + self.chars_per_token * max_tokens

    def bytes(self, max_tokens: int) -> int:
        return self.base_bytes + self.bytes_per_token * max_tokens


@dataclass(frozen=True, slots=True)
class ReplyReader:
    """Raises LLMError, wire.Garbage, reported.Reported or what aiohttp raises when the connection
    breaks.

    The first bytes tell an event stream from a whole answer: servers stream though they were not
    asked to, do not stream though they were, and label either as anything. `heard` is called
    whenever a part of the answer comes; blank lines, comments and pings are none. A server that
    does not stop at `max_tokens` is cut off by `limits`, whatever it sends.
    """

    endpoint: EndpointSpec
    max_tokens: int
    limits: ReplyLimits
    heard: Callable[[], None]

    async def read(self, response: aiohttp.ClientResponse, gate: DeltaGate | None) -> Answer:
        async with aclosing(self._bounded(response)) as chunks:
            head = await _head(chunks)
            if _is_stream(head):
                answer = await self._stream(response, head, chunks, gate)
            else:
                answer = await self._whole(response, head, chunks)
                if gate is not None:
                    gate.send(answer.text)
        if gate is not None:
            gate.finish()
        return answer

    async def _bounded(self, response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
        size, most = 0, self.limits.bytes(self.max_tokens)
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > most:
                raise errors.too_long(self.endpoint)
            yield chunk

    async def _whole(
        self, response: aiohttp.ClientResponse, head: bytes, chunks: AsyncIterator[bytes]
    ) -> Answer:
        parts = [head]
        async for chunk in chunks:
            self.heard()
            parts.append(chunk)
        body = b"".join(parts).strip(BLANK)
        if not body and "event-stream" in response.headers.get("Content-Type", "").lower():
            raise errors.stream_interrupted(self.endpoint)
        if lines := _json_lines(body):
            return self._events(lines)
        answer = decode_answer(body)
        self._check_chars(len(answer.text))
        return answer

    async def _stream(
        self,
        response: aiohttp.ClientResponse,
        head: bytes,
        chunks: AsyncIterator[bytes],
        gate: DeltaGate | None,
    ) -> Answer:
        parser, assembler = SSEParser(), StreamAssembler()
        try:
            self._take(parser.feed(head), assembler, gate)
            if not assembler.done:
                async for chunk in chunks:
                    self._take(parser.feed(chunk), assembler, gate)
                    if assembler.done:
                        break
                else:
                    self._take(parser.finish(), assembler, gate)
        except SSETooLong as error:
            raise errors.too_long(self.endpoint) from error
        if not assembler.complete:
            raise errors.stream_interrupted(self.endpoint)
        if (rest := assembler.end()) and gate is not None:
            gate.send(rest)
        await _read_end(response)
        return assembler.answer()

    def _events(self, events: list[bytes]) -> Answer:
        assembler = StreamAssembler()
        self._take(events, assembler, None)
        if not assembler.complete:
            raise errors.stream_interrupted(self.endpoint)
        assembler.end()
        return assembler.answer()

    def _take(
        self, events: list[bytes], assembler: StreamAssembler, gate: DeltaGate | None
    ) -> None:
        """What came together is delivered together: one delta per read, not one per token."""
        said: list[str] = []
        before = assembler.size
        try:
            for event in events:
                said.append(assembler.take_event(event))
                if assembler.done:
                    break
        except Garbage as error:
            if assembler.complete:  # what follows the end adds nothing
                assembler.done = True
                return
            if not assembler.recognised:
                raise
            raise errors.stream_interrupted(self.endpoint, str(error)) from error
        except Reported as reported:
            reported.spoke = assembler.size > 0
            raise
        finally:
            if assembler.size > before:
                self.heard()
            if (text := "".join(said)) and gate is not None:
                gate.send(text)
        self._check_chars(assembler.chars)

    def _check_chars(self, chars: int) -> None:
        if chars > self.limits.chars(self.max_tokens):
            raise errors.too_long(self.endpoint)


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    """The first bytes, enough to tell a stream from a whole answer, without leading blanks."""
    head = b""
    async for chunk in chunks:
        head = (head + chunk).lstrip(BLANK)
        if not any(name.startswith(head) for name in EVENT_FIELDS):
            break
    return head


def _is_stream(head: bytes) -> bool:
    return head.startswith(EVENT_FIELDS)


def _json_lines(body: bytes) -> list[bytes]:
    """The lines of a stream that has an object per line instead of events; else none."""
    first, _, rest = body.partition(b"\n")
    if not rest.strip():
        return []
    try:
        return body.split(b"\n") if isinstance(load_json(first), dict) else []
    except ValueError:
        return []


async def _read_end(response: aiohttp.ClientResponse) -> None:
    """Reads to the end after [DONE], so that the connection can be used again."""
    if response.content.at_eof():
        return
    try:
        async with asyncio.timeout(AFTER_DONE_SECONDS):
            while not response.content.at_eof() and await response.content.readany():
                pass
    except (TimeoutError, aiohttp.ClientError):
        response.close()
