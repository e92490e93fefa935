"""Runs that a person leads: held, gone on with, and forked, from run_started to run_finished."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workers.core.events import AgentFinished, AgentStarted, Event, RunFinished, RunPaused
from workers.core.graph import predecessors
from workers.core.llm.types import ChatRequest
from workers.core.mas.control import AGENT_EVENTS
from workers.core.mas.tests.support import ScriptedClient, collect, endpoint, graph, role, speaker
from workers.core.run import run_execute
from workers.core.specs import AgentNode, Budget, GraphSpec, RunControl, RunSpec, TaskSpec
from workers.core.tests.support import of_kind
from workers.core.tests.test_graph import dags

CHAIN = graph("a1>a2 a2>a3")
DIAMOND = graph("a1>a2 a1>a3 a2>a4 a3>a4")


def says(request: ChatRequest) -> str:
    return f"{speaker(request)} after {request.messages[-1].content.count('<message')}.\nAnswer: 7"


async def attempt(
    team: GraphSpec, control: RunControl | None, client: ScriptedClient, **fields: Any
) -> list[Event]:
    spec = RunSpec(
        task=TaskSpec(query="3 + 4?"),
        method="design",
        method_config={"graph": team.model_dump(mode="json")},
        endpoint=endpoint(),
        control=control,
        **fields,
    )
    return await collect(run_execute(spec, client=client))


def goes_on(events: list[Event], control: RunControl, **led: Any) -> RunControl:
    """As whoever drives core goes on: with what the paused attempt said."""
    paused = of_kind(RunPaused, events[-1])
    kept = tuple(e.model_dump(mode="json") for e in events if e.event in AGENT_EVENTS)
    return control.model_copy(
        update={"kept": kept, "paused_at": paused.at, "seconds": paused.seconds, **led}
    )


def started(events: list[Event]) -> list[str]:
    return [event.agent_id for event in events if isinstance(event, AgentStarted)]


async def test_it_stops_before_a_breakpoint_and_goes_on_from_there() -> None:
    client = ScriptedClient(says)
    control = RunControl(breakpoints=("a2",))
    first = await attempt(CHAIN, control, client)
    paused = of_kind(RunPaused, first[-1])
    assert (paused.waiting_for, paused.asked) == (("a2",), ())
    assert started(first) == ["a1"]
    assert paused.usage.prompt_tokens == 10

    second = await attempt(CHAIN, goes_on(first, control, released=("a2",)), client)
    end = of_kind(RunFinished, second[-1])
    assert len(client.requests) == 3, "who has spoken is not asked again"
    assert started(second) == ["a1", "a2", "a3"]
    assert end.answer == "7"
    assert end.usage.prompt_tokens == 30, "what was said before has been paid for"
    assert end.seconds >= paused.seconds
    reads_a1 = next(e for e in second if isinstance(e, AgentStarted) and e.agent_id == "a2")
    assert "a1 after 0." in reads_a1.prompt[1]["content"]


async def test_other_branches_go_on_before_it_waits() -> None:
    events = await attempt(DIAMOND, RunControl(breakpoints=("a2",)), ScriptedClient(says))
    assert sorted(started(events)) == ["a1", "a3"]
    assert isinstance(events[-1], RunPaused)
    assert events[-1].waiting_for == ("a2",)


async def test_the_waiting_is_left_out_of_the_times() -> None:
    control = RunControl(step=True, released=("a1",))
    first = await attempt(CHAIN, control, ScriptedClient(says))
    later = goes_on(first, control, step=False)
    hour_ago = later.model_copy(
        update={
            "paused_at": (later.paused_at or 0.0) - 3_600,
            "kept": tuple({**event, "at": event["at"] - 3_600} for event in later.kept),
        }
    )
    second = await attempt(CHAIN, hour_ago, ScriptedClient(says))
    times = [event.at for event in second]
    assert max(times) - min(times) < 60
    assert times[0] == min(times), "nothing happened before the run's start"


async def test_a_person_answers_for_an_agent() -> None:
    asked = GraphSpec(
        nodes=(
            AgentNode(id="a1", role=role("role-a1")),
            AgentNode(id="p", role=role("judge", tools=("person",))),
            AgentNode(id="a3", role=role("role-a3")),
        ),
        edges=graph("a1>p p>a3").edges,
    )
    client = ScriptedClient(says)
    first = await attempt(asked, RunControl(), client)
    paused = of_kind(RunPaused, first[-1])
    assert (paused.waiting_for, paused.asked) == (("p",), ("p",))

    second = await attempt(
        asked, goes_on(first, RunControl(), written={"p": "Not 7.\nAnswer: 8"}), client
    )
    spoken = next(e for e in second if isinstance(e, AgentFinished) and e.agent_id == "p")
    assert (spoken.given, spoken.answer, spoken.calls) == ("person", "8", 0)
    assert spoken.usage.prompt_tokens == 0
    last = next(e for e in second if isinstance(e, AgentStarted) and e.agent_id == "a3")
    assert "Not 7." in last.prompt[1]["content"]
    assert len(client.requests) == 2


async def test_where_nobody_leads_nobody_can_be_asked() -> None:
    alone = GraphSpec(nodes=(AgentNode(id="p", role=role("judge", tools=("person",))),))
    events = await attempt(alone, None, ScriptedClient(says))
    assert events[-1].event == "run_failed"
    assert events[-1].failure.code == "nobody_to_ask"


async def test_what_was_kept_counts_for_the_budget() -> None:
    client = ScriptedClient(says)
    control = RunControl(breakpoints=("a2",))
    first = await attempt(CHAIN, control, client)
    spent = Budget(max_tokens=20, max_completion_tokens_per_call=16)
    second = await attempt(CHAIN, goes_on(first, control, released=("a2",)), client, budget=spent)
    assert second[-1].event == "run_failed"
    assert second[-1].failure.code == "budget_exceeded"


@settings(max_examples=40, deadline=None)
@given(team=dags(), seed=st.integers(0, 2**16))
async def test_stepping_comes_to_what_a_run_without_stops_comes_to(
    team: GraphSpec, seed: int
) -> None:
    """Any graph, agents released in any order: each is asked once, and reads the same messages."""
    assume(team.nodes)
    whole = ScriptedClient(says)
    at_once = await attempt(team, None, whole)
    client, control = ScriptedClient(says), RunControl(step=True)
    events = await attempt(team, control, client)
    for turn in range(len(team.nodes)):
        paused = of_kind(RunPaused, events[-1])
        chosen = paused.waiting_for[(seed + turn) % len(paused.waiting_for)]
        control = goes_on(events, control, released=(*control.released, chosen))
        events = await attempt(team, control, client)
    assert sorted(map(str, _asked(client))) == sorted(map(str, _asked(whole)))
    end, same = events[-1], at_once[-1]
    assert isinstance(end, RunFinished)
    assert isinstance(same, RunFinished)
    assert (end.answer, end.graph, end.usage) == (same.answer, same.graph, same.usage)
    reads = predecessors(team)
    for event in events:
        if isinstance(event, AgentStarted):
            assert set(event.reads) == set(reads[event.agent_id])


def _asked(client: ScriptedClient) -> list[list[str]]:
    return [[message.content for message in request.messages] for request in client.requests]


@pytest.mark.parametrize("broken", [{"event": "agent_finished"}, {"event": "run_started"}])
async def test_events_that_cannot_be_read_fail_the_run(broken: dict[str, Any]) -> None:
    events = await attempt(CHAIN, RunControl(kept=(broken,)), ScriptedClient(says))
    assert events[-1].event == "run_failed"
    assert events[-1].failure.code == "unreadable_run"
