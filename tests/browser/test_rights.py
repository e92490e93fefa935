"""What each group can do, as the page shows it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser


def test_a_viewer_reads_and_is_told_why_not_to_ask(visit: Visit, team_run: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/")
    page.get_by_label("Question", exact=True).fill("May I ask?")
    expect(page.get_by_text("Your account can read runs but not start them")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.goto(f"/runs/{team_run}")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Run again")).to_have_count(0)


def test_an_operator_may_ask_but_not_curate(visit: Visit) -> None:
    page = visit("operator").new_page()
    page.goto("/")
    page.get_by_label("Question", exact=True).fill("May I ask?")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    page.goto("/endpoints")
    expect(page.get_by_role("article").first).to_be_visible()
    for button in ("Add endpoint", "Test connection", "Edit", "Delete", "History"):
        expect(page.get_by_role("button", name=button)).to_have_count(0)


def test_a_curator_adds_an_endpoint(visit: Visit) -> None:
    page = visit("curator").new_page()
    page.goto("/endpoints")
    expect(page.get_by_role("button", name="Add endpoint")).to_be_enabled()
    page.get_by_role("button", name="History of").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("added it").first).to_be_visible()
    expect(dialog.get_by_text("Calls at once").first).to_be_visible()
    page.reload()
    expect(dialog.get_by_text("added it").first).to_be_visible()
