"""An optimiser over named tensors: AdamW, or Muon for the matrices of a whole model. Its moments
are named tensors, too, so a training can resume from files that run no code when they are read.

Muon makes all directions of a matrix's averaged gradient equally large, so that a few noisy ones do
not decide a step (Jordan et al., 2024). Its steps are scaled to about the size of AdamW's (Liu et
al., arXiv 2502.16982), so a learning rate suits both. Words and norms are left to AdamW.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from workers.core.rollouts.base import OptimiserName, not_finite

GRADIENT_LIMIT = 1.0
WORDS = ("embed", "lm_head")
"""In the names of matrices that have a row for each word."""


class Optimiser:
    """Without weight decay (AdamW: arXiv 1711.05101). `of` says whose tensors are `learned`."""

    def __init__(
        self, learned: Mapping[str, Tensor], *, of: str, name: OptimiserName = "adamw"
    ) -> None:
        self.learned = dict(learned)
        self._of = of
        hidden = {key: each for key, each in self.learned.items() if _is_hidden(key, each)}
        by_muon = hidden if name == "muon" else {}
        others = [each for key, each in self.learned.items() if key not in by_muon]
        self._parts: list[torch.optim.Optimizer] = [torch.optim.AdamW(others, weight_decay=0.0)]
        if by_muon:
            matrices = by_muon.values()
            self._parts += [
                torch.optim.Muon(matrices, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
            ]
        self._part_of = {key: self._parts[-1 if key in by_muon else 0] for key in self.learned}

    def step(self, rate: float) -> float:
        """One step with the gradients so far, which are then gone. Returns their norm before it was
        clipped. Raises EngineError if that is no number."""
        norm = float(clip_grad_norm_(self.learned.values(), GRADIENT_LIMIT))
        self.require_finite("gradient", norm)
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
        self.forget()
        return norm

    def require_finite(self, what: str, value: float) -> None:
        """Raises EngineError if a loss or gradient is no number. The gradients so far are then
        gone, and no tensor has changed."""
        if math.isfinite(value):
            return
        self.forget()
        raise not_finite(f"{what} of {self._of} is {value}")

    def forget(self) -> None:
        """Drop the gradients so far."""
        for part in self._parts:
            part.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, Tensor]:
        """A copy of the moments on the CPU, each named MOMENT.TENSOR. A tensor that never had a
        gradient has none."""
        return {
            f"{moment}.{name}": value.detach().cpu().clone()
            for name, parameter in self.learned.items()
            for moment, value in self._part_of[name].state.get(parameter, {}).items()
        }

    def put(self, tensors: Mapping[str, Tensor]) -> None:
        """Raises KeyError for a moment of another tensor."""
        for part in self._parts:
            part.state.clear()
        for key, value in tensors.items():
            moment, name = key.split(".", 1)
            parameter = self.learned[name]
            # torch counts steps on the CPU.
            place = value.device if moment == "step" else parameter.device
            self._part_of[name].state[parameter][moment] = value.to(place)


def _is_hidden(name: str, tensor: Tensor) -> bool:
    return tensor.ndim == 2 and not any(word in name for word in WORDS)
