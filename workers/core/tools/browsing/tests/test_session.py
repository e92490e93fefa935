"""The browser, on pages that are well-behaved and on others. It really is Chromium."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from yarl import URL

from workers.core.tools.browsing import session
from workers.core.tools.browsing.contained import browser_command, browser_path, missing
from workers.core.tools.browsing.session import Browser, BrowserFailed
from workers.core.tools.pictures import PICTURE_BYTES, is_picture
from workers.core.tools.sandbox_command import bubblewrap_path

PAGES = {
    "/": "<title>Start</title><h1>Rivers</h1><a href=/elbe>Elbe</a>"
    "<a href=/new target=_blank>New</a><form action=/search><input name=q aria-label=Query></form>"
    "<p style='margin-top:3000px'>End",
    "/elbe": "<title>Elbe</title><table><tr><td>Length<td>1,094 km</table>",
    "/new": "<title>New</title><p>In a new tab",
    "/opens": "<title>Opens</title><a href=/closes target=_blank>Closes</a>",
    "/closes": "<title>Closes</title><script>setTimeout(() => window.close(), 300)</script>",
    "/dense": "<title>Dense</title>" + "<p>The Elbe is 1,094 km long. " * 60,
    "/alert": "<script>alert('hello'); confirm('?')</script><p>After the dialogs",
    "/loop": "<p>Before<script>onload = () => { while (true) ; }</script>",
    "/eats": "<p>Eats<script>const a = []; while (true) a.push(Array(1e6).fill(1))</script>",
    "/private": "<p>Here<img src=http://10.1.2.3/x.png><script>fetch('http://10.1.2.3/')"
    ".then(r => r.text()).then(t => document.body.append(t))</script>",
    "/built": "<body><script>setTimeout(() => document.body.append('by a script'), 100)</script>",
}


@pytest.fixture
async def site() -> AsyncIterator[URL]:
    async def page(request: web.Request) -> web.StreamResponse:
        if request.path == "/away":
            raise web.HTTPFound("http://10.1.2.3/inside")
        if request.path == "/file":
            return web.Response(body=b"PK", content_type="application/zip")
        if request.path == "/drips":
            drips = web.StreamResponse(headers={"Content-Type": "text/html"})
            await drips.prepare(request)
            while True:
                await drips.write(b"<p>drop")
                await asyncio.sleep(0.2)
        if request.path == "/search":
            return web.Response(text=f"Found {request.query['q']}", content_type="text/html")
        text = PAGES.get(request.path)
        status = 404 if text is None else 200
        return web.Response(text=text or "Nothing here", content_type="text/html", status=status)

    application = web.Application()
    application.router.add_get("/{path:.*}", page)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield URL.build(scheme="http", host="127.0.0.1", port=runner.addresses[0][1])
    await runner.cleanup()


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its browsers keep their sockets below this one, whose name is short enough for a socket."""
    made = tmp_path_factory.mktemp("b")
    monkeypatch.setattr("tempfile.tempdir", str(made))
    return made


@pytest.fixture
async def browser(site: URL, folder: Path) -> AsyncIterator[Browser]:
    async with Browser(own=str(site)) as made:
        yield made
    assert left_over(folder) == []


def left_over(folder: Path) -> list[str]:
    """Processes of a browser of this test. Others may run beside it."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if entry.name.isdigit() and f"{folder}/browser-" in words:
            found.append(words)
    return found


def ref_of(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if name in line]
    return line.partition("[ref=")[2].partition("]")[0]


async def test_it_reads_clicks_types_scrolls_and_goes_back(browser: Browser, site: URL) -> None:
    start = await browser.act("open", address=str(site))
    assert (start.address, start.title) == (f"{site}/", "Start")
    assert 'heading "Rivers"' in start.text
    elbe = await browser.act("click", ref=ref_of(start.text, "Elbe"))
    assert elbe.title == "Elbe"
    assert "1,094 km" in elbe.text
    back = await browser.act("back")
    assert back.title == "Start"
    scrolled = await browser.act("scroll", down=True)
    query = ref_of(scrolled.text, "Query")
    found = await browser.act("type", ref=query, text="elbe & oder", enter=True)
    assert "Found elbe & oder" in found.text
    again = await browser.act("read", picture=PICTURE_BYTES)
    assert again.text == found.text
    assert found.picture == b""
    assert is_picture(again.picture)
    assert browser.received > 100


async def test_a_picture_is_small_or_there_is_none(browser: Browser, site: URL) -> None:
    large = await browser.act("open", address=str(site / "dense"), picture=PICTURE_BYTES)
    small = await browser.act("read", picture=len(large.picture) // 2)
    assert len(large.picture) // 2 > len(small.picture) > 0
    none = await browser.act("read", picture=10)
    assert (none.picture, none.text) == (b"", large.text)


async def test_a_call_that_is_cancelled_leaves_no_answer_for_the_next(
    browser: Browser, site: URL
) -> None:
    await browser.act("open", address=str(site))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await browser.act("open", address=str(site / "elbe"))
    assert (await browser.act("open", address=str(site))).title == "Start"


async def test_a_new_tab_takes_the_place_of_the_one_before(browser: Browser, site: URL) -> None:
    start = await browser.act("open", address=str(site))
    seen = await browser.act("click", ref=ref_of(start.text, "New"))
    async with asyncio.timeout(20):  # on a busy machine it is told of the tab a little later
        while seen.title != "New":
            seen = await browser.act("read")


async def test_a_tab_that_closes_itself_leaves_the_one_before(browser: Browser, site: URL) -> None:
    await browser.act("open", address=str(site / "opens"))
    try:
        await browser.act("click", ref="e2")
    except BrowserFailed as error:  # it closed while it was read
        assert "The page closed itself" in str(error)  # noqa: PT017
    await asyncio.sleep(0.5)
    assert (await browser.act("read")).title == "Opens"
    assert (await browser.act("open", address=str(site))).title == "Start"


async def test_what_came_is_told(browser: Browser, site: URL) -> None:
    for path, text, note in (
        ("alert", "After the dialogs", ""),
        ("built", "by a script", ""),
        ("gone", "Nothing here", "The server answered with 404."),
        ("away", "10.1.2.3 is a private address", "The server answered with 403."),
        ("private", "Here", ""),
    ):
        seen = await browser.act("open", address=str(site / path))
        assert text in seen.text
        assert seen.notes == ((note,) if note else ())
    assert "10.1.2.3" not in seen.text, "its script got no answer"
    gone = await browser.act("open", address="http://no-such-host.invalid/")
    assert gone.notes == ("The server answered with 502.",)
    with pytest.raises(BrowserFailed, match=r"10\.1\.2\.3 is a private address"):
        await browser.act("open", address="https://10.1.2.3/")


@pytest.mark.parametrize("address", ["file:///etc/passwd", "chrome://version", "javascript:a()"])
async def test_what_is_no_web_address_is_refused(browser: Browser, address: str) -> None:
    with pytest.raises(BrowserFailed, match="is not a web address"):
        await browser.act("open", address=address)


async def test_an_element_that_is_not_there_is_told_at_once(browser: Browser, site: URL) -> None:
    await browser.act("open", address=str(site))
    with pytest.raises(BrowserFailed, match="There is no “e99” on the page as it is now"):
        await browser.act("click", ref="e99")
    with pytest.raises(BrowserFailed, match="That is a file and no page"):
        await browser.act("open", address=str(site / "file"))


async def test_a_page_that_never_ends_its_script_is_told_and_the_next_opens(
    browser: Browser, site: URL
) -> None:
    with pytest.raises(BrowserFailed, match="too busy to be read"):
        await browser.act("open", address=str(site / "loop"))
    assert (await browser.act("open", address=str(site / "elbe"))).title == "Elbe"


async def test_a_page_that_eats_memory_ends_the_browser_and_the_next_opens(
    browser: Browser, site: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MEMORY_MIB", 700)
    with pytest.raises(BrowserFailed, match=r"held more than 700 MiB|crashed"):
        await browser.act("open", address=str(site / "eats"))
    assert (await browser.act("open", address=str(site / "elbe"))).title == "Elbe"


async def test_a_browser_that_was_killed_is_started_anew(browser: Browser, site: URL) -> None:
    await browser.act("open", address=str(site))
    assert browser._process is not None
    os.kill(browser._process.pid, signal.SIGKILL)
    with pytest.raises(BrowserFailed, match="The browser ended"):
        await browser.act("read")
    assert (await browser.act("open", address=str(site))).title == "Start"


async def test_a_browser_that_hangs_is_ended(
    browser: Browser, site: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    await browser.act("open", address=str(site))
    assert browser._process is not None
    os.kill(browser._process.pid, signal.SIGSTOP)
    monkeypatch.setattr(session, "ACT_SECONDS", 0.5)
    # Stopping bubblewrap stops none of what runs in it, so the page drips.
    with pytest.raises(BrowserFailed, match=r"did not answer in 0\.5 s"):
        await browser.act("open", address=str(site / "drips"))


async def test_its_container_shows_neither_files_nor_environment_nor_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "hidden")
    (tmp_path / "proxy").touch()
    bubblewrap, chromium = bubblewrap_path(), browser_path()
    assert missing() == ""
    assert bubblewrap is not None
    assert chromium is not None
    command = browser_command(bubblewrap, chromium, tmp_path / "proxy")
    start = command.index("--")
    look = (
        "import os, socket; print(sorted(os.environ), os.listdir('/tmp'),"
        f"os.path.exists({str(Path.cwd())!r}), os.path.exists('/etc/passwd'));"
        "print([name for _, name in socket.if_nameindex()])"
    )
    shown = [*command[: start + 2], "-c", look]
    process = await asyncio.create_subprocess_exec(*shown, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    environment, network = said.decode().splitlines()
    assert environment == "['LC_CTYPE', 'PATH', 'PWD'] [] False False"
    assert network == "['lo']"


async def test_a_system_that_gives_no_socket_or_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (deep := tmp_path / ("x" * 100)).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    async with Browser() as browser:
        with pytest.raises(BrowserFailed, match="does not start: AF_UNIX path too long"):
            await browser.act("read")
    assert list(deep.iterdir()) == []


async def test_none_stays_that_is_ended_while_it_starts(folder: Path) -> None:
    for number in range(20):
        browser = Browser()
        starting = asyncio.create_task(browser.start())
        await asyncio.sleep(0.002 * number)
        starting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await starting
        await asyncio.wait_for(browser.close(), 10)
    assert left_over(folder) == []


async def test_without_chromium_it_says_what_is_missing(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STUDIO_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BrowserFailed, match="Install the system's package chromium"):
        await browser.act("read")
