"""A run in which an agent sends its message back: the edge that points back, and the revision."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import pictured

pytestmark = pytest.mark.browser

BACK = "Critic sends its message back to Solver"


def test_an_edge_points_back_and_the_revision_says_why(
    visit: Visit, stored: dict[str, str]
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['sent_back']}")
    expect(run_page.cards(page)).to_have_count(5)  # question and answer, too
    edge = page.get_by_label(BACK)
    expect(edge).to_have_count(1)
    expect(edge.locator(".edge-back")).to_have_css("stroke-dasharray", re.compile("6"))
    box = edge.bounding_box()
    stands = page.locator("button[data-node='a2']").bounding_box()
    assert box
    assert stands
    assert box["y"] < stands["y"]  # it passes outside of the cards
    pictured(page, "revision")

    page.locator("button[data-node='a1-2']").click()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_text("Critic sent its message back to this agent")).to_be_visible()
    pictured(page, "revision-panel")

    slider = page.get_by_role("slider", name="Moment of the run")
    slider.press("Home")
    expect(page.get_by_label(BACK)).to_have_count(0)
    slider.press("End")
    expect(page.get_by_label(BACK)).to_have_count(1)
