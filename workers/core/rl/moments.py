"""Turns an Adam optimiser's moments into named tensors and back, so a training can resume.

Names: PREFIX.<parameter>.<moment>. A parameter is its number in the optimiser.
"""

import torch
from torch import Tensor


def part(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose name begins with the prefix, under names without it."""
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
