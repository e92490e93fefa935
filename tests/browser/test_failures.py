"""A test that fails leaves what its pages showed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import failures
from tests.browser.conftest import FAILED

pytestmark = pytest.mark.browser


def test_pages_are_kept_also_where_one_is_gone(chromium: Browser, tmp_path: Path) -> None:
    with chromium.new_context() as context:
        gone, page = context.new_page(), context.new_page()
        page.set_content("<main>What it showed</main>")
        gone.close()
        failures.keep([gone, page], "test_it[a/b]", tmp_path)
    assert (tmp_path / "test_it-a-b-1.png").stat().st_size > 0
    assert "What it showed" in (tmp_path / "test_it-a-b-1.html").read_text()


def test_a_failure_is_known_before_the_pages_are_closed(request: pytest.FixtureRequest) -> None:
    item = request.node
    call = pytest.CallInfo.from_call(lambda: pytest.fail("on purpose"), "call")
    item.ihook.pytest_runtest_makereport(item=item, call=call)
    assert item.stash[FAILED]
    del item.stash[FAILED]
