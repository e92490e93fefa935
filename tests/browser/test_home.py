"""The home leads to what waits for somebody."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.learning import draft
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def test_it_leads_to_what_waits_for_me(visit: Visit, studio: VisitedStudio) -> None:
    design = studio.post("/api/designs", {"name": "Held", "draft": draft("ab", "ab")})["id"]
    body = {"query": "What is held here?", "method": "design", "design": design}
    run_id = studio.post("/api/runs", {**body, "breakpoints": ["b"]})["id"]
    studio.wait(run_id, "waiting", seconds=60)
    page = visit("curator", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/")
    waiting = page.get_by_role("listitem").filter(has_text="Waits for you")
    waiting.get_by_role("link", name="What is held here?").click()
    expect(page).to_have_url(re.compile(f"/runs/{run_id}"))
    expect(page.get_by_role("button", name="Run next agent")).to_be_visible()
    studio.request("POST", f"/api/runs/{run_id}/cancel")
