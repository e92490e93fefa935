"""The list of runs: filtered by what runs came to and what people noted, and filters kept."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import AXE, violations
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def noted(studio: VisitedStudio) -> str:
    """The question of a run that somebody has labelled."""
    question = "A baker keeps a list: what do the loaves bring?"
    body = {"query": question, "method": "direct"}
    run = studio.post("/api/runs", body, by="operator")["id"]
    studio.wait(run, "succeeded", seconds=60)
    note = {"score": 4, "label": "keeps a list", "comment": "Neatly counted."}
    studio.request("PUT", f"/api/runs/{run}/annotation", by="operator", json=note)
    return question


def runs(page: Page) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link"))


def test_rarer_filters_stand_behind_one_button(visit: Visit, noted: str, team_run: str) -> None:
    page = visit("viewer", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/runs")
    expect(page.get_by_role("link", name=noted)).to_be_visible()
    more_button = page.get_by_role("button", name="More filters")
    more_button.click()
    more = page.get_by_role("dialog", name="More filters")
    label = more.get_by_role("combobox", name="Label of a note")
    label.fill("LIST")
    page.get_by_role("option", name="keeps a list").click()
    expect(page).to_have_url(re.compile("label=keeps"))
    expect(label).to_have_value("keeps a list")
    run_page.choose(page, "Score of a note", "Score 4 or more")
    page.keyboard.press("Escape")
    expect(more).to_have_count(0)
    expect(runs(page)).to_have_count(1)
    notes = runs(page).get_by_role("list", name="Notes")
    for told in ("4 of 5", "keeps a list", "with a comment", "by test-operator"):
        expect(notes).to_contain_text(told)
    expect(notes.get_by_text("by test-operator")).to_be_in_viewport()
    expect(more_button).to_contain_text("2")
    more_button.click()
    run_page.choose(page, "Score of a note", "Score 5")
    page.keyboard.press("Escape")
    expect(page.get_by_text("No run matches these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").first.click()
    page.get_by_role("searchbox", name="Search questions, answers, notes").fill("baker neatly")
    expect(page).to_have_url(re.compile("q=baker"))
    expect(runs(page)).to_have_count(1)
    expect(page.get_by_role("link", name=noted)).to_be_visible()


def test_filters_are_kept_under_a_name(visit: Visit, noted: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/runs?label=keeps+a+list")
    expect(runs(page)).to_have_count(1)
    page.get_by_role("button", name="Views").click()
    views = page.get_by_role("dialog", name="Views")
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    expect(page.get_by_role("button", name="Kept lists")).to_be_visible()

    page.goto("/runs")
    run_page.choose(page, "Status", "Failed")
    expect(page).to_have_url(re.compile("status=failed"))
    page.get_by_role("button", name="Views").click()
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    replace = page.get_by_role("dialog", name="Replace “Kept lists”?")
    expect(replace).to_be_visible()
    replace.get_by_role("button", name="Cancel").click()
    expect(replace).to_have_count(0)
    views.get_by_role("button", name="Kept lists", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs\?label=keeps\+a\+list$"))
    expect(page.get_by_role("link", name=noted)).to_be_visible()
    page.get_by_role("button", name="Views: Kept lists").click()
    views.get_by_role("button", name="Delete view: Kept lists").click()
    expect(views.get_by_role("listitem")).to_have_count(0)
    page.goto("/evaluations")
    page.get_by_role("button", name="Views").click()
    expect(views.get_by_text("Filter the list, then save")).to_be_visible()


def test_many_are_labelled_taken_away_run_again_cancelled_and_deleted(
    visit: Visit, studio: VisitedStudio
) -> None:
    asked = [f"A florist asks {number}: what is 2 + {number}?" for number in range(2)]
    for question in asked:
        studio.wait(studio.ask(question), "succeeded", seconds=60)
    stuck = studio.ask("[stuck] A florist waits: what for?")
    page = visit("admin", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/runs?q=florist")
    expect(runs(page)).to_have_count(3)
    bar = page.get_by_role("region", name="Chosen runs")
    expect(bar).to_have_count(0)
    choose_all = page.get_by_role("checkbox", name="Choose all runs shown")
    choose_all.press("Space")
    expect(bar.get_by_role("status")).to_have_text("3 runs chosen: 1 still running")
    expect(bar.get_by_role("button", name="Delete 2 of 3")).to_be_enabled()
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    page.get_by_role("checkbox", name="Choose: [stuck]").press("Space")
    expect(bar.get_by_role("status")).to_have_text("2 runs chosen")
    bar.get_by_role("button", name="Label").click()
    page.get_by_role("textbox", name="Label").fill("of spring")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("2 runs labelled.")).to_be_visible()
    with page.expect_download() as taken:
        bar.get_by_role("link", name="Download traces").click()
    told = [json.loads(line) for line in taken.value.path().read_text().splitlines()]
    assert {run["run"]["query"] for run in told} == set(asked)
    assert {run["run"]["annotations"][0]["label"] for run in told} == {"of spring"}
    assert all(run["events"] for run in told)
    compare = bar.get_by_role("link", name="Compare")
    expect(compare).to_have_attribute("href", re.compile("/runs/compare"))

    page.set_viewport_size({"width": 1440, "height": 900})
    bar.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("2 runs started again.")).to_be_visible()
    expect(runs(page)).to_have_count(5)
    choose_all.press("Space")
    bar.get_by_role("button", name=re.compile("^Cancel")).click()
    expect(page.get_by_text(re.compile("runs? cancelled"))).to_be_visible()
    studio.wait(stuck, "cancelled")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download all matching runs").click()
    assert len(taken.value.path().read_text().splitlines()) == 5

    page.reload()
    boxes = runs(page).get_by_role("checkbox")
    boxes.first.locator("xpath=ancestor::label").click()
    boxes.last.locator("xpath=ancestor::label").click(modifiers=["Shift"])
    expect(bar.get_by_role("status")).to_have_text("5 runs chosen")
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete 5 runs?").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("5 runs deleted.")).to_be_visible()
    expect(runs(page)).to_have_count(0)
    expect(bar).to_have_count(0)


def test_one_is_deleted_from_its_own_page(visit: Visit, studio: VisitedStudio) -> None:
    run_id = studio.ask("A florist regrets: what is 3 + 4?")
    studio.wait(run_id, "succeeded", seconds=60)
    reader = visit("viewer").new_page()
    reader.goto(f"/runs/{run_id}")
    expect(run_page.answer(reader)).to_be_visible()
    expect(reader.get_by_role("button", name="Delete this run")).to_have_count(0)
    page = visit("admin").new_page()
    page.goto(f"/runs/{run_id}")
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_role("dialog", name="Delete 1 run?").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile("/runs$"))
    reader.reload()
    expect(reader.get_by_role("alert")).to_contain_text("What it names may have been deleted")


def test_a_role_leads_to_its_agent_and_the_agent_to_its_runs(
    visit: Visit, agent: dict[str, Any], team_run: str
) -> None:
    page = visit("viewer").new_page()
    page.goto(f"/roles?pool={agent['pool']}&role={agent['role_key']}")
    page.get_by_role("link", name="Show its agents").click()
    table = page.get_by_role("region", name="Agents")
    expect(table.get_by_role("row")).to_have_count(2)
    table.get_by_role("button", name="Mean reward").click()
    expect(page).to_have_url(re.compile("order=-reward"))
    table.get_by_role("link", name=agent["role_name"]).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(agent["role_name"])
    curve = page.get_by_role("slider", name="Mean reward over rewards")
    curve.press("Home")
    expect(curve).to_have_attribute("aria-valuetext", "reward 1: Mean reward 1 (0.207 to 1)")
    page.get_by_role("button", name="As table").last.click()
    rewards = page.get_by_role("region", name="Rewards of the agent")
    expect(rewards.get_by_role("row").nth(1)).to_contain_text("reward 3")
    expect(rewards.get_by_role("link", name="Open").first).to_have_attribute(
        "href", f"/runs/{team_run}"
    )
    page.get_by_role("link", name="Show its runs").click()
    expect(page).to_have_url(re.compile(f"role={agent['role_key']}"))
    # The address changes before the page does: until then the rewards stand here, all of one run.
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    expect(runs(page).locator(f"a[href='/runs/{team_run}']")).to_be_visible()
    page.go_back()
    page.get_by_role("main").get_by_role("link", name="Endpoints").click()
    expect(page).to_have_url(re.compile(f"/endpoints#{agent['endpoint']}$"))
    expect(page.locator("article:focus")).to_be_visible()
    page.goto("/endpoints")
    page.get_by_role("link", name="Show its agents").first.click()
    expect(page).to_have_url(re.compile("/agents\\?endpoint="))
