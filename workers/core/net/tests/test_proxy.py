"""What goes through the proxy is checked, whatever asks for it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from yarl import URL

from workers.core.net.proxy import GuardedProxy
from workers.core.net.tests.test_guard import Names

Ask = Callable[[str], "asyncio.Future[str]"]
PAGE = "inside " * 1_000


@pytest.fixture
async def server() -> AsyncIterator[URL]:
    async def page(request: web.Request) -> web.StreamResponse:
        if request.path == "/told":
            return web.json_response({**request.headers, "body": await request.text()})
        if request.path == "/away":
            raise web.HTTPFound("http://169.254.169.254/latest/meta-data")
        return web.Response(text=PAGE)

    application = web.Application()
    application.router.add_route("*", "/{path:.*}", page)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield URL.build(scheme="http", host="127.0.0.1", port=runner.addresses[0][1])
    await runner.cleanup()


@asynccontextmanager
async def proxy(
    path: Path, own: URL, *, max_bytes: int = 1_000_000, names: Names | None = None
) -> AsyncIterator[GuardedProxy]:
    listening = path / "proxy"
    headers = {"Authorization": "Bearer own"}
    async with GuardedProxy(
        listening, own=str(own), headers=headers, max_bytes=max_bytes, names=names
    ) as made:
        yield made
    assert not listening.exists()


async def asked(path: Path, sent: str) -> str:
    """All that comes back, until the connection ends."""
    reader, writer = await asyncio.open_unix_connection(str(path / "proxy"))
    writer.write(sent.encode("latin-1"))
    await writer.drain()
    async with asyncio.timeout(20):
        answer = await reader.read(-1)
    writer.close()
    return answer.decode("latin-1")


def get(url: URL | str, more: str = "") -> str:
    return f"GET {url} HTTP/1.1\r\nHost: {URL(url).host}\r\n{more}\r\n"


async def test_a_permitted_server_answers_and_the_connection_ends(
    tmp_path: Path, server: URL
) -> None:
    async with proxy(tmp_path, server) as made:
        answer = await asked(tmp_path, get(server / "page", "Proxy-Connection: keep-alive\r\n"))
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200")
    assert "Connection: close" in head
    assert body == PAGE
    assert made.received == len(PAGE)


async def test_a_body_is_sent_on_and_what_is_for_the_proxy_is_not(
    tmp_path: Path, server: URL
) -> None:
    fields = "Host: h\r\nContent-Length: 4\r\nProxy-Authorization: secret\r\nX-Other: kept"
    sent = f"POST {server / 'told'} HTTP/1.1\r\n{fields}\r\n\r\nbody"
    async with proxy(tmp_path, server):
        answer = await asked(tmp_path, sent)
    assert '"body": "body"' in answer
    assert "kept" in answer
    assert "secret" not in answer
    assert "Bearer own" in answer


async def test_a_tunnel_carries_bytes_both_ways(tmp_path: Path) -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await reader.readline()).upper())
        writer.close()

    echo = await asyncio.start_server(shout, "127.0.0.1", 0)
    port = echo.sockets[0].getsockname()[1]
    async with echo, proxy(tmp_path, URL(f"https://127.0.0.1:{port}")):
        answer = await asked(tmp_path, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nhello\n")
    assert answer.startswith("HTTP/1.1 200")
    assert answer.endswith("\r\n\r\nHELLO\n")


@pytest.mark.parametrize(
    "sent",
    [
        get("http://127.0.0.1:9/"),
        get("http://localhost:9/"),
        get("http://[::ffff:127.0.0.1]:9/"),
        get("http://2130706433:9/"),
        get("http://169.254.169.254/latest/meta-data"),
        get("http://user:secret@example.com/"),
        "CONNECT 10.0.0.1:443 HTTP/1.1\r\n\r\n",
        "CONNECT [::1]:443 HTTP/1.1\r\n\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        "GET /relative HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
    ],
)
async def test_everything_else_is_refused(tmp_path: Path, server: URL, sent: str) -> None:
    async with proxy(tmp_path, server):
        answer = await asked(tmp_path, sent)
    assert answer.startswith("HTTP/1.1 403")


async def test_a_name_that_changes_its_answer_is_refused(tmp_path: Path, server: URL) -> None:
    async with proxy(tmp_path, server, names=Names(["127.0.0.1"])) as made:
        answer = await asked(tmp_path, get(f"http://rebinds.test:{server.port}/"))
    assert answer.startswith("HTTP/1.1 403")
    assert "private address" in made.refused["rebinds.test"]


async def test_another_port_of_a_permitted_host_is_refused(tmp_path: Path, server: URL) -> None:
    other = server.with_port(9)
    async with proxy(tmp_path, server):
        assert (await asked(tmp_path, get(other))).startswith("HTTP/1.1 403")


async def test_beside_a_permitted_address_all_else_of_its_server_is_refused(
    tmp_path: Path, server: URL
) -> None:
    async with proxy(tmp_path, server / "pages"):
        assert PAGE in await asked(tmp_path, get(server / "pages" / "one"))
        for other in (server, server / "page", server / "admin"):
            assert (await asked(tmp_path, get(other))).startswith("HTTP/1.1 403")


async def test_it_hands_a_redirect_on_so_that_its_target_comes_back_to_be_checked(
    tmp_path: Path, server: URL
) -> None:
    async with proxy(tmp_path, server):
        answer = await asked(tmp_path, get(server / "away"))
    assert answer.startswith("HTTP/1.1 302")


async def test_after_its_limit_it_connects_to_nothing(tmp_path: Path, server: URL) -> None:
    async with proxy(tmp_path, server, max_bytes=len(PAGE) + 10) as made:
        assert PAGE in await asked(tmp_path, get(server))
        cut = await asked(tmp_path, get(server))
        refused = await asked(tmp_path, get(server))
    assert PAGE not in cut
    assert refused.startswith("HTTP/1.1 403")
    assert "7,010 bytes" in made.refused["127.0.0.1"]


async def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    gone = URL("http://127.0.0.1:9")
    async with proxy(tmp_path, gone):
        assert (await asked(tmp_path, get(gone))).startswith("HTTP/1.1 502")


async def test_a_head_without_an_end_ends_the_connection(tmp_path: Path, server: URL) -> None:
    async with proxy(tmp_path, server):
        assert await asked(tmp_path, "GET " + "x" * 200_000) == ""
        assert PAGE in await asked(tmp_path, get(server))
