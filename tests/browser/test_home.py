"""The home: what runs now, what waits for somebody, and what to do next."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.learning import draft
from tests.browser.looks import picture
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

NOTHING = {"next": None, "previous": None, "results": []}


def test_it_leads_to_what_waits_for_me_and_to_what_comes_next(
    visit: Visit, studio: VisitedStudio
) -> None:
    design = studio.post("/api/designs", {"name": "Held", "draft": draft("ab", "ab")})["id"]
    body = {"query": "What is held here?", "method": "design", "design": design}
    run_id = studio.post("/api/runs", {**body, "breakpoints": ["b"]})["id"]
    studio.wait(run_id, "waiting", seconds=60)
    page = visit("curator", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/")
    waiting = page.get_by_role("listitem").filter(has_text="It waits for you")
    waiting.get_by_role("link", name="What is held here?").click()
    expect(page).to_have_url(re.compile(f"/runs/{run_id}"))
    expect(page.get_by_role("button", name="Next agent")).to_be_visible()
    studio.request("POST", f"/api/runs/{run_id}/cancel")

    stuck = studio.post("/api/runs", {"query": "[stuck] And this?", "method": "direct"})["id"]
    page.goto("/")
    running = page.get_by_role("listitem").filter(has_text="Direct, for")
    expect(running.get_by_role("link", name="[stuck] And this?")).to_be_visible()
    page.screenshot(path=picture("home-running-390"), full_page=True)
    studio.request("POST", f"/api/runs/{stuck}/cancel")
    expect(running).to_have_count(0)

    # Other tests have begun everything there is to begin: here nothing has been trained yet.
    page.route("**/api/training-jobs?page_size=1", lambda route: route.fulfill(json=NOTHING))
    page.goto("/")
    steps = page.get_by_role("heading", name=re.compile(r"First steps: \d of 6"))
    expect(steps).to_be_visible()
    page.get_by_role("link", name="Train a method").click()
    expect(page.get_by_label("Queries per step")).to_be_visible()

    page.goto("/")
    page.get_by_role("button", name="Hide the first steps").click()
    page.reload()
    expect(page.get_by_label("Question", exact=True)).to_be_visible()
    expect(page.get_by_text("Recent runs")).to_be_visible()
    expect(steps).to_have_count(0)


def test_who_only_reads_is_not_told_to_begin_anything(visit: Visit) -> None:
    page = visit("viewer").new_page()
    page.goto("/")
    expect(page.get_by_text("Recent runs")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("First steps"))).to_have_count(0)
