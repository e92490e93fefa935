"""What the pages of a test that failed showed: a picture, their address and their elements."""

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Error, Page

from tests.processes.children import ROOT

KEPT = ROOT / "artifacts" / "failures"
PATIENCE_MS = 5_000


def keep(pages: Iterable[Page], test: str, folder: Path = KEPT) -> None:
    """A page that no longer answers is left out: what failed is told by the test."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", test).strip("-")[:120]
    for number, page in enumerate(pages):
        with suppress(Error):
            page.screenshot(path=folder / f"{name}-{number}.png", timeout=PATIENCE_MS)
            html = f"<!-- {page.url} -->\n{page.content()}"
            (folder / f"{name}-{number}.html").write_text(html)
