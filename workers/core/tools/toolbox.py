"""Opens the registry's tools for one run after the other.

async with toolbox.opened(task.metadata) as tools:
    context = MethodContext(…, tools=tools)
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from yarl import URL

from workers.core.specs import TaskSpec
from workers.core.tools.attachments import attached_files
from workers.core.tools.base import Tool
from workers.core.tools.browsing.session import Browser
from workers.core.tools.browsing.spare import Browsers
from workers.core.tools.documents import DocumentReaders
from workers.core.tools.pictures import Pictures
from workers.core.tools.registry import TOOLS
from workers.core.tools.run_tool import Before, OpenedTool, ReadsPictures, RunScope, RunTool
from workers.core.tools.settings import ToolSettings

log = logging.getLogger(__name__)

CLOSE_SECONDS = 10.0


class Toolbox:
    """What the tools of all runs of an event loop share. Close it when no run needs it.

    `spare`: a browser waits for the next run, which is worth it where many runs follow.
    """

    def __init__(
        self,
        settings: ToolSettings | None = None,
        tools: Mapping[str, Tool] = TOOLS,
        documents: DocumentReaders | None = None,
        *,
        spare: bool = False,
    ) -> None:
        self._settings = settings or ToolSettings()
        self._tools = tools
        self._documents = documents or DocumentReaders()
        self._browsers = Browsers(partial(_browser, self._settings), spare=spare)

    @asynccontextmanager
    async def opened(
        self,
        metadata: Mapping[str, Any],
        pictures: Pictures | None = None,
        eyes: ReadsPictures | None = None,
        before: Before | None = None,
    ) -> AsyncGenerator[Mapping[str, Tool]]:
        """The tools of one run. `metadata` is its task's. What they opened is closed at the end.
        `before`: what lost attempts of the run did with them."""
        exits = AsyncExitStack()
        files = attached_files(metadata)
        shared = self._documents, self._browsers
        scope = RunScope(self._settings, files, *shared, exits, pictures, eyes)
        known = before or Before()
        try:
            yield {
                key: OpenedTool(tool, scope, known) if isinstance(tool, RunTool) else tool
                for key, tool in self._tools.items()
            }
        finally:
            await _closed(exits)

    async def close(self) -> None:
        await self._browsers.close()
        await self._documents.close()


@asynccontextmanager
async def tools_of_run(
    toolbox: Toolbox | None,
    task: TaskSpec,
    pictures: Pictures | None = None,
    eyes: ReadsPictures | None = None,
    before: Before | None = None,
) -> AsyncGenerator[Mapping[str, Tool]]:
    """The opened tools; without a toolbox, from one for this run alone."""
    used = toolbox or Toolbox()
    try:
        async with used.opened(task.metadata, pictures, eyes, before) as tools:
            yield tools
    finally:
        if toolbox is None:
            await used.close()


def _browser(settings: ToolSettings) -> Browser:
    own = settings.pages_url
    return Browser(own=own, headers=settings.headers_for(URL(own)) if own else {})


async def _closed(exits: AsyncExitStack) -> None:
    """What does not close must not keep the run from its end."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await exits.aclose()
    except Exception:
        log.exception("a tool did not close after its run")
