"""Measures a page in a real Chromium: how soon it can be used, and how smoothly it moves.

No graphics card draws here, so painting costs more than on most computers.
"""

from __future__ import annotations

import math
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from playwright.sync_api import Browser, Page, StorageState, ViewportSize, sync_playwright

from bench.common.report import percentile, report
from bench.common.web import serving, set_up

if TYPE_CHECKING:
    from apps.accounts.models import User

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
GESTURE_SECONDS = 4.0
PATIENCE_MS = 120_000
NODES = "button[data-node]"
"""The cards of a canvas."""

WATCH = """
window.__tasks = []
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) __tasks.push(startTime + duration)
}).observe({ type: 'longtask', buffered: true })
"""
DRAWN = "nodes => document.querySelectorAll(nodes).length > 1 && performance.now()"
REST_MS = 1_500
RESTED = f"drawn => performance.now() > Math.max(drawn, ...__tasks) + {REST_MS}"
LAST_TASK = "Math.max(0, ...__tasks)"

RECORD = """() => {
  const frames = (window.__frames = [])
  let last = performance.now()
  const note = (now) => {
    frames.push(now - last)
    last = now
    window.__noting = requestAnimationFrame(note)
  }
  window.__noting = requestAnimationFrame(note)
}"""
RECORDED = "() => { cancelAnimationFrame(__noting); return __frames.slice(1) }"
ROWS = "document.querySelectorAll('[role=treeitem], [role=toolbar] [aria-pressed]').length"
"""Matches the rows of a trace or a timeline."""
EMPTY_SPOT = """() => {
  const { left, top, width, height } = document.querySelector('.react-flow').getBoundingClientRect()
  for (let share = 0.5; share > 0.1; share -= 0.02)
    for (const [x, y] of [[share, share], [1 - share, share], [share, 1 - share]]) {
      const at = [left + x * width, top + y * height]
      if (document.elementFromPoint(...at)?.classList.contains('react-flow__pane')) return at
    }
  return null
}"""

V = TypeVar("V")
Figures = dict[str, dict[str, float]]
Gestures = dict[str, Callable[[Page], None]]
"""Gestures, in an order in which each leaves the page ready for the next one."""


@dataclass(slots=True)
class Visit:
    drawn_ms: float
    interactive_ms: float
    frames: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds from frame to frame, by gesture."""
    rows: dict[str, int] = field(default_factory=dict)
    """Rows of long lists that the page holds after a gesture, if it has such lists."""


@contextmanager
def chromium() -> Iterator[Browser]:
    from studio.launcher.suite import browser_present

    program = os.environ.get("STUDIO_CHROMIUM") or browser_present()
    # Playwright's loop runs in this thread, and Django asks nothing of it from now on.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@dataclass(frozen=True, slots=True)
class Door:
    """A page of the studio for a logged-in user. `rate` slows the processor down."""

    browser: Browser
    address: str
    login: StorageState
    path: str
    rate: float

    @contextmanager
    def opened(
        self, *, nodes: str = NODES, viewport: ViewportSize = VIEWPORT
    ) -> Iterator[tuple[Page, Visit]]:
        """Open the page with an empty cache and wait until it can be used."""
        with self.browser.new_context(
            base_url=self.address, storage_state=self.login, viewport=viewport
        ) as context:
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(WATCH)
            page = context.new_page()
            throttle = {"rate": self.rate}
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", throttle)
            page.goto(self.path, wait_until="commit")
            drawn: float = page.wait_for_function(DRAWN, arg=nodes).json_value()
            page.wait_for_function(RESTED, arg=drawn)
            yield page, Visit(drawn, max(drawn, page.evaluate(LAST_TASK)))


def arguments(description: str) -> ArgumentParser:
    parser = ArgumentParser(description=description)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument(
        "--rate", type=float, default=1.0, help="factor that slows the processor down"
    )
    return parser


def visited(store: Callable[[User], str], use: Callable[[Door], V], options: Namespace) -> list[V]:
    """The result of each visit. A first visit does not count: the web process loads its code then.
    `store` creates the object to look at for a user and returns its path."""
    set_up()
    path, link = _stored(store)
    with serving() as port, chromium() as browser:
        address = f"http://127.0.0.1:{port}"
        with browser.new_context(base_url=address) as context:
            assert context.request.get(link).ok
            login = context.storage_state()
        door = Door(browser, address, login, path, options.rate)
        use(door)
        return [use(door) for _ in range(options.visits)]


def _stored(store: Callable[[User], str]) -> tuple[str, str]:
    """Store the object for the admin. Return its path and a link that logs in once."""
    from apps.accounts.services import admin_ensure, login_link_create

    admin, _ = admin_ensure()
    return store(admin), login_link_create(user=admin)


def record(page: Page, seen: Visit, gestures: Gestures) -> None:
    for name, gesture in gestures.items():
        page.evaluate(RECORD)
        gesture(page)
        seen.frames[name] = page.evaluate(RECORDED)
        if shown := page.evaluate(ROWS):
            seen.rows[name] = shown


# -- what a person does with a canvas


def drag(page: Page) -> None:
    """Drag the canvas in circles around the point where the mouse holds it."""
    spot: list[float] | None = page.evaluate(EMPTY_SPOT)
    assert spot is not None, "The canvas has no empty place to drag."
    x, y = spot
    page.mouse.move(x, y)
    page.mouse.down()
    for turn in turns():
        angle = 6 * math.pi * turn
        page.mouse.move(x + 180 * math.sin(angle), y + 120 * (1 - math.cos(angle)))
    page.mouse.up()


def zoom(page: Page) -> None:
    """Zoom in and out between the whole graph and a few cards. End close up."""
    box = page.locator(".react-flow").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for turn in turns():
        page.mouse.wheel(0, -45 if int(turn * 5) % 2 == 0 else 45)


def turns() -> Iterator[float]:
    """Progress of the gesture, 0 to 1, 60 times a second if the page keeps up."""
    start = time.monotonic()
    while (passed := time.monotonic() - start) < GESTURE_SECONDS:
        yield passed / GESTURE_SECONDS
        time.sleep(max(0.0, 1 / 60 - (time.monotonic() - start - passed)))


ON_A_CANVAS: Gestures = {"drag the whole graph": drag, "zoom": zoom, "drag close up": drag}


# -- what is told


HEAD = (
    "milliseconds",
    "median over visits (frames: over all)",
    "range over visits (frames: of the p95)",
)

Row = tuple[str, str, str]


def tell(bench: str, visits: list[Visit], own: Sequence[Row] = (), **own_figures: float) -> None:
    """End the benchmark. `own`: its rows beside those of opening the page and of the gestures."""
    drawn = [each.drawn_ms for each in visits]
    interactive = [each.interactive_ms for each in visits]
    opening = [("drawn", *spread(drawn)), ("interactive", *spread(interactive))]
    rows, figures = _frame_rows(visits, visits[0].frames)
    report(
        bench,
        HEAD,
        [*opening, *own, *rows],
        drawn_ms=median(drawn),
        interactive_ms=median(interactive),
        **own_figures,
        **figures,
    )


def _frame_rows(visits: list[Visit], names: Iterable[str]) -> tuple[list[Row], Figures]:
    """A table row for each gesture, and its figures."""
    rows: list[Row] = []
    figures: Figures = {}
    for name in names:
        frames = [frame for each in visits for frame in each.frames[name]]
        told = {
            "p50": percentile(frames, 0.5),
            "p95": percentile(frames, 0.95),
            "longest": max(frames),
        }
        figures[name.replace(" ", "_")] = told
        p95s = [percentile(each.frames[name], 0.95) for each in visits]
        middle = " / ".join(f"{value:.0f}" for value in told.values())
        rows.append((f"{name}: p50 / p95 / longest", middle, f"{min(p95s):.0f}–{max(p95s):.0f}"))
        if held := [each.rows[name] for each in visits if name in each.rows]:
            rows.append((f"{name}: rows in the page", f"{median(held):.0f}", range_of(held)))
    return rows, figures


def spread(values: list[float]) -> tuple[str, str]:
    return f"{median(values):.0f}", range_of(values)


def range_of(values: Sequence[float]) -> str:
    return f"{min(values):.0f}–{max(values):.0f}"
