"""What the pages leave to the admin and to /api/docs, in a browser that enforces our policy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.looks import picture
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
    page.get_by_role("button", name="Look at it and publish").click()
    changes = page.get_by_role("dialog")
    expect(changes.get_by_text("0 added, 0 removed, 1 changed")).to_be_visible()
    expect(changes.get_by_role("insertion").first).to_be_visible()
    changes.screenshot(path=picture("publish-dialog"))
    changes.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("This is the draft")).to_be_hidden()
    assert studio.get("/api/pools/general")["published_version"] == before["version"]


def test_a_pool_in_the_admin(visit: Visit, studio: VisitedStudio) -> None:
    """Its own pages, under the admin's content policy: nothing is refused, nothing runs over."""
    pool = studio.get("/api/pools/general")
    page = visit("curator").new_page()
    page.goto("/admin/roles/rolepool/")
    page.get_by_role("link", name=pool["name"], exact=True).first.click()
    expect(page.get_by_label("Description")).to_be_visible()
    page.screenshot(path=picture("admin-pool-1440"), full_page=True)
    page.get_by_role("link", name="Versions and changes").first.click()
    newest = page.get_by_role("listitem").filter(has_text=f"Version {pool['published_version']}")
    expect(newest).to_contain_text("Live")
    page.screenshot(path=picture("admin-versions-1440"), full_page=True)


def test_an_endpoint_is_tested_and_a_file_mapped_in_the_admin(
    visit: Visit, sums: str, tmp_path: Path
) -> None:
    page = visit("curator").new_page()
    page.goto("/admin/llms/endpoint/")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_text("The prices apply to every call to this server")).to_be_visible()
    expect(page.get_by_text("Who changed what")).to_be_visible()
    page.screenshot(path=picture("admin-endpoint-1440"), full_page=True)
    page.get_by_role("link", name="Test connection").first.click()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text(re.compile(r"answered in \d"))).to_be_visible()
    file = tmp_path / "questions.csv"
    file.write_text("frage,loesung\nWhat is 3 + 4?,7\n")
    page.goto("/admin/tasks/dataset/")
    page.get_by_role("link", name="Sums", exact=True).click()
    page.get_by_role("link", name="Import tasks").first.click()
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("None of the 1 rows can be read as a task")).to_be_visible()
    page.get_by_label("query (needed)").select_option(label="frage · What is 3 + 4?")
    page.get_by_label("reference", exact=True).select_option(label="loesung · 7")
    page.get_by_role("button", name="Update preview").click()
    expect(page.get_by_text("1 row: 1 new or changed")).to_be_visible()
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_visible()
    page.screenshot(path=picture("admin-import-1440"), full_page=True)


def test_the_admins_own_script_runs(visit: Visit) -> None:
    page = visit("curator").new_page()
    page.goto("/admin/roles/role/")
    page.wait_for_function("typeof Alpine === 'object'")
    row = page.locator("input.action-select").first
    expect(page.get_by_label("Select action to run")).to_be_hidden()
    row.check()
    expect(page.get_by_label("Select action to run")).to_be_visible()


def test_an_operator_is_refused_by_the_admin(visit: Visit) -> None:
    page = visit("operator").new_page()
    answer = page.goto("/admin/roles/role/")
    assert answer
    assert answer.status == 403


def test_a_viewer_reads_the_api(visit: Visit) -> None:
    page = visit("viewer").new_page()
    page.goto("/api/docs")
    operation = page.get_by_role("group").filter(has_text="Ask a question")
    operation.locator("summary").click()
    expect(operation.get_by_text("Idempotency-Key header · string")).to_be_visible()
    operation.get_by_role("link", name="RunRequest").click()
    expect(page.get_by_role("group").filter(has_text="RunRequest").last).to_contain_text("query")
    expect(page).to_have_url(re.compile("#schema-RunRequest$"))
    page.goto("/api/docs#agents_list")
    expect(page.locator("#agents_list")).to_be_visible()


@pytest.mark.parametrize("path", ["/admin/roles/role/", "/api/docs"])
def test_login_leads_on_to_the_servers_own_pages(
    visit: Visit, studio: VisitedStudio, path: str
) -> None:
    page = visit(None).new_page()
    page.goto(path)
    page.get_by_label("Username").fill("test-curator")
    page.get_by_label("Password").fill(studio.people["curator"]["password"])
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(re.compile(f"{path}$"))
    expect(page.locator("#changelist, details.operation").first).to_be_visible()
