"""Whole runs over HTTP against the stub LLM, from run_started to the one terminal event."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from workers.core.benchmarks.base import Verdict
from workers.core.errors import MethodError
from workers.core.events import (
    TERMINAL_EVENTS,
    AgentDelta,
    AgentFailed,
    AgentFinished,
    AnswerVerified,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunStarted,
    ToolReturned,
)
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.types import ChatClient
from workers.core.mas.agent import Team
from workers.core.mas.context import MethodContext
from workers.core.mas.execute import execute_graph
from workers.core.mas.tests.support import (
    ScriptedClient,
    collect,
    down,
    endpoint,
    graph,
    kinds,
    others,
    role,
    speaker,
)
from workers.core.run import Cancellation, run_execute
from workers.core.specs import (
    AgentNode,
    AttemptSpent,
    Budget,
    EndpointSpec,
    GraphSpec,
    PoolSpec,
    RunSpec,
    TaskSpec,
    Usage,
)
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule
from workers.core.tests.support import of_kind
from workers.core.tools.base import ToolLimits

DIAMOND = graph("a1>a2 a1>a3 a2>a4 a3>a4")
SLOW = 30.0
E = TypeVar("E", bound=Event)


class NoConfig(BaseModel):
    """No options."""


class FixedGraph:
    """A graph given in advance; its last agent has the answer."""

    key = name = "fixed"
    description = source = "a test"
    needs_pool = learns = False
    config_schema = NoConfig

    def __init__(self, spec: GraphSpec = DIAMOND) -> None:
        self.graph = spec

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        team = Team(task.query, context)
        yield GraphPlanned(graph=self.graph)
        events = execute_graph(self.graph, team)
        async with aclosing(events):
            async for event in events:
                yield event
        last = team.outcomes[self.graph.nodes[-1].id]
        yield IntermediateAnswer(step=1, answer=last.answer, agent_id=last.agent_id)


class Choosing(FixedGraph):
    needs_pool = True


class Failing(FixedGraph):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        yield IntermediateAnswer(step=1, answer="half way")
        raise self.error


def run_spec(at: EndpointSpec, **fields: Any) -> RunSpec:
    base: dict[str, Any] = {"task": TaskSpec(query="What is 6 * 7?"), "method": "fixed"}
    return RunSpec(**{**base, "endpoint": at, **fields})


def run(
    spec: RunSpec, client: ChatClient, method: Any = None, **fields: Any
) -> AsyncGenerator[Event]:
    methods = {"fixed": method or FixedGraph()}
    return run_execute(spec, client=client, methods=methods, **fields)


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    """`slow` in a role or query takes 30 s; `broken` is a 500 that stays."""
    rules = (
        Rule("slow", reply="Answer: 1", latency=SLOW),
        Rule("broken", fault=Fault("500")),
        Rule("cut in the middle", fault=Fault("half-stream")),
        Rule("The result of the tool calculator", reply="Answer: 42"),
        Rule(
            "count on me",
            reply='```tool\n{"tool":"calculator","arguments":{"expression":"6*7"}}\n```',
        ),
    )
    with running_stub(rules=rules) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient(retry=RetryPolicy(tries=1)) as real:
        yield real


def only_terminal(events: list[Event]) -> Event:
    assert isinstance(events[0], RunStarted)
    assert [event for event in events if event.event in TERMINAL_EVENTS] == events[-1:]
    return events[-1]


async def end_of(kind: type[E], events: AsyncGenerator[Event]) -> E:
    """The run's one terminal event, which is of that kind."""
    return of_kind(kind, only_terminal(await collect(events)))


async def test_a_run_of_four_agents(stub: RunningStub, client: OpenAIClient) -> None:
    stub.clear()
    events = await collect(run(run_spec(endpoint(stub.url)), client))
    end = of_kind(RunFinished, only_terminal(events))
    assert end.answer == "42"
    assert end.message.endswith("Answer: 42")
    assert end.graph == DIAMOND
    usages = [event.usage for event in events if isinstance(event, AgentFinished)]
    assert len(usages) == 4
    assert end.usage.prompt_tokens == sum(usage.prompt_tokens or 0 for usage in usages) > 0
    assert any(isinstance(event, AgentDelta) for event in events)
    assert stub.log()["total"] == 4
    assert others() == set()


async def test_deltas_add_up_to_the_message_while_two_agents_speak(client: OpenAIClient) -> None:
    with running_stub(latency=0.2, chunk_latency=0.02, chunk_chars=20) as streaming:
        events = await collect(run(run_spec(endpoint(streaming.url)), client))
        assert streaming.log()["peak"] == 2
    assert only_terminal(events).event == "run_finished"
    for finished in (event for event in events if isinstance(event, AgentFinished)):
        deltas = [
            event
            for event in events
            if isinstance(event, AgentDelta) and event.agent_id == finished.agent_id
        ]
        assert "".join(delta.text for delta in deltas) == finished.message
        assert len(deltas) > 1


async def test_without_streaming_there_are_no_deltas(
    stub: RunningStub, client: OpenAIClient
) -> None:
    events = await collect(run(run_spec(endpoint(stub.url), stream=False), client))
    assert "agent_delta" not in kinds(events)
    assert only_terminal(events).event == "run_finished"


async def test_a_tool_loop_over_http(stub: RunningStub, client: OpenAIClient) -> None:
    counting = role("counter", prompt="You count on me.", tools=("calculator",))
    method = FixedGraph(GraphSpec(nodes=(AgentNode(id="a1", role=counting),)))
    # the query holds no sum, so that only the tool knows the answer
    spec = run_spec(endpoint(stub.url), task=TaskSpec(query="How much is it?"))
    events = await collect(run(spec, client, method))
    assert [k for k in kinds(events) if k.startswith("tool")] == ["tool_called", "tool_returned"]
    assert of_kind(RunFinished, only_terminal(events)).answer == "42"


async def test_one_failing_agent_does_not_fail_the_run(
    stub: RunningStub, client: OpenAIClient
) -> None:
    nodes = list(DIAMOND.nodes)
    nodes[1] = nodes[1].model_copy(update={"role": role("role-a2", prompt="broken")})
    method = FixedGraph(GraphSpec(nodes=tuple(nodes), edges=DIAMOND.edges))
    events = await collect(run(run_spec(endpoint(stub.url)), client, method))
    assert of_kind(RunFinished, only_terminal(events)).answer == "42"
    assert kinds(events).count("agent_failed") == 1


async def test_what_an_agent_wrote_before_it_failed_is_kept(
    stub: RunningStub, client: OpenAIClient
) -> None:
    spec = run_spec(endpoint(stub.url), task=TaskSpec(query="cut in the middle"))
    events = await collect(run(spec, client))
    (failed, *_) = [event for event in events if isinstance(event, AgentFailed)]
    assert failed.failure.code == "stream_interrupted"
    said = ""
    for event in events:
        if isinstance(event, AgentDelta) and event.agent_id == failed.agent_id:
            said = said[: event.offset] + event.text
    assert said.startswith("word word")
    assert failed.written == said


async def test_all_agents_failing_fails_the_run_with_the_first_cause(client: OpenAIClient) -> None:
    events = await collect(run(run_spec(endpoint("http://127.0.0.1:9/v1")), client))
    end = of_kind(RunFailed, only_terminal(events))
    assert end.failure.code not in ("no_input", "internal_error")
    assert end.failure.remedy
    assert kinds(events).count("agent_failed") == 4


async def test_the_budget_ends_a_run_in_the_middle(stub: RunningStub, client: OpenAIClient) -> None:
    spec = run_spec(endpoint(stub.url), budget=Budget(max_tokens=120))
    events = await collect(run(spec, client))
    end = of_kind(RunFailed, only_terminal(events))
    assert end.failure.code == "budget_exceeded"
    assert "120 tokens" in end.failure.message
    assert "agent_finished" in kinds(events)
    assert others() == set()


@pytest.mark.parametrize(
    ("budget", "spent", "lost"),
    [
        ({"max_tokens": 2_000}, {"tokens": 1_990}, "used 1990 tokens. A retry"),
        ({"max_cost": 0.5}, {"cost": 0.6}, "used $0.600000. A retry"),
        ({"max_seconds": 60.0}, {"seconds": 61.0}, "used 61 seconds. A retry"),
    ],
)
async def test_what_lost_attempts_used_counts_in_the_budget(
    stub: RunningStub, client: OpenAIClient, budget: Any, spent: Any, lost: str
) -> None:
    priced = endpoint(stub.url, prompt_price=1.0, completion_price=1.0)
    spec = run_spec(priced, budget=Budget(**budget))
    await end_of(RunFinished, run(spec, client))
    after = spec.model_copy(update={"spent": AttemptSpent(**spent)})
    end = await end_of(RunFailed, run(after, client))
    assert end.failure.code in ("budget_exceeded", "out_of_time")
    assert lost in end.failure.message
    assert end.usage == Usage.zero(), "the attempt's own"


async def test_the_deadline_ends_a_run_promptly(stub: RunningStub, client: OpenAIClient) -> None:
    spec = run_spec(endpoint(stub.url), task=TaskSpec(query="slow"), budget=Budget(max_seconds=0.5))
    began = time.monotonic()
    end = await end_of(RunFailed, run(spec, client))
    assert end.failure.code == "out_of_time"
    assert "0.5 seconds" in end.failure.message
    assert "busy endpoint" in end.failure.remedy
    assert 0.4 < time.monotonic() - began < SLOW


async def test_the_deadline_holds_where_no_llm_is_called() -> None:
    class Thinking(FixedGraph):
        async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
            await asyncio.sleep(SLOW)
            yield IntermediateAnswer(step=1, answer="late")

    spec = run_spec(endpoint(), budget=Budget(max_seconds=0.2))
    end = await end_of(RunFailed, run(spec, ScriptedClient(), Thinking()))
    assert end.failure.code == "out_of_time"
    assert "seconds" in end.failure.message


async def test_cancelling_stops_the_call_at_the_server(
    stub: RunningStub, client: OpenAIClient
) -> None:
    stub.clear()
    cancel = Cancellation()
    asyncio.get_running_loop().call_later(0.5, cancel.request, "ada")
    began = time.monotonic()
    spec = run_spec(endpoint(stub.url), task=TaskSpec(query="slow"))
    end = await end_of(RunCancelled, run(spec, client, cancel=cancel))
    assert end.by == "ada"
    assert end.usage.prompt_tokens is None  # one call was cut off; nobody knows what it used
    assert time.monotonic() - began < SLOW
    await asyncio.sleep(0.2)
    log = stub.log()
    assert (log["active"], log["dropped"]) == (0, 1)
    assert others() == set()


async def test_cancelled_before_it_began() -> None:
    cancel = Cancellation()
    cancel.request()
    await end_of(RunCancelled, run(run_spec(endpoint()), ScriptedClient(), cancel=cancel))


async def test_a_plain_event_cancels_too() -> None:
    cancel = asyncio.Event()
    asyncio.get_running_loop().call_soon(cancel.set)
    client = ScriptedClient(turns=9_999)
    await end_of(RunCancelled, run(run_spec(endpoint()), client, cancel=cancel))


async def test_a_cancelled_driver_still_hears_the_end() -> None:
    heard: list[Event] = []
    client = ScriptedClient(turns=99_999)
    driving = asyncio.create_task(collect(run(run_spec(endpoint()), client), heard))
    await asyncio.sleep(0.05)
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving
    assert only_terminal(heard).event == "run_cancelled"
    assert client.active == 0
    assert others() == set()


async def test_closing_gives_the_run_back_without_an_end() -> None:
    client = ScriptedClient(turns=99_999)
    events = run(run_spec(endpoint()), client, cancel=Cancellation())
    async with aclosing(events):
        while (await anext(events)).event != "agent_started":
            pass
    assert client.active == 0
    assert others() == set()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MethodError(code="odd", message="Odd.", remedy="Even."), "odd"),
        (down("timeout"), "timeout"),
    ],
)
async def test_what_a_method_raises_fails_the_run(error: Exception, code: str) -> None:
    events = await collect(run(run_spec(endpoint()), ScriptedClient(), Failing(error)))
    assert kinds(events) == ["run_started", "intermediate_answer", "run_failed"]
    end = of_kind(RunFailed, events[-1])
    assert end.failure.code == code
    assert end.failure.remedy


async def test_a_bug_ends_the_run_and_then_goes_on() -> None:
    heard: list[Event] = []
    events = run(run_spec(endpoint()), ScriptedClient(), Failing(KeyError("secret path")))
    with pytest.raises(KeyError):
        await collect(events, heard)
    end = of_kind(RunFailed, only_terminal(heard))
    assert end.failure.code == "internal_error"
    assert "secret path" not in end.failure.message


async def test_a_method_that_cancels_itself_is_a_bug_not_a_cancellation() -> None:
    heard: list[Event] = []
    events = run(run_spec(endpoint()), ScriptedClient(), Failing(asyncio.CancelledError()))
    with pytest.raises(RuntimeError):
        await collect(events, heard)
    assert only_terminal(heard).event == "run_failed"


async def test_unknown_method_and_empty_pool_are_told() -> None:
    end = await end_of(RunFailed, run(run_spec(endpoint(), method="nope"), ScriptedClient()))
    assert (end.failure.code, end.failure.remedy) == ("unknown_method", "Use one of: fixed.")
    for pool in (None, PoolSpec(key="p", name="P", roles=())):
        spec = run_spec(endpoint(), pool=pool)
        end = await end_of(RunFailed, run(spec, ScriptedClient(), Choosing()))
        assert end.failure.code == "empty_pool"


async def test_a_refused_answer_is_no_answer_but_no_failure() -> None:
    client = ScriptedClient(lambda _: "REFUSE: not mine")
    assert (await end_of(RunFinished, run(run_spec(endpoint()), client))).answer is None


async def test_the_real_methods_run_over_http(stub: RunningStub, client: OpenAIClient) -> None:
    for method in ("direct", "chain_of_thought", "self_consistency"):
        spec = run_spec(endpoint(stub.url), method=method)
        assert (await end_of(RunFinished, run_execute(spec, client=client))).answer == "42"


def judged(reference: str | None, verifier: str = "numeric") -> RunSpec:
    task = TaskSpec(query="What is 6 * 7?", reference=reference, verifier=verifier)
    return run_spec(endpoint(), task=task)


@pytest.mark.parametrize(("reference", "correct"), [("42.0", True), ("41", False)])
async def test_the_answer_is_verified_just_before_the_end(reference: str, correct: bool) -> None:
    client = ScriptedClient(lambda _: "6 * 7 = 42. Answer: 42")
    events = await collect(run(judged(reference), client))
    assert isinstance(only_terminal(events), RunFinished)
    verified = of_kind(AnswerVerified, events[-2])
    assert (verified.verifier, verified.correct, verified.reward) == ("numeric", correct, correct)
    assert "42" in verified.explanation
    assert [event.at for event in events] == sorted(event.at for event in events)


@pytest.mark.parametrize("verifier", ["numeric", "unknown"])
async def test_what_cannot_be_judged_is_neither_right_nor_wrong(
    verifier: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = ScriptedClient(lambda _: "Answer: 42")
    events = await collect(run(judged(None, verifier), client))
    assert isinstance(only_terminal(events), RunFinished)
    assert "answer_verified" not in kinds(events)
    assert "not judged" in caplog.text


async def test_a_task_without_a_verifier_and_a_failed_run_are_not_judged() -> None:
    answering = ScriptedClient(lambda _: "Answer: 42")
    failing = Failing(MethodError(code="odd", message="Odd.", remedy="Even."))
    for events in (run(run_spec(endpoint()), answering), run(judged("42"), answering, failing)):
        assert "answer_verified" not in kinds(await collect(events))


class Slow:
    key, name, description = "slow", "Slow", "Thinks for long."

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        await asyncio.sleep(self.seconds)
        return Verdict(True, 1.0, "It is right.")


async def test_judging_is_outside_the_deadline_and_can_be_cancelled() -> None:
    client = ScriptedClient(lambda _: "Answer: 42")
    spec = judged("42", "slow").model_copy(update={"budget": Budget(max_seconds=0.5)})
    events = await collect(run(spec, client, verifiers={"slow": Slow(1.0)}))
    assert kinds(events)[-2:] == ["answer_verified", "run_finished"]
    assert of_kind(RunFinished, events[-1]).seconds < 1.0
    cancel = Cancellation()
    asyncio.get_running_loop().call_later(0.3, cancel.request, "ada")
    began = time.monotonic()
    await end_of(RunCancelled, run(spec, client, verifiers={"slow": Slow(SLOW)}, cancel=cancel))
    assert time.monotonic() - began < 5
    assert others() == set()


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 60),
    st.sampled_from(["request", "cancel", "deadline"]),
    st.sampled_from(["ok", "fail", "bug"]),
)
def test_there_is_one_end_whenever_a_run_is_stopped(moments: int, how: str, fate: str) -> None:
    async def scenario() -> None:
        errors = {"fail": down(), "bug": KeyError("bug")}
        client = ScriptedClient(
            lambda r: errors.get(fate, "Answer: 1") if speaker(r) == "a2" else "Answer: 1", turns=3
        )
        cancel = Cancellation()
        heard: list[Event] = []
        budget = Budget(max_seconds=1e-3 if how == "deadline" else 60)
        events = run(run_spec(endpoint(), budget=budget), client, cancel=cancel)
        driving = asyncio.create_task(collect(events, heard))
        for _ in range(moments):
            await asyncio.sleep(0)
        if how == "request":
            cancel.request()
        elif how == "cancel":
            driving.cancel()
        await asyncio.wait([driving])
        if heard:
            only_terminal(heard)
        else:
            assert how == "cancel"  # before the driver took its first step
        assert client.active == 0
        assert others() == set()
        if not driving.cancelled():
            driving.exception()

    asyncio.run(scenario())


def test_a_tool_result_that_was_stored_before_sources_were_told_is_read() -> None:
    stored = {"event": "tool_returned", "at": 1.0, "agent_id": "a1", "call_id": "c1"}
    told = {**stored, "tool": "calculator", "ok": True, "output": "42", "seconds": 0.1}
    event = ToolReturned.model_validate(told)
    assert (event.sources, event.cached, event.cut) == ((), False, False)


async def test_tools_are_opened_for_a_run_and_files_are_named_in_its_question() -> None:
    class Reads(FixedGraph):
        async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
            read = await context.tools["read_file"].run({"name": "a.txt"}, ToolLimits())
            yield IntermediateAnswer(step=1, answer=f"{read.output} | {task.query}")

    task = TaskSpec(query="What?", metadata={"files": [{"name": "a.txt", "text": "42"}]})
    events = await collect(run(run_spec(endpoint(), task=task), ScriptedClient(), Reads()))
    assert of_kind(RunFinished, events[-1]).answer == (
        "42 | What?\n\nAttached file (the tool read_file opens them): a.txt"
    )
    assert of_kind(RunStarted, events[0]).query == "What?"
