"""The page of a run of 200 agents and 5,000 events: how soon it can be used, how smoothly it moves.

    bin/studio bench run_page [--visits 5] [--rate 1] [--phone]

A real Chromium opens the page from one web process on this machine, with an empty cache at each
visit. `interactive_ms`: from asking for the address until the graph is drawn and the last task of
50 ms or more is over, so that a click is answered at once. Then, at each visit: the graph is
dragged about as a whole and close up, zoomed, the trace with all its branches open is scrolled, and
the slider of the replay is drawn through the run, while the page notes the time between its frames;
16.7 ms is the most that a screen shows. `--phone` visits at 390 pixels instead: there the trace is
opened with all its branches and scrolled, then the timeline, and the slider is drawn under it. Told
with the frames are the rows of both that the page holds. `--rate 4` slows the processor down, as in
the developer tools. Nothing draws on a graphics card, so painting costs more than on most desks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from playwright.sync_api import Locator, Page, ViewportSize

from bench.common.pages import (
    HEAD,
    VIEWPORT,
    Door,
    Visit,
    arguments,
    drag,
    frame_rows,
    opening_figures,
    opening_rows,
    record,
    turns,
    visited,
    zoom,
)
from bench.common.report import report

if TYPE_CHECKING:
    from apps.accounts.models import User

PHONE: ViewportSize = {"width": 390, "height": 844}


def main() -> None:
    parser = arguments("A long run's page in a browser.")
    parser.add_argument("--phone", action="store_true", help="at 390 pixels, not at 1,440")
    options = parser.parse_args()
    tell(visited(stored, partial(visit, phone=options.phone), options))


def stored(_: User) -> str:
    from bench.common.long_run import store_long_run

    return f"/runs/{store_long_run().id}"


def visit(door: Door, *, phone: bool) -> Visit:
    with door.opened(viewport=PHONE if phone else VIEWPORT) as (page, seen):
        moves = ON_A_PHONE if phone else AT_A_DESK
        record(page, seen, {name: partial(move, page) for name, move in moves.items()})
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
    """From the middle of what is seen of them."""
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
    """Back to the beginning of the run and forth again."""
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


AT_A_DESK: dict[str, Callable[[Page], None]] = {
    "drag the whole graph": drag,
    "zoom": zoom,
    "drag close up": drag,
    "scroll the trace": scroll_trace,
    "replay slider": slide_over_graph,
}
ON_A_PHONE: dict[str, Callable[[Page], None]] = {
    "scroll the trace": scroll_trace,
    "scroll the timeline": scroll_timeline,
    "replay slider": slide,
}
"""In the order in which they leave the page ready for the next one."""


# -- what is told


def tell(visits: list[Visit]) -> None:
    rows, figures = frame_rows(visits, visits[0].frames)
    report(
        "run_page",
        HEAD,
        [*opening_rows(visits), *rows],
        **opening_figures(visits),
        **figures,
    )


if __name__ == "__main__":
    main()
