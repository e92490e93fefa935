"""Trains MasHost once on the testbed and measures how far from the optimum it ends."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from bench.common.testbed.optimum import Score, Team, best_teams, draw_luck, team_score
from bench.common.testbed.play import Luck
from bench.common.testbed.queries import Query, draw_queries
from bench.common.testbed.rollouts import System, TestbedRollouts, Texts
from bench.common.testbed.world import DOMAINS, TestbedRole, all_roles
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import EmbeddedPool, MasHostPolicy, initial_policy
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.held_out import inference_config
from workers.core.methods.mashost.training.learner import Learner
from workers.core.rl.rewards import system_reward

HELD_OUT = 400
"""Number of queries in the validation and in the test."""
VALIDATION_SEED = 99
TEST_SEED = 98
LUCK_SEED = 99
TRAINING_SEED = 1_000
MEMBER_SEED = 1_000_000


@dataclass(frozen=True, slots=True)
class Point:
    """The policy at inference on held-out queries, after `queries` training queries."""

    queries: int
    share: float
    score: Score
    agents: float
    entropy: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of one training: its learning curve on the validation's queries and, on the
    test's, the policy of the point that earned most on the training's own queries.

    `earned` is that reward: the mean of r_G over all training queries, each with its own luck. All
    of them chose the point, so `test.queries` counts all. `last` is the newest policy on the test,
    chosen by nothing. `seconds` covers everything, including the looks at held-out queries.
    """

    curve: list[Point]
    earned: float
    test: Point
    last: Point
    seconds: float


@dataclass(frozen=True, slots=True)
class World:
    """The testbed with what is computed once: its optimum, and the luck for expectations."""

    roles: tuple[TestbedRole, ...]
    texts: Texts
    rollouts: TestbedRollouts
    validation: list[Query]
    test: list[Query]
    luck: Luck
    beta: float
    optimum: float
    best: tuple[Team, ...]
    _scores: dict[tuple[Team, int], Score] = field(default_factory=dict)

    @classmethod
    def make(cls, *, beta: float = 1e-4) -> World:
        roles = all_roles()
        texts = Texts(MiniLMEmbedder())
        luck = draw_luck(len(roles), seed=LUCK_SEED)
        best = best_teams(roles, beta)
        scores = [team_score(team, d, luck, roles, beta).reward for d, team in enumerate(best)]
        count = len(roles)
        return cls(
            roles,
            texts,
            TestbedRollouts(roles, texts),
            draw_queries(HELD_OUT, seed=VALIDATION_SEED, roles=count, split="validation"),
            draw_queries(HELD_OUT, seed=TEST_SEED, roles=count, split="test"),
            luck,
            beta,
            optimum=float(np.mean(scores)),
            best=best,
        )

    def expected(self, team: Team, domain: int) -> Score:
        """The score of a team over all luck, not over the luck of one query."""
        key = (team, domain)
        if key not in self._scores:
            self._scores[key] = team_score(team, domain, self.luck, self.roles, self.beta)
        return self._scores[key]


def train_on_testbed(
    world: World,
    config: MasHostTrainingConfig,
    *,
    seed: int,
    member: int = 0,
    every: int = 20,
    began: float | None = None,
) -> Trained:
    """Train with one seed, which draws the queries. `member` numbers trainings on the same queries.

    Only the very end looks at the test's queries. `began` is the start of the clock, for callers
    that also count the making of the world.
    """
    began = time.perf_counter() if began is None else began
    own_seed = seed + MEMBER_SEED * member
    learner = learner_for(world, config, seed=own_seed)
    random = np.random.default_rng(own_seed)
    per_step = config.queries_per_step
    queries = draw_queries(
        config.steps * per_step, seed=TRAINING_SEED + seed, roles=len(world.roles)
    )
    curve: list[Point] = []
    kept: list[MasHostPolicy] = []
    behaviour = copy.deepcopy(learner.policy)
    for step in range(config.steps):
        newest = copy.deepcopy(learner.policy)
        # As in a training with an endpoint: with a lag the sample was begun one update before.
        behaviour, sampled_by = newest, behaviour if config.lag else newest
        with torch.no_grad():
            pool = sampled_by.pool_tensors(learner.pool)
            sampler = Sampler(
                sampled_by, pool, config.run_config(), explore_power=config.explore_power
            )
        groups = world.rollouts.sample(
            queries[step * per_step : (step + 1) * per_step],
            sampler,
            systems=config.systems_per_query,
            explorers=config.explorers,
            redraws=config.redraws,
            random=random,
        )
        metrics, _ = learner.update(groups, sampled_by=sampled_by)
        if (step + 1) % every == 0 or step + 1 == config.steps:
            seen, entropy = (step + 1) * per_step, metrics["node_entropy"]
            kept.append(copy.deepcopy(learner.averaged))
            building = Building(world, learner, kept[-1])
            curve.append(building.point(world.validation, seen, entropy, began))
    earned = [Building(world, learner, policy).earned(queries) for policy in kept]
    best = int(np.argmax(earned))

    def on_test(place: int) -> Point:
        building = Building(world, learner, kept[place])
        return building.point(world.test, seen, curve[place].entropy, began)

    test, last = on_test(best), on_test(-1)
    return Trained(curve, earned[best], test, last, seconds=time.perf_counter() - began)


def learner_for(world: World, config: MasHostTrainingConfig, *, seed: int) -> Learner:
    shape = PolicyConfig(hidden=config.hidden, layers=config.layers)
    policy = initial_policy(
        seed=seed,
        config=shape,
        prior_weight=config.prior_weight,
        edge_prior_weight=config.edge_prior_weight,
    )
    roles = torch.stack(world.texts([role.spec.profile() for role in world.roles]))
    anchors = torch.stack(world.texts(shape.anchors))
    return Learner(
        config=config,
        pool=EmbeddedPool(roles, anchors),
        policy=policy,
        seed=seed,
        total_steps=config.steps,
    )


@dataclass(frozen=True, slots=True)
class Building:
    """A policy that builds at inference."""

    world: World
    learner: Learner
    policy: MasHostPolicy

    def systems(self, queries: Sequence[Query]) -> list[System]:
        with torch.no_grad():
            tensors = self.policy.pool_tensors(self.learner.pool)
        config = inference_config(self.learner.config.run_config())
        return self.world.rollouts.construct(queries, Sampler(self.policy, tensors, config))

    def earned(self, queries: Sequence[Query]) -> float:
        """The mean of r_G with each query's own luck: what a training knows of its policy."""
        built = self.systems(queries)
        rewards = system_reward(
            torch.tensor([system.correct for system in built]),
            torch.tensor([system.tokens for system in built]),
            beta=self.world.beta,
        )
        return float(rewards.mean())

    def point(self, held_out: Sequence[Query], seen: int, entropy: float, began: float) -> Point:
        score, agents = self.expected(held_out)
        share = score.reward / self.world.optimum
        return Point(seen, share, score, agents, entropy, time.perf_counter() - began)

    def expected(self, queries: Sequence[Query]) -> tuple[Score, float]:
        """The mean score of the teams over all luck, and their mean number of agents."""
        built = self.systems(queries)
        rewards, accuracies, tokens = [], [], []
        for system in built:
            score = self.world.expected(system.team, system.query.domain)
            deleted = system.tokens - sum(agent.tokens for agent in system.played)
            rewards.append(score.reward - score.accuracy * self.world.beta * deleted)
            accuracies.append(score.accuracy)
            tokens.append(score.tokens + deleted)
        agents = float(np.mean([len(system.played) for system in built]))
        return Score(*(float(np.mean(values)) for values in (rewards, accuracies, tokens))), agents


def teams_in_words(world: World) -> dict[str, str]:
    """The optimal teams as text for people."""
    return {
        DOMAINS[index].name: " → ".join(
            f"{world.roles[role].spec.key}{list(reads) if reads else ''}" for role, reads in team
        )
        for index, team in enumerate(world.best)
    }
