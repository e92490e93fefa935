"""A browser that an agent leads step by step: a page as an outline, with marks for what can be
clicked or typed into."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from workers.core.specs import Source
from workers.core.tools.base import ToolLimits, ToolResult, object_schema, whole_number
from workers.core.tools.browsing.session import Browser, BrowserFailed, Seen
from workers.core.tools.challenges import CHALLENGED, is_challenge
from workers.core.tools.foreign_text import in_parts, one_line, part_note, visible
from workers.core.tools.pictures import PICTURE_BYTES, is_picture
from workers.core.tools.run_tool import Run, RunScope, RunTool, ToolBudget

BROWSER_TOOL = "browser"
PART_TOKENS = 2_000
_REF = re.compile(r"\[ref=\w+\]")
NEEDS = {"open": ("address",), "click": ("ref",), "type": ("ref", "text")}
ACTIONS = ("open", "click", "type", "scroll", "back", "read")


@dataclass(slots=True)
class _Looks:
    """How an agent's pages looked. Their marks differ each time that a page is loaded."""

    _last: int = 0
    _times: Counter[tuple[int, int]] = field(default_factory=Counter)

    def again(self, seen: Seen, part: int) -> str:
        """A sentence for the agent if it was shown the same before; else empty."""
        looks = hash((seen.address, _REF.sub("", seen.text)))
        stays, self._last = looks == self._last, looks
        self._times[looks, part] += 1
        before = self._times[looks, part] - 1
        if stays and part == 1:
            return "The page looks as before."
        if before == 0:
            return ""
        often = "before" if before == 1 else f"{before} times before"
        return f"You saw this {often}, and it has not changed."


class _Browsing:
    """The browser of one run, in which each agent has its own page."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._opening = asyncio.Lock()
        self._browser: Browser | None = None
        self._looks: dict[str, _Looks] = defaultdict(_Looks)
        """What each agent saw."""
        self._counted = 0
        """Bytes of the browser that calls have in their results."""

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str
    ) -> ToolResult:
        action, part = arguments.get("action"), whole_number(arguments.get("part", 1))
        if action not in ACTIONS:
            return ToolResult(False, f"action must be one of {', '.join(ACTIONS)}.")
        for name in NEEDS.get(action, ()):
            if not isinstance(arguments.get(name), str) or not (arguments[name] or name == "text"):
                return ToolResult(False, f"The action {action} needs {name}, as text.")
        if part is None or part < 1:
            return ToolResult(False, "part must be a number from 1.")
        browser = await self._opened()
        given = {name: arguments[name] for name in NEEDS.get(action, ())}
        if action == "open":
            given["address"] = self._scope.settings.absolute(given["address"])
        flags = {n: arguments[n] is True for n in ("enter", "down") if n in arguments}
        try:
            seen = await browser.act(
                action, agent=agent_id, picture=self._picture(part), **given, **flags
            )
        except BrowserFailed as error:
            fetched = self._fetched(browser)
            return ToolResult(False, visible(str(error)), foreign=True, fetched=fetched)
        self._scope.browsers.prepare()
        result = self._told(seen, part, agent_id, fetched=self._fetched(browser))
        return replace(result, picture=await self._kept(seen.picture))

    async def _opened(self) -> Browser:
        async with self._opening:
            if self._browser is None:
                browser = await self._scope.browsers.taken()
                self._browser = await self._scope.exits.enter_async_context(browser)
            return self._browser

    def _fetched(self, browser: Browser) -> int:
        """Bytes since the last result. Agents browse at once, so each byte is counted once."""
        before, self._counted = self._counted, browser.received
        return self._counted - before

    def _picture(self, part: int) -> int:
        """The most bytes of a picture. Another part of a page looks like its first."""
        pictures = self._scope.pictures
        return PICTURE_BYTES if pictures and pictures.wanted and part == 1 else 0

    async def _kept(self, picture: bytes) -> UUID | None:
        pictures = self._scope.pictures
        return await pictures.keep(picture) if pictures and is_picture(picture) else None

    def _told(self, seen: Seen, part: int, agent_id: str, *, fetched: int) -> ToolResult:
        parts = in_parts(visible(seen.text), PART_TOKENS)
        if part > len(parts):
            return ToolResult(False, f"The page has {len(parts)} parts; there is no {part}.")
        if is_challenge(seen.title, _REF.sub("", seen.text)):
            why = f"Address: {seen.address}\n\n{CHALLENGED}. Open another page."
            return ToolResult(False, visible(why), foreign=True, fetched=fetched)
        same = self._looks[agent_id].again(seen, part)
        note = " ".join(filter(None, (part_note(part, parts), same, *seen.notes)))
        title = one_line(seen.title)
        head = f"Title: {title}\nAddress: {seen.address}"
        return ToolResult(
            True,
            f"{head}\n\n{parts[part - 1]}",
            note,
            foreign=True,
            sources=(Source(title=title, address=seen.address),),
            fetched=fetched,
        )


def _open(scope: RunScope) -> Run:
    return _Browsing(scope).run


BROWSER = RunTool(
    key=BROWSER_TOOL,
    name="Web browser",
    description=(
        "Leads a web browser: open a page, click, type, scroll, go back. It gives the page as an "
        "outline in which [ref=e5] marks what can be clicked or typed into. For a page that is "
        "only to be read, read_page is quicker."
    ),
    parameters=object_schema(
        {
            "action": {"type": "string", "enum": list(ACTIONS)},
            "address": {"type": "string", "description": "for open: the page's address"},
            "ref": {"type": "string", "description": "for click and type: the mark, such as e5"},
            "text": {"type": "string", "description": "for type: what to write"},
            "enter": {"type": "boolean", "description": "for type: press Enter after it"},
            "down": {"type": "boolean", "description": "for scroll: false scrolls up"},
            "part": {"type": "integer", "description": "which part of a long page; 1 if left out"},
        },
        "action",
    ),
    open=_open,
    limits=ToolLimits(seconds=60.0, memory_mib=1_536, output_chars=1_000_000),
    budget=ToolBudget(calls=60, seconds=600.0, fetched=50_000_000),
)
