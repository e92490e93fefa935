"""Every page of the admin, and the one of the API: accessible, inside its width, pictured.

The pages are found by their links, so that a new one is looked at, too.
"""

import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.looks import AXE, THEMES, WIDTHS, overflow, picture, violations
from tests.browser.run_page import settle
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

ALIKE = {"history", "delete", "password"}
"""Pages that are drawn by one template, whatever they are about."""
OWN = {
    "import_file",
    "publish",
    "discard",
    "versions",
    "versions?restore",
    "clone",
    "try_role",
    "import_tasks",
    "test_now",
    "revoke_now",
}
COLOURED = {
    "index",
    "accounts-apitoken",
    "accounts-user-change",
    "llms-endpoint-change",
    "roles-rolepool",
    "roles-rolepool-change",
    "roles-role-add",
    "versions",
    "publish",
    "import_file",
    "delete",
    "history",
}
"""One page of each template: elsewhere the same colours come again."""
LINKS = """links => links
    .map((link) => new URL(link.href))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/admin/'))
    .map(({ pathname, search }) => pathname + search)"""
TWINS = """key: twins
name: Twins
description: Two roles that are nearly the same.
roles:
- {key: one, name: Counter, family: everyday, description: Counts loaves., prompt: Count them.}
- {key: two, name: Counter, family: everyday, description: Counts loaves., prompt: Count them.}
"""
OF_THING = re.compile(r"^/admin/(\w+/\w+)/[^/]+/(\w+)/$")
OF_APP = re.compile(r"^/admin/\w+/$")


def kind(address: str) -> str:
    """The same for addresses whose pages differ only in what they are about; empty for none."""
    path, _, query = address.partition("?")
    if query and "restore=" not in query:
        return ""
    if OF_APP.match(path) and path != "/admin/password_change/":
        return "app"
    name = path.strip("/").rsplit("/", 1)[-1]
    if name in ALIKE | OWN:
        return f"{name}?restore" if query else name
    thing = OF_THING.match(path)
    return f"{thing[1]} {thing[2]}" if thing else path


def every_kind(page: Page, first: list[str]) -> Iterator[str]:
    """Goes to one page of each kind that links lead to; the caller looks at it where it is."""
    waiting, seen = deque(first), {""}
    while waiting:
        address = waiting.popleft()
        if kind(address) in seen:
            continue
        seen.add(kind(address))
        page.goto(address, wait_until="domcontentloaded")
        yield kind(address)
        waiting += page.locator("a[href]").evaluate_all(LINKS)


def name_of(kind: str) -> str:
    return re.sub(r"\W+", "-", kind.removeprefix("/admin")).strip("-") or "index"


def look(page: Page, name: str, *, coloured: bool = True) -> list[str]:
    """What axe finds of the page as it stands, and how far it stands out. `coloured`: its colours
    are looked at, too, and it is pictured."""
    page.evaluate(AXE.read_text())
    problems = violations(page, without=None if coloured else "color-contrast")
    if coloured:
        page.screenshot(path=picture(f"admin-{name}"))
    if sideways := overflow(page):
        problems.append(f"{sideways} pixels stand out")
    return [f"{name}: {problem}" for problem in problems]


def look_on_a_phone(page: Page, name: str, *, coloured: bool = True) -> list[str]:
    """In the dark, and back to the desk: of what was looked at, what may differ there."""
    page.set_viewport_size({"width": 390, "height": WIDTHS[390]})
    problems: list[str] = []
    if coloured:
        page.evaluate("document.documentElement.classList.add('dark')")
        settle(page)
        problems += violations(page, *THEMES["dark"], "scrollable-region-focusable")
        page.screenshot(path=picture(f"admin-{name}-390-dark"))
    if sideways := overflow(page):
        problems.append(f"{sideways} pixels stand out at 390")
    page.set_viewport_size({"width": 1440, "height": WIDTHS[1440]})
    return [f"{name}: {problem}" for problem in problems]


@pytest.fixture
def pages(visit: Visit) -> Page:
    return visit("admin", color_scheme="light").new_page()


@pytest.mark.usefixtures("team_run", "trained", "evaluated")
def test_every_page_of_the_admin_is_accessible(pages: Page, studio: VisitedStudio) -> None:
    studio.post("/api/webhooks", {"name": "Of the curator", "url": "https://ci.example.org/hook"})
    pages.goto("/admin/accounts/user/?q=test-operator")
    person = pages.get_by_role("link", name="test-operator").get_attribute("href")
    assert person
    found, problems = set(), []
    for each in every_kind(pages, ["/admin/", person.partition("?")[0]]):
        found.add(each)
        name, coloured = name_of(each), name_of(each) in COLOURED
        problems += look(pages, name, coloured=coloured)
        problems += look_on_a_phone(pages, name, coloured=coloured)
    assert {name_of(each) for each in found} >= COLOURED
    assert found >= OWN | ALIKE | {"app", "/admin/", "/admin/roles/role/add/"}
    assert problems == []


def test_the_menus_of_the_admin_open_by_keyboard(pages: Page) -> None:
    pages.goto("/admin/roles/role/")
    expect(pages.get_by_role("region", name="Rows")).to_be_attached()
    expect(pages.get_by_role("region", name="Everything in the administration")).to_be_attached()
    pages.get_by_role("button", name="Filters").press("Enter")
    expect(pages.get_by_role("heading", name="By family")).to_be_visible()
    assert look(pages, "filters") == []
    pages.keyboard.press("Escape")
    pages.get_by_role("button", name="test-admin").press("Enter")
    expect(pages.get_by_role("button", name="Log out")).to_be_visible()
    assert look(pages, "account") == []
    pages.set_viewport_size({"width": 390, "height": WIDTHS[390]})
    pages.get_by_role("button", name="Menu").press(" ")
    expect(pages.get_by_role("navigation").locator("#link-roles-rolepool")).to_be_visible()
    assert violations(pages) == []


def test_pages_that_no_link_leads_to_are_accessible(pages: Page, tmp_path: Path) -> None:
    file = tmp_path / "twins.yaml"
    file.write_text(TWINS)
    pages.goto("/admin/roles/rolepool/")
    pages.get_by_role("link", name="Import a file").click()
    pages.locator("input[type=file]").set_input_files(file)
    pages.get_by_role("button", name="Show what would change").click()
    expect(pages.get_by_text("2 added, 0 removed, 0 changed")).to_be_visible()
    assert look(pages, "import") == []
    pages.get_by_role("button", name="Import", exact=True).click()
    expect(pages.get_by_text("2 added, 0 changed, 0 removed.")).to_be_visible()
    pages.goto("/admin/roles/rolepool/")
    pages.get_by_role("rowheader").get_by_role("link", name="Twins", exact=True).click()
    pages.wait_for_function(
        """async () => {
            const answer = await fetch(location.href)
            return (await answer.text()).includes('data-state="duplicates"')
        }""",
        polling=1_000,
    )
    pages.reload()
    pages.get_by_text("1 pair of enabled roles is nearly the same").click()
    expect(pages.get_by_text("one and two (1.00)")).to_be_visible()
    assert look(pages, "duplicates") == []

    pages.goto("/admin/roles/role/")
    pages.get_by_role("button", name="Filters").click()
    pages.get_by_role("link", name="Twins", exact=True).click()
    pages.locator("#action-toggle").check()
    pages.get_by_label("Select action to run").select_option(label="Disable")
    pages.get_by_role("button", name="Run", exact=True).click()
    expect(pages.get_by_text("2 roles disabled in the draft.")).to_be_visible()
    assert look(pages, "bulk") == []


def test_the_page_of_the_api_is_accessible(pages: Page) -> None:
    """It opens what an address names, as do its own links."""
    pages.goto("/api/docs#runs_create")
    operation = pages.get_by_role("group").filter(has_text="Ask a question")
    expect(operation.get_by_role("heading", name="Body")).to_be_visible()
    pages.locator("summary", has_text="/api/events").click()
    assert look(pages, "api") == []
    pages.emulate_media(color_scheme="dark")
    assert look_on_a_phone(pages, "api") == []
    operation.get_by_role("link", name="RunRequest").click()
    expect(pages).to_have_url(re.compile("#schema-RunRequest$"))
    schema = pages.get_by_role("group").filter(has_text="RunRequest").last
    expect(schema).to_contain_text("query")


def test_what_is_not_in_the_admin_is_told_by_a_page(pages: Page) -> None:
    answer = pages.goto("/admin/nowhere/")
    assert answer
    assert answer.status == 404
    expect(pages.get_by_role("heading", name="There is nothing at this address.")).to_be_visible()
    assert look(pages, "lost") == []
    pages.get_by_role("link", name="Administration").click()
    expect(pages.get_by_role("heading", name="Administration")).to_be_visible()
    pages.goto("/admin")
    expect(pages).to_have_url(re.compile("/admin/$"))
