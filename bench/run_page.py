"""Measures the page of a run with 200 agents and 5,000 events: how soon it is usable, how it moves.

    bin/studio bench run_page [--visits 5] [--rate 1] [--phone]

A real Chromium opens the page from one web process on this machine, with an empty cache at each
visit. `interactive_ms` is the time from the request until the graph is drawn and the last task of
50 ms or more has ended, so the page answers a click at once. Then each visit drags the graph, as a
whole and close up, zooms it, scrolls the trace with all branches open, and moves the replay slider
through the run, while the page records the time between frames. At 16.7 ms a screen shows every
frame. `--phone` visits at 390 pixels instead: it opens the trace with all branches and scrolls it,
then the timeline, and moves the slider below. Beside the frames it prints how many rows of both the
page holds. `--rate 4` slows the processor down, as in the developer tools. No graphics card draws
here, so painting costs more than on most computers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Page, ViewportSize

from bench.common.pages import (
    ON_A_CANVAS,
    VIEWPORT,
    Door,
    Gestures,
    Visit,
    arguments,
    record,
    tell,
    turns,
    visited,
)

if TYPE_CHECKING:
    from apps.accounts.models import User

PHONE: ViewportSize = {"width": 390, "height": 844}


def main() -> None:
    parser = arguments("Measure a long run's page in a browser.")
    parser.add_argument(
        "--phone", action="store_true", help="visit at a width of 390 pixels instead of 1,440"
    )
    options = parser.parse_args()
    tell("run_page", visited(stored, partial(visit, phone=options.phone), options))


def stored(_: User) -> str:
    from bench.common.long_run import store_long_run

    return f"/runs/{store_long_run().id}"


def visit(door: Door, *, phone: bool) -> Visit:
    with door.opened(viewport=PHONE if phone else VIEWPORT) as (page, seen):
        record(page, seen, ON_A_PHONE if phone else AT_A_DESK)
        return seen


# -- what a person does


def scroll_trace(page: Page) -> None:
    page.get_by_role("tab", name="Trace").click()
    page.get_by_role("button", name="Expand all").click()
    scroll(page, page.get_by_role("tree"))


def scroll_timeline(page: Page) -> None:
    page.get_by_role("tab", name="Timeline").click()
    scroll(page, page.get_by_role("toolbar", name="Timeline"))


def scroll(page: Page, rows: Locator) -> None:
    """Scroll from the middle of their visible part."""
    rows.evaluate("rows => rows.scrollIntoView()")
    box = rows.bounding_box()
    window = page.viewport_size
    assert box is not None
    assert window is not None
    bottom = min(box["y"] + box["height"], window["height"])
    page.mouse.move(box["x"] + box["width"] / 2, (max(box["y"], 0) + bottom) / 2)
    for _ in turns():
        page.mouse.wheel(0, 300)


def slide_over_graph(page: Page) -> None:
    page.get_by_role("tab", name="Graph").click()
    slide(page)


def slide(page: Page) -> None:
    """Move the slider to the beginning of the run and back."""
    slider = page.get_by_role("slider", name="Moment of the run")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    left, right, y = box["x"] + 8, box["x"] + box["width"] - 8, box["y"] + box["height"] / 2
    page.mouse.move(right, y)
    page.mouse.down()
    for turn in turns():
        page.mouse.move(left + (right - left) * abs(1 - 2 * turn), y)
    page.mouse.up()


AT_A_DESK = ON_A_CANVAS | {"scroll the trace": scroll_trace, "replay slider": slide_over_graph}
ON_A_PHONE: Gestures = {
    "scroll the trace": scroll_trace,
    "scroll the timeline": scroll_timeline,
    "replay slider": slide,
}


if __name__ == "__main__":
    main()
