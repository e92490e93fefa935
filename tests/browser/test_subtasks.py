"""A run with subtasks: their graph, why who was found, whose answer counts; at a desk, on a phone,
and by a link for strangers."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import pictured
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
WHY = re.compile(r"Picked because: it suits the subtask \(0\.75 ≥ 0\.40\)")


def card(page: Page, ordinal: int, beginning: str = "") -> Locator:
    """Of a subtask on the canvas."""
    name = re.compile(rf"^Subtask {ordinal}, {beginning}")
    return run_page.cards(page).and_(page.get_by_role("button", name=name))


def places(page: Page) -> list[str]:
    styles: list[str] = page.evaluate(
        "[...document.querySelectorAll('.react-flow__node')].map(node => node.style.transform)"
    )
    return styles


def test_who_was_found_and_why_is_read_at_a_desk(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['voted']}")
    expect(run_page.cards(page)).to_have_count(8)
    expect(card(page, 6, "answered: 7, wrong")).to_be_visible()
    pictured(page, "subtasks")
    stand = places(page)

    page.evaluate(run_page.RESTS)
    card(page, 1).focus()
    page.keyboard.press("ArrowRight")
    expect(card(page, 4)).to_be_focused()
    page.keyboard.press("Enter")
    beside = page.get_by_role("complementary")
    expect(beside.get_by_role("heading", name="Subtask 4")).to_be_visible()
    expect(beside.get_by_text(WHY)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?subtask=s4$"))
    pictured(page, "subtasks-panel")
    beside.get_by_role("button", name="Message of Poet on stub").click()
    expect(beside.get_by_text("A loaf, a cake, a song for free.")).to_be_visible()
    beside.get_by_role("button", name=re.compile(r"^4\. How much money")).click()
    expect(beside.get_by_text(WHY)).to_be_visible()
    beside.get_by_role("button", name="Subtask 6: 7").click()
    expect(beside.get_by_text("No agent suits this subtask")).to_be_visible()

    page.reload()
    expect(beside.get_by_text("No agent suits this subtask")).to_be_visible()
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.press("Home")
    expect(run_page.cards(page)).to_have_count(0)
    slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("Divided into 8 subtasks"))
    expect(page).to_have_url(re.compile("moment=2"))
    expect(card(page, 1, "searching agents")).to_be_visible()
    expect(card(page, 8, "waiting, final")).to_be_visible()
    assert places(page) == stand

    page.get_by_role("tab", name="Agents").click()
    expect(page).to_have_url(re.compile("tab=graph"))
    page.get_by_role("button", name="Go to the end").click()
    expect(run_page.cards(page)).to_have_count(26)
    page.get_by_role("tab", name="Subtasks").click()
    expect(run_page.cards(page)).to_have_count(8)


def test_they_are_watched_from_the_planner_to_the_last_answer(
    visit: Visit, studio: VisitedStudio
) -> None:
    page = visit("viewer").new_page()
    run = studio.ask("[divide] What do 14 loaves at 3 and a cake at 60 come to?", method="reso")
    page.goto(f"/runs/{run}")
    expect(card(page, 1, "answered: 42")).to_be_visible(timeout=60_000)
    expect(card(page, 2, "answered: 102")).to_be_visible()
    expect(run_page.answer(page)).to_contain_text("102")
    slider = page.get_by_role("slider", name="Moment of the run")
    expect(slider).to_be_visible()  # it has ended
    card(page, 2).click()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_role("heading", name="Subtask 2")).to_be_visible()
    expect(beside.get_by_role("button", name=re.compile("^Message of ")).first).to_be_visible()


def test_a_phone_lists_them_under_their_graph(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer", viewport=PHONE).new_page()
    page.goto(f"/runs/{stored['learned']}")
    rows = page.get_by_role("region", name="Subtasks", exact=True).get_by_role("listitem")
    expect(rows).to_have_count(8)
    expect(rows.nth(4)).to_contain_text("not solved")
    expect(rows.nth(7)).to_contain_text("not reached")
    expect(run_page.cards(page)).to_have_count(8)
    pictured(page, "subtasks")
    rows.nth(4).get_by_role("button").click()
    sheet = page.get_by_role("dialog", name="Subtask 5")
    expect(sheet.get_by_text("It gave no answer.")).to_be_visible()
    pictured(page, "subtasks-panel")
    sheet.get_by_role("button", name="Message of Accountant on stub").click()
    agent = page.get_by_role("dialog", name=re.compile("Accountant"))
    expect(agent.get_by_role("heading", name="Prompt sent")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("tab", name="Team").click()
    expect(run_page.cards(page)).to_have_count(17)


def test_what_a_planner_wrote_in_vain_is_read_where_the_graph_would_be(
    visit: Visit, stored: dict[str, str]
) -> None:
    """By a link, which shows strangers what it shows everybody."""
    page = visit("admin").new_page()
    page.goto(f"/runs/{stored['unplanned']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    dialog.get_by_role("button", name="Make link").click()
    address = dialog.get_by_role("listitem").get_by_label("Link 1", exact=True).input_value()
    page = visit(None).new_page()
    page.goto(address)
    told = page.get_by_role("region", name="Why there are no subtasks")
    expect(told.get_by_text("Choose a larger model as planner")).to_be_visible()
    first, second = told.get_by_role("listitem").all()
    expect(first).to_contain_text("it is not a JSON object.")
    expect(first).to_contain_text("<img src=x onerror=alert(1)>")
    expect(second).to_contain_text("in a circle: loaves, cakes.")
    pictured(page, "unplanned-stranger")


def test_a_mended_plan_tells_what_was_wrong_and_the_timeline_names_subtasks(
    visit: Visit, stored: dict[str, str]
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['mended']}")
    expect(run_page.cards(page)).to_have_count(8)
    page.get_by_role("button", name=re.compile("first division was not valid")).click()
    reply = page.get_by_role("listitem", name="Reply 1 of the planner on stub")
    expect(reply).to_contain_text("it is not a JSON object.")
    pictured(page, "mended")

    page.get_by_role("tab", name="Timeline").click()
    bars = page.get_by_role("toolbar", name="Timeline")
    expect(bars.get_by_text("1. How much money do 14 loaves at $3 bring?").first).to_be_visible()
    for told in ("Planner · failed", "Planner, second try · done"):
        expect(bars.get_by_title(told)).to_be_visible()
    pictured(page, "timeline-of-subtasks")
    page.get_by_role("button", name="As table").click()
    row = page.get_by_role("row").filter(has_text="4. How much money do loaves and cakes")
    expect(row).to_have_count(3)
