"""Refuses large and slow bodies before other code sees them. Django stores a body whole, on disk
from 2.5 MB on, before it asks who sends it."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError, error_body, too_large

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


GRACE_SECONDS = 30.0
SLOWEST_BYTES = 64 * 1024
"""Bytes a second. A body may take the grace, plus the time that its limit takes at this pace."""


@dataclass(frozen=True, slots=True)
class Uploads:
    """Where a body may be larger, how large, and who may send it: people of `group`, and their
    tokens with the scope `scope`. `allowed` is asked only about a body over the usual limit, before
    more of it is received."""

    paths: re.Pattern[str]
    max_bytes: int
    group: str
    scope: str
    allowed: Callable[[Scope, str], Awaitable[bool]]


class _Refused(Exception):
    def __init__(self, error: ApplicationError) -> None:
        super().__init__(error.message)
        self.error = error


def limit_body(
    application: Application, max_bytes: int, *, uploads: Sequence[Uploads] = ()
) -> Application:
    """The same ASGI application. It answers 413 to a body over `max_bytes` or over the limit of
    `uploads`, and 408 to a body that arrives too slowly."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        body, began = _Body(scope, receive, max_bytes, uploads), False

        async def watched(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await body.count(_announced(scope))
            await application(scope, body.receive, watched)
        except _Refused as refused:
            if not began:
                await _refuse(send, refused.error)

    return limited


class _Body:
    """A body on its way in. Raises _Refused when it is too large or too slow."""

    def __init__(
        self, scope: Scope, receive: Receive, max_bytes: int, uploads: Sequence[Uploads]
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._limit = max_bytes
        path = scope.get("path", "")
        # also None once it was asked
        self._uploads = next((each for each in uploads if each.paths.fullmatch(path)), None)
        self._began = asyncio.get_running_loop().time()
        self._received = 0
        self._is_whole = False

    async def receive(self) -> Message:
        if self._is_whole:
            return await self._receive()  # waits for the sender to leave, as long as that takes
        seconds = GRACE_SECONDS + self._limit / SLOWEST_BYTES
        try:
            async with asyncio.timeout_at(self._began + seconds):
                message = await self._receive()
        except TimeoutError as error:
            raise _Refused(_too_slow(seconds)) from error
        self._received += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        await self.count(self._received)
        return message

    async def count(self, size: int) -> None:
        if size <= self._limit:
            return
        if self._uploads:
            uploads, self._uploads = self._uploads, None
            if not await uploads.allowed(self._scope, uploads.group):
                raise _Refused(_not_allowed(self._limit, uploads))
            self._limit = uploads.max_bytes
        if size > self._limit:
            raise _Refused(too_large(self._limit))


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value[:20])
    return 0


def _not_allowed(limit: int, uploads: Uploads) -> ApplicationError:
    return ApplicationError(
        code="too_large",
        message=_("The body has more than %(limit)s bytes. Only a %(group)s may send that much.")
        % {"limit": f"{limit:,}", "group": uploads.group},
        remedy=_("Log in as a %(group)s, or use a token of one with the scope “%(scope)s”.")
        % {"group": uploads.group, "scope": uploads.scope},
        status_code=status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    )


def _too_slow(seconds: float) -> ApplicationError:
    return ApplicationError(
        code="too_slow",
        message=_("The body did not arrive in full within %(seconds)s seconds.")
        % {"seconds": f"{seconds:,.0f}"},
        remedy=_("Send it again over a faster connection, or in smaller parts."),
        status_code=status.HTTP_408_REQUEST_TIMEOUT,
    )


async def _refuse(send: Send, error: ApplicationError) -> None:
    body = error_body(code=error.code, message=error.message, remedy=error.remedy)
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
