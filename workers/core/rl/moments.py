"""An Adam optimiser's moments as named tensors and back: what a training resumes from.

Legend of names: PREFIX.<parameter>.<moment>; a parameter is its number in the optimiser.
"""

from __future__ import annotations

import torch
from torch import Tensor


def part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """Those whose name begins with the prefix, without it."""
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def moments(prefix: str, optimiser: torch.optim.Adam) -> dict[str, Tensor]:
    return {
        f"{prefix}.{parameter}.{moment}": tensor
        for parameter, kept in optimiser.state_dict()["state"].items()
        for moment, tensor in kept.items()
    }


def load_moments(prefix: str, optimiser: torch.optim.Adam, tensors: dict[str, Tensor]) -> None:
    known: dict[int, dict[str, Tensor]] = {}
    for name, tensor in part(tensors, f"{prefix}.").items():
        parameter, moment = name.split(".")
        known.setdefault(int(parameter), {})[moment] = tensor
    optimiser.load_state_dict(optimiser.state_dict() | {"state": known})
