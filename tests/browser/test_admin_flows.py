"""What curators and admins do on the admin's own pages, from the first click to what it changed."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import AXE, picture, violations
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

BAKERY = """key: bakery
name: Bakery
description: Roles of a bakery.
roles:
- key: counter
  name: Counter of loaves
  family: mathematics
  description: Counts what is sold.
  capabilities:
  - counting
  prompt: Count the loaves, then the cakes.
- key: taster
  name: Taster
  family: everyday
  description: Says how a cake tastes.
  prompt: Say how it tastes.
"""


@pytest.fixture
def page(visit: Visit) -> Page:
    """The curator's."""
    return visit("curator").new_page()


@pytest.fixture(scope="package")
def bakery(studio: VisitedStudio) -> str:
    """The key of a published pool of two roles."""
    imported(studio, BAKERY, publish="true")
    return "bakery"


def imported(studio: VisitedStudio, yaml: str, **asked: str) -> None:
    path = f"/api/pools/import?{urlencode(asked)}"
    studio.request("POST", path, kind="application/yaml", data=yaml)


def pictured(page: Page, name: str) -> None:
    page.screenshot(path=picture(f"admin-flow-{name}"), full_page=True)


def accessible(page: Page) -> None:
    """Of a page that no link leads to, so that it is not among those of test_admin_looks."""
    page.evaluate(AXE.read_text())
    assert violations(page) == []


def opened(page: Page, thing: str, name: str) -> None:
    page.goto(f"/admin/{thing}/")
    page.get_by_role("rowheader").get_by_role("link", name=name, exact=True).first.click()


def upload(page: Page, file: Path, **fields: str) -> None:
    page.goto("/admin/roles/rolepool/")
    page.get_by_role("link", name="Import a file").click()
    page.locator("input[type=file]").set_input_files(file)
    for label, value in fields.items():
        page.get_by_label(label).fill(value)
    page.get_by_role("button", name="Show what would change").click()


def act(page: Page, action: str) -> None:
    page.get_by_label("Select action to run").select_option(label=action)
    page.get_by_role("button", name="Run", exact=True).click()


def test_a_pool_comes_from_a_file_after_a_look_at_what_it_would_change(
    page: Page, studio: VisitedStudio, tmp_path: Path
) -> None:
    yaml = tmp_path / "bakery.yaml"
    yaml.write_text(BAKERY.replace("bakery", "patisserie").replace("Bakery", "Patisserie"))
    upload(page, yaml)
    expect(page.get_by_text("The file makes a new pool, “patisserie”.")).to_be_visible()
    expect(page.get_by_text("2 added, 0 removed, 0 changed")).to_be_visible()
    pictured(page, "import-yaml")
    assert page.request.get("/api/pools/patisserie").status == 404
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("2 added, 0 changed, 0 removed.")).to_be_visible()
    exported = page.request.get("/api/pools/patisserie/export?format=csv").text()
    table = tmp_path / "patisserie.csv"
    table.write_text(exported.replace("Say how it tastes.", "Say what it tastes of."))
    upload(page, table, **{"Key of the pool": "patisserie"})
    expect(page.get_by_text("0 added, 0 removed, 1 changed")).to_be_visible()
    expect(page.get_by_text("+ Say what it tastes of.")).to_be_visible()
    pictured(page, "import-csv")
    accessible(page)
    page.get_by_label("Publish as well").check()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("0 added, 1 changed, 0 removed. Published.")).to_be_visible()
    roles = {role["key"]: role for role in studio.get("/api/pools/patisserie")["roles"]}
    assert roles["taster"]["prompt"] == "Say what it tastes of."


def test_a_pool_is_cloned_and_its_draft_discarded_or_restored(
    page: Page, studio: VisitedStudio, bakery: str
) -> None:
    opened(page, "roles/rolepool", "Bakery")
    page.get_by_role("link", name="Clone").click()
    pictured(page, "clone")
    page.get_by_role("button", name="Clone").click()
    expect(
        page.get_by_text("The clone has the roles of the draft. It is not published yet.")
    ).to_be_visible()
    clone = f"{bakery}-copy"
    studio.post(f"/api/pools/{clone}/publish", {})
    taster = f"/api/pools/{clone}/roles/taster"
    studio.request("PATCH", taster, json={"prompt": "Taste it twice."})
    page.reload()
    page.get_by_role("link", name="Discard changes").click()
    expect(page.get_by_text("− Taste it twice.")).to_be_visible()
    pictured(page, "discard")
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_text("The draft is now equal to the published version.")).to_be_visible()
    studio.request("PATCH", taster, json={"prompt": "Taste it thrice."})
    studio.post(f"/api/pools/{clone}/publish", {})
    page.get_by_role("link", name="Versions and changes").click()
    page.get_by_role("link", name="Restore").last.click()
    expect(page.get_by_text("− Taste it thrice.")).to_be_visible()
    pictured(page, "restore")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text(re.compile("The draft is now equal to version"))).to_be_visible()
    assert studio.get(f"/api/pools/{clone}")["has_changes"]


def test_many_roles_are_switched_at_once(page: Page, studio: VisitedStudio, bakery: str) -> None:
    page.goto("/admin/roles/role/")
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("link", name="Bakery", exact=True).click()
    page.locator("#action-toggle").check()
    act(page, "Disable")
    expect(page.get_by_text("2 roles disabled in the draft.")).to_be_visible()
    pictured(page, "bulk")
    accessible(page)
    page.locator("#action-toggle").check()
    act(page, "Enable")
    expect(page.get_by_text("2 roles enabled in the draft.")).to_be_visible()
    assert not studio.get(f"/api/pools/{bakery}")["has_changes"]


def test_roles_that_are_nearly_the_same_are_shown(page: Page, studio: VisitedStudio) -> None:
    twins = BAKERY.replace("bakery", "twins").replace("Bakery", "Twins")
    one = twins[twins.index("- key: counter") : twins.index("- key: taster")]
    imported(studio, twins + one.replace("counter", "second"))
    opened(page, "roles/rolepool", "Twins")
    pair = page.get_by_text("1 pair of enabled roles is nearly the same")
    page.wait_for_function(
        """async () => {
            const answer = await fetch(location.href)
            return (await answer.text()).includes('data-state="duplicates"')
        }""",
        polling=1_000,
    )
    page.reload()
    pair.click()
    expect(page.get_by_text("counter and second (1.00)")).to_be_visible()
    pictured(page, "duplicates")
    accessible(page)


def test_a_role_of_the_draft_is_tried(page: Page, studio: VisitedStudio) -> None:
    opened(page, "roles/role", "Planner")
    page.get_by_role("link", name="Try this role").click()
    page.get_by_label("Question").fill("A baker asks: what do 14 loaves bring?")
    pictured(page, "try")
    page.get_by_role("button", name="Try role", exact=True).click()
    page.wait_for_url(re.compile("/runs/"))
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("102")
    page.screenshot(path=picture("admin-flow-tried"))


def test_a_token_is_made_and_an_admin_revokes_it(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("operator").new_page()
    page.goto("/tokens")
    page.get_by_role("button", name="Create token").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Of a notebook")
    dialog.get_by_role("button", name="Create token").click()
    secret = dialog.get_by_text(re.compile("^mas_")).inner_text()
    asked = {"Authorization": f"Bearer {secret}"}
    stranger = visit(None).request
    assert stranger.get("/api/me", headers=asked).ok
    admin = visit("admin").new_page()
    opened(admin, "accounts/apitoken", "Of a notebook")
    admin.get_by_role("link", name="Revoke").click()
    pictured(admin, "revoke")
    admin.get_by_role("button", name="Revoke").click()
    expect(admin.get_by_text("no longer works.")).to_be_visible()
    assert stranger.get("/api/me", headers=asked).status == 401


def test_a_person_is_made_let_in_once_and_switched_off(visit: Visit) -> None:
    admin = visit("admin").new_page()
    admin.goto("/admin/accounts/user/add/")
    admin.get_by_label("Username").fill("ada")
    for label in ("Password", "Password confirmation"):
        admin.get_by_label(label, exact=True).fill("a bridge over the river")
    admin.get_by_role("button", name="Save", exact=True).click()
    admin.get_by_role("checkbox", name="viewer").check()
    pictured(admin, "person")
    admin.get_by_role("button", name="Save", exact=True).click()
    row = admin.get_by_role("row").filter(has_text="ada")
    expect(row).to_contain_text("viewer")
    row.get_by_role("checkbox").check()
    act(admin, "Make a one-time login link")
    told = admin.get_by_text("ada can log in once within 30 minutes").inner_text()
    ada = visit(None).new_page()
    ada.goto(told[told.index("http") :].strip())
    expect(ada.get_by_role("button", name="Account: ada")).to_be_visible()
    row.get_by_role("checkbox").check()
    act(admin, "Deactivate")
    expect(admin.get_by_text("Deactivated: ada. They and their tokens are refused")).to_be_visible()
    pictured(admin, "switched-off")
    ada.reload()
    expect(ada.get_by_role("button", name="Log in")).to_be_visible()
