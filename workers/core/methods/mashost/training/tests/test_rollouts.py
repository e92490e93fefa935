"""Groups of a sample: systems that differ, and a count of all that was drawn for them."""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
import torch

from workers.core.errors import Failure
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.preparing import prepare
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.methods.mashost.training.tests.over_http import SMALL, TASKS, Trainer
from workers.core.methods.mashost.training.tests.support import assert_explorers, sampled
from workers.core.methods.mashost.training.tests.watching import watch_systems
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Rule

SYSTEMS = 5


@dataclass(frozen=True, slots=True)
class Drawn:
    """A sample, and all that was drawn for each of its groups."""

    sample: Sample
    for_group: list[list[Sampled]]

    @property
    def groups(self) -> Iterable[tuple[tuple[Sampled, ...], list[Sampled]]]:
        return zip(self.sample.groups, self.for_group, strict=True)


async def drawn(
    train: Trainer, monkeypatch: pytest.MonkeyPatch, url: str = "", **config: Any
) -> Drawn:
    """One step of teams of two at most from the pool's five roles: many are alike."""
    few = {"systems_per_query": SYSTEMS, "max_agents": 2, "max_steps": 3, "prior_weight": 0.3}
    few |= {"explore": 0.0}
    settings = MasHostTrainingConfig.model_validate(SMALL | few | config)
    seen = watch_systems(monkeypatch)
    async with train.context(url=url) as context:
        parts = await prepare(TASKS, context, settings)
        with torch.no_grad():
            pool = parts.learner.pool_tensors()
        sampler = Sampler(parts.learner.policy, pool, settings.run_config(), settings.explore_power)
        sample = await parts.rollouts.sample(1, sampler, told=lambda: None)
    queries = [TASKS[index].query for index in sample.task_indices]
    return Drawn(sample, [[s for task, s in seen if task.query == query] for query in queries])


def constructions(systems: Iterable[Sampled]) -> Counter[Hashable]:
    """How often each was drawn."""
    counted: Counter[Hashable] = Counter()
    for system in systems:
        counted[system.trajectory.built] += system.trajectory.draws
    return counted


OneStep = Callable[..., Awaitable[Drawn]]


@pytest.fixture
def one_step(train: Trainer, monkeypatch: pytest.MonkeyPatch) -> OneStep:
    return partial(drawn, train, monkeypatch)


@pytest.mark.parametrize("redraws", [0, 1, 16])
async def test_a_group_counts_all_that_was_drawn_for_it(redraws: int, one_step: OneStep) -> None:
    """Its systems differ unless redraws ran out."""
    step = await one_step(redraws=redraws)
    for group, for_group in step.groups:
        assert len(group) == SYSTEMS
        assert constructions(group) == constructions(for_group)
        anew = len(for_group) - SYSTEMS
        assert sum(system.trajectory.draws for system in group) == SYSTEMS + anew
    drawn_anew = sum(len(for_group) - SYSTEMS for for_group in step.for_group)
    assert step.sample.redrawn == drawn_anew
    assert (drawn_anew > 0) is (redraws > 0)
    distinct = all(len(constructions(group)) == len(group) for group in step.sample.groups)
    assert distinct is (redraws == 16)


@pytest.mark.parametrize(("explore", "explorers"), [(0.0, 0), (0.1, 0), (0.4, 2), (0.75, 3)])
async def test_explorers_do_as_another_of_their_group_up_to_one_action(
    explore: float, explorers: int, one_step: OneStep
) -> None:
    """And are drawn once, after those that they follow."""
    step = await one_step(explore=explore, redraws=0)
    assert_explorers(
        [[system.trajectory for system in group] for group in step.sample.groups], explorers
    )
    assert all(len(drawn) == SYSTEMS for drawn in step.for_group)


async def test_what_explores_is_neither_a_repeat_nor_drawn_anew(
    one_step: OneStep,
) -> None:
    step = await one_step(systems_per_query=12, explore=0.25, redraws=16)
    for group, drawn in step.groups:
        followed = [system.trajectory for system in group if system.trajectory.explored is None]
        assert (len(group), len(followed)) == (12, 9)
        assert len({system.built for system in followed}) == len(followed)
        assert sum(system.trajectory.draws for system in group) == len(drawn)
    assert step.sample.redrawn > 0


async def test_a_system_that_the_endpoint_failed_neither_repeats_nor_is_repeated(
    train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts nothing, stays in its group, and no other is drawn for it."""
    rules = (Rule("You are the planner.", fault=Fault("500")),)
    config = {"systems_per_query": 12, "redraws": 16, "max_agents": 1, "prior_weight": 0.0}
    with running_stub(rules=rules) as stub:
        step = await drawn(train, monkeypatch, stub.url, **config)
    several = 0
    for group, for_group in step.groups:
        failed = [system for system in for_group if system.failures]
        kept = [system for system in group if system.failures]
        assert {id(system) for system in kept} == {id(system) for system in failed}
        assert all(system.trajectory.draws == 0 for system in kept)
        assert len(constructions(failed)) < len(failed)
        several += len(failed)
        whole = [system for system in group if not system.failures]
        answered = [system for system in for_group if not system.failures]
        assert constructions(whole) == constructions(answered)
    assert several > 4


def test_what_the_endpoint_failed_or_kept_waiting_has_not_been_built() -> None:
    failure = Failure(code="server_error", message="The engine crashed.")
    assert sampled().built == sampled().trajectory.built
    assert sampled(failures=(failure,)).built is None
    assert sampled(late=True).built is None


def test_a_system_counts_with_what_repeats_it_and_stays_what_it_is() -> None:
    one = sampled(answer="7")
    often = one.counted_with(sampled(replace(one.trajectory, draws=3)))
    assert often == replace(one, trajectory=replace(one.trajectory, draws=4))


async def test_above_temperature_0_every_system_asks_with_a_seed_of_its_own(
    one_step: OneStep, stub: RunningStub
) -> None:
    """The same again for the same step; at temperature 0 none is sent: answers are kept."""
    seeds = []
    for temperature in (0.7, 0.7, 0.0):
        stub.clear()
        sample = (await one_step(temperature=temperature, redraws=0)).sample
        seeds.append({request.get("seed") for request in stub.log()["requests"]})
    assert len(seeds[0]) == len(sample.systems)
    assert seeds[0] == seeds[1]
    assert seeds[2] == {None}
