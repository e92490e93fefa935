"""The main job: ask, watch the team being built, get the answer, and find it again."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

QUESTION = "A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much in all?"


def test_a_team_grows_live_answers_and_is_found_again(page: Page, studio: VisitedStudio) -> None:
    page.goto("/")
    page.evaluate(run_page.RECORD)
    page.get_by_role("textbox", name="Seed").fill("7")
    run_id = run_page.ask(page, QUESTION)
    before = run_page.shown(page, studio, run_id)
    assert "102" in before.answer

    running = [each for each in run_page.samples(page) if each["status"] == "Running"]
    for what, different in (("agents", 3), ("steps", 3), ("writing", 8)):
        seen = {each[what] for each in running}
        assert len(seen) >= different, f"{what} did not grow while it ran: {sorted(seen)}"
    assert max(each["edges"] for each in running) >= 1
    assert max(each["shares"] for each in running) >= 3

    run = studio.run(run_id)
    assert run["seed"] == 7
    page.reload()
    assert run_page.shown(page, studio, run_id) == before

    page.get_by_role("link", name="Runs", exact=True).click()
    row = page.get_by_role("row").filter(has=page.locator(f'a[href="/runs/{run_id}"]'))
    expect(row).to_contain_text("Succeeded")
    expect(row).to_contain_text("102")
    row.get_by_role("link").click()
    assert run_page.shown(page, studio, run_id) == before


def test_a_second_tab_shows_the_same_while_it_runs_and_after(
    visit: Visit, studio: VisitedStudio
) -> None:
    context = visit(reduced_motion="no-preference")
    run_id = studio.ask("A baker in two tabs: what do the loaves bring?", method="mashost")
    tabs = [context.new_page(), context.new_page(), visit("viewer").new_page()]
    for tab in tabs:
        tab.goto(f"/runs/{run_id}")
    first, *others = [run_page.shown(tab, studio, run_id) for tab in tabs]
    assert len(first.cards) >= 4
    assert others == [first, first]
