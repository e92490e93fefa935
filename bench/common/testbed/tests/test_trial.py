"""Groups of systems on the testbed, and the first steps of a training."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from bench.common.testbed.queries import Query, draw_queries
from bench.common.testbed.rollouts import TestbedRollouts
from bench.common.testbed.trial import (
    TRAINING_SEED,
    Building,
    Trained,
    World,
    learner_for,
    train_on_testbed,
)
from workers.core.methods.mashost.prior import NodePrior
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.tests.watching import watch_updates, weights_of
from workers.core.methods.mashost.training.trajectory import Trajectory

SMALL = MasHostTrainingConfig(
    steps=2, queries_per_step=2, systems_per_query=6, max_agents=2, max_steps=3, hidden=16, layers=1
)


@pytest.fixture(scope="module")
def world() -> World:
    return World.make()


@pytest.fixture(scope="module")
def trained(world: World) -> Trained:
    return train_on_testbed(world, SMALL, seed=3, every=2)


def test_the_same_seed_learns_the_same(world: World, trained: Trained) -> None:
    again = train_on_testbed(world, SMALL, seed=3, every=2)
    assert [point.share for point in trained.curve] == [point.share for point in again.curve]
    assert [point.queries for point in trained.curve] == [4]
    assert trained.test.share == again.test.share


def test_its_worth_is_told_of_queries_that_the_curve_never_saw(
    world: World, trained: Trained
) -> None:
    alike = dataclasses.replace(world, test=world.validation)
    as_validated = train_on_testbed(alike, SMALL, seed=3, every=2)
    assert as_validated.test.score == trained.curve[-1].score
    assert as_validated.test.score != trained.test.score


def test_the_point_that_earned_most_on_the_training_s_queries_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = iter((0.3, 0.1))
    asked: list[list[str]] = []

    def earned(_: Building, queries: Sequence[Query]) -> float:
        asked.append([query.text for query in queries])
        return next(given)

    monkeypatch.setattr(Building, "earned", earned)
    alike = dataclasses.replace(world, test=world.validation)
    swinging = SMALL.model_copy(update={"learning_rate": 0.02, "average": 0.0})
    trained = train_on_testbed(alike, swinging, seed=3, every=1)
    first, last = trained.curve
    assert first.score != last.score
    assert (trained.earned, trained.test.score) == (0.3, first.score)
    assert trained.last.score == last.score
    assert trained.test.queries == last.queries  # all of them chose it
    own = draw_queries(4, seed=TRAINING_SEED + 3, roles=len(world.roles))
    assert asked == [[query.text for query in own]] * 2


def test_what_a_policy_earned_is_its_systems_reward_with_each_query_s_luck(world: World) -> None:
    learner = learner_for(world, SMALL, seed=0)
    queries = draw_queries(6, seed=1, roles=len(world.roles))
    building = Building(world, learner, learner.averaged)
    rewards = [
        1 - world.beta * system.tokens if system.correct else -1.0
        for system in building.systems(queries)
    ]
    assert building.earned(queries) == pytest.approx(np.mean(rewards))


def test_members_of_a_seed_train_on_the_same_queries_and_not_alike(
    world: World, trained: Trained
) -> None:
    other = train_on_testbed(world, SMALL, seed=3, member=1, every=2)
    assert other.curve[-1].score != trained.curve[-1].score


@pytest.mark.parametrize("lag", [0, 1])
def test_with_lag_a_step_is_sampled_with_the_weights_before_the_last_update(
    world: World, monkeypatch: pytest.MonkeyPatch, lag: int
) -> None:
    sampled_with: list[torch.Tensor] = []
    sample = TestbedRollouts.sample

    def watched(
        self: TestbedRollouts, queries: Sequence[Query], sampler: Sampler, **options: Any
    ) -> list[list[Trajectory]]:
        sampled_with.append(weights_of(sampler.policy))
        return sample(self, queries, sampler, **options)

    monkeypatch.setattr(TestbedRollouts, "sample", watched)
    updates = watch_updates(monkeypatch)
    config = SMALL.model_copy(update={"lag": lag, "steps": 3})
    train_on_testbed(world, config, seed=3, every=3)
    assert len(updates) == 3
    assert not any(torch.equal(update.before, update.after) for update in updates)
    expected = [updates[0].before]
    expected += [update.before if lag else update.after for update in updates[:-1]]
    for update, sampled_by, weights in zip(updates, sampled_with, expected, strict=True):
        assert torch.equal(sampled_by, weights)
        assert torch.equal(update.sampled_by, weights)


@pytest.mark.parametrize("prior_weight", [0.0, 1.0])
def test_a_training_begins_with_as_much_of_the_prior_as_is_asked(
    world: World, prior_weight: float
) -> None:
    config = SMALL.model_copy(update={"prior_weight": prior_weight})
    prior = learner_for(world, config, seed=0).policy.node_prior
    assert prior.fit.item() == prior_weight * NodePrior().fit.item()
