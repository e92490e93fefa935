"""Runs that a person leads: breakpoints, agent by agent, an answer of one's own, and forks."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.designer import drawn, node, opened
from tests.browser.learning import draft
from tests.browser.run_page import RUN_ADDRESS
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


def begun(studio: VisitedStudio, spec: dict[str, Any], **control: Any) -> str:
    """The address of a run of the operator's."""
    design = drawn(studio, "Led", spec).removeprefix("/designs/")
    body = {"query": "What does the baker earn?", "method": "design", "design": design, **control}
    run: dict[str, Any] = studio.post("/api/runs", body, by="operator")
    return f"/runs/{run['id']}"


def waiting(page: Page, names: str) -> Locator:
    panel = page.get_by_role("region", name=f"Stopped before {names}", exact=True)
    expect(panel).to_be_visible()
    return panel


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{name}, "))


def edit(page: Page) -> None:
    """Once the message above the button is formatted, which moves it."""
    expect(page.locator("strong", has_text="102").last).to_be_visible()
    page.get_by_role("button", name="Edit and continue from here").click()


def test_a_breakpoint_is_set_on_the_canvas_and_the_run_goes_on(
    page: Page, studio: VisitedStudio
) -> None:
    opened(page, drawn(studio, "Stops", draft("abc", "ab bc")))
    node(page, "Agent B").click()
    page.keyboard.press("b")
    expect(page.get_by_role("checkbox", name="A run stops before this agent")).to_be_checked()
    expect(node(page, "Agent B").get_by_label("a run stops before it")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("A run stops before Agent B.")).to_be_visible()
    page.get_by_role("textbox", name="Question").fill("What does the baker earn?")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(RUN_ADDRESS)

    panel = waiting(page, "Agent B")
    expect(page.get_by_role("main")).to_contain_text("Waiting")
    expect(card(page, "Agent A")).to_have_accessible_name(re.compile("done"))
    expect(card(page, "Agent B")).to_have_accessible_name(re.compile("waiting for a person"))
    page.reload()
    waiting(page, "Agent B").get_by_role("button", name="Continue to next stop", exact=True).click()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    expect(panel).to_have_count(0)
    expect(card(page, "Agent C")).to_have_accessible_name(re.compile("done"))


def test_agent_by_agent(page: Page, studio: VisitedStudio) -> None:
    page.goto(begun(studio, draft("abc", "ab bc"), step=True))
    for name in ("Agent A", "Agent B"):
        waiting(page, name).get_by_role("button", name="Run next agent").click()
    waiting(page, "Agent C").get_by_role("button", name="Run to the end").click()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    page.get_by_role("tab", name="Trace").click()
    expect(page.get_by_role("treeitem", name=re.compile("^Attempt"))).to_have_count(1)


def test_a_person_answers_for_an_agent(page: Page, visit: Visit, studio: VisitedStudio) -> None:
    address = begun(studio, draft("abc", "ab bc", asked="b"))
    page.goto(address)
    panel = waiting(page, "Agent B")
    expect(panel.get_by_text("Waiting for your message as Agent B")).to_be_visible()
    panel.get_by_role("button", name="Agent A says").click()
    expect(panel.get_by_text("102").first).to_be_visible()

    other = visit("curator").new_page()
    other.goto(address)
    expect(waiting(other, "Agent B")).to_contain_text("operator or an admin can continue the run")
    expect(other.get_by_role("textbox", name="Your message as Agent B")).to_have_count(0)

    said = panel.get_by_role("textbox", name="Your message as Agent B")
    said.fill("I think it is 99.\nAnswer: 99")
    page.reload()
    expect(said).to_have_value("I think it is 99.\nAnswer: 99")
    panel.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    expect(other.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    card(page, "Agent B").click()
    expect(page.get_by_text("A person wrote this message.")).to_be_visible()


def test_a_fork_of_a_run_that_waits_stops_where_it_would_have(
    page: Page, studio: VisitedStudio
) -> None:
    address = begun(studio, draft("abc", "ab bc"), breakpoints=["c"])
    page.goto(address)
    waiting(page, "Agent C")
    card(page, "Agent B").click()
    edit(page)
    submit = page.get_by_role("button", name="Continue from here", exact=True)
    expect(submit).to_be_disabled()
    page.get_by_role("textbox", name="New message from Agent B").fill("It is 7.\nAnswer: 7")
    expect(page.get_by_text("This run keeps waiting.")).to_be_visible()
    page.get_by_role("checkbox", name="Cancel this run instead").check(force=True)
    submit.click()
    page.wait_for_url(lambda url: bool(RUN_ADDRESS.search(url)) and address not in url)
    panel = waiting(page, "Agent C")
    assert studio.run(address.removeprefix("/runs/"))["status"] == "cancelled"
    panel.get_by_role("button", name="Continue to next stop", exact=True).click()
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    card(page, "Agent A").click()
    expect(
        page.get_by_text("This message comes from the run that this run continues.")
    ).to_be_visible()
    card(page, "Agent B").click()
    expect(page.get_by_text("A person edited this message.")).to_be_visible()
    card(page, "Agent C").click()
    expect(page.get_by_text("It is 7.").first).to_be_visible()

    page.get_by_role("button", name="Compare").click()
    page.get_by_role("menuitem", name="The run that this run comes from").click()
    page.wait_for_url("**/runs/compare?*")
    assert page.url.split("?left=")[1].startswith(address.removeprefix("/runs/"))
    graph = page.get_by_role("region", name="Both graphs")
    said = re.compile("^Agent B, in both, message differs")
    expect(graph.get_by_role("button", name=said)).to_be_visible()


def test_people_note_what_they_think_of_a_run(
    page: Page, visit: Visit, studio: VisitedStudio
) -> None:
    address = begun(studio, draft("ab", "ab"))
    page.goto(address)
    expect(page.get_by_role("region", name="Answer", exact=True)).to_be_visible()
    page.get_by_role("button", name="Add note", exact=True).click()
    dialog = page.get_by_role("dialog", name="Your note on this run")
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    dialog.get_by_role("button", name=re.compile("Score$")).click()
    page.get_by_role("option", name="4 of 5").click()
    dialog.get_by_role("textbox", name="Label").fill("good team")
    dialog.get_by_role("textbox", name="Comment").fill("<b>Twice</b> the tokens")
    dialog.get_by_role("button", name="Save").click()
    notes = page.get_by_role("list", name="Notes")
    expect(notes).to_contain_text("<b>Twice</b> the tokens")

    viewer = visit("viewer").new_page()
    viewer.goto(address)
    expect(viewer.get_by_role("list", name="Notes")).to_contain_text("good team")
    expect(viewer.get_by_role("button", name="Add note", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Edit your note").click()
    dialog.get_by_role("button", name="Delete note").click()
    expect(notes).to_have_count(0)
