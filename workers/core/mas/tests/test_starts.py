"""The studio's first look-ups for a model that can't call tools."""

from typing import Any

import pytest

from workers.core.events import ToolCalled
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import ScriptedClient, endpoint, role, turn
from workers.core.specs import Source
from workers.core.tools.base import Tool, ToolLimits, ToolResult, object_schema
from workers.core.tools.registry import TOOLS
from workers.core.tools.run_tool import OpenedTool, RunScope, RunTool, ToolBudget
from workers.core.tools.settings import ToolSettings

ROLE = role(prompt="You search.", tools=("web_search", "calculator", "read_page", "read_file"))
SAID = {
    "web_search": "1. Rhine\n   https://rivers.test/rhine",
    "read_file": "City | Parcels\nOslo | 88",
    "read_page": "The Rhine\n"
    + "It is a [river](https://rivers.test/a).\n" * 2_000
    + "Its length is 1,233 km.\n",
}
FOUND = (Source(title="Rhine", address="https://rivers.test/rhine"),)
SOURCES = {"read_file": (Source(title="a.csv"),), "read_page": FOUND, "web_search": FOUND}


def opened(key: str, *, ok: bool = True) -> OpenedTool:
    """The real tool's first calls; what it says is made up."""
    real = TOOLS[key]
    assert isinstance(real, RunTool)

    async def run(arguments: Any, limits: ToolLimits, agent_id: str) -> ToolResult:
        if not ok:
            return ToolResult(False, "The service is down.")
        return ToolResult(True, SAID[key], "Ask for part 2 to go on.", True, SOURCES[key])

    about = RunTool(
        key, key, key, object_schema({}), lambda _: run, ToolLimits(), ToolBudget(9, 9), real.starts
    )
    scope: Any = None
    return OpenedTool(
        about, RunScope(ToolSettings(), {"a.csv": scope, "b.csv": scope}, scope, scope, scope)
    )


async def asked(query: str, *, ok: bool = True, **fields: Any) -> tuple[str, list[ToolCalled]]:
    """What the model read in all, and the calls."""
    client = ScriptedClient(lambda _: "Answer: 1,233 km")
    tools: dict[str, Tool] = {key: opened(key, ok=ok) for key in SAID}
    outcomes: dict[str, AgentOutcome] = {}
    place = endpoint(**{"parameters": 500_000_000, **fields})
    events = await turn(
        client,
        ROLE,
        query=query,
        endpoint=place,
        tools={**tools, "calculator": TOOLS["calculator"]},
        outcomes=outcomes,
    )
    assert outcomes["a1"].answer == "1,233 km"
    text = "\n".join(message.content for message in client.requests[0].messages)
    return text, [event for event in events if isinstance(event, ToolCalled)]


async def test_a_small_model_reads_what_was_found_before_the_question() -> None:
    text, calls = await asked("What is the length of the Rhine?")
    assert [(call.tool, call.arguments) for call in calls] == [
        ("web_search", {"query": "What is the length of the Rhine?"}),
        (
            "read_page",
            {"address": FOUND[0].address, "find": "What is the length of the Rhine?"},
        ),
    ]
    assert text.index("Its length is 1,233 km.") < text.index("Question:")
    assert "comes from outside" in text
    assert "Ask for part 2" not in text
    assert len(text) < 8_000


async def test_an_address_in_the_question_is_read() -> None:
    _, calls = await asked("How long is it, by https://other.test/rhine?")
    assert calls[1].arguments["address"] == "https://other.test/rhine"


@pytest.mark.parametrize("fields", [{"parameters": None}, {"native_tools": True}])
async def test_a_model_that_can_call_tools_begins_itself(fields: dict[str, Any]) -> None:
    text, calls = await asked("How long is the Rhine?", **fields)
    assert calls == []
    assert "1,233" not in text


async def test_a_look_up_that_fails_is_in_the_trace_and_the_model_answers() -> None:
    text, calls = await asked("How long is the Rhine?", ok=False)
    assert [call.tool for call in calls] == ["web_search"]
    assert "down" not in text


async def test_a_file_that_the_question_names_is_read_instead_of_the_web() -> None:
    text, calls = await asked("How many parcels go to Oslo, by A.csv?")
    assert [(call.tool, call.arguments["name"]) for call in calls] == [("read_file", "a.csv")]
    assert "Oslo | 88" in text
