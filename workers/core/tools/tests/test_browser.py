"""The browser as a tool: what an agent gives it, and what it is told. Chromium is real."""

import pytest

from workers.core.specs import Source
from workers.core.testing.stub_web import Said, site
from workers.core.tools.run_tool import ToolBudget
from workers.core.tools.settings import ToolSettings
from workers.core.tools.tests.support import a_run

PAGES = {
    "/": Said(b"<title>Rivers\xe2\x80\xae</title><a href=/long>Long</a><input aria-label=Query>"),
    "/long": Said(b"<title>Long</title>" + b"<p>The Elbe is 1,094 km long. " * 2_000),
}


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
