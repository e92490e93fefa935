"""The endpoint dies while a training uses it: that is said, and no finished step is lost."""

from dataclasses import replace
from typing import Any, cast

import pytest
import torch

from workers.core.embed.base import Embedder
from workers.core.errors import Failure, MethodError
from workers.core.events import Event, TrainingMetric
from workers.core.llm.types import ChatClient
from workers.core.methods.mashost.training.rollouts import FAILING_SHARE, Rollouts
from workers.core.methods.mashost.training.systems import Endpoint, Sampled
from workers.core.methods.mashost.training.tests.over_http import (
    Trainer,
    metrics,
    product,
    queries_of,
)
from workers.core.methods.mashost.training.tests.support import config_of, sampled
from workers.core.methods.tests.support import small_pool
from workers.core.specs import Budget, EndpointSpec
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule

TASKS = tuple(product(a, 7) for a in range(8))  # two for each of four steps
EACH: dict[str, Any] = {"tasks": TASKS, "config": {"lag": 1, "checkpoint_every": 1}}


async def test_killed_with_a_step_in_flight_it_costs_that_step_alone(train: Trainer) -> None:
    """Nothing is learned from systems that it left without answers: resumed, the training ends with
    the weights of one that was never interrupted."""
    before: list[Event] = []
    in_flight = []

    def kill_after_two(event: Event) -> None:
        before.append(event)
        if isinstance(event, TrainingMetric) and event.step == 2:
            in_flight.append(mortal.log()["active"])
            mortal.process.kill()
            mortal.process.wait()

    held_up = tuple(Rule(query, latency=600.0) for query in queries_of(3, TASKS, 2))
    with running_stub(rules=held_up) as mortal, pytest.raises(MethodError) as caught:
        await train("cut", url=mortal.url, heard=kill_after_two, **EACH)
    assert in_flight[0] > 0
    assert caught.value.code == "endpoint_failing"
    assert "agents of this step failed at the endpoint “stub”: " in caught.value.message
    assert "resume the training. No finished step is lost" in caught.value.remedy
    assert sorted(metrics(before)) == [1, 2]
    assert not train.checkpoint("cut", 3).exists()

    after = await train("cut", **EACH)
    whole = await train("whole", **EACH)
    assert sorted(metrics(after)) == [2, 3, 4]  # the last one that was saved is told again
    assert metrics(before) | metrics(after) == metrics(whole)
    for step in (1, 2, 3, 4):
        cut, straight = train.weights("cut", step), train.weights("whole", step)
        assert all(torch.equal(cut[name], tensor) for name, tensor in straight.items()), step


@pytest.mark.parametrize(("failures", "stops"), [(19, False), (20, False), (21, True)])
def test_more_than_a_fifth_of_a_steps_agents_may_not_fail(failures: int, stops: bool) -> None:
    """Over all systems of the step together, however they fall among them."""
    assert FAILING_SHARE == 0.2
    rollouts = rollouts_of_nothing()
    systems = [system_with(failures - 1), system_with(1, agents=40), system_with(0, agents=10)]
    if not stops:
        rollouts.require_endpoint(systems)
        return
    with pytest.raises(MethodError, match=r"21 of 100 agents .* “stub”: It hung up") as caught:
        rollouts.require_endpoint(systems)
    assert caught.value.code == "endpoint_failing"


def test_a_step_teaches_nothing_if_at_most_those_that_explored_were_answered() -> None:
    answered = system_with(0, agents=40)
    answered = replace(answered, trajectory=replace(answered.trajectory, explored=0))
    for other, said in ((system_with(1), "2 of 100 agents"), (answered, "1 of 90 agents")):
        with pytest.raises(MethodError, match=said) as caught:
            rollouts_of_nothing().require_endpoint([system_with(1), other])
        assert caught.value.code == "endpoint_failing"


def test_a_step_in_which_nobody_was_asked_is_no_failing_endpoint() -> None:
    rollouts_of_nothing().require_endpoint([system_with(0, agents=0)])


def system_with(failures: int, *, agents: int = 50) -> Sampled:
    hung_up = Failure(code="connection_lost", message="It hung up.")
    return sampled(agents=agents, failures=(hung_up,) * failures)


def rollouts_of_nothing() -> Rollouts:
    endpoint = Endpoint(
        client=cast("ChatClient", None),
        spec=EndpointSpec(key="stub", base_url="http://127.0.0.1:9/v1", model="stub"),
        embedder=cast("Embedder", None),
        pool=small_pool(),
        budget=Budget(),
    )
    queries = [torch.zeros(4) for _ in TASKS]
    return Rollouts(TASKS, queries, endpoint=endpoint, config=config_of(), seed=0)
