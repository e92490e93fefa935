"""Measures two runs of 200 agents and 5,000 events each, side by side: how soon the page is usable.

    bin/studio bench compare_page [--visits 5] [--rate 1]

It measures the same as `run_page`, in the same way, and `choose`: the time from pressing an agent's
card, close up, until the page shows what the agent wrote on both sides.
"""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import Page

from bench.common.pages import (
    HEAD,
    Door,
    Gestures,
    Visit,
    arguments,
    drag,
    frame_rows,
    opening_figures,
    opening_rows,
    record,
    spread,
    visited,
    zoom,
)
from bench.common.report import report

if TYPE_CHECKING:
    from apps.accounts.models import User

AGENTS = "[aria-label='Both graphs'] button[aria-pressed]"
GESTURES = ("drag the whole graph", "zoom", "drag close up")
CHOOSE = """async () => {
  const frame = document.querySelector('.react-flow').getBoundingClientRect()
  const card = [...document.querySelectorAll('button[data-node]')].find((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect()
    return left > frame.left && right < frame.right && top > frame.top && bottom < frame.bottom
  })
  const start = performance.now()
  card.click()
  while (!document.querySelector('aside section[aria-label]'))
    await new Promise(requestAnimationFrame)
  await new Promise(requestAnimationFrame)
  return performance.now() - start
}"""


def main() -> None:
    options = arguments("Measure two long runs side by side in a browser.").parse_args()
    seen = visited(stored, visit, options)
    tell([each for each, _ in seen], [chosen for _, chosen in seen])


def stored(_: User) -> str:
    from bench.common.long_run import store_long_run

    left, right = (store_long_run(seed=seed).id for seed in (0, 1))
    return f"/runs/compare?left={left}&right={right}"


def visit(door: Door) -> tuple[Visit, float]:
    """The visit, and the milliseconds that choosing an agent took."""
    with door.opened(nodes=AGENTS) as (page, seen):
        page.locator(".react-flow").scroll_into_view_if_needed()
        record(page, seen, gestures(page))
        chosen: float = page.evaluate(CHOOSE)
        return seen, chosen


def gestures(page: Page) -> Gestures:
    moves = (drag, zoom, drag)
    return {name: partial(move, page) for name, move in zip(GESTURES, moves, strict=True)}


def tell(visits: list[Visit], chosen: list[float]) -> None:
    rows, figures = frame_rows(visits, GESTURES)
    report(
        "compare_page",
        HEAD,
        [*opening_rows(visits), *rows, ("choose", *spread(chosen))],
        **opening_figures(visits),
        choose_ms=median(chosen),
        **figures,
    )


if __name__ == "__main__":
    main()
