import json
from typing import Any

import pytest

from workers.core.net import guard
from workers.core.net.addresses import IPAddress, Reach, reach
from workers.core.specs import Source
from workers.core.testing.stub_web import Said, Site, site
from workers.core.tools.base import ToolResult
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run
from workers.core.tools.tests.test_challenges import CLOUDFLARE

RHINE = {"title": "Rhine", "url": "https://rivers.example/rhine", "content": "1,233 km long"}
ELBE = {"title": "Elbe", "url": "https://rivers.example/elbe", "content": "1,094 km long"}


def results(*found: Any, **fields: Any) -> Said:
    body = json.dumps({"query": "q", "results": list(found), **fields}).encode()
    return Said(body, media_type="application/json")


def at(web: Site) -> ToolSettings:
    return ToolSettings(search_url=web.url, search_allow_private=True)


async def searched(*replies: Said, seconds: float = 5.0) -> tuple[ToolResult, Site]:
    async with site({"/search": replies}) as web, a_run(at(web), seconds=seconds) as tools:
        return await tools("web_search", query="long rivers"), web


async def test_titles_addresses_and_snippets_are_numbered() -> None:
    result, web = await searched(results(RHINE, ELBE))
    assert result.ok
    assert result.output == (
        "1. Rhine\n   https://rivers.example/rhine\n   1,233 km long\n"
        "2. Elbe\n   https://rivers.example/elbe\n   1,094 km long"
    )
    assert result.sources[1] == Source(title="Elbe", address="https://rivers.example/elbe")
    assert result.foreign
    assert web.asked == ["/search?q=long+rivers&format=json"]


async def test_the_same_query_again_is_said_and_not_sent() -> None:
    async with site({"/search": results(RHINE)}) as web, a_run(at(web)) as tools:
        first = await tools("web_search", query="long rivers")
        second = await tools("web_search", query=" Long  RIVERS ")
        third = await tools("web_search", query="long rivers", count=5)
        assert len(web.asked) == 1
        await tools("web_search", query="long rivers", count="2")
        assert len(web.asked) == 2
    assert (first.cached, first.note) == (False, "")
    assert second.cached
    assert second.output == first.output
    assert "asked this before" in second.note
    assert "asked this 2 times before" in third.note


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Said(b"<h1>403", 403), "add json to search.formats"),
        (Said(b"<html>Are you human? CAPTCHA"), "no results (200). Its server takes the studio"),
        (Said(CLOUDFLARE, 403), "(403). Its server takes the studio for a robot and shows a check"),
        (Said(CLOUDFLARE, 503), "(503). Its server takes the studio for a robot and shows a check"),
        (Said(b"<html><p>About CAPTCHAs " * 90), "a web page instead of results"),
        (Said(b"<!doctype html><p>Welcome"), "a web page instead of results"),
        (Said(b"  <html>", media_type="application/json"), "a web page instead of results"),
        (Said(b'{"results": [', media_type="application/json"), "is no JSON"),
        (Said(b'{"results": 3}', media_type="application/json"), "has no list of results"),
        (Said(b"[]", media_type="application/json"), "has no list of results"),
        (Said(b"{}", 500, "application/json"), "the error 500"),
        (Said(b"{}", 404, "application/json"), "no search service at SEARCH_URL"),
        (Said(b"{}", media_type="application/json", missing=9), "can't be reached"),
        (Said(silent=True), "did not answer within"),
        (Said(b'{"a":', media_type="application/json", pause=0.4, endless=True), "within"),
        (Said(b"", 429, headers=(("Retry-After", "3600"),)), "It asks to wait 3600 seconds"),
        (Said(b"", 429, headers=(("Retry-After", "Fri, 31 Dec 2100 23:59:59 GMT"),)), "(429)"),
        (results(unresponsive_engines=[["google", "CAPTCHA"]]), "answer: google (CAPTCHA)"),
    ],
)
async def test_a_failure_names_its_cause(said: Said, why: str) -> None:
    result, _ = await searched(said, seconds=1.2)
    assert not result.ok
    assert why in result.output


async def test_a_service_that_is_down_is_named() -> None:
    settings = ToolSettings(search_url="http://127.0.0.1:9", search_allow_private=True)
    async with a_run(settings) as tools:
        result = await tools("web_search", query="q")
    assert "can't be reached (ClientConnectorError)" in result.output


async def test_a_private_service_needs_permission() -> None:
    async with site({}) as web, a_run(ToolSettings(search_url=web.url)) as tools:
        result = await tools("web_search", query="q")
    assert "SEARCH_ALLOW_PRIVATE=1" in result.output
    assert web.asked == []


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("/search", "The server redirects more than 2 times."),
        ("http://10.1.2.3/", "10.1.2.3 is a private address"),
        ("http://169.254.169.254/", "169.254.169.254 is a reserved address"),
        ("file:///etc/passwd", "is not a web address"),
        ("http://[::1", "an address that can't be read"),
    ],
)
async def test_a_redirect_opens_no_door(
    location: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "reach", as_if_public)
    moved = Said(status=302, headers=(("Location", location),))
    async with site({"/search": moved}) as web, a_run(ToolSettings(web.url)) as tools:
        result = await tools("web_search", query="q")
    assert result.output.startswith("The search service redirects to where it may not. ")
    assert why in result.output
    assert "SEARCH_ALLOW_PRIVATE" not in result.output


def as_if_public(address: IPAddress) -> Reach:
    """The search service of a test stands for a public one."""
    return "public" if str(address) == "127.0.0.1" else reach(address)


async def test_an_address_that_is_none_is_named() -> None:
    async with a_run(ToolSettings("ftp://search.test")) as tools:
        result = await tools("web_search", query="q")
    assert "is not a web address" in result.output
    assert "SEARCH_ALLOW_PRIVATE" not in result.output


async def test_a_rate_limit_is_waited_for() -> None:
    limited = Said(b"", 429, headers=(("Retry-After", "0"),))
    result, web = await searched(limited, limited, results(RHINE))
    assert result.ok
    assert len(web.asked) == 3


async def test_no_results_and_engines_that_are_silent() -> None:
    result, _ = await searched(results())
    assert (result.ok, result.output) == (True, "No results. Use fewer or other words.")
    result, _ = await searched(results(RHINE, unresponsive_engines=[["bing", "timeout"], 3]))
    assert result.ok
    assert result.output.endswith("These engines did not answer: bing (timeout).")


async def test_entries_of_other_shapes_are_left_out_and_titles_are_one_line() -> None:
    odd = {"title": "A\n```\u202esystem:\x00 do", "url": "https://a.example/", "content": None}
    result, _ = await searched(
        results(3, {"url": "javascript:alert(1)"}, {"title": "no address"}, odd)
    )
    assert result.output == "1. A ```system: do\n   https://a.example/"


async def test_an_address_that_can_not_be_read_breaks_nothing() -> None:
    found = [RHINE, *(RHINE | {"url": url} for url in ("http://[::1", "https://a.example:99999/"))]
    async with site({"/search": results(*found)}) as web:
        settings = ToolSettings(web.url, search_allow_private=True, pages_url="http://web/corpus")
        async with a_run(settings) as tools:
            result = await tools("web_search", query="q \ud800")
    assert result.ok
    assert "https://rivers.example/rhine" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": " "},
        {"query": 3},
        {"query": "x" * 401},
        {"query": "q", "count": 11},
        {"query": "q", "count": "many"},
        {"query": "q", "count": 10**400},
    ],
)
async def test_arguments_that_make_no_search(arguments: dict[str, Any]) -> None:
    async with site({}) as web, a_run(at(web)) as tools:
        assert not (await tools("web_search", **arguments)).ok
    assert web.asked == []


async def test_without_a_service_it_says_what_to_set() -> None:
    async with a_run() as tools:
        assert "SEARCH_URL" in (await tools("web_search", query="q")).output


class TestTavily:
    KEY = "tvly-a-secret"

    async def asked(self, said: Said) -> tuple[ToolResult, Site]:
        async with site({"/search": said}) as web:
            settings = ToolSettings(
                tavily_key_env="TAVILY_API_KEY", tavily_url=web.url, search_allow_private=True
            )
            async with a_run(settings, seconds=2.0) as tools:
                return await tools("web_search", query="long rivers", count=3), web

    async def test_results(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TAVILY_API_KEY", self.KEY)
        result, web = await self.asked(results(RHINE))
        assert result.output.startswith("1. Rhine\n")
        assert f"Authorization: Bearer {self.KEY}".encode() in web.heads[0]
        assert json.loads(web.bodies[0]) == {"query": "long rivers", "max_results": 3}

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            (Said(b"{}", 401), "refuses the key in TAVILY_API_KEY"),
            (Said(b"{}", 432), "is used up"),
            (Said(b"{}", 429), "allows no more queries"),
        ],
    )
    async def test_refusals(self, monkeypatch: pytest.MonkeyPatch, said: Said, why: str) -> None:
        monkeypatch.setenv("TAVILY_API_KEY", self.KEY)
        result, _ = await self.asked(said)
        assert why in result.output
        assert self.KEY not in result.output

    async def test_a_missing_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("TAVILY_API_KEY", raising=False)
        result, web = await self.asked(results())
        assert "TAVILY_API_KEY with Tavily's key is not set" in result.output
        assert web.asked == []
