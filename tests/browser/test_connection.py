"""A connection that drops: the page says so, comes back by itself and has lost nothing."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

MET = re.compile("working|done")
REMEMBER_BANNER = """new MutationObserver(() => {
    if (document.body?.textContent.includes('live connection dropped')) window.__banner = true
}).observe(document, { subtree: true, childList: true, characterData: true })"""
NOWHERE = "00000000-0000-4000-8000-000000000000"


def started(page: Page, studio: VisitedStudio, question: str) -> str:
    """A run of MasHost whose first agent is on the page."""
    run_id = studio.ask(question, method="mashost")
    page.goto(f"/runs/{run_id}")
    expect(page.get_by_role("button", name=MET).first).to_be_visible()
    return run_id


def fresh(visit: Visit, studio: VisitedStudio, run_id: str) -> run_page.Shown:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{run_id}")
    return run_page.shown(page, studio, run_id)


def test_a_browser_that_goes_offline_catches_up(visit: Visit, studio: VisitedStudio) -> None:
    context = visit()
    page = context.new_page()
    run_id = started(page, studio, "A baker on a train: what do the loaves bring?")
    banner = page.get_by_text(run_page.OFFLINE_BANNER)
    context.set_offline(True)
    expect(banner).to_be_visible()
    studio.wait(run_id, "succeeded", seconds=60)
    context.set_offline(False)
    expect(banner).to_be_hidden()
    assert run_page.shown(page, studio, run_id) == fresh(visit, studio, run_id)
    expect(page.get_by_role("group", name="Replay")).to_be_visible()


def test_a_web_server_killed_mid_run_is_found_again(visit: Visit, studio: VisitedStudio) -> None:
    page = visit().new_page()
    run_id = started(page, studio, "A baker and a dead server: what do the loaves bring?")
    banner = page.get_by_text(run_page.OFFLINE_BANNER)
    studio.kill_web()
    expect(banner).to_be_visible()
    studio.restart_web()
    expect(banner).to_be_hidden()
    assert run_page.shown(page, studio, run_id) == fresh(visit, studio, run_id)
    assert studio.run(run_id)["attempt"] == 1


def test_a_page_that_cannot_be_fetched_says_so_and_is_fetched_later(visit: Visit) -> None:
    context = visit()
    page = context.new_page()
    chunk = "**/static/assets/roles-page-*.js"
    heading = page.get_by_role("main").get_by_role("heading", name="Roles", exact=True)
    context.route(chunk, lambda route: route.abort())
    page.goto("/")
    page.get_by_role("link", name="Roles", exact=True).click()
    expect(page.get_by_role("main").get_by_text("Loading")).to_be_visible()
    context.unroute(chunk)
    expect(heading).to_be_visible()

    context.route(chunk, lambda route: route.fulfill(status=404))
    page.goto("/roles")
    missing = page.get_by_role("heading", name="This page could not be fetched")
    expect(missing).to_be_visible()
    expect(page).to_have_title(re.compile("This page could not be fetched"))
    context.unroute(chunk)
    page.get_by_role("button", name="Reload").click()
    expect(heading).to_be_visible()


@pytest.mark.parametrize(
    ("who", "path", "missing", "way"),
    [
        ("operator", f"/runs/{NOWHERE}", "This run cannot be shown", "All runs"),
        (None, "/shared/abc", "This shared run cannot be shown", "Open the studio"),
    ],
)
def test_a_run_that_does_not_exist_has_a_way_back_and_no_banner(
    visit: Visit, who: str | None, path: str, missing: str, way: str
) -> None:
    page = visit(who).new_page()
    page.add_init_script(REMEMBER_BANNER)
    page.goto(path)
    expect(page.get_by_role("heading", level=1, name=missing)).to_be_visible()
    expect(page).to_have_title(re.compile(missing))
    page.wait_for_timeout(1_000)  # a stream that is refused says so at once
    assert page.evaluate("window.__banner === undefined")
    page.get_by_role("link", name=way).click()
    expect(page).to_have_url(re.compile("/runs$" if who else "/login"))


def test_two_runs_to_compare_that_do_not_exist(page: Page) -> None:
    page.goto("/runs/compare")
    expect(page.get_by_text("Name two runs to compare.")).to_be_visible()
    page.goto(f"/runs/compare?left={NOWHERE}&right={NOWHERE}")
    expect(page.get_by_role("main").get_by_role("link", name="Runs")).to_be_visible()
