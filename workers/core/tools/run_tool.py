"""Defines tools that have something of one run: what was fetched, counts, a connection, a browser.

The registry holds a `RunTool`. Outside a run it refuses. `Toolbox.opened` makes an `OpenedTool` of
it for each run, and closes what it opened when the run ends.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from workers.core.specs import Source, ToolSpent, Usage
from workers.core.tools.attachments import AttachedFile
from workers.core.tools.base import JsonSchema, Tool, ToolLimits, ToolResult
from workers.core.tools.browsing.spare import Browsers
from workers.core.tools.documents import DocumentReaders
from workers.core.tools.pictures import Pictures
from workers.core.tools.settings import ToolSettings

Run = Callable[[Mapping[str, Any], ToolLimits, str], Awaitable[ToolResult]]
"""The arguments, the limits of the call, and the id of the agent that calls."""


@dataclass(frozen=True, slots=True)
class PictureText:
    """What a model wrote about a picture. Not `ok`: why it wrote nothing, as sentences. `cut`: it
    stopped at its token limit."""

    ok: bool
    text: str
    usage: Usage
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """What lost attempts of the run did with its tools: what each `used`, by key, and what calls
    `found`, by `call_key`. The default: nothing."""

    used: Mapping[str, ToolSpent] = field(default_factory=dict)
    found: Mapping[str, ToolResult] = field(default_factory=dict)


def call_key(tool: str, arguments: Mapping[str, Any]) -> str:
    """Equal for calls that ask the same."""
    return f"{tool} {json.dumps(arguments, sort_keys=True)}"


class ReadsPictures(Protocol):
    """A model that sees, for tools: they do not know endpoints."""

    @property
    def name(self) -> str: ...

    async def read(self, picture: str) -> PictureText:
        """`picture`: a JPEG in base64. Raises BudgetExceeded."""
        ...


@dataclass(frozen=True, slots=True)
class RunScope:
    """What the tools of one run share. A tool puts what it opens, at its first call, into `exits`:
    it is closed when the run ends, however it ends. `documents` and `browsers` outlive the
    run. `pictures` None: they are not kept, as in a training. `eyes` None: no model of the run
    sees."""

    settings: ToolSettings
    files: Mapping[str, AttachedFile]
    documents: DocumentReaders
    browsers: Browsers
    exits: AsyncExitStack
    pictures: Pictures | None = None
    eyes: ReadsPictures | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """What an agent's first calls can be made of: the question, the names of attached files, and
    what earlier calls found."""

    about: str
    files: Sequence[str]
    found: Sequence[Source] = ()


WAITS = 600.0
"""Most seconds of a call whose tool has its own limit, waiting included."""
STARTS = 2
"""Most first calls of one tool."""
Starts = Callable[[Start], Sequence[Mapping[str, Any]]]


def no_start(_: Start) -> Sequence[Mapping[str, Any]]:
    return ()


@dataclass(frozen=True, slots=True)
class ToolBudget:
    """Limits of one tool over a whole run: calls, seconds at work, bytes over the network."""

    calls: int
    seconds: float
    fetched: int = 50_000_000


@dataclass(frozen=True, eq=False)
class RunTool:
    """`limits` are of one call, `budget` of a run. `open` must be cheap: every run calls it.
    `starts`: the arguments of first calls for a model that can't call tools. `remembers`: asked the
    same again, it finds the same, also what a lost attempt of the run found. `outside`: the same
    tool for calls outside runs; None: it refuses them."""

    key: str
    name: str
    description: str
    parameters: JsonSchema
    open: Callable[[RunScope], Run]
    limits: ToolLimits
    budget: ToolBudget
    starts: Starts = no_start
    remembers: bool = False
    outside: Tool | None = None

    @property
    def can_start(self) -> bool:
        return self.starts is not no_start

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        if self.outside is not None:
            return await self.outside.run(arguments, limits)
        return ToolResult(False, f"{self.name} works only inside a run.")


def budgeted(tool: Tool, calls: int) -> RunTool:
    """`tool`, which has nothing of a run, with a budget of calls in each run. Its own limits hold
    for each: its wait for a place in the sandbox counts for none of them."""

    async def run(arguments: Mapping[str, Any], _: ToolLimits, agent_id: str) -> ToolResult:
        return await tool.run(arguments, ToolLimits())

    return RunTool(
        tool.key,
        tool.name,
        tool.description,
        tool.parameters,
        lambda _: run,
        limits=ToolLimits(seconds=WAITS),
        budget=ToolBudget(calls=calls, seconds=WAITS * calls),
        outside=tool,
    )


@dataclass(eq=False)
class OpenedTool:
    """A tool of one run. It counts what the tool uses, and stops it at its own limits."""

    about: RunTool
    scope: RunScope
    before: Before = field(default_factory=Before)
    calls: int = field(init=False)
    seconds: float = field(init=False)
    fetched: int = field(init=False)
    key: str = field(init=False)
    name: str = field(init=False)
    description: str = field(init=False)
    parameters: JsonSchema = field(init=False)

    def __post_init__(self) -> None:
        about = self.about
        self.key, self.name, self.description = about.key, about.name, about.description
        self.parameters = about.parameters
        used = self.before.used.get(self.key, ToolSpent())
        self.calls, self.seconds, self.fetched = used.calls, used.seconds, used.fetched

    def starts(self, about: str, found: Sequence[Source]) -> Sequence[Mapping[str, Any]]:
        return self.about.starts(Start(about, tuple(self.scope.files), found))

    @cached_property
    def _run(self) -> Run:
        return self.about.open(self.scope)

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str = ""
    ) -> ToolResult:
        """Under the tool's own limits: a page takes longer than a sum."""
        if spent := self._spent():
            return ToolResult(False, f"{spent} Go on with what you have.")
        self.calls += 1
        known = self.before.found.get(call_key(self.key, arguments))
        if known is not None and self.about.remembers:
            return known
        began = time.perf_counter()
        seconds = min(self.about.limits.seconds, self.about.budget.seconds - self.seconds)
        try:
            async with asyncio.timeout(seconds):
                result = await self._run(arguments, self.about.limits, agent_id)
        except TimeoutError:
            return ToolResult(False, f"{self.name} gave no result within {seconds:.0f} seconds.")
        finally:
            self.seconds += time.perf_counter() - began
        self.fetched += result.fetched
        settings = self.scope.settings
        return replace(
            result,
            output=settings.said(result.output),
            note=settings.said(result.note),
            sources=tuple(map(settings.shown, result.sources)),
        )

    def _spent(self) -> str:
        """Which limit of the run is reached, as a sentence."""
        budget = self.about.budget
        if self.calls >= budget.calls:
            return f"This run has used its {budget.calls} calls of {self.key}."
        if self.seconds >= budget.seconds:
            return f"This run has used its {budget.seconds:.0f} seconds of {self.key}."
        if self.fetched >= budget.fetched:
            megabytes = budget.fetched / 1e6
            return f"This run has fetched its {megabytes:.0f} MB by {self.key}."
        return ""
