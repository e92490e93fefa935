"""Training with feedback edges: what was sent back is decided, kept, learned from and resumed."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
import torch

from workers.core.checkpoints import load
from workers.core.events import TrainingSample
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import EdgeDecision
from workers.core.methods.mashost.policy import MasHostPolicy, initial_policy
from workers.core.methods.mashost.state import AgentState
from workers.core.methods.mashost.tests.support import SMALL, pool_of, state_of, unit
from workers.core.methods.mashost.training.config import BEFORE, MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import (
    DecisionBatcher,
    RecordingDecider,
    Sampler,
)
from workers.core.methods.mashost.training.learner import policy_loss
from workers.core.methods.mashost.training.tests.over_http import Trainer, metrics
from workers.core.methods.mashost.training.tests.support import (
    DIMENSION,
    EXIT,
    ROLES,
    config_of,
    learner_of,
)
from workers.core.methods.mashost.training.trajectory import (
    Action,
    Trajectory,
    repeats,
    states_of,
    tensors_of,
)
from workers.core.rl.objective import action_weights

BACK = SMALL.model_copy(update={"feedback": True})
EXPERT, CRITIC = 0, 1
Edges = tuple[int, tuple[bool, ...], tuple[bool, ...]]


def even() -> MasHostPolicy:
    """Every edge, of either kind, with a chance of one half: its logits are 0."""
    policy = initial_policy(seed=0, config=BACK)
    assert policy.feedback_prior is not None
    with torch.no_grad():
        for prior in (policy.node_prior, policy.edge_prior, policy.feedback_prior):
            for number in prior.parameters():
                number.zero_()
    return policy


def pair(sends: tuple[int, ...], *, correct: bool) -> Trajectory:
    """An expert, then a critic that reads it and may send back to it, then EXIT."""
    state = state_of(0, roles=ROLES, dimension=DIMENSION)
    first = Action(state, EXPERT, (), correct=False, tokens=100.0)
    state = state.added(AgentState("a1", EXPERT, (), unit(DIMENSION, seed=1)))
    second = Action(state, CRITIC, (0,), correct, 200.0, sends)
    state = state.added(AgentState("a2", CRITIC, (0,), unit(DIMENSION, seed=2)))
    if sends:
        better = replace(state.agents[0], message=unit(DIMENSION, seed=3), revisions=("a1-2",))
        state = state.revised(0, better)
    return Trajectory((first, second, Action(state, EXIT, (), correct, 300.0)), correct, 300.0)


def test_what_was_sent_back_makes_another_system_and_another_state() -> None:
    with_it, without = pair((0,), correct=True), pair((), correct=True)
    assert repeats([with_it.built, without.built, with_it.built]) == {2: 0}
    assert states_of([[with_it, without]]).tolist() == [0, 1, 2, 0, 1, 3]


def test_the_steps_hold_both_kinds_of_edges() -> None:
    config = MasHostConfig(feedback_edges=True)
    steps = tensors_of(pair((0,), correct=True).actions, role_count=ROLES, config=config)
    width = steps.states.present.shape[1]
    assert steps.chosen.shape == (3, 2 * width)
    assert steps.chosen.nonzero().tolist() == [[1, 0], [1, width]]
    plain = tensors_of(pair((), correct=True).actions, role_count=ROLES, config=MasHostConfig())
    assert plain.chosen.nonzero().tolist() == [[1, 0]]
    assert plain.chosen.shape == (3, width)


def test_the_loss_by_hand() -> None:
    """Of a step that reads one agent and sends back to it: w = π_now / π_old has a factor for the
    node and one for each of the two edges, here each with a chance of 1/2 before."""
    policy = even()
    config = config_of(feedback_edges=True, jpss="off", epsilon=0.2, weigh="action")
    learner = learner_of(config, policy=policy)
    steps = tensors_of(
        pair((0,), correct=True).actions[1:2], role_count=ROLES, config=config.run_config()
    )
    with torch.no_grad():
        old = learner._likelihood(policy, steps).log_probability
    assert float(old[0]) == pytest.approx(-np.log(ROLES + 2) + 2 * np.log(0.5), abs=1e-5)
    assert policy.feedback_prior is not None
    with torch.no_grad():
        policy.feedback_prior.bias.fill_(0.2)
    advantages, weights = torch.tensor([0.5]), action_weights(torch.ones(1, 1), weigh="action")
    found = learner._likelihood(policy, steps)
    loss = policy_loss(found, old, advantages, weights.flatten(), config=config, entropy_bonus=0.0)
    ratio = (1 / (1 + np.exp(-0.2))) / 0.5
    assert ratio < 1.2
    assert float(loss) == pytest.approx(-ratio * 0.5, abs=1e-5)
    loss.backward()
    gradient = policy.feedback_prior.bias.grad
    assert gradient is not None
    # d(−w·Â)/db = −Â·w·(1 − σ(b))
    slope = -0.5 * ratio * (1 - 1 / (1 + np.exp(-0.2)))
    assert float(gradient) == pytest.approx(slope, abs=1e-5)


def test_an_update_makes_the_edge_back_that_paid_more_likely() -> None:
    policy = even()
    config = config_of(
        feedback_edges=True,
        jpss="off",
        baseline="group",
        rounds=4,
        learning_rate=0.02,
        count_draws=False,
    )
    learner = learner_of(config, policy=policy)
    group = [pair((0,), correct=True), pair((), correct=False)]
    steps = tensors_of(group[0].actions[1:2], role_count=ROLES, config=config.run_config())

    def chance() -> float:
        with torch.no_grad():
            pool = learner.pool_tensors()
            encoded = policy.encode(steps.states, pool)
            logits = policy.edge_logits(encoded, pool, steps.actions, steps.where, feedback=True)
        return float(torch.sigmoid(logits[0, steps.states.present.shape[1]]))

    before = chance()
    learner.update([group])
    assert chance() > before + 0.01


async def test_a_construction_is_decided_the_same_in_any_batch() -> None:
    """1 × 8 = 8 × 1, and what the numbers are drawn for does not depend on who else is there."""
    policy = even()
    config = MasHostConfig(
        feedback_edges=True, greedy=False, edge_mode="sample", jpss="off", max_agents=4
    )
    sampler = Sampler(policy, pool_of(policy, unit(ROLES, DIMENSION, seed=5)), config)
    states = [state_of(agents, roles=ROLES, seed=agents) for agents in (0, 1, 2, 3, 2, 1, 3, 0)]

    async def decided(batch: list[int]) -> list[Edges]:
        batcher = DecisionBatcher(sampler)
        recorders = [RecordingDecider(batcher, np.random.default_rng(row)) for row in batch]
        asked = (r.decide(states[row]) for r, row in zip(recorders, batch, strict=True))
        decisions = await asyncio.gather(*asked)
        edges = [d.edges or EdgeDecision((), (), 0.0) for d in decisions]
        return [
            (d.action, each.chosen, each.sent_back)
            for d, each in zip(decisions, edges, strict=True)
        ]

    together = await decided(list(range(8)))
    alone = [(await decided([row]))[0] for row in range(8)]
    assert together == alone
    assert any(any(sent_back) for _, _, sent_back in together)


async def test_a_training_with_feedback_edges_over_http(train: Trainer) -> None:
    """Its samples have revisions, a killed one goes on the same, and its checkpoint says what it
    was trained with."""
    config = {"feedback_edges": True, "samples_per_step": 6, "redraws": 0}
    whole = await train("whole", config=config)
    samples = [event for event in whole if isinstance(event, TrainingSample)]
    asked = [e for s in samples for e in s.trace if e["event"] == "revision_asked"]
    assert asked
    assert any(node.round == 2 for s in samples for node in s.graph.nodes)
    await train("cut", config=config, stop_after=8)
    rest = await train("cut", config=config)
    last = metrics(rest)[4]
    assert last == pytest.approx(metrics(whole)[4], rel=1e-6, abs=1e-9)
    info, tensors = load(train.checkpoint("whole", 4), method="mashost")
    assert info.config["feedback"] is True
    assert "feedback_score.weight" in tensors
    assert info.run["feedback_edges"] is True


def test_trainings_from_before_go_on_without_them() -> None:
    config = MasHostTrainingConfig()
    assert BEFORE["feedback_edges"] is config.feedback_edges is False
    assert "feedback_edges" not in config.inference_options()
    assert EXIT == ROLES + 1
