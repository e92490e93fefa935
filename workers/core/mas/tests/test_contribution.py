"""Agents whose answer is a program, and agents whose program is run for them."""

from collections.abc import Mapping
from typing import Any

import pytest

from workers.core.events import AgentFinished, Event, ToolCalled, ToolReturned
from workers.core.llm.types import ChatRequest
from workers.core.mas.agent import Team
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.mas.summary import run_summary
from workers.core.mas.tests.support import (
    ScriptedClient,
    collect,
    context,
    endpoint,
    kinds,
    role,
    turn,
)
from workers.core.specs import RoleSpec
from workers.core.tests.support import of_kind
from workers.core.tools.base import JsonSchema, Tool, ToolLimits, ToolResult
from workers.core.tools.program import ProgramRunner
from workers.core.tools.registry import TOOLS
from workers.core.tools.sandbox import PRINTED_NOTHING

SOLVER = role("solver", tools=("program",))
BOTH = role("solver", tools=("calculator", "program"))
CALL = '```tool\n{"tool": "calculator", "arguments": {"expression": "6*7"}}\n```'
SMALL = "Qwen2.5-Coder-0.5B-Instruct"
PROGRAM = "Let me compute.\n```python\nprint(6 * 7)\n```"
RAN = ["agent_started", "tool_called", "tool_returned", "agent_finished"]


class Runner:
    """Stands in for the sandbox where only what follows a run is looked at."""

    key = "program"
    name = "Program"
    description = "Runs it."
    parameters: JsonSchema = {}  # noqa: RUF012 - the protocol wants an instance attribute

    def __init__(self, output: str, *, ok: bool = True) -> None:
        self.result = ToolResult(ok, output)
        self.programs: list[str] = []

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        self.programs.append(arguments["code"])
        return self.result


async def play(
    reply: str,
    *,
    spec: RoleSpec = SOLVER,
    runner: Tool | None = None,
    model: str = "stub",
    times: int = 1,
    **fields: Any,
) -> tuple[list[Event], list[ChatRequest]]:
    """`times` agents of one role, one after the other, with one message pool."""
    client = ScriptedClient(lambda _: reply)
    fields |= {"endpoint": endpoint(model=model), "pool": MessagePool()}
    tools = {"program": runner} if runner else TOOLS
    turns = [await turn(client, spec, tools=tools, **fields) for _ in range(times)]
    return [event for events in turns for event in events], client.requests


def finished(events: list[Event]) -> AgentFinished:
    return of_kind(AgentFinished, events[-1])


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("model", ["stub", SMALL])
async def test_a_program_is_run_and_what_it_prints_last_is_the_answer(model: str) -> None:
    events, _ = await play(PROGRAM.replace("print", "print('so'); print"), model=model)
    assert kinds(events) == RAN
    _, called, returned, _ = events
    assert isinstance(called, ToolCalled)
    assert isinstance(returned, ToolReturned)
    assert (called.tool, called.arguments["code"]) == ("program", "print('so'); print(6 * 7)")
    assert (returned.ok, returned.output, returned.call_id) == (True, "so\n42", called.call_id)
    end = finished(events)
    assert end.answer == "42"
    assert end.message.endswith("```\n\nOutput:\nso\n42\n\nAnswer: 42")


@pytest.mark.usefixtures("sandbox")
async def test_a_program_that_fails_has_no_answer_and_its_error_is_shown() -> None:
    events, _ = await play("The total = 3\n```python\nprint(total)  # Answer: 3\n```")
    assert kinds(events) == RAN
    assert isinstance(events[2], ToolReturned)
    assert not events[2].ok
    end = finished(events)
    assert end.answer is None
    assert not end.refused
    assert "Output:\nTraceback" in end.message
    assert "NameError" in end.message


@pytest.mark.parametrize(
    ("reply", "output", "ok", "answer"),
    [
        (PROGRAM, "42", True, "42"),
        (PROGRAM, "Answer: 42", True, "42"),
        (PROGRAM, "total: 42\n\n", True, "total: 42"),
        (PROGRAM, PRINTED_NOTHING, True, None),
        (PROGRAM, "Answer: 3\nNameError: x", False, None),
        (f"{PROGRAM}\nAnswer: 41", "NameError: x", False, "41"),
        (f"{PROGRAM}\nAnswer: 41", PRINTED_NOTHING, True, "41"),
        (f"{PROGRAM}\nAnswer: 41", "42", True, "42"),
    ],
)
async def test_which_answer_a_run_leaves(
    reply: str, output: str, ok: bool, answer: str | None
) -> None:
    events, _ = await play(reply, runner=Runner(output, ok=ok))
    assert kinds(events) == RAN
    assert finished(events).answer == answer


@pytest.mark.parametrize(
    ("reply", "answer", "refused"),
    [
        ("I need no program.\nAnswer: 42", "42", False),
        ("REFUSE: nothing to compute", None, True),
        ("REFUSE: nothing to compute\n```python\nprint(1)\n```", None, True),
    ],
)
async def test_without_a_program_or_with_a_refusal_nothing_runs(
    reply: str, answer: str | None, refused: bool
) -> None:
    runner = Runner("1")
    events, _ = await play(reply, runner=runner)
    assert kinds(events) == ["agent_started", "agent_finished"]
    assert (finished(events).answer, finished(events).refused) == (answer, refused)
    assert runner.programs == []


async def test_a_message_that_is_reused_is_not_run_again() -> None:
    runner = Runner("42")
    events, requests = await play(PROGRAM, runner=runner, times=2)
    assert len(requests) == len(runner.programs) == 1
    assert kinds(events) == [*RAN, "agent_started", "agent_finished"]
    assert finished(events).reused
    assert finished(events).answer == "42"


async def test_a_role_without_the_tool_shares_no_message_with_one_that_has_it() -> None:
    """Where their prompts are equal, as in a code task, only one of the two shows an output."""
    client, pool = ScriptedClient(lambda _: PROGRAM), MessagePool[Any]()
    fields: dict[str, Any] = {
        "pool": pool,
        "answer_form": "code",
        "tools": {"program": Runner("42")},
    }
    turns = [await turn(client, spec, **fields) for spec in (SOLVER, role("solver"))]
    assert client.requests[0].messages == client.requests[1].messages
    assert ["Output:" in finished(events).message for events in turns] == [True, False]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("model", ["stub", SMALL])
async def test_no_model_is_offered_the_tool(native: bool, model: str) -> None:
    runner = Runner("42")
    client = ScriptedClient(lambda _: PROGRAM)
    place = endpoint(model=model, native_tools=native)
    await turn(client, SOLVER, endpoint=place, tools={"program": runner})
    [request] = client.requests
    assert request.tools == ()
    text = "\n".join(message.content for message in request.messages)
    assert "You can use these tools" not in text
    assert "```python" in text
    assert "prints" in text
    assert "Answer: …" not in text
    assert runner.programs == ["print(6 * 7)"]


async def test_it_stands_beside_tools_that_are_offered() -> None:
    replies = [CALL, PROGRAM]
    client = ScriptedClient(lambda _: replies.pop(0))
    events = await turn(client, BOTH, tools={**TOOLS, "program": Runner("42")})
    called = [event for event in events if isinstance(event, ToolCalled)]
    assert [event.tool for event in called] == ["calculator", "program"]
    assert len({event.call_id for event in called}) == 2
    assert finished(events).calls == 2


async def test_a_model_cannot_call_it() -> None:
    call = '```tool\n{"tool": "program", "arguments": {"code": "print(1)"}}\n```'
    replies = [call, "Answer: 1"]
    client = ScriptedClient(lambda _: replies.pop(0))
    runner = Runner("1")
    events = await turn(client, BOTH, tools={**TOOLS, "program": runner})
    [returned] = [event for event in events if isinstance(event, ToolReturned)]
    assert not returned.ok
    assert "Use one of: calculator" in returned.output
    assert runner.programs == []


class TestCodeTasks:
    """The answer of an agent is its program."""

    @pytest.mark.parametrize("model", ["stub", SMALL])
    async def test_agents_are_told_to_write_one_and_their_answer_is_it(self, model: str) -> None:
        spec = role("coder", output_form="Say why.")
        reply = "Like this:\n```python\ndef double(x):\n    return 2 * x\n```\nAnswer: done"
        events, [request] = await play(reply, spec=spec, model=model, answer_form="code")
        assert "```python" in request.messages[-1].content
        assert "Answer: …" not in request.messages[-1].content
        assert finished(events).answer == "def double(x):\n    return 2 * x"
        assert finished(events).message == reply

    async def test_a_message_without_a_program_has_no_answer(self) -> None:
        events, _ = await play("Answer: 42", spec=role(), answer_form="code")
        assert finished(events).answer is None

    async def test_a_refusal_is_one_only_without_a_program(self) -> None:
        events, _ = await play("REFUSE: no code here", spec=role(), answer_form="code")
        assert (finished(events).answer, finished(events).refused) == (None, True)
        events, _ = await play(f"REFUSE: hm\n{PROGRAM}", spec=role(), answer_form="code")
        assert (finished(events).answer, finished(events).refused) == ("print(6 * 7)", False)

    @pytest.mark.parametrize("ok", [True, False])
    async def test_running_it_shows_its_output_and_leaves_it_the_answer(self, ok: bool) -> None:
        runner = Runner("```python\nprint('no')\n```", ok=ok)
        events, _ = await play(PROGRAM, runner=runner, answer_form="code")
        assert kinds(events) == RAN
        assert finished(events).answer == "print(6 * 7)"
        assert "Output:" in finished(events).message
        assert "Answer:" not in finished(events).message

    async def test_after_the_last_tool_round_a_program_is_asked_for(self) -> None:
        spec = role("coder", tools=("calculator",))
        _, requests = await play(CALL, spec=spec, answer_form="code")
        assert requests[-1].messages[-1].content.endswith("now.\n```python\n…\n```")

    async def test_the_summary_agent_gives_one_too(self) -> None:
        client = ScriptedClient(lambda _: PROGRAM)
        team = Team("Write it.", context(client, answer_form="code"))
        inputs = [AgentOutcome("a1", "Coder", PROGRAM, "print(6 * 7)")]
        await collect(run_summary(inputs, team=team))
        assert "```python" in client.requests[0].messages[-1].content
        assert team.outcomes["summary"].answer == "print(6 * 7)"


async def test_the_tool_refuses_what_is_no_program() -> None:
    result = await ProgramRunner().run({}, ToolLimits())
    assert not result.ok
    assert "program" in result.output
