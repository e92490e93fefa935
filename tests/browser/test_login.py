"""Getting in: by password, by one-time link, and back to where one wanted to go."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

ASK = "Ask a question. Watch a team being built for it."


def fill(page: Page, password: str) -> None:
    page.get_by_label("Username").fill("test-operator")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_a_wrong_password_says_so_and_the_right_one_leads_on_and_logout_out(
    visit: Visit, studio: VisitedStudio
) -> None:
    page = visit(None).new_page()
    page.goto("/runs?status=failed")
    page.wait_for_url(re.compile("/login"))
    fill(page, "not the password")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The name or the password is wrong.")
    expect(alert).to_contain_text("Try again, or ask an admin for a one-time link.")
    fill(page, studio.people["operator"]["password"])
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/runs\?status=failed$"))
    page.get_by_role("button", name="Account").click()
    page.get_by_role("menuitem", name="Log out").click()
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    page.goto("/runs")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()


def test_a_one_time_link_opens_the_studio_once(visit: Visit, studio: VisitedStudio) -> None:
    link = studio.people["viewer"]["links"][1]
    first = visit(None).new_page()
    first.goto(link)
    expect(first.get_by_role("heading", name=ASK)).to_be_visible()
    second = visit(None).new_page()
    second.goto(link)
    expect(second.get_by_role("alert")).to_contain_text("has been used or is too old")
    expect(first.get_by_role("button", name="Account: test-viewer")).to_be_visible()
