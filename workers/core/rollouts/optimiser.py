"""One optimiser over named tensors. Its moments are named tensors, too, so a training can resume
from files that run no code when they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from workers.core.rollouts.base import EngineError

GRADIENT_LIMIT = 1.0


class Optimiser:
    """AdamW (arXiv 1711.05101) without weight decay. `of` says whose tensors are `learned`."""

    def __init__(self, learned: Mapping[str, Tensor], *, of: str) -> None:
        self.learned = dict(learned)
        self._of = of
        self._adam = torch.optim.AdamW(self.learned.values(), weight_decay=0.0)

    def step(self, rate: float) -> float:
        """One step with the gradients so far, which are then gone. Returns their norm before it was
        clipped. Raises EngineError if that is no number."""
        for group in self._adam.param_groups:
            group["lr"] = rate
        norm = float(clip_grad_norm_(self.learned.values(), GRADIENT_LIMIT))
        self.require_finite("gradient", norm)
        self._adam.step()
        self.forget()
        return norm

    def require_finite(self, what: str, value: float) -> None:
        """Raises EngineError if a loss or gradient is no number. The gradients so far are then
        gone, and no tensor has changed."""
        if math.isfinite(value):
            return
        self.forget()
        raise EngineError(
            code="not_finite",
            message=f"The {what} of {self._of} is {value}, which is not a finite number.",
            remedy=(
                "Start a new training with a lower learning rate, from the last checkpoint if "
                "there is one. If this was the first step, choose another model."
            ),
        )

    def forget(self) -> None:
        """Drop the gradients so far."""
        self._adam.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, Tensor]:
        """A copy of the moments on the CPU, each named MOMENT.TENSOR. A tensor that never had a
        gradient has none."""
        return {
            f"{moment}.{name}": value.detach().cpu().clone()
            for name, parameter in self.learned.items()
            for moment, value in self._adam.state.get(parameter, {}).items()
        }

    def put(self, tensors: Mapping[str, Tensor]) -> None:
        """Raises KeyError for a moment of another tensor."""
        self._adam.state.clear()
        for key, value in tensors.items():
            moment, name = key.split(".", 1)
            parameter = self.learned[name]
            # torch counts steps on the CPU.
            place = value.device if moment == "step" else parameter.device
            self._adam.state[parameter][moment] = value.to(place)
