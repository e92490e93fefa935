"""A run of EvoMAS that is taken up again, through `run_execute`, from what is stored."""

import time
from typing import Any

from workers.core.events import Event, RunFailed, RunFinished, RunTakenUp
from workers.core.mas.tests.support import ScriptedClient, collect, endpoint
from workers.core.methods.evomas.tests.support import TASK, of, plain, plays, stage_ends, who
from workers.core.run import run_execute
from workers.core.specs import AttemptSpent, Budget, Earlier, RunSpec


async def run(client: ScriptedClient, earlier: Earlier | None = None, **fields: Any) -> list[Event]:
    spec = RunSpec(
        task=TASK,
        method="evomas",
        method_config={"workflow": "io"},
        endpoint=endpoint(),
        earlier=earlier,
        **fields,
    )
    return await collect(run_execute(spec, client=client))


def stored(events: list[Event], *, stages: int, ago: float = 0.0) -> Earlier:
    end = stage_ends(events)[stages - 1]
    kept = (event.model_copy(update={"at": event.at - ago}) for event in events[:end])
    payloads = tuple(event.model_dump(mode="json") for event in kept)
    return Earlier(attempt=1, events=payloads)


async def test_it_begins_with_what_was_finished_and_says_so() -> None:
    whole = await run(ScriptedClient(plays()))
    client = ScriptedClient(plays())
    again = await run(client, stored(whole, stages=2, ago=3_600))
    end = stage_ends(whole)[1]
    assert plain(again[:end]) == plain(whole[:end])
    assert again[end] == RunTakenUp(attempt=1, events=end - 1, parts=2, at=again[end].at)
    assert plain(again[end + 1 : -1]) == plain(whole[end:-1])
    assert [who(request) for request in client.requests] == ["io", "evaluator", "final"]
    assert all(event.at > time.time() - 60 for event in again), "no hour of waiting in it"


async def test_the_end_counts_what_was_taken_over() -> None:
    whole = await run(ScriptedClient(plays()))
    again = await run(ScriptedClient(plays()), stored(whole, stages=1))
    [end], [before] = of(again, RunFinished), of(whole, RunFinished)
    assert (end.usage, end.answer, end.graph) == (before.usage, before.answer, before.graph)
    assert end.seconds >= whole[stage_ends(whole)[0] - 1].at - whole[0].at


async def test_it_can_be_lost_and_taken_up_twice() -> None:
    whole = await run(ScriptedClient(plays()))
    second = await run(ScriptedClient(plays()), stored(whole, stages=1))
    third = await run(ScriptedClient(plays()), stored(second, stages=2))
    assert [event.parts for event in of(third, RunTakenUp)] == [1, 2]
    assert of(third, RunFinished)[0].usage == of(whole, RunFinished)[0].usage


async def test_what_the_lost_attempt_used_counts_in_the_budget_once() -> None:
    whole = await run(ScriptedClient(plays()))
    spent = AttemptSpent(tokens=900)
    again = await run(
        ScriptedClient(plays()),
        stored(whole, stages=3),
        spent=spent,
        budget=Budget(max_tokens=910),
    )
    [failed] = of(again, RunFailed)
    assert "900 are used" in failed.failure.message


async def test_events_of_another_version_let_the_run_begin_again() -> None:
    whole = await run(ScriptedClient(plays()))
    kept = stored(whole, stages=2)
    odd = {"event": "from_the_future", "at": 1.0}
    client = ScriptedClient(plays())
    again = await run(client, Earlier(attempt=1, events=(*kept.events, odd)))
    assert not of(again, RunTakenUp)
    assert len(client.requests) == 8
