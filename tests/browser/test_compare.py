"""Two runs side by side: what they were asked, how they ended, their graphs and every agent."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.browser.learning import draft
from tests.browser.looks import AXE, overflow, violations
from tests.browser.studio import VisitedStudio
from tests.browser.test_leading import begun
from workers.core.testing.stub_process import RunningStub

pytestmark = pytest.mark.browser

SUM = "[slip] What is 3 + 4?"
"""Whoever is told to go in short numbered steps works it out, the others answer 0."""


@pytest.fixture(scope="module")
def pair(studio: VisitedStudio, llm: RunningStub) -> tuple[str, str]:
    """A and B in both, C only in the first, D only in the second; an agent's tokens cost money."""
    prices = {"prompt_price": 1.0, "completion_price": 2.0, "allow_private_address": True}
    priced = {"key": "priced", "name": "Priced", "base_url": llm.url, "model": "stub", **prices}
    studio.post("/api/endpoints", priced)
    careful = draft("abd", "ab bd")
    careful["agents"][2]["role"]["prompt"] += " Work in short numbered steps."
    asked: dict[str, Any] = {"query": SUM, "endpoint": "priced"}
    left = begun(studio, draft("abc", "ab bc"), seed=1, **asked)
    right = begun(studio, careful, seed=2, budget={"max_seconds": 100.0}, **asked)
    ids = (left.removeprefix("/runs/"), right.removeprefix("/runs/"))
    for run in ids:
        studio.wait(run, "succeeded", seconds=90)
    return ids


def side_by_side(page: Page, pair: tuple[str, str]) -> None:
    page.goto(f"/runs/compare?left={pair[0]}&right={pair[1]}")
    expect(graph(page).get_by_role("button", name=re.compile("^Agent D"))).to_be_visible()


def graph(page: Page) -> Locator:
    return page.get_by_role("region", name="Both graphs", exact=True)


def agent(page: Page, sentence: str) -> Locator:
    """Its card on the canvas."""
    return graph(page).get_by_role("button", name=re.compile(f"^{sentence}"))


def row(page: Page, fact: str) -> list[str]:
    table = page.get_by_role("table", name="Settings and costs of both runs")
    found = table.get_by_role("row").filter(
        has=page.get_by_role("rowheader", name=fact, exact=True)
    )
    expect(found).to_be_visible()
    return found.get_by_role("cell").all_inner_texts()


def test_what_one_run_alone_has_and_what_both_have(
    page: Page, studio: VisitedStudio, pair: tuple[str, str]
) -> None:
    side_by_side(page, pair)
    expect(agent(page, "Agent A, in both, Left: .+ tokens, .+ Right: .+ tokens, ")).to_be_visible()
    expect(agent(page, "Agent B, in both, reads Agent A, ")).to_be_visible()
    expect(agent(page, "Agent C, only left, reads Agent B, Left: ")).to_be_visible()
    expect(agent(page, "Agent D, only right, reads Agent B, Right: ")).to_be_visible()
    assert row(page, "Seed")[:2] == ["1", "2"]
    assert row(page, "Budget: Seconds")[:2] == ["300", "100"]
    assert row(page, "Answer")[:2] == ["0", "7"]

    final = page.get_by_role("tabpanel", name="Changes")
    expect(final.locator("del").last).to_contain_text("0")
    expect(final.locator("ins").last).to_contain_text("7")

    usage = [studio.run(run)["usage"] for run in pair]
    tokens = [each["prompt_tokens"] + each["completion_tokens"] for each in usage]
    assert row(page, "Tokens")[:2] == [f"{count:,}" for count in tokens]
    assert all(cost.startswith("$0.0") for cost in row(page, "Cost")[:2])

    agents = page.get_by_role("complementary", name="Agents side by side")
    expect(agents.get_by_role("button")).to_have_count(4)
    agents.get_by_role("button", name=re.compile("^Agent D only right")).click()
    said = page.get_by_role("region", name="Agent D", exact=True)
    expect(said.get_by_role("tab")).to_have_text(["Right", "Prompt"])
    took = said.get_by_role("table", name="What Agent D cost")
    expect(took.get_by_role("row").filter(has_text="Cost")).to_contain_text("—")

    agent(page, "Agent A").press("ArrowRight")
    page.keyboard.press("Enter")
    said = page.get_by_role("region", name="Agent B", exact=True)
    took = said.get_by_role("table", name="What Agent B cost")
    cost = took.get_by_role("row").filter(has_text="Cost").get_by_role("cell")
    # Told the same, the second was answered from the cache.
    expect(cost.nth(0)).to_have_text(re.compile(r"^\$0\.0"))
    expect(cost.nth(1)).to_have_text("$0")
    said.get_by_role("tab", name="Prompt").click()
    expect(said.get_by_role("tabpanel")).to_contain_text("Both prompts are the same.")
    page.get_by_role("button", name="Swap sides").click()
    expect(agent(page, "Agent D, only left")).to_be_visible()
    expect(said).to_be_visible()


def test_on_a_phone_the_chosen_agent_is_brought_into_view(
    visit: Visit, pair: tuple[str, str]
) -> None:
    page = visit(viewport={"width": 390, "height": 844}).new_page()
    side_by_side(page, pair)
    page.evaluate(run_page.RESTS)
    frame = graph(page).bounding_box()
    assert frame is not None
    for card in run_page.cards(page).all():
        box = card.bounding_box()
        assert box is not None
        assert frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + frame["width"]
    agent(page, "Agent C").click()
    said = page.get_by_role("region", name="Agent C", exact=True)
    expect(said).to_be_focused()
    place = said.bounding_box()
    assert place is not None
    assert 0 <= place["y"] < 100
    expect(said.get_by_role("table", name="What Agent C cost")).to_be_in_viewport(ratio=1)
    page.evaluate(AXE.read_text())
    assert violations(page) == []
    assert overflow(page) == 0
