"""Policies in checkpoints and in the cache of a process."""

from pathlib import Path

import pytest
import torch

from workers.core.checkpoints import CheckpointError, read_info, save
from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import EmbeddedPool, initial_policy
from workers.core.methods.mashost.tests.support import SMALL, shaken_policy
from workers.core.methods.mashost.weights import (
    LATER,
    PolicyCache,
    load_policy,
    save_initial,
    save_policy,
)
from workers.core.methods.tests.support import small_pool
from workers.core.testing.checkpoints import trained_info

INFO = trained_info("mashost", seed=1)


def test_a_policy_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    policy = shaken_policy()
    save_policy(tmp_path / "one", policy, INFO)
    loaded, info = load_policy(tmp_path / "one")
    assert loaded.config == SMALL
    assert info.trained
    assert all(
        torch.equal(tensor, loaded.state_dict()[name])
        for name, tensor in policy.state_dict().items()
    )


def test_initial_checkpoints_are_the_same_bytes_for_the_same_seed(tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        save_initial(tmp_path / name, seed=seed)
    files = {
        name: sorted((path.name, path.read_bytes()) for path in (tmp_path / name).iterdir())
        for name in "abc"
    }
    assert files["a"] == files["b"]
    assert files["a"] != files["c"]
    info = read_info(tmp_path / "a", method="mashost")
    assert not info.trained
    assert "untrained" in info.label


def test_another_network_is_refused_by_the_name_of_the_tensor(tmp_path: Path) -> None:
    info = INFO.model_copy(update={"config": PolicyConfig().model_dump(mode="json")})
    save(tmp_path / "odd", dict(initial_policy(seed=0, config=SMALL).state_dict()), info)
    with pytest.raises(CheckpointError, match=r"delete_exit\.weight") as caught:
        load_policy(tmp_path / "odd")
    assert caught.value.code == "wrong_shape"


def test_what_the_network_got_later_means_nothing_in_a_checkpoint_from_before(
    tmp_path: Path,
) -> None:
    policy = shaken_policy()
    tensors = {k: v for k, v in policy.state_dict().items() if k not in LATER}
    assert len(tensors) == len(policy.state_dict()) - len(LATER)
    save(tmp_path / "old", tensors, INFO.model_copy(update={"config": SMALL.model_dump()}))
    loaded = load_policy(tmp_path / "old")[0].state_dict()
    assert all(torch.equal(loaded[name], tensor) for name, tensor in tensors.items())
    assert all(not loaded[name].any() for name in LATER)
    del tensors["role_key.weight"]
    save(tmp_path / "old", tensors, INFO.model_copy(update={"config": SMALL.model_dump()}))
    with pytest.raises(CheckpointError, match=r"role_key\.weight"):
        load_policy(tmp_path / "old")


def test_a_policy_is_loaded_once_and_again_when_it_changed(tmp_path: Path) -> None:
    cache = PolicyCache()
    save_policy(tmp_path / "one", shaken_policy(seed=1), INFO)
    first = cache.policy(tmp_path / "one")
    assert cache.policy(tmp_path / "one").policy is first.policy
    assert first.trained
    save_policy(tmp_path / "one", shaken_policy(seed=2), INFO)
    second = cache.policy(tmp_path / "one")
    assert second.policy is not first.policy
    assert not cache.policy(None).trained


def test_a_pool_is_projected_once_per_content_and_weights(tmp_path: Path) -> None:
    cache, pool = PolicyCache(), small_pool()
    loaded = cache.policy(None)
    anchors = len(loaded.policy.config.anchors)
    embedded = EmbeddedPool(torch.eye(len(pool.roles), 384), torch.eye(anchors, 384))
    assert cache.find_pool(loaded, pool) is None
    kept = cache.keep_pool(loaded, pool, embedded)
    renamed = pool.model_copy(update={"version": 9, "name": "Other"})
    assert cache.find_pool(loaded, renamed) is kept
    reordered = pool.model_copy(update={"roles": pool.roles[::-1]})
    assert cache.find_pool(loaded, reordered) is None
    save_policy(tmp_path / "one", shaken_policy(PolicyConfig()), INFO)
    assert cache.find_pool(cache.policy(tmp_path / "one"), pool) is None
