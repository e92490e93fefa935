"""The browser as a tool: what an agent gives it, and what it is told. Chromium is real."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from workers.core.events import Event
from workers.core.mas.tool_use import Wanted, use_tool
from workers.core.specs import Source
from workers.core.testing.stub_web import Said, site
from workers.core.tools.base import ToolResult
from workers.core.tools.run_tool import ToolBudget
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run
from workers.core.tools.tests.test_challenges import ARTICLE, CLOUDFLARE
from workers.core.tools.toolbox import Toolbox

PAGES = {
    "/": Said(b"<title>Rivers\xe2\x80\xae</title><a href=/long>Long</a><input aria-label=Query>"),
    "/long": Said(b"<title>Long</title>" + b"<p>The Elbe is 1,094 km long. " * 2_000),
}


@asynccontextmanager
async def opened(
    settings: ToolSettings,
) -> AsyncGenerator[Callable[..., Awaitable[ToolResult]]]:
    """The browser of a run, for the agent that is named first."""
    events: list[Event] = []
    toolbox = Toolbox(settings)
    async with toolbox.opened({}) as tools:

        async def browse(agent_id: str, **arguments: Any) -> ToolResult:
            wanted = Wanted("call-1", "browser", arguments)
            browser = (tools["browser"],)
            return await use_tool(wanted, tools=browser, agent_id=agent_id, emit=events.append)

        yield browse
    await toolbox.close()


def ref_of(result: ToolResult, link: str) -> str:
    return result.output.partition(f'link "{link}" [ref=')[2].partition("]")[0]


async def test_an_agent_leads_it_page_by_page() -> None:
    async with site(PAGES) as web, a_run(ToolSettings(pages_url=web.url)) as tools:
        blank = await tools("browser", action="read")
        assert blank.sources == (Source(title="", address="about:blank"),)
        start = await tools("browser", action="open", address=web.url)
        assert start.output.startswith("Title: Rivers\nAddress: /\n\n")
        assert start.sources == (Source(title="Rivers", address="/"),)
        assert start.foreign
        same = await tools("browser", action="read")
        assert same.note == "The page looks as before."
        ref = start.output.partition('link "Long" [ref=')[2].partition("]")[0]
        long = await tools("browser", action="click", ref=ref)
        assert "Ask for part 2" in long.note
        assert long.fetched > 1_000
        second = await tools("browser", action="read", part="2")
        assert second.note.startswith("Part 2 of")
        beyond = await tools("browser", action="read", part=999)
        assert not beyond.ok
        assert "there is no 999" in beyond.output
        typed = await tools("browser", action="type", ref="e99", text="x", enter=True)
        assert "There is no “e99” on the page as it is now" in typed.output
        refused = await tools("browser", action="open", address="http://10.1.2.3/")
        assert "10.1.2.3 is a private address" in refused.output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "action must be one of open, click"),
        ({"action": "fly"}, "action must be one of"),
        ({"action": "open"}, "The action open needs address, as text"),
        ({"action": "click", "ref": 5}, "needs ref, as text"),
        ({"action": "type", "ref": "e1"}, "needs text, as text"),
        ({"action": "read", "part": 0}, "part must be a number from 1"),
        ({"action": "open", "address": "file:///etc/passwd"}, "is not a web address"),
        ({"action": "open", "address": "//[a"}, "has no host"),
        ({"action": "read", "part": 10**400}, "part must be a number from 1"),
    ],
)
async def test_what_it_cannot_do_is_told_without_a_browser(
    arguments: dict[str, object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_CHROMIUM", "/nowhere")
    async with a_run(ToolSettings(pages_url="http://web:8300/corpus")) as tools:
        result = await tools("browser", **arguments)
    assert not result.ok
    assert why in result.output


async def test_a_run_has_so_many_calls_of_it() -> None:
    async with a_run(budget=ToolBudget(calls=1, seconds=60.0)) as tools:
        await tools("browser", action="open", address="file:///a")
        assert "has used its 1 calls" in (await tools("browser", action="read")).output


async def test_each_agent_has_its_own_page() -> None:
    pages = {
        "/a": Said(b"<title>A</title><a href=/elbe>Elbe</a>"),
        "/b": Said(b"<title>B</title><a href=/oder>Oder</a>"),
        "/elbe": Said(b"<title>Elbe</title>"),
        "/oder": Said(b"<title>Oder</title>"),
    }
    async with site(pages) as web, opened(ToolSettings(pages_url=web.url)) as browse:
        first = await browse("ann", action="open", address=f"{web.url}/a")
        second = await browse("ben", action="open", address=f"{web.url}/b")
        clicked = await browse("ann", action="click", ref=ref_of(first, "Elbe"))
        assert clicked.sources == (Source(title="Elbe", address="/elbe"),)
        stayed = await browse("ben", action="read")
        assert (stayed.output, stayed.note) == (second.output, "The page looks as before.")


async def test_an_agent_whose_page_was_closed_is_told() -> None:
    async with site(PAGES) as web, opened(ToolSettings(pages_url=web.url)) as browse:
        for number in range(7):
            assert (await browse(f"a{number}", action="open", address=web.url)).ok
        lost = await browse("a0", action="click", ref="e2")
        assert lost.output.startswith("Your page was closed: 6 other agents browsed since")
        assert (await browse("a6", action="read")).note == "The page looks as before."
        assert (await browse("a0", action="open", address=web.url)).ok
        assert "Your page was closed" in (await browse("a1", action="read")).output


async def test_bytes_of_agents_that_browse_at_once_count_once() -> None:
    page = Said(b"<title>A</title>" + b"x" * 20_000)
    async with site({"/": page}) as web, opened(ToolSettings(pages_url=web.url)) as browse:
        asked = [browse(agent, action="open", address=web.url) for agent in ("ann", "ben")]
        fetched = sum(result.fetched for result in await asyncio.gather(*asked))
        assert 40_000 < fetched < 50_000


async def test_a_check_for_robots_is_no_source() -> None:
    pages = {"/": Said(CLOUDFLARE, 403), "/article": Said(ARTICLE)}
    async with site(pages) as web, a_run(ToolSettings(pages_url=web.url)) as tools:
        check = await tools("browser", action="open", address=web.url)
        assert "takes the studio for a robot and shows a check" in check.output
        assert (check.ok, check.sources) == (False, ())
        assert (await tools("browser", action="open", address=f"{web.url}/article")).ok


async def test_pages_that_come_again_and_again_are_told() -> None:
    pages = {"/a": Said(b"<a href=/b>A"), "/b": Said(b"<a href=/a>B")}
    async with site(pages) as web, opened(ToolSettings(pages_url=web.url)) as browse:
        to_and_fro = [
            (await browse("ann", action="open", address=f"{web.url}/{page}")).note
            for page in "ababa"
        ]
        other = await browse("ben", action="open", address=f"{web.url}/a")
    once = "You saw this before, and it has not changed."
    twice = "You saw this 2 times before, and it has not changed."
    assert to_and_fro == ["", "", once, once, twice]
    assert other.note == ""
