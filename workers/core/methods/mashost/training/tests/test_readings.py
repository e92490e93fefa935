"""Where the papers can be read otherwise: what ours does, pinned. Numbers are those of the page."""

import math
import re
from dataclasses import fields

import pytest
import torch

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.training.config import (
    PAPER,
    PAPER_OTHERS,
    MasHostTrainingConfig,
)
from workers.core.methods.mashost.training.credit import credit_of
from workers.core.methods.mashost.training.tests.support import (
    config_of,
    four_systems,
    learner_of,
    system_of,
)
from workers.core.methods.mashost.training.trajectory import Action
from workers.core.rl.edges import joint_edge_probability, relative_edge_probability
from workers.core.rl.rewards import action_reward, system_reward

SECTIONS = {
    "systems_per_query": "Algorithm 1: 4",
    "queries_per_step": "Algorithm 1: 1",
    "max_steps": "§6.8: 10",
    "temperature": "§6.1: 0",
    "beta": "§6.8: 1e-4 for GSM8K, 1e-5",
    "alpha": "§6.8: 0.1",
    "exemption_time": "§6.6: 3",
    "gamma": "§6.8: 0.9",
    "rounds": "§6.6: 4",
    "epsilon": "§6.8: 0.1",
    "final_answer": "§4.1",
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_setting_names_the_place_of_its_number_in_the_paper(name: str) -> None:
    """And the preset `paper` has that number."""
    described = MasHostTrainingConfig.model_fields[name].description or ""
    assert SECTIONS[name] in described
    told = re.search(r"(?:§6\.[168]|Algorithm 1): ([\d.]+(?:e-\d)?)", SECTIONS[name])
    paper = MasHostTrainingConfig.model_validate(PAPER)
    if told and name not in {"queries_per_step"}:
        assert getattr(paper, name) == float(told[1])


def test_the_price_of_a_token_is_one_for_all_tasks_of_a_training() -> None:
    """27: the paper has 1e-5 for MBPP; only the preset for other sets than GSM8K has it."""
    assert MasHostTrainingConfig().beta == PAPER["beta"] == 1e-4
    assert PAPER_OTHERS == {**PAPER, "beta": 1e-5}


def test_two_different_wrong_answers_are_wrong_that_stays_wrong() -> None:
    """23: by hand for t = 1..5 with T_E = 3 and α = 0.1, whatever the wrong answers were. Only
    whether an answer is right reaches the rewards."""
    correct = torch.tensor([False] * 5)
    found = action_reward(correct, torch.ones(5, dtype=torch.bool), exemption_time=3, alpha=0.1)
    assert found.tolist() == pytest.approx([0.0, 0.0, 0.0, -0.1, -0.2])
    assert {"correct"} == {"answer", "correct"} & {f.name for f in fields(Action)}


def test_no_answer_counts_as_wrong_before_the_first_action() -> None:
    """23: O_0 ≠ Y, so a first action that is right has repaired something."""
    found = action_reward(
        torch.tensor([True, True]), torch.ones(2, dtype=torch.bool), exemption_time=3, alpha=0.1
    )
    assert found.tolist() == pytest.approx([1.0, math.exp(-2)])


def test_what_the_paper_s_constants_are_to_ensure_is_clipped() -> None:
    """26: 12,000 tokens at β = 1e-4 are a price of 1, and a step 20 at α = 0.1 costs 1."""
    price = system_reward(torch.tensor([True]), torch.tensor([12_000.0]), beta=1e-4)
    assert price.tolist() == [0.0]
    late = action_reward(
        torch.zeros(1, 20, dtype=torch.bool),
        torch.ones(1, 20, dtype=torch.bool),
        exemption_time=3,
        alpha=0.1,
    )
    assert float(late[0, -1]) == -1.0


def test_exit_is_an_action_with_a_reward_and_counts_for_the_length() -> None:
    """21 and 25: of a system of one agent, right and right after EXIT, Eq. 6 with A_G = 0:
    Â(a_1) = 1 + 0.9·e^{−2}, Â(EXIT) = e^{−2}; |M_i| is 2."""
    config = config_of(
        baseline="group", normalise="group", action_term=True, gamma=0.9, count_draws=False
    )
    same = system_of(0, correct=(True, True))
    credit = credit_of([[same, same]], values=None, config=config)
    assert credit.layout.present.sum(dim=1).tolist() == [2, 2]
    late = math.exp(-2)
    assert credit.advantages[0].tolist() == pytest.approx([1 + 0.9 * late, late])


@pytest.mark.parametrize(
    ("role", "flows"), [(0, False), (1, True)], ids=["the arg-max role", "another role"]
)
def test_relative_edges_of_the_arg_max_role_teach_the_node_policy_nothing(
    role: int, flows: bool
) -> None:
    """4 of `mashost`: p / max p is 1 for it, whatever p is."""
    logits = torch.tensor([1.0, 0.5, 0.0], requires_grad=True)
    edge = torch.tensor([0.3], requires_grad=True)
    p = torch.softmax(logits, dim=0)
    found = relative_edge_probability(p[role], p.max(), edge)
    found.log().sum().backward()
    assert edge.grad is not None
    assert logits.grad is not None
    # d log σ(x) / dx = 1 − σ(x), and for another role d log(p/max p) = ±1 on the two logits.
    assert edge.grad.tolist() == pytest.approx([1 - 1 / (1 + math.exp(-0.3))])
    wanted = [-1.0, 1.0, 0.0] if flows else [0.0, 0.0, 0.0]
    assert logits.grad.tolist() == pytest.approx(wanted, abs=1e-6)


def test_joint_edges_teach_the_node_policy_for_every_role() -> None:
    """d log(p_0 · σ) / d logits = e_0 − p."""
    logits = torch.tensor([1.0, 0.5, 0.0], requires_grad=True)
    p = torch.softmax(logits, dim=0)
    joint_edge_probability(p[0], torch.tensor([0.3])).log().sum().backward()
    assert logits.grad is not None
    wanted = torch.tensor([1.0, 0.0, 0.0]) - p.detach()
    assert logits.grad.tolist() == pytest.approx(wanted.tolist(), abs=1e-6)


def test_rounds_are_updates_with_one_sample() -> None:
    """22: n_r = 4 is four updates of Adam with the same systems, and one step."""
    config = config_of(rounds=4, minibatches=1, baseline="group", normalise="batch")
    learner = learner_of(config)
    learner.update([four_systems()])
    assert learner.step == 1
    counts = {int(state["step"]) for state in learner.optimiser.state_dict()["state"].values()}
    assert counts == {4}


def test_limits_on_steps_are_hard() -> None:
    """17 of `mashost`."""
    assert MasHostConfig().max_steps == MasHostTrainingConfig().max_steps == 10
