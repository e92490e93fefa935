"""A connection that drops: the page says so, comes back by itself and has lost nothing, and nothing
is sent later that nobody asks for any more."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import picture
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

MET = re.compile("working|done")
REMEMBER_BANNER = """new MutationObserver(() => {
    if (document.body?.textContent.includes('live connection dropped')) window.__banner = true
}).observe(document, { subtree: true, childList: true, characterData: true })"""
NO_ANSWER = "The studio’s server did not answer."


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


def test_offline_a_question_and_a_list_end_in_errors(visit: Visit, studio: VisitedStudio) -> None:
    context = visit()
    page = context.new_page()
    page.goto("/")
    question = "Asked in a tunnel: what is 1 + 1?"
    page.get_by_label("Question", exact=True).fill(question)
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    context.set_offline(True)
    run.click()
    expect(page.get_by_role("alert").filter(has_text=NO_ANSWER)).to_be_visible()
    expect(page.get_by_label("Question", exact=True)).to_have_value(question)
    context.set_offline(False)
    page.get_by_role("link", name="Runs", exact=True).first.click()
    search = page.get_by_role("searchbox").first
    search.fill("tunnel")
    expect(page.get_by_text("No run matches these filters")).to_be_visible()

    context.set_offline(True)
    search.fill("in a tunnel")
    expect(page.get_by_role("alert").filter(has_text=NO_ANSWER)).to_be_visible()
    context.set_offline(False)
    expect(page.get_by_text("No run matches these filters")).to_be_visible()
    assert studio.get("/api/runs?q=tunnel")["results"] == []


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
    page.screenshot(path=picture("page-not-fetched"))
    context.unroute(chunk)
    page.get_by_role("button", name="Reload").click()
    expect(heading).to_be_visible()


def test_a_run_that_does_not_exist_has_a_way_back_and_no_banner(visit: Visit) -> None:
    page = visit().new_page()
    page.add_init_script(REMEMBER_BANNER)
    page.goto(f"/runs/{uuid4()}")
    missing = "This run cannot be shown"
    expect(page.get_by_role("heading", level=1, name=missing)).to_be_visible()
    expect(page).to_have_title(re.compile(missing))
    page.wait_for_timeout(1_000)  # a stream that is refused says so at once
    assert page.evaluate("window.__banner === undefined")
    page.screenshot(path=picture("run-unknown"))
    page.get_by_role("link", name="All runs").click()
    expect(page.get_by_role("heading", level=1, name="Runs")).to_be_visible()
