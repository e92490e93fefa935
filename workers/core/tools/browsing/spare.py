"""A browser that waits for the next run: starting one takes a second or two, mostly Playwright."""

import asyncio
import contextlib
from collections.abc import Callable

from workers.core.tools.browsing.session import Browser, BrowserFailed

IDLE_SECONDS = 300.0
"""After these, an unused browser is ended."""


class Browsers:
    """Use in one event loop. A browser is of one run and ends with it; no run sees another's."""

    def __init__(self, make: Callable[[], Browser], *, spare: bool = False) -> None:
        self._make, self._has_spare = make, spare
        self._next: asyncio.Task[Browser] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def taken(self) -> Browser:
        """One that has started if there is any, else one that starts at its first use."""
        waiting = self._without()
        return await waiting if waiting else self._make()

    def prepare(self) -> None:
        """Start the next one, unless it is there. Call it when the run at work does not wait."""
        if not self._has_spare or self._next is not None:
            return
        loop = asyncio.get_running_loop()
        self._next = loop.create_task(self._started())
        self._timer = loop.call_later(IDLE_SECONDS, self._end_soon)

    async def close(self) -> None:
        waiting = self._without()
        if waiting is None:
            return
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await (await waiting).close()

    def _without(self) -> asyncio.Task[Browser] | None:
        if self._timer is not None:
            self._timer.cancel()
        waiting, self._next = self._next, None
        return waiting

    def _end_soon(self) -> None:
        self._ending = asyncio.create_task(self.close())

    async def _started(self) -> Browser:
        browser = self._make()
        try:
            with contextlib.suppress(BrowserFailed):  # its first use tries again, and tells
                await browser.start()
        except asyncio.CancelledError:
            await browser.close()
            raise
        return browser
