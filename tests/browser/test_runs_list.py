"""The list of runs: filtered by what runs came to and what people noted, and filters kept."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.looks import AXE, picture, violations
from tests.browser.studio import VisitedStudio
from workers.core.testing.stub_process import RunningStub

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
    page.screenshot(path=picture("runs-more-filters-390"))
    page.keyboard.press("Escape")
    expect(more).to_have_count(0)
    expect(runs(page)).to_have_count(1)
    notes = runs(page).get_by_role("list", name="Notes")
    for told in ("4 of 5", "keeps a list", "with a comment", "by test-operator"):
        expect(notes).to_contain_text(told)
    expect(notes.get_by_text("by test-operator")).to_be_in_viewport()
    page.screenshot(path=picture("runs-noted-390"))
    expect(more_button).to_contain_text("2")
    more_button.click()
    run_page.choose(page, "Score of a note", "Score 5")
    page.keyboard.press("Escape")
    expect(page.get_by_text("No run matches these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").first.click()
    more_button.click()
    label.fill("Nobody said so")
    label.press("Enter")
    run_page.choose(page, "Checkpoint", "mashost-initial")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("label=Nobody"))
    expect(page.get_by_text("No run matches these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").first.click()
    page.get_by_role("searchbox", name="Search questions, answers, notes").fill("baker neatly")
    expect(page).to_have_url(re.compile("q=baker"))
    expect(runs(page)).to_have_count(1)
    expect(page.get_by_role("link", name=noted)).to_be_visible()


def test_every_filter_leaves_what_it_says(
    visit: Visit, studio: VisitedStudio, llm: RunningStub
) -> None:
    prices = {"prompt_price": 1_000.0, "completion_price": 1_000.0}
    studio.endpoint("dear", "Dear one", base_url=llm.url, model="stub", **prices)
    asked = {
        "team": {"method": "mashost"},
        "right": {"endpoint": "dear", "reference": "102"},
        "wrong": {"reference": "7"},
    }
    ids = {
        name: studio.ask(f"A baker at the quay, {name}: what do the loaves bring?", **body)
        for name, body in asked.items()
    }
    for run_id in ids.values():
        studio.wait(run_id, "succeeded", seconds=90)
    waits = {"query": "[stuck] Somebody at the quay: what is waited for?", "method": "direct"}
    stuck = studio.post("/api/runs", waits, by="operator")["id"]
    page = visit("operator").new_page()
    page.goto("/runs?q=quay")

    def left(*names: str) -> None:
        wanted = [ids[name] for name in names]
        expect(runs(page)).to_have_count(len(wanted))
        for run_id in wanted:
            expect(runs(page).locator(f"a[href='/runs/{run_id}']")).to_have_count(1)

    def cleared() -> None:
        page.goto("/runs?q=quay")
        expect(runs(page)).to_have_count(4)

    for label, option, *names in (
        ("Status", "Succeeded", "team", "right", "wrong"),
        ("Method", "MasHost", "team"),
        ("Endpoint", "Dear one", "right"),
        ("Role pool", "General", "team"),
    ):
        cleared()
        run_page.choose(page, label, option)
        left(*names)
    cleared()
    more = page.get_by_role("button", name="More filters")
    for option in ("Right", "Wrong"):
        more.click()
        run_page.choose(page, "Verdict", option)
        page.keyboard.press("Escape")
        left(option.lower())
    cleared()
    more.click()
    page.get_by_label("Cost from, $").fill("0.001")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    left("right")
    page.screenshot(path=picture("runs-filtered"))
    studio.request("POST", f"/api/runs/{stuck}/cancel", by="operator")


def test_those_that_can_are_run_again_and_cancelled(visit: Visit, studio: VisitedStudio) -> None:
    asked = [f"A gardener asks {number}: what is 2 + {number}?" for number in range(2)]
    for question in asked:
        studio.wait(studio.ask(question), "succeeded", seconds=60)
    stuck = studio.ask("[stuck] A gardener waits: what for?")
    page = visit("admin").new_page()
    page.goto("/runs?q=gardener")
    expect(runs(page)).to_have_count(3)
    bar = page.get_by_role("region", name="Chosen runs")
    choose_all = page.get_by_role("checkbox", name="Choose all runs shown")
    choose_all.press("Space")
    expect(bar.get_by_role("status")).to_have_text("3 runs chosen: 1 under way")
    expect(bar.get_by_role("button", name="Delete 2 of 3")).to_be_enabled()
    page.screenshot(path=picture("runs-chosen"))
    bar.get_by_role("button", name="Run again 2 of 3").click()
    expect(page.get_by_text("2 runs begun again.")).to_be_visible()
    expect(runs(page)).to_have_count(5)
    choose_all.press("Space")
    bar.get_by_role("button", name=re.compile("^Cancel")).click()
    expect(page.get_by_text(re.compile("runs? cancelled"))).to_be_visible()
    studio.wait(stuck, "cancelled")
    expect(page.get_by_text("Filtered runs, with traces")).to_be_visible()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download all that match").click()
    told = [json.loads(line) for line in taken.value.path().read_text().splitlines()]
    assert len(told) == 5
    assert {line["run"]["query"] for line in told} >= set(asked)


def test_filters_are_kept_under_a_name(visit: Visit, noted: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/runs?label=keeps+a+list")
    expect(runs(page)).to_have_count(1)
    page.get_by_role("button", name="Views").click()
    views = page.get_by_role("dialog", name="Views")
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    expect(page.get_by_role("button", name="Kept lists")).to_be_visible()

    page.goto("/runs?status=failed")
    page.get_by_role("button", name="Views").click()
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    replace = page.get_by_role("dialog", name="Replace “Kept lists”?")
    expect(replace).to_be_visible()
    page.screenshot(path=picture("runs-view-replaced"))
    replace.get_by_role("button", name="Cancel").click()
    expect(replace).to_have_count(0)
    views.get_by_role("button", name="Kept lists", exact=True).click()
    expect(page).to_have_url(re.compile(r"/runs\?label=keeps\+a\+list$"))
    expect(page.get_by_role("link", name=noted)).to_be_visible()
    page.goto("/runs?status=cancelled")
    page.get_by_role("button", name="Views").click()
    views.get_by_role("textbox", name="Name of this view").fill("Kept lists")
    views.get_by_role("button", name="Save view").click()
    replace.get_by_role("button", name="Replace").click()
    page.get_by_role("button", name="Views: Kept lists").click()
    views.get_by_role("button", name="Delete view: Kept lists").click()
    expect(views.get_by_role("listitem")).to_have_count(0)
    page.goto("/evaluations")
    page.get_by_role("button", name="Views").click()
    expect(views.get_by_text("Filter the list, then save")).to_be_visible()


def test_many_are_labelled_compared_taken_away_and_deleted(
    visit: Visit, studio: VisitedStudio
) -> None:
    asked = [f"A florist asks {number}: what is 2 + {number}?" for number in range(3)]
    for question in asked:
        studio.wait(studio.ask(question), "succeeded", seconds=60)
    page = visit("admin", viewport={"width": 390, "height": 844}).new_page()
    page.goto("/runs?q=florist")
    expect(runs(page)).to_have_count(3)
    bar = page.get_by_role("region", name="Chosen runs")
    expect(bar).to_have_count(0)
    page.get_by_role("checkbox", name="Choose all runs shown").press("Space")
    expect(bar.get_by_role("status")).to_have_text("3 runs chosen")
    page.get_by_role("checkbox", name=f"Choose: {asked[2]}").press("Space")
    expect(bar.get_by_role("status")).to_have_text("2 runs chosen")
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    page.screenshot(path=picture("runs-chosen-390"))
    bar.get_by_role("button", name="Label").click()
    page.get_by_role("textbox", name="Label").fill("of spring")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("2 runs labelled.")).to_be_visible()
    with page.expect_download() as taken:
        bar.get_by_role("link", name="Download traces").click()
    lines = taken.value.path().read_text().splitlines()
    told = [json.loads(line) for line in lines]
    assert {run["run"]["query"] for run in told} == set(asked[:2])
    assert {run["run"]["annotations"][0]["label"] for run in told} == {"of spring"}
    assert all(run["events"] for run in told)
    bar.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("region", name="Both graphs")).to_be_visible()

    page.goto("/runs?q=florist")
    page.set_viewport_size({"width": 1440, "height": 900})
    boxes = runs(page).get_by_role("checkbox")
    boxes.first.locator("xpath=ancestor::label").click()
    boxes.last.locator("xpath=ancestor::label").click(modifiers=["Shift"])
    expect(bar.get_by_role("status")).to_have_text("3 runs chosen")
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete 3 runs?").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("3 runs deleted.")).to_be_visible()
    expect(runs(page)).to_have_count(0)
    expect(bar).to_have_count(0)


def test_who_only_reads_takes_traces_away(visit: Visit, team_run: str) -> None:
    page = visit("viewer").new_page()
    page.goto("/runs")
    page.get_by_role("checkbox", name="Choose: ").first.press("Space")
    bar = page.get_by_role("region", name="Chosen runs")
    expect(bar.get_by_role("link", name="Download traces")).to_be_visible()
    for name in ("Run again", "Label", "Delete", "Cancel"):
        expect(bar.get_by_role("button", name=name, exact=True)).to_have_count(0)


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
    page.get_by_role("link", name="Its agents").click()
    table = page.get_by_role("region", name="Agents")
    expect(table.get_by_role("row")).to_have_count(2)
    table.get_by_role("button", name="Reward R").click()
    expect(page).to_have_url(re.compile("order=-reward"))
    table.get_by_role("link", name=agent["role_name"]).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(agent["role_name"])
    curve = page.get_by_role("slider", name="Reward R over rewards")
    curve.press("Home")
    expect(curve).to_have_attribute("aria-valuetext", "reward 1: Reward R 1 (0.207 to 1)")
    page.get_by_role("button", name="As table").last.click()
    rewards = page.get_by_role("region", name="Rewards of the agent")
    expect(rewards.get_by_role("row").nth(1)).to_contain_text("reward 3")
    expect(rewards.get_by_role("link", name="Open").first).to_have_attribute(
        "href", f"/runs/{team_run}"
    )
    page.get_by_role("link", name="Its runs").click()
    expect(page).to_have_url(re.compile(f"role={agent['role_key']}"))
    # The address changes before the page does: until then the rewards stand here, all of one run.
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    expect(runs(page).locator(f"a[href='/runs/{team_run}']")).to_be_visible()
    page.go_back()
    page.get_by_role("main").get_by_role("link", name="Endpoints").click()
    expect(page).to_have_url(re.compile(f"/endpoints#{agent['endpoint']}$"))
    expect(page.locator("article:focus")).to_be_visible()
    page.goto("/endpoints")
    page.get_by_role("link", name="Its agents").first.click()
    expect(page).to_have_url(re.compile("/agents\\?endpoint="))
