"""A browser in a process of its own, for one run: started at its first use, and over with the run.

It lives in a container without a network (`contained.py`). Its requests go through the guarded
proxy in this process, so no page, redirect or script reaches an address that agents may not.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.core.net.guard import AddressRefused, check_url
from workers.core.net.proxy import GuardedProxy
from workers.core.tools.browsing.contained import browser_command, browser_path, missing
from workers.core.tools.sandbox_command import bubblewrap_path
from workers.core.tools.sandbox_memory import outgrown
from workers.core.tools.sandbox_process import begin_process, end_process

START_SECONDS, ACT_SECONDS = 30.0, 40.0
MEMORY_MIB = 1_536
MAPPINGS = 100_000
"""A browser has many processes with some thousand each."""
MAX_BYTES = 50_000_000
LINE_BYTES = 2**25
"""Limit on one answer: a page's text, or a picture in Base64."""


class BrowserFailed(Exception):
    """The sentence says what happened, and is for the agent, too."""


@dataclass(frozen=True, slots=True)
class Seen:
    """`text`: the page as an accessibility snapshot, in which `[ref=e5]` names what can be clicked
    or typed into. `picture`: a JPEG, if one was wanted and could be taken. `notes`: what else has
    to be said."""

    address: str
    title: str
    text: str
    picture: bytes
    notes: tuple[str, ...]


class Browser:
    """Use as `async with Browser(…) as browser`. `own`: what is below this address may be opened
    although it is private, and gets `headers`. A browser that crashed, hung or took too much memory
    is started anew by the next action."""

    def __init__(
        self,
        *,
        own: str = "",
        headers: Mapping[str, str] | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._own, self._headers, self._max_bytes = own, dict(headers or {}), max_bytes
        self._stack = contextlib.AsyncExitStack()
        self._process: Process | None = None
        self._proxy: GuardedProxy | None = None
        self._turn = asyncio.Lock()
        self._is_lost = False
        self._received = 0

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._ended()

    async def start(self) -> None:
        """Its first action starts it as well. Raises BrowserFailed."""
        async with self._turn:
            await self._started()

    @property
    def received(self) -> int:
        """Bytes from all servers, also before it was started again."""
        return self._received + (self._proxy.received if self._proxy else 0)

    async def act(
        self, action: str, *, agent: str = "", picture: int = 0, **arguments: Any
    ) -> Seen:
        """`action`: open (`address`), click (`ref`), type (`ref`, `text`, `enter`), scroll
        (`down`), back, read. Each `agent` has its own page and cookies. `picture`: the most bytes
        that one may have; 0: none is wanted. Actions wait for each other. Raises BrowserFailed. A
        call that is cancelled ends the browser."""
        async with self._turn:
            if action == "open":
                _check(arguments["address"])
            if self._process is None or self._process.returncode is not None or self._is_lost:
                await self._started()
            if self._proxy is not None:
                self._proxy.refused.clear()
            request = {"action": action, "agent": agent, "picture": picture, **arguments}
            answer = await self._asked(request, ACT_SECONDS)
            if not answer["ok"]:
                raise BrowserFailed(self._why(str(answer["error"])))
            return Seen(
                answer["address"],
                answer["title"],
                answer["text"],
                base64.b64decode(answer["picture"]),
                tuple(answer["notes"]),
            )

    async def _started(self) -> None:
        await self._ended()
        bubblewrap, browser = bubblewrap_path(), browser_path()
        if bubblewrap is None or browser is None:
            raise BrowserFailed(f"There is no browser here: {missing()}")
        try:
            await self._begun(bubblewrap, browser)
        except OSError as error:
            await self._ended()
            why = error.strerror or str(error)
            raise BrowserFailed(f"The browser does not start: {why}.") from error
        await self._asked(None, START_SECONDS)

    async def _begun(self, bubblewrap: str, browser: str) -> None:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="browser-")))
        proxy = GuardedProxy(
            folder / "proxy", own=self._own, headers=self._headers, max_bytes=self._max_bytes
        )
        self._proxy = await self._stack.enter_async_context(proxy)
        (folder / "proxy").chmod(0o777)  # in there it is another user's; the folder is closed
        self._process = await begin_process(
            browser_command(bubblewrap, browser, folder / "proxy"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LINE_BYTES,
        )

    async def _asked(self, request: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Its answer; to None, that it has started. Raises BrowserFailed, and then it has ended."""
        try:
            line = await self._line(request, seconds)
            answer: dict[str, Any] = json.loads(line)
        except (TimeoutError, OSError, ValueError, BrowserFailed) as error:
            await self._ended()
            if isinstance(error, BrowserFailed):
                raise
            cause = f"did not answer in {seconds:g} s"
            cause = cause if isinstance(error, TimeoutError) else "answered nonsense"
            raise BrowserFailed(f"The browser {cause}.") from error
        except asyncio.CancelledError:
            self._is_lost = True  # its answer would be taken for the next one's
            raise
        return answer

    async def _line(self, request: dict[str, Any] | None, seconds: float) -> bytes:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise BrowserFailed("The browser ended.")
        if request is not None:
            process.stdin.write(json.dumps(request).encode() + b"\n")
        reading = asyncio.create_task(process.stdout.readline())
        growing = asyncio.create_task(outgrown(process.pid, MEMORY_MIB, mappings=MAPPINGS))
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait({reading, growing}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                raise BrowserFailed(f"The browser was stopped: {growing.result()}.")
            line = reading.result()
        finally:
            reading.cancel()
            growing.cancel()
            await asyncio.wait({reading, growing})  # only one may read
        if not line:
            await process.wait()
            raise BrowserFailed(f"The browser ended. {await _last_words(process)}".strip())
        return line

    def _why(self, error: str) -> str:
        """What Chromium says, and what the proxy knows of it."""
        refused = self._proxy.refused if self._proxy else {}
        return " ".join([error, *refused.values()])

    async def _ended(self) -> None:
        """Ends its process with all that runs in there, and the proxy."""
        self._received = self.received
        process, self._process, self._proxy = self._process, None, None
        self._is_lost = False
        if process is not None:
            await end_process(process)
        await self._stack.aclose()


def _check(address: str) -> None:
    """Raises BrowserFailed for what is no web address, such as a file. What it stands for is
    checked by the proxy."""
    try:
        check_url(address, allow_private=True)
    except AddressRefused as error:
        raise BrowserFailed(f"{error.message} {error.remedy}".strip()) from error


async def _last_words(process: Process) -> str:
    if process.stderr is None:
        return ""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1):
            said = await process.stderr.read()
            return said.decode(errors="replace").strip()[-300:]
    return ""
