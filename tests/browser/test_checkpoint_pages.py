"""Checkpoints: compared, made the default and deleted, and what each group may do to trainings."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

FIRST, MIDDLE, LAST = (f"a-first-lesson-step-{step:06d}" for step in (2, 4, 6))


@pytest.fixture
def same_default(studio: VisitedStudio) -> Iterator[None]:
    """What the tests promote is not the default of those that come after."""
    checkpoints = studio.get("/api/checkpoints?method=mashost")["results"]
    default = next(checkpoint["name"] for checkpoint in checkpoints if checkpoint["is_default"])
    yield
    studio.post(f"/api/checkpoints/{default}/promote", {})


def act(page: Page, name: str, action: str) -> None:
    """Through the menu of a checkpoint's row, and what it asks."""
    page.get_by_role("button", name=f"Actions for {name}").click()
    page.get_by_role("menuitem", name=action).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(name)
    dialog.get_by_role("button", name=action).click()
    expect(dialog).to_be_hidden()


def actions(page: Page, name: str) -> list[str]:
    page.get_by_role("button", name=f"Actions for {name}").click()
    expect(page.get_by_role("menu")).to_be_visible()
    offered = page.get_by_role("menuitem").all_inner_texts()
    page.keyboard.press("Escape")
    return offered


def test_checkpoints_are_compared_promoted_and_deleted(
    visit: Visit, studio: VisitedStudio, trained: tuple[str, str], same_default: None
) -> None:
    page = visit("curator").new_page()
    page.goto(f"/training/{trained[0]}?tab=checkpoints")
    for name in (LAST, FIRST):
        page.locator("label").filter(has_text=f"Compare {name}").click()
    page.get_by_role("button", name="Compare checkpoints").click()
    table = page.get_by_role("dialog").get_by_role("table").first
    expect(table).to_be_visible()
    heads = [" ".join(head.split()) for head in table.get_by_role("columnheader").all_inner_texts()]
    assert heads == ["Metric", FIRST, LAST, "Difference"]
    metrics = [studio.get(f"/api/checkpoints/{name}")["metrics"] for name in (FIRST, LAST)]
    accuracy = table.get_by_role("row").filter(has_text="Accuracy")
    expect(accuracy).to_contain_text(f"{metrics[0]['accuracy'] * 100:.1f} %")
    expect(accuracy).to_contain_text("pp")
    expect(page.get_by_text("Both were trained with the same settings")).to_be_visible()
    page.get_by_label("Question for both").fill("What is 3 + 4?")
    page.get_by_role("button", name="Ask both").click()
    page.wait_for_url(re.compile(r"/runs/compare\?left=[0-9a-f-]{36}&right=[0-9a-f-]{36}$"))
    asked = re.findall(r"[0-9a-f-]{36}", page.url)
    assert [studio.run(run)["checkpoint"] for run in asked] == [FIRST, LAST]
    expect(page.get_by_role("region", name="Both graphs")).to_be_visible()
    for run in asked:
        studio.wait(run, "succeeded", seconds=90)
    page.go_back()

    act(page, LAST, "Make default")
    expect(page.get_by_role("row").filter(has_text=LAST)).to_contain_text("default")
    assert studio.get(f"/api/checkpoints/{LAST}")["is_default"]
    assert "Delete" not in actions(page, LAST)
    act(page, MIDDLE, "Delete")
    expect(page.get_by_role("row").filter(has_text=MIDDLE)).to_have_count(0)
    page.get_by_role("button", name=f"Actions for {LAST}").click()
    page.get_by_role("menuitem", name="Ask with this checkpoint").click()
    expect(page.get_by_role("button", name="Checkpoint").filter(has_text=LAST)).to_be_visible()
