"""A run whose worker was lost continues after its last finished stage."""

import random
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.errors import MethodError
from workers.core.events import (
    AgentFinished,
    Event,
    IntermediateAnswer,
    LayerSampled,
    StageEnded,
)
from workers.core.mas.tests.support import ScriptedClient, context, down
from workers.core.methods.evomas.agents import candidates, fixed_layers
from workers.core.methods.evomas.choosing import Chooser, choosing_of
from workers.core.methods.evomas.config import EvoMasConfig
from workers.core.methods.evomas.memory import Memory, remembered
from workers.core.methods.evomas.solving import StageSolver
from workers.core.methods.evomas.tests.support import (
    PLAN,
    REFINE,
    SUCCESS,
    TASK,
    Say,
    of,
    plain,
    plays,
    solved,
    stage_ends,
    who,
)
from workers.core.specs import Budget, TaskSpec

FIXED = "io + web_search > ensemble > io + ensemble"
FAIL = "Feedback: no.\nConfidence: 0.5\nAnswer: fail"
WHOLE = "1. Compare the rivers."


def said_by(seed: int) -> dict[str, Say]:
    """Everybody says something of their repertoire, drawn by the seed and by what they are asked:
    asked the same again, they say the same."""

    def says(*repertoire: Any) -> Say:
        def chosen(request: Any) -> Any:
            asked = "\n".join(message.content for message in request.messages)
            said = random.Random(f"{seed} {asked}").choice(repertoire)
            return down() if said == "down" else said

        return chosen

    return {
        "planner": says(PLAN, PLAN, WHOLE, "I would look at both.", "down"),
        "evaluator": says(SUCCESS, REFINE, FAIL, "Good.", "down"),
        "final": "It is the Elbe.\nAnswer: Elbe",
        "agents": says("Answer: 1", "Answer: 2", "I don't know.", "down"),
        "ensemble": says("A", "B", "None of them.", "down"),
    }


async def followed(
    script: dict[str, Say], config: EvoMasConfig, task: TaskSpec
) -> tuple[list[Event], list[tuple[int, Memory]]]:
    """The events of a run, and what the solver knew at the end of each stage, with how many events
    there were."""
    pool = candidates(config, None)
    chooser = Chooser(pool, choosing_of(config, pool), None, fixed=fixed_layers(config, pool))
    given = context(ScriptedClient(plays(**script)), answer_form=task.answer_form)
    solver, events, known = StageSolver(task, config, chooser, given), list[Event](), []
    with suppress(MethodError):  # where nobody answers, the run ends
        async for event in solver.events():
            events.append(event)
            if isinstance(event, StageEnded):
                known.append((len(events), deepcopy(solver.memory)))
    return events, known


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    workflow=st.sampled_from(("io", FIXED, "io > early_exit", "web_search + io > ensemble")),
    planner=st.sampled_from(("always", "trouble")),
    code=st.booleans(),
)
async def test_the_events_tell_all_that_the_solver_knew(
    seed: int, workflow: str, planner: Any, code: bool
) -> None:
    task = TaskSpec(query="Which is longer?", answer_form="code" if code else "text")
    config = EvoMasConfig(workflow=workflow, planner=planner, stages=4)
    events, known = await followed(said_by(seed), config, task)
    for end, memory in known:
        found = remembered(task.query, events[:end], task.answer_form)
        assert found == memory
        assert found.longest == pytest.approx(memory.longest, abs=0.05)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
async def test_a_run_that_is_taken_up_goes_as_if_nothing_had_happened(
    seed: int, data: st.DataObject
) -> None:
    config = {"greedy": False, "stages": 4, "mass": 0.6}
    script = {**said_by(seed), "planner": PLAN, "web_search": "Answer: 3"}
    whole = await solved(plays(**script), config=config, seed=seed)
    end = data.draw(st.sampled_from(stage_ends(whole)))
    rest = await solved(plays(**script), config=config, seed=seed, earlier=whole[:end])
    assert plain(rest) == plain(whole[end:])


@pytest.mark.parametrize("finished", [1, 2, 3])
async def test_finished_stages_are_not_asked_again(finished: int) -> None:
    whole = await solved(plays(), config={"workflow": "io"})
    client = ScriptedClient(plays())
    end = stage_ends(whole)[finished - 1]
    rest = await solved(plays(), client=client, config={"workflow": "io"}, earlier=whole[:end])
    asked = [who(request) for request in client.requests]
    assert asked == [*("io", "evaluator") * (3 - finished), "final"]
    assert [event.stage for event in of(rest, StageEnded)] == [*range(finished + 1, 4)]
    assert of(rest, IntermediateAnswer)[-1].answer == "Elbe"


async def test_a_stage_that_was_half_done_begins_again() -> None:
    whole = await solved(plays(), config={"workflow": "io"})
    first = stage_ends(whole)[0]
    half = next(
        at
        for at, event in enumerate(whole)
        if isinstance(event, AgentFinished) and event.agent_id == "s2l1a1"
    )
    assert half > first
    rest = await solved(plays(), config={"workflow": "io"}, earlier=whole[:first])
    assert of(rest, AgentFinished)[0].agent_id == "s2l1a1"


async def test_the_next_draw_is_the_one_that_would_have_come() -> None:
    config = {"greedy": False, "stages": 3}
    whole = await solved(plays(evaluator=REFINE), config=config, seed=5)
    end = stage_ends(whole)[1]
    rest = await solved(plays(evaluator=REFINE), config=config, seed=5, earlier=whole[:end])
    later = [event for event in of(whole, LayerSampled) if event.stage == 3]
    assert plain([*of(rest, LayerSampled)]) == plain([*later])


async def test_seconds_of_lost_attempts_leave_no_time_for_a_further_stage() -> None:
    config = {"workflow": "io"}
    whole = await solved(plays(), config=config)
    rest = await solved(
        plays(),
        config=config,
        earlier=whole[: stage_ends(whole)[0]],
        budget=Budget(max_seconds=10),
        seconds_used=9.9999,
    )
    assert [event.ending for event in of(rest, StageEnded)] == ["out_of_time"]


def test_without_events_nothing_is_known() -> None:
    assert remembered(TASK.query, ()).stages == 0
