"""HTTP for uvicorn that limits how long it waits for the headers of a request.

A connection that sends half a header, or none, holds a file descriptor of the server. So it gets
`HEADER_SECONDS`, and only `CROWDED_SECONDS` while its address has many such connections: those that
an honest program opens at once send whole headers at once. Behind a proxy all have the proxy's
address, and it sends whole headers.
"""

from __future__ import annotations

import asyncio
from asyncio.events import TimerHandle
from collections import Counter
from typing import ClassVar

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS, CROWDED_SECONDS = 20.0, 5.0
WAITING_PER_ADDRESS = 100
TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """Limits the time until the headers end, from the connection or a request's first byte."""

    waiting: ClassVar[Counter[str]] = Counter()
    """How many connections of this process wait, by address."""
    _timer: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn
        super().connection_made(transport)
        self._wait()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        self._heard()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._timer is not None:
            return
        address = self._address()
        self.waiting[address] += 1
        crowded = self.waiting[address] > WAITING_PER_ADDRESS and not settings.BEHIND_PROXY
        seconds = CROWDED_SECONDS if crowded else HEADER_SECONDS
        self._timer = self.loop.call_later(seconds, self._give_up)

    def _heard(self) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        address = self._address()
        self.waiting[address] -= 1
        if not self.waiting[address]:
            del self.waiting[address]

    def _give_up(self) -> None:
        self._heard()
        if not self.transport.is_closing():
            self.transport.write(TOO_LATE)
            self.transport.close()

    def _address(self) -> str:
        return self.client[0] if self.client else ""
