"""An endpoint with work for all of its slots, and a step after the other without a pause between:
what a stub that takes its time sees of a training."""

import json
from typing import Any

from workers.core.events import Event, TrainingMetric
from workers.core.methods.mashost.training.tests.over_http import Trainer, product, queries_of
from workers.core.testing.stub_process import RunningStub, running_stub

SLOTS = 4
STEPS = 3
PER_STEP = 3
TASKS = tuple(product(a, 7) for a in range(STEPS * PER_STEP))
# Fewer queries than slots, and fewer systems of each: neither alone would fill the endpoint.
FULL: dict[str, Any] = {"steps": STEPS, "queries_per_step": PER_STEP, "systems_per_query": 3}


async def observed(train: Trainer, stub: RunningStub, *, lag: int) -> dict[int, list[int]]:
    """For each step: whose requests the stub had received when the step was told, in order."""
    received: dict[int, list[int]] = {}

    def look(event: Event) -> None:
        if isinstance(event, TrainingMetric):
            received[event.step] = [_step_of(body) for body in stub.log()["requests"]]

    await train(
        url=stub.url,
        tasks=TASKS,
        endpoint={"max_concurrency": SLOTS},
        config=FULL | {"lag": lag},
        heard=look,
    )
    return received


def _step_of(body: dict[str, Any]) -> int:
    text = json.dumps(body["messages"])
    steps = range(1, STEPS + 1)
    return next(step for step in steps if any(q in text for q in queries_of(step, TASKS, PER_STEP)))


async def test_all_queries_of_a_step_and_all_systems_of_each_are_asked_together(
    train: Trainer,
) -> None:
    """Up to what the endpoint takes; without lag, so that no other step fills it."""
    with running_stub(latency=0.05) as stub:
        received = await observed(train, stub, lag=0)
        assert stub.log()["peak"] == SLOTS
    assert [max(asked) for asked in received.values()] == [1, 2, 3]


async def test_with_lag_the_next_step_is_asked_while_this_one_is_answered_and_learned_from(
    train: Trainer,
) -> None:
    with running_stub(latency=0.05) as stub:
        received = await observed(train, stub, lag=1)
    assert [max(asked) for asked in received.values()] == [2, 3, 3]
    asked = received[1]
    last_of_this_step = len(asked) - 1 - asked[::-1].index(1)
    # Begun after that, it would leave slots idle while this step's last systems are answered.
    assert asked.index(2) < last_of_this_step
    # And who is asked for the next step meanwhile does not hold this one up: with equal turns there
    # would be as many of each. How far below that it is depends on how busy this machine is.
    meanwhile = asked[:last_of_this_step].count(2)
    assert 0 < meanwhile < 0.75 * asked[:last_of_this_step].count(1), meanwhile
