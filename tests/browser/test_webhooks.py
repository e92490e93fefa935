"""Webhooks as people keep them: made, tested against a real receiver, signed anew, deleted."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from apps.webhooks.signing import HEADER, signature
from apps.webhooks.tests.receiver import Receiver, receiving
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

SECRET = re.compile(r"whsec_[\w-]{43}")


def add(page: Page, name: str, url: str) -> Locator:
    """The dialog, filled in and sent off."""
    page.get_by_role("button", name="Add webhook").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill(name)
    dialog.get_by_role("textbox", name="Address").fill(url)
    return dialog


def secret_shown(page: Page) -> str:
    secret = page.get_by_role("dialog").get_by_text(SECRET).inner_text()
    page.get_by_role("button", name="I have copied it").click()
    return secret


def signed_with(receiver: Receiver, secret: str) -> bool:
    last = receiver.received[-1]
    time, *codes = last.headers[HEADER].split(",")
    alone = signature([secret], last.body, at=int(time.removeprefix("t=")))
    return alone.split(",")[1] in codes


def test_a_curator_makes_one_tests_it_and_makes_another_secret(visit: Visit) -> None:
    page = visit("curator").new_page()
    page.goto("/webhooks")
    with receiving() as receiver:
        dialog = add(page, "Team chat", receiver.url)
        dialog.get_by_text("Allow private addresses").click()
        dialog.get_by_role("button", name="Add webhook").click()
        first = secret_shown(page)
        card = page.get_by_role("article", name="Team chat")
        card.get_by_role("button", name="Send a test").click()
        expect(card.get_by_text("Delivered: the receiver responded 200")).to_be_visible()
        assert signed_with(receiver, first)

        card.get_by_role("button", name="Make new secret").click()
        page.get_by_role("dialog").get_by_role("button", name="Make new secret").click()
        second = secret_shown(page)
        receiver.status = 503
        card.get_by_role("button", name="Send a test").click()
        expect(card.get_by_role("alert")).to_contain_text("503")
        assert second != first
        assert signed_with(receiver, second)
        assert signed_with(receiver, first)  # for a day, which the card says
        expect(card.get_by_text("The old secret is used, too, until")).to_be_visible()
    card.get_by_role("button", name="Deliveries").click()
    rows = card.get_by_role("list", name="Deliveries").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("failed")
    expect(rows.last).to_contain_text("delivered")
    rows.last.get_by_role("link").click()
    page.reload()
    expect(rows.last).to_be_focused()
    card.get_by_role("button", name="Switch off").click()
    expect(card.get_by_text("off", exact=True)).to_be_visible()
    card.get_by_role("button", name="Delete Team chat?").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(card).to_have_count(0)


def test_an_operator_may_not_reach_inside(visit: Visit) -> None:
    page = visit("operator").new_page()
    page.goto("/webhooks")
    dialog = add(page, "Inside", "http://127.0.0.1:9/")
    expect(dialog.get_by_text("Allow private addresses")).to_have_count(0)
    dialog.get_by_role("button", name="Add webhook").click()
    expect(dialog.get_by_role("textbox", name="Address")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_role("textbox", name="Address").fill("https://chat.example.org/hook")
    dialog.get_by_role("button", name="Add webhook").click()
    secret_shown(page)
    card = page.get_by_role("article", name="Inside")
    card.get_by_role("button", name="Edit Inside").click()
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill("Outside")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("article", name="Outside")).to_be_visible()
