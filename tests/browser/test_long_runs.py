"""Runs of many agents, of several attempts, and of several rounds, at a desk and on a phone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import pictured

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
MOST_DRAWN = 120
"""Rows of a list: those in view and some around them, of thousands."""


def opened(visit: Visit, address: str, **options: Any) -> Page:
    page = visit("operator", **options).new_page()
    page.goto(address)
    return page


def width(of: Locator) -> float:
    box = of.bounding_box()
    assert box is not None
    return box["width"]


def rows(page: Page) -> Locator:
    return page.get_by_role("tree").get_by_role("treeitem")


def now(page: Page) -> Locator:
    return page.locator("[role=treeitem][aria-current=step]")


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE])
def test_of_a_long_trace_only_rows_in_view_are_drawn(
    visit: Visit, stored: dict[str, str], viewport: ViewportSize
) -> None:
    page = opened(visit, f"/runs/{stored['long']}?tab=trace", viewport=viewport)
    page.get_by_role("button", name="Expand all").click()
    expect(rows(page).first).to_be_visible()
    assert int(rows(page).first.get_attribute("aria-setsize") or 0) == 1
    assert 10 < rows(page).count() < MOST_DRAWN
    rows(page).first.press("End")
    expect(page.locator("[role=treeitem]:focus")).to_contain_text("Judged right")
    assert rows(page).count() < MOST_DRAWN
    page.get_by_role("tab", name="Timeline").click()
    bars = page.get_by_role("toolbar", name="Timeline").get_by_role("button")
    expect(bars.first).to_be_visible()
    assert 10 < bars.count() < MOST_DRAWN
    pictured(page, "long-timeline")


def test_hundreds_of_agents_fit_into_the_view(visit: Visit, stored: dict[str, str]) -> None:
    page = opened(visit, f"/runs/{stored['long']}", viewport=PHONE)
    expect(run_page.cards(page)).to_have_count(202)
    page.get_by_role("button", name="Fit view").click()
    page.evaluate(run_page.RESTS)
    outside = page.evaluate("""() => {
        const frame = document.querySelector('.react-flow').getBoundingClientRect()
        return [...document.querySelectorAll('.react-flow__node')].filter((node) => {
            const box = node.getBoundingClientRect()
            return box.left < frame.left || box.right > frame.right
                || box.top < frame.top || box.bottom > frame.bottom
        }).length
    }""")
    assert outside == 0


def test_on_a_phone_answer_and_search_have_room(visit: Visit, stored: dict[str, str]) -> None:
    page = opened(visit, f"/runs/{stored['twice']}?tab=trace", viewport=PHONE)
    answer = run_page.answer(page)
    expect(answer).to_contain_text("Reference: The second way")
    assert width(answer.get_by_text("The second way, in which")) >= 240
    assert width(page.get_by_role("searchbox", name="Search this trace")) >= 240
    pictured(page, "run-judged")


def test_every_attempt_shows_what_was_said_in_it(visit: Visit, stored: dict[str, str]) -> None:
    page = opened(visit, f"/runs/{stored['twice']}?tab=trace")
    page.get_by_role("button", name="Expand all").click()
    said = rows(page).filter(has_text="Said by a1 in attempt")
    panel = page.get_by_role("complementary")
    said.first.click()
    expect(panel).to_contain_text("Said by a1 in attempt 1")
    expect(panel).to_contain_text("a1 in attempt 1.")
    selected = page.locator("[role=treeitem][aria-selected=true]")
    expect(selected).to_have_count(3)
    expect(page.get_by_text("This is attempt 1 of 2")).to_be_visible()
    expect(page).to_have_url(re.compile("attempt=1"))
    expect(panel.get_by_role("button", name="Edit and continue from here")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Settings")).click()
    pictured(page, "run-attempt")

    linked = opened(visit, page.url.replace("tab=trace", "tab=graph"))
    expect(linked.get_by_role("complementary")).to_contain_text("Said by a1 in attempt 1")
    expect(run_page.cards(linked)).to_have_count(7)  # the question, and no answer
    linked.get_by_role("tab", name="Timeline").click()
    expect(linked.get_by_role("button", name="Attempt 1", pressed=True)).to_be_visible()
    linked.get_by_role("button", name="Attempt 2", exact=True).click()
    expect(linked.get_by_role("complementary")).to_contain_text("Said by a1 in attempt 2")
    expect(linked).not_to_have_url(re.compile("attempt="))
    expect(linked.get_by_text("This is attempt 1 of 2")).to_have_count(0)


def test_trace_and_timeline_follow_the_moment(visit: Visit, stored: dict[str, str]) -> None:
    page = opened(visit, f"/runs/{stored['twice']}?tab=trace&moment=4")
    expect(now(page)).to_be_visible()  # what comes after “Expand all” is closed
    page.get_by_role("button", name="Expand all").click()
    expect(now(page)).to_contain_text("Said by a1 in attempt 2")
    later = page.locator("[role=treeitem][data-later]")
    expect(later.first).to_contain_text("Debater 2")
    pictured(page, "run-moment-trace")
    rows(page).filter(has_text="Said by a3 in attempt 2").click()
    expect(page).to_have_url(re.compile(r"moment=8(&|$)"))
    expect(now(page)).to_contain_text("Said by a3 in attempt 2")
    page.get_by_role("tab", name="Timeline").click()
    bars = page.get_by_role("toolbar", name="Timeline").get_by_role("button")
    expect(bars).to_have_count(6)
    expect(page.get_by_role("toolbar", name="Timeline").locator("[data-later]")).to_have_count(3)
    expect(page.locator("[data-now]").first).to_be_visible()
    pictured(page, "run-moment-timeline")
    bars.nth(4).click()
    expect(page).to_have_url(re.compile(r"moment=11(&|$)"))
    page.get_by_role("button", name="Go to the end").click()
    expect(page.locator("[data-now]")).to_have_count(0)


def test_every_action_is_told_with_its_probability(visit: Visit, stored: dict[str, str]) -> None:
    page = opened(visit, f"/runs/{stored['long']}?agent=a2")
    panel = page.get_by_role("complementary")
    every = panel.get_by_role("button", name=re.compile(r"^Show all \d+ actions$"))
    count = int(re.sub(r"\D", "", every.inner_text()))
    every.click()
    actions = panel.get_by_role("group", name="Probabilities of actions")
    expect(actions.get_by_text(re.compile(r"\d\s?%$"))).to_have_count(count)
    expect(actions).to_contain_text("Exit")
    actions.scroll_into_view_if_needed()
    pictured(page, "run-why")
