"""The ask page and the run page, as a person uses and reads them."""

import re
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.processes.studio import Studio

RUN_ADDRESS = re.compile(r"/runs/[0-9a-f-]{36}")
OFFLINE_BANNER = re.compile("live connection dropped|server cannot be reached")

# Samples the page whenever it changes, so that nothing depends on when the test looks.
RECORD = """() => {
  const statuses = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled']
  const samples = (window.__samples = [])
  const sample = () => {
    const header = document.querySelector('main header')?.textContent ?? ''
    const caret = document.querySelector('.node-card .caret')
    const now = {
      status: statuses.find((status) => header.startsWith(status)) ?? null,
      agents: document.querySelectorAll('[data-node]').length,
      steps: document.querySelectorAll('aside ol > li').length,
      edges: document.querySelectorAll('.react-flow__edge').length,
      shares: (document.querySelector('aside')?.textContent.match(/\\d\\s?%/g) ?? []).length,
      writing: caret?.parentElement.textContent.length ?? 0,
    }
    if (JSON.stringify(now) !== JSON.stringify(samples.at(-1))) samples.push(now)
  }
  new MutationObserver(sample).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  })
}"""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a run page says: cards in their order, construction steps or team, the answer."""

    cards: tuple[str, ...]
    panel: tuple[str, ...]
    answer: str


def ask(page: Page, question: str) -> str:
    """Types the question, presses Run; the new run's id."""
    page.get_by_label("Question", exact=True).fill(question)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url(RUN_ADDRESS)
    return page.url.split("/runs/")[1][:36]


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("button", name=re.compile(rf"{label}$")).click()
    page.get_by_role("option", name=option).click()


def cards_of(run: dict[str, Any]) -> int:
    """The question, the agents, the summary agent where the method has one, and the answer."""
    summary: bool = run["method"] == "mashost"
    return len(run["graph"]["nodes"]) + summary + 2


def settle(page: Page) -> None:
    """Lazy chunks are drawn and fonts loaded. Not "network idle": a stream may be open."""
    page.wait_for_function("document.readyState === 'complete'")
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")


RESTS = """() => new Promise((resolve) => {
    let place = null, since = 0
    const look = (now) => {
        // None as long as another graph is fetched: an error here would let the page wait for ever.
        const there = document.querySelector(".react-flow__viewport")?.style.transform
        if (there === undefined || there !== place) [place, since] = [there, now]
        if (now - since > 500) resolve()
        else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})"""
"""Longer than a move of the camera takes."""


def open_card(page: Page, number: int) -> None:
    """Once the camera rests: a card that it carries away under a pressed button is not clicked.

    The page scrolls at once: a wait for the card to rest fails where another graph takes its place.
    """
    card = cards(page).nth(number)
    card.evaluate("card => card.scrollIntoView({ block: 'center' })")
    page.evaluate(RESTS)
    card.click()


def status(page: Page, name: str) -> Locator:
    return page.get_by_role("main").get_by_text(name, exact=True).first


def answer(page: Page) -> Locator:
    return page.get_by_role("region", name="Answer", exact=True)


def cards(page: Page) -> Locator:
    """Question, agents and answer on the canvas."""
    return page.locator("button[data-node]")


def shown(page: Page, studio: Studio, run_id: str) -> Shown:
    """Of a run that has succeeded, once its whole trace is drawn: the answer can come before it."""
    expect(status(page, "Succeeded")).to_be_visible()
    expect(answer(page)).to_be_visible()
    expect(cards(page)).to_have_count(cards_of(studio.run(run_id)))
    labels = [card.get_attribute("aria-label") or "" for card in cards(page).all()]
    panel = page.get_by_role("complementary").locator("li > button").all_inner_texts()
    return Shown(tuple(labels), tuple(panel), answer(page).inner_text())


def samples(page: Page) -> list[dict[str, Any]]:
    recorded: list[dict[str, Any]] = page.evaluate("window.__samples")
    return recorded
