"""A task solved stage by stage: plan, workflows, verdicts, changes of the state and sources; at a
desk, on a phone, and by a link for strangers."""

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import Visit
from tests.browser.looks import pictured

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


def card(page: Page, stage: int) -> Locator:
    strip = page.get_by_role("list", name="Stages of the run")
    return strip.get_by_role("button", name=re.compile(rf"^Stage {stage}\b"))


def stage_of(page: Page, stage: int) -> Locator:
    side = page.get_by_role("region", name="Plan and stage")
    return side.get_by_role("region", name=f"Stage {stage}", exact=True)


def test_a_stage_is_read_at_a_desk_and_the_replay_follows(
    visit: Visit, stored: dict[str, str]
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['stages']}")
    expect(page.get_by_text("2 of 2 done")).to_be_visible()
    link = page.get_by_role("link", name="Rhine")
    assert link.get_attribute("href") == "https://rivers.example/wiki/Rhine"
    pictured(page, "stages")

    card(page, 3).focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(card(page, 1)).to_have_attribute("aria-current", "step")
    expect(page).to_have_url(re.compile(r"\?stage=1$"))
    row = page.get_by_role("row", name=re.compile("^Web search 46 % number 1"))
    expect(row).to_be_visible()
    row.get_by_role("cell").first.hover()
    expect(page.get_by_text("Web search, layer 1: 46 %")).to_be_visible()
    told = stage_of(page, 1)
    expect(told.get_by_text("Problem: no line begins with a number and a status.")).to_be_visible()
    told.get_by_role("button", name=re.compile("^Details of Web search")).click()
    beside = page.get_by_role("complementary")
    sources = beside.get_by_role("list", name="Sources of web_search")
    expect(sources.get_by_role("listitem")).to_have_count(3)
    expect(sources.get_by_role("link")).to_have_count(1)  # none to the javascript: address
    pictured(page, "stages-tools")
    beside.get_by_role("button", name="Show stage 1").click()
    expect(told).to_be_visible()

    slider = page.get_by_role("slider", name="Moment of the run")
    slider.press("Home")
    expect(page.get_by_text("There is no stage yet.")).to_be_visible()
    for _ in range(8):
        slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Layer 1 of stage 1"))
    page.get_by_role("tab", name="Trace").click()
    expect(page.get_by_role("treeitem", name=re.compile("^Stage 1"))).to_be_visible()


def test_a_phone_has_the_strip_above_plan_and_stage(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer", viewport=PHONE).new_page()
    page.goto(f"/runs/{stored['stages']}")
    expect(card(page, 3)).to_be_in_viewport()
    card(page, 2).click()
    expect(stage_of(page, 2).get_by_text("dropped")).to_be_visible()
    pictured(page, "stages")
    page.get_by_role("button", name="Details of I/O, round 3").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_text("Its result counts for a subtask.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)


@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE])
def test_twelve_stages_with_long_texts_fit(
    visit: Visit, stored: dict[str, str], viewport: ViewportSize
) -> None:
    page = visit("viewer", viewport=viewport).new_page()
    page.goto(f"/runs/{stored['many_stages']}")
    expect(card(page, 12)).to_be_in_viewport()
    pictured(page, "stages-many")
    card(page, 12).focus()
    page.keyboard.press("Home")
    expect(card(page, 1)).to_be_in_viewport()


def test_strangers_see_the_same(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("admin").new_page()
    page.goto(f"/runs/{stored['stages']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    dialog.get_by_role("button", name="Make link").click()
    address = dialog.get_by_role("listitem").get_by_label("Link 1", exact=True).input_value()
    page = visit(None).new_page()
    page.goto(address)
    expect(page.get_by_role("link", name="Elbe, a river in Central Europe")).to_be_visible()
    card(page, 2).click()
    expect(stage_of(page, 2).get_by_text("Both lengths have a source.")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^Ensemble .* 71 % number 1"))).to_be_visible()
