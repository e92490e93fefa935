"""What guards every request: the limit on bodies, what logs may say, what JSON can hold."""

from __future__ import annotations

import json
import logging

import pytest
from django.conf import settings

from apps.common.body_limit import Message, Receive, Scope, Send, limit_body
from apps.common.renderers import encoded
from apps.common.secret_paths import HideSecretPaths

LIMIT = 100


async def reads_all(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that reads the whole body and says how long it is."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def ask(chunks: list[bytes], announced: str | None = None) -> tuple[int, bytes]:
    waiting = list(chunks)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-length", announced.encode())] if announced else []
    await limit_body(reads_all, LIMIT)({"type": "http", "headers": headers}, receive, send)
    return sent[0]["status"], sent[1]["body"]


async def test_a_body_within_the_limit_arrives_whole() -> None:
    assert await ask([b"x" * 60, b"x" * 40]) == (200, b"100")


@pytest.mark.parametrize(
    ("chunks", "announced"),
    [([b"x" * 60, b"x" * 41], None), ([b"x"], "101"), ([b"x"], "9" * 30), ([b"x" * 101], "5")],
)
async def test_a_larger_one_is_refused(chunks: list[bytes], announced: str | None) -> None:
    status, body = await ask(chunks, announced)
    assert status == 413
    assert json.loads(body)["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/api/datasets/sums/import", 150, 200),
        ("/api/datasets/sums/import", 201, 413),
        ("/api/datasets/sums/import/", 150, 413),
        ("/api/datasets/a/b/import", 150, 413),
        ("/api/runs", 150, 413),
    ],
)
async def test_only_an_import_may_be_larger(path: str, size: int, status: int) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"x" * size}

    async def send(message: Message) -> None:
        sent.append(message)

    application = limit_body(
        reads_all, LIMIT, uploads=settings.UPLOAD_PATHS, upload_bytes=2 * LIMIT
    )
    await application({"type": "http", "headers": [], "path": path}, receive, send)
    assert sent[0]["status"] == status


def test_one_time_links_stay_out_of_logs() -> None:
    message = "Method Not Allowed (%s): %s"
    arguments = ("HEAD", "/login/once/abc-DEF_123")
    record = logging.LogRecord("django.request", 30, "", 0, message, arguments, None)
    assert HideSecretPaths().filter(record)
    assert record.getMessage() == "Method Not Allowed (HEAD): /login/once/…"


def test_numbers_beyond_64_bits_are_no_error() -> None:
    assert json.loads(encoded({"cost": 2 * 10**19})) == {"cost": 2 * 10**19}
