"""A run is passed on: a link that needs no account, what it shows, and its end."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import picture
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

NO_LINK = "This link does not work"


def sharing(page: Page, run_id: str) -> Locator:
    """The dialog, over the run's page."""
    page.goto(f"/runs/{run_id}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    expect(dialog).to_be_visible()
    return dialog


def links(dialog: Locator) -> Locator:
    """Those that need no account: the first of all is the address of the page."""
    return dialog.get_by_role("listitem").get_by_label(re.compile(r"^Link \d+$"))


def test_a_link_is_made_read_without_an_account_and_revoked(
    visit: Visit, studio: VisitedStudio
) -> None:
    run_id = studio.ask("A baker shares: what do the loaves bring?", method="mashost")
    studio.wait(run_id, "succeeded", seconds=90)
    page = visit("admin").new_page()
    dialog = sharing(page, run_id)
    own = dialog.get_by_label("Address of this page")
    expect(own).to_have_value(studio.url() + f"/runs/{run_id}")
    run_page.choose(page, "It works", "for 7 days")
    dialog.get_by_role("button", name="Make a link").click()
    expect(links(dialog)).to_have_count(1)
    expect(dialog.get_by_text(re.compile("^Works until .* made by"))).to_be_visible()
    page.screenshot(path=picture("share-link-made"))
    address = links(dialog).input_value()

    stranger = visit(None).new_page()
    stranger.goto(address)
    expect(stranger.get_by_text("A shared run, to read only")).to_be_visible()
    whole = visit("viewer").new_page()
    whole.goto(f"/runs/{run_id}")
    seen = run_page.shown(stranger, studio, run_id)
    assert seen == run_page.shown(whole, studio, run_id)
    for name in ("Run again", "Open in the designer", "Compare", "Add a note", "Share"):
        expect(stranger.get_by_role("button", name=name, exact=True)).to_have_count(0)
    run_page.open_card(stranger, 1)
    expect(stranger.get_by_role("heading", name="Prompt sent")).to_be_visible()
    expect(stranger.get_by_role("button", name="Edit")).to_have_count(0)
    stranger.screenshot(path=picture("shared-agent"))

    dialog.get_by_role("button", name="Revoke link 1").click()
    expect(links(dialog)).to_have_count(0)
    expect(dialog.get_by_role("button", name="Make a link")).to_be_focused()
    stranger.reload()
    expect(stranger.get_by_text(NO_LINK)).to_be_visible()
    stranger.screenshot(path=picture("shared-revoked"))
    stranger.get_by_role("link", name="Open in the studio").click()
    expect(stranger.get_by_role("button", name="Log in")).to_be_visible()


def test_who_does_not_own_a_run_gets_its_address_only(visit: Visit, team_run: str) -> None:
    for who in ("viewer", "curator"):
        dialog = sharing(visit(who).new_page(), team_run)
        expect(dialog.get_by_label("Address of this page")).to_be_visible()
        expect(links(dialog)).to_have_count(0)
        expect(dialog.get_by_role("button", name="Make a link")).to_have_count(0)


def test_somebody_who_is_logged_in_sees_what_they_passed_on(
    visit: Visit, studio: VisitedStudio
) -> None:
    run_id = studio.ask("A baker looks twice: what do the loaves bring?")
    studio.wait(run_id, "succeeded", seconds=60)
    page = visit("admin").new_page()
    dialog = sharing(page, run_id)
    dialog.get_by_role("button", name="Make a link").click()
    address = links(dialog).input_value()
    page = page.context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.goto(address)
    expect(run_page.answer(page)).to_be_visible()
    run_page.open_card(page, 1)
    expect(page.get_by_role("heading", name="Prompt sent")).to_be_visible()
    for tab in ("Trace", "Timeline"):
        page.get_by_role("tab", name=tab).click()
    expect(page.get_by_role("button", name="Run again")).to_have_count(0)
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)
    of_the_studio = {path for path in asked if path.startswith("/api/")}
    assert {path for path in of_the_studio if not path.startswith("/api/shared/")} == set()
    assert of_the_studio
    page.get_by_role("link", name="Open in the studio").click()
    expect(page).to_have_url(re.compile(rf"/runs/{run_id}\?"))
    expect(page.get_by_role("button", name="Run again")).to_be_visible()


def test_a_link_that_was_cut_off(visit: Visit) -> None:
    page = visit(None).new_page()
    page.goto("/shared/abc")
    expect(page.get_by_text(NO_LINK)).to_be_visible()
    missing = "This shared run cannot be shown"
    expect(page.get_by_role("heading", level=1, name=missing)).to_be_visible()
    expect(page).to_have_title(re.compile(missing))
    page.get_by_role("main").get_by_role("link", name="To the studio").click()
    expect(page).to_have_url(re.compile("/login"))
