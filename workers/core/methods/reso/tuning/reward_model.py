"""Fine-tuning of the reward model: r = σ(logit of the record), binary cross-entropy with the rule's
verdict."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from workers.core.methods.reso.tuning.adapters import AdapterConfig, adapted
from workers.core.methods.reso.tuning.config import TuningConfig
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.methods.reso.tuning.learner import Learner, seeded
from workers.core.methods.reso.tuning.scorer import Scorer


class RewardLearner(Learner):
    """Examples that are longer than the model may read lose their beginning: the answer stands at
    the end of a record."""

    def __init__(
        self,
        learned: Sequence[RewardExample],
        held_out: Sequence[RewardExample],
        config: TuningConfig,
        *,
        seed: int,
    ) -> None:
        """Raises MethodError."""
        super().__init__(config, seed=seed)
        with seeded(seed, 0):  # the head begins by chance
            scorer = Scorer.for_tuning(config.model, max_tokens=config.max_tokens)
            self.model = adapted(scorer.model, AdapterConfig.of("reward_model", config))
        self._scorer = scorer
        self._examples = [*learned, *held_out]
        self.count, self.total, self.too_long = len(learned), len(self._examples), 0
        self.begin()

    def losses(self, places: Sequence[int]) -> tuple[Tensor, dict[str, float]]:
        examples = [self._examples[place] for place in places]
        logits = self._scorer.logits([example.record for example in examples])[:, 0]  # (B,)
        right = torch.tensor([example.right for example in examples], device=logits.device)
        loss = binary_cross_entropy_with_logits(logits, right.float())
        accuracy = ((logits > 0) == right).float().mean()
        return loss, {"accuracy": float(accuracy)}
