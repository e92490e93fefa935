"""One step of an optimiser, and what it goes on from."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from workers.core.rollouts.base import EngineError, OptimiserName
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


RATE = 1e-2
WIDE, HIGH = 24, 8
HIDDEN = "model.layers.0.up.weight"


def changes(name: OptimiserName) -> dict[str, Tensor]:
    """What a step adds to each tensor. Its gradient has one large direction."""
    torch.manual_seed(0)
    shapes = {
        "model.embed_tokens.weight": (30, HIGH),
        HIDDEN: (WIDE, HIGH),
        "model.norm.weight": (HIGH,),
        "lm_head.weight": (30, HIGH),
    }
    tensors = {key: torch.nn.Parameter(torch.randn(shape)) for key, shape in shapes.items()}
    before = {key: each.detach().clone() for key, each in tensors.items()}
    for each in tensors.values():
        each.grad = torch.randn(each.shape) * 0.01
        if each.ndim == 2:
            each.grad[:, 0] += 1
    Optimiser(tensors, of="the model", name=name).step(RATE)
    return {key: each.detach() - before[key] for key, each in tensors.items()}


def test_muon_follows_all_directions_of_a_hidden_matrix_alike() -> None:
    made = torch.linalg.svdvals(changes("muon")[HIDDEN])
    scaled = made / (RATE * 0.2 * WIDE**0.5)
    assert scaled.min() > 0.5
    assert scaled.max() < 1.5
    adamw = torch.linalg.svdvals(changes("adamw")[HIDDEN])
    assert adamw.max() > 3 * adamw.min()


def test_muon_leaves_words_and_norms_to_adamw() -> None:
    muon, adamw = changes("muon"), changes("adamw")
    assert {key for key in muon if not torch.equal(muon[key], adamw[key])} == {HIDDEN}
