"""Evaluations: started, read as a table with intervals, and side by side down to both traces."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import looks, run_page
from tests.browser.conftest import Visit
from tests.browser.learning import DEV, SLIPS
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

EVALUATION_ADDRESS = re.compile(r"/evaluations/[0-9a-f-]{36}")
FEW = 4
FIRST_FIELDS = ("Method", "Checkpoint")
FIRST_LINE = re.compile(f"({'|'.join(FIRST_FIELDS)})$")


def share(correct: int, of: int) -> str:
    return f"{correct / of * 100:.1f} %"


def heads(page: Page, label: str) -> list[str]:
    """What names each row of a table, from the top."""
    table = page.get_by_role("region", name=label).get_by_role("table")
    return [text.split("\n")[0] for text in table.get_by_role("rowheader").all_inner_texts()]


def test_an_evaluation_is_started_and_ends_in_a_sortable_table(
    page: Page, studio: VisitedStudio, sums: str
) -> None:
    page.goto("/evaluations")
    page.get_by_role("link", name="New evaluation").click()
    expect(page.get_by_role("heading", name="New evaluation")).to_be_visible()
    run_page.choose(page, "Dataset", "Sums")
    page.get_by_label("How many tasks").fill(str(FEW))
    page.get_by_role("button", name="Remove arm: Arm 1").click()  # MasHost, the slow one
    page.get_by_label("Name", exact=True).fill("From the form")
    expect(page.get_by_text(f"2 arms × {FEW} tasks × 1 repeat = {2 * FEW} answers")).to_be_visible()
    page.get_by_role("button", name="Start evaluation").click()
    page.wait_for_url(EVALUATION_ADDRESS)
    expect(run_page.status(page, "Succeeded")).to_be_visible()

    label = "Arms with their accuracy, tokens, cost and time"
    row = page.get_by_role("row").filter(has_text="Chain of thought").first
    expect(row).to_contain_text(share(FEW, FEW))
    expect(
        row.get_by_label(re.compile("^Chain of thought: 100.0 %, 95 % interval"))
    ).to_be_visible()
    assert heads(page, label) == ["Chain of thought", "Direct"]
    tokens = page.get_by_role("columnheader", name="Tokens", exact=True).first
    tokens.get_by_role("button").click()
    expect(tokens).to_have_attribute("aria-sort", "ascending")
    arms = studio.get(f"/api/evaluations/{page.url.split('/')[-1][:36]}/summary")["arms"]
    cheap = min(arms, key=lambda arm: arm["tokens_mean"])["label"]
    assert (
        heads(page, label)[0] == {"direct": "Direct", "chain_of_thought": "Chain of thought"}[cheap]
    )
    page.reload()
    expect(tokens).to_have_attribute("aria-sort", "ascending")

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.wait_for_url("**/evaluations")
    expect(page.get_by_role("link", name="From the form")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), list(looks.WIDTHS.items()))
def test_an_arm_is_copied_and_removed_at_the_end_of_its_first_line(
    visit: Visit, sums: str, width: int, height: int
) -> None:
    page = visit(viewport={"width": width, "height": height}).new_page()
    page.goto("/evaluations/new")
    arm = page.get_by_role("group", name="Arm 2")
    copy = arm.get_by_role("button", name="Duplicate arm: Arm 2").bounding_box()
    fields = [field.bounding_box() for field in arm.get_by_role("button", name=FIRST_LINE).all()]
    assert copy is not None
    assert len(fields) == len(FIRST_FIELDS)
    for field in fields:
        assert field is not None
        assert field["x"] + field["width"] < copy["x"]
        assert field["y"] <= copy["y"] + copy["height"] / 2 <= field["y"] + field["height"]


def test_the_difference_of_two_arms_leads_to_both_traces(page: Page, evaluated: str) -> None:
    page.goto(f"/evaluations/{evaluated}")
    pair = page.get_by_role("row").filter(has_text="against")
    expect(pair).to_contain_text(f"−{SLIPS / DEV * 100:.1f} pp")
    expect(pair.get_by_label(re.compile("95 % interval −.+ pp to"))).to_be_visible()
    pair.get_by_role("link").click()
    run_page.choose(page, "Which tasks", "Only Chain of thought right")
    table = page.get_by_role("table", name="Tasks with the answers of both arms")
    rows = table.get_by_role("row").filter(has_text="[slip]")
    expect(rows).to_have_count(SLIPS)
    expect(table.get_by_role("row")).to_have_count(SLIPS + 1)
    for arm, verdict, side in (("Direct", "Wrong", 1), ("Chain of thought", "Right", 2)):
        cell = rows.first.get_by_role("cell").nth(side)
        expect(cell).to_contain_text(verdict)
        cell.get_by_role("link", name=f"Trace of task 1 by {arm}").click()
        page.wait_for_url(run_page.RUN_ADDRESS)
        expect(run_page.answer(page)).to_contain_text("0" if verdict == "Wrong" else "11")
        page.go_back()
        expect(rows).to_have_count(SLIPS)
    page.get_by_role("button", name="Swap sides").click()
    expect(rows).to_have_count(0)
    expect(page.get_by_text("No such task")).to_be_visible()


def test_its_numbers_are_exported(page: Page, evaluated: str, tmp_path: Path) -> None:
    page.goto(f"/evaluations/{evaluated}")
    page.get_by_role("button", name="Export").click()
    files = page.get_by_role("menuitem")
    expect(files).to_have_count(5)
    with page.expect_download() as download:
        files.filter(has_text="JSON").click()
    file = tmp_path / "everything.json"
    download.value.save_as(file)
    assert len(json.loads(file.read_text())["cells"]) == 2 * DEV


@pytest.mark.parametrize("written", ["0.15", "0,15"])
def test_a_number_is_the_same_in_a_german_browser(visit: Visit, written: str) -> None:
    page = visit(locale="de-DE").new_page()
    page.goto("/evaluations/new")
    field = page.get_by_label("Cost")
    field.click()
    page.keyboard.type(written)
    page.keyboard.press("Tab")
    expect(field).to_have_value("0.15")
