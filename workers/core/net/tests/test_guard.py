"""Nothing reaches a private address unless it was allowed: by URL, by name, or by redirect."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.net.addresses import reach
from workers.core.net.guard import (
    AddressRefused,
    GuardedResolver,
    check_url,
    guarded_connector,
    guarded_session,
)
from workers.core.net.outbound import OutboundClient

PRIVATE_URLS = [
    "http://127.0.0.1/v1",
    "http://127.9.9.9:8080",
    "http://10.0.0.1",
    "http://172.31.255.1",
    "http://192.168.1.1",
    "http://100.64.0.1",
    "http://0.0.0.0:8000",
    "http://[::1]:9000",
    "http://[::]",
    "http://[fd12::1]",
    "http://[::ffff:127.0.0.1]",
    "http://[::ffff:7f00:1]",
    "http://[::ffff:10.0.0.1]",
    "http://[::127.0.0.1]",
    "http://[2002:7f00:1::]",
    "http://[64:ff9b::127.0.0.1]",
    "http://localhost:8000",
    "http://localhost.",
    "http://LOCALHOST",
    "http://api.localhost",
    "http://①②⑦.0.0.1",
]
FORBIDDEN_URLS = [
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]",
    "http://[fd00:ec2::254]",
    "http://100.100.100.200",
    "http://168.63.129.16",
    "http://224.0.0.1",
    "http://240.0.0.1",
    "http://255.255.255.255",
    "http://0.1.2.3",
    "http://192.0.2.1",
    "http://[fe80::1]",
    "http://[fe80::1%25eth0]",
    "http://[ff02::1]",
    "http://[2001:db8::1]",
]
DISGUISED = ["2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "017700000001"]
MALFORMED = [
    "",
    "example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "gopher://127.0.0.1",
    "http://",
    "http:///v1",
    "http://user@example.com",
    "http://user:secret@example.com",
    "http://exa mple.com",
    "http://example.com\n.evil.org",
    "http://example.com:99999",
    "http://[::1",
    "http://" + "a" * 5_000,
]


@pytest.mark.parametrize("url", PRIVATE_URLS)
def test_a_private_address_needs_permission(url: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        check_url(url)
    assert "private address" in refused.value.message
    assert "curator" in refused.value.remedy
    check_url(url, allow_private=True)


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
def test_some_addresses_are_never_allowed(url: str) -> None:
    with pytest.raises(AddressRefused, match="reserved address"):
        check_url(url, allow_private=True)


@pytest.mark.parametrize("host", DISGUISED)
def test_an_address_in_disguise_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused):
        check_url(f"http://{host}:8000/v1")


@pytest.mark.parametrize("url", MALFORMED)
def test_what_is_not_a_web_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        check_url(url, allow_private=True)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize(
    "url", ["https://api.openai.com/v1", "http://8.8.8.8:8000", "http://[2606:4700::1111]/v1"]
)
def test_a_public_address_is_fine(url: str) -> None:
    assert str(check_url(url)) == url


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_judged_by_what_it_carries(address: ipaddress.IPv4Address) -> None:
    for carrier in (f"::ffff:{address}", f"64:ff9b::{address}"):
        assert reach(ipaddress.ip_address(carrier)) == reach(address)


@settings(deadline=None)
@given(st.ip_addresses())
def test_public_is_at_most_what_the_standard_library_calls_global(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if reach(address) == "public" and address.version == 4:
        assert address.is_global


class Names(AbstractResolver):
    """Answers with the next list of addresses at every look-up, as a rebinding server does."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        addresses = self.answers.pop(0)
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0
            )
            for address in addresses
        ]

    async def close(self) -> None: ...


@pytest.fixture
async def server() -> AsyncIterator[str]:
    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/loop":
            return web.Response(status=302, headers={"Location": "/loop"})
        if request.path == "/to":
            return web.Response(status=307, headers={"Location": request.query["url"]})
        if request.path == "/seen":
            return web.json_response(dict(request.headers))
        return web.Response(text="inside " * 100)

    runner = web.ServerRunner(web.Server(handle))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_the_connector_refuses_a_literal_address_by_itself(server: str) -> None:
    async with guarded_session(allow_private=False) as session:
        with pytest.raises(AddressRefused):
            await session.get(server)


@pytest.mark.parametrize("host", [*DISGUISED, "localhost", "localhost.", "[::ffff:127.0.0.1]"])
async def test_the_connector_lets_no_spelling_through(server: str, host: str) -> None:
    port = server.rpartition(":")[2]
    async with guarded_session(allow_private=False) as session:
        with pytest.raises((AddressRefused, aiohttp.ClientError)):
            await session.get(f"http://{host}:{port}")


async def test_a_redirect_that_aiohttp_follows_is_checked_too(server: str) -> None:
    port = server.rpartition(":")[2]
    async with guarded_session(allow_private=True, names=Names(["127.0.0.1"])) as session:
        with pytest.raises(AddressRefused):
            await session.get(f"http://my.test:{port}/to?url=http://169.254.169.254/latest")


async def test_a_name_with_one_private_address_is_refused() -> None:
    resolver = GuardedResolver(allow_private=False, inner=Names(["8.8.8.8", "10.0.0.1"]))
    with pytest.raises(AddressRefused):
        await resolver.resolve("mixed.test")


async def test_of_a_name_that_is_refused_the_address_is_not_told() -> None:
    """It would tell strangers what the network inside looks like."""
    resolver = GuardedResolver(allow_private=False, inner=Names(["10.2.3.4"]))
    with pytest.raises(AddressRefused) as refused:
        await resolver.resolve("postgres.internal")
    assert "“postgres.internal” has a private address" in refused.value.message
    assert "10.2.3.4" not in refused.value.message + refused.value.remedy


async def test_a_name_that_turns_private_is_refused_at_connect(server: str) -> None:
    """Rebinding past the resolver's check: the socket is still only made for an address checked."""
    connector = guarded_connector(allow_private=False)
    connector._resolver = Names(["127.0.0.1"])
    async with aiohttp.ClientSession(connector=connector) as session:
        with pytest.raises(AddressRefused):
            await session.get(f"http://rebind.test:{server.rpartition(':')[2]}")


async def test_a_permitted_private_server_answers(server: str) -> None:
    async with OutboundClient(allow_private=True) as client:
        fetched = await client.request("GET", server, max_bytes=10)
    assert (fetched.status, fetched.body, fetched.truncated) == (200, b"inside ins", True)


async def test_a_body_that_nobody_wants_is_not_waited_for() -> None:
    async def never_ends(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=202)
        await response.prepare(request)
        await asyncio.sleep(30)
        return response

    application = web.Application()
    application.router.add_post("/", never_ends)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        async with OutboundClient(allow_private=True, seconds=5) as client:
            fetched = await client.request("POST", f"{site.name}/", data=b"{}", max_bytes=0)
    finally:
        await runner.cleanup()
    assert (fetched.status, fetched.body, fetched.truncated) == (202, b"", True)


async def test_redirects_are_the_answer_unless_followed(server: str) -> None:
    async with OutboundClient(allow_private=True) as client:
        seen = await client.request("GET", f"{server}/to?url=/page")
        assert (seen.status, seen.location) == (307, "/page")
        followed = await client.request("GET", f"{server}/to?url=/page", follow=1)
        assert followed.url == f"{server}/page"
        with pytest.raises(AddressRefused, match="redirects more than 3 times"):
            await client.request("GET", f"{server}/loop", follow=3)


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/", "file:///etc/passwd", "http://2130706433/", "http://u:p@a.test/"],
)
async def test_a_redirect_to_a_refused_address_is_refused(server: str, target: str) -> None:
    async with OutboundClient(allow_private=True) as client:
        with pytest.raises(AddressRefused):
            await client.request("GET", f"{server}/to?url={target}", follow=2)


async def test_secret_headers_stay_with_their_origin(server: str) -> None:
    headers = {"Authorization": "Bearer secret", "X-Other": "kept"}
    elsewhere = server.replace("127.0.0.1", "localhost") + "/seen"
    async with OutboundClient(allow_private=True) as client:
        same, other = [
            await client.request("GET", f"{server}/to?url={url}", headers=headers, follow=1)
            for url in (f"{server}/seen", elsewhere)
        ]
    assert b"secret" in same.body
    assert b"secret" not in other.body
    assert b"kept" in other.body


async def test_a_proxy_in_the_environment_is_not_used(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with OutboundClient(allow_private=True) as client:
        assert (await client.request("GET", server)).status == 200


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("fec0::1", "private"),
        ("64:ff9b:1:7f00:0:100:808:808", "forbidden"),
        ("fd00:ec2::23", "forbidden"),
        ("169.254.170.23", "forbidden"),
        ("64:ff9b::808:808", "public"),
    ],
)
def test_site_local_translated_and_metadata_addresses(address: str, where: str) -> None:
    assert reach(ipaddress.ip_address(address)) == where
