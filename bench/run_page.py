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
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import django
from playwright.sync_api import Browser, Page, StorageState, ViewportSize, sync_playwright

from bench.common.report import percentile, report
from bench.common.web import serving

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
GESTURE_SECONDS = 4.0
PATIENCE_MS = 120_000

WATCH = """
window.__tasks = []
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) __tasks.push(startTime + duration)
}).observe({ type: 'longtask', buffered: true })
"""
DRAWN = "() => document.querySelectorAll('button[data-node]').length > 1 && performance.now()"
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
EMPTY_SPOT = """() => {
  const { left, top, width, height } = document.querySelector('.react-flow').getBoundingClientRect()
  for (let share = 0.5; share > 0.1; share -= 0.02)
    for (const [x, y] of [[share, share], [1 - share, share], [share, 1 - share]]) {
      const at = [left + x * width, top + y * height]
      if (document.elementFromPoint(...at)?.classList.contains('react-flow__pane')) return at
    }
  return null
}"""
GESTURES = ("drag the whole graph", "zoom", "drag close up", "scroll the trace", "replay slider")


@dataclass(slots=True)
class Visit:
    drawn_ms: float
    interactive_ms: float
    frames: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds from frame to frame, by gesture."""


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


def visit(browser: Browser, address: str, login: StorageState, run_id: str, rate: float) -> Visit:
    with browser.new_context(base_url=address, storage_state=login, viewport=VIEWPORT) as context:
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(WATCH)
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
        page.goto(f"/runs/{run_id}", wait_until="commit")
        seen = opened(page)
        for name, gesture in gestures(page).items():
            page.evaluate(RECORD)
            gesture()
            seen.frames[name] = page.evaluate(RECORDED)
        return seen


def opened(page: Page) -> Visit:
    drawn: float = page.wait_for_function(DRAWN).json_value()
    page.wait_for_function(RESTED, arg=drawn)
    return Visit(drawn, max(drawn, page.evaluate(LAST_TASK)))


# -- what a person does


def gestures(page: Page) -> dict[str, Callable[[], None]]:
    """In the order in which they leave the page ready for the next one."""
    moves = (drag, zoom, drag, scroll_trace, slide)
    return {name: partial(move, page) for name, move in zip(GESTURES, moves, strict=True)}


def drag(page: Page) -> None:
    """The canvas, in circles around where it is taken hold of."""
    spot: list[float] | None = page.evaluate(EMPTY_SPOT)
    assert spot is not None, "no place of the canvas is empty"
    x, y = spot
    page.mouse.move(x, y)
    page.mouse.down()
    for turn in turns():
        angle = 6 * math.pi * turn
        page.mouse.move(x + 180 * math.sin(angle), y + 120 * (1 - math.cos(angle)))
    page.mouse.up()


def zoom(page: Page) -> None:
    """In and out between the whole and a few cards, and stays close up."""
    box = page.locator(".react-flow").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for turn in turns():
        page.mouse.wheel(0, -45 if int(turn * 5) % 2 == 0 else 45)


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


def turns() -> Iterator[float]:
    """How far the gesture is, 0 to 1, 60 times a second where the page keeps up."""
    start = time.monotonic()
    while (passed := time.monotonic() - start) < GESTURE_SECONDS:
        yield passed / GESTURE_SECONDS
        time.sleep(max(0.0, 1 / 60 - (time.monotonic() - start - passed)))


# -- what is told


def tell(visits: list[Visit]) -> None:
    rows = [
        ("drawn", *spread([each.drawn_ms for each in visits])),
        ("interactive", *spread([each.interactive_ms for each in visits])),
    ]
    figures: dict[str, Any] = {}
    for name in GESTURES:
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
    report(
        "run_page",
        ("milliseconds", "median, or of all frames", "visits, of frames the p95"),
        rows,
        drawn_ms=median(each.drawn_ms for each in visits),
        interactive_ms=median(each.interactive_ms for each in visits),
        **figures,
    )


def spread(values: list[float]) -> tuple[str, str]:
    return f"{median(values):.0f}", f"{min(values):.0f}–{max(values):.0f}"


if __name__ == "__main__":
    main()
