"""What a step learns from its examples, beside trl, PEFT and a batch computed at once."""

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import get_peft_model_state_dict
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from workers.core.methods.reso.tuning.examples import PlanExample, RewardExample
from workers.core.methods.reso.tuning.learner import Learner
from workers.core.methods.reso.tuning.planner import PlannerLearner
from workers.core.methods.reso.tuning.reward_model import RewardLearner
from workers.core.methods.reso.tuning.tests.support import tuning_of
from workers.core.rollouts.memory import activations
from workers.core.weights.local import described

pytestmark = pytest.mark.usefixtures("models")
PLANS = [PlanExample(query="x" * n, most=3, plan="add " * n) for n in (1, 5, 30)]
REWARDS = [RewardExample(record="x " * n, right=n > 3) for n in (1, 5, 30)]
ALL = range(3)


def planner() -> PlannerLearner:
    return PlannerLearner(PLANS, [], tuning_of("planner").config, seed=0)


def reward_model() -> RewardLearner:
    return RewardLearner(REWARDS, [], tuning_of("reward_model").config, seed=0)


def gradients(learner: Learner) -> dict[str, Tensor]:
    """They are then gone."""
    found = {
        name: each.grad.clone()
        for name, each in learner.optimiser.learned.items()
        if each.grad is not None
    }
    learner.optimiser.forget()
    return found


def alike(learner: Learner, loss: Tensor) -> None:
    """This loss of all examples and its gradient are what the learner computes one by one."""
    torch.autograd.backward(loss)
    wanted = gradients(learner)
    told = learner.add_gradient(ALL)
    assert told["loss"] == pytest.approx(float(loss.detach()), rel=1e-5)
    found = gradients(learner)
    assert found.keys() == wanted.keys() == learner.optimiser.learned.keys()
    assert any(each.abs().max() > 1e-3 for each in found.values())
    for name, gradient in found.items():
        assert torch.allclose(gradient, wanted[name], rtol=1e-3, atol=1e-6), name
    assert learner.judge(ALL) == pytest.approx(told, rel=1e-5)
    assert not gradients(learner)


@pytest.mark.filterwarnings("ignore")
def test_a_planner_s_loss_is_that_of_trl(tmp_path: Path) -> None:
    learner = planner()
    trainer = sft_trainer(learner, tmp_path)
    batch = trainer.data_collator(list(trainer.train_dataset))
    alike(learner, trainer.compute_loss(learner.policy.model.eval(), batch))


def sft_trainer(learner: PlannerLearner, folder: Path) -> Any:
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    rows = [
        {
            "prompt": [
                {"role": "system", "content": example.instructions},
                {"role": "user", "content": example.query},
            ],
            "completion": [{"role": "assistant", "content": example.plan}],
        }
        for example in PLANS
    ]
    options = SFTConfig(
        output_dir=str(folder),
        report_to="none",
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        completion_only_loss=True,
        max_length=None,
    )
    return SFTTrainer(
        model=learner.policy.model,
        args=options,
        train_dataset=Dataset.from_list(rows),
        processing_class=learner.policy.tokenizer,
    )


def test_a_reward_model_s_loss_is_the_mean_of_its_examples() -> None:
    learner = reward_model()
    log_odds = learner._scorer.log_odds([example.record for example in REWARDS])
    right = torch.tensor([float(example.right) for example in REWARDS])
    alike(learner, binary_cross_entropy_with_logits(log_odds, right))


def test_a_planner_s_tensors_have_peft_s_names() -> None:
    learner = planner()
    wanted = get_peft_model_state_dict(learner.policy.model, adapter_name="planner")
    found = learner.tensors()
    assert found.keys() == wanted.keys()
    assert all(torch.equal(found[name], each) for name, each in wanted.items())


def test_a_reward_model_keeps_what_the_estimate_says() -> None:
    """See `rollouts/tests/test_memory.py` for the planner's engine."""
    learner = reward_model()
    weights = {each.untyped_storage().data_ptr() for each in learner.model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        learner.add_gradient([2])
    tokens = len(learner._scorer.tokenizer(REWARDS[2].record)["input_ids"])
    told = activations(described(learner.model.config.to_dict()), rank=8, each=4)
    assert sum(kept.values()) == pytest.approx(tokens * told, rel=0.15)
