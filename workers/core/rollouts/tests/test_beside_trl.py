"""The loss and its gradient are those of trl's GRPOTrainer on the same batch."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.rollouts.base import LossOptions, Normaliser, Sampling, Weighted
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec

ADVANTAGES = (1.2, 1.2, 0.1, -0.6)
"""The second answer is the first one once more, and computed once."""


@pytest.mark.usefixtures("nano")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("normaliser", "theirs"), [("sequence", "grpo"), ("tokens", "bnpo")])
def test_beside_trl(
    normaliser: Normaliser,
    theirs: str,
    tmp_path: Path,
) -> None:
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
    own = engine._policies["one"].policy
    reference = copy.deepcopy(own.model)
    engine.forward_backward("one", batch, LossOptions())
    engine.optim_step("one", 3e-3)  # away from the policy that sampled, so that some are clipped

    trainer = _trainer(own, theirs, tmp_path)
    inputs = _inputs(samples, own, reference)
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


def _trainer(own: Any, loss_type: str, folder: Path) -> Any:
    from datasets import Dataset
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    settings = GRPOConfig(
        output_dir=str(folder),
        loss_type=loss_type,
        beta=0.05,
        epsilon=0.2,
        num_generations=2,
        per_device_train_batch_size=4,
        use_bias_correction_kl=False,  # not in Eq. 2
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    return GRPOTrainer(
        model=own.model,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=settings,
        train_dataset=Dataset.from_list([{"prompt": "S.G"}] * 4),
        processing_class=own.tokenizer,
    )


def _inputs(samples: list[Any], own: Any, reference: Any) -> dict[str, torch.Tensor]:
    """Prompts padded on the left, answers on the right, as trl has them."""
    asked = max(len(sample.prompt) for sample in samples)
    said = max(len(sample.tokens) for sample in samples)
    prompts, completions = torch.zeros(4, asked).long(), torch.zeros(4, said).long()
    prompt_mask, completion_mask = torch.zeros(4, asked).long(), torch.zeros(4, said).long()
    old = torch.zeros(4, said)
    for row, sample in enumerate(samples):
        prompts[row, asked - len(sample.prompt) :] = torch.tensor(sample.prompt)
        prompt_mask[row, asked - len(sample.prompt) :] = 1
        completions[row, : len(sample.tokens)] = torch.tensor(sample.tokens)
        completion_mask[row, : len(sample.tokens)] = 1
        old[row, : len(sample.tokens)] = torch.tensor(sample.logprobs)
    ids = torch.cat([prompts, completions], dim=1)
    mask = torch.cat([prompt_mask, completion_mask], dim=1)
    with torch.no_grad():
        logits = reference(input_ids=ids, attention_mask=mask).logits[:, asked - 1 : -1]
        told = torch.log_softmax(logits, dim=-1)
    return {
        "prompt_ids": prompts,
        "prompt_mask": prompt_mask,
        "completion_ids": completions,
        "completion_mask": completion_mask,
        "advantages": torch.tensor(ADVANTAGES),
        "old_per_token_logps": old,
        "ref_per_token_logps": told.gather(-1, completions.unsqueeze(-1)).squeeze(-1),
        "num_items_in_batch": completion_mask.sum(),
    }
