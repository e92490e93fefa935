import pytest
import torch

from workers.core.rollouts.optimiser import Optimiser

RATE = 1e-2
WIDE, HIGH = 24, 8


def learned() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    names = {
        "model.embed_tokens.weight": (30, HIGH),
        "model.layers.0.up.weight": (WIDE, HIGH),
        "model.norm.weight": (HIGH,),
        "lm_head.weight": (30, HIGH),
    }
    return {name: torch.nn.Parameter(torch.randn(shape)) for name, shape in names.items()}


def stepped(name: str) -> dict[str, torch.Tensor]:
    """What a step adds to each parameter. Its gradient has one large direction."""
    parameters = learned()
    before = {key: each.detach().clone() for key, each in parameters.items()}
    for each in parameters.values():
        each.grad = torch.randn(each.shape) * 0.01
        if each.ndim == 2:
            each.grad[:, 0] += 1
    optimiser = Optimiser(parameters, "muon" if name == "muon" else "adamw")
    optimiser.step(RATE)
    return {key: each.detach() - before[key] for key, each in parameters.items()}


def test_muon_follows_all_directions_of_a_hidden_matrix_alike() -> None:
    made = torch.linalg.svdvals(stepped("muon")["model.layers.0.up.weight"])
    scaled = made / (RATE * 0.2 * WIDE**0.5)
    assert scaled.min() > 0.5
    assert scaled.max() < 1.5
    adamw = torch.linalg.svdvals(stepped("adamw")["model.layers.0.up.weight"])
    assert adamw.max() > 3 * adamw.min()


def test_muon_leaves_words_and_norms_to_adamw() -> None:
    muon, adamw = stepped("muon"), stepped("adamw")
    same = {key for key in muon if torch.equal(muon[key], adamw[key])}
    assert same == learned().keys() - {"model.layers.0.up.weight"}


def test_both_steps_have_about_the_same_size() -> None:
    sizes = [
        stepped(name)["model.layers.0.up.weight"].pow(2).mean().sqrt() for name in ("muon", "adamw")
    ]
    assert float(sizes[0]) == pytest.approx(0.2 * RATE, rel=0.3)
    assert float(sizes[1]) == pytest.approx(RATE, rel=0.3)
