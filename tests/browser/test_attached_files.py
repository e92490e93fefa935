"""Files come with a question: attached on Ask and in the designer, read by agents, downloaded from
the run."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.designer import drawn, opened
from tests.browser.learning import draft
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

NAME = "deliveries.csv"
TABLE = b"city,parcels\nOslo,17\nBergen,25\n"
DROPS = """([name, text]) => {
  const data = new DataTransfer()
  data.items.add(new File([text], name, { type: 'text/csv' }))
  document.body.dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
}"""


def attached(page: Page, name: str = NAME, data: bytes = TABLE) -> None:
    """By the button, until it has arrived."""
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Attach files").click()
    chosen.value.set_files({"name": name, "mimeType": "text/csv", "buffer": data})
    expect(files(page).get_by_text(f"{len(data)} B", exact=True)).to_be_visible()


def files(page: Page) -> Locator:
    return page.get_by_role("list", name="Attached files")


def downloaded(page: Page, folder: Path) -> bytes:
    """The one file of the run that the page shows."""
    link = page.get_by_role("list", name="Files of the question").get_by_role("link")
    expect(link).to_contain_text(NAME)
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == NAME
    kept = folder / NAME
    download.value.save_as(kept)
    return kept.read_bytes()


def reading_design(studio: VisitedStudio) -> str:
    spec = draft("a")
    spec["agents"][0]["role"]["tools"] = ["read_file"]
    return drawn(studio, "Reads deliveries", spec)


def test_a_file_is_attached_on_ask_and_comes_with_the_run(
    page: Page, studio: VisitedStudio, tmp_path: Path
) -> None:
    page.goto("/")
    page.get_by_role("textbox", name="Question").fill("[parcels] How many go to Oslo?")
    attached(page)
    page.reload()
    expect(files(page)).to_contain_text(NAME)
    run_page.choose(page, "Method", "EvoMAS")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*")
    assert downloaded(page, tmp_path) == TABLE
    studio.wait(page.url.rsplit("/", 1)[1], "succeeded", seconds=90)


def test_a_file_is_attached_to_a_design_which_reads_it(
    page: Page, studio: VisitedStudio, tmp_path: Path
) -> None:
    opened(page, reading_design(studio))
    page.get_by_role("textbox", name="Question").fill("[parcels] How many go to Oslo?")
    attached(page)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/runs/*")
    expect(run_page.answer(page)).to_contain_text("17")
    assert downloaded(page, tmp_path) == TABLE

    page.go_back()
    expect(files(page)).to_contain_text(NAME)
    page.get_by_role("button", name=f"Remove {NAME}").click()
    expect(files(page)).to_have_count(0)


def test_a_file_dropped_on_the_canvas_stands_with_the_question(
    page: Page, studio: VisitedStudio
) -> None:
    opened(page, drawn(studio, "Reads nothing", draft("a")))
    page.locator(".react-flow__node").filter(has_text="Agent A").click()
    expect(page.get_by_role("textbox", name="Question")).to_have_count(0)
    page.evaluate(DROPS, [NAME, TABLE.decode()])
    expect(files(page)).to_contain_text(NAME)
    page.get_by_role("textbox", name="Question").fill("How many go to Oslo?")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text(re.compile("No agent of this team can open the files"))).to_be_visible()
