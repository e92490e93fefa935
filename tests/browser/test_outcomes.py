"""Other methods than MasHost, and the other ways in which a run ends."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from tests.browser import run_page
from tests.browser.studio import VisitedStudio
from tests.processes.children import until
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.browser


def test_self_consistency_shows_its_votes_and_is_judged_by_the_expected_answer(
    page: Page, studio: VisitedStudio
) -> None:
    page.goto("/")
    run_page.choose(page, "Method", "Self-consistency")
    page.get_by_role("button", name=re.compile("^Options")).click()
    page.get_by_role("textbox", name=re.compile(r"^(k|samples)\b", re.IGNORECASE)).fill("3")
    page.get_by_role("textbox", name="Expected answer").fill("102")
    run_id = run_page.ask(page, "A baker votes: what do the loaves and cakes bring?")
    seen = run_page.shown(page, studio, run_id)
    assert studio.run(run_id)["method_config"]["k"] == 3
    team = page.get_by_role("complementary")
    expect(team.get_by_role("heading", name="Team")).to_be_visible()
    expect(team).to_contain_text("3 agents")
    assert "102" in seen.answer
    assert studio.run(run_id)["correct"] is True
    page.goto("/runs?correct=true&q=votes")
    expect(page.get_by_role("row").filter(has_text="A baker votes")).to_contain_text("Right")


def test_direct_is_one_agent(page: Page, studio: VisitedStudio) -> None:
    page.goto("/")
    run_page.choose(page, "Method", "Direct")
    run_id = run_page.ask(page, "A baker alone: what do the loaves and cakes bring?")
    seen = run_page.shown(page, studio, run_id)
    assert len(seen.cards) == 3
    assert len(studio.run(run_id)["graph"]["nodes"]) == 1
    page.get_by_role("tab", name="Trace").click()
    expect(page.get_by_role("tree", name="Trace")).to_be_visible()
    page.get_by_role("tab", name="Timeline").click()
    bars = page.get_by_role("toolbar", name="Timeline").get_by_role("button")
    bars.first.focus()
    page.keyboard.press("End")
    expect(bars.last).to_be_focused()
    page.keyboard.press("Home")
    expect(bars.first).to_be_focused()
    stops = "all => all.filter((each) => each.tabIndex === 0).length"
    assert bars.evaluate_all(stops) == 1
    page.get_by_role("button", name="As table").click()
    expect(page.get_by_role("table")).to_be_visible()


def test_an_endpoint_that_refuses_fails_the_run_with_cause_and_remedy(
    page: Page, studio: VisitedStudio, llm: RunningStub
) -> None:
    name = f"Locked server {uuid.uuid4().hex[:4]}"
    key = name.lower().replace(" ", "-")
    studio.endpoint(key, name, base_url=llm.url, model="fault-401")
    page.goto("/")
    run_page.choose(page, "Method", "Direct")
    run_page.choose(page, "Endpoint", name)
    run_id = run_page.ask(page, "What does a locked server say?")
    card = page.get_by_role("alert").filter(has_text="The run failed")
    expect(card).to_be_visible()
    failure = studio.run(run_id)["failure"]
    for part in ("message", "remedy", "code"):
        assert failure[part]
        expect(card).to_contain_text(failure[part])


def test_a_run_is_cancelled_while_its_model_is_silent(
    page: Page, studio: VisitedStudio, llm: RunningStub
) -> None:
    page.goto("/")
    run_page.choose(page, "Method", "Direct")
    run_id = run_page.ask(page, "[stuck] Will this ever end?")
    expect(run_page.status(page, "Running")).to_be_visible()
    until(lambda: llm.log()["active"] == 1, seconds=30, what="the model is called")
    page.get_by_role("button", name="Cancel run").click()
    expect(page.get_by_text("Cancelled by test-operator")).to_be_visible()
    assert studio.run(run_id)["status"] == "cancelled"
    until(lambda: llm.log()["active"] == 0, seconds=30, what="the call is dropped")
    page.get_by_role("button", name="Run again").click()
    page.wait_for_url(lambda address: run_id not in address)
    page.get_by_role("button", name="Cancel run").click()
    expect(page.get_by_text("Cancelled by test-operator")).to_be_visible()
