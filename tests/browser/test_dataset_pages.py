"""Datasets: made, filled from a file after a look at what it holds, read, and deleted."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pyarrow
import pytest
from playwright.sync_api import Page, expect
from pyarrow import parquet

from tests.browser.conftest import Visit
from tests.browser.learning import DEV
from tests.browser.looks import AXE, violations
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

ROWS = (
    {"frage": "What is 3 + 4?", "loesung": "7"},
    {"frage": "What is 5 + 6?", "loesung": "11"},
    {"loesung": "nobody asked"},
)


def test_a_curator_makes_a_dataset_and_fills_it_from_a_file(visit: Visit, tmp_path: Path) -> None:
    page = visit("curator").new_page()
    page.goto("/datasets")
    page.get_by_role("button", name="New dataset").click()
    page.get_by_label("Name", exact=True).fill("Made here")
    page.get_by_label("Key", exact=True).fill("made-here")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/datasets/made-here")
    expect(page.get_by_text("The split “train” is empty")).to_be_visible()

    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in ROWS))
    page.get_by_role("button", name="Import tasks").click()
    dialog = page.get_by_role("dialog")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    expect(dialog.get_by_text("questions.jsonl")).to_be_visible()
    expect(dialog.get_by_role("button", name="Import tasks", exact=True)).to_be_disabled()
    dialog.get_by_role("button", name="query").click()
    page.get_by_role("option", name="frage").click()
    dialog.get_by_role("button", name="More columns").click()
    dialog.get_by_role("button", name="reference").click()
    page.get_by_role("option", name="loesung").click()
    dialog.get_by_role("button", name="Check tasks").click()
    expect(dialog.get_by_text("3 rows: 2 new or changed")).to_be_visible()
    expect(dialog.get_by_text("1 row cannot be read")).to_be_visible()
    dialog.get_by_role("button", name="Import 2 tasks").click()
    expect(dialog).to_be_hidden()
    table = page.get_by_role("table", name="Tasks: Train")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("row").last).to_contain_text("11")

    file = tmp_path / "questions.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(list(ROWS[:2])), file)
    page.get_by_role("button", name="Import tasks").click()
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    dialog.get_by_role("button", name="Read the columns").click()
    dialog.get_by_role("button", name="query").click()
    expect(page.get_by_role("option", name="frage")).to_contain_text("What is 3 + 4?")
    page.keyboard.press("Escape")
    expect(dialog.get_by_role("button", name="query")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/datasets")
    expect(page.get_by_role("row").filter(has_text="Made here")).to_have_count(0)


@contextmanager
def held(studio: VisitedStudio, key: str) -> Iterator[None]:
    """Meanwhile whoever would write to the dataset waits."""
    with psycopg.connect(studio.database_url) as database:
        database.execute("SELECT 1 FROM tasks_dataset WHERE key = %s FOR UPDATE", [key])
        yield


def slow_uploads(page: Page) -> None:
    line = page.context.new_cdp_session(page)
    limits = {"offline": False, "latency": 0, "downloadThroughput": -1}
    line.send("Network.enable")
    line.send("Network.emulateNetworkConditions", {**limits, "uploadThroughput": 100_000})


def test_an_import_tells_how_far_it_is_and_its_dialog_stops_it(
    visit: Visit, studio: VisitedStudio, tmp_path: Path
) -> None:
    studio.dataset("awaited", {}, name="Awaited")
    file = tmp_path / "long.jsonl"
    rows = [{"query": f"What is {n} + {n}? {'Think. ' * 100}", "reference": n} for n in range(600)]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    page = visit("curator").new_page()
    page.goto("/datasets/awaited")
    page.get_by_role("button", name="Import tasks").click()
    dialog = page.get_by_role("dialog")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Choose a file").click()
    chooser.value.set_files(file)
    slow_uploads(page)
    with held(studio, "awaited"):
        dialog.get_by_role("button", name="Check tasks").click()
        sent = dialog.get_by_role("progressbar", name="Sending the file")
        expect(sent).to_contain_text(re.compile(r"[\d.]+ kB of 4\d\d kB, about \d+ s left"))
        expect(page).to_have_title(re.compile(r"^Sending \d+ % · Awaited"))
        read = dialog.get_by_role("progressbar", name="Reading the file")
        expect(read).to_contain_text(re.compile(r"4\d\d kB of 4\d\d kB$"))
        expect(page).to_have_title(re.compile(r"^Reading 100 % · Awaited"))
        page.evaluate(AXE.read_text())
        assert violations(page) == []
        with page.expect_response(lambda answer: answer.request.method == "DELETE") as stopped:
            dialog.get_by_role("button", name="Cancel").click()
        assert stopped.value.status == 204
    expect(dialog).to_be_hidden()
    expect(page).to_have_title(re.compile("^Awaited"))


def test_a_task_is_found_read_and_asked(visit: Visit, sums: str) -> None:
    page = visit("operator").new_page()
    page.goto("/datasets")
    page.get_by_role("link", name="Sums", exact=True).click()
    page.get_by_role("tab", name=f"Dev {DEV}").click()
    table = page.get_by_role("table", name="Tasks: Dev")
    expect(table.get_by_role("row")).to_have_count(DEV + 1)
    page.get_by_role("searchbox", name="Search questions").fill("slip")
    expect(table.get_by_role("row")).to_have_count(4)
    table.get_by_role("button").first.click()
    dialog = page.get_by_role("dialog", name="Dev, task 1")
    expect(dialog).to_contain_text("numeric")
    dialog.get_by_role("link", name="Ask this question").click()
    expect(page.get_by_label("Question", exact=True)).to_have_value("[slip] What is 11 + 0?")


def test_tasks_are_composed_of_a_dataset_and_show_their_problems(
    visit: Visit, studio: VisitedStudio
) -> None:
    rows = [{"query": f"Ann has {n} eggs and 2 more?", "reference": str(n + 2)} for n in range(9)]
    studio.dataset("eggs", {"test": rows}, name="Eggs")
    page = visit("curator").new_page()
    page.goto("/datasets/eggs")
    page.get_by_role("button", name="Compose tasks").click()
    dialog = page.get_by_role("dialog", name="Compose tasks of Eggs")
    expect(dialog.get_by_role("status")).to_have_text(re.compile("^90 tasks in all: 30 easy"))
    dialog.get_by_role("textbox", name="Test").fill("2")
    dialog.get_by_text("Hard", exact=True).click()
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    dialog.get_by_role("button", name="Compose 4 tasks").click()
    page.wait_for_url("**/datasets/eggs-composed")
    table = page.get_by_role("table", name="Tasks: Test")
    expect(table.get_by_role("row")).to_have_count(5)
    table.get_by_role("button").first.click()
    task = page.get_by_role("dialog", name="Test, task 1")
    expect(task.get_by_role("listitem")).to_have_count(4)
    expect(task.get_by_role("listitem").last).to_contain_text("Final answer")
    expect(task.get_by_text("easy", exact=True)).to_be_visible()
    assert violations(page) == []


def test_episodes_are_made_of_a_game(visit: Visit, studio: VisitedStudio) -> None:
    page = visit("curator").new_page()
    page.goto("/datasets")
    page.get_by_role("button", name="Make episodes").click()
    dialog = page.get_by_role("dialog", name="Make episodes")
    dialog.get_by_role("textbox", name="Size").fill("5")
    for split, count in (("Train", "6"), ("Dev", ""), ("Test", "3")):
        dialog.get_by_role("textbox", name=split).fill(count)
    page.keyboard.press("Tab")  # a number counts once its field is left
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    dialog.get_by_role("button", name="Make 9 episodes").click()
    page.wait_for_url("**/datasets/plan-path")
    page.get_by_role("tab", name="Test 3").click()
    table = page.get_by_role("table", name="Tasks: Test")
    expect(table.get_by_role("row")).to_have_count(4)
    table.get_by_role("button").first.click()
    task = page.get_by_role("dialog", name="Test, task 1")
    expect(task).to_contain_text("Find the way from S to G.")
    expect(task.get_by_text("Plan-Path 5×5", exact=True)).to_be_visible()
