"""Whether a page is accessible and inside its width, and where pictures of it are kept."""

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page

from tests.browser.run_page import settle
from tests.processes.children import ROOT

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = {1440: 900, 390: 844}
THEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "light": (),
    "dark": ("color-contrast",),
}
"""Each with the rules to check: in the dark only colours differ."""


def picture(name: str) -> Path:
    """Where a screenshot is kept, to be looked at after the tests."""
    return ROOT / "artifacts" / "screenshots" / f"{name}.png"


def violations(page: Page, *rules: str, without: str | None = None) -> list[str]:
    """`rule: selector` for everything that axe finds, by some rules or by all of them."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if without:
        options["rules"] = {without: {"enabled": False}}
    if rules:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{each['id']}: {node['target']} {node['html'][:160]} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def pictured(page: Page, name: str) -> None:
    """Pictured in both themes, accessible, and no wider than its window."""
    settle(page)
    page.evaluate(AXE.read_text())
    size = page.viewport_size
    assert size is not None
    for theme, rules in THEMES.items():
        page.emulate_media(color_scheme=theme)
        page.screenshot(path=picture(f"{name}-{size['width']}-{theme}"))
        assert violations(page, *rules) == []
    page.emulate_media(color_scheme="light")
    assert overflow(page) == 0


def overflow(page: Page) -> int:
    """Pixels by which the page can be scrolled sideways."""
    width: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return width
