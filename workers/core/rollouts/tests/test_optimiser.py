"""One step of an optimiser, and what it goes on from."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from workers.core.rollouts.base import EngineError
from workers.core.rollouts.optimiser import Optimiser


def learned() -> dict[str, Tensor]:
    return {
        "a.weight": torch.ones(2, 3, requires_grad=True),
        "b": torch.zeros(2, requires_grad=True),
    }


def stepped(optimiser: Optimiser, gradient: float, rate: float) -> float:
    """Of `a.weight` alone."""
    weight = optimiser.learned["a.weight"]
    weight.grad = torch.full_like(weight, gradient)
    return optimiser.step(rate)


def test_a_step_is_that_of_torch_with_a_gradient_of_norm_one() -> None:
    tensors = learned()
    optimiser = Optimiser(tensors, of="the model")
    other = torch.ones(2, 3, requires_grad=True)
    adam = torch.optim.AdamW([other], lr=0.1, weight_decay=0.0)
    for gradient in (-3.0, 0.1):
        assert stepped(optimiser, gradient, 0.1) == pytest.approx(abs(gradient) * 6**0.5)
        other.grad = torch.full_like(other, max(gradient, -(6**-0.5)))
        adam.step()
        assert torch.allclose(tensors["a.weight"], other, atol=1e-6)
    assert tensors["a.weight"].grad is None
    assert not tensors["b"].any()


def test_it_goes_on_from_its_moments(tmp_path: Path) -> None:
    whole, cut = (Optimiser(learned(), of="the model") for _ in range(2))
    for optimiser in (whole, cut):
        stepped(optimiser, 0.5, 0.1)
    save_file(cut.tensors(), tmp_path / "moments")
    found = load_file(tmp_path / "moments")
    assert set(found) == {"step.a.weight", "exp_avg.a.weight", "exp_avg_sq.a.weight"}
    resumed = Optimiser(cut.learned, of="the model")
    resumed.put(found)
    for optimiser in (whole, resumed):
        stepped(optimiser, -0.2, 0.05)
    assert torch.equal(whole.learned["a.weight"], resumed.learned["a.weight"])
    with pytest.raises(KeyError, match="foreign"):
        resumed.put({"exp_avg.foreign": torch.zeros(1)})


@pytest.mark.parametrize("gradient", [float("nan"), float("inf")])
def test_a_gradient_that_is_no_number_changes_nothing(gradient: float) -> None:
    optimiser = Optimiser(learned(), of="the reward model")
    with pytest.raises(EngineError, match=f"of the reward model is {gradient}") as raised:
        stepped(optimiser, gradient, 0.1)
    assert "lower learning rate" in raised.value.remedy
    assert torch.equal(optimiser.learned["a.weight"], torch.ones(2, 3))
    assert optimiser.learned["a.weight"].grad is None
    assert not optimiser.tensors()
