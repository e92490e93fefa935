"""What a training is said to take of memory, beside what its tensors are."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.errors import MethodError
from workers.core.rollouts import memory
from workers.core.rollouts.base import LossOptions, Weighted, demonstration
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.memory import (
    Estimate,
    Learned,
    Load,
    Sampled,
    activations,
    estimate,
    free_memory,
    number_bytes,
    packed,
    require_memory,
)
from workers.core.rollouts.packing import packs
from workers.core.rollouts.policies import PolicySpec
from workers.core.weights import models
from workers.core.weights.local import Shape, shape_of

SHAPE = Shape(parameters=1_000, adapted=50, layers=2, hidden=8, inner=16, keys=4, words=100)
LOAD = Load(
    policies=2, rank=0, prompt=10, answer=4, sampled=(Sampled(3, 4),), learned=(Learned(6, 4),)
)


@pytest.mark.parametrize("row", [100, 10_000])
@pytest.mark.parametrize("tokens", [900, 10_000])
@pytest.mark.parametrize(("prompt", "answer"), [(60, 32), (60, 4), (20, 64), (900, 500), (3, 1)])
def test_rows_are_counted_as_they_are_packed(
    prompt: int, answer: int, tokens: int, row: int
) -> None:
    """Where no two answers begin alike."""
    groups, branches = 12, 6
    answers = [
        ((*range(prompt - 1), group), (branch,) * answer)
        for group in range(groups)
        for branch in range(branches)
    ]
    largest = max(
        packs(answers, pad=0, most=4_000_000, tokens=tokens, row=row),
        key=lambda each: each.ids.shape[0],
    )
    rows, length, _ = packed(prompt, answer, Learned(groups, branches), tokens=tokens, row=row)
    assert tuple(largest.ids.shape) == (rows, length)


@pytest.mark.parametrize(("rank", "each"), [(0, 4), (4, 4), (4, 2)])
def test_what_is_kept_for_a_gradient_is_what_autograd_keeps(
    nano: Path, rank: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "cpu_prefers_16_bits", lambda shape: each == 2)
    shape = shape_of(nano / "nano", ["model.safetensors"])
    engine = InProcessEngine({"one": PolicySpec("nano", rank)}, seed=0)
    own = engine.learning("one").policy
    assert shape.parameters == sum(
        each.numel() for name, each in own.model.named_parameters() if ".lora_" not in name
    )
    if rank:
        assert rank * shape.adapted == sum(each.numel() for each in own.learned.values())
    weights = {each.untyped_storage().data_ptr() for each in own.model.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights and shape.words not in tensor.shape:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    shown = [
        Weighted(demonstration(tuple(range(4, 44)), tuple(range(first, first + 20))), 1.0)
        for first in (4, 5)
    ]
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        engine.forward_backward("one", shown, LossOptions())
    told = (40 + 2 * 19) * activations(shape, rank=rank, each=each)
    assert sum(kept.values()) == pytest.approx(told, rel=0.1)


def test_the_parts_are_those_of_each_policy() -> None:
    whole = estimate(SHAPE, LOAD)
    assert (whole.weights, whole.moments, whole.reference) == (8_000, 16_000, 8_000)
    assert whole.saving == 16_000
    assert whole.total == 32_000 + max(whole.sampling, whole.updating, whole.saving)
    adapters = estimate(SHAPE, replace(LOAD, rank=2))
    assert (adapters.weights, adapters.moments) == (4_000 + 2 * 400, 1_600)
    cached = 12 * 14 * 2 * 2 * 4 * 4
    drawn = 12 * 100 * 4 * 4
    assert whole.sampling == math.ceil((cached + drawn) * 4 / 3)


@pytest.mark.parametrize(
    "more",
    [
        {"sampled": (Sampled(6, 4),), "learned": (Learned(12, 4),)},
        {"sampled": (Sampled(3, 8),), "learned": (Learned(6, 8),)},
        {"answer": 8},
        {"policies": 3},
    ],
)
def test_what_is_more_takes_more(more: dict[str, Any]) -> None:
    assert estimate(SHAPE, replace(LOAD, **more)).total > estimate(SHAPE, LOAD).total


def test_only_a_model_below_adapters_has_16_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = replace(LOAD, rank=4)
    for prefers in (True, False):
        monkeypatch.setattr(memory, "cpu_prefers_16_bits", lambda shape, prefers=prefers: prefers)
        assert number_bytes(SHAPE, adapters) == (2 if prefers else 4)
        assert number_bytes(SHAPE, replace(adapters, on_gpu=True)) == 2
        assert number_bytes(SHAPE, replace(adapters, on_gpu=True, exact=True)) == 4
        assert number_bytes(SHAPE, replace(LOAD, on_gpu=True)) == 4


NEEDS = Estimate(
    weights=10 * 10**9,
    moments=20 * 10**9,
    reference=10 * 10**9,
    sampling=4 * 10**9,
    updating=6 * 10**9,
    saving=5 * 10**9,
)


@pytest.mark.parametrize(
    ("load", "free", "on_gpu", "told"),
    [
        (LOAD, 46, 0, ""),
        (LOAD, 45, 0, "about 46.0 GB of memory, and 45.0 GB is free. It takes 10.0 GB for weights"),
        (replace(LOAD, ranks=2), 92, 0, "about 92.8 GB of memory in 2 processes"),
        (replace(LOAD, on_gpu=True), 15, 36, ""),
        (replace(LOAD, on_gpu=True), 15, 35, "about 36.0 GB of memory on the GPU, and 35.0 GB"),
        (replace(LOAD, on_gpu=True), 14, 36, "about 15.0 GB of memory, and 14.0 GB"),
    ],
)
def test_what_does_not_fit_is_told(load: Load, free: int, on_gpu: int, told: str) -> None:
    def ask() -> None:
        require_memory(NEEDS, load, free=free * 10**9, free_on_gpu=on_gpu * 10**9)

    if not told:
        ask()
        return
    with pytest.raises(MethodError, match=told) as raised:
        ask()
    assert all(word in raised.value.remedy for word in ("smaller", "adapters", "max_tokens"))


V1 = ("sys/fs/cgroup/memory", "5:memory,hugetlb:/a/b", "memory.limit_in_bytes")
V2 = ("sys/fs/cgroup", "0::/a/b", "memory.max")


@pytest.mark.parametrize("place", ["a/b", "a", "."])
@pytest.mark.parametrize(("top", "line", "limit"), [V1, V2])
def test_the_limits_of_all_control_groups_hold(
    tmp_path: Path, top: str, line: str, limit: str, place: str
) -> None:
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    5000 kB\n")
    (tmp_path / "proc" / "self" / "cgroup").write_text(f"1:name=systemd:/\n{line}\n")
    assert free_memory(tmp_path) == 5_000 * 1024
    group = tmp_path / top / place
    group.mkdir(parents=True)
    used, cached = (
        ("memory.current", "inactive_file")
        if limit == "memory.max"
        else ("memory.usage_in_bytes", "total_inactive_file")
    )
    (group / limit).write_text("1000000\n")
    (group / used).write_text("700000\n")
    (group / "memory.stat").write_text(f"anon 1\n{cached} 50000\n")
    assert free_memory(tmp_path) == 350_000
    (group / limit).write_text("max\n" if limit == "memory.max" else f"{2**63 - 4096}\n")
    assert free_memory(tmp_path) == 5_000 * 1024
