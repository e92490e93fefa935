"""The server's application, asked as uvicorn asks it."""

import json

import pytest

from apps.common.body_limit import Message
from studio.asgi import application


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [[], [(b"authorization", b"Basic YTpi")]])
async def test_nothing_large_is_received_of_a_stranger(headers: list[tuple[bytes, bytes]]) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("the body was asked for")

    async def send(message: Message) -> None:
        sent.append(message)

    large = (b"content-length", str(5 * 1024 * 1024).encode())
    path = "/api/datasets/sums/import"
    scope = {"type": "http", "method": "POST", "path": path, "headers": [large, *headers]}
    await application(scope, receive, send)
    assert sent[0]["status"] == 413
    assert "curator" in json.loads(sent[1]["body"])["error"]["message"]
