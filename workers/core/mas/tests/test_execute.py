import asyncio
from contextlib import aclosing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.events import AgentFailed, AgentFinished, AgentStarted, Event
from workers.core.graph import predecessors
from workers.core.llm.types import BudgetExceeded, ChatRequest
from workers.core.mas.agent import Team
from workers.core.mas.execute import execute_graph
from workers.core.mas.outcome import AgentOutcome, Sampling
from workers.core.mas.tests.support import (
    Gated,
    ScriptedClient,
    collect,
    context,
    down,
    graph,
    kinds,
    others,
    speaker,
)
from workers.core.specs import GraphSpec
from workers.core.tests.test_graph import dags

DIAMOND = graph("a1>a2 a1>a3 a2>a4 a3>a4")


async def execute(
    spec: GraphSpec, client: ScriptedClient
) -> tuple[list[Event], dict[str, AgentOutcome]]:
    team = Team("q", context(client))
    return await collect(execute_graph(spec, team)), team.outcomes


def ended(events: list[Event]) -> list[str]:
    return [e.agent_id for e in events if isinstance(e, AgentFinished | AgentFailed)]


async def test_diamond_overlaps_in_the_middle() -> None:
    client = ScriptedClient(lambda request: f"I am {speaker(request)}.\nAnswer: 1", turns=5)
    events, outcomes = await execute(DIAMOND, client)
    assert ended(events)[0] == "a1"
    assert ended(events)[-1] == "a4"
    assert client.peak == 2
    assert set(outcomes) == {"a1", "a2", "a3", "a4"}
    last = [e for e in events if isinstance(e, AgentStarted)][-1]
    assert last.reads == ("a2", "a3")
    assert "I am a2." in last.prompt[1]["content"]


async def test_an_empty_graph_has_no_events() -> None:
    assert await execute(GraphSpec(), ScriptedClient()) == ([], {})


async def test_a_slow_branch_holds_up_only_its_own_readers() -> None:
    client = Gated("a1")
    team = Team("q", context(client))
    async for event in execute_graph(graph("a1>a2 a3>a4 a4>a5"), team):
        if isinstance(event, AgentFinished) and event.agent_id == "a5":
            assert set(team.outcomes) == {"a3", "a4", "a5"}
            client.gate.set()
    assert set(team.outcomes) == {"a1", "a2", "a3", "a4", "a5"}


async def test_readers_start_while_nobody_reads_the_events() -> None:
    client = ScriptedClient()
    events = execute_graph(DIAMOND, Team("q", context(client)))
    async with aclosing(events):
        await anext(events)
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(client.requests) == 4


async def test_one_failing_agent_and_the_rest_goes_on() -> None:
    client = ScriptedClient(lambda r: down() if speaker(r) == "a2" else "Answer: 1")
    events, outcomes = await execute(DIAMOND, client)
    assert sorted(ended(events)) == ["a1", "a2", "a3", "a4"]
    assert outcomes["a2"].failure is not None
    assert outcomes["a4"].answer == "1"
    started = {e.agent_id: e for e in events if isinstance(e, AgentStarted)}
    assert started["a4"].reads == ("a3",)


async def test_readers_of_nobody_usable_are_not_started() -> None:
    client = ScriptedClient(lambda r: "REFUSE: no" if speaker(r) == "a1" else "Answer: 1")
    events, outcomes = await execute(graph("a1>a2 a2>a3", alone=["a9"]), client)
    codes = {i: o.failure.code for i, o in outcomes.items() if o.failure}
    assert codes == {"a2": "no_input", "a3": "no_input"}
    assert outcomes["a9"].usable
    assert len(client.requests) == 2
    assert kinds(events).count("agent_failed") == 2


async def test_all_failing_ends_all_the_same() -> None:
    events, outcomes = await execute(DIAMOND, ScriptedClient(lambda _: down()))
    assert sorted(ended(events)) == ["a1", "a2", "a3", "a4"]
    assert not any(outcome.usable for outcome in outcomes.values())


async def test_sampling_by_agent() -> None:
    client = ScriptedClient()
    team, sampling = Team("q", context(client)), {"a1": Sampling(0.5, 7)}
    await collect(execute_graph(graph("", alone=["a1", "a2"]), team, sampling=sampling))
    by_agent = {speaker(r): (r.temperature, r.seed) for r in client.requests}
    assert by_agent == {"a1": (0.5, 7), "a2": (0.0, None)}


async def test_budget_exceeded_stops_the_others_and_passes_on() -> None:
    def script(request: ChatRequest) -> str | BudgetExceeded:
        spent = speaker(request) == "a2"
        return BudgetExceeded(limit="tokens", message="Spent.") if spent else "Answer: 1"

    client = ScriptedClient(script)
    seen: list[Event] = []
    events = execute_graph(DIAMOND, Team("q", context(client)))
    with pytest.raises(BudgetExceeded):
        await collect(events, seen)
    assert "a4" not in ended(seen)
    assert kinds(seen).count("agent_failed") == 1
    assert others() == set()


async def test_a_bug_passes_on_and_leaves_no_task() -> None:
    client = ScriptedClient(lambda _: KeyError("bug"), turns=2)
    with pytest.raises(KeyError):
        await execute(DIAMOND, client)
    assert others() == set()


@settings(max_examples=60, deadline=None)
@given(dags(), st.lists(st.sampled_from(["ok", "refuse", "fail"]), min_size=8, max_size=8))
def test_every_agent_ends_once_and_starts_after_whom_it_reads(
    spec: GraphSpec, fates: list[str]
) -> None:
    fate = {f"a{index + 1}": kind for index, kind in enumerate(fates)}

    def script(request: ChatRequest) -> str | BaseException:
        who = speaker(request)
        return {"ok": f"{who}\nAnswer: 1", "refuse": "REFUSE: no"}.get(fate[who]) or down()

    events, outcomes = asyncio.run(execute(spec, ScriptedClient(script, turns=2)))
    reads = predecessors(spec)
    assert sorted(ended(events)) == sorted(reads)
    for position, event in enumerate(events):
        if isinstance(event, AgentStarted):
            before = ended(events[:position])
            assert set(reads[event.agent_id]) <= set(before)
            usable = tuple(s for s in reads[event.agent_id] if outcomes[s].usable)
            assert event.reads == usable
            assert usable or not reads[event.agent_id]
    for agent_id, sources in reads.items():
        starved = bool(sources) and not any(outcomes[s].usable for s in sources)
        failure = outcomes[agent_id].failure
        assert starved == (failure is not None and failure.code == "no_input")


@settings(max_examples=60, deadline=None)
@given(dags(), st.integers(0, 40), st.sampled_from(["cancel", "close"]))
def test_stopping_at_any_point_leaves_no_task(spec: GraphSpec, moments: int, how: str) -> None:
    async def scenario() -> None:
        client = ScriptedClient(turns=3)
        events = execute_graph(spec, Team("q", context(client)))
        if how == "close":
            async with aclosing(events):
                for _ in range(moments):
                    if await anext(events, None) is None:
                        break
        else:
            reading = asyncio.create_task(collect(events))
            for _ in range(moments):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])
        assert client.active == 0
        assert others() == set()

    asyncio.run(scenario())
