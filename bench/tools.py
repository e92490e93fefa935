"""Measures the tools by which agents search, read and browse, on the same 50 tasks.

    bin/studio bench tools [--no-vectors] [--pause 1.0]

36 tasks search the corpora that come with the studio, read the page that was found and open it in
the browser. 14 read and browse a site of our own: long articles, tables, files, a page that a
script builds, a form, a link. A web process serves the corpora, and the tools are those of runs:
the guarded client, the process that reads documents, and Chromium in its container. Each task is a
run: nothing is kept from the one before, and no browser is used twice. A worker serves many runs,
so its reader has read files before, and a browser waits for the next run. Each call comes `--pause`
seconds after the last one ended, as a model's answers do.

A call's time is what an agent waits for. Tokens are of what it reads, by the estimate that cuts
texts to size. The last line has the figures; `success` is the share of tasks in which all steps
showed what they should.
"""

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from bench.common.report import percentile, report
from bench.common.tool_tasks import Task, corpus_tasks, local_site
from bench.common.web import serving, set_up
from bench.corpus import asking, loaded, warm
from workers.core.fit import fit_tokens
from workers.core.testing.stub_web import site
from workers.core.tools.base import ToolLimits, ToolResult
from workers.core.tools.pictures import PICTURES_MAX
from workers.core.tools.settings import ToolSettings
from workers.core.tools.toolbox import Toolbox

OPENED = "browser, first page of a run"
TOOLS = ("web_search", "read_page", OPENED, "browser, other steps")


@dataclass(slots=True)
class Pictures:
    """Those of one run. Keeping them in the database takes a millisecond more."""

    kept: list[bytes] = field(default_factory=list)

    @property
    def wanted(self) -> bool:
        return len(self.kept) < PICTURES_MAX

    async def keep(self, jpeg: bytes) -> UUID | None:
        self.kept.append(jpeg)
        return UUID(int=len(self.kept))


@dataclass(slots=True)
class Figures:
    """By name of `TOOLS`: milliseconds and tokens of each call; by tool: how its steps went.
    `starts`: milliseconds of first pages for which no browser waited."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    tokens: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    worked: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    tasks: list[bool] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)

    def success(self, name: str) -> float:
        steps = self.worked[name.partition(",")[0]]
        return sum(steps) / max(1, len(steps))


class Run:
    """Calls the tools of one run and measures them."""

    def __init__(self, tools: Any, figures: Figures, pause: float) -> None:
        self._tools, self._figures, self._pause = tools, figures, pause
        self._browses = False

    async def call(self, key: str, **arguments: Any) -> ToolResult:
        await asyncio.sleep(self._pause)
        began = time.perf_counter()
        result: ToolResult = await self._tools[key].run(arguments, ToolLimits())
        took = 1_000 * (time.perf_counter() - began)
        name = key
        if key == "browser":
            name, self._browses = TOOLS[3] if self._browses else OPENED, True
        if not result.cached:
            self._figures.took[name].append(took)
        self._figures.tokens[name].append(fit_tokens(result.whole))
        return result


async def measured(
    tasks: Sequence[Task], settings: ToolSettings, figures: Figures, *, pause: float
) -> None:
    """The first of each kind is run once more before, as by a worker that is not new."""
    toolbox = Toolbox(settings, spare=True)
    kinds = {task.kind: task for task in reversed(tasks)}
    try:
        cold = Figures()
        for task in kinds.values():
            await one(task, toolbox, cold, pause)
        figures.starts += cold.took[OPENED][:1]
        for task in tasks:
            await one(task, toolbox, figures, pause)
    finally:
        await toolbox.close()


async def one(task: Task, toolbox: Toolbox, figures: Figures, pause: float) -> None:
    pictures = Pictures()
    async with toolbox.opened({}, pictures) as tools:
        worked = await task.steps(Run(tools, figures, pause).call)
    for key, well in worked.items():
        figures.worked[key].append(well)
        if not well:
            print(f"{task.name}: {key} did not show it")
    figures.tasks.append(all(worked.values()))
    figures.pictures += map(len, pictures.kept)


async def on_site(figures: Figures, *, pause: float) -> None:
    ours = local_site()
    async with site(ours.pages) as web:
        settings = ToolSettings(pages_url=web.url)
        await measured(list(ours.tasks(web.url)), settings, figures, pause=pause)


async def on_corpora(port: int, figures: Figures, *, pause: float) -> None:
    from django.conf import settings

    corpora = f"http://127.0.0.1:{port}/corpus"
    reached = ToolSettings(
        search_url=corpora,
        search_allow_private=True,
        pages_url=corpora,
        pages_token=settings.CORPUS_TOKEN,
    )
    await measured(list(corpus_tasks()), reached, figures, pause=pause)


async def on_both(port: int, pause: float) -> Figures:
    figures = Figures()
    await on_site(figures, pause=pause)
    await on_corpora(port, figures, pause=pause)
    return figures


def told(figures: Figures) -> None:
    rows = []
    for name in TOOLS:
        took, tokens = figures.took[name] or [0.0], figures.tokens[name] or [0.0]
        times = [f"{percentile(took, share):,.0f}" for share in (0.5, 0.95)]
        sizes = [f"{percentile(tokens, share):,.0f}" for share in (0.5, 0.95)]
        rows.append([name, str(len(took)), f"{figures.success(name):.2f}", *times, *sizes])
    columns = ("tool", "calls", "success", "ms, median", "ms, 95%", "tokens, median", "tokens, 95%")
    search, read, opened, other = (figures.took[name] or [0.0] for name in TOOLS)
    report(
        "tools",
        columns,
        rows,
        tasks=len(figures.tasks),
        success=sum(figures.tasks) / len(figures.tasks),
        search_p50_ms=percentile(search, 0.5),
        search_p95_ms=percentile(search, 0.95),
        read_p50_ms=percentile(read, 0.5),
        read_p95_ms=percentile(read, 0.95),
        browser_open_p50_ms=percentile(opened, 0.5),
        browser_open_p95_ms=percentile(opened, 0.95),
        browser_start_ms=max(figures.starts),
        browser_step_p95_ms=percentile(other, 0.95),
        tokens_per_page_p95=percentile(figures.tokens["read_page"], 0.95),
        tokens_per_search_p95=percentile(figures.tokens["web_search"] or [0.0], 0.95),
        tokens_per_browser_step_p95=percentile(figures.tokens[OPENED], 0.95),
        picture_bytes_p95=percentile(figures.pictures, 0.95),
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--no-vectors", action="store_true")
    options.add_argument("--pause", type=float, default=1.0)
    chosen = options.parse_args()
    set_up()
    loaded(vectors=not chosen.no_vectors)
    with serving() as port:
        warm(asking(port))
        told(asyncio.run(on_both(port, chosen.pause)))


if __name__ == "__main__":
    main()
