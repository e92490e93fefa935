"""Refuses large bodies before anything else sees them: Django stores a body whole, on disk from
2.5 MB on, before it asks who sends it."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from apps.common.errors import error_body, too_large

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


NOWHERE = re.compile(r"(?!)")


class _TooLarge(Exception):
    pass


def limit_body(
    application: Application,
    max_bytes: int,
    *,
    uploads: re.Pattern[str] = NOWHERE,
    upload_bytes: int = 0,
) -> Application:
    """The same ASGI application, which answers 413 to more than `max_bytes`, or `upload_bytes`
    where the path is one of `uploads`."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        limit = upload_bytes if uploads.fullmatch(scope.get("path", "")) else max_bytes
        if _announced(scope) > limit:
            await _refuse(send, limit)
            return
        received, began = 0, False

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLarge
            return message

        async def watched(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await application(scope, counted, watched)
        except _TooLarge:
            if not began:
                await _refuse(send, limit)

    return limited


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


async def _refuse(send: Send, max_bytes: int) -> None:
    error = too_large(max_bytes)
    body = error_body(code=error.code, message=error.message, remedy=error.remedy)
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
