"""Measures two runs of 200 agents and 5,000 events each, side by side: how soon the page is usable.

    bin/studio bench compare_page [--visits 5] [--rate 1]

It measures the same as `run_page`, in the same way, and `choose`: the time from pressing an agent's
card, close up, until the page shows what the agent wrote on both sides.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from bench.common.pages import ON_A_CANVAS, Door, Visit, arguments, record, spread, tell, visited

if TYPE_CHECKING:
    from apps.accounts.models import User

AGENTS = "[aria-label='Both graphs'] button[aria-pressed]"
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
    chosen = [each for _, each in seen]
    own = [("choose", *spread(chosen))]
    tell("compare_page", [each for each, _ in seen], own, choose_ms=median(chosen))


def stored(_: User) -> str:
    from bench.common.long_run import store_long_run

    left, right = (store_long_run(seed=seed).id for seed in (0, 1))
    return f"/runs/compare?left={left}&right={right}"


def visit(door: Door) -> tuple[Visit, float]:
    """The visit, and the milliseconds that choosing an agent took."""
    with door.opened(nodes=AGENTS) as (page, seen):
        page.locator(".react-flow").scroll_into_view_if_needed()
        record(page, seen, ON_A_CANVAS)
        chosen: float = page.evaluate(CHOOSE)
        return seen, chosen


if __name__ == "__main__":
    main()
