"""Drawing against likelihood and against a run: one distribution, whoever asks for it."""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor

from workers.core.methods.mashost.config import Jpss, MasHostConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.masks import allowed_actions
from workers.core.methods.mashost.state import ConstructionState, StateBatch, collate
from workers.core.methods.mashost.steps import Drawn, Steps, _invert, draw, likelihood
from workers.core.methods.mashost.tests.support import (
    pool_of,
    shaken_policy,
    state_of,
    uniforms_for,
    unit,
)

ROLES = 5
MOST_AGENTS = 4
MAX_STEPS = 9
MANY = 40_000
BELOW_ONE = 1 - 2**-53
"""The largest that a generator of doubles in [0, 1) gives."""


@dataclass(frozen=True)
class Drawing:
    """One policy with five roles under one reading of Eq. 3."""

    run: Constructor

    @classmethod
    def under(cls, jpss: Jpss) -> Drawing:
        policy = shaken_policy()
        with torch.no_grad():
            for believed in policy.node_prior.parameters():
                believed.mul_(0.1)  # so that every action has a chance wherever it is allowed
            policy.delete_exit.bias.add_(1.0)  # with three agents no role is the likeliest
        config = MasHostConfig(
            greedy=False,
            edge_mode="sample",
            jpss=jpss,
            max_agents=MOST_AGENTS,
            max_steps=MAX_STEPS,
        )
        return cls(Constructor(policy, pool_of(policy, unit(ROLES, 12, seed=5)), config))

    def batch(self, states: list[ConstructionState]) -> tuple[StateBatch, Tensor]:
        """With what is allowed."""
        allowed = allowed_actions(states, role_count=ROLES, config=self.run.config)
        return collate(states, role_count=ROLES), allowed

    def draw(
        self,
        states: list[ConstructionState],
        where: Tensor,
        uniforms: Tensor,
        powers: Tensor | None = None,
    ) -> Drawn:
        batch, allowed = self.batch(states)
        return draw(
            self.run.policy,
            self.run.pool,
            batch,
            allowed,
            uniforms[:, : 1 + batch.present.shape[1]],
            where=where,
            jpss=self.run.config.jpss,
            powers=powers,
        )


@pytest.fixture(params=["joint", "relative", "off"])
def drawing(request: pytest.FixtureRequest) -> Drawing:
    return Drawing.under(request.param)


def situations() -> list[ConstructionState]:
    """Of each kind: empty, with one to read, with one that is silent, full, at the last step."""
    states = [state_of(agents, roles=ROLES, seed=agents) for agents in (0, 1, 3, MOST_AGENTS)]
    return [*states, dataclasses.replace(states[2], step=MAX_STEPS)]


def many(rows: int) -> tuple[list[ConstructionState], Tensor, Tensor]:
    """The situations, in which of them each row is, and its numbers."""
    states = situations()
    return states, torch.arange(rows) % len(states), uniform(rows)


def uniform(rows: int) -> Tensor:
    return torch.from_numpy(np.random.default_rng(0).random((rows, 1 + MOST_AGENTS)))


def test_what_is_drawn_is_as_likely_as_training_says(drawing: Drawing) -> None:
    states, where, uniforms = many(400)
    drawn = drawing.draw(states, where, uniforms)
    batch, allowed = drawing.batch(states)
    steps = Steps(batch, where, allowed, drawn.actions, drawn.chosen)
    run = drawing.run
    with torch.no_grad():
        found = likelihood(run.policy, run.pool, steps, jpss=run.config.jpss).log_probability
    torch.testing.assert_close(drawn.log_probability.float(), found, atol=1e-5, rtol=1e-5)
    assert set(drawn.actions.tolist()) == set(range(ROLES + 2))
    assert drawn.chosen.any()


def test_its_log_probability_is_that_of_the_node_and_of_every_edge(drawing: Drawing) -> None:
    states, where, uniforms = many(200)
    drawn = drawing.draw(states, where, uniforms)
    for row, action in enumerate(drawn.actions.tolist()):
        expected = drawn.log_probabilities[row, action].item()
        agents = states[int(where[row])].agents if action < ROLES else ()
        for place, agent in enumerate(agents):
            p = drawn.edges[row, place].item()
            if not agent.silent:
                expected += math.log(p if drawn.chosen[row, place] else 1 - p)
        assert drawn.log_probability[row].item() == pytest.approx(expected, abs=1e-6)


def test_a_draw_has_the_probabilities_of_a_run(drawing: Drawing) -> None:
    """Also in a batch with other states, which are wider and have other actions allowed."""
    states = situations()
    kinds = set()
    for row, seed in itertools.product(range(len(states)), range(12)):
        decision = drawing.run.decide(states[row], torch.Generator().manual_seed(seed))
        uniforms = uniforms_for(decision, width=1 + MOST_AGENTS).unsqueeze(0)
        drawn = drawing.draw(states, torch.tensor([row]), uniforms)
        kinds.add(decision.kind)
        assert drawn.actions.tolist() == [decision.action]
        shown = drawn.log_probabilities[0].exp().tolist()
        assert shown == pytest.approx(decision.probabilities, abs=1e-6)
        joint = decision.log_probability
        if decision.edges is not None:
            agents = len(states[row].agents)
            edges = decision.edges
            assert drawn.edges[0, :agents].tolist() == pytest.approx(edges.probabilities, abs=1e-6)
            assert tuple(drawn.chosen[0, :agents].tolist()) == edges.chosen
            joint += edges.log_probability
        assert drawn.log_probability.item() == pytest.approx(joint, abs=1e-5)
    assert kinds == {"add", "delete", "exit"}


def assert_as_often(hits: Tensor, probability: float) -> None:
    """As often as the probability says, within five standard errors: of about thirty frequencies,
    as a test looks at, one is further off by chance with one seed in sixty thousand."""
    allowed = 5 * math.sqrt(probability * (1 - probability) / len(hits))
    assert hits.double().mean().item() == pytest.approx(probability, abs=allowed + 1e-12)


def test_actions_and_edges_are_drawn_as_often_as_their_probability_says(drawing: Drawing) -> None:
    state = state_of(3, roles=ROLES)
    drawn = drawing.draw([state], torch.zeros(MANY, dtype=torch.int64), uniform(MANY))
    expected = drawing.run.decide(state, torch.Generator().manual_seed(0)).probabilities
    assert min(expected) > 0.01
    for action, probability in enumerate(expected):
        assert_as_often(drawn.actions == action, probability)
    for role in range(ROLES):
        rows = drawn.actions == role
        edges, chosen = drawn.edges[rows][0].tolist(), drawn.chosen[rows]
        assert (drawn.edges[rows] == drawn.edges[rows][0]).all()
        for place, probability in enumerate(edges):
            assert_as_often(chosen[:, place], probability)
        # Each by a number of its own.
        assert_as_often(chosen[:, 0] & chosen[:, 2], edges[0] * edges[2])


def test_what_is_forbidden_is_never_drawn(drawing: Drawing) -> None:
    states, numbers = situations(), torch.linspace(0, BELOW_ONE, 501, dtype=torch.float64)
    _, allowed = drawing.batch(states)
    assert (~allowed).any(dim=1).tolist() == [True, False, False, True, True]
    for row, ok in enumerate(allowed):
        uniforms = torch.zeros(len(numbers), 1 + MOST_AGENTS, dtype=torch.float64)
        uniforms[:, 0] = numbers
        drawn = drawing.draw(states, torch.full((len(numbers),), row), uniforms)
        assert set(drawn.actions.tolist()) == set(ok.nonzero().flatten().tolist())


def test_nobody_reads_who_is_silent_or_not_there(drawing: Drawing) -> None:
    states, where, uniforms = many(300)
    uniforms[:, 1:] = 0.0
    drawn = drawing.draw(states, where, uniforms)
    for row, action in enumerate(drawn.actions.tolist()):
        agents = states[int(where[row])].agents if action < ROLES else ()
        heard = [not agent.silent for agent in agents]
        assert drawn.chosen[row].tolist() == heard + [False] * (MOST_AGENTS - len(agents))


@pytest.mark.parametrize(
    ("number", "action"),
    [(0.0, 1), (0.25 - 1e-9, 1), (0.25, 2), (0.75 - 1e-9, 2), (BELOW_ONE, 2)],
)
def test_a_number_falls_into_the_stretch_of_one_action(number: float, action: int) -> None:
    """Of an action with a chance, also where rounding leaves their sum below the number."""
    probabilities = torch.tensor([[0.0, 0.25, 0.75 - 1e-9, 0.0]], dtype=torch.float64)
    assert _invert(probabilities, torch.tensor([number], dtype=torch.float64)).item() == action


@pytest.mark.parametrize("power", [0.01, 0.3, 1.0])
def test_a_power_evens_out_what_is_drawn_and_nothing_that_is_told(
    drawing: Drawing, power: float
) -> None:
    """The first half is drawn with it, the other as the policy draws."""
    state = state_of(2, roles=ROLES, seed=2)
    where = torch.zeros(2 * MANY, dtype=torch.int64)
    uniforms = torch.from_numpy(np.random.default_rng(3).random((2 * MANY, 1 + MOST_AGENTS)))
    powers = torch.ones(2 * MANY, dtype=torch.float64)
    powers[:MANY] = power
    found = drawing.draw([state], where, uniforms, powers)
    plain = drawing.draw([state], where, uniforms)
    assert torch.equal(found.log_probabilities, plain.log_probabilities)
    assert torch.equal(found.actions[MANY:], plain.actions[MANY:])
    likely = plain.log_probabilities[0].exp()
    evened = likely**power / (likely**power).sum()
    counts = torch.bincount(found.actions[:MANY], minlength=len(likely)) / MANY
    assert torch.allclose(counts.double(), evened, atol=0.01)
    assert torch.equal(counts > 0, likely > 0)
    node = found.log_probabilities.gather(1, found.actions.unsqueeze(1)).squeeze(1)
    alone = found.actions >= ROLES  # without edges
    assert torch.equal(found.log_probability[alone], node[alone])
