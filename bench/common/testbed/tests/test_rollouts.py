"""Groups of a sample on the testbed: systems that differ, and a count of all that was drawn."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import pytest
import torch

from bench.common.testbed.queries import Query, draw_queries
from bench.common.testbed.rollouts import TestbedRollouts, Texts
from bench.common.testbed.world import DOMAINS, all_roles
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.methods.mashost.config import MasHostConfig, PolicyConfig
from workers.core.methods.mashost.policy import EmbeddedPool, initial_policy
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.tests.support import assert_explorers
from workers.core.methods.mashost.training.trajectory import Trajectory

ROLES = all_roles()
QUERIES = draw_queries(len(DOMAINS), seed=1, roles=len(ROLES))
SYSTEMS = 30


class WatchedRollouts(TestbedRollouts):
    """Keeps all that it draws, also what others are drawn for."""

    def __init__(self, texts: Texts) -> None:
        super().__init__(ROLES, texts)
        self.drawn: defaultdict[str, list[Trajectory]] = defaultdict(list)

    def _draw(
        self, queries: Sequence[Query], sampler: Sampler, random: np.random.Generator
    ) -> list[Trajectory]:
        drawn = super()._draw(queries, sampler, random)
        for query, trajectory in zip(queries, drawn, strict=True):
            self.drawn[query.text].append(trajectory)
        return drawn


@pytest.fixture(scope="module")
def texts() -> Texts:
    return Texts(MiniLMEmbedder())


def sampled(
    texts: Texts, *, redraws: int = 0, explorers: int = 0, explore_power: float = 1.0
) -> list[tuple[list[Trajectory], list[Trajectory]]]:
    """Of each query its group, and all that was drawn for it: teams of two at most, many alike."""
    rollouts = WatchedRollouts(texts)
    shape = PolicyConfig(hidden=16, layers=1)
    policy = initial_policy(seed=0, config=shape)
    roles = torch.stack(texts([role.spec.profile() for role in ROLES]))
    with torch.no_grad():
        pool = policy.pool_tensors(EmbeddedPool(roles, torch.stack(texts(shape.anchors))))
    config = MasHostConfig(greedy=False, edge_mode="sample", max_agents=2, max_steps=3)
    groups = rollouts.sample(
        QUERIES,
        Sampler(policy, pool, config, explore_power),
        systems=SYSTEMS,
        explorers=explorers,
        redraws=redraws,
        random=np.random.default_rng(0),
    )
    return [
        (group, rollouts.drawn[query.text]) for group, query in zip(groups, QUERIES, strict=True)
    ]


def constructions(systems: Iterable[Trajectory]) -> Counter[Hashable]:
    """How often each was drawn."""
    counted: Counter[Hashable] = Counter()
    for system in systems:
        counted[system.built] += system.draws
    return counted


@pytest.mark.parametrize("redraws", [0, 1, 40])
def test_a_group_counts_all_that_was_drawn_for_it_and_repeats_none_unless_redraws_ran_out(
    texts: Texts, redraws: int
) -> None:
    groups = sampled(texts, redraws=redraws)
    for group, drawn in groups:
        assert len(group) == SYSTEMS
        assert constructions(group) == constructions(drawn)
        anew = len(drawn) - SYSTEMS
        assert sum(system.draws for system in group) == SYSTEMS + anew
        assert (anew > 0) is (redraws > 0)
    distinct = all(len(constructions(group)) == SYSTEMS for group, _ in groups)
    assert distinct is (redraws == 40)


def test_explorers_do_as_another_of_their_group_up_to_one_action(texts: Texts) -> None:
    groups = [group for group, _ in sampled(texts, explorers=10)]
    assert_explorers(groups, 10)
    places = {system.explored for group in groups for system in group}
    assert places == {None, 0, 1, 2}


def test_the_less_the_power_the_more_is_tried(texts: Texts) -> None:
    """At the first action, where the prior is sure of few roles."""
    tried = []
    for power in (1.0, 0.01):
        groups = sampled(texts, explorers=20, explore_power=power)
        first = [
            system.actions[0].action
            for group, _ in groups
            for system in group
            if system.explored == 0
        ]
        tried.append(len(set(first)) / len(first))
    as_drawn, evened = tried
    assert evened > 1.5 * as_drawn
