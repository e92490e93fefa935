"""Reads policies from checkpoints and writes them. Each is loaded once per process."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import torch
from pydantic import ValidationError

from workers.core.checkpoints import CheckpointError, CheckpointInfo, load, require_shapes, save
from workers.core.checkpoints import read_info as read_checkpoint_info
from workers.core.methods.mashost.config import METHOD_KEY, PolicyConfig, initial_recipe
from workers.core.methods.mashost.policy import (
    EmbeddedPool,
    MasHostPolicy,
    PoolTensors,
    initial_policy,
    with_feedback,
)
from workers.core.specs import PoolSpec

Key = TypeVar("Key")
Value = TypeVar("Value")

CODE_VERSION = "0.1.0"
INITIAL_SEED = 0
MOST_POLICIES = 4
MOST_POOLS = 16
LATER = ("encoder.support", "node_prior.exit_support")
"""Parameters that were added to the network later and start at zero. Older checkpoints lack
them."""


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """`identity` changes whenever the weights change."""

    policy: MasHostPolicy
    identity: str
    trained: bool


def save_policy(folder: Path, policy: MasHostPolicy, info: CheckpointInfo) -> CheckpointInfo:
    """Write the policy. `info.config` is filled in from the policy."""
    shape = policy.config.model_dump(mode="json")
    if not policy.config.feedback:
        del shape["feedback"]  # as it was before there were such, so that older studios read it
    shaped = info.model_copy(update={"config": shape})
    return save(folder, dict(policy.state_dict()), shaped)


def save_initial(folder: Path, *, seed: int = INITIAL_SEED) -> CheckpointInfo:
    """The untrained policy of a seed. It has no date, so its bytes are always the same."""
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
            message=f"The checkpoint {folder.name} does not describe a MasHost network: {error}",
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

    def __init__(self) -> None:
        self._policies: OrderedDict[str, LoadedPolicy] = OrderedDict()
        self._pools: OrderedDict[tuple[str, bytes], PoolTensors] = OrderedDict()
        self._lock = threading.Lock()

    def policy(self, folder: Path | None, *, feedback: bool = False) -> LoadedPolicy:
        """The checkpoint's policy, read again if it changed; None is the untrained one. With
        `feedback` it decides feedback edges, see `with_feedback`."""
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
            _touch(self._policies, identity, MOST_POLICIES)
            return found

    def find_pool(self, loaded: LoadedPolicy, pool: PoolSpec) -> PoolTensors | None:
        """The kept tensors of a pool with exactly these profiles in this order, if any."""
        key = (loaded.identity, _content(pool))
        with self._lock:
            found = self._pools.get(key)
            if found is not None:
                _touch(self._pools, key, MOST_POOLS)
            return found

    def keep_pool(
        self, loaded: LoadedPolicy, pool: PoolSpec, embedded: EmbeddedPool
    ) -> PoolTensors:
        """Project the embedded pool, and keep the result."""
        with torch.inference_mode():
            tensors = loaded.policy.pool_tensors(embedded)
        key = (loaded.identity, _content(pool))
        with self._lock:
            self._pools[key] = tensors
            _touch(self._pools, key, MOST_POOLS)
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
