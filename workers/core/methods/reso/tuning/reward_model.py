"""Fine-tuning of the reward model: binary cross-entropy of r with the rule's verdict.

r = σ(logit of the record). For a model that judges steps, r = σ(l₁ − l₀) of the two labels of the
last step, which is its softmax.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from workers.core.methods.reso.tuning.config import ADAPTERS, TuningConfig
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.methods.reso.tuning.learner import Learner, seeded
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.weights.adapters import adapted


class RewardLearner(Learner):
    """Examples longer than the model can read lose their beginning, because the answer is at the
    end of a record. For a model that judges steps they are left out and counted."""

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
            self.model = adapted(
                scorer.model, config.adapter("reward_model"), ADAPTERS["reward_model"]
            )
        self._scorer = scorer
        fits = [scorer.fits(example.record) for example in (*learned, *held_out)]
        self._examples = [
            example for example, fit in zip((*learned, *held_out), fits, strict=True) if fit
        ]
        self.count, self.total = sum(fits[: len(learned)]), len(self._examples)
        self.too_long = len(fits) - self.total
        self.verdicts = {example.right for example in self._examples[: self.count]}
        self.begin()

    def losses(self, places: Sequence[int]) -> tuple[Tensor, dict[str, float]]:
        examples = [self._examples[place] for place in places]
        log_odds = self._scorer.log_odds([example.record for example in examples])  # (B,)
        right = torch.tensor([example.right for example in examples], device=log_odds.device)
        loss = binary_cross_entropy_with_logits(log_odds, right.float())
        accuracy = ((log_odds > 0) == right).float().mean()
        return loss, {"accuracy": float(accuracy)}
