"""Reads one reply off the connection, whole or streamed, within bounds."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import aiohttp

from workers.core.llm import errors
from workers.core.llm.deltas import DeltaGate
from workers.core.llm.sse import SSEParser, SSETooLong
from workers.core.llm.types import LLMError
from workers.core.llm.wire import Answer, StreamAssembler, decode, decode_answer
from workers.core.net.outbound import read_limited
from workers.core.specs import EndpointSpec

AFTER_DONE_SECONDS = 0.5


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
    """Raises LLMError, wire.Garbage or what aiohttp raises when the connection breaks.

    `key` is blotted out of what a server says. A server that does not stop at `max_tokens` is cut
    off by `limits`, whatever it sends.
    """

    endpoint: EndpointSpec
    max_tokens: int
    limits: ReplyLimits
    key: str

    async def read(self, response: aiohttp.ClientResponse, gate: DeltaGate | None) -> Answer:
        if gate is None:
            return await self._whole(response)
        if "event-stream" in response.headers.get("Content-Type", ""):
            answer = await self._stream(response, gate)
        else:
            # a server that cannot stream sends the answer in one piece
            answer = await self._whole(response)
            gate.send(answer.text)
        gate.finish()
        return answer

    async def _whole(self, response: aiohttp.ClientResponse) -> Answer:
        body, more = await read_limited(response, self.limits.bytes(self.max_tokens))
        answer = None if more else decode_answer(body)
        if answer is None or len(answer.text) > self.limits.chars(self.max_tokens):
            raise errors.too_long(self.endpoint)
        return answer

    async def _stream(self, response: aiohttp.ClientResponse, gate: DeltaGate) -> Answer:
        parser, assembler, size = SSEParser(), StreamAssembler(), 0
        max_chars, max_bytes = (
            self.limits.chars(self.max_tokens),
            self.limits.bytes(self.max_tokens),
        )
        try:
            async for chunk in response.content.iter_any():
                size += len(chunk)
                self._take(parser.feed(chunk), assembler, gate)
                if size > max_bytes or assembler.chars > max_chars:
                    raise errors.too_long(self.endpoint)
                if assembler.done:
                    break
            else:
                self._take(parser.finish(), assembler, gate)
        except SSETooLong as error:
            raise errors.too_long(self.endpoint) from error
        if not assembler.complete:
            raise errors.stream_interrupted(self.endpoint)
        await _read_end(response)
        return assembler.answer()

    def _take(self, events: list[bytes], assembler: StreamAssembler, gate: DeltaGate) -> None:
        """What came together is delivered together: one delta per read, not one per token."""
        said: list[str] = []
        try:
            for event in events:
                if event == b"[DONE]":
                    assembler.done = assembler.complete = True
                    break
                data = decode(event)
                if data.get("error"):
                    raise self._reported(data)
                if text := assembler.take(data):
                    said.append(text)
        finally:
            if said:
                gate.send("".join(said))

    def _reported(self, data: dict[str, Any]) -> LLMError:
        """An error reported inside a stream that began with status 200."""
        said, code = errors.describe_error(data)
        quote = errors.quoted(said, self.key)
        if errors.speaks_of_context(said, code):
            return errors.bad_request(self.endpoint, 400, code, said, quote)
        return errors.server_error(self.endpoint, 500, quote)


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
