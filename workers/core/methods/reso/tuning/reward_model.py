"""Fine-tuning of the reward model: binary cross-entropy of r with the rule's verdict.

r = σ(logit of the record). For a model that judges steps, r = σ(l₁ − l₀) of the two labels of the
last step, which is its softmax.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from workers.core.methods.reso.tuning.config import ADAPTERS, TuningConfig
from workers.core.methods.reso.tuning.examples import RewardExample
from workers.core.methods.reso.tuning.learner import Learner, require_memory
from workers.core.methods.reso.tuning.scorer import Scorer
from workers.core.rollouts.optimiser import Optimiser
from workers.core.weights.adapters import adapted, put_tensors, tensors_of
from workers.core.weights.models import find_model, load_tokenizer


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
        super().__init__(config)
        records = [example.record for example in (*learned, *held_out)]
        tokens = load_tokenizer(find_model(config.model))(
            records, truncation=True, max_length=config.max_tokens
        )["input_ids"]
        require_memory(config, prompt=max(map(len, tokens)))
        kind = ADAPTERS["reward_model"]
        with seeded(seed, 0):  # the head begins by chance
            self._scorer = Scorer.for_tuning(config.model, max_tokens=config.max_tokens)
            self.model = adapted(self._scorer.model, config.adapter("reward_model"), kind).eval()
        self._examples = self.fitting(
            learned, held_out, lambda example: self._scorer.fits(example.record)
        )
        self.verdicts = {example.right for example in self._examples[: self.count]}
        named = self.model.named_parameters()
        trained = {name: each for name, each in named if each.requires_grad}
        self.optimiser = Optimiser(trained, of="the reward model")

    def add_gradient(self, places: Sequence[int]) -> dict[str, float]:
        loss, accuracy = 0.0, 0.0
        for place in places:
            example = self._examples[place]
            log_odds = self._scorer.log_odds([example.record])  # (1,)
            part = binary_cross_entropy_with_logits(
                log_odds, torch.full_like(log_odds, float(example.right))
            ) / len(places)
            if part.requires_grad:  # `judge` wants none
                torch.autograd.backward(part)
            loss += float(part.detach())
            accuracy += bool(log_odds > 0) == example.right
        self.optimiser.require_finite("loss", loss)
        return {"loss": loss, "accuracy": accuracy / len(places)}

    def optim_step(self, rate: float) -> float:
        return self.optimiser.step(rate)

    @torch.no_grad()
    def judge(self, places: Sequence[int]) -> dict[str, float]:
        return self.add_gradient(places)

    def tensors(self) -> dict[str, Tensor]:
        return tensors_of(self.model)

    def put(self, tensors: dict[str, Tensor], *, folder: Path) -> None:
        put_tensors(self.model, tensors, folder=folder)


@contextlib.contextmanager
def seeded(*parts: int) -> Iterator[None]:
    """Randomness inside depends only on these numbers. Randomness outside is not affected."""
    with torch.random.fork_rng():
        torch.manual_seed(int(np.random.SeedSequence(parts).generate_state(1)[0]))
        yield
