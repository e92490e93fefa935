"""Checkpoints: compared, made the default and deleted, and what each group may do to trainings."""

from __future__ import annotations

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
    page.get_by_role("button", name="Compare two").click()
    table = page.get_by_role("dialog").get_by_role("table").first
    heads = [" ".join(head.split()) for head in table.get_by_role("columnheader").all_inner_texts()]
    assert heads == ["Metric", FIRST, LAST, "Difference"]
    metrics = [studio.get(f"/api/checkpoints/{name}")["metrics"] for name in (FIRST, LAST)]
    accuracy = table.get_by_role("row").filter(has_text="Accuracy")
    expect(accuracy).to_contain_text(f"{metrics[0]['accuracy'] * 100:.1f} %")
    expect(accuracy).to_contain_text("pp")
    expect(page.get_by_text("Both were trained with the same settings")).to_be_visible()
    page.get_by_label("A question for both").fill("What is 3 + 4?")
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
    page.get_by_role("menuitem", name="Ask with it").click()
    expect(page.get_by_role("button", name="Checkpoint").filter(has_text=LAST)).to_be_visible()


def test_an_operator_uses_checkpoints_and_a_viewer_reads_them(
    visit: Visit, trained: tuple[str, str]
) -> None:
    address = f"/training/{trained[1]}?tab=checkpoints"
    page = visit("operator").new_page()
    page.goto(address)
    name = "a-second-lesson-step-000004"
    assert actions(page, name) == ["Ask with it", "Evaluate it"]
    viewer = visit("viewer").new_page()
    viewer.goto(address)
    expect(viewer.get_by_role("row").filter(has_text=name)).to_be_visible()
    expect(viewer.get_by_role("button", name=f"Actions for {name}")).to_have_count(0)


def test_a_training_is_changed_only_by_its_owner_and_admins(
    visit: Visit, trained: tuple[str, str]
) -> None:
    for who, offered in (
        ("viewer", []),
        ("curator", ["Train again"]),
        ("operator", ["Delete", "Train again"]),
        ("admin", ["Delete", "Train again"]),
    ):
        page = visit(who).new_page()
        page.goto(f"/training/{trained[0]}")
        header = page.locator("main header").first
        expect(header.get_by_text("Succeeded")).to_be_visible()
        for name in ("Delete", "Train again"):
            expect(header.get_by_text(name, exact=True)).to_have_count(int(name in offered))


def test_a_viewer_reads_trainings_and_is_told_why_not_to_start_one(
    visit: Visit, trained: tuple[str, str]
) -> None:
    page = visit("viewer").new_page()
    page.goto("/training")
    expect(page.get_by_role("row").filter(has_text="A first lesson")).to_be_visible()
    expect(page.get_by_role("link", name="Start training")).to_have_count(0)
    page.goto("/training/new")
    expect(page.get_by_text("can read trainings but not start them")).to_be_visible()
    expect(page.get_by_role("button", name="Start training")).to_be_disabled()
