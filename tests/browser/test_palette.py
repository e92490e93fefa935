"""The command palette: everything that can be done, by its name."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.designer import drawn, edges, node, opened
from tests.browser.learning import draft
from tests.browser.looks import AXE, violations
from tests.browser.run_page import RUN_ADDRESS
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def palette(page: Page) -> Locator:
    page.keyboard.press("Control+k")
    dialog = page.get_by_role("dialog", name="Commands")
    expect(dialog).to_be_visible()
    return dialog


def test_it_leads_anywhere_by_keys_alone(page: Page, team_run: str) -> None:
    page.goto("/endpoints")
    expect(page.get_by_role("article").first).to_be_visible()
    dialog = palette(page)
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    page.keyboard.type("new eval")
    expect(dialog.get_by_role("menuitem")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/evaluations/new")
    expect(dialog).to_have_count(0)

    palette(page)
    page.keyboard.type("baker asks")
    runs = page.get_by_role("group", name="Runs")
    item = runs.get_by_role("menuitem", name="A baker asks").first
    question = item.inner_text().splitlines()[0]
    page.mouse.move(4, 4)
    page.mouse.move(10, 10)  # Until the pointer has moved, it only lies there: see below.
    item.click()
    page.wait_for_url(RUN_ADDRESS)
    expect(page.get_by_role("main").get_by_text(question).first).to_be_visible()


def test_keys_and_a_pointer_that_lies_there_choose_nothing(page: Page) -> None:
    """“g” and then a letter leads somewhere only from the page itself."""
    page.goto("/endpoints")
    expect(page.get_by_role("article").first).to_be_visible()
    page.keyboard.press("g")
    dialog = palette(page)
    box = dialog.get_by_role("menuitem").nth(3).bounding_box()
    assert box
    # React Aria hands a key on to the item it has chosen: there is to be one.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("r")
    expect(dialog.get_by_role("searchbox")).to_have_value("r")
    expect(dialog.get_by_role("menuitem", name="Runs")).to_be_visible()
    expect(page).to_have_url(re.compile("/endpoints$"))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    palette(page)
    page.keyboard.type("new eval")
    expect(dialog.get_by_role("menuitem")).to_have_count(1)
    for _ in "new eval":
        page.keyboard.press("Backspace")
    expect(dialog.get_by_role("menuitem").nth(3)).to_be_visible()
    under = page.locator("[data-focused], [data-hovered]").and_(page.get_by_role("menuitem"))
    expect(under).to_have_count(0)
    page.mouse.move(x + 4, y)
    page.mouse.move(x, y + 2)
    expect(under).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.type("gr")
    page.wait_for_url("**/runs")


def test_nothing_found_and_escape(page: Page) -> None:
    page.goto("/runs")
    search = page.get_by_role("banner").get_by_role("button", name="Search", exact=True)
    search.click()
    dialog = page.get_by_role("dialog", name="Commands")
    expect(dialog).to_be_visible()
    page.keyboard.type("zzzz")
    expect(dialog.get_by_text("No matches")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(search).to_be_focused()


def test_a_phone_has_it_among_the_places(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844}).new_page()
    page.goto("/endpoints")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name="Search").click()
    expect(page.get_by_role("dialog", name="Commands")).to_be_visible()


def test_a_page_says_its_own_commands(page: Page, visit: Visit, studio: VisitedStudio) -> None:
    address = drawn(studio, "By name", draft("abc", "ab bc"))
    opened(page, address)
    node(page, "Agent B").click()
    palette(page)
    page.keyboard.type("remove")
    page.keyboard.press("Enter")
    expect(node(page, "Agent B")).to_have_count(0)
    expect(edges(page)).to_have_count(0)
    palette(page)
    page.keyboard.type("undo")
    page.keyboard.press("Enter")
    expect(edges(page)).to_have_count(2)

    viewer = visit("viewer").new_page()
    opened(viewer, address)
    dialog = palette(viewer)
    expect(dialog.get_by_role("menuitem", name="Undo")).to_have_count(0)
    expect(dialog.get_by_role("menuitem", name="New training")).to_have_count(0)
    expect(dialog.get_by_role("menuitem", name="Fit view")).to_be_visible()
