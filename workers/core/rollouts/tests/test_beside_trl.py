"""The loss and its gradient are those of trl's GRPOTrainer on the same batch."""

import copy
from pathlib import Path

import pytest
import torch

from workers.core.rollouts.base import LossOptions, Normaliser, Sampling, Weighted
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.testing.beside_trl import LOSSES, inputs_of, told_by, trainer_of

ADVANTAGES = (1.2, 1.2, 0.1, -0.6)
"""The second answer is the first one once more, and computed once."""


@pytest.mark.usefixtures("nano")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("normaliser", LOSSES)
def test_beside_trl(normaliser: Normaliser, tmp_path: Path) -> None:
    engine = InProcessEngine({"one": PolicySpec("nano")}, seed=0)
    asked = [
        engine.prompt("one", [{"role": "user", "content": text}])
        for text in ("AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|")
    ]
    samples = [
        each for group in engine.sample("one", asked, 2, Sampling(9, seed=2)) for each in group
    ]
    samples[1] = samples[0]
    batch = [Weighted(*pair) for pair in zip(samples, ADVANTAGES, strict=True)]
    own = engine.learning("one").policy
    reference = copy.deepcopy(own.model)
    engine.forward_backward("one", batch, LossOptions())
    engine.optim_step("one", 3e-3)  # away from the policy that sampled, so that some are clipped

    loss_type = LOSSES[normaliser]
    trainer = trainer_of(own, tmp_path, loss_type=loss_type, answers=4, branches=2, kl=0.05)
    inputs = inputs_of(batch, own.pad)
    inputs["ref_per_token_logps"] = told_by(reference, inputs)
    loss = trainer._compute_loss(own.model.eval(), inputs)
    torch.autograd.backward(loss)
    gradients = {
        key: each.grad.clone() for key, each in own.learned.items() if each.grad is not None
    }
    own.model.zero_grad(set_to_none=True)

    options = LossOptions(kl=0.05, normaliser=normaliser)
    told = engine.forward_backward("one", batch, options)
    assert told.clipped > 0
    assert told.kl > 0
    assert told.loss == pytest.approx(float(loss.detach()), abs=1e-5)
    assert set(gradients) == set(own.learned)
    for key, parameter in own.learned.items():
        assert parameter.grad is not None
        assert torch.allclose(parameter.grad, gradients[key], atol=1e-5), key
