"""What a first visit really fetches of the pages: no more than the limits say."""

import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser import run_page
from tests.browser.conftest import Visit
from tests.processes.children import ROOT

pytestmark = pytest.mark.browser

PAGES = ROOT / "frontend"
FIRST_LOADS = json.loads((PAGES / "scripts" / "first-loads.json").read_text())["pages"]
LAST_PART = "**/assets/palette-*.js"
"""Fetched by every page when it has long been drawn."""


def travels(address: str) -> int:
    """Bytes of one file, compressed as a server sends it; 0 where it is none of the pages'."""
    path = urlsplit(address).path
    if not path.startswith("/static/"):
        return 0
    file = PAGES / "dist" / path.removeprefix("/static/")
    compressed = file.with_name(f"{file.name}.gz")
    return (compressed if compressed.exists() else file).stat().st_size


@pytest.mark.parametrize("first", FIRST_LOADS, ids=lambda first: first["path"])
def test_a_first_visit_stays_within_its_limit(
    visit: Visit, team_run: str, first: dict[str, object]
) -> None:
    context = visit(kept=False)
    page = context.new_page()
    fetched: set[str] = set()
    context.on("request", lambda request: fetched.add(request.url))
    path = str(first["path"])
    with page.expect_response(LAST_PART):
        page.goto(path.replace(":id", team_run))
    expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
    run_page.settle(page)
    kilobytes = sum(map(travels, fetched)) / 1024
    assert 200 < kilobytes < float(str(first["limit_kb"])), sorted(fetched)
