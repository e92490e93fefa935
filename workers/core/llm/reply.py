"""Reads one reply from the connection within bounds, whole or streamed as its bytes show."""

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
from workers.core.llm.wire import Answer, Damaged, Garbage, decode_answer
from workers.core.specs import EndpointSpec

AFTER_DONE_SECONDS = 0.5
BLANK = b" \t\r\n\xef\xbb\xbf"
"""May come before the answer: blank lines that keep the connection alive, a byte order mark."""
EVENT_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
BASE_CHARS, CHARS_PER_TOKEN = 16_384, 32
BASE_BYTES, BYTES_PER_TOKEN = 1_048_576, 2_048
"""Bounds of one reply in proportion to its token limit, far above any honest answer."""


@dataclass(frozen=True, slots=True)
class ReplyReader:
    """Read a reply. Raises LLMError, wire.Garbage, reported.Reported, or what aiohttp raises when
    the connection breaks.

    The first bytes tell an event stream from a whole answer, because servers ignore whether a
    stream was requested and label their answers wrongly. `heard` is called when a part of the
    answer comes, not for blank lines, comments and pings. If a server does not stop at
    `max_tokens`, the reply is ended, whatever it sends.
    """

    endpoint: EndpointSpec
    max_tokens: int
    heard: Callable[[], None]

    async def read(self, response: aiohttp.ClientResponse, gate: DeltaGate | None) -> Answer:
        async with aclosing(self._bounded(response)) as chunks:
            head = await _head(chunks)
            if head.startswith(EVENT_FIELDS):
                answer = await self._stream(response, head, chunks, gate)
            else:
                answer = await self._whole(response, head, chunks)
                if gate is not None:
                    gate.send(answer.text)
        if gate is not None:
            gate.finish()
        return answer

    async def _bounded(self, response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
        size, most = 0, BASE_BYTES + BYTES_PER_TOKEN * self.max_tokens
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
        try:
            answer = decode_answer(body)
        except Damaged as error:
            raise errors.stream_interrupted(self.endpoint, str(error)) from error
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
        """Deliver together what came together: one delta per read, not one per token."""
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
            if not assembler.recognised and not isinstance(error, Damaged):
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
        if chars > BASE_CHARS + CHARS_PER_TOKEN * self.max_tokens:
            raise errors.too_long(self.endpoint)


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    """The first bytes without leading blanks, enough to tell a stream from a whole answer."""
    head = b""
    async for chunk in chunks:
        head = (head + chunk).lstrip(BLANK)
        if not any(name.startswith(head) for name in EVENT_FIELDS):
            break
    return head


def _json_lines(body: bytes) -> list[bytes]:
    """The lines of a stream with one object per line instead of events; otherwise none."""
    first, _, rest = body.partition(b"\n")
    if not rest.strip():
        return []
    try:
        return body.split(b"\n") if isinstance(load_json(first), dict) else []
    except ValueError:
        return []


async def _read_end(response: aiohttp.ClientResponse) -> None:
    """Read to the end after [DONE], so the connection can be reused."""
    if response.content.at_eof():
        return
    try:
        async with asyncio.timeout(AFTER_DONE_SECONDS):
            while not response.content.at_eof() and await response.content.readany():
                pass
    except (TimeoutError, aiohttp.ClientError):
        response.close()
