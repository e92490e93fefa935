"""The agent database: filled from a pool, asked who would be picked, kept and restored."""

import re

import psycopg
import pytest
from playwright.sync_api import expect

from apps.agents.history import RECORD_REWARD
from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import pictured
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

ROLES = {
    "adder": ("Adder", "Adds prices and amounts of money.", "mathematics"),
    "gardener": ("Gardener", "Knows plants, soil and weather.", "knowledge"),
}


@pytest.fixture(scope="module")
def pool(studio: VisitedStudio) -> str:
    """The name of a published pool of two roles."""
    studio.post("/api/pools", {"key": "shop", "name": "The shop"})
    for key, (name, about, family) in ROLES.items():
        role = {"key": key, "name": name, "family": family, "description": about, "prompt": about}
        studio.post("/api/pools/shop/roles", role)
    studio.post("/api/pools/shop/publish", {})
    return "The shop"


def test_agents_are_filled_in_and_asked_who_would_be_picked(
    visit: Visit, studio: VisitedStudio, pool: str
) -> None:
    page = visit("curator").new_page()
    page.goto("/agents?pool=shop")
    page.get_by_role("button", name="Add agents from a pool").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("Pool$")).click()
    page.get_by_role("option", name=pool).click()
    expect(dialog.get_by_role("status")).to_contain_text("agents")
    dialog.get_by_role("button", name="Add agents", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="Adder").first).to_be_visible()
    agents = studio.get("/api/agents?pool=shop&role=adder")["results"]
    with psycopg.connect(studio.database_url) as database:
        where = {"run_id": None, "job_id": None, "step": None, "position": None}
        for reward in (1.0, 1.0, 0.0):
            values = {"id": agents[0]["id"], "reward": reward, "cost": 0.0, **where}
            database.execute(RECORD_REWARD, values)

    page.get_by_role("tab", name="Search by subtask").click()
    page.get_by_role("textbox", name="Subtask").fill("Add the prices of three tickets.")
    run_page.choose(page, "Pool", pool)
    page.get_by_role("button", name=re.compile("^Settings of the search")).click()
    page.get_by_label("Threshold (V_th)").fill("0.1")
    page.get_by_label("Weight of exploration (c)").fill("0")
    page.get_by_role("button", name="Search agents").click()
    why = r"Adder on .+ would be picked because its role is near .+ earned 0\.667 .+ in 3 tasks"
    expect(page.get_by_role("status").filter(has_text=re.compile(why))).to_be_visible()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Adder")

    page.get_by_role("tab", name="Rewards").click()
    sure = re.compile(r"0\.667 \(0\.208 to 0\.939\)")
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", sure)
    pictured(page, "agents-learned")

    page.get_by_role("button", name="Save a snapshot").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name=re.compile("Pool$")).click()
    page.get_by_role("option", name=pool).click()
    dialog.get_by_role("button", name="Save snapshot", exact=True).click()
    page.wait_for_url(re.compile(r"/training\?tab=checkpoints&find=agents-shop"))
    page.get_by_role("button", name=re.compile("^Actions for agents-shop")).click()
    page.get_by_role("menuitem", name="Live agents").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("row").nth(1)).to_contain_text("0.667 → 0.667")
    dialog.get_by_role("button", name="Restore the live agents").click()
    expect(page.get_by_text("0 agents were changed.")).to_be_visible()
