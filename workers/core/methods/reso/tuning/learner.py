"""Trains a model's adapter, one optimizer step after the other.

A step depends only on the weights, the moments and the examples. So a resumed training equals one
that was never stopped.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from torch import Tensor

from workers.core.errors import MethodError
from workers.core.methods.reso.tuning.config import TuningConfig
from workers.core.rollouts.memory import Load, require_room
from workers.core.rollouts.optimiser import Optimiser

E = TypeVar("E")


class Learner(ABC):
    """The first `count` examples are learned from; the others are held out. One example is computed
    at a time, so a step needs the memory of one."""

    optimiser: Optimiser
    count: int
    total: int
    too_long: int

    def __init__(self, config: TuningConfig) -> None:
        self._config = config
        self.step = 0

    @abstractmethod
    def add_gradient(self, places: Sequence[int]) -> dict[str, float]:
        """Adds the gradient of the examples' mean loss. Returns the `loss` and other metrics."""

    @abstractmethod
    def optim_step(self, rate: float) -> float:
        """One step with the gradients so far. Returns their norm before it was clipped."""

    @abstractmethod
    def judge(self, places: Sequence[int]) -> dict[str, float]:
        """The same metrics, without a gradient."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """A copy of what was learned, on the CPU, under PEFT's names."""

    @abstractmethod
    def put(self, tensors: dict[str, Tensor], *, folder: Path) -> None:
        """Go on with these tensors. Raises CheckpointError, which names the folder, if they belong
        to another model or rank."""

    def learn(self, places: Sequence[int], *, steps: int) -> dict[str, float]:
        """One of `steps` steps; returns its metrics. Raises EngineError if the loss or its gradient
        is no number."""
        rate = self._config.learning_rate * (1 - self.step / steps)
        told = self.add_gradient(places)
        norm = self.optim_step(rate)
        self.step += 1
        return {
            "gradient_norm": norm,
            "learning_rate": rate,
            "epoch": self.step * self._config.batch_size / self.count,
            **told,
        }

    def held_out(self) -> dict[str, float]:
        """Metrics of the held-out examples; empty if there are none. `reward` decides which
        checkpoint is best. It is the probability of the right output, e^−loss."""
        if self.total == self.count:
            return {}
        told = self.judge(range(self.count, self.total))
        told["reward"] = math.exp(-told["loss"])
        return {f"held_out_{name}": value for name, value in told.items()}

    def fitting(
        self, learned: Sequence[E], held_out: Sequence[E], fits: Callable[[E], bool]
    ) -> list[E]:
        """The examples that fit, and counts them. Raises MethodError if there is nothing to learn
        from."""
        kept, unseen = ([each for each in part if fits(each)] for part in (learned, held_out))
        if not kept:
            raise MethodError(
                code="no_examples",
                message=f"All examples are longer than {self._config.max_tokens} tokens.",
                remedy="Raise max_tokens.",
            )
        self.count, self.total = len(kept), len(kept) + len(unseen)
        self.too_long = len(learned) + len(held_out) - self.total
        return [*kept, *unseen]


def require_memory(config: TuningConfig, *, prompt: int, answer: int = 1) -> None:
    """For examples with at most this number of tokens. Raises MethodError if it is not there. The
    weights are not read."""
    load = Load(policies=1, rank=config.rank, prompt=prompt, answer=answer)
    require_room(config.model, load)
