"""trl's GRPOTrainer on a batch of ours, for tests and benchmarks that compare the two.

Legend: B answers, P tokens of a prompt and T of an answer, both padded.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from workers.core.rollouts.base import Normaliser, Weighted
from workers.core.rollouts.policies import Policy

LOSSES: dict[Normaliser, str] = {"sequence": "grpo", "tokens": "bnpo"}
"""Our normaliser → trl's name of the loss."""


def trainer_of(
    policy: Policy, folder: Path, *, loss_type: str, answers: int, branches: int, kl: float = 0.0
) -> Any:
    from datasets import Dataset
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    settings = GRPOConfig(
        output_dir=str(folder),
        loss_type=loss_type,
        beta=kl,
        epsilon=0.2,
        num_generations=branches,
        per_device_train_batch_size=answers,
        gradient_checkpointing=False,
        use_bias_correction_kl=False,  # not in Eq. 2
        use_cpu=True,
        bf16=False,
        report_to=[],
    )
    return GRPOTrainer(
        model=policy.model,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=settings,
        train_dataset=Dataset.from_list([{"prompt": "."}] * answers),
        processing_class=policy.tokenizer,
    )


def inputs_of(batch: Sequence[Weighted], pad: int) -> dict[str, Any]:
    """Prompts padded on the left (B, P), answers on the right (B, T), as trl has them."""
    samples = [each.sample for each in batch]
    asked = max(len(sample.prompt) for sample in samples)
    said = max(len(sample.tokens) for sample in samples)
    prompts = torch.full((len(samples), asked), pad)
    completions = torch.full((len(samples), said), pad)
    prompt_mask, completion_mask = torch.zeros_like(prompts), torch.zeros_like(completions)
    old = torch.zeros(completions.shape)
    for row, sample in enumerate(samples):
        prompts[row, asked - len(sample.prompt) :] = torch.tensor(sample.prompt)
        prompt_mask[row, asked - len(sample.prompt) :] = 1
        completions[row, : len(sample.tokens)] = torch.tensor(sample.tokens)
        completion_mask[row, : len(sample.tokens)] = 1
        old[row, : len(sample.tokens)] = torch.tensor(sample.logprobs)
    return {
        "prompt_ids": prompts,
        "prompt_mask": prompt_mask,
        "completion_ids": completions,
        "completion_mask": completion_mask,
        "advantages": torch.tensor([each.advantage for each in batch]),
        "old_per_token_logps": old,
        "num_items_in_batch": completion_mask.sum(),
    }


@torch.no_grad()
def told_by(model: Any, inputs: dict[str, Any]) -> Tensor:
    """The log-probability of each token of the answers (B, T)."""
    prompts, completions = inputs["prompt_ids"], inputs["completion_ids"]
    ids = torch.cat([prompts, completions], dim=1)
    mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
    logits = model(input_ids=ids, attention_mask=mask).logits[:, prompts.shape[1] - 1 : -1]
    return torch.log_softmax(logits, dim=-1).gather(-1, completions.unsqueeze(-1)).squeeze(-1)
