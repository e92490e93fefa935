"""What the pages leave to the admin, in a browser that enforces our policy."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

ROLE = "Constraint checker"
PROMPT = "Name each constraint, then say whether the answer keeps it."


def test_a_curator_changes_a_prompt_publishes_it_and_the_roles_page_shows_it(
    visit: Visit, studio: VisitedStudio
) -> None:
    page = visit("curator").new_page()
    page.goto("/roles?role=constraint_checker")
    role = page.get_by_role("article")
    expect(role.get_by_text("v1", exact=True)).to_be_visible()
    page.get_by_role("link", name="Edit in admin").click()
    page.get_by_role("link", name=ROLE, exact=True).click()
    page.get_by_label("Prompt").fill(PROMPT)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    page.goto("/roles?role=constraint_checker")
    expect(role.get_by_text(PROMPT)).to_be_visible()
    expect(role.get_by_text("v2", exact=True)).to_be_visible()
    expect(role.get_by_text("budget, time and capacity limits", exact=True)).to_be_visible()
    expect(page.get_by_text("This is the draft")).to_be_visible()
    before = studio.get("/api/pools/general")
    assert before["published_version"] < before["version"]
    page.get_by_role("button", name="Review and publish").click()
    changes = page.get_by_role("dialog")
    expect(changes.get_by_text("0 added, 0 removed, 1 changed")).to_be_visible()
    expect(changes.get_by_role("insertion").first).to_be_visible()
    changes.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("This is the draft")).to_be_hidden()
    assert studio.get("/api/pools/general")["published_version"] == before["version"]


def test_the_admins_own_script_runs(visit: Visit) -> None:
    page = visit("curator").new_page()
    page.goto("/admin/roles/role/")
    page.wait_for_function("typeof Alpine === 'object'")
    row = page.locator("input.action-select").first
    expect(page.get_by_label("Select action to run")).to_be_hidden()
    row.check()
    expect(page.get_by_label("Select action to run")).to_be_visible()


def test_a_token_is_made_and_works(visit: Visit) -> None:
    page = visit("operator").new_page()
    page.goto("/tokens")
    page.get_by_role("button", name="Create token").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Of a notebook")
    dialog.get_by_role("button", name="Create token").click()
    secret = dialog.get_by_text(re.compile("^mas_")).inner_text()
    asked = {"Authorization": f"Bearer {secret}"}
    assert visit(None).request.get("/api/me", headers=asked).ok


def test_login_leads_on_to_the_servers_own_pages(visit: Visit, studio: VisitedStudio) -> None:
    page = visit(None).new_page()
    page.goto("/admin/roles/role/")
    page.get_by_label("Username").fill("test-curator")
    page.get_by_label("Password").fill(studio.people["curator"]["password"])
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile("/admin/roles/role/$"))
    expect(page.locator("#changelist")).to_be_visible()
