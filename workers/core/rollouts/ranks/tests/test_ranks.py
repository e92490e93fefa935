"""Two processes over gloo learn as one does."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import torch

from workers.core.rollouts.base import (
    BrokenOff,
    EngineError,
    LossOptions,
    PolicyEngine,
    Sample,
    Sampling,
    Weighted,
    demonstration,
)
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.ranks.engine import RankedEngine

MAKE = partial(InProcessEngine, {"tool": PolicySpec("nano", rank=4)}, seed=3)


@pytest.fixture(scope="module")
def two(nano_folder: Path) -> Iterator[RankedEngine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(nano_folder))
        engine = RankedEngine(MAKE, ranks=2)
    yield engine
    engine.close()


def sampled(engine: PolicyEngine) -> list[Sample]:
    prompts = [
        engine.prompt("tool", [{"role": "user", "content": text}])
        for text in ("AaaSab.ac#ba.bb#bc.ca.cb.ccG|", "BaaSab.acG|abac|", "B|")
    ]
    groups = engine.sample("tool", prompts, 3, Sampling(9, seed=5))
    return [each for group in groups for each in group]


def same(one: PolicyEngine, other: PolicyEngine, atol: float) -> bool:
    pairs = zip(one.tensors("tool").values(), other.tensors("tool").values(), strict=True)
    return all(torch.allclose(*pair, atol=atol) for pair in pairs)


@pytest.mark.usefixtures("nano")
def test_two_ranks_learn_as_one(two: RankedEngine, tmp_path: Path) -> None:
    one = MAKE()
    samples = sampled(one)
    assert sampled(two) == samples
    shown = demonstration(samples[0].prompt, samples[0].tokens)
    batches = [
        [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)],
        [Weighted(shown, 1.0)],  # one rank has nothing to do
        [Weighted(each, (-1.0) ** at) for at, each in enumerate(samples)],
    ]
    for batch in batches:
        for options in (LossOptions(kl=0.1), LossOptions(normaliser="tokens")):
            told, expected = (each.forward_backward("tool", batch, options) for each in (two, one))
            assert told.tokens == expected.tokens
            for name in ("loss", "entropy", "clipped", "kl", "mismatch"):
                assert getattr(told, name) == pytest.approx(getattr(expected, name), abs=1e-5)
        assert two.optim_step("tool", 1e-3) == pytest.approx(one.optim_step("tool", 1e-3), rel=1e-3)
        assert len(set(two.digests("tool"))) == 1, "bit for bit"
        assert same(two, one, atol=2e-5)
    assert two.publish("tool") == 1
    two.save(tmp_path)
    one.load(tmp_path)
    assert same(two, one, atol=0)


def test_an_error_is_told_and_changes_nothing(two: RankedEngine, tmp_path: Path) -> None:
    before = two.digests("tool")
    batch = [Weighted(each, float("nan")) for each in sampled(two)]
    with pytest.raises(EngineError, match="loss of the policy “tool” is nan") as raised:
        two.forward_backward("tool", batch, LossOptions())
    assert "lower learning rate" in raised.value.remedy
    with pytest.raises(OSError, match=r"engine\.json"):
        two.load(tmp_path)
    assert two.digests("tool") == before


def test_a_sample_too_long_for_one_rank_is_told_by_both(two: RankedEngine) -> None:
    """Each rank learns from one of the two. The one that can learn must not wait for the other."""
    before = two.digests("tool")
    (short, *_) = sampled(two)
    batch = [Weighted(demonstration((99,), (5,) * 5_000), 1.0), Weighted(short, 1.0)]
    # A rank that waits answers nothing: it is killed, and the call then tells another error.
    late = threading.Timer(20, two._kill_ranks)
    late.start()
    with pytest.raises(EngineError, match="5001 tokens together"):
        two.forward_backward("tool", batch, LossOptions())
    late.cancel()
    assert two.digests("tool") == before, "both answer again"


def test_a_rank_that_is_killed_ends_the_engine(two: RankedEngine) -> None:
    batch = [Weighted(each, 1.0) for each in sampled(two)]
    children = Path(f"/proc/{two.process.pid}/task/{two.process.pid}/children").read_text().split()
    os.kill(int(children[1]), signal.SIGKILL)
    with pytest.raises(EngineError, match="has ended") as raised:
        two.forward_backward("tool", batch, LossOptions())
    assert "resume" in raised.value.remedy
    assert two.process.poll() is not None


@pytest.mark.parametrize("hangs", [False, True])
def test_what_is_broken_off_ends_with_its_ranks(nano: Path, tmp_path: Path, hangs: bool) -> None:
    """In the middle of a call that takes minutes, or that is never answered."""
    broken_off, own = threading.Event(), tmp_path / "published"
    own.mkdir()
    engine = RankedEngine(MAKE, ranks=2, own=own, broken_off=broken_off)
    of_torchrun = Path(f"/proc/{engine.process.pid}/task/{engine.process.pid}/children")
    ranks = [Path("/proc", each) for each in of_torchrun.read_text().split()]
    assert len(ranks) == 2
    prompt = engine.prompt("tool", [{"role": "user", "content": "AaaSab.acG|"}])
    if hangs:
        for each in ranks:
            os.kill(int(each.name), signal.SIGSTOP)
    threading.Timer(0.5, broken_off.set).start()
    began = time.monotonic()
    with pytest.raises(BrokenOff):
        engine.sample("tool", [prompt] * 20_000, 50, Sampling(300, seed=0))
    engine.close()
    assert time.monotonic() - began < 8
    assert not any(each.exists() for each in ranks), "none goes on by itself"
    assert not own.exists()
