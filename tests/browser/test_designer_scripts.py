"""A design that is a script: pasted, corrected, seen, run, drawn, and a drawing written as one."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.designer import drawn, name_of_design, node, opened, panel, saved
from tests.browser.learning import draft
from tests.browser.looks import WIDTHS, pictured
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

TEAM = """from workflow import agent, deliver, ensemble

bakers = [agent(f"Baker {n}", "You know the baker. Solve it.") for n in range(3)]
deliver(ensemble(bakers, by="majority"))
"""
WRONG = TEAM.replace('"majority"', '"most"')
CRITIC = """from workflow import agent, deliver, reflection

solver = agent("Solver", "Solve it.")
critic = agent("Critic", "Check it.")
deliver(reflection(solver, critic, rounds=1))
"""


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Script", exact=True)


def meaning(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("drawing", re.IGNORECASE))


def test_a_pasted_script_is_corrected_seen_run_and_drawn(page: Page) -> None:
    page.goto("/designs")
    page.get_by_role("button", name="New script").click()
    page.wait_for_url(re.compile("/designs/[0-9a-f-]{36}$"))
    expect(editor(page)).to_have_value(re.compile("^from workflow import"))
    expect(page.get_by_text("Solver 0").first).to_be_visible()
    name_of_design(page).fill("Bakers")

    editor(page).fill(WRONG)
    wrong = page.get_by_role("list", name="Problems")
    expect(wrong).to_contain_text("Line 4:")
    expect(wrong).to_contain_text("majority")
    expect(page.locator(".script-line-bad")).to_have_text(re.compile("^4"))
    expect(page.get_by_text("This is the team before the mistake.")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        pictured(page, "script-mistake")
    page.set_viewport_size({"width": 1440, "height": 900})
    wrong.get_by_role("button").click()
    expect(editor(page)).to_be_focused()

    editor(page).fill(TEAM)
    expect(wrong).to_have_count(0)
    expect(page.get_by_text("Baker 2").first).to_be_visible()
    saved(page)
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        pictured(page, "script-design")
    page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("textbox", name="Question").fill("What does the baker earn?")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("region", name="Answer", exact=True)).to_contain_text("102")
    expect(page.get_by_role("link", name="Bakers")).to_be_visible()
    page.go_back()

    page.get_by_role("button", name="Turn into a drawing").click()
    expect(page.locator(".react-flow__node").get_by_text("votes")).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(editor(page)).to_have_value(TEAM)
    page.keyboard.press("Control+Shift+z")
    expect(node(page, "Baker 1")).to_be_visible()
    saved(page)
    page.reload()
    expect(node(page, "Baker 1")).to_be_visible()


def test_a_drawing_is_written_as_a_script_after_it_is_told_what_differs(
    page: Page, studio: VisitedStudio, tmp_path: Path
) -> None:
    opened(page, drawn(studio, "Summed up", {**draft("ab", "ab"), "summary": True}))
    page.get_by_role("button", name="Turn into a script").click()
    told = page.get_by_role("dialog", name="The script differs from the drawing")
    expect(told).to_contain_text("The summary agent becomes an agent “Summary”")
    told.get_by_role("button", name="Turn into a script").click()
    expect(editor(page)).to_have_value(re.compile("deliver"))
    saved(page)
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("menuitem", name="PNG picture")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Script with its blocks").click()
    download.value.save_as(tmp_path / "team.zip")
    assert ZipFile(tmp_path / "team.zip").namelist() == ["team.py", "workflow.py"]


def test_a_script_that_can_not_be_drawn_says_where_and_is_kept(page: Page, tmp_path: Path) -> None:
    (tmp_path / "critic.py").write_text(CRITIC)
    page.goto("/designs")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import design").click()
    chooser.value.set_files(tmp_path / "critic.py")
    refused = page.get_by_role("dialog", name="This script can’t become a drawing")
    expect(refused).to_contain_text("Line 5: The critic's verdict decides")
    refused.get_by_role("button", name="Keep it as a script").click()
    page.wait_for_url(re.compile("/designs/[0-9a-f-]{36}$"))
    expect(editor(page)).to_have_value(CRITIC)
    expect(name_of_design(page)).to_have_value("critic")
    page.get_by_role("button", name="Turn into a drawing").click()
    expect(page.get_by_role("dialog")).to_contain_text("Line 5:")


def test_a_viewer_reads_a_script_and_what_it_means(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("viewer").new_page()
    opened(page, drawn(studio, "To read", {"script": TEAM}))
    expect(page.get_by_text("Baker 0").first).to_be_visible()
    expect(page.get_by_text("bakers =").first).to_be_visible()
    expect(editor(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Turn into a drawing")).to_have_count(0)
    expect(panel(page)).to_contain_text("Your account can look at designs")
