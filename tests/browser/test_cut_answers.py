"""Answers cut at their token limit: the evaluation warns of the arm, says what arms differ in, and
leads to another one with room."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import learning, run_page
from tests.browser.studio import VisitedStudio

pytestmark = pytest.mark.browser

FEW = 4
LIMIT = 3
ROOM = "1,024"
ARMS = [
    {"method": "direct"},
    {"method": "chain_of_thought", "max_completion_tokens_per_call": LIMIT},
]


def test_cut_answers_are_warned_of_and_asked_again_with_room(
    page: Page, studio: VisitedStudio, sums: str
) -> None:
    cut = learning.evaluation(studio, "Cut short", arms=ARMS, limit=FEW)
    page.goto(f"/evaluations/{cut}")
    differing = page.get_by_role("region", name="What arms differ in")
    expect(differing).to_contain_text("a difference between them is not the method’s alone")
    expect(differing).to_contain_text(f"Direct: {ROOM} · Chain of thought: {LIMIT}")
    warned = page.get_by_role("listitem").filter(has_text="were cut at")
    expect(warned).to_have_count(1)
    expect(warned).to_contain_text(
        f"100 % of the answers of Chain of thought were cut at {LIMIT} tokens."
    )
    expect(page.get_by_text("The comparison favours short answers.")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Chain of thought").first
    expect(row).to_contain_text(f"{FEW} / {FEW}")

    page.get_by_role("link", name=f"Evaluate again with {ROOM} tokens a reply").click()
    limits = page.get_by_label("Tokens of one reply")
    expect(limits.nth(1)).to_have_value("1024")
    expect(limits.nth(0)).to_have_value("")
    page.get_by_label("Name", exact=True).fill("With room")
    page.get_by_role("button", name="Start evaluation").click()
    page.wait_for_url(re.compile(r"/evaluations/[0-9a-f-]{36}"))
    expect(run_page.status(page, "Succeeded")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Chain of thought").first).to_contain_text(
        f"0 / {FEW}"
    )
    expect(page.get_by_text("were cut at")).to_have_count(0)
    expect(page.get_by_role("region", name="What arms differ in")).to_have_count(0)


def test_a_run_tells_which_of_its_answers_were_cut(page: Page, studio: VisitedStudio) -> None:
    asked = {"max_completion_tokens_per_call": LIMIT}
    run_id = studio.ask("What do 14 loaves bring?", method="chain_of_thought", budget=asked)
    studio.wait(run_id, "succeeded")
    page.goto(f"/runs/{run_id}")
    facts = page.get_by_label("About this run")
    expect(facts).to_contain_text(re.compile("Cut answers\\s*1 of 1"))
    expect(facts).to_contain_text("a1")
