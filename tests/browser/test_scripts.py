"""A team that a script describes: script and drawing, lines and calls, problems and the end; at a
desk, on a phone, and by a link for strangers."""

import re
import signal

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import Visit
from tests.browser.learning import drawn
from tests.browser.looks import pictured
from tests.browser.studio import VisitedStudio
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1440, "height": 900}


def script(page: Page, number: int = 2) -> Locator:
    return page.get_by_role("region", name=f"Script {number}, line by line")


def drawing(page: Page) -> Locator:
    return page.get_by_role("region", name="Drawing of the team")


def test_a_line_leads_to_its_agents_and_an_agent_to_its_line(
    visit: Visit, stored: dict[str, str]
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['script']}")
    expect(drawing(page).get_by_role("button", name=re.compile("^Solver 1, Agent"))).to_be_visible()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_text("Delivered an answer")).to_be_visible()
    expect(beside.get_by_text("The team says 48")).to_be_visible()
    pictured(page, "script")

    script(page).get_by_role("button", name=re.compile("^ *5")).click()
    for n in (1, 2, 3):
        card = drawing(page).get_by_role("button", name=re.compile(f"^Solver {n}, Agent"))
        expect(card).to_have_attribute("aria-pressed", "true")
    expect(page).to_have_url(re.compile(r"\?block=L5$"))
    expect(beside.get_by_text("Solve the problem step by step.").first).to_be_visible()
    pictured(page, "script-line")

    drawing(page).get_by_role("button", name=re.compile("^Critic, Agent")).click()
    line = script(page).get_by_role("button", name=re.compile("^ *9"))
    expect(line).to_have_attribute("aria-pressed", "true")
    beside.get_by_role("button", name="Details of Critic").click()
    expect(beside.get_by_text("4 baskets are left", exact=False)).to_be_visible()
    pictured(page, "script-agent")
    beside.get_by_role("button", name="Show line 9").click()
    expect(beside.get_by_role("heading", name="Critic").first).to_be_visible()


def test_a_first_script_stands_beside_the_second(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['script']}")
    page.get_by_role("button", name="Script 1 · 3 problems").click()
    expect(script(page, 1).get_by_text("imports nothing but", exact=False)).to_be_visible()
    expect(script(page, 2)).to_be_visible()
    pictured(page, "script-problems")


def test_the_replay_lights_who_speaks(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/runs/{stored['script']}")
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.press("Home")
    for _ in range(9):
        slider.press("ArrowRight")
    expect(page.get_by_role("status").filter(has_text="at work")).to_have_count(1)
    expect(script(page).locator(".script-line-now")).to_have_count(1)
    expect(script(page).locator(".script-line-around")).to_have_count(2)
    pictured(page, "script-replay")
    page.get_by_role("tab", name="Trace").click()
    expect(page.get_by_role("treeitem", name=re.compile("^Script 2"))).to_be_visible()
    pictured(page, "script-trace")


def test_a_phone_has_the_script_below_the_drawing(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("viewer", viewport=PHONE).new_page()
    page.goto(f"/runs/{stored['script']}")
    expect(drawing(page)).to_be_in_viewport()
    pictured(page, "script")
    script(page).get_by_role("button", name=re.compile("^ *9")).click()
    page.get_by_role("button", name="Details of Critic").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_text("4 baskets are left", exact=False)).to_be_visible()
    pictured(page, "script-agent")
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.evaluate("window.scrollTo(0, 700)")
    pictured(page, "script-below")


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_a_failed_script_and_a_large_one_fit(
    visit: Visit, stored: dict[str, str], viewport: ViewportSize
) -> None:
    page = visit("viewer", viewport=viewport).new_page()
    page.goto(f"/runs/{stored['given_script']}")
    expect(page.get_by_text("The settings give this script", exact=False)).to_be_visible()
    expect(page.get_by_text("Check the length of the list first.").first).to_be_visible()
    pictured(page, "script-failed")
    page.goto(f"/runs/{stored['large_script']}")
    expect(drawing(page).get_by_role("button").first).to_be_visible()
    pictured(page, "script-large")
    page.get_by_role("button", name="Fit to view").click()
    expect(page.get_by_role("button", name="Readable size")).to_be_visible()
    fits = (
        "({scrollHeight: h, clientHeight: y, scrollWidth: w, clientWidth: x}) => h <= y && w <= x"
    )
    assert drawing(page).evaluate(fits)
    pictured(page, "script-large-whole")


STATUSES = """() => {
  const seen = (window.__statuses = [])
  const sample = () => {
    for (const { textContent } of document.querySelectorAll('[role=status]'))
      if (textContent && !seen.includes(textContent)) seen.push(textContent)
  }
  addEventListener('DOMContentLoaded', () =>
    new MutationObserver(sample).observe(document.body, {
      subtree: true, childList: true, characterData: true,
    }))
}"""


def test_a_real_run_is_watched_from_its_first_word(
    visit: Visit, studio: VisitedStudio, llm: RunningStub
) -> None:
    page = visit("operator").new_page()
    page.add_init_script(f"({STATUSES})()")
    llm.process.send_signal(signal.SIGSTOP)  # no word comes before the page is there
    try:
        run_id = studio.ask("What do 14 loaves and 5 cakes bring?", method="metaagent_x")
        page.goto(f"/runs/{run_id}")
        reads = page.get_by_role("status").filter(has_text="The designer reads the question")
        expect(reads).to_have_count(1)
    finally:
        llm.process.send_signal(signal.SIGCONT)
    expect(page.get_by_text("Delivered an answer").first).to_be_visible()
    studio.wait(run_id, "succeeded", seconds=90)
    expect(script(page, 1).get_by_role("button", name=re.compile("^ *3"))).to_be_visible()
    expect(drawing(page).get_by_role("button", name=re.compile("^Critic, Agent"))).to_be_visible()
    calls = page.get_by_role("button", name=re.compile("^Details of (Solver|Critic)"))
    expect(calls.nth(2)).to_be_visible()
    seen: list[str] = page.evaluate("window.__statuses")
    assert any("writes script 1" in each for each in seen), seen
    assert any("at work" in each for each in seen), seen
    pictured(page, "script-real")
    page.set_viewport_size(PHONE)
    expect(drawing(page)).to_be_in_viewport()
    pictured(page, "script-real")


def test_strangers_see_the_same(visit: Visit, stored: dict[str, str]) -> None:
    page = visit("admin").new_page()
    page.goto(f"/runs/{stored['script']}")
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share this run")
    dialog.get_by_role("button", name="Make link").click()
    address = dialog.get_by_role("listitem").get_by_label("Link 1", exact=True).input_value()
    page = visit(None).new_page()
    page.goto(address)
    expect(script(page).get_by_text("Look for a mistake", exact=False)).to_be_visible()
    drawing(page).get_by_role("button", name=re.compile("^Critic, Agent")).click()
    beside = page.get_by_role("complementary")
    expect(beside.get_by_text("4 baskets are left", exact=False)).to_be_visible()
    page.get_by_role("button", name="Script 1 · 3 problems").click()
    expect(script(page, 1).get_by_text("imports nothing but", exact=False)).to_be_visible()


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_the_designs_of_a_step_open_as_runs(
    visit: Visit, designed: str, viewport: ViewportSize
) -> None:
    page = visit("viewer", viewport=viewport).new_page()
    page.goto(f"/training/{designed}?step=12")
    expect(page.get_by_text("Designer learns")).to_be_visible()
    drawn(page, 12, "Right answers")
    pictured(page, "designs-curves")
    page.get_by_role("link", name="See every design of step 12").click()
    matrix = page.get_by_role("region", name="Rewards of question 1")
    expect(matrix.get_by_role("link", name=re.compile("^Design 2, execution 1"))).to_be_visible()
    pictured(page, "designs")
    matrix.get_by_role("button", name=re.compile("^Design 3 script$")).click()
    expect(matrix.get_by_text("imports nothing but", exact=False).last).to_be_visible()
    matrix.get_by_role("button", name=re.compile("^Design 3 script$")).scroll_into_view_if_needed()
    pictured(page, "designs-script")
    matrix.get_by_role("link", name=re.compile("^Design 4, execution 1: right")).click()
    expect(page.get_by_role("heading", name=re.compile("Design 4, execution 1"))).to_be_visible()
    expect(drawing(page).get_by_role("button", name=re.compile("^Critic, Agent"))).to_be_visible()
    others = page.get_by_role("navigation", name="Executions of the question")
    expect(others.get_by_role("link", name=re.compile("^Design 4, execution 1"))).to_have_attribute(
        "aria-current", "page"
    )
    pictured(page, "designs-execution")
    others.get_by_role("link", name="Can’t be used").click()
    expect(page.get_by_text("Remove", exact=False).first).to_be_visible()
    pictured(page, "designs-unusable")
