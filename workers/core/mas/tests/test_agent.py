import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import pytest

from workers.core.events import (
    AgentDelta,
    AgentFailed,
    AgentFinished,
    AgentStarted,
    Event,
    ToolCalled,
    ToolReturned,
)
from workers.core.llm.types import BudgetExceeded, ChatRequest, ToolCall
from workers.core.mas.agent import Team, Terms, run_agent
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.mas.summary import run_summary
from workers.core.mas.tests.support import (
    USAGE,
    ScriptedClient,
    collect,
    context,
    down,
    endpoint,
    kinds,
    others,
    result,
    role,
)
from workers.core.mas.tool_rounds import tool_rounds
from workers.core.specs import AgentNode, FailedTry, Usage
from workers.core.tests.support import of_kind
from workers.core.tools.base import JsonSchema, Tool, ToolLimits, ToolResult
from workers.core.tools.registry import TOOLS

E = TypeVar("E", bound=Event)
TOOL_USER = AgentNode(id="a1", role=role(tools=("calculator",)))
CALL = 'I compute.\n```tool\n{"tool": "calculator", "arguments": {"expression": "6*7"}}\n```\n'


class Bench:
    """One run's shared things, and its agents one after the other."""

    def __init__(self, client: ScriptedClient, **fields: Any) -> None:
        self.client = client
        self.team = Team("What is 6 times 7?", context(client, **fields))
        self.outcomes = self.team.outcomes

    def start(
        self,
        agent_id: str = "a1",
        *,
        inputs: tuple[AgentOutcome, ...] = (),
        node: AgentNode | None = None,
        tools: Mapping[str, Tool] = TOOLS,
        **fields: Any,
    ) -> AsyncGenerator[Event]:
        team = replace(self.team, context=replace(self.team.context, tools=tools))
        return run_agent(node or AgentNode(id=agent_id, role=role()), inputs, team=team, **fields)

    async def run(self, agent_id: str = "a1", **fields: Any) -> list[Event]:
        return await collect(self.start(agent_id, **fields))

    async def sum_up(self, inputs: list[AgentOutcome]) -> list[Event]:
        return await collect(run_summary(inputs, team=self.team))

    async def ends(self, kind: type[E], agent_id: str = "a1", **fields: Any) -> E:
        """The agent's last event, which is of that kind."""
        return of_kind(kind, (await self.run(agent_id, **fields))[-1])


def scripted(*replies: Any, **fields: Any) -> Bench:
    """Replies in order; the last one repeats."""
    left = list(replies)
    return Bench(ScriptedClient(lambda _: left.pop(0) if len(left) > 1 else left[0]), **fields)


async def test_an_answer() -> None:
    bench = scripted("It is 42.\nAnswer: 42")
    started, finished = await bench.run()
    assert isinstance(started, AgentStarted)
    assert [message["role"] for message in started.prompt] == ["system", "user"]
    assert isinstance(finished, AgentFinished)
    assert (finished.answer, finished.calls, finished.usage) == ("42", 1, USAGE)
    flags = (finished.refused, finished.reused, finished.cached, finished.truncated)
    assert not any(flags)
    outcome = bench.outcomes["a1"]
    assert outcome.usable
    assert (outcome.answer, outcome.message) == ("42", finished.message)


async def test_a_refusal_has_no_answer_and_is_not_usable() -> None:
    bench = scripted("REFUSE: not about law")
    finished = await bench.ends(AgentFinished)
    assert (finished.refused, finished.answer) == (True, None)
    assert not bench.outcomes["a1"].usable


@pytest.mark.parametrize(
    ("reason", "context_length", "limit", "met"),
    [
        ("length", 4_096, None, (1_024, "call")),
        ("stop", 4_096, None, (1_024, "call")),
        ("tool_calls", 4_096, None, (1_024, "call")),
        ("length", 512, None, (256, "context")),
        ("length", 4_096, 40, (40, "run")),
    ],
)
async def test_whether_a_reply_was_cut_and_by_which_limit_is_told(
    reason: str, context_length: int, limit: int | None, met: tuple[int, str]
) -> None:
    reply = result("so far", finish_reason=reason, limit=limit)
    bench = scripted(reply, endpoint=endpoint(context_length=context_length))
    finished = await bench.ends(AgentFinished)
    assert (finished.truncated, finished.cut_calls) == (reason == "length", reason == "length")
    assert (finished.token_limit, finished.limited_by) == met


async def test_a_message_that_is_taken_over_is_as_cut_as_it_was() -> None:
    bench = scripted(result("so far", finish_reason="length"))
    await bench.run()
    finished = await bench.ends(AgentFinished, "a2")
    assert (finished.reused, finished.truncated, finished.cut_calls) == (True, True, 0)
    assert finished.token_limit == 1_024


async def test_a_model_that_is_cut_before_it_says_anything_fails_and_counts_as_cut() -> None:
    failed = await scripted(result("", finish_reason="length")).ends(AgentFailed)
    assert failed.cut_calls == 1


async def test_a_failing_call_is_an_event() -> None:
    bench = scripted(down("timeout"))
    failed = await bench.ends(AgentFailed)
    assert (failed.failure.code, failed.failure.remedy) == ("timeout", "Start it.")
    assert failed.usage == Usage()  # the server may have generated; nobody knows how much
    assert bench.outcomes["a1"].failure == failed.failure


async def test_a_refused_call_used_nothing() -> None:
    failed = await scripted(down("unauthorized")).ends(AgentFailed)
    assert failed.usage == Usage.zero()


async def test_why_calls_were_made_again_is_told() -> None:
    tries = tuple(FailedTry(code="rate_limited", message=f"Try {n}.") for n in range(9))
    finished = await scripted(result("Answer: 1", failed_tries=tries)).ends(AgentFinished)
    assert (finished.retries, finished.failed_tries) == (9, tries[:8])
    error = down()
    error.failed_tries = tries[:2]
    failed = await scripted(error).ends(AgentFailed)
    assert failed.failed_tries == tries[:2]


@pytest.mark.parametrize("text", ["", "   \n "])
async def test_an_empty_message_is_a_failure(text: str) -> None:
    failed = await scripted(text).ends(AgentFailed)
    assert failed.failure.code == "empty_message"
    assert failed.usage == USAGE


@pytest.mark.parametrize(
    ("limit", "code"),
    [("tokens", "budget_exceeded"), ("job", "budget_exceeded"), ("seconds", "out_of_time")],
)
async def test_budget_exceeded_is_told_and_passes_on(limit: str, code: str) -> None:
    seen: list[Event] = []
    bench = scripted(BudgetExceeded(limit=limit, message="All spent."))
    with pytest.raises(BudgetExceeded):
        await collect(bench.start(), seen)
    assert kinds(seen) == ["agent_started", "agent_failed"]
    failure = of_kind(AgentFailed, seen[-1]).failure
    assert (failure.code, failure.message) == (code, "All spent.")


REFUSED = AgentOutcome("a1", "Solver", "REFUSE: no", refused=True)


async def test_unusable_inputs_mean_no_start() -> None:
    bench = scripted("Answer: 1")
    (failed,) = await bench.run("a2", inputs=(REFUSED,))
    assert isinstance(failed, AgentFailed)
    assert failed.failure.code == "no_input"
    assert "a1 refused" in failed.failure.message
    assert bench.client.requests == []


async def test_reads_only_what_is_usable() -> None:
    good = AgentOutcome("a2", "Planner", "The plan.")
    events = await scripted("Answer: 1").run("a3", inputs=(REFUSED, good))
    started = of_kind(AgentStarted, events[0])
    assert started.reads == ("a2",)
    assert "The plan." in started.prompt[1]["content"]
    assert "REFUSE: no" not in started.prompt[1]["content"]


async def test_same_role_same_inputs_is_reused() -> None:
    bench = scripted("Answer: 1", "Answer: 2")
    first, second = [await bench.ends(AgentFinished, name) for name in ("a1", "a2")]
    assert (second.message, second.reused, second.calls) == (first.message, True, 0)
    assert second.usage == Usage.zero()
    other = await bench.ends(AgentFinished, "a3", inputs=(bench.outcomes["a1"],))
    assert not other.reused


async def test_samples_at_a_temperature_are_not_merged_unless_their_seeds_are() -> None:
    bench = scripted("Answer: 1", "Answer: 2", "Answer: 3")
    for agent_id, seed in (("a1", 1), ("a2", 2), ("a3", 1)):
        await bench.run(agent_id, sampling=Sampling(0.7, seed))
    assert [bench.outcomes[i].answer for i in ("a1", "a2", "a3")] == ["1", "2", "1"]
    assert [r.seed for r in bench.client.requests] == [1, 2]
    assert [r.temperature for r in bench.client.requests] == [0.7, 0.7]


async def test_an_agent_may_use_an_endpoint_of_its_own() -> None:
    bench = scripted("Answer: 1", endpoints={"other": endpoint(key="other")})
    events = await bench.run(node=AgentNode(id="a1", role=role(), endpoint="other"))
    assert of_kind(AgentStarted, events[0]).endpoint == "other"
    (failed,) = await bench.run(node=AgentNode(id="a2", role=role(), endpoint="missing"))
    assert isinstance(failed, AgentFailed)
    assert failed.failure.code == "unknown_endpoint"
    assert "other, stub" in failed.failure.remedy


async def test_text_tool_loop() -> None:
    bench = scripted(CALL, "Answer: 42")
    events = await bench.run(node=TOOL_USER)
    assert kinds(events) == ["agent_started", "tool_called", "tool_returned", "agent_finished"]
    called, returned, finished = events[1:]
    assert isinstance(called, ToolCalled)
    assert called.arguments == {"expression": "6*7"}
    assert isinstance(returned, ToolReturned)
    assert (returned.ok, returned.output, returned.call_id) == (True, "42", called.call_id)
    assert isinstance(finished, AgentFinished)
    assert (finished.calls, finished.usage) == (2, USAGE + USAGE)
    second = bench.client.requests[1].messages
    assert [message.role for message in second] == ["system", "user", "assistant", "user"]
    assert "42" in second[-1].content


async def test_a_reply_of_a_tool_loop_that_was_cut_is_told() -> None:
    bench = scripted(result(CALL, finish_reason="length"), CALL, "Answer: 42")
    events = await bench.run(node=TOOL_USER)
    assert [event.truncated for event in events if isinstance(event, ToolCalled)] == [True, False]
    finished = of_kind(AgentFinished, events[-1])
    assert (finished.truncated, finished.cut_calls, finished.calls) == (False, 1, 3)


async def test_native_tool_loop() -> None:
    call = ToolCall(id="c1", name="calculator", arguments='{"expression": "6*7"}')
    bench = scripted(
        result("", tool_calls=(call,), finish_reason="tool_calls"),
        "Answer: 42",
        endpoint=endpoint(native_tools=True),
    )
    events = await bench.run(node=TOOL_USER)
    assert kinds(events)[1:3] == ["tool_called", "tool_returned"]
    first, second = bench.client.requests
    assert first.tools[0]["function"]["name"] == "calculator"
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "tool"]
    assert second.messages[2].tool_calls == (call,)
    assert (second.messages[3].tool_call_id, second.messages[3].content) == ("c1", "42")


@pytest.mark.parametrize(
    ("block", "error"),
    [
        ('{"tool": "calculator", "arguments": ', "not a JSON object"),
        ('["calculator"]', "not a JSON object"),
        ('{"tool": "web search!", "arguments": {}}', "There is no tool “web search!”"),
        ('{"arguments": {}}', "There is no tool"),
        ('{"tool": "calculator", "arguments": "6*7"}', "not a JSON object"),
        ('{"tool": "calculator", "arguments": {"expression": "6*"}}', "column 3"),
        ('{"tool": "calculator", "arguments": {}}', "Give the expression"),
        ("[" * 100_000, "not a JSON object"),
    ],
)
async def test_mistakes_come_back_to_the_model(block: str, error: str) -> None:
    bench = scripted(f"```tool\n{block}\n```", "Answer: 42")
    events = await bench.run(node=TOOL_USER)
    assert kinds(events) == ["agent_started", "tool_called", "tool_returned", "agent_finished"]
    returned = of_kind(ToolReturned, events[2])
    assert not returned.ok
    assert error in returned.output
    assert error in bench.client.requests[1].messages[-1].content


async def test_four_rounds_then_an_answer_is_demanded() -> None:
    bench = scripted(CALL)
    events = await bench.run(node=TOOL_USER)
    assert kinds(events).count("tool_called") == 4
    assert len(bench.client.requests) == 5
    assert "No more tool calls" in bench.client.requests[-1].messages[-1].content
    finished = of_kind(AgentFinished, events[-1])
    assert finished.message == "I compute."


async def test_an_agent_with_the_browser_may_use_tools_more_often() -> None:
    assert (tool_rounds(["calculator"]), tool_rounds(["web_search", "browser"])) == (4, 12)
    browsing = AgentNode(id="a1", role=role(tools=("calculator", "browser")))
    bench = scripted(CALL)
    assert kinds(await bench.run(node=browsing)).count("tool_called") == 12


async def test_a_turn_may_have_an_ending_and_fewer_tool_rounds_of_its_own() -> None:
    terms = Terms("End with one line: Verdict: correct", tool_rounds=1)
    bench = scripted(CALL)
    note = AgentOutcome("", "Note", "It is 42.")
    events = await bench.run(node=TOOL_USER, inputs=(note,), terms=terms)
    assert kinds(events).count("tool_called") == 1
    first, last = bench.client.requests
    assert first.messages[-1].content.endswith("6 times 7?\n\nEnd with one line: Verdict: correct")
    assert last.messages[-1].content == f"No more tool calls. {terms.ending}"
    assert of_kind(AgentStarted, events[0]).reads == ()


async def test_tool_results_fit_the_context() -> None:
    class Flood:
        key, name, description = "calculator", "Flood", "Floods."
        parameters: ClassVar[JsonSchema] = {}

        async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
            return ToolResult(True, "x" * 100_000)

    bench = scripted(CALL, "Answer: 1", endpoint=endpoint(context_length=1_024))
    await bench.run(node=TOOL_USER, tools={"calculator": Flood()})
    sent = sum(len(message.content) for message in bench.client.requests[1].messages)
    assert sent < 1_024 * 4


async def test_a_role_without_tools_has_its_code_left_alone() -> None:
    finished = await scripted(CALL).ends(AgentFinished)
    assert "```tool" in finished.message


async def test_a_failure_after_tools_keeps_the_known_usage() -> None:
    failed = await scripted(CALL, down("unauthorized")).ends(AgentFailed, node=TOOL_USER)
    assert failed.usage == USAGE


async def test_unknown_usage_stays_unknown() -> None:
    bench = scripted(result(CALL, usage=Usage()), "Answer: 42")
    assert (await bench.ends(AgentFinished, node=TOOL_USER)).usage == Usage()


async def test_deltas_carry_offsets_over_rounds() -> None:
    bench = scripted(CALL, "Answer: 42", stream=True)
    deltas = [e for e in await bench.run(node=TOOL_USER) if isinstance(e, AgentDelta)]
    assert [delta.offset for delta in deltas] == [0, len(CALL)]
    assert "".join(delta.text for delta in deltas) == CALL + "Answer: 42"


async def test_a_restarted_stream_goes_back_to_the_start_of_its_round() -> None:
    class Restarting(ScriptedClient):
        async def chat(self, endpoint: Any, request: ChatRequest, on_delta: Any = None) -> Any:
            on_delta("wrong")
            on_delta.restart()
            return await super().chat(endpoint, request, on_delta)

    replies = [CALL, "Answer: 42"]
    bench = Bench(Restarting(lambda _: replies.pop(0)), stream=True)
    deltas = [e for e in await bench.run(node=TOOL_USER) if isinstance(e, AgentDelta)]
    assert [d.offset for d in deltas] == [0, 0, len(CALL), len(CALL)]


async def test_closing_early_stops_the_call() -> None:
    client = ScriptedClient(turns=10_000)
    events = Bench(client).start()
    async with aclosing(events):
        assert (await anext(events)).event == "agent_started"
        await asyncio.sleep(0)
    assert client.active == 0
    assert others() == set()


async def test_summary_reads_the_usable_and_is_marked() -> None:
    bench = scripted("Answer: 42")
    inputs = [AgentOutcome("a1", "Planner", "Say 42."), AgentOutcome("a2", "Critic", failure=None)]
    started, finished = await bench.sum_up(inputs)
    assert isinstance(started, AgentStarted)
    assert (started.summary, started.reads, started.agent_id) == (True, ("a1",), "summary")
    assert isinstance(finished, AgentFinished)
    assert bench.outcomes["summary"].answer == "42"


async def test_summary_of_nothing_is_a_failure() -> None:
    (failed,) = await scripted("Answer: 42").sum_up([])
    assert of_kind(AgentFailed, failed).failure.code == "no_input"


async def test_thoughts_stand_in_the_trace_and_nowhere_else() -> None:
    bench = scripted(f"<think>Is it 12? {CALL} Answer: 12</think>\nAnswer: 42")
    events = await bench.run(node=TOOL_USER)
    finished = of_kind(AgentFinished, events[-1])
    assert (finished.message, finished.answer) == ("Answer: 42", "42")
    assert "Is it 12?" in finished.thoughts
    assert bench.outcomes["a1"].message == "Answer: 42"
    assert not [e for e in events if isinstance(e, ToolCalled)], (
        "a tool that was only thought of is not used"
    )
    await bench.run("a2", inputs=(bench.outcomes["a1"],))
    assert "Is it 12?" not in bench.client.requests[-1].messages[-1].content


async def test_an_agent_that_only_thinks_has_not_answered() -> None:
    bench = scripted(result("<think>Perhaps the answer is 12", finish_reason="length"))
    failed = await bench.ends(AgentFailed)
    assert failed.failure.code == "only_thoughts"
    assert failed.written == "Perhaps the answer is 12"
    assert not bench.outcomes["a1"].usable
