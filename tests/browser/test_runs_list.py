"""The list of runs: filtered by what runs came to and what people noted, and filters kept."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def noted(studio: VisitedStudio) -> str:
    """The question of a run that somebody has labelled."""
    question = "A baker keeps a list: what do the loaves bring?"
    body = {"query": question, "method": "direct"}
    run = studio.post("/api/runs", body, by="operator")["id"]
    studio.wait(run, "succeeded", seconds=60)
    note = {"label": "keeps a list"}
    studio.request("PUT", f"/api/runs/{run}/annotation", by="operator", json=note)
    return question


def runs(page: Page) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link"))


def test_rarer_filters_stand_behind_one_button(visit: Visit, noted: str, team_run: str) -> None:
    page = visit("viewer", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/runs")
    expect(page.get_by_role("link", name=noted)).to_be_visible()
    page.get_by_role("button", name="More filters").click()
    more = page.get_by_role("dialog", name="More filters")
    more.get_by_role("searchbox", name="Label of a note").fill("Keeps a LIST")
    expect(page).to_have_url(re.compile("label=Keeps"))
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(more).to_have_count(0)
    expect(runs(page)).to_have_count(1)
    expect(page.get_by_role("button", name="More filters")).to_contain_text("1")
    page.get_by_role("button", name="More filters").click()
    run_page.choose(page, "Checkpoint", "mashost-initial")
    page.keyboard.press("Escape")
    expect(page.get_by_text("No run matches these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").first.click()
    expect(page.get_by_role("link", name=noted)).to_be_visible()


def test_filters_are_kept_under_a_name(visit: Visit, noted: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/runs?label=keeps+a+list")
    expect(runs(page)).to_have_count(1)
    page.get_by_role("button", name="Views").click()
    views = page.get_by_role("dialog", name="Views")
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    expect(page.get_by_role("button", name="Kept lists")).to_be_visible()

    page.goto("/runs?status=failed")
    page.get_by_role("button", name="Views").click()
    views.get_by_role("button", name="Kept lists", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs\?label=keeps\+a\+list$"))
    expect(page.get_by_role("link", name=noted)).to_be_visible()
    page.get_by_role("button", name="Kept lists").click()
    views.get_by_role("button", name="Delete view: Kept lists").click()
    expect(views.get_by_role("listitem")).to_have_count(0)
    page.goto("/evaluations")
    page.get_by_role("button", name="Views").click()
    expect(views.get_by_text("Filter the list, then save")).to_be_visible()
