"""Two runs of 200 agents and 5,000 events each, side by side: how soon they can be used.

    bin/studio bench compare_page [--visits 5] [--rate 1]

As `run_page`, with which it shares what is measured and how. Besides, `choose`: from pressing an
agent's card, close up, until what both sides of it said stands there.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from statistics import median

import django
from playwright.sync_api import Browser, Page, StorageState

from bench.common.pages import (
    HEAD,
    Gestures,
    Visit,
    chromium,
    drag,
    frame_rows,
    opened,
    opening_rows,
    record,
    spread,
    zoom,
)
from bench.common.report import report
from bench.common.web import serving

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
    parser = argparse.ArgumentParser(description="Two long runs side by side in a browser.")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1.0, help="by which the processor is slowed")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    django.setup()
    path, link = prepared()
    with serving() as port, chromium() as browser:
        address = f"http://127.0.0.1:{port}"
        with browser.new_context(base_url=address) as context:
            assert context.request.get(link).ok
            login = context.storage_state()
        see: Callable[[], tuple[Visit, float]] = partial(
            visit, browser, address, login, path, options.rate
        )
        see()  # the web process loads its code
        seen = [see() for _ in range(options.visits)]
    tell([each for each, _ in seen], [chosen for _, chosen in seen])


def prepared() -> tuple[str, str]:
    """The path of the page, and a link that logs in once."""
    from django.core.management import call_command

    from apps.accounts.services import admin_ensure, login_link_create
    from bench.common.long_run import store_long_run

    call_command("migrate", verbosity=0)
    admin, _ = admin_ensure()
    left, right = (store_long_run(seed=seed).id for seed in (0, 1))
    return f"/runs/compare?left={left}&right={right}", login_link_create(user=admin)


def visit(
    browser: Browser, address: str, login: StorageState, path: str, rate: float
) -> tuple[Visit, float]:
    """And the milliseconds that choosing an agent took."""
    with opened(browser, address, login, path, rate=rate, nodes=AGENTS) as (page, seen):
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
        drawn_ms=median(each.drawn_ms for each in visits),
        interactive_ms=median(each.interactive_ms for each in visits),
        choose_ms=median(chosen),
        **figures,
    )


if __name__ == "__main__":
    main()
