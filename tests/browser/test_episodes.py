"""A run that plays an episode: its board beside what the agents said; at a desk and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import pictured

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}


def told(page: Page) -> None:
    expect(page.get_by_text("Solved in turn 2")).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile("The player is at row 3, column 4"))
    ).to_be_visible()
    expect(page.get_by_text("Solved with 4 moves.").first).to_be_visible()


def test_a_turn_is_read_and_the_replay_follows(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['episode']}")
    told(page)
    pictured(page, "episode")
    page.get_by_role("button", name="Previous turn").click()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_text("The proposal hits it.")).to_be_visible()
    expect(beside.get_by_text("Move 2 (right) was blocked. 1 of 2 moves was made.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?turn=1$"))
    beside.get_by_role("button", name="Details of Planner").click()
    expect(beside.get_by_role("heading", name="Prompt sent")).to_be_visible()
    beside.get_by_role("button", name="Show turn 1").click()
    expect(beside.get_by_text("The proposal hits it.")).to_be_visible()


def test_on_a_phone_the_board_stands_above_its_turns(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer", viewport=PHONE).new_page()
    page.goto(f"/runs/{stored['episode']}")
    told(page)
    pictured(page, "episode")
    page.get_by_role("button", name=re.compile("^Turn 1")).click()
    expect(page.get_by_text("The proposal hits it.")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
