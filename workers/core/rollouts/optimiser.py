"""What turns gradients into other weights: AdamW, or Muon for the matrices of a whole model.

Muon makes all directions of a matrix's averaged gradient equally large, so that a few noisy ones do
not decide a step (Jordan et al., 2024). Its steps are scaled to the size of AdamW's (Liu et al.,
arXiv 2502.16982), so one learning rate serves both. Words and norms are left to AdamW.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from workers.core.rollouts.base import OptimiserName

GRADIENT_LIMIT = 1.0
MOMENTS = ("step", "exp_avg", "exp_avg_sq", "momentum_buffer")
WORDS = ("embed", "lm_head")
"""In the names of matrices with a row for each word."""


class Optimiser:
    """Over the parameters `learned`, by name."""

    def __init__(self, learned: Mapping[str, Tensor], name: OptimiserName = "adamw") -> None:
        self._learned = learned
        matrices = {key for key in learned if name == "muon" and _is_hidden(key, learned[key])}
        others = [learned[key] for key in learned if key not in matrices]
        self._parts: list[torch.optim.Optimizer] = [torch.optim.AdamW(others, weight_decay=0.0)]
        if matrices:
            hidden = [learned[key] for key in learned if key in matrices]
            self._parts.append(
                torch.optim.Muon(hidden, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
            )

    def clipped(self) -> float:
        """Limits the norm of all gradients together. Returns what it was."""
        return float(clip_grad_norm_(self._learned.values(), GRADIENT_LIMIT))

    def step(self, rate: float) -> None:
        for part in self._parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()

    def forget(self) -> None:
        """The gradients."""
        for part in self._parts:
            part.zero_grad(set_to_none=True)

    def tensors(self) -> dict[str, Tensor]:
        """A copy of its moments on the CPU, as MOMENT.PARAMETER."""
        return {
            f"{moment}.{key}": value.detach().cpu().clone().reshape(value.shape)
            for key, parameter in self._learned.items()
            for part in self._parts
            for moment, value in part.state.get(parameter, {}).items()
        }

    def put(self, tensors: Mapping[str, Tensor]) -> None:
        for key, parameter in self._learned.items():
            found = {
                moment: tensors[name] if moment == "step" else tensors[name].to(parameter.device)
                for moment in MOMENTS
                if (name := f"{moment}.{key}") in tensors
            }
            if found:
                self._part_of(parameter).state[parameter] = found

    def _part_of(self, parameter: Tensor) -> torch.optim.Optimizer:
        return next(
            part
            for part in self._parts
            for group in part.param_groups
            if any(parameter is each for each in group["params"])
        )


def _is_hidden(name: str, parameter: Tensor) -> bool:
    return parameter.ndim == 2 and not any(word in name for word in WORDS)
