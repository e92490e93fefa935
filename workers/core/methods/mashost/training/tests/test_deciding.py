"""Deciding many constructions at once: as each would be decided alone, and as a run decides."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch
from torch import Tensor

from workers.core.methods.mashost.config import Jpss, MasHostConfig
from workers.core.methods.mashost.construct import Constructor, Decision
from workers.core.methods.mashost.state import ConstructionState
from workers.core.methods.mashost.steps import Drawn
from workers.core.methods.mashost.tests.support import (
    pool_of,
    shaken_policy,
    state_of,
    uniforms_for,
    unit,
)
from workers.core.methods.mashost.training.deciding import (
    DecisionBatcher,
    Exploring,
    RecordingDecider,
    Sampler,
)
from workers.core.methods.mashost.training.held_out import inference_config

ROLES = 5
WIDTH = 1 + 4
STATES = [state_of(agents, roles=ROLES, seed=agents) for agents in (0, 3, 1, 4, 2, 0)]


@dataclass(frozen=True, slots=True)
class CountedSampler(Sampler):
    """Keeps how many states were drawn in at once."""

    counts: list[int] = field(default_factory=list)

    def draw(
        self, states: list[ConstructionState], uniforms: Tensor, *, exploring: Tensor | None = None
    ) -> tuple[Drawn, Tensor]:
        self.counts.append(len(states))
        return Sampler.draw(self, states, uniforms, exploring=exploring)


def sampler_of(jpss: Jpss = "relative") -> CountedSampler:
    policy = shaken_policy()
    config = MasHostConfig(greedy=False, edge_mode="sample", jpss=jpss, max_agents=WIDTH - 1)
    return CountedSampler(policy, pool_of(policy, unit(ROLES, 12, seed=5)), config)


def assert_same(decision: Decision, expected: Decision) -> None:
    """But for the last digits, which depend on the batch."""
    assert (decision.kind, decision.action) == (expected.kind, expected.action)
    assert decision.allowed == expected.allowed
    assert decision.probabilities == pytest.approx(expected.probabilities, abs=1e-6)
    assert decision.log_probability == pytest.approx(expected.log_probability, abs=1e-5)
    assert (decision.edges is None) == (expected.edges is None)
    if decision.edges is not None and expected.edges is not None:
        assert decision.edges.chosen == expected.edges.chosen
        likely = expected.edges.probabilities
        assert decision.edges.probabilities == pytest.approx(likely, abs=1e-6)
        joint = expected.edges.log_probability
        assert decision.edges.log_probability == pytest.approx(joint, abs=1e-5)


def assert_all_same(decisions: Sequence[Decision], expected: Sequence[Decision]) -> None:
    for decision, other in zip(decisions, expected, strict=True):
        assert_same(decision, other)


@pytest.mark.parametrize("jpss", ["joint", "relative", "off"])
async def test_a_decision_is_the_one_that_a_run_takes(jpss: Jpss) -> None:
    """With all that is told of it, when the numbers drawn fall as they do there."""
    sampler = sampler_of(jpss)
    run = Constructor(sampler.policy, sampler.pool, sampler.config)
    batcher = DecisionBatcher(sampler)
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        expected = [run.decide(state, generator) for state in STATES]
        found = await asyncio.gather(
            *(
                batcher.decide(state, uniforms_for(decision, width=WIDTH))
                for state, decision in zip(STATES, expected, strict=True)
            )
        )
        assert_all_same(found, expected)


@pytest.mark.parametrize("jpss", ["joint", "relative", "off"])
async def test_with_the_config_of_inference_the_numbers_decide_nothing(jpss: Jpss) -> None:
    sampler = sampler_of(jpss)
    sampler = replace(sampler, config=inference_config(sampler.config))
    run = Constructor(sampler.policy, sampler.pool, sampler.config)
    expected = [run.decide(state, torch.Generator()) for state in STATES]
    assert len({decision.action for decision in expected}) > 1
    for seed in range(8):
        numbers = torch.from_numpy(np.random.default_rng(seed).random((len(STATES), WIDTH)))
        batcher = DecisionBatcher(sampler)
        rows = zip(STATES, numbers, strict=True)
        found = await asyncio.gather(*(batcher.decide(*row) for row in rows))
        assert_all_same(found, expected)


async def test_who_waits_in_the_same_turn_is_decided_at_once_and_as_if_alone() -> None:
    uniforms = torch.from_numpy(np.random.default_rng(1).random((len(STATES), WIDTH)))
    rows = list(zip(STATES, uniforms, strict=True))
    together, alone = sampler_of(), sampler_of()
    batcher = DecisionBatcher(together)
    found = await asyncio.gather(*(batcher.decide(*row) for row in rows))
    expected = [await DecisionBatcher(alone).decide(*row) for row in rows]
    assert (together.counts, alone.counts) == ([len(STATES)], [1] * len(STATES))
    assert_all_same(found, expected)
    again = await asyncio.gather(*(batcher.decide(*row) for row in rows[:2]))
    assert together.counts == [len(STATES), 2]
    assert_all_same(again, expected[:2])


async def test_a_recorded_construction_draws_from_its_own_numbers_alone() -> None:
    async def decisions(sampler: Sampler, seeds: list[int]) -> list[list[Decision]]:
        batcher = DecisionBatcher(sampler)
        deciders = [RecordingDecider(batcher, np.random.default_rng(seed)) for seed in seeds]
        for state in STATES:
            given = await asyncio.gather(*(decider.decide(state) for decider in deciders))
            assert given == [decider.decisions[-1] for decider in deciders]
        assert all(decider.states == STATES for decider in deciders)
        return [decider.decisions for decider in deciders]

    alone = (await decisions(sampler_of(), [3]))[0]
    company = await decisions(sampler_of(), [8, 3, 9])
    assert_all_same(company[1], alone)
    assert len({tuple(d.action for d in each) for each in company}) == 3


@pytest.mark.parametrize("place", [0, 2, 5])
async def test_an_explorer_does_as_the_one_it_follows_up_to_its_place(place: int) -> None:
    """Beside others, who explore nothing. At a power near 0 every role is as likely as another."""
    roles = Counter[int]()
    batcher = DecisionBatcher(replace(sampler_of(), explore_power=1e-3))
    pairs = []
    for seed in range(300):
        followed = RecordingDecider(batcher, np.random.default_rng(seed))
        exploring = Exploring(place, np.random.default_rng([seed, 1]))
        explorer = RecordingDecider(batcher, np.random.default_rng(seed), exploring)
        pairs.append((followed, explorer))
    for state in STATES[: place + 1]:
        await asyncio.gather(*(each.decide(state) for pair in pairs for each in pair))
    for followed, explorer in pairs:
        for decision, other in zip(explorer.decisions[:place], followed.decisions, strict=False):
            assert_same(decision, other)
        explored, expected = explorer.decisions[place], followed.decisions[place]
        assert explored.probabilities == pytest.approx(expected.probabilities, abs=1e-6)
        roles[explored.action] += 1
    allowed = sum(explored.allowed)
    assert set(roles) == {action for action, may in enumerate(explored.allowed) if may}
    assert max(roles.values()) < 1.5 * 300 / allowed


async def test_an_error_reaches_everybody_who_waits_and_nobody_after() -> None:
    batcher = DecisionBatcher(sampler_of())
    numbers = torch.full((WIDTH,), 0.5, dtype=torch.float64)
    torn = torch.empty(2, dtype=torch.float64)
    heard = await asyncio.gather(
        batcher.decide(STATES[0], numbers), batcher.decide(STATES[1], torn), return_exceptions=True
    )
    assert [type(error) for error in heard] == [RuntimeError, RuntimeError]
    assert (await batcher.decide(STATES[0], numbers)).kind == "add"


async def test_who_stops_waiting_keeps_nobody_else_from_being_decided() -> None:
    batcher = DecisionBatcher(sampler_of())
    numbers = torch.full((WIDTH,), 0.5, dtype=torch.float64)
    leaving, staying = (
        asyncio.ensure_future(batcher.decide(state, numbers)) for state in STATES[:2]
    )
    asyncio.get_running_loop().call_soon(leaving.cancel)
    assert (await staying).allowed[0]
    assert leaving.cancelled()
