"""Finds and loads the models that can be asked, and forgets those not asked for longest."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from workers.core.checkpoints import CONFIG_NAME
from workers.core.errors import MethodError
from workers.core.rollouts.kept import kept_in, tensors_in
from workers.core.weights.files import models_folder
from workers.core.weights.nano import NAME as NANO

if TYPE_CHECKING:
    from workers.core.rollouts.policies import Policy


def names(checkpoints: Path) -> list[str]:
    """The models that can be asked, as far as they can be seen without loading them."""
    local = {each.parent.name for each in models_folder().glob("*/config.json")}
    found = sorted({NANO, *local})
    for name, folder in sorted(_checkpoints(checkpoints).items()):
        try:
            found += [f"{name}:{policy}" for policy in kept_in(folder).policies]
        except MethodError:  # of a method that trains no language models
            continue
    return found


class Models:
    """At most `most` are loaded at a time. Not for several threads."""

    def __init__(self, checkpoints: Path, *, most: int) -> None:
        self._checkpoints = checkpoints
        self._most = most
        self._loaded: OrderedDict[str, Policy] = OrderedDict()

    def of(self, name: str) -> Policy:
        """Raises MethodError for a model that can't be used."""
        policy = self._loaded.pop(name, None) or self._load(name)
        self._loaded[name] = policy
        while len(self._loaded) > self._most:
            self._loaded.popitem(last=False)
        return policy

    def _load(self, name: str) -> Policy:
        from workers.core.rollouts.policies import PolicySpec, load_policies

        checkpoint, _, policy = name.partition(":")
        spec = PolicySpec(name)
        if policy:
            folder = self._folder(checkpoint)
            kept = kept_in(folder)
            if policy not in kept.policies:
                raise MethodError(
                    code="policy_missing",
                    message=f"The model “{name[:200]}” does not exist.",
                    remedy=f"The checkpoint has: {', '.join(kept.policies)}.",
                )
            start = tensors_in(folder, policy)
            spec = PolicySpec(kept.model, rank=kept.rank, alpha=kept.alpha, start=start)
        return load_policies({"one": spec}, seed=0)["one"]

    def _folder(self, checkpoint: str) -> Path:
        """Only a folder that is listed, whatever name was sent."""
        folder = _checkpoints(self._checkpoints).get(checkpoint)
        if folder is None:
            raise MethodError(
                code="checkpoint_missing",
                message=f"The model “{checkpoint[:100]}:…” does not exist.",
                remedy="Choose one of the list of models.",
            )
        return folder


def _checkpoints(folder: Path) -> dict[str, Path]:
    return {each.parent.name: each.parent for each in folder.glob(f"[!.]*/{CONFIG_NAME}")}
