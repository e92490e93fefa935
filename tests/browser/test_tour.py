"""The sample run that comes with the pages, and the tour over it."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.run_page import answer, cards

pytestmark = pytest.mark.browser

STEPS = {
    "question": "The question",
    "graph": "The team",
    "replay": "Play it again",
    "why": "Why this agent?",
    "messages": "Every message",
    "costs": "What it cost",
    "actions": "Continue from here",
}
LIT = """name => {
    const [veil, region] = ["[data-veil]", `[data-tour="${name}"]`]
        .map(each => document.querySelector(each)?.getBoundingClientRect())
    if (!veil || !region || region.width === 0) return false
    const foot = Math.min(region.bottom, innerHeight)
    const near = (a, b) => Math.abs(a - b) < 2
    return near(veil.top, Math.max(0, region.top)) && near(veil.left, Math.max(0, region.left))
        && near(veil.right, Math.min(region.right, innerWidth)) && near(veil.bottom, foot)
}"""
"""Whether what is not veiled is just what can be seen of the region."""


def tour(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Tour of this page")


def walk(page: Page) -> None:
    """Through all steps by keyboard, each with its region lit and the card in the window."""
    expect(tour(page).get_by_role("button", name="Next")).to_be_focused()
    size = page.viewport_size
    assert size is not None
    width, height = size["width"], size["height"]
    for name, title in STEPS.items():
        expect(tour(page).get_by_role("heading", name=title)).to_be_visible()
        page.wait_for_function(LIT, arg=name)
        box = tour(page).bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= width - box["width"], (name, box)
        assert 0 <= box["y"] <= height - box["height"], (name, box)
        page.keyboard.press("ArrowRight")
    expect(tour(page)).to_have_count(0)


def test_a_sample_run_is_looked_at_on_a_tour_without_any_model(visit: Visit) -> None:
    page = visit("viewer").new_page()
    page.route("**/api/runs?*", lambda route: route.fulfill(json={"results": [], "next": None}))
    page.goto("/")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.get_by_role("link", name="Look at a sample run").click()
    walk(page)
    expect(page.get_by_role("region", name="Sample run")).to_contain_text("smollm2-135m-instruct")
    expect(answer(page)).to_be_visible()
    expect(page.get_by_role("tab", name="Graph")).to_have_attribute("aria-selected", "true")
    cards(page).nth(1).click()
    expect(page.get_by_role("heading", name="Prompt sent")).to_be_visible()
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)
    expect(page.get_by_role("link", name="Ask this question")).to_have_count(0)
    assert not [path for path in asked if path.startswith(("/api/runs/", "/api/shared"))]

    page.reload()
    expect(answer(page)).to_be_visible()
    expect(tour(page)).to_have_count(0)
    page.get_by_role("button", name="Show the tour").click()
    expect(tour(page).get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Escape")
    expect(tour(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Show the tour")).to_be_focused()
    page.goto("/")
    expect(page.get_by_label("Question", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="Look at a sample run")).to_have_count(0)


def test_reso_has_a_sample_that_needs_no_model_that_plans(visit: Visit) -> None:
    page = visit("viewer").new_page()
    page.goto("/sample/reso")
    banner = page.get_by_role("region", name="Sample run")
    expect(banner).to_contain_text("Qwen2.5-Coder-0.5B-Instruct")
    expect(answer(page)).to_be_visible()
    expect(tour(page)).to_have_count(0)
    banner.get_by_role("link", name="Open a sample of MasHost").click()
    expect(banner).to_contain_text("smollm2-135m-instruct")
    expect(banner.get_by_role("link", name="Open a sample of ReSo")).to_be_visible()


def test_the_tour_fits_a_phone_and_the_question_can_be_asked_anew(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844}).new_page()
    page.goto("/sample")
    walk(page)
    page.get_by_role("link", name="Ask this question").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value(re.compile(r"\w+"))
    expect(page).to_have_url(re.compile(r"/$"))
