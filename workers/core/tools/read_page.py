"""Reads a page of the web: fetched by the guarded client, as text in parts."""

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import aiohttp
from yarl import URL

from workers.core.net.guard import AddressRefused, check_url, is_below
from workers.core.net.lookups import LookupsBusy, LookupUnanswered
from workers.core.net.outbound import Fetched, OutboundClient, patiently
from workers.core.specs import Source
from workers.core.tools.base import ToolLimits, ToolResult, object_schema, whole_number
from workers.core.tools.challenges import CHALLENGED, is_challenge_html
from workers.core.tools.documents import Unreadable
from workers.core.tools.foreign_text import (
    FIND,
    NO_WORDS,
    in_parts,
    one_line,
    shown_of,
    visible,
)
from workers.core.tools.run_tool import STARTS, Run, RunScope, RunTool, Start, ToolBudget
from workers.core.tools.seen import Seen, again

PAGE_BYTES = 8_000_000
PART_TOKENS = 2_000
REDIRECTS = 5
HEADERS = {
    "User-Agent": "Mozilla/5.0 (compatible; MAS-Studio)",
    "Accept": "text/html,text/plain,application/json,application/pdf,*/*;q=0.5",
    "Accept-Language": "en,*;q=0.5",
}
_ERRORS = {
    401: "It asks for a password",
    403: "It refuses programs",
    404: "There is no such page",
    410: "The page is gone",
    429: "It allows no more requests now",
    451: "It may not be shown here",
}


class PageFailed(Exception):
    """Why a page has no text, as sentences with the way out. `fetched`: bytes that came."""

    def __init__(self, why: str, *, fetched: int = 0) -> None:
        super().__init__(why)
        self.fetched = fetched


@dataclass(frozen=True, slots=True)
class Page:
    """`address`: where redirects ended. `cut`: the page has more than is read."""

    title: str
    address: str
    parts: tuple[str, ...]
    cut: bool
    fetched: int


_ADDRESS = re.compile(r"https?://[^\s<>\"'“”]+[\w/]")


class _Reader:
    """The pages of one run."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._seen: Seen[Page] = Seen()

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str
    ) -> ToolResult:
        address, part = arguments.get("address"), whole_number(arguments.get("part", 1))
        if not isinstance(address, str) or not address.strip():
            example = '{"address": "https://en.wikipedia.org/wiki/Rhine"}'
            return ToolResult(False, f"Give the page's address as text: {example}.")
        if part is None or part < 1:
            return ToolResult(False, "part must be a number from 1.")
        find = arguments.get("find")
        if not isinstance(find, str | None):
            return ToolResult(False, NO_WORDS)
        try:
            target = self._target(address.strip())
            page, fresh = await self._seen.found(target, lambda: self._page(target, limits))
        except PageFailed as error:
            note = again(self._seen.times((address, "failed")), "asked for this page")
            return ToolResult(False, str(error), note, foreign=True, fetched=error.fetched)
        if part > len(page.parts):
            return ToolResult(False, f"The page has {len(page.parts)} parts; there is no {part}.")
        repeated = again(self._seen.times((target, part, find)), "read this part of the page")
        return _told(page, part, find, repeated, fresh=fresh)

    def _target(self, address: str) -> URL:
        """Raises PageFailed."""
        try:
            meant = self._scope.settings.absolute(address)
            return check_url(meant, allow_private=True).with_fragment(None)
        except AddressRefused as error:
            raise PageFailed(f"{error.message} {error.remedy}".strip()) from error

    async def _page(self, target: URL, limits: ToolLimits) -> Page:
        """Raises PageFailed."""
        fetched = await self._fetched(target, limits.seconds / 2)
        size = len(fetched.body)
        if "html" in fetched.content_type and is_challenge_html(fetched.body):
            raise PageFailed(f"{CHALLENGED} ({fetched.status}). Try another page.", fetched=size)
        if fetched.status >= 400:
            why = _ERRORS.get(fetched.status, "The server has an error")
            raise PageFailed(f"{why} ({fetched.status}). Try another page.", fetched=size)
        name = URL(fetched.url).name
        text_like = fetched.content_type.startswith("text/") or "html" in fetched.content_type
        if fetched.truncated and not text_like:
            raise PageFailed(
                f"The file is larger than {PAGE_BYTES / 1e6:.0f} MB. Try another.", fetched=size
            )
        try:
            read = await self._scope.documents.read(
                fetched.body,
                replace(limits, seconds=0.45 * limits.seconds),
                name=name,
                media_type=fetched.content_type,
                charset=fetched.charset,
                url=fetched.url,
            )
        except Unreadable as error:
            raise PageFailed(f"The page can't be read. {error}", fetched=size) from error
        text = visible(read.text).strip()
        if not text:
            raise PageFailed(
                "The page has no text: it may be made by a script, or empty. Try another page.",
                fetched=size,
            )
        return Page(
            one_line(read.title),
            fetched.url,
            in_parts(text, PART_TOKENS),
            read.cut or fetched.truncated,
            size,
        )

    async def _fetched(self, target: URL, seconds: float) -> Fetched:
        """Follow redirects; each address is checked like the first. Raises PageFailed."""
        until = time.monotonic() + seconds / 2
        try:
            async with asyncio.timeout(seconds):
                for _ in range(REDIRECTS + 1):
                    fetched = await patiently(partial(self._once, target), until=until)
                    if fetched.location is None:
                        return fetched
                    target = target.join(URL(fetched.location)).with_fragment(None)
        except AddressRefused as error:
            raise PageFailed(f"{error.message} Only public pages can be read.") from error
        except TimeoutError as error:
            raise PageFailed(
                f"The page did not come within {seconds:.0f} seconds. Try another."
            ) from error
        except (aiohttp.ClientError, LookupsBusy, LookupUnanswered, OSError, ValueError) as error:
            cause = type(error).__name__
            raise PageFailed(
                f"The page can't be reached ({cause}). Check the address, or try another."
            ) from error
        raise PageFailed(f"The page redirects more than {REDIRECTS} times. Try another.")

    async def _once(self, target: URL) -> Fetched:
        settings = self._scope.settings
        own = is_below(target, settings.pages_url)
        headers = HEADERS | settings.headers_for(target)
        async with OutboundClient(allow_private=own, seconds=60.0) as client:
            return await client.request("GET", str(target), headers=headers, max_bytes=PAGE_BYTES)


def _told(page: Page, part: int, find: str | None, repeated: str, *, fresh: bool) -> ToolResult:
    shown, which = shown_of(page.parts, part, find, PART_TOKENS)
    note = " ".join(filter(None, (which, repeated)))
    if page.cut and part == len(page.parts):
        note = f"{note} The page goes on, but no more of it is read.".strip()
    head = f"Title: {page.title}\n" if page.title else ""
    return ToolResult(
        True,
        f"{head}Address: {page.address}\n\n{shown}",
        note,
        foreign=True,
        sources=(Source(title=page.title, address=page.address),),
        cached=not fresh,
        cut=page.cut,
        fetched=page.fetched if fresh else 0,
    )


def _open(scope: RunScope) -> Run:
    return _Reader(scope).run


def _starts(start: Start) -> list[dict[str, str]]:
    """The addresses that the question names, or else the first page that was found."""
    named = _ADDRESS.findall(start.about)[:STARTS]
    found = [each.address for each in start.found if each.address][:1]
    return [{"address": address, "find": start.about} for address in named or found]


READ_PAGE = RunTool(
    key="read_page",
    name="Page reader",
    description=(
        "Reads the page or document at a web address and gives its text with tables and links. A "
        "long one comes in parts."
    ),
    parameters=object_schema(
        {
            "address": {"type": "string", "description": "the page's address"},
            "part": {"type": "integer", "description": "which part of a long page; 1 if left out"},
            "find": FIND,
        },
        "address",
    ),
    open=_open,
    limits=ToolLimits(seconds=40.0, memory_mib=1_536, output_chars=1_000_000),
    budget=ToolBudget(calls=60, seconds=600.0, fetched=100_000_000),
    starts=_starts,
    remembers=True,
)
