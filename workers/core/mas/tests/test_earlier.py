"""What the tools of a lost attempt used and found goes on counting."""

from typing import Any

from workers.core.events import ToolCalled, ToolReturned
from workers.core.mas.earlier import tools_before
from workers.core.specs import AttemptSpent, Source, ToolSpent
from workers.core.tools.base import ToolLimits, ToolResult
from workers.core.tools.run_tool import Before, RunScope, RunTool, ToolBudget
from workers.core.tools.toolbox import Toolbox

LIMITS = ToolLimits()
PAGE = Source(title="Elbe", address="https://a.example/elbe")


def told(
    call: str, arguments: dict[str, Any], output: str, *, ok: bool = True
) -> tuple[ToolCalled, ToolReturned]:
    at = {"agent_id": "s1l1a1", "call_id": call, "tool": "look"}
    returned = ToolReturned(**at, ok=ok, output=output, seconds=1, sources=(PAGE,))
    return ToolCalled(**at, arguments=arguments), returned


class Looking:
    """A tool that counts how often it is really asked."""

    def __init__(self, *, remembers: bool = True, calls: int = 3) -> None:
        self.asked: list[dict[str, Any]] = []
        self.tool = RunTool(
            key="look",
            name="Look",
            description="Looks.",
            parameters={},
            open=self._open,
            limits=LIMITS,
            budget=ToolBudget(calls=calls, seconds=60, fetched=100),
            remembers=remembers,
        )

    def _open(self, _: RunScope) -> Any:
        async def run(arguments: Any, limits: ToolLimits, agent_id: str) -> ToolResult:
            self.asked.append(dict(arguments))
            return ToolResult(True, "anew")

        return run

    async def answers(self, before: Before, *asked: dict[str, Any]) -> list[ToolResult]:
        async with Toolbox(tools={"look": self.tool}).opened({}, before=before) as tools:
            return [await tools["look"].run(arguments, LIMITS) for arguments in asked]


async def test_what_was_found_is_not_fetched_again() -> None:
    look = Looking()
    events = (*told("1", {"q": "Elbe", "n": 1}, "1094 km"), *told("2", {"q": "x"}, "no", ok=False))
    before = tools_before(events, AttemptSpent())
    known, failed = await look.answers(before, {"n": 1, "q": "Elbe"}, {"q": "x"})
    assert (known.output, known.cached, known.sources, known.foreign) == (
        "1094 km",
        True,
        (PAGE,),
        True,
    )
    assert "asked this before" in known.note
    assert failed.output == "anew"
    assert look.asked == [{"q": "x"}]


async def test_a_tool_that_forgets_is_asked_again() -> None:
    look = Looking(remembers=False)
    before = tools_before(told("1", {"q": "Elbe"}, "1094 km"), AttemptSpent())
    [result] = await look.answers(before, {"q": "Elbe"})
    assert result.output == "anew"


async def test_its_limits_are_those_of_the_whole_run() -> None:
    for used in (ToolSpent(calls=3), ToolSpent(seconds=60), ToolSpent(fetched=100)):
        look = Looking()
        before = tools_before((), AttemptSpent(tools={"look": used}))
        [refused] = await look.answers(before, {"q": "Elbe"})
        assert not refused.ok
        assert not look.asked
    look = Looking()
    before = tools_before((), AttemptSpent(tools={"look": ToolSpent(calls=2)}))
    first, second = await look.answers(before, {"q": "a"}, {"q": "b"})
    assert (first.ok, second.ok) == (True, False)
