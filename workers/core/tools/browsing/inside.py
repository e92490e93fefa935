"""Runs in the browser's container: Playwright drives Chromium as its standard input says.

Arguments: the user id to take (0: stay), the browser, the socket of the proxy. A request is a line
of JSON, and so is its answer: see `Browser` in session.py. It uses only the standard library and
Playwright.
"""

import asyncio
import base64
import contextlib
import json
import os
import sys
import time
from typing import Any

sys.path.append("/browser/packages")

NOBODY = 65_534
LOAD_MS, ACT_MS, READ_MS = 15_000, 5_000, 5_000
SETTLE_SECONDS, QUIET_SECONDS = 2.0, 0.25
"""How long a page may load more by itself, and how long nothing may come until it is at rest."""
POPUP_SECONDS = 0.1
"""How long a page that a click opens may take to be known."""
CHUNK = 64 * 1024
WIDTH, HEIGHT = 1_280, 800
PICTURE_MS = 2_000
QUALITIES = (60, 35, 15, 5)
"""Of a JPEG, until it is small enough."""
MOST_TABS = 6
"""Open at once, one for each agent. The container's memory (`MEMORY_MIB` of session.py) has room
for about 200 MiB each."""
CLOSED = (
    f"Your page was closed: {MOST_TABS} other agents browsed since, and no more pages fit into "
    "memory. Open it again."
)
FLAGS = (
    "--no-sandbox",  # the container is the sandbox
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)


def become(user: int) -> None:
    """Give up root and with it every capability. A container may not know the wanted id."""
    for candidate in (user, NOBODY):
        try:
            os.setgroups([])
            os.setresgid(candidate, candidate, candidate)
            os.setresuid(candidate, candidate, candidate)
        except OSError:
            continue
        return
    sys.exit("browser: cannot give up root")


async def carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
    """One connection, from a port in here to the proxy's socket."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK):
                sink.write(data)
                await sink.drain()
        sink.close()

    with contextlib.suppress(OSError):
        out_reader, out_writer = await asyncio.open_unix_connection(path)
        await asyncio.gather(pump(reader, out_writer), pump(out_reader, writer))


def said(message: str) -> str:
    """What Playwright says, in a sentence for an agent."""
    first = message.split("\n", maxsplit=1)[0]
    if "Download is starting" in first:
        return "That is a file and no page. Read it with another tool."
    if "has been closed" in first:
        return "The page closed itself. Read again: the one before it is there."
    return first.split(": ", 1)[-1] if first.startswith(("Page.", "Locator.")) else first


async def closed(what: Any) -> None:
    """A page may hang, so its end is not waited for."""
    closing = asyncio.ensure_future(what.close())
    await asyncio.wait({closing}, timeout=1)


class Tab:
    """What an agent has open: a page that a click opens takes the place of the one before."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.page: Any = None
        self.crashed = False
        self.loading: set[Any] = set()
        self.busy_at = 0.0
        context.on("page", self.take)
        context.on("request", self.begun)
        context.on("requestfinished", self.over)
        context.on("requestfailed", self.over)

    def take(self, page: Any) -> None:
        before, self.page = self.page, page
        page.on("crash", lambda _: setattr(self, "crashed", True))
        page.on("close", lambda _: self.closed(page, before))

    def closed(self, page: Any, before: Any) -> None:
        """A page that closes itself leaves the one that opened it."""
        if self.page is page:
            self.page = before if before is not None and not before.is_closed() else None

    def begun(self, request: Any) -> None:
        self.loading.add(request)

    def over(self, request: Any) -> None:
        self.loading.discard(request)
        self.busy_at = time.monotonic()

    async def act(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self.crashed:
            self.page, self.crashed = None, False
        await self.some_page()
        notes: list[str] = []
        self.loading.clear()  # what never ends must not slow all later steps
        await getattr(self, f"do_{asked['action']}")(asked, notes)
        try:
            async with asyncio.timeout(READ_MS / 1_000):
                answer = await self.seen(asked["picture"])
        except TimeoutError:
            await self.leave()
            return {"ok": False, "error": "The page is too busy to be read. It was closed."}
        if self.crashed:
            return {"ok": False, "error": "The page crashed."}
        return {"ok": True, "notes": notes, **answer}

    async def some_page(self) -> None:
        if self.page is None:
            await self.context.new_page()

    async def seen(self, picture: int) -> dict[str, Any]:
        await self.some_page()
        page = self.page
        text = await page.locator("body").aria_snapshot(mode="ai")
        taken = await self.picture(picture) if picture else b""
        return {
            "address": page.url,
            "title": await page.title(),
            "text": text,
            "picture": base64.b64encode(taken).decode(),
        }

    async def picture(self, most: int) -> bytes:
        """A JPEG of the visible page within the byte limit; empty if that fails."""
        with contextlib.suppress(Exception):
            for quality in QUALITIES:
                taken: bytes = await self.page.screenshot(
                    type="jpeg", quality=quality, timeout=PICTURE_MS
                )
                if len(taken) <= most:
                    return taken
        return b""

    async def leave(self) -> None:
        page, self.page = self.page, None
        await closed(page)

    async def close(self) -> None:
        await closed(self.context)

    async def do_open(self, asked: dict[str, Any], notes: list[str]) -> None:
        from playwright.async_api import TimeoutError as TooLong

        try:
            found = await self.page.goto(
                asked["address"], timeout=LOAD_MS, wait_until="domcontentloaded"
            )
        except TooLong:
            notes.append(f"It did not load in {LOAD_MS // 1000} s. This is what came.")
        else:
            if found is not None and found.status >= 400:
                notes.append(f"The server answered with {found.status}.")
        await self.settled()

    async def do_click(self, asked: dict[str, Any], notes: list[str]) -> None:
        await (await self.found(asked["ref"])).click(timeout=ACT_MS)
        await asyncio.sleep(POPUP_SECONDS)
        await self.settled()

    async def do_type(self, asked: dict[str, Any], notes: list[str]) -> None:
        field = await self.found(asked["ref"])
        await field.fill(asked["text"], timeout=ACT_MS)
        if asked.get("enter"):
            await field.press("Enter", timeout=ACT_MS)
        await self.settled()

    async def do_scroll(self, asked: dict[str, Any], notes: list[str]) -> None:
        await self.page.mouse.wheel(0, HEIGHT if asked.get("down", True) else -HEIGHT)
        await self.settled()

    async def do_back(self, asked: dict[str, Any], notes: list[str]) -> None:
        if await self.page.go_back(timeout=LOAD_MS, wait_until="domcontentloaded") is None:
            notes.append("There is no page before this one.")
        await self.settled()

    async def do_read(self, asked: dict[str, Any], notes: list[str]) -> None:
        """The page is read after each action."""

    async def found(self, ref: str) -> Any:
        """The element that the last snapshot calls so."""
        from playwright.async_api import Error

        element = self.page.locator(f"aria-ref={ref}")
        if await element.count() == 0:
            raise Error(f"There is no “{ref}” on the page as it is now. Read it again.")
        return element

    async def settled(self) -> None:
        """What a page loads by itself has a moment to come."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_SECONDS):
                with contextlib.suppress(Exception):
                    await self.page.wait_for_load_state("load")
                self.busy_at = time.monotonic()
                while self.loading or time.monotonic() < self.busy_at + QUIET_SECONDS:  # noqa: ASYNC110  time passes by itself
                    await asyncio.sleep(0.02)


class Tabs:
    """A tab for each agent, made when it first browses, with its own cookies. Where no more fit,
    the one that has been idle longest is closed."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self.ready: Tab | None = None
        self.used: dict[str, Tab] = {}
        """By agent, the last used at the end."""
        self.lost: set[str] = set()
        """Agents whose tab was closed, and who do not know it yet."""

    async def prepare(self) -> None:
        """Make the first agent's tab before it asks."""
        self.ready = await self.made()

    async def act(self, asked: dict[str, Any]) -> dict[str, Any]:
        agent = asked["agent"]
        if agent in self.lost:
            self.lost.discard(agent)
            if asked["action"] != "open":
                return {"ok": False, "error": CLOSED}
        tab = self.used.pop(agent, None) or await self.another()
        self.used[agent] = tab
        return await tab.act(asked)

    async def another(self) -> Tab:
        while len(self.used) >= MOST_TABS:
            agent = next(iter(self.used))
            self.lost.add(agent)
            await self.used.pop(agent).close()
        tab, self.ready = self.ready, None
        return tab or await self.made()

    async def made(self) -> Tab:
        context = await self.chromium.new_context(
            accept_downloads=False,
            service_workers="block",
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        tab = Tab(context)
        await tab.some_page()
        return tab


async def main() -> None:
    user, executable, proxy = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    if user:
        become(user)
    os.environ.update(HOME="/tmp", LANG="C.UTF-8")  # noqa: S108 - its own
    from playwright.async_api import Error, async_playwright

    inner = await asyncio.start_server(
        lambda reader, writer: carried(reader, writer, proxy), "127.0.0.1", 0
    )
    port = inner.sockets[0].getsockname()[1]
    lines = asyncio.StreamReader(limit=2**22)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=executable,
            proxy={"server": f"http://127.0.0.1:{port}"},
            args=list(FLAGS),
            chromium_sandbox=False,
        )
        tabs = Tabs(chromium)
        await tabs.prepare()
        print(json.dumps({"ok": True}), flush=True)
        while line := await lines.readline():
            try:
                answer = await tabs.act(json.loads(line))
            except Error as error:
                answer = {"ok": False, "error": said(error.message)}
            print(json.dumps(answer), flush=True)
            if not chromium.is_connected():
                sys.exit("browser: Chromium ended")


asyncio.run(main())
