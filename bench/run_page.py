"""The page of a run of 200 agents and 5,000 events: how soon it can be used, how smoothly it moves.

    bin/studio bench run_page [--visits 5] [--rate 1]

A real Chromium opens the page from one web process on this machine, with an empty cache at each
visit. `interactive_ms`: from asking for the address until the graph is drawn and the last task of
50 ms or more is over, so that a click is answered at once. Then, at each visit: the graph is
dragged about as a whole and close up, zoomed, the trace with all its branches open is scrolled, and
the slider of the replay is drawn through the run, while the page notes the time between its frames;
16.7 ms is the most that a screen shows. `--rate 4` slows the processor down, as in the developer
tools. Nothing draws on a graphics card, so painting costs more than on most desks.
"""

from __future__ import annotations

import argparse
import os
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
    turns,
    zoom,
)
from bench.common.report import report
from bench.common.web import serving

GESTURES = ("drag the whole graph", "zoom", "drag close up", "scroll the trace", "replay slider")


def main() -> None:
    parser = argparse.ArgumentParser(description="A long run's page in a browser.")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--rate", type=float, default=1.0, help="by which the processor is slowed")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studio.settings")
    django.setup()
    run_id, link = prepared()
    with serving() as port, chromium() as browser:
        address = f"http://127.0.0.1:{port}"
        with browser.new_context(base_url=address) as context:
            assert context.request.get(link).ok
            login = context.storage_state()
        visit(browser, address, login, run_id, options.rate)  # the web process loads its code
        visits = [
            visit(browser, address, login, run_id, options.rate) for _ in range(options.visits)
        ]
    tell(visits)


def prepared() -> tuple[str, str]:
    """The stored run, and a link that logs in once."""
    from django.core.management import call_command

    from apps.accounts.services import admin_ensure, login_link_create
    from bench.common.long_run import store_long_run

    call_command("migrate", verbosity=0)
    admin, _ = admin_ensure()
    return str(store_long_run().id), login_link_create(user=admin)


def visit(browser: Browser, address: str, login: StorageState, run_id: str, rate: float) -> Visit:
    with opened(browser, address, login, f"/runs/{run_id}", rate=rate) as (page, seen):
        record(page, seen, gestures(page))
        return seen


# -- what a person does


def gestures(page: Page) -> Gestures:
    moves = (drag, zoom, drag, scroll_trace, slide)
    return {name: partial(move, page) for name, move in zip(GESTURES, moves, strict=True)}


def scroll_trace(page: Page) -> None:
    page.get_by_role("tab", name="Trace").click()
    page.get_by_role("button", name="Expand all").click()
    box = page.get_by_role("tree").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in turns():
        page.mouse.wheel(0, 300)


def slide(page: Page) -> None:
    """Back to the beginning of the run and forth again, over its graph."""
    page.get_by_role("tab", name="Graph").click()
    box = page.get_by_role("slider", name="Moment of the run").bounding_box()
    assert box is not None
    left, right, y = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.mouse.move(right, y)
    page.mouse.down()
    for turn in turns():
        page.mouse.move(left + (right - left) * abs(1 - 2 * turn), y)
    page.mouse.up()


# -- what is told


def tell(visits: list[Visit]) -> None:
    rows, figures = frame_rows(visits, GESTURES)
    report(
        "run_page",
        HEAD,
        [*opening_rows(visits), *rows],
        drawn_ms=median(each.drawn_ms for each in visits),
        interactive_ms=median(each.interactive_ms for each in visits),
        **figures,
    )


if __name__ == "__main__":
    main()
