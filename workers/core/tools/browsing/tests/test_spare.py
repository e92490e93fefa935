"""The browser of the next run: started in time, used once, and never left over."""

import asyncio

import pytest

from workers.core.testing.stub_web import Said, site
from workers.core.tools.base import ToolLimits
from workers.core.tools.browsing import spare
from workers.core.tools.browsing.session import Browser, BrowserFailed
from workers.core.tools.browsing.spare import Browsers
from workers.core.tools.settings import ToolSettings
from workers.core.tools.toolbox import Toolbox


class Quick(Browser):
    """Starts without Chromium."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.ended, self.fails = asyncio.Event(), False, False

    async def start(self) -> None:
        self.began.set()
        await asyncio.sleep(0.01)
        if self.fails:
            raise BrowserFailed("There is no browser here.")

    async def close(self) -> None:
        self.ended = True


class Made:
    def __init__(self) -> None:
        self.all: list[Quick] = []

    def __call__(self) -> Quick:
        self.all.append(Quick())
        return self.all[-1]


async def test_the_next_run_takes_the_one_that_waits_and_no_other_does() -> None:
    browsers = Browsers(made := Made(), spare=True)
    first = await browsers.taken()
    assert made.all == [first]
    assert not made.all[0].began.is_set(), "it starts at its first use"
    browsers.prepare()
    browsers.prepare()
    second, third = await browsers.taken(), await browsers.taken()
    assert made.all == [first, second, third]
    assert [each.began.is_set() for each in made.all] == [False, True, False]
    await browsers.close()
    assert not any(each.ended for each in made.all), "what was taken is its run's to end"


async def test_without_a_spare_none_waits() -> None:
    browsers = Browsers(made := Made())
    browsers.prepare()
    assert made.all == []
    await browsers.close()


@pytest.mark.parametrize("started", [False, True])
async def test_closing_ends_it(started: bool) -> None:
    browsers = Browsers(made := Made(), spare=True)
    browsers.prepare()
    await asyncio.sleep(0.05 if started else 0)  # once round the loop: it is about to start
    await browsers.close()
    assert [each.ended for each in made.all] == [True]


async def test_one_that_nobody_takes_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare, "IDLE_SECONDS", 0.03)
    browsers = Browsers(made := Made(), spare=True)
    browsers.prepare()
    async with asyncio.timeout(5):
        while not (made.all and made.all[0].ended):  # noqa: ASYNC110  the loop calls it
            await asyncio.sleep(0.01)
    assert await browsers.taken() not in made.all[:1]


async def test_one_that_can_not_start_is_tried_again_by_its_run() -> None:
    made = Made()

    def failing() -> Quick:
        browser = made()
        browser.fails = True
        return browser

    browsers = Browsers(failing, spare=True)
    browsers.prepare()
    assert await browsers.taken() is made.all[0]


async def test_a_second_run_opens_pages_in_it() -> None:
    async with site({"/": Said(b"<title>Rivers</title><p>The Elbe")}) as web:
        toolbox = Toolbox(ToolSettings(pages_url=web.url), spare=True)
        try:
            for _ in range(2):
                async with toolbox.opened({}) as tools:
                    asked = {"action": "open", "address": web.url}
                    result = await tools["browser"].run(asked, ToolLimits())
                    assert "The Elbe" in result.output
        finally:
            await toolbox.close()
