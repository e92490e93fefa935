"""Every page of the admin, and the one of the API: accessible, inside its width, pictured.

The pages are found by their links, so that a new one is looked at, too.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

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


def test_the_page_of_the_api_is_accessible(pages: Page) -> None:
    pages.goto("/api/docs#runs_create")
    expect(pages.get_by_role("heading", name="Body")).to_be_visible()
    pages.locator("summary", has_text="/api/events").click()
    assert look(pages, "api") == []
    pages.emulate_media(color_scheme="dark")
    assert look_on_a_phone(pages, "api") == []


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
