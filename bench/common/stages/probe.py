"""What a linear classifier of the same sentences would reach, as a measure of their embeddings.

A softmax regression is fitted to the kinds of the training's subtasks, from the embeddings that the
adapter reads. For other tasks, the best workflow of the kind that it names is taken. It knows the
kinds and the optimum, which an adapter has to find out from terminal rewards.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from bench.common.stages.trial import Ground
from bench.common.stages.world import KINDS, STAGES, SUBTASKS

PENALTY = 1e-4
"""Weight of the squared weights, chosen on the validation among 1e-5, 1e-4 and 1e-3."""


@dataclass(frozen=True, slots=True)
class Probe:
    weights: Tensor  # (D, K), for K kinds
    bias: Tensor  # (K,)

    @classmethod
    def fitted(cls, ground: Ground) -> "Probe":
        rows, kinds = _rows(ground)
        weights = torch.zeros(rows.shape[1], len(KINDS), requires_grad=True)
        bias = torch.zeros(len(KINDS), requires_grad=True)
        optimiser = torch.optim.LBFGS([weights, bias], max_iter=200, line_search_fn="strong_wolfe")

        def loss() -> Tensor:
            optimiser.zero_grad()
            found = functional.cross_entropy(rows @ weights + bias, kinds)
            found = found + PENALTY * weights.square().sum()
            found.backward()
            return found

        optimiser.step(loss)
        return cls(weights.detach(), bias.detach())

    def named(self, ground: Ground) -> NDArray[np.int64]:
        """The kind of each subtask, new and after a failure: (T, P, 2)."""
        rows, _ = _rows(ground)
        kinds: NDArray[np.int64] = (rows @ self.weights + self.bias).argmax(dim=1).numpy()
        return kinds.reshape(ground.asked.shape)

    def accuracy(self, ground: Ground) -> float:
        return float((self.named(ground) == ground.kinds[..., None]).mean())

    def expected(self, ground: Ground) -> float:
        """The mean probability that a task is done, with the workflow that is best for what the
        probe names."""
        again = np.arange(2)
        workflows = ground.chances.argmax(axis=-1)[self.named(ground), again]  # (T, P, 2)
        chances = ground.chances[ground.kinds[..., None], again, workflows]
        return float(np.mean([_done(each) for each in chances]))


def _rows(ground: Ground) -> tuple[Tensor, Tensor]:
    """(T · P · 2, D) and their kinds."""
    kinds = np.repeat(ground.kinds[..., None], 2, axis=-1)
    rows = ground.texts.table[torch.from_numpy(ground.asked.reshape(-1))]
    return rows, torch.from_numpy(kinds.reshape(-1))


def _done(
    chances: NDArray[np.float64], place: int = 0, left: int = STAGES, again: int = 0
) -> float:
    """`chances` (P, 2) of each subtask, new and after a failure."""
    if place == SUBTASKS:
        return 1.0
    if left == 0:
        return 0.0
    p = float(chances[place, again])
    return p * _done(chances, place + 1, left - 1) + (1 - p) * _done(chances, place, left - 1, 1)
