"""Connections that never finish their headers are closed; whole requests are answered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from studio import http
from studio.http import WAITING_PER_ADDRESS, HeaderTimeoutProtocol

Open = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def application(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    if scope["path"] == "/slow":
        await asyncio.sleep(0.6)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def server() -> AsyncIterator[Callable[[], Awaitable[Open]]]:
    config = uvicorn.Config(
        application, http=HeaderTimeoutProtocol, lifespan="off", port=0, log_level="error"
    )
    running = uvicorn.Server(config)
    task = asyncio.create_task(running.serve())
    while not running.started:  # noqa: ASYNC110 - uvicorn tells nobody
        await asyncio.sleep(0.01)
    port = running.servers[0].sockets[0].getsockname()[1]
    yield lambda: asyncio.open_connection("127.0.0.1", port)
    running.should_exit = True
    await task


async def told(connection: Open, text: str = "") -> bytes:
    """Everything that comes until the server closes."""
    connection[1].write(text.encode())
    return await asyncio.wait_for(connection[0].read(), timeout=5)


@pytest.mark.parametrize(
    "text", ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: "]
)
def test_headers_that_never_end_are_given_up(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(http, "HEADER_SECONDS", 0.3)

    async def scene() -> bytes:
        async with server() as connect:
            return await told(await connect(), text)

    assert asyncio.run(scene()).startswith(b"HTTP/1.1 408 ")
    assert not HeaderTimeoutProtocol.waiting


def test_a_slow_answer_and_a_second_request_are_no_slow_headers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "HEADER_SECONDS", 0.3)

    async def scene() -> list[bytes]:
        async with server() as connect:
            reader, writer = await connect()
            answers = []
            for path in ("/slow", "/slow"):
                writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                head = await reader.readuntil(b"\r\n\r\n")
                answers.append(head.split(b"\r\n")[0] + await reader.readexactly(2))
            answers.append(await told((reader, writer), "GET / HTT"))
            return answers

    first, second, cut = asyncio.run(scene())
    assert first == second == b"HTTP/1.1 200 OKok"
    assert cut.startswith(b"HTTP/1.1 408 ")


def test_beyond_its_share_an_address_waits_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "WAITING_PER_ADDRESS", 3)
    monkeypatch.setattr(http, "CROWDED_SECONDS", 0.3)

    async def scene() -> tuple[list[bytes], int]:
        async with server() as connect:
            opened = [await connect() for _ in range(5)]
            closed = [await told(connection) for connection in opened[3:]]
            waiting = HeaderTimeoutProtocol.waiting["127.0.0.1"]
            for _, writer in opened:
                writer.close()
            return closed, waiting

    closed, waiting = asyncio.run(scene())
    assert all(said.startswith(b"HTTP/1.1 408 ") for said in closed)
    assert waiting == 3


def test_a_program_may_open_many_connections_before_it_asks() -> None:
    """As HTTP clients do that ask 200 questions at once."""

    async def scene() -> list[bytes]:
        async with server() as connect:
            opened = [await connect() for _ in range(2 * WAITING_PER_ADDRESS)]
            while HeaderTimeoutProtocol.waiting["127.0.0.1"] < len(opened):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            answers = [await told(connection, request) for connection in opened]
            for _, writer in opened:
                writer.close()
            return answers

    answers = asyncio.run(scene())
    assert {said.split(b"\r\n")[0] for said in answers} == {b"HTTP/1.1 200 OK"}
