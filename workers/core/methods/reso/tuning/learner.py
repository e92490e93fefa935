"""Trains a model's adapter, one optimizer step after the other.

Legend: B examples of a step, T tokens. A step depends only on the weights, the examples and the
seed. So a resumed training equals one that was never stopped.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from workers.core.methods.reso.tuning.config import TuningConfig

if TYPE_CHECKING:
    from peft import PeftModel

GRADIENT_LIMIT = 1.0


class Learner(ABC):
    """The first `count` examples are learned from; the others are held out."""

    model: PeftModel
    count: int
    total: int
    too_long: int

    def __init__(self, config: TuningConfig, *, seed: int) -> None:
        self._config = config
        self._seed = seed
        self.step = 0

    @abstractmethod
    def losses(self, places: Sequence[int]) -> tuple[Tensor, dict[str, float]]:
        """The mean loss of the examples at these places, and other metrics of them."""

    def weight(self, place: int) -> float:
        """The example's weight in a mean of several."""
        return 1.0

    def begin(self) -> None:
        """Call this once the model is there."""
        learned = [each for each in self.model.parameters() if each.requires_grad]
        self.optimiser = torch.optim.AdamW(learned, lr=self._config.learning_rate, weight_decay=0.0)

    def learn(self, places: Sequence[int], *, steps: int) -> dict[str, float]:
        """One of `steps` steps; returns its metrics."""
        rate = self._config.learning_rate * (1 - self.step / steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.model.train()
        with seeded(self._seed, self.step + 1):
            told = self._mean_backward(places)
        norm = torch.nn.utils.clip_grad_norm_(
            [each for each in self.model.parameters() if each.requires_grad], GRADIENT_LIMIT
        )
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.step += 1
        return {
            "gradient_norm": float(norm),
            "learning_rate": rate,
            "epoch": self.step * self._config.batch_size / self.count,
            **told,
        }

    def _mean_backward(self, places: Sequence[int]) -> dict[str, float]:
        """The gradient of the mean, one example after the other, so a step needs the memory of one
        example."""
        weights = [self.weight(place) for place in places]
        means: dict[str, float] = {}
        for place, weight in zip(places, weights, strict=True):
            share = weight / sum(weights)
            loss, told = self.losses([place])
            torch.autograd.backward(loss * share)
            for name, value in {"loss": float(loss.detach()), **told}.items():
                means[name] = means.get(name, 0.0) + share * value
        return means

    @torch.no_grad()
    def held_out(self) -> dict[str, float]:
        """Metrics of the held-out examples; empty if there are none. `reward` decides which
        checkpoint is best. It is the probability of the right output, e^−loss."""
        places = range(self.count, self.total)
        self.model.eval()
        sums: dict[str, float] = {}
        for start in range(self.count, self.total, self._config.batch_size):
            batch = places[start - self.count :][: self._config.batch_size]
            loss, told = self.losses(batch)
            for name, value in {"loss": float(loss), **told}.items():
                sums[name] = sums.get(name, 0.0) + value * len(batch)
        means = {name: value / len(places) for name, value in sums.items()}
        if means:
            means["reward"] = math.exp(-means["loss"])
        return {f"held_out_{name}": value for name, value in means.items()}


@contextlib.contextmanager
def seeded(*parts: int) -> Iterator[None]:
    """Randomness inside depends only on these numbers. Randomness outside is not affected."""
    with torch.random.fork_rng():
        torch.manual_seed(int(np.random.SeedSequence(parts).generate_state(1)[0]))
        yield
