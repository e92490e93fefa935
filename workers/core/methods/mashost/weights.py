"""Policies in and out of checkpoints, loaded once per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo, load, require_shapes, save
from workers.core.checkpoints import read_info as read_checkpoint_info
from workers.core.methods.mashost.config import METHOD_KEY, PolicyConfig, initial_recipe
from workers.core.methods.mashost.policy import (
    MasHostPolicy,
    Phrases,
    PoolTensors,
    initial_policy,
    with_feedback,
)
from workers.core.specs import PoolSpec

Key = TypeVar("Key")
Value = TypeVar("Value")

CODE_VERSION = "0.1.0"
INITIAL_SEED = 0
LATER = ("encoder.support", "node_prior.exit_support")
"""Parameters that the network got later, and that begin at zero: what a checkpoint from before
lacks."""


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """`identity` changes whenever the weights do."""

    policy: MasHostPolicy
    identity: str
    trained: bool


def save_policy(folder: Path, policy: MasHostPolicy, info: CheckpointInfo) -> CheckpointInfo:
    """Writes the policy; `info.config` is filled in from the policy."""
    shape = policy.config.model_dump(mode="json")
    if not policy.config.feedback:
        del shape["feedback"]  # as it was before there were such, so that older studios read it
    shaped = info.model_copy(update={"config": shape})
    return save(folder, dict(policy.state_dict()), shaped)


def save_initial(folder: Path, *, seed: int = INITIAL_SEED) -> CheckpointInfo:
    """The untrained policy of a seed: always the same bytes, hence no date."""
    info = CheckpointInfo(
        method=METHOD_KEY,
        label=f"MasHost, untrained (seed {seed})",
        trained=False,
        seed=seed,
        code_version=CODE_VERSION,
        recipe=initial_recipe(),
    )
    return save_policy(folder, _initial(seed), info)


def _initial(seed: int) -> MasHostPolicy:
    return initial_policy(seed=seed, config=PolicyConfig(phrases=True))


def load_policy(folder: Path) -> tuple[MasHostPolicy, CheckpointInfo]:
    """The policy, ready for inference. Raises CheckpointError."""
    info, tensors = load(folder, method=METHOD_KEY)
    try:
        config = PolicyConfig.model_validate(info.config)
    except ValidationError as error:
        raise CheckpointError(
            code="corrupt",
            message=f"The checkpoint {folder.name} describes no MasHost network: {error}",
        ) from error
    with torch.device("meta"):
        policy = MasHostPolicy(config)
    wanted = dict(policy.state_dict())
    tensors = {name: torch.zeros(wanted[name].shape) for name in LATER} | tensors
    require_shapes(folder, found=tensors, wanted=wanted)
    policy.load_state_dict(tensors, assign=True)
    return policy.eval(), info


class PolicyCache:
    """Policies by checkpoint and pools by content, for one process. Safe from any thread."""

    def __init__(self, *, policies: int = 4, pools: int = 16) -> None:
        self._limits = (policies, pools)
        self._policies: OrderedDict[str, LoadedPolicy] = OrderedDict()
        self._pools: OrderedDict[tuple[str, bytes], PoolTensors] = OrderedDict()
        self._lock = threading.Lock()

    def policy(self, folder: Path | None, *, feedback: bool = False) -> LoadedPolicy:
        """The checkpoint's policy, read again when it changed; None is the untrained one. With
        `feedback` one that decides feedback edges, see `with_feedback`."""
        with self._lock:
            if folder is None:
                identity, trained = f"initial-{INITIAL_SEED}", False
            else:
                info = read_checkpoint_info(folder, method=METHOD_KEY)
                identity, trained = info.sha256, info.trained
            identity += "+feedback" if feedback else ""
            found = self._policies.get(identity)
            if found is None:
                policy = _initial(INITIAL_SEED) if folder is None else load_policy(folder)[0]
                policy = with_feedback(policy).eval() if feedback else policy
                found = LoadedPolicy(policy, identity, trained)
                self._policies[identity] = found
            _touch(self._policies, identity, self._limits[0])
            return found

    def find_pool(self, loaded: LoadedPolicy, pool: PoolSpec) -> PoolTensors | None:
        """The tensors of a pool with exactly these profiles in this order, if they are kept."""
        key = (loaded.identity, _content(pool))
        with self._lock:
            found = self._pools.get(key)
            if found is not None:
                _touch(self._pools, key, self._limits[1])
            return found

    def keep_pool(
        self,
        loaded: LoadedPolicy,
        pool: PoolSpec,
        profiles: NDArray[np.float32],
        anchors: NDArray[np.float32],
        phrases: Phrases | None = None,
    ) -> PoolTensors:
        """Projects embedded profiles (K, D) and anchors, and keeps the result."""
        with torch.inference_mode():
            tensors = loaded.policy.pool_tensors(
                torch.from_numpy(profiles), torch.from_numpy(anchors), phrases
            )
        key = (loaded.identity, _content(pool))
        with self._lock:
            self._pools[key] = tensors
            _touch(self._pools, key, self._limits[1])
        return tensors


def _content(pool: PoolSpec) -> bytes:
    digest = blake2b(digest_size=16)
    for role in pool.roles:
        text = role.profile().encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.digest()


def _touch(entries: OrderedDict[Key, Value], key: Key, limit: int) -> None:
    entries.move_to_end(key)
    while len(entries) > limit:
        entries.popitem(last=False)
