"""What a run's tools open is closed with the run."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest

from workers.core.tools import toolbox as module
from workers.core.tools.base import ToolLimits, ToolResult, object_schema
from workers.core.tools.registry import TOOLS
from workers.core.tools.run_tool import Run, RunScope, RunTool, ToolBudget
from workers.core.tools.toolbox import Toolbox

log: list[str] = []


class Door:
    """Opens something at its first call."""

    def __init__(self, scope: RunScope) -> None:
        self._exits: AsyncExitStack = scope.exits
        self._open = False

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str
    ) -> ToolResult:
        if not self._open:
            self._open = True
            self._exits.push_async_callback(self.close)
        return ToolResult(True, "open")

    async def close(self) -> None:
        log.append("closed")


class Stuck(Door):
    async def close(self) -> None:
        await asyncio.sleep(3_600)


class Broken(Door):
    async def close(self) -> None:
        raise RuntimeError("the browser is gone")


def door(kind: type[Door]) -> RunTool:
    def opened(scope: RunScope) -> Run:
        return kind(scope).run

    limits, budget = ToolLimits(seconds=1), ToolBudget(calls=5, seconds=5)
    return RunTool("door", "Door", "Opens.", object_schema({}), opened, limits, budget)


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    log.clear()


async def used(toolbox: Toolbox) -> None:
    async with toolbox.opened({}) as tools:
        await tools["door"].run({}, ToolLimits())
        await tools["door"].run({}, ToolLimits())
        assert log == []


async def test_what_a_tool_opened_is_closed_once() -> None:
    await used(Toolbox(tools={"door": door(Door)}))
    assert log == ["closed"]


async def test_a_run_that_uses_no_tool_opens_none() -> None:
    async with Toolbox(tools={"door": door(Door)}).opened({}):
        pass
    assert log == []


async def test_it_is_closed_when_the_run_is_cancelled() -> None:
    async def run() -> None:
        async with Toolbox(tools={"door": door(Door)}).opened({}) as tools:
            await tools["door"].run({}, ToolLimits())
            await asyncio.sleep(3_600)

    task = asyncio.create_task(run())
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert log == ["closed"]


@pytest.mark.parametrize("kind", [Stuck, Broken])
async def test_what_does_not_close_keeps_no_run(
    kind: type[Door], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "CLOSE_SECONDS", 0.05)
    await used(Toolbox(tools={"door": door(kind)}))
    assert "a tool did not close after its run" in caplog.text


async def test_runs_share_nothing() -> None:
    toolbox = Toolbox(tools={"door": door(Door)})
    async with toolbox.opened({}) as one, toolbox.opened({}) as other:
        for _ in range(6):
            spent = await one["door"].run({}, ToolLimits())
        assert "has used its 5 calls of door" in spent.output
        assert (await other["door"].run({}, ToolLimits())).ok


@pytest.mark.parametrize("key", ["web_search", "read_page", "read_file", "browser"])
async def test_outside_a_run_a_tool_of_a_run_refuses(key: str) -> None:
    result = await TOOLS[key].run({}, ToolLimits())
    assert not result.ok
    assert "only inside a run" in result.output


@pytest.mark.parametrize(("key", "calls"), [("calculator", 200), ("python", 100)])
async def test_calculator_and_python_have_a_budget_in_each_run(key: str, calls: int) -> None:
    toolbox = Toolbox()
    limits = ToolLimits()
    async with toolbox.opened({}) as one, toolbox.opened({}) as other:
        for _ in range(calls):
            assert "Give the" in (await one[key].run({}, limits)).output
        spent = await one[key].run({}, limits)
        assert spent.output == (
            f"This run has used its {calls} calls of {key}. Go on with what you have."
        )
        assert "Give the" in (await other[key].run({}, limits)).output
    assert "Give the" in (await TOOLS[key].run({}, limits)).output, "outside runs it has none"


async def test_stateless_tools_stay_as_they_are() -> None:
    async with Toolbox().opened({}) as tools:
        assert tools["vote"] is TOOLS["vote"]
        assert list(tools) == list(TOOLS)
