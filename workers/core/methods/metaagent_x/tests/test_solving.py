"""A run: the designer writes a script, and the script's agents answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from workers.core.checkpoints import save
from workers.core.errors import MethodError
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    BlockCalled,
    Event,
    IntermediateAnswer,
    ScriptEnded,
    ScriptRead,
    ToolCalled,
)
from workers.core.llm.types import BudgetExceeded, ChatRequest
from workers.core.mas.record import RunRecord
from workers.core.mas.tests.support import (
    ScriptedClient,
    collect,
    context,
    down,
    endpoint,
    kinds,
    others,
)
from workers.core.methods.metaagent_x.method import MetaAgentX
from workers.core.methods.metaagent_x.tests.support import (
    ALONE,
    TASK,
    asked_of,
    fenced,
    of,
    plays,
    prompts,
    script,
    solved,
)
from workers.core.specs import REPLY_TOKENS, EndpointSpec, TaskSpec
from workers.core.testing.checkpoints import trained_info

VOTE = (
    'team = [agent(f"Solver {n}", "Solve it.", temperature=0.7) for n in range(3)]',
    "deliver(ensemble(team))",
)
CHECKED = (
    'solver = agent("Solver", "Solve it.")',
    'critic = agent("Critic", "Check it.")',
    "deliver(reflection(solver, critic))",
)
UNTIL = (
    'solver = agent("Solver", "Solve it.")',
    "said = solver()",
    'while "42" not in said.text:',
    "    said = solver(said)",
    "deliver(said)",
)
"""Its replies decide what is asked: it runs in the sandbox."""
CALL = '```tool\n{"tool": "calculator", "arguments": {"expression": "6*7"}}\n```'


def given(*lines: str, **config: Any) -> dict[str, Any]:
    return {"script": script(*lines), **config}


def answers(events: list[Event]) -> list[tuple[str | None, str | None]]:
    return [(event.answer, event.agent_id) for event in of(events, IntermediateAnswer)]


async def test_a_designer_writes_a_script_and_its_agents_vote() -> None:
    numbers = iter(("41", "42", "42"))
    events = await solved(plays([fenced(*VOTE)], solve=lambda _: f"Answer: {next(numbers)}"))
    assert kinds(events) == [
        *("agent_started", "agent_finished", "script_read"),
        *["block_called"] * 3,
        *["agent_started"] * 3,
        *["agent_finished"] * 3,
        *("script_ended", "intermediate_answer"),
    ]
    (read,) = of(events, ScriptRead)
    assert (read.origin, read.agent_id, read.attempt) == ("model", "designer", 1)
    assert read.script == script(*VOTE)
    assert read.shape == "ensemble:majority(agent×3)"
    assert read.drawing is not None
    drawn = {block.id: block.name for block in read.drawing.blocks}
    called = of(events, BlockCalled)
    assert [drawn[call.block] for call in called] == ["Solver 0", "Solver 1", "Solver 2"]
    assert [(call.node.id, call.line, call.call) for call in called] == [
        *(("a1", 2, 1), ("a2", 2, 2), ("a3", 2, 3))
    ]
    (ended,) = of(events, ScriptEnded)
    assert (ended.ending, ended.calls) == ("delivered", 3)
    (answer,) = of(events, IntermediateAnswer)
    assert (answer.answer, answer.agent_id) == ("42", "a2")
    assert [group.agent_ids for group in answer.groups] == [("a1",), ("a2", "a3")]


async def test_the_designer_reads_the_question_and_stands_in_no_graph() -> None:
    events = await solved(plays([fenced(ALONE)]))
    designer, agent = of(events, AgentStarted)
    assert (designer.agent_id, designer.family) == ("designer", "designer")
    assert TASK.query in prompts(events)["designer"]
    record = RunRecord(None)
    for event in events:
        record.take(event)
    assert [node.id for node in record.graph.nodes] == [agent.agent_id] == ["a1"]


async def test_of_a_given_script_nobody_is_asked() -> None:
    events = await solved(plays(["never"]), config=given(ALONE))
    (read,) = of(events, ScriptRead)
    assert (read.origin, read.agent_id) == ("given", None)
    assert list(prompts(events)) == ["a1"]
    assert answers(events) == [("42", "a1")]


async def test_a_critic_is_asked_for_a_verdict_and_the_worker_reads_it() -> None:
    verdicts = iter(("It is 43.\nVerdict: INCORRECT", "Fine.\nVerdict: correct"))
    numbers = iter(("43", "42"))
    said = plays([""], check=lambda _: next(verdicts), solve=lambda _: f"Answer: {next(numbers)}")
    events = await solved(said, config=given(*CHECKED))
    assert [(call.node.role.name, call.reads) for call in of(events, BlockCalled)] == [
        ("Solver", ()),
        ("Critic", ("a1",)),
        ("Solver", ("a1", "a2")),
        ("Critic", ("a3",)),
    ]
    read = prompts(events)
    assert read["a2"].endswith("`Verdict: correct` or `Verdict: incorrect`.")
    assert "Answer: …" not in read["a2"]
    assert '<message from="Critic">\nIt is 43.\nVerdict: INCORRECT\n</message>' in read["a3"]
    assert read["a3"].endswith("Answer: …")
    assert [call.node.round for call in of(events, BlockCalled)] == [None, None, 2, 2]
    assert answers(events) == [("42", "a3")]


async def test_an_agent_that_reasons_is_told_so_where_small_models_heed_it() -> None:
    lines = 'deliver(agent("Solver", "Solve it step by step."))'
    small = endpoint(parameters=494_000_000)
    events = await solved(plays([""]), config=given(lines), endpoint=small)
    assert "Solve it step by step first.\nEnd with" in prompts(events)["a1"]
    assert "first." not in prompts(await solved(plays([""]), config=given(ALONE)))["a1"]


async def test_of_a_code_task_agents_answer_with_programs_and_critics_in_words() -> None:
    program = "```python\nprint(42)\n```"
    said = plays([""], solve=program, check="Verdict: correct")
    events = await solved(said, config=given(*CHECKED), answer_form="code")
    read = prompts(events)
    assert "Give the whole program" in read["a1"]
    assert "whole program" not in read["a2"]
    assert answers(events) == [("print(42)", "a1")]


async def test_a_script_whose_replies_decide_runs_in_the_sandbox() -> None:
    numbers = iter(("41", "43", "42"))
    events = await solved(
        plays([""], solve=lambda _: f"Answer: {next(numbers)}"), config=given(*UNTIL)
    )
    assert [call.reads for call in of(events, BlockCalled)] == [(), ("a1",), ("a2",)]
    assert [call.lines for call in of(events, BlockCalled)] == [(3,), (5,), (5,)]
    assert answers(events) == [("42", "a3")]


async def test_agents_that_wait_for_nobody_speak_side_by_side() -> None:
    """The second of one pair starts while the first of the other is still asked."""
    slow, order = asyncio.Event(), list[str]()

    class Client(ScriptedClient):
        async def chat(self, endpoint: EndpointSpec, request: ChatRequest, *more: Any) -> Any:
            name = request.messages[0].content.split()[1]
            order.append(name)
            if name == "slow":
                await slow.wait()
            if name == "last":
                slow.set()
            return await super().chat(endpoint, request, *more)

    events = await solved(
        Client(),
        config=given(
            'a = sequence(agent("A", "Be slow"), agent("B", "Be calm"))',
            'b = sequence(agent("C", "Be fast"), agent("D", "Be last"))',
            "deliver(ensemble([a, b]))",
        ),
    )
    assert order == ["slow", "fast", "last", "calm"]
    assert [call.node.role.name for call in of(events, BlockCalled)] == ["A", "C", "D", "B"]


async def test_equal_agents_have_seeds_of_their_own_at_the_script_s_temperature() -> None:
    client = ScriptedClient()
    await solved(client, config=given(*VOTE))
    assert {request.temperature for request in client.requests} == {0.7}
    first = [request.seed for request in client.requests]
    assert len(set(first)) == 3
    again = ScriptedClient()
    await solved(again, config=given(*VOTE))
    assert [request.seed for request in again.requests] == first


async def test_the_settings_temperature_is_the_designer_s_and_of_agents_without_one() -> None:
    client = ScriptedClient(plays([fenced(ALONE)]))
    await solved(client, config={"temperature": 0.4})
    assert [request.temperature for request in client.requests] == [0.4, 0.4]


async def test_an_agent_uses_tools_as_often_as_the_script_says() -> None:
    client = ScriptedClient(plays([""], solve=CALL))
    lines = 'deliver(agent("Solver", "Solve it.", tools=["calculator"], turns=2))'
    events = await solved(client, config=given(lines))
    assert len(of(events, ToolCalled)) == 2


async def test_a_tool_that_may_not_be_used_is_a_problem_with_its_line() -> None:
    events: list[Event] = []
    lines = 'deliver(agent("Solver", "Solve it.", tools=["browser"]))'
    with pytest.raises(MethodError, match=r"Line 2: There is no tool “browser”") as raised:
        await solved(plays([""]), config=given(lines, tools="python"), into=events)
    assert raised.value.code == "unusable_script"
    assert raised.value.remedy == "Use: python."
    assert kinds(events) == ["script_read"]


async def test_an_unusable_script_goes_back_to_the_designer() -> None:
    client = ScriptedClient(plays([fenced("import os", ALONE), fenced(ALONE)]))
    events = await solved(client)
    first, second = of(events, ScriptRead)
    assert [problem.code for problem in first.problems] == ["bad_import"]
    assert (first.drawing, first.problems[0].line) == (None, 2)
    assert (second.agent_id, second.attempt, second.problems) == ("designer-2", 2, ())
    told = client.requests[1].messages
    assert [message.role for message in told] == ["system", "user", "assistant", "user"]
    assert "- Line 2: A script imports nothing but workflow." in told[-1].content
    assert answers(events) == [("42", "a1")]


@pytest.mark.parametrize("repairs", [0, 2])
async def test_a_run_without_a_usable_script_fails_with_the_first_problem(repairs: int) -> None:
    events: list[Event] = []
    with pytest.raises(MethodError, match="no code block") as raised:
        await solved(plays(["The answer is 42."]), config={"repairs": repairs}, into=events)
    assert "A larger model" in raised.value.remedy
    assert len(of(events, ScriptRead)) == repairs + 1
    assert of(events, ScriptRead)[0].script == "The answer is 42."
    assert not of(events, BlockCalled)


async def test_agents_that_fail_or_refuse_contribute_nothing() -> None:
    left: list[Any] = [down(), "REFUSE: no numbers are given.", "Answer: 42"]
    said = plays([""], solve=lambda _: left.pop(0))
    events = await solved(said, config=given(*VOTE))
    assert len(of(events, AgentFailed)) == 1
    assert answers(events) == [("42", "a3")]


async def test_of_agents_that_all_failed_the_first_failure_is_the_run_s() -> None:
    events: list[Event] = []
    with pytest.raises(MethodError, match="The server is down") as raised:
        await solved(plays([""], solve=lambda _: down()), config=given(*VOTE), into=events)
    assert raised.value.remedy == "Start it."
    (ended,) = of(events, ScriptEnded)
    assert ended.ending == "failed"
    assert ended.problem is not None
    assert ended.problem.code == "agents_failed"


async def test_a_designer_whose_endpoint_is_down_ends_the_run() -> None:
    with pytest.raises(MethodError, match="The server is down"):
        await solved(ScriptedClient(lambda _: down()))


async def test_a_script_that_asks_too_often_has_failed() -> None:
    events: list[Event] = []
    with pytest.raises(MethodError, match=r"Line \d: The script asked more than 4 times") as raised:
        await solved(plays([""], solve="Answer: 1"), config=given(*UNTIL, max_calls=4), into=events)
    assert raised.value.remedy == "Use fewer agents or fewer rounds."
    (ended,) = of(events, ScriptEnded)
    assert (ended.ending, ended.calls) == ("limit", 4)
    assert not others()


async def test_a_script_that_never_ends_is_stopped() -> None:
    """What it does after the loop's first reply is known only when it runs."""
    events: list[Event] = []
    lines = (*UNTIL[:3], "    x = 1", "deliver(solver(said.text + said.name))")
    with pytest.raises(MethodError, match=r"ran longer than 5 s") as raised:
        await solved(plays([""], solve="Answer: 1"), config=given(*lines), into=events)
    assert raised.value.code == "script_too_slow"
    assert not others()


async def test_a_spent_budget_ends_the_run_and_leaves_nothing() -> None:
    spent = BudgetExceeded(limit="tokens", message="All tokens are spent.")
    for lines in (VOTE, UNTIL):
        events: list[Event] = []
        with pytest.raises(BudgetExceeded):
            await solved(plays([""], solve=lambda _: spent), config=given(*lines), into=events)
        assert of(events, AgentFailed)
        assert not of(events, ScriptEnded)
        assert not others()


@pytest.mark.parametrize("lines", [VOTE, UNTIL])
async def test_a_run_that_is_closed_leaves_nothing_running(lines: tuple[str, ...]) -> None:
    client = ScriptedClient(turns=10_000)
    events: AsyncGenerator[Event] = MetaAgentX().solve(TASK, context(client, config=given(*lines)))
    async with aclosing(events):
        async for event in events:
            if event.event == "agent_started":
                break
    assert client.active == 0
    assert not others()


async def test_a_text_that_the_script_wrote_is_nobody_s_message() -> None:
    lines = ('said = agent("Solver", "Solve it.")()', 'deliver(f"It is {said.answer}.")')
    events = await solved(plays([""]), config=given(*lines))
    assert answers(events)[0][1] is None
    assert "42" in str(answers(events)[0][0])


async def test_texts_of_the_script_are_read_as_a_note() -> None:
    lines = (
        'solver = agent("Solver", "Solve it.")',
        "said = solver()",
        'deliver(solver(f"Somebody said {said.answer}."))',
    )
    events = await solved(plays([""]), config=given(*lines))
    assert '<message from="Note">\nSomebody said 42.\n</message>' in prompts(events)["a2"]
    assert of(events, BlockCalled)[1].reads == of(events, AgentStarted)[1].reads == ()


async def test_characters_that_no_json_has_are_replaced() -> None:
    lines = 'deliver(agent("A", "Solve it.\\0"))'
    events = await solved(ScriptedClient(), config=given(lines))
    role = of(events, BlockCalled)[0].node.role
    assert (role.key, role.name, role.prompt) == ("a", "A", "Solve it.\ufffd")


async def test_the_designer_may_have_an_endpoint_of_its_own() -> None:
    asked: list[tuple[str, bool]] = []

    class Client(ScriptedClient):
        async def chat(self, endpoint: EndpointSpec, request: ChatRequest, *more: Any) -> Any:
            asked.append((endpoint.key, "You design" in asked_of(request)))
            return await super().chat(endpoint, request, *more)

    events = await solved(
        Client(plays([fenced(ALONE)])),
        config={"designer": "large"},
        endpoints={"large": endpoint(key="large")},
    )
    assert asked == [("large", True), ("stub", False)]
    assert of(events, AgentStarted)[0].endpoint == "large"


@pytest.mark.parametrize("parameters", [494_000_000, None])
async def test_every_reply_may_have_what_the_budget_says(parameters: int | None) -> None:
    client = ScriptedClient(lambda _: fenced(ALONE))
    await solved(client, endpoint=endpoint(parameters=parameters))
    assert [request.max_tokens for request in client.requests] == [REPLY_TOKENS, REPLY_TOKENS]


@pytest.mark.parametrize("policies", [("shared", "shared"), ("designer", "executor")])
async def test_a_checkpoint_has_a_model_for_each_role(
    policies: tuple[str, str], tmp_path: Path
) -> None:
    models: list[str] = []

    class Client(ScriptedClient):
        async def chat(self, endpoint: EndpointSpec, request: ChatRequest, *more: Any) -> Any:
            models.append(endpoint.model)
            return await super().chat(endpoint, request, *more)

    folder = trained_folder(tmp_path, policies)
    await solved(Client(plays([fenced(ALONE)])), checkpoint=folder)
    assert models == [f"{folder.name}:{policy}" for policy in policies]


async def test_a_checkpoint_of_other_agents_is_refused(tmp_path: Path) -> None:
    folder = trained_folder(tmp_path, ("coder",))
    with pytest.raises(MethodError, match="not for a designer and executors"):
        await solved(plays([fenced(ALONE)]), checkpoint=folder)


def trained_folder(path: Path, policies: tuple[str, ...]) -> Path:
    config = {"environment": "language", "model": "m", "rank": 0, "alpha": 0, "agents": policies}
    folder = path / "trained-1"
    save(folder, {}, trained_info("metaagent_x", config=config))
    return folder


async def test_events_of_a_run_are_collected_in_order() -> None:
    """An agent's call stands before its own events, and its end before its readers' calls."""
    events = await collect(
        MetaAgentX().solve(TaskSpec(query="?"), context(ScriptedClient(), config=given(*CHECKED)))
    )
    order = [(event.event, who(event)) for event in events if who(event)]
    assert order.index(("block_called", "a1")) < order.index(("agent_started", "a1"))
    assert order.index(("agent_finished", "a1")) < order.index(("block_called", "a2"))


def who(event: Event) -> str:
    if isinstance(event, BlockCalled):
        return event.node.id
    return event.agent_id if isinstance(event, AgentStarted | AgentFinished) else ""
