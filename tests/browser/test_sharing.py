"""A run is passed on: a link that needs no account, what it shows, and its end."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def links(dialog: Locator) -> Locator:
    """Those that need no account: the first of all is the address of the page."""
    return dialog.get_by_role("listitem").get_by_label(re.compile(r"^Link \d+$"))


def test_a_link_is_made_read_without_an_account_and_revoked(
    visit: Visit, studio: VisitedStudio
) -> None:
    run_id = studio.ask("A baker shares: what do the loaves bring?", method="mashost")
    studio.wait(run_id, "succeeded", seconds=90)
    page = visit("admin").new_page()
    page.goto(f"/runs/{run_id}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    own = dialog.get_by_label("Address of this page")
    expect(own).to_have_value(studio.url() + f"/runs/{run_id}")
    run_page.choose(page, "Valid", "for 7 days")
    dialog.get_by_role("button", name="Make link").click()
    expect(links(dialog)).to_have_count(1)
    expect(dialog.get_by_text(re.compile("^Works until .* made by"))).to_be_visible()
    address = links(dialog).input_value()

    stranger = visit(None).new_page()
    stranger.goto(address)
    expect(stranger.get_by_text("Shared run, read only")).to_be_visible()
    whole = visit("viewer").new_page()
    whole.goto(f"/runs/{run_id}")
    seen = run_page.shown(stranger, studio, run_id)
    assert seen == run_page.shown(whole, studio, run_id)
    for name in ("Run again", "Open in the designer", "Compare", "Add a note", "Share"):
        expect(stranger.get_by_role("button", name=name, exact=True)).to_have_count(0)
    run_page.open_card(stranger, 1)
    expect(stranger.get_by_role("heading", name="Prompt sent")).to_be_visible()
    expect(stranger.get_by_role("button", name="Edit")).to_have_count(0)

    again = page.context.new_page()  # by who made it: nothing but what the link opens is asked for
    asked: list[str] = []
    again.on("request", lambda request: asked.append(urlsplit(request.url).path))
    again.goto(address)
    expect(run_page.answer(again)).to_be_visible()
    for tab in ("Trace", "Timeline"):
        again.get_by_role("tab", name=tab).click()
    expect(again.get_by_role("button", name="Run again")).to_have_count(0)
    of_the_studio = {path for path in asked if path.startswith("/api/")}
    assert of_the_studio
    assert all(path.startswith("/api/shared/") for path in of_the_studio), of_the_studio
    again.get_by_role("link", name="Open in the studio").click()
    expect(again).to_have_url(re.compile(rf"/runs/{run_id}\?"))
    expect(again.get_by_role("button", name="Run again")).to_be_visible()

    dialog.get_by_role("button", name="Revoke link 1").click()
    expect(links(dialog)).to_have_count(0)
    expect(dialog.get_by_role("button", name="Make link")).to_be_focused()
    stranger.reload()
    expect(stranger.get_by_text("This link does not work")).to_be_visible()
    stranger.get_by_role("link", name="Open in the studio").click()
    expect(stranger.get_by_role("button", name="Log in")).to_be_visible()
