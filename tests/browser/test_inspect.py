"""A stored run looked into: played again, taken to any moment, and searched."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def bar(page: Page) -> Locator:
    """The controls under the graph, once the whole graph stands."""
    found = page.get_by_role("group", name="Replay")
    expect(found).to_be_visible()
    return found


def moment(page: Page) -> Locator:
    return bar(page).get_by_role("slider", name="Moment of the run")


def agents(page: Page) -> Locator:
    return run_page.cards(page).and_(page.get_by_role("button", name=re.compile("working|done")))


def test_any_moment_is_gone_to_and_linked(
    visit: Visit, studio: VisitedStudio, team_run: str
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{team_run}")
    cards = run_page.cards_of(studio.run(team_run))
    expect(run_page.cards(page)).to_have_count(cards)
    slider = moment(page)
    slider.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^1 of .*The run starts"))
    expect(run_page.cards(page)).to_have_count(1)
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^2 of .*: Add "))
    expect(page).to_have_url(re.compile("moment=2"))
    told = slider.get_attribute("aria-valuetext")
    seen = run_page.cards(page).count()
    assert 1 < seen < cards

    linked = visit("viewer").new_page()
    linked.goto(page.url)
    expect(moment(linked)).to_have_attribute("aria-valuetext", told or "")
    expect(run_page.cards(linked)).to_have_count(seen)
    bar(linked).get_by_role("button", name="Go to the end").click()
    expect(run_page.cards(linked)).to_have_count(cards)
    expect(linked).not_to_have_url(re.compile("moment="))


def test_it_plays_to_the_end_and_can_be_held(
    visit: Visit, studio: VisitedStudio, team_run: str
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{team_run}")
    cards = run_page.cards_of(studio.run(team_run))
    bar(page).get_by_role("button", name="Play again").click()
    expect(run_page.cards(page)).to_have_count(1)
    expect(agents(page).first).to_be_visible()
    page.keyboard.press("Tab")  # to the slider: passing by is no choice of a moment
    page.get_by_role("tab", name="Trace").click()
    before = moment(page).get_attribute("aria-valuetext")
    expect(moment(page)).not_to_have_attribute("aria-valuetext", before or "")
    expect(page).not_to_have_url(re.compile("moment="))
    bar(page).get_by_role("button", name="Pause").click()
    expect(page).to_have_url(re.compile(r"moment=\d+"))
    held = moment(page).get_attribute("aria-valuetext")
    page.wait_for_timeout(1_200)
    assert moment(page).get_attribute("aria-valuetext") == held
    page.get_by_role("tab", name="Graph").click()
    bar(page).get_by_role("button", name="Play from here").click()
    expect(run_page.cards(page)).to_have_count(cards)
    expect(bar(page).get_by_role("button", name="Go to the end")).to_be_disabled()


def test_a_run_under_way_is_watched_and_not_replayed(visit: Visit, studio: VisitedStudio) -> None:
    run_id = studio.ask("[stuck] What is waited for?")
    page = visit("admin").new_page()
    page.goto(f"/runs/{run_id}")
    expect(page.get_by_role("button", name=re.compile("working")).first).to_be_visible()
    expect(page.get_by_role("group", name="Replay")).to_have_count(0)
    page.get_by_role("button", name="Cancel run").click()
    studio.wait(run_id, "cancelled")


def test_words_are_found_in_all_that_was_said(visit: Visit, team_run: str) -> None:
    page = visit("viewer", viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"/runs/{team_run}?tab=trace")
    tree = page.get_by_role("tree")
    rows = tree.get_by_role("treeitem")
    expect(rows.first).to_be_visible()
    before = rows.count()
    search = page.get_by_role("searchbox", name="Search this trace")
    search.fill("NOTHING left to correct")  # far behind what a row shows of a message
    expect(page.get_by_text(re.compile(r"^\d+ places?$"))).to_be_visible()
    expect(tree.locator("mark").first).to_have_text("nothing left to correct")
    hit = rows.filter(has=page.locator("mark")).filter(has_text="Message").first
    hit.click()
    expect(page.get_by_role("dialog").get_by_role("heading", name="Message")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_url("**q=NOTHING+left+to+correct**")
    page.reload()
    expect(search).to_have_value("NOTHING left to correct")
    expect(tree.locator("mark").first).to_have_text("nothing left to correct")
    search.fill("said by nobody")
    expect(page.get_by_text("No matches")).to_be_visible()
    search.press("Escape")
    expect(rows).to_have_count(before)
