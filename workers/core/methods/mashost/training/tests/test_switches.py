"""Settings that can be taken back alone: each does what it says, and nothing when it is off."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.prior import EdgePrior, NodePrior
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.deciding import Sampler
from workers.core.methods.mashost.training.preparing import prepare
from workers.core.methods.mashost.training.rollouts import Rollouts, Sample
from workers.core.methods.mashost.training.tests.over_http import SMALL, TASKS, Trainer
from workers.core.methods.mashost.training.tests.support import (
    config_of,
    four_systems,
    learner_of,
)
from workers.core.methods.mashost.training.tests.watching import watch_updates, weights_of

STEPS = 4


@pytest.mark.parametrize("lag", [0, 1])
async def test_with_lag_a_step_is_sampled_with_the_weights_before_the_last_update(
    lag: int, train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the learner is told so; also after a stop."""
    sampled_with: dict[int, Tensor] = {}
    sample = Rollouts.sample

    async def watched(
        self: Rollouts, step: int, sampler: Sampler, *, told: Callable[[], None]
    ) -> Sample:
        sampled_with[step] = weights_of(sampler.policy)
        sampled = await sample(self, step, sampler, told=told)
        assert torch.equal(weights_of(sampler.policy), sampled_with[step])
        return sampled

    monkeypatch.setattr(Rollouts, "sample", watched)
    updates = watch_updates(monkeypatch)
    config = {"lag": lag, "steps": STEPS}
    await train(config=config, stop_after=3)
    assert 0 < len(updates) < STEPS
    await train(config=config)
    assert len(updates) == STEPS
    assert all(torch.equal(last.after, update.before) for last, update in pairwise(updates))
    assert not any(torch.equal(update.before, update.after) for update in updates)
    expected = [updates[0].before]
    expected += [update.before if lag else update.after for update in updates[:-1]]
    for step, (update, weights) in enumerate(zip(updates, expected, strict=True), 1):
        assert torch.equal(sampled_with[step], weights)
        assert torch.equal(update.sampled_by, weights)


@pytest.mark.parametrize("prior_weight", [0.0, 0.5, 1.0])
async def test_a_training_begins_with_as_much_of_the_prior_as_is_asked(
    prior_weight: float, train: Trainer
) -> None:
    edges = 1 - prior_weight / 2
    weights = {"prior_weight": prior_weight, "edge_prior_weight": edges}
    config = MasHostTrainingConfig.model_validate(SMALL | weights)
    async with train.context() as context:
        parts = await prepare(TASKS, context, config)
    policy = parts.learner.policy
    for prior, whole, weight in (
        (policy.node_prior, NodePrior(), prior_weight),
        (policy.edge_prior, EdgePrior(), edges),
    ):
        begun = prior.state_dict()
        for name, value in whole.state_dict().items():
            assert torch.equal(begun[name], weight * value), name


def test_what_a_training_and_a_run_may_both_set_reaches_the_systems() -> None:
    """And is what its checkpoints are run with."""
    shared = MasHostConfig.model_fields.keys() & MasHostTrainingConfig.model_fields.keys()
    config = config_of(
        max_steps=7,
        max_agents=2,
        jpss="joint",
        feedback_edges=True,
        answer_from="summary",
        final_answer="agent",
        temperature=0.5,
    )
    assert shared <= config.model_fields_set
    asked = config.model_dump(include=shared)
    assert not asked.items() & MasHostConfig().model_dump().items()  # so a lost one is seen
    assert config.run_config().model_dump(include=shared) == asked
    assert config.inference_options() == asked


def updated(**config: Any) -> tuple[list[Tensor], list[Tensor], float]:
    """The gradients that policy and critic followed, each in one row, and the norm that is told."""
    learner = learner_of(config_of(critic_updates=2, **config))
    followed: tuple[list[Tensor], list[Tensor]] = ([], [])
    networks = (learner.policy, learner.critic)
    optimisers = (learner.optimiser, learner.critic_optimiser)
    for network, optimiser, gradients in zip(networks, optimisers, followed, strict=True):

        def keep(*_: object, of: torch.nn.Module = network, kept: list[Tensor] = gradients) -> None:
            rows = [weight.grad.flatten() for weight in of.parameters() if weight.grad is not None]
            kept.append(torch.cat(rows))

        optimiser.register_step_pre_hook(keep)
    metrics, _ = learner.update([four_systems(), four_systems(1)])
    return *followed, metrics["gradient_norm"]


def test_a_gradient_is_scaled_down_to_the_limit_and_none_lets_it_be() -> None:
    limit = 0.01
    (free,), free_critic, told = updated(gradient_limit=None)
    (limited,), limited_critic, told_too = updated(gradient_limit=limit)
    assert told == told_too == pytest.approx(free.norm().item())
    for large, small in ((free, limited), (free_critic[0], limited_critic[0])):
        assert large.norm() > 2 * limit
        assert small.norm().item() == pytest.approx(limit, rel=1e-3)
        torch.testing.assert_close(small, large * limit / large.norm(), rtol=1e-3, atol=1e-7)
    assert all(gradient.norm() <= limit * 1.001 for gradient in limited_critic)


def test_a_gradient_within_the_limit_stays_as_it_is() -> None:
    (free,), free_critic, _ = updated(gradient_limit=None)
    (within,), within_critic, _ = updated(gradient_limit=1e3)
    assert torch.equal(free, within)
    assert all(torch.equal(*pair) for pair in zip(free_critic, within_critic, strict=True))
