"""Measures the designer with 200 agents: how soon it is usable, how it moves, what a key costs.

    bin/studio bench designer_page [--visits 5] [--agents 200] [--rate 1]

It uses a real Chromium and the same graph as `run_page`. Each visit shows the whole graph, drags
it, zooms, drags it close up and moves one card, while the page records the time between frames.
Then it types a prompt. `key_ms` is the time from a key until its change is painted. `tidy_ms` is
the time from releasing the button Tidy until the change is painted, twice per visit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from playwright.sync_api import Page

from bench.common.pages import (
    ON_A_CANVAS,
    Door,
    Visit,
    arguments,
    record,
    spread,
    tell,
    turns,
    visited,
)
from bench.common.report import percentile

if TYPE_CHECKING:
    from apps.accounts.models import User

KEYS = 40
KEY_GAP_MS = 120
TIDIES = 2
CARDS = ".react-flow__node"
PAINTED = """event => {
  const painted = (window.__painted = [])
  addEventListener(event, () => {
    const begun = performance.now()
    const { port1, port2 } = new MessageChannel()
    port2.onmessage = () => painted.push(performance.now() - begun)
    requestAnimationFrame(() => port1.postMessage(null))
  }, { capture: true })
}"""
"""A message that is sent from a frame's callback comes once the frame is painted."""
CARD = """() => {
  const { left, top, width, height } = document.querySelector('.react-flow').getBoundingClientRect()
  const [x, y] = [left + width / 2, top + height / 2]
  const middles = [...document.querySelectorAll('.react-flow__node')].map((card) => {
    const box = card.getBoundingClientRect()
    return [box.left + box.width / 2, box.top + box.height / 2]
  })
  return middles.sort((a, b) => Math.hypot(a[0] - x, a[1] - y) - Math.hypot(b[0] - x, b[1] - y))[0]
}"""
"""The middle of the card nearest to the middle of the canvas."""


@dataclass(slots=True)
class Use:
    """Milliseconds of one visit, for the keys and for tidying the graph."""

    visit: Visit
    keys: list[float]
    tidies: list[float]


def main() -> None:
    parser = arguments("Measure the designer with many agents in a browser.")
    parser.add_argument("--agents", type=int, default=200)
    options = parser.parse_args()
    tell_uses(visited(partial(stored, agents=options.agents), visit, options))


def stored(user: User, *, agents: int) -> str:
    """Its agents are not yet placed."""
    from apps.designs.services import design_create
    from bench.common.long_run import graph_of
    from workers.core.designs.spec import design_of
    from workers.core.pools import load_builtin_pool

    drawn = design_of(graph_of(load_builtin_pool("general").roles, agents=agents))
    design = design_create(user=user, name="Many", draft=drawn.model_dump(mode="json"))
    return f"/designs/{design.id}"


def visit(door: Door) -> Use:
    with door.opened(nodes=CARDS) as (page, seen):
        page.get_by_role("button", name="Fit view").click()
        page.wait_for_timeout(1_000)
        record(page, seen, ON_A_CANVAS | {"carry a card": carry})
        return Use(seen, written(page), tidied(page))


# -- what a person does


def carry(page: Page) -> None:
    """Move one card in circles, back to where it was."""
    x, y = page.evaluate(CARD)
    page.mouse.move(x, y)
    page.mouse.down()
    for turn in turns():
        angle = 6 * math.pi * turn
        page.mouse.move(x + 60 * math.sin(angle), y + 60 * (1 - math.cos(angle)))
    page.mouse.move(x, y)
    page.mouse.up()


def written(page: Page) -> list[float]:
    """Type into the prompt of the moved agent, which is the selected one."""
    page.get_by_role("textbox", name="Prompt").click()
    page.evaluate(PAINTED, "keydown")
    page.keyboard.type("a" * KEYS, delay=KEY_GAP_MS)
    page.wait_for_timeout(1_000)
    keys: list[float] = page.evaluate("__painted")
    return keys


def tidied(page: Page) -> list[float]:
    """Tidy twice. The second time nothing has moved since, and the layout costs the same."""
    button = page.get_by_role("button", name="Tidy")
    button.hover()
    page.evaluate(PAINTED, "pointerup")
    for number in range(1, TIDIES + 1):
        button.click()
        page.wait_for_function("count => __painted.length >= count", arg=number)
        page.wait_for_timeout(1_000)
    found: list[float] = page.evaluate("__painted")
    return found


# -- what is told


def tell_uses(uses: list[Use]) -> None:
    keys = [key for each in uses for key in each.keys]
    own = [
        ("a key, until it is painted", *spread([median(each.keys) for each in uses])),
        ("a key, p95", *spread([percentile(each.keys, 0.95) for each in uses])),
        ("tidy", *spread([median(each.tidies) for each in uses])),
    ]
    tell(
        "designer_page",
        [each.visit for each in uses],
        own,
        key_ms=median(keys),
        key_p95_ms=percentile(keys, 0.95),
        tidy_ms=median(ms for each in uses for ms in each.tidies),
    )


if __name__ == "__main__":
    main()
