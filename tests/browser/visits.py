"""The contexts that tests visit with. Those of people at a desk stay open from test to test: the
files that were fetched are not fetched, and the programs that were compiled not compiled, once more
for each test. What a test may leave in one is taken away before another sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from tests.browser.watch import Watch

ONE_PROCESS_PER_SITE = "--process-per-site"
"""With it the pages of a context are drawn by the process that a page of it already has."""
BLANK = "/static/favicon.svg"
"""Of the studio, so that it holds the process, and without a script."""
PATIENCE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Visited:
    """`held`: the page that holds the process, where the context is kept after the test."""

    who: str | None
    context: BrowserContext
    watch: Watch
    held: tuple[Page, CDPSession] | None = None

    @property
    def pages(self) -> list[Page]:
        """Those that the test has opened."""
        return [page for page in self.context.pages if not self.held or page != self.held[0]]


@dataclass(slots=True)
class Visits:
    """`logins`: the cookies of each person. `most`: how a context is where nothing else is said."""

    browser: Browser
    origin: str
    logins: Mapping[str, Any]
    most: Mapping[str, Any]
    _kept: list[Visited] = field(default_factory=list)

    def begin(self, who: str | None, *, kept: bool, **options: Any) -> Visited:
        """A context in which nobody has been. `kept`: it may be one that earlier tests had, too."""
        if not kept or options:
            return self._new(who, options)
        found = next((each for each in reversed(self._kept) if each.who == who), None)
        if found is None:
            return self._held(self._new(who, options))
        self._kept.remove(found)
        if who:
            found.context.add_cookies(self.logins[who]["cookies"])
        return found

    def end(self, visited: Visited, *, passed: bool) -> None:
        """Its pages are closed. What a failed test leaves behind is not known, so none is kept."""
        if visited.held is None or not passed:
            visited.context.close()
            return
        for page in visited.pages:
            page.close()
        self._emptied(visited.context, visited.held[1])
        if visited.watch.problems:
            visited.context.close()
        else:
            self._kept.append(visited)

    def _new(self, who: str | None, options: Mapping[str, Any]) -> Visited:
        state = self.logins[who] if who else None
        told = {**self.most, **options}
        context = self.browser.new_context(base_url=self.origin, storage_state=state, **told)
        context.set_default_timeout(PATIENCE_MS)
        return Visited(who, context, Watch(context, self.origin))

    def _held(self, visited: Visited) -> Visited:
        page = visited.context.new_page()
        page.goto(BLANK)
        held = page, visited.context.new_cdp_session(page)
        return Visited(visited.who, visited.context, visited.watch, held)

    def _emptied(self, context: BrowserContext, session: CDPSession) -> None:
        """Of all that is stored only the files that were fetched stay."""
        context.unroute_all()
        context.set_offline(False)
        context.clear_permissions()
        everything = {"origin": self.origin, "storageTypes": "all"}
        session.send("Storage.clearDataForOrigin", everything)
